"""Validate posted matches, and record those that come after all other matches of their players.

In the usual case, a post changes only the ratings of its own players. Posts that change other ratings are handled by
`corrections.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from operator import le, lt
from threading import Lock
from typing import Any, TypeVar
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Double, bindparam, case, or_, update

from ...errors import Error
from ...history import History
from ...history.context.columns import Kind
from ...history.names.spelling import name_of
from ...history.ragged import owners
from ...history.times import Times
from ...model.fit.trace import Trace
from ...model.ladder.ladder import Ladder
from .. import aliases, leagues, ratings
from .. import clock as clocks
from ..clock import Clock
from ..db import schema
from ..db.database import RawStatement, lock_league, lock_players
from ..errors import Conflict, RatingError, WriteClash
from ..journal import journal
from ..journal.context import (
    check_limits,
    context_text,
    context_texts,
    contexts_of,
    fit_columns,
    is_same,
    kinds_of,
    without_names,
)
from ..journal.journal import Entry, Position, bodies
from ..leagues import League, Settings, storable
from . import erasure, replay
from .commands import Appended, CommandResult, Post

LONGEST = 500  # characters of a name or an id: databases cannot index longer ones
# Up to this many matches of a league are handed over from the writer to readers between two reads. Measured on a league
# of 5,000 matches: the next read takes 0.3 ms after one post that was handed over, and 1.3 ms after 16 such posts. If
# the reader must read the posts from the journal instead, it takes 1.6 to 1.9 ms.
MAX_PENDING = 16

AnyError = TypeVar("AnyError", bound=Error)


@dataclass(frozen=True, eq=False)
class ValidatedPost:
    """A validated post: matches in chronological order.

    If `untimed`, the matches get the time at which they are recorded.

    `ids` are in posting order. `own_ids` is true if the client chose the ids, so that the matches may have been
    recorded before. `bodies` are the matches in the canonical form of the journal, `contexts` their contexts (empty if
    there are none), and `stamped` marks the matches without a time; all are in the order of the history. `aliases` maps
    the aliases in the post to the players for whom the matches are recorded. `uses` has the id and the alias of each
    match with an alias.
    """

    command: Post
    ids: Sequence[str]
    own_ids: bool
    history: History
    bodies: Sequence[str]
    stamped: NDArray[np.bool_]
    untimed: bool
    clock: Clock
    contexts: Sequence[str | None] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    uses: Sequence[tuple[str, str]] = ()

    @property
    def players(self) -> Sequence[str]:
        """The names of all players."""
        return self.history.players

    @property
    def is_import(self) -> bool:
        """Whether the matches come from a file.

        If the league already has the matches of an import, only their context is updated.
        """
        return isinstance(self.command.matches, History)

    @property
    def times(self) -> list[float]:
        """The time of every match, in the order of the history; 0 if there are no times."""
        times = self.history.time
        return [0.0] * len(self.history) if times is None else times.astype(np.float64).tolist()

    def entries(self, seq: int) -> list[Entry]:
        """Return the journal rows, numbered from `seq` on."""
        contexts = self.contexts or [None] * len(self.bodies)
        columns = zip(self.times, self.history.ids or (), self.stamped.tolist(), self.bodies, contexts, strict=True)
        return [Entry(number, time, id, "post", *rest) for number, (time, id, *rest) in enumerate(columns, seq)]

    def at(self, now: float) -> ValidatedPost:
        """Return the post; if it is untimed, all its matches get the time `now`."""
        if not self.untimed:
            return self
        return replace(self, history=_with_times(self.history, np.full(len(self.history), now), "utc"), untimed=False)

    def without(self, repeated: Mapping[str, Any]) -> ValidatedPost:
        """Return the post without the matches that have these ids."""
        new = np.array([id not in repeated for id in self.history.ids or ()], bool)
        if not repeated or new.all():
            return self
        rows = np.flatnonzero(new).tolist()
        bodies = [self.bodies[row] for row in rows]
        contexts = [self.contexts[row] for row in rows] if self.contexts else ()
        history = self.history.take(new)
        return replace(self, history=history, bodies=bodies, stamped=self.stamped[new], contexts=contexts)


def with_aliases(
    connection: Connection, league: League, post: ValidatedPost, *, waiting: bool = False
) -> ValidatedPost:
    """Replace the aliases in a post by the names of their players.

    Names of anonymised players are replaced by their pseudonyms. If the id of a recorded match was hashed when a player
    was anonymised, the id in the post is replaced by the hash. `waiting` has the same meaning as in `with_pseudonyms`.
    """
    history, ids, erased = erasure.with_pseudonyms(connection, league, post.history, waiting=waiting)
    players = aliases.players_of(connection, league, history.players)
    uses = [((history.ids or ())[match], alias) for match, alias in aliases.given_aliases(history, players)]
    if players:
        history = aliases.rename_players(history, players)
    if history is post.history:
        return post
    changed = bodies(history) if history.players != post.history.players else post.bodies
    given = set(post.players)  # ignore a pseudonym that is an alias of another one: nobody posted it
    named = {alias: player for alias, player in players.items() if alias in given}
    new_ids = [ids.get(id, id) for id in post.ids]
    contexts = [text and without_names(text, erased) for text in post.contexts] if erased else post.contexts
    changes: dict[str, Any] = {"bodies": changed, "contexts": contexts, "aliases": named, "uses": uses}
    return replace(post, ids=new_ids, history=history, **changes)


def validate(command: Post, clock: Clock) -> ValidatedPost:
    """Validate the matches of a post and convert them to the form of the journal."""
    matches = command.matches
    if isinstance(matches, History):
        return _validate_history(command, matches, clock)
    if isinstance(matches, (str, bytes, Mapping)) or not isinstance(matches, Sequence):
        text = f"matches must be a list of mappings, such as [{{'teams': [['ann'], ['bob']]}}], not {matches!r}"
        raise Error(text, field="matches", value=matches)
    history = History.from_matches([_without_time_and_id(match) for match in matches])
    _check_names(history)
    check_limits(history)
    contexts: Sequence[str | None] = ()
    if any(contexts_of(history)):
        # The history was built without an error, so no statistic is in the context, too.
        contexts = [
            context_text({**(match.get("context") or {}), **(match.get("statistics") or {})}) for match in matches
        ]
    ids, own_ids = _choose_ids(command, [match.get("id") for match in matches])
    times = [_parse_time(clock, index, match.get("time")) for index, match in enumerate(matches)]
    stamped = np.array([time is None for time in times], bool)
    history = replace(history, ids=tuple(ids))
    if clock == "none" or (clock == "utc" and stamped.all()):
        stamped = stamped & (clock == "utc")
        return ValidatedPost(command, ids, own_ids, history, bodies(history), stamped, clock == "utc", clock, contexts)
    if clock == "number" and stamped.any():
        raise _in_match(Error.in_field("time", "missing; this league needs a plain number"), int(stamped.argmax()))
    now = clocks.now()
    numbers = np.array([now if time is None else time for time in times], np.float64)
    history = _with_times(history, numbers, clock)
    if (numbers[1:] < numbers[:-1]).any():
        order = np.argsort(numbers, kind="stable")
        history, stamped = history.take(order), stamped[order]
        contexts = [contexts[row] for row in order.tolist()] if contexts else ()
    return ValidatedPost(command, ids, own_ids, history, bodies(history), stamped, False, clock, contexts)


def _validate_history(command: Post, history: History, clock: Clock) -> ValidatedPost:
    _check_names(history)
    check_limits(history)
    ids, own_ids = _choose_ids(command, [id or None for id in history.ids or [None] * len(history)])
    timed = replace(history, ids=tuple(ids), remarks=())
    kind = clocks.clock_of(history)
    stamped = kind == "none" and clock == "utc"
    if kind != clock and not stamped:
        words: dict[Clock, str] = {"none": "no times", "number": "plain numbers as times", "utc": "dates"}
        raise Error.in_field("time", f"the matches have {words[kind]}, but the league has {words[clock]}")
    if kind == "utc" and history.time is not None:
        numbers = history.time.astype(np.float64)
        inexact = np.flatnonzero(numbers.astype(np.int64) != history.time)
        if len(inexact):
            text = "outside the supported years, 1685 to 2255"
            raise _in_match(Error.in_field("time", text), int(inexact[0]))
        timed = _with_times(timed, numbers, clock)
    texts, marks = bodies(timed), np.full(len(history), stamped)
    return ValidatedPost(command, ids, own_ids, timed, texts, marks, stamped, clock, context_texts(timed))


def check_future(post: ValidatedPost, settings: Settings) -> None:
    """Raise `Error` for matches dated more than a day ahead, unless the settings of the league allow them.

    A date in the future is usually mistyped, and a single match at such a date would make all other players inactive.
    """
    if post.clock != "utc" or settings.allow_future or post.untimed or not len(post.history):
        return
    latest = clocks.now() + clocks.DAY
    if _time(post.history, -1) > latest:
        ahead = {id: time for id, time in zip(post.history.ids or (), post.times, strict=True) if time > latest}
        index = next(index for index, id in enumerate(post.ids) if id in ahead)
        time = clocks.show(post.clock, ahead[post.ids[index]])
        text = f"{time} is more than a day ahead; correct it, or allow future matches in the settings of the league"
        raise _in_match(Error.in_field("time", text, value=time), index)


def _without_time_and_id(match: Any) -> Any:
    # A match that is not a mapping is kept as it is, because `History.from_matches` raises the error.
    return {key: match[key] for key in match if key not in ("time", "id")} if isinstance(match, Mapping) else match


def _with_times(history: History, numbers: NDArray[np.float64], clock: Clock) -> History:
    # The times need not be sorted yet.
    stamp = clocks.STAMPS[clock]
    assert stamp is not None
    times = Times.of(numbers, stamp)
    return replace(history, time=times.number, time_kind=times.kind, time_zone=times.zone)


def _in_match(error: AnyError, index: int) -> AnyError:
    return error.within(f"match {index + 1}: ", match=index)


def _parse_time(clock: Clock, index: int, value: Any) -> float | None:
    try:
        return None if value is None else clocks.parse(clock, value)
    except Error as error:
        raise _in_match(error, index) from None


def _choose_ids(command: Post, given: Sequence[Any]) -> tuple[list[str], bool]:
    # An id is the match's own, derived from the key of the post, or random.
    key = command.key
    if key is None and all(id is None for id in given):
        return [uuid4().hex for _ in given], False
    ids: dict[str, int] = {}
    for index, own in enumerate(given):
        derived = key and (key if len(given) == 1 else f"{key}/{index + 1}")
        try:
            id = derived or uuid4().hex if own is None else _check_length(name_of(own, "an id"), "an id")
            if ids.setdefault(id, index) != index:
                raise Error(f"{id!r} is the id of two matches in this request; every match needs its own", value=id)
        except Error as error:
            raise _in_match(error.within("id: ", field="id"), index) from None
    return list(ids), True


def _check_names(history: History) -> None:
    for row, name in enumerate(history.players):
        try:
            _check_length(name, "a player's name")
        except Error as error:
            entry = int((history.player == row).argmax())
            match = int(owners(history.match_start)[owners(history.team_start)][entry])
            raise _in_match(error.within("teams: ", field="teams"), match) from None


def _check_length(text: str, subject: str) -> str:
    if not storable(text, LONGEST):
        shown = f"{text[:20]!r}…" if len(text) > LONGEST else repr(text)
        raise Error(f"{subject} must have at most {LONGEST} characters and no NUL: {shown}", value=text)
    return text


def locate_in_post(error: Error, ids: Sequence[str]) -> Error:
    """Add the match's number in the post to a rating error, if the match is in the post.

    >>> print(locate_in_post(RatingError(Error("PoissonScore needs scores", match=6), "b"), ["a", "b"]))
    match 2: PoissonScore needs scores
    """
    if not isinstance(error, RatingError) or error.id not in ids:
        return error
    return _in_match(error.reason, list(ids).index(error.id))


class PendingTraces:
    """Matches that the writer has rated, with their traces; readers in this process need not rate them again."""

    def __init__(self) -> None:
        self._pending: dict[int, dict[int, Appended]] = {}  # by league and revision
        self._guard = Lock()

    def is_followed(self, league_id: int) -> bool:
        """Return whether to hand over traces: a reader follows the league, and few matches are pending."""
        with self._guard:
            pending = self._pending.get(league_id)
            return pending is not None and sum(len(each.trace.history) for each in pending.values()) < MAX_PENDING

    def add(self, appended: Appended) -> None:
        """Hand over matches to readers, after the matches have been committed."""
        with self._guard:
            if appended.league.id in self._pending:
                self._pending[appended.league.id][appended.revision] = appended

    def take(self, league: League, revision: int) -> list[Appended] | None:
        """Return the matches that the writer appended since a revision; None if there were other changes.

        After this call, the writer hands over the traces of new matches of this league.
        """
        with self._guard:
            pending = self._pending.get(league.id, {})
            self._pending[league.id] = {key: value for key, value in pending.items() if key > league.revision}
        steps = range(revision + 1, league.revision + 1)
        return [pending[step] for step in steps] if all(step in pending for step in steps) else None


class OutOfOrder(Exception):
    """Raised for a post that changes recorded matches: they must be rated again, or an import updates their context.

    It is also raised if the league must be rated again first, because another engine version derived its ratings.
    """


@dataclass
class _Batch:
    """Posts to a league that share a commit, and their results; `traced` is true if a reader needs their traces."""

    connection: Connection
    league: League
    ladder: Ladder
    last_time: float | None
    recorded: dict[str, Entry]  # as they were first posted
    several: bool
    traced: bool
    context_kinds: Mapping[str, Kind]
    new: dict[int, ValidatedPost] = field(default_factory=dict)  # matches to write, by the index of their post
    traces: dict[int, Trace] = field(default_factory=dict)
    results: dict[int, CommandResult | Exception] = field(default_factory=dict)


def append_posts(
    connection: Connection, name: str, posts: Sequence[ValidatedPost], pending: PendingTraces | None = None
) -> list[CommandResult | Exception]:
    """Record posts to a league, each one completely or not at all; return the result or the error of each post.

    The error of an out-of-order post is `OutOfOrder`. If a reader follows the league (see `pending`), results also have
    the traces of the new matches.
    """
    rejected: dict[int, Error] = {}
    try:
        league = leagues.find(connection, name)
        if league.erased or league.alias_revision:
            posts, rejected = _all_with_aliases(connection, league, posts)
        players = list(dict.fromkeys(player for post in posts for player in post.players))
        league = _lock(connection, league, players)
        league.check_writable()
    except Error as error:  # the league was renamed, archived or deleted; posts to other leagues are still recorded
        return [error] * len(posts)
    if league.outdated:
        return [OutOfOrder()] * len(posts)
    if any(post.clock != league.clock for post in posts):
        raise WriteClash(f"another league has taken the name {name}")
    traced = pending is not None and pending.is_followed(league.id)
    batch = _begin(connection, league, posts, players, traced)
    for number, post in enumerate(posts):
        try:
            if number in rejected:
                raise rejected[number]
            batch.results[number] = _rate(batch, number, post)
        except Error as error:
            batch.results[number] = locate_in_post(error, post.ids)
        except OutOfOrder as late:
            batch.results[number] = late
    if batch.new:
        _write(batch)
    return list(batch.results.values())


def _all_with_aliases(
    connection: Connection, league: League, posts: Sequence[ValidatedPost]
) -> tuple[list[ValidatedPost], dict[int, Error]]:
    """Apply `with_aliases` to all posts; return the posts, and the errors of those that failed, by index."""
    changed, rejected = list(posts), {}
    for number, post in enumerate(posts):
        try:
            changed[number] = with_aliases(connection, league, post, waiting=True)
        except Error as error:
            rejected[number] = error
    return changed, rejected


def preview_post(connection: Connection, name: str, post: ValidatedPost) -> CommandResult | None:
    """Return the result of recording a post, without writing; None if the post is out of order."""
    league = leagues.find(connection, name)
    league.check_writable()
    post = with_aliases(connection, league, post)
    batch = _begin(connection, league, [post], post.players, False)
    try:
        return _rate(batch, 0, post)
    except Error as error:
        raise locate_in_post(error, post.ids) from None
    except OutOfOrder:
        return None


def _begin(
    connection: Connection, league: League, posts: Sequence[ValidatedPost], players: Sequence[str], traced: bool
) -> _Batch:
    ladder = ratings.load_players(connection, league, players)
    recorded = journal.first_posts(connection, league, [id for post in posts if post.own_ids for id in post.ids])
    kinds = league.context_kinds
    return _Batch(connection, league, ladder, league.last_time, recorded, len(posts) > 1, traced, kinds)


def _lock(connection: Connection, league: League, players: Sequence[str]) -> League:
    # The league may have changed before the players were locked, so it is read again.
    if connection.dialect.name != "postgresql":
        return league
    if league.serial:
        lock_league(connection, league.id)
    else:
        lock_players(connection, league.id, players)
    locked = leagues.find(connection, league.name)
    names = (league.erased, league.alias_revision)
    if (locked.erased, locked.alias_revision) != names or (locked.serial and not league.serial):
        raise WriteClash(f"{league.name} was changed in the meantime")
    return locked


def _rate(batch: _Batch, number: int, post: ValidatedPost) -> CommandResult:
    post, kinds = fit_context(batch.connection, batch.league, post, batch.context_kinds)
    recorded = find_repeated(batch.connection, batch.league, post, batch.recorded)
    if context_edits(batch.connection, batch.league, post, recorded):
        raise OutOfOrder
    new = post.without(recorded).at(clocks.now())
    before = after = batch.ladder
    if len(new.history):
        check_future(new, batch.league.settings)
        if is_late(batch.ladder, batch.league, batch.last_time, new.history):
            raise OutOfOrder
        after = before.copy()
        if batch.traced:
            batch.traces[number] = ratings.learn_with_trace(after, new.history)
        else:
            ratings.learn(after, new.history)
        batch.ladder, batch.context_kinds = after, kinds
        batch.new[number] = new
        if post.own_ids and batch.several:
            batch.recorded |= {entry.id: entry for entry in new.entries(0)}
        batch.last_time = max(-inf if batch.last_time is None else batch.last_time, _time(new.history, -1))
    players = [name for name in post.players if name in after.rows]
    new_times = dict(zip(new.history.ids or (), new.times, strict=True))
    times = [new_times[id] if id in new_times else recorded[id].time for id in post.ids]
    repeated = [id in recorded for id in post.ids]
    league = batch.league
    result = CommandResult(league.name, league.revision, post.ids, times, repeated, players, players, before, after)
    result = replace(result, aliases=post.aliases) if post.aliases else result
    return replace(result, replaying=True) if league.replaying else result


def find_repeated(
    connection: Connection, league: League, post: ValidatedPost, recorded: Mapping[str, Entry]
) -> dict[str, Entry]:
    """Return the matches of a post that were recorded before; raises `Conflict` for a different match with the same id.

    `recorded` has matches as they were first posted; since then, players may have been renamed. A posted match that
    equals the corrected version of a recorded match counts as repeated, too.
    """
    repeated = {}
    ids = post.history.ids if post.own_ids and recorded else None
    for row, id in enumerate(ids or ()):
        entry = recorded.get(id)
        if entry is None:
            continue
        if not _is_same(post, row, entry):
            first = _with_current_names(connection, league, entry)
            entry = journal.find(connection, league, id) or entry
            if not _is_same(post, row, entry) and not _is_same(post, row, first):
                error = Conflict.in_field("id", f"another match has the id {id!r}; edit that match instead", value=id)
                raise _in_match(error, list(post.ids).index(id))
        repeated[id] = entry
    return repeated


def _with_current_names(connection: Connection, league: League, entry: Entry) -> Entry:
    players = aliases.players_of(connection, league, list(journal.players_in(entry)))
    return entry._replace(body=journal.rename_in(entry.body, players)) if players and entry.body else entry


def _is_same(post: ValidatedPost, row: int, entry: Entry) -> bool:
    same_time = entry.stamped if post.stamped[row] else _time(post.history, row) == entry.time
    return same_time and entry.body == post.bodies[row] and (post.is_import or _has_context(post, row, entry))


def _has_context(post: ValidatedPost, row: int, entry: Entry) -> bool:
    return is_same(post.contexts[row] if post.contexts else None, entry.context)


def fit_context(
    connection: Connection,
    league: League,
    post: ValidatedPost,
    kinds: Mapping[str, Kind],
    seq: int | None = None,
) -> tuple[ValidatedPost, Mapping[str, Kind]]:
    """Check that the context of a post fits the context columns of its league; return the post and all columns.

    `kinds` are the columns before the post, the returned columns are those after it, and `seq` is the number of the
    match that the post replaces, if any. A column may change its kind if no other match has a value in it.
    """
    if not post.contexts:
        return post, kinds
    unused = [
        name
        for name, kind in kinds_of(post.history).items()
        if kinds.get(name, kind) != kind and not journal.has_context_column(connection, league, name, seq)
    ]
    known = {name: kind for name, kind in kinds.items() if name not in unused}
    history, after = fit_columns(post.history, known, convert=post.is_import)
    if history is not post.history:
        post = replace(post, history=history, contexts=context_texts(history))
    return post, after


def context_edits(
    connection: Connection, league: League, post: ValidatedPost, recorded: Mapping[str, Entry]
) -> list[Entry]:
    """Return the edits by which an import updates the context of already recorded matches.

    An import without context changes no context. A match whose teams or result were corrected, so that they differ from
    the file, keeps its context, too.
    """
    if not post.is_import or not post.contexts or not recorded:
        return []
    rows = zip(post.history.ids or (), post.bodies, post.contexts, strict=True)
    changed = {
        recorded[id].seq: (body, context)
        for id, body, context in rows
        if id in recorded and not is_same(context, recorded[id].context)
    }
    edits = []
    for entry in journal.current_entries(connection, league, list(changed)):
        body, context = changed[entry.seq]
        if entry.body == body and not is_same(context, entry.context):
            edits.append(entry._replace(kind="edit", context=context))
    return edits


def _time(history: History, row: int) -> float:
    return 0.0 if history.time is None else float(history.time[row])


def is_late(
    ladder: Ladder, league: League, last_time: float | None, history: History, *, before_ties: bool = False
) -> bool:
    """Return whether a history is late: one of its players has a later match, which must be rated again.

    `ladder` has the ratings after all matches rated so far, and `last_time` is the time of the last rated match. With
    `before_ties`, the history comes before the rated matches at the same time, not after them.
    """
    if history.time is None:
        return False
    first, is_before = float(history.time[0]), le if before_ties else lt
    if league.season_start is not None and first < league.season_start:
        return True
    if league.serial:
        return last_time is not None and is_before(first, last_time)
    rows, column = ladder.rows, ladder.layout.last_seen
    last = [ladder.state[rows[name], column] if name in rows else np.nan for name in history.players]
    if len(history) == 1:
        return any(is_before(first, time) for time in last)
    time = history.time[owners(history.match_start)[owners(history.team_start)]]
    return bool(is_before(time, np.array(last)[history.player]).any())


def _write(batch: _Batch) -> None:
    connection, league = batch.connection, batch.league
    matches = sum(len(post.history) for post in batch.new.values())
    # This call locks the row of the league and blocks other posts to the league, so all matches are already rated.
    revision, seq = advance_counters(connection, league, len(batch.new), matches, batch.last_time)
    touched: dict[str, int] = {}
    since = Position(inf, 0)
    for number, result in batch.results.items():
        if not isinstance(result, CommandResult):
            continue
        appended, post = None, batch.new.get(number)
        if post is not None:
            revision += 1
            if number in batch.traces and result.after is not None:
                appended = Appended(league, revision, seq + 1, batch.traces[number], result.after)
            entries = post.entries(seq + 1)
            seq += len(entries)
            since = min(since, entries[0].position)
            journal.append(connection, league, entries, revision, post.command.author, post.command.reason)
            if post.uses:
                seqs = {entry.id: entry.seq for entry in entries}
                aliases.add_uses(connection, league, [(seqs[id], alias) for id, alias in post.uses if id in seqs])
            touched |= dict.fromkeys((name for name in post.players if name in batch.ladder.rows), revision)
        # A post that only repeats matches of the batch gets the revision of the last post written.
        batch.results[number] = replace(result, revision=revision, appended=appended)
    ratings.save(connection, league, batch.ladder, touched)
    leagues.set_context_kinds(connection, league, batch.context_kinds)
    if league.last_time is not None and since.time < league.last_time:
        replay.drop_checkpoints(connection, league, since)  # later checkpoints lack the new match


_LEAGUE = schema.league.c
_LATEST = bindparam("latest", type_=Double)
_ADVANCE = RawStatement(
    update(schema.league)
    .where(_LEAGUE.id == bindparam("league"))
    .values(
        revision=_LEAGUE.revision + bindparam("changes"),
        posted=_LEAGUE.posted + bindparam("matches"),
        last_time=case(
            (or_(_LEAGUE.last_time.is_(None), _LEAGUE.last_time < _LATEST), _LATEST), else_=_LEAGUE.last_time
        ),
    )
    .returning(_LEAGUE.revision, _LEAGUE.posted)
)


def advance_counters(
    connection: Connection, league: League, changes: int, matches: int, latest: float | None
) -> tuple[int, int]:
    """Increase a league's counters of changes and matches, and update its latest time; return the old counters."""
    [(revision, posted)] = _ADVANCE(connection, league=league.id, changes=changes, matches=matches, latest=latest)
    return revision - changes, posted - matches
