"""Validating posts: matches are checked, get ids and times, and are put into the order and the form of the journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history import History
from ...history.names import name_of
from ...history.ragged import owners
from ...history.times import Times
from .. import clock as clocks
from ..clock import Clock
from ..errors import RatingError
from ..journal.journal import Entry
from ..journal.match_json import bodies
from .commands import Post

LONGEST = 500  # letters of a name or an id: more fit into no index
APART = ("time", "id")  # what the journal keeps beside the body of a match


@dataclass(frozen=True, eq=False)
class ValidatedPost:
    """Matches in the order of time; if `untimed`, the service has yet to stamp them with the time of recording.

    `ids` are in the order in which they were posted. If they are `own_ids`, chosen by whoever posts them, the matches
    may have been recorded before. `bodies` are the matches as the journal writes them, `stamped` are those that had
    no time: both in the order of the history.
    """

    command: Post
    ids: Sequence[str]
    own_ids: bool
    history: History
    bodies: Sequence[str]
    stamped: NDArray[np.bool_]
    untimed: bool

    @property
    def players(self) -> Sequence[str]:
        """The names of all players."""
        return self.history.players

    @property
    def times(self) -> list[float]:
        """The time of every match, in the order of the history; 0 where there are no times."""
        times = self.history.time
        return [0.0] * len(self.history) if times is None else times.astype(np.float64).tolist()

    def entries(self, seq: int) -> list[Entry]:
        """Return the rows for the journal, numbered from `seq` on."""
        columns = zip(self.times, self.history.ids or (), self.stamped.tolist(), self.bodies, strict=True)
        return [Entry(number, time, id, "post", *rest) for number, (time, id, *rest) in enumerate(columns, seq)]

    def at(self, now: float) -> ValidatedPost:
        """Return the post with a time for all matches, if they have none yet."""
        if not self.untimed:
            return self
        times = np.full(len(self.history), now)
        return replace(self, history=_timed(self.history, times, "utc"), untimed=False)

    def without(self, repeated: Mapping[str, Any]) -> ValidatedPost:
        """Return the post without the matches of some ids."""
        if not repeated:
            return self
        assert self.history.ids is not None
        new = np.array([id not in repeated for id in self.history.ids], bool)
        if new.all():
            return self
        kept = [self.bodies[row] for row in np.flatnonzero(new).tolist()]
        return replace(self, history=self.history.take(new), bodies=kept, stamped=self.stamped[new])


def prepare(command: Post, clock: Clock) -> ValidatedPost:
    """Check the matches of a post and bring them into the form of the journal."""
    matches = command.matches
    if isinstance(matches, History):
        return _from_history(command, matches, clock)
    if isinstance(matches, (str, bytes, Mapping)) or not isinstance(matches, Sequence):
        raise Error(
            f"matches must be a list of mappings, such as [{{'teams': [['ann'], ['bob']]}}], not {matches!r}",
            field="matches",
            value=matches,
        )
    history = History.from_matches([_without_time_and_id(match) for match in matches])
    _check_names(history)
    ids, own_ids = _ids(command, [match.get("id") for match in matches])
    times = [_time(clock, index, match.get("time")) for index, match in enumerate(matches)]
    stamped = np.array([time is None for time in times], bool)
    history = replace(history, ids=tuple(ids))
    if clock == "none" or (clock == "utc" and stamped.all()):
        stamped = stamped & (clock == "utc")
        return ValidatedPost(command, ids, own_ids, history, bodies(history), stamped, clock == "utc")
    if clock == "number" and stamped.any():
        raise _error(int(stamped.argmax()), "time", "the times of this league are numbers: give one")
    now = clocks.now()
    numbers = np.array([now if time is None else time for time in times], np.float64)
    history = _timed(history, numbers, clock)
    if (numbers[1:] < numbers[:-1]).any():
        order = np.argsort(numbers, kind="stable")
        history, stamped = history.take(order), stamped[order]
    return ValidatedPost(command, ids, own_ids, history, bodies(history), stamped, False)


def _without_time_and_id(match: Any) -> Any:
    # What is no mapping is left to the history, which has an error for it.
    return {key: value for key, value in match.items() if key not in APART} if isinstance(match, Mapping) else match


def _timed(history: History, numbers: NDArray[np.float64], clock: Clock) -> History:
    """Return the history with times, which need not be in order yet."""
    stamp = clocks.STAMPS[clock]
    assert stamp is not None
    times = Times.of(numbers, stamp)
    return replace(history, time=times.number, time_kind=times.kind, time_zone=times.zone)


def _time(clock: Clock, index: int, value: Any) -> float | None:
    if value is None:
        return None
    try:
        return clocks.parse(clock, value)
    except Error as error:
        raise error.within(f"match {index + 1}: ", match=index) from None


def _error(index: int, field: str, text: str, value: object = None) -> Error:
    return Error.in_field(field, text, value=value).within(f"match {index + 1}: ", match=index)


def _from_history(command: Post, history: History, clock: Clock) -> ValidatedPost:
    """Validate a history that was read elsewhere."""
    _check_names(history)
    own = history.ids or ()
    ids, own_ids = _ids(command, [id or None for id in own] if own else [None] * len(history))
    timed = replace(history, ids=tuple(ids), remarks=())
    kind = clocks.clock_of(history)
    if kind != clock and not (kind == "none" and clock == "utc"):
        says: dict[Clock, str] = {"none": "no times", "number": "plain numbers as times", "utc": "dates"}
        text = f"the matches have {says[kind]}, and those of the league {says[clock]}"
        raise Error.in_field("time", text)
    stamped = np.full(len(history), kind == "none" and clock == "utc")
    if kind == "utc" and history.time is not None:
        numbers = history.time.astype(np.float64)
        wrong = np.flatnonzero(numbers.astype(np.int64) != history.time)
        if len(wrong):
            raise _error(int(wrong[0]), "time", "microseconds are kept only from the year 1685 to 2255")
        timed = _timed(timed, numbers, clock)
    return ValidatedPost(command, ids, own_ids, timed, bodies(timed), stamped, bool(stamped.any()))


def _ids(command: Post, asked: Sequence[Any]) -> tuple[list[str], bool]:
    """Return an id for every match (its own, one made of the key of the post, or a new one); whether any was given."""
    key = command.key
    if not any(id is not None for id in asked) and key is None:
        return [uuid4().hex for _ in asked], False
    ids: dict[str, int] = {}
    for index, own in enumerate(asked):
        made = key and (key if len(asked) == 1 else f"{key}/{index + 1}")
        try:
            id = made or uuid4().hex if own is None else _storable(name_of(own, "an id"), "an id")
        except Error as error:
            raise error.within("id: ", field="id").within(f"match {index + 1}: ", match=index) from None
        if ids.setdefault(id, index) != index:
            raise _error(index, "id", f"{id!r} is the id of another match of this post", id)
    return list(ids), True


def _check_names(history: History) -> None:
    for row, name in enumerate(history.players):
        try:
            _storable(name, "a player's name")
        except Error as error:
            entry = int((history.player == row).argmax())
            match = int(owners(history.match_start)[owners(history.team_start)][entry])
            raise error.within("teams: ", field="teams").within(f"match {match + 1}: ", match=match) from None


def locate_in_post(error: Error, ids: Sequence[str]) -> Error:
    """Return the error of rating a match with the number of that match in its post, if it is one of the post's.

    >>> print(locate_in_post(RatingError(Error("PoissonScore needs scores", match=6), "b"), ["a", "b"]))
    match 2: PoissonScore needs scores
    """
    if not isinstance(error, RatingError) or error.id not in ids:
        return error
    index = list(ids).index(error.id)
    return error.reason.within(f"match {index + 1}: ", match=index)


def _storable(text: str, what: str) -> str:
    """Return a text if any database can keep it in an index."""
    if len(text) > LONGEST or "\0" in text:
        shown = f"{text[:20]!r}…" if len(text) > LONGEST else repr(text)
        raise Error(f"{what} must have at most {LONGEST} letters, and not the character 0: {shown}", value=text)
    return text
