"""Matches made ready for the journal: checked, with ids, on the clock of their league, in its order."""

from __future__ import annotations

import re
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
from ..journal.match_json import bodies
from .commands import Post

__all__ = ["LONGEST", "Prepared", "in_post", "prepare"]

LONGEST = 500  # letters of a name or an id: more fit into no index
_FITTED = re.compile(r"match \d+ of \d+ \(")
APART = ("time", "id")  # what the journal keeps beside the body of a match


@dataclass(frozen=True, eq=False)
class Prepared:
    """Matches in the order of time, which the service has yet to give to those that came without (`unstamped`).

    `ids` are in the order in which they were posted; `given` says whether whoever posted them chose them, so that they
    may be there already. `bodies` are the matches as the journal writes them, `stamped` are those that
    had no time: both as in the history.
    """

    act: Post
    ids: Sequence[str]
    given: bool
    history: History
    bodies: Sequence[str]
    stamped: NDArray[np.bool_]
    unstamped: bool

    @property
    def players(self) -> Sequence[str]:
        """Who played."""
        return self.history.players

    def at(self, now: float) -> Prepared:
        """The same with a time for all matches, if they came without."""
        if not self.unstamped:
            return self
        times = np.full(len(self.history), now)
        return replace(self, history=_timed(self.history, times, "utc"), unstamped=False)

    def without(self, repeated: Mapping[str, Any]) -> Prepared:
        """The matches whose ids are not among some."""
        if not repeated:
            return self
        assert self.history.ids is not None
        new = np.array([one not in repeated for one in self.history.ids], bool)
        if new.all():
            return self
        kept = [self.bodies[row] for row in np.flatnonzero(new).tolist()]
        return replace(self, history=self.history.take(new), bodies=kept, stamped=self.stamped[new])


def prepare(act: Post, clock: Clock) -> Prepared:
    """Check matches and bring them into the form of the journal."""
    if isinstance(act.matches, History):
        return _from_history(act, act.matches, clock)
    if isinstance(act.matches, (str, bytes, Mapping)) or not isinstance(act.matches, Sequence):
        raise Error(
            f"matches must be a list of mappings, such as [{{'teams': [['ann'], ['bob']]}}], not {act.matches!r}"
        )
    plain = [_without(one) for one in act.matches]
    history = History.from_matches(plain)
    _check_names(history)
    ids, given = _ids(act, [one.get("id") for one in act.matches])
    times = [_time(clock, number, one.get("time")) for number, one in enumerate(act.matches, 1)]
    stamped = np.array([time is None for time in times], bool)
    history = replace(history, ids=tuple(ids))
    if clock == "none" or (clock == "utc" and stamped.all()):
        return Prepared(act, ids, given, history, bodies(history), stamped & (clock == "utc"), clock == "utc")
    if clock == "number" and stamped.any():
        missing = int(stamped.argmax())
        no_time = Error.in_field("time", "the times of this league are numbers: give one")
        raise no_time.within(f"match {missing + 1}: ", match=missing)
    now = clocks.now()
    numbers = np.array([now if time is None else time for time in times], np.float64)
    order = np.argsort(numbers, kind="stable")
    history = _timed(history, numbers, clock).take(order)
    return Prepared(act, ids, given, history, bodies(history), stamped[order], False)


def _without(match: Any) -> Any:
    """A match without what is kept beside it; what is no mapping is told by the history."""
    return {key: value for key, value in match.items() if key not in APART} if isinstance(match, Mapping) else match


def _timed(history: History, numbers: NDArray[np.float64], clock: Clock) -> History:
    """A history with times, which need not be in order yet."""
    stamp = clocks.stamp(clock)
    assert stamp is not None
    times = Times.of(numbers, stamp)
    return replace(history, time=times.number, time_kind=times.kind, time_zone=times.zone)


def _time(clock: Clock, number: int, value: Any) -> float | None:
    if value is None:
        return None
    try:
        return clocks.read(clock, value)
    except Error as error:
        raise error.within(f"match {number}: ", match=number - 1) from None


def _from_history(act: Post, history: History, clock: Clock) -> Prepared:
    """A history that was read elsewhere."""
    _check_names(history)
    own = history.ids or ()
    ids, given = _ids(act, [one or None for one in own] if own else [None] * len(history))
    found = replace(history, ids=tuple(ids), remarks=())
    kind = clocks.clock_of(history)
    if kind != clock and not (kind == "none" and clock == "utc"):
        says: dict[Clock, str] = {"none": "no times", "number": "plain numbers as times", "utc": "dates"}
        raise Error(f"time: the matches have {says[kind]}, and those of the league {says[clock]}")
    stamped = np.full(len(history), kind == "none" and clock == "utc")
    if kind == "utc" and history.time is not None:
        numbers = history.time.astype(np.float64)
        wrong = np.flatnonzero(numbers.astype(np.int64) != history.time)
        if len(wrong):
            raise Error(f"match {wrong[0] + 1}: time: microseconds are kept only from the year 1685 to 2255")
        found = _timed(found, numbers, clock)
    return Prepared(act, ids, given, found, bodies(found), stamped, bool(stamped.any()))


def _ids(act: Post, asked: Sequence[Any]) -> tuple[list[str], bool]:
    """An id for every match: its own, or made of the key of the post, or a new one."""
    if not any(one is not None for one in asked) and act.key is None:
        return [uuid4().hex for _ in asked], False
    ids = []
    for number, one in enumerate(asked, 1):
        made = act.key and (act.key if len(asked) == 1 else f"{act.key}/{number}")
        try:
            ids.append(_kept(name_of(one, "an id"), "an id") if one is not None else made or uuid4().hex)
        except Error as error:
            raise Error(f"match {number}: id: {error}") from None
    if len(set(ids)) < len(ids):
        seen: set[str] = set()
        number = next(number for number, one in enumerate(ids, 1) if one in seen or seen.add(one))  # type: ignore[func-returns-value]
        raise Error(f"match {number}: id: {ids[number - 1]!r} is the id of another match of this post")
    return ids, True


def _check_names(history: History) -> None:
    for row, name in enumerate(history.players):
        try:
            _kept(name, "a player's name")
        except Error as error:
            match = int(owners(history.match_start)[owners(history.team_start)][int((history.player == row).argmax())])
            raise error.within("teams: ", field="teams", value=name).within(
                f"match {match + 1}: ", match=match
            ) from None


def in_post(error: Error, ids: Sequence[str]) -> Error:
    """An error of a fit, which counts the matches in the order of time, by the number of the match in its post.

    >>> print(in_post(Error("match 7 of 9 (b): PoissonScore needs scores"), ["a", "b"]))
    match 2: PoissonScore needs scores
    """
    text = str(error)
    if fitted := _FITTED.match(text):
        for number, one in enumerate(ids, 1):
            if text.startswith(f"{one}): ", fitted.end()):
                return Error(f"match {number}: {text[fitted.end() + len(one) + 3 :]}")
    return error


def _kept(text: str, what: str) -> str:
    """Text that any database can keep in an index."""
    if len(text) > LONGEST or "\0" in text:
        shown = f"{text[:20]!r}…" if len(text) > LONGEST else repr(text)
        raise Error(f"{what} must have at most {LONGEST} letters, and not the character 0: {shown}")
    return text
