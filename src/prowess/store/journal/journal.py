"""The journal: every revision of every match, in league order (by time, then in the order of posting).

Matches are stored as JSON in one canonical form (`bodies`), and read back as a history (`JournalRows.history`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, repeat
from json.encoder import encode_basestring as quoted
from math import inf
from time import time
from typing import Any, NamedTuple

import numpy as np
import sqlalchemy as sa
from numpy.typing import ArrayLike, NDArray
from sqlalchemy import Connection, RowMapping, bindparam, func, literal_column, select

from ...errors import Error, Remark
from ...history.build_history import build
from ...history.builders import from_matches
from ...history.columns.raw_matches import RawMatches
from ...history.history import History
from ...history.ragged import Ints, places, starts
from ...history.times import Times, show_time
from ...history.writers import json_line
from ..clock import STAMPS, Clock, show
from ..db import schema
from ..db.database import InList, RawStatement, write_many
from ..errors import NotFound
from ..leagues import League, storable
from .context import read_contexts
from .scanner import ScannedMatches, scan

EXACT = 2.0**53  # below this, every whole float converts to its integer exactly
BLOCK = 1 << 18  # texts scanned at a time
REMARKS = (Remark("journal", ("the journal of a league",)),)

_JOURNAL = schema.journal.c


class Position(NamedTuple):
    """A position in league order: by time, then by the number under which the match was first posted."""

    time: float
    seq: int


START, END = Position(-inf, 0), Position(inf, 0)


class Entry(NamedTuple):
    """A match as recorded in the journal; a deleted match has no body.

    `stamped` is true if the service set the time.
    """

    seq: int
    time: float
    id: str
    kind: str
    stamped: bool
    body: str | None
    context: str | None = None

    @property
    def position(self) -> Position:
        """The position of the match in league order."""
        return Position(self.time, self.seq)


_REVISION = bindparam("revision", type_=sa.BigInteger)
_OF_LEAGUE = _JOURNAL.league_id == bindparam("league")
_POSTED = _JOURNAL.kind == literal_column("'post'")
_NOW = _JOURNAL.until.is_(None)
_ENTRIES = select(*(_JOURNAL[name] for name in Entry._fields))
_ROW = (_JOURNAL.seq, _JOURNAL.time, _JOURNAL.id, _JOURNAL.body)
_MATCHES = select(*_ROW).where(_OF_LEAGUE, _JOURNAL.body.is_not(None))
_WITH_CONTEXT = _MATCHES.with_only_columns(*_ROW, _JOURNAL.context)
_CURRENT = RawStatement(_MATCHES.where(_NOW))
_CURRENT_WITH_CONTEXT = RawStatement(_WITH_CONTEXT.where(_NOW))
# Compare pairs (time, seq), because SQLite can use an index for that. With `time > a OR (time = a AND seq > b)`, SQLite
# searched by time alone, and so scanned all matches of a league without times: finding the last 5,000 of 200,000
# matches took 105 ms instead of 3 ms.
_AFTER = _MATCHES.where(
    _NOW,
    sa.tuple_(_JOURNAL.time, _JOURNAL.seq)
    > sa.tuple_(bindparam("time", type_=sa.Double), bindparam("seq", type_=sa.BigInteger)),
)
_CURRENT_AFTER = RawStatement(_AFTER)
_CURRENT_AFTER_WITH_CONTEXT = RawStatement(_AFTER.with_only_columns(*_ROW, _JOURNAL.context))
_COUNT_AFTER = RawStatement(_AFTER.with_only_columns(func.count()))
_LIMITED = (
    _AFTER.order_by(_JOURNAL.time, _JOURNAL.seq)
    .limit(bindparam("limit", type_=sa.Integer))
    .offset(bindparam("offset", type_=sa.Integer))
)
_NEXT = RawStatement(_LIMITED.where(_JOURNAL.revision <= _REVISION), index="journal_order")
_NEXT_WITH_CONTEXT = RawStatement(
    _LIMITED.with_only_columns(*_ROW, _JOURNAL.context).where(_JOURNAL.revision <= _REVISION), index="journal_order"
)
_FURTHER = RawStatement(_LIMITED.with_only_columns(_JOURNAL.seq), index="journal_order")
_RECENT = (_NOW, _JOURNAL.revision > _REVISION)
_RECORDED_SINCE = RawStatement(_MATCHES.where(*_RECENT), index="journal_revision")
_RECORDED_SINCE_WITH_CONTEXT = RawStatement(_WITH_CONTEXT.where(*_RECENT), index="journal_revision")
_THEN = (_JOURNAL.revision <= _REVISION, sa.or_(_NOW, _JOURNAL.until > _REVISION))
_AS_OF = RawStatement(_MATCHES.where(*_THEN))
_AS_OF_WITH_CONTEXT = RawStatement(_WITH_CONTEXT.where(*_THEN))
_FIRST_POSTS = RawStatement(
    _ENTRIES.where(_OF_LEAGUE, _POSTED, InList(_JOURNAL.id, "ids")),
    index="journal_post",  # without this hint, SQLite reads the whole league to find a dozen ids
)
_BY_SEQ = RawStatement(
    _ENTRIES.where(
        _OF_LEAGUE, _NOW, _JOURNAL.body.is_not(None), _JOURNAL.revision > _REVISION, InList(_JOURNAL.seq, "seqs")
    )
)
_SUPERSEDE = RawStatement(
    sa.update(schema.journal)
    .where(_OF_LEAGUE, _NOW, InList(_JOURNAL.seq, "seqs"))
    .values(until=bindparam("superseded", type_=sa.BigInteger))
)
_SINCE = (_OF_LEAGUE, _JOURNAL.revision > _REVISION)
_EARLIEST_CHANGE = RawStatement(select(func.min(_JOURNAL.time)).where(*_SINCE), index="journal_revision")
_CORRECTED = RawStatement(select(_JOURNAL.seq).where(*_SINCE, sa.not_(_POSTED)), index="journal_revision")
_EARLIEST_BEFORE = RawStatement(
    select(func.min(_JOURNAL.time)).where(_OF_LEAGUE, InList(_JOURNAL.seq, "seqs"), _JOURNAL.until > _REVISION)
)


@dataclass(frozen=True, eq=False)
class JournalRows:
    """Matches of a league as columns, in any order; `contexts` is empty if the context was not read."""

    seq: NDArray[np.int64]
    time: NDArray[np.float64]
    ids: Sequence[str]
    bodies: Sequence[str]
    contexts: Sequence[str | None] = ()

    @classmethod
    def of(cls, rows: Sequence[Sequence[Any]]) -> JournalRows:
        """Make columns from rows of the form (seq, time, id, body) or (seq, time, id, body, context)."""
        seq, time, ids, bodies, *contexts = zip(*rows, strict=True) if rows else ((), (), (), ())
        return cls(np.array(seq, np.int64), np.array(time, np.float64), ids, bodies, *contexts)

    @classmethod
    def of_entries(cls, entries: Iterable[Entry]) -> JournalRows:
        """Make columns from journal entries; deleted matches are left out."""
        kept = [entry for entry in entries if entry.body is not None]
        return cls.of([(entry.seq, entry.time, entry.id, entry.body, entry.context) for entry in kept])

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """The indices that sort the rows in league order."""
        return np.lexsort((self.seq, self.time))

    def position(self, index: int) -> Position:
        """Return the position of a match, given by its index in league order."""
        row = self.order[index]
        return Position(float(self.time[row]), int(self.seq[row]))

    def history(self, league: League) -> History:
        """Return the matches as a history, in league order, with their context if it was read."""
        return history_of(self.seq, self.time, self.ids, self.bodies, league.clock, self.contexts)

    def json_lines(self, league: League) -> list[str]:
        """Return the matches as lines of JSON, in the form that `from_matches` accepts and in the order of the rows."""
        if scan(list(self.bodies)) is None:  # a body that is not canonical may span several lines
            return list(map(json_line, self.history(league)))
        moments: Iterable[str] = repeat("")
        if league.clock == "utc":
            moments = [f',"time":"{show("utc", moment)}"' for moment in self.time.tolist()]
        elif league.clock == "number":
            moments = [f',"time":{moment!r}' for moment in self.time.tolist()]
        contexts: Iterable[str] = repeat("")
        if any(self.contexts):
            contexts = [f',"context":{text}' if text else "" for text in self.contexts]
        rows = zip(self.bodies, moments, self.ids, contexts, strict=False)
        return [f'{body[:-1]}{moment},"id":{quoted(id)}{context}}}\n' for body, moment, id, context in rows]

    def until(self, time: float) -> JournalRows:
        """Return the matches up to a time."""
        return self._take(self.time <= time)

    def changed(self, removed: Sequence[int], added: Iterable[Entry]) -> JournalRows:
        """Return the rows without the matches numbered in `removed`, and with the `added` matches.

        Added matches may reuse the numbers of removed matches. The result has contexts if they were read.
        """
        kept = self._take(~np.isin(self.seq, removed)) if removed else self
        new = JournalRows.of_entries(added)
        seq, time = np.concatenate([kept.seq, new.seq]), np.concatenate([kept.time, new.time])
        contexts = [*kept.contexts, *new.contexts] if kept.contexts or not kept.ids else ()
        return JournalRows(seq, time, [*kept.ids, *new.ids], [*kept.bodies, *new.bodies], contexts)

    def _take(self, chosen: NDArray[np.bool_]) -> JournalRows:
        rows = np.flatnonzero(chosen).tolist()
        ids, bodies = ([texts[row] for row in rows] for texts in (self.ids, self.bodies))
        contexts = [self.contexts[row] for row in rows] if self.contexts else ()
        return JournalRows(self.seq[rows], self.time[rows], ids, bodies, contexts)


# Unless the model has facets or statistics, ratings do not depend on the context, so it is not read to rate matches.


def all_rows(connection: Connection, league: League) -> JournalRows:
    """Return the matches of a league as they are now, with their context."""
    return JournalRows.of(_CURRENT_WITH_CONTEXT(connection, league=league.id))


def current_rows(connection: Connection, league: League, after: Position = START) -> JournalRows:
    """Return the current matches of a league after a position (by default, all), with the context if ratings need it.

    The model of `league` decides whether they do; so it is in all functions that return rows to be rated.
    """
    if after == START:
        statement = _CURRENT_WITH_CONTEXT if league.uses_context else _CURRENT
        return JournalRows.of(statement(connection, league=league.id))
    statement = _CURRENT_AFTER_WITH_CONTEXT if league.uses_context else _CURRENT_AFTER
    return JournalRows.of(statement(connection, league=league.id, time=after.time, seq=after.seq))


def next_rows(
    connection: Connection, league: League, after: Position, revision: int, limit: int, *, context: bool = False
) -> JournalRows:
    """Return the first `limit` matches after a position, among those that were recorded up to a revision.

    With `context`, the matches are read with their context, even if ratings do not need it.
    """
    values = {"league": league.id, "time": after.time, "seq": after.seq, "revision": revision}
    statement = _NEXT_WITH_CONTEXT if context or league.uses_context else _NEXT
    return JournalRows.of(statement(connection, **values, limit=limit, offset=0))


def rows_since(connection: Connection, league: League, revision: int) -> JournalRows:
    """Return the matches that were recorded since a revision, as they are now, with the context if ratings need it."""
    statement = _RECORDED_SINCE_WITH_CONTEXT if league.uses_context else _RECORDED_SINCE
    return JournalRows.of(statement(connection, league=league.id, revision=revision))


def chunks(connection: Connection, league: League, limit: int) -> Iterator[JournalRows]:
    """Yield the matches of a league up to the revision `league.revision`, in league order, `limit` at a time.

    The matches are read with their context.
    """
    rows = next_rows(connection, league, START, league.revision, limit, context=True)
    while rows.ids:
        yield rows
        last = Position(float(rows.time[-1]), int(rows.seq[-1]))
        rows = next_rows(connection, league, last, league.revision, limit, context=True)


def count(connection: Connection, league: League, after: Position) -> int:
    """Count the current matches of a league after a position."""
    [(matches,)] = _COUNT_AFTER(connection, league=league.id, time=after.time, seq=after.seq)
    return int(matches)


def has_more(connection: Connection, league: League, after: Position, matches: int) -> bool:
    """Return whether a league has more than `matches` matches after a position, without counting all of them."""
    values = {"league": league.id, "time": after.time, "seq": after.seq}
    return bool(_FURTHER(connection, **values, limit=1, offset=matches))


def rows_as_of(connection: Connection, league: League, revision: int) -> JournalRows:
    """Return the matches of a league as they were at a revision, with the context if ratings need it."""
    statement = _AS_OF_WITH_CONTEXT if league.uses_context else _AS_OF
    return JournalRows.of(statement(connection, league=league.id, revision=revision))


def history(connection: Connection, league: League, revision: int | None = None) -> History:
    """Return the matches of a league as a history in league order, now or as they were at a revision."""
    if revision is None:
        return all_rows(connection, league).history(league)
    return JournalRows.of(_AS_OF_WITH_CONTEXT(connection, league=league.id, revision=revision)).history(league)


def first_posts(connection: Connection, league: League, ids: Sequence[str]) -> dict[str, Entry]:
    """Return the matches with these ids as they were first posted; unknown ids are skipped."""
    rows = _FIRST_POSTS(connection, league=league.id, ids=list(ids)) if ids else []
    return {entry.id: entry for entry in (Entry(*row) for row in rows)}


def get(connection: Connection, league: League, id: str) -> Entry:
    """Return the current version of the match with an id, or raise `NotFound`."""
    entry = find(connection, league, id)
    if entry is None:
        raise NotFound(f"{league.name} has no match with id {id!r}", field="id", value=id)
    return entry


def find(connection: Connection, league: League, id: str) -> Entry | None:
    """Return the current version of the match with an id; None if there never was such a match."""
    if not storable(id, len(id)):  # PostgreSQL rejects a parameter that holds NUL
        return None
    first = first_posts(connection, league, [id]).get(id)
    if first is None:
        return None
    query = _ENTRIES.where(_JOURNAL.league_id == league.id, _JOURNAL.seq == first.seq, _NOW)
    return Entry(*connection.execute(query).one())


def has_context_column(connection: Connection, league: League, name: str, without: int | None = None) -> bool:
    """Return whether any current match of a league, except match number `without`, has a value in a context column."""
    position = func.instr if connection.dialect.name == "sqlite" else func.strpos
    has_column = position(_JOURNAL.context, f"{quoted(name)}:") > 0
    query = select(_JOURNAL.seq).where(_JOURNAL.league_id == league.id, _NOW, has_column)
    if without is not None:
        query = query.where(_JOURNAL.seq != without)
    return connection.execute(query.limit(1)).first() is not None


def changes_since(connection: Connection, league: League, revision: int) -> list[Entry]:
    """Return the matches that were posted, edited or deleted since a revision, as they are now."""
    query = _ENTRIES.where(_JOURNAL.league_id == league.id, _JOURNAL.revision > revision, _NOW)
    return [Entry(*row) for row in connection.execute(query)]


def rows_containing(
    connection: Connection, league: League, column: sa.ColumnElement[Any], text: str, *columns: Any
) -> sa.Select[Any]:
    """Return a query for the rows of a league in which a column contains a text; unlike with LIKE, case matters."""
    position = func.instr if connection.dialect.name == "sqlite" else func.strpos
    return select(*columns).where(_JOURNAL.league_id == league.id, position(column, text) > 0)


def entries_with(connection: Connection, league: League, player: str, since: int = 0) -> list[Entry]:
    """Return the current matches of a player, or only those recorded or changed since a revision."""
    columns = [_JOURNAL[name] for name in Entry._fields]
    query = rows_containing(connection, league, _JOURNAL.body, quoted(player), *columns).where(_NOW)
    query = query.where(_JOURNAL.revision > since) if since else query
    entries = [Entry(*row) for row in connection.execute(query)]
    return [entry for entry in entries if player in players_in(entry)]


def has_changed(connection: Connection, league: League, player: str, since: int) -> bool:
    """Return whether matches of a player were posted, edited or deleted since a revision."""
    query = rows_containing(connection, league, _JOURNAL.body, quoted(player), _JOURNAL.body)
    query = query.where(sa.or_(_JOURNAL.revision > since, _JOURNAL.until > since))
    return any(player in _names_in(body) for body in connection.execute(query).scalars())


def current_entries(connection: Connection, league: League, seqs: Sequence[int], since: int = 0) -> list[Entry]:
    """Return the current versions of matches, given by number.

    Deleted matches, and matches that have not changed after revision `since`, are left out.
    """
    rows = _BY_SEQ(connection, league=league.id, seqs=list(seqs), revision=since) if seqs else []
    return [Entry(*row) for row in rows]


def players_in(entry: Entry) -> set[str]:
    """Return the names of the players in a match."""
    return set() if entry.body is None else _names_in(entry.body)


def _names_in(body: str) -> set[str]:
    return {name for team in json.loads(body)["teams"] for name in team}


def rename_in(body: str, names: Mapping[str, str]) -> str:
    """Replace names of players in the JSON of a match, and keep its canonical form.

    >>> rename_in('{"teams":[["Jeevo"],["ann"]],"scores":[2,1.5]}', {"Jeevo": "Deevo"})
    '{"teams":[["Deevo"],["ann"]],"scores":[2,1.5]}'
    """
    match = json.loads(body)
    match["teams"] = [[names.get(player, player) for player in team] for team in match["teams"]]
    return json.dumps(match, ensure_ascii=False, separators=(",", ":"))


def last_posted(connection: Connection, league: League, revision: int) -> int:
    """Return the number of the last match posted up to a revision; 0 if there was none."""
    query = select(_JOURNAL.seq).where(_JOURNAL.league_id == league.id, _JOURNAL.revision <= revision, _POSTED)
    return connection.execute(query.order_by(_JOURNAL.revision.desc(), _JOURNAL.seq.desc()).limit(1)).scalar() or 0


def revisions(connection: Connection, league: League, id: str) -> list[RowMapping]:
    """Return all versions of a match, oldest first, each with its author, time and reason."""
    seq = get(connection, league, id).seq
    query = select(schema.journal).where(_JOURNAL.league_id == league.id, _JOURNAL.seq == seq)
    return [row._mapping for row in connection.execute(query.order_by(_JOURNAL.revision))]


def last_time(connection: Connection, league: League, before: float = inf) -> float | None:
    """Return the time of a league's latest match before a given time; None if there is none."""
    latest = select(func.max(_JOURNAL.time)).where(
        _JOURNAL.league_id == league.id, _NOW, _JOURNAL.body.is_not(None), _JOURNAL.time < before
    )
    moment: float | None = connection.execute(latest).scalar()
    return moment


def earliest_change(connection: Connection, league: League, revision: int) -> float:
    """Return the earliest time, old or new, of the matches posted, edited or deleted since a revision.

    Matches before this time are unchanged. If nothing has changed, the result is infinity.
    """
    times = _EARLIEST_CHANGE(connection, league=league.id, revision=revision)
    seqs = [seq for (seq,) in _CORRECTED(connection, league=league.id, revision=revision)]
    if seqs:
        times += _EARLIEST_BEFORE(connection, league=league.id, revision=revision, seqs=seqs)
    return min((time for (time,) in times if time is not None), default=inf)


def append(
    connection: Connection, league: League, entries: Iterable[Entry], revision: int, author: str, reason: str
) -> None:
    """Write entries into the journal, with their author and reason and the current time."""
    now = time()
    rows = [
        (league.id, seq, revision, None, id, kind, moment, stamped, body, author, reason, now, context)
        for seq, moment, id, kind, stamped, body, context in entries
    ]
    write_many(connection, schema.journal, rows)


def supersede(connection: Connection, league: League, seqs: Sequence[int], revision: int) -> None:
    """Mark the current rows of some matches as superseded at a revision."""
    if seqs:
        _SUPERSEDE(connection, league=league.id, seqs=list(seqs), superseded=revision)


def body(match: Mapping[str, Any]) -> str:
    """Serialize a match in the canonical form of the journal, in which equivalent matches have the same text.

    Blanks around names are stripped, 3.0 is written as 3, ranks become places, and redundant values are left out: ranks
    that follow from the scores, weights of 1 and an importance of 1. The time and the id are not part of the text.

    >>> body({"teams": [["ann", "bob"], [" cat "]], "scores": [3.0, 1.5], "ranks": [1, 5], "importance": 1})
    '{"teams":[["ann","bob"],["cat"]],"scores":[3,1.5]}'
    >>> body({"teams": [["ann"], ["bob"]]})
    '{"teams":[["ann"],["bob"]],"ranks":[1,2]}'
    """
    return bodies(from_matches([match], where=lambda _: "the match"))[0]


def bodies(history: History) -> list[str]:
    """Serialize all matches of a history, each as `body` does.

    >>> bodies(History.from_matches([{"teams": [["ann"], ["bob"]], "ranks": [4, 4], "home": 1}]))
    ['{"teams":[["ann"],["bob"]],"ranks":[1,1],"home":1}']
    """
    match_start, team_start = history.match_start.tolist(), history.team_start.tolist()
    players = history.player.tolist()
    name = {player: quoted(history.players[player]) for player in set(players)}
    names = [name[player] for player in players]
    ranked, scored = _has_ranks_and_scores(history)
    parts: list[Iterable[str]] = [repeat('{"teams":'), _lists(_lists(names, team_start), match_start)]
    if ranked.any():
        parts.append(_optional("ranks", ranked, _lists(list(map(str, history.place.tolist())), match_start)))
    if history.score is not None:
        parts.append(_optional("scores", scored, _lists(_numbers(history.score), match_start)))
    if history.weight is not None:
        weights = _lists(_lists(_numbers(history.weight), team_start), match_start)
        weighted = _any_in_each(history.weight != 1, history.team_start[history.match_start])
        parts.append(_optional("weights", weighted, weights))
    if history.importance is not None:
        parts.append(_optional("importance", history.importance != 1, _numbers(history.importance)))
    if history.home is not None:
        parts.append(_optional("home", history.home >= 0, map(str, history.home.tolist())))
    return list(map("".join, zip(*parts, repeat("}", len(history)), strict=False)))


def _has_ranks_and_scores(history: History) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    # Ranks that follow from scores are omitted.
    if history.score is None:
        return np.ones(len(history), np.bool_), np.zeros(len(history), np.bool_)
    scored = ~np.isnan(history.score[history.match_start[:-1]])
    differs = places(history.match_start, -history.score) != history.place
    return ~scored | _any_in_each(differs, history.match_start) if differs.any() else ~scored, scored


def _any_in_each(flags: NDArray[np.bool_], start: Ints) -> NDArray[np.bool_]:
    return np.logical_or.reduceat(flags, start[:-1])  # correct because no match is empty


def _optional(key: str, present: NDArray[np.bool_], values: Iterable[str]) -> list[str]:
    return [f',"{key}":{value}' if has else "" for has, value in zip(present.tolist(), values, strict=True)]


def _lists(texts: Sequence[str], start: list[int]) -> list[str]:
    return [f"[{','.join(texts[first:last])}]" for first, last in pairwise(start)]


def _numbers(column: NDArray[np.float64]) -> list[str]:
    # Parsing must give the same bits; whole numbers have no point, and -0 becomes 0.
    column = np.where(column == column, column, 0.0) + 0.0  # matches without scores have NaN, which is not written
    if ((column == np.floor(column)) & (np.abs(column) < EXACT)).all():
        return list(map(str, column.astype(np.int64).tolist()))
    return [repr(value).removesuffix(".0") for value in column.tolist()]


def history_of(
    seq: ArrayLike,
    time: ArrayLike,
    ids: Sequence[str],
    texts: Sequence[str],
    clock: Clock,
    contexts: Sequence[str | None] = (),
) -> History:
    """Return the history of journal rows, sorted by (time, seq); the rows may be in any order.

    >>> texts = [body({"teams": [["bob"], ["ann"]]}), body({"teams": [["ann"], ["bob"]], "scores": [2, 2]})]
    >>> history_of([1, 2], [7.0, 5.0], ["x", "y"], texts, "number")[0]
    {'teams': [['ann'], ['bob']], 'scores': [2.0, 2.0], 'time': 5.0, 'id': 'y'}
    """
    moment, number = np.asarray(time, np.float64), np.asarray(seq, np.int64)
    later = moment[1:] > moment[:-1]
    if not (later | ((moment[1:] == moment[:-1]) & (number[1:] > number[:-1]))).all():
        order = np.lexsort((number, moment))
        moment, rows = moment[order], order.tolist()
        ids, texts = [ids[row] for row in rows], [texts[row] for row in rows]
        contexts = [contexts[row] for row in rows] if contexts else ()
    contexts = contexts if any(contexts) else ()
    stamp = STAMPS[clock]
    times = None if stamp is None else Times.of(moment, stamp)
    blocks = []
    for first in range(0, len(texts), BLOCK):
        block = scan(list(texts[first : first + BLOCK]))
        if block is None:
            return _parse_one_by_one(times, ids, texts, contexts)
        blocks.append(block)
    return build(_raw_matches(blocks, times, ids, contexts)) if blocks else from_matches([], remarks=REMARKS)


def _raw_matches(
    blocks: list[ScannedMatches], times: Times | None, ids: Sequence[str], contexts: Sequence[str | None]
) -> RawMatches:
    # Each block has its own numbering of players.
    numbers: dict[str, int] = {}
    player = []
    for block in blocks:
        renumbered = np.array([numbers.setdefault(name, len(numbers)) for name in block.names], np.int32)
        player.append(renumbered[block.player])

    def joined(column: str) -> NDArray[Any]:
        return np.concatenate([getattr(block, column) for block in blocks])

    optional: dict[str, Any] = {key: joined(key) for key in ("rank", "score", "weight", "importance", "home")}
    match_start, team_start = starts(joined("teams")), starts(joined("sizes"))
    if contexts:
        levels = read_contexts(contexts, match_start, team_start, lambda row: _damaged(ids[row]))
        optional |= zip(("context", "team_context", "entry_context"), levels, strict=True)
    return RawMatches(
        match_start=match_start,
        team_start=team_start,
        player=np.concatenate(player),
        names=list(numbers),
        where=lambda match, entry: f"match {ids[match]!r}",
        times=times,
        ids=ids,
        listed=True,
        remarks=REMARKS,
        as_they_appear=True,
        **optional,
    )


def _damaged(id: str) -> str:
    return f"the journal is damaged: match {id!r}"


def _parse_one_by_one(
    times: Times | None, ids: Sequence[str], texts: Sequence[str], contexts: Sequence[str | None]
) -> History:
    # Only texts that are not in canonical form, which the scanner rejects, are parsed here.
    matches = []
    for row, (text, context) in enumerate(zip(texts, contexts or repeat(None), strict=False)):
        try:
            match = {**json.loads(text), "id": ids[row]}
            if context:
                match["context"] = json.loads(context)
        except (ValueError, TypeError) as error:
            raise Error(f"{_damaged(ids[row])} is not JSON: {error}", value=text) from None
        if times is not None:
            match["time"] = show_time(times.kind, times.zone, times.number[row])
        matches.append(match)
    return from_matches(matches, where=lambda row: _damaged(ids[row]), remarks=REMARKS)
