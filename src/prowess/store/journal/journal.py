"""The journal: every revision of every match, in the order of the league."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from time import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import (
    BigInteger,
    Connection,
    Double,
    RowMapping,
    and_,
    bindparam,
    func,
    literal_column,
    or_,
    select,
    update,
)

from ...history import History
from ..db import schema
from ..db.raw_sql import Among, Quick, write_many
from ..errors import NotFound
from ..leagues import League
from ..slugs import storable
from ..write.commands import Act
from .history import history_of

__all__ = [
    "START",
    "Entry",
    "Position",
    "Rows",
    "append",
    "count",
    "current",
    "earliest",
    "entry_of",
    "first_posts",
    "found",
    "history",
    "last_time",
    "revisions",
    "rows_as_of",
    "supersede",
]

_JOURNAL = schema.journal.c


class Position(NamedTuple):
    """A place in the order of a league: first by time, then by when the match was first posted."""

    time: float
    seq: int


START = Position(-inf, 0)


class Entry(NamedTuple):
    """A match as the journal has it at a revision; one that was deleted has no body."""

    seq: int
    time: float
    id: str
    kind: str
    stamped: bool
    body: str | None

    @property
    def position(self) -> Position:
        """Where it stands in the order of the league."""
        return Position(self.time, self.seq)


_ENTRY = [_JOURNAL[name] for name in Entry._fields]
_MATCHES = select(_JOURNAL.seq, _JOURNAL.time, _JOURNAL.id, _JOURNAL.body).where(
    _JOURNAL.league_id == bindparam("league"), _JOURNAL.body.is_not(None)
)
_TIME, _REVISION = bindparam("time", type_=Double), bindparam("revision", type_=BigInteger)
_CURRENT = Quick(_MATCHES.where(_JOURNAL.until.is_(None)))
_AFTER = _MATCHES.where(
    _JOURNAL.until.is_(None),
    or_(_JOURNAL.time > _TIME, and_(_JOURNAL.time == _TIME, _JOURNAL.seq > bindparam("seq"))),
)
_CURRENT_AFTER = Quick(_AFTER)
_COUNT_AFTER = Quick(_AFTER.with_only_columns(func.count()))
_AS_OF = Quick(
    _MATCHES.where(_JOURNAL.revision <= _REVISION, or_(_JOURNAL.until.is_(None), _JOURNAL.until > _REVISION))
)
_FIRST_POSTS = Quick(
    select(*_ENTRY).where(
        _JOURNAL.league_id == bindparam("league"),
        _JOURNAL.kind == literal_column("'post'"),
        Among(_JOURNAL.id, "ids"),
    ),
    index="journal_post",  # else SQLite reads the whole league to find a dozen ids
)

_SINCE = (_JOURNAL.league_id == bindparam("league"), _JOURNAL.revision > _REVISION)
_CHANGED = Quick(select(func.min(_JOURNAL.time)).where(*_SINCE), index="journal_revision")
_CORRECTED = Quick(
    select(_JOURNAL.seq).where(*_SINCE, _JOURNAL.kind != literal_column("'post'")), index="journal_revision"
)
_WERE = Quick(
    select(func.min(_JOURNAL.time)).where(
        _JOURNAL.league_id == bindparam("league"), Among(_JOURNAL.seq, "seqs"), _JOURNAL.until > _REVISION
    )
)


@dataclass(frozen=True, eq=False)
class Rows:
    """Matches of a league by columns, in no order."""

    seq: NDArray[np.int64]
    time: NDArray[np.float64]
    ids: Sequence[str]
    bodies: Sequence[str]

    @classmethod
    def of(cls, rows: Sequence[Sequence[Any]]) -> Rows:
        """Columns of rows of seq, time, id and body."""
        seq, time, ids, bodies = zip(*rows, strict=True) if rows else ((), (), (), ())
        return cls(np.array(seq, np.int64), np.array(time, np.float64), ids, bodies)

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """The rows in the order of the league."""
        return np.lexsort((self.seq, self.time))

    def history(self, league: League) -> History:
        """The matches as a history, in the order of the league."""
        return history_of(self.seq, self.time, self.ids, self.bodies, league.clock)

    def until(self, time: float) -> Rows:
        """The matches up to a time."""
        chosen = np.flatnonzero(self.time <= time)
        ids, bodies = ([texts[row] for row in chosen.tolist()] for texts in (self.ids, self.bodies))
        return Rows(self.seq[chosen], self.time[chosen], ids, bodies)

    def changed(self, gone: Iterable[int], come: Sequence[Entry]) -> Rows:
        """The matches without some of them and with others, which may have the same seqs."""
        out = set(gone)
        kept = np.flatnonzero(~np.isin(self.seq, list(out))) if out else np.arange(len(self.seq))
        more = [one for one in come if one.body is not None]
        whole = len(kept) == len(self.seq)
        return Rows(
            np.concatenate([self.seq[kept], np.array([one.seq for one in more], np.int64)]),
            np.concatenate([self.time[kept], np.array([one.time for one in more], np.float64)]),
            [*(self.ids if whole else [self.ids[k] for k in kept.tolist()]), *(one.id for one in more)],
            [*(self.bodies if whole else [self.bodies[k] for k in kept.tolist()]), *(str(one.body) for one in more)],
        )


def current(connection: Connection, league: League, after: Position = START) -> Rows:
    """The matches of a league as they are now, or those after a place in its order."""
    if after == START:
        return Rows.of(_CURRENT(connection, league=league.id))
    return Rows.of(_CURRENT_AFTER(connection, league=league.id, time=after.time, seq=after.seq))


def count(connection: Connection, league: League, after: Position) -> int:
    """Count the matches that a league has now after a place in its order."""
    [(matches,)] = _COUNT_AFTER(connection, league=league.id, time=after.time, seq=after.seq)
    return int(matches)


def rows_as_of(connection: Connection, league: League, revision: int) -> Rows:
    """The matches of a league as they were at a revision."""
    return Rows.of(_AS_OF(connection, league=league.id, revision=revision))


def history(connection: Connection, league: League, revision: int | None = None) -> History:
    """The matches of a league as a history in its order: as they are, or as they were at a revision."""
    rows = current(connection, league) if revision is None else rows_as_of(connection, league, revision)
    return rows.history(league)


def first_posts(connection: Connection, league: League, ids: Sequence[str]) -> dict[str, Entry]:
    """Those of some ids that the league knows, with what was first posted as them."""
    found = (Entry(*row) for row in _FIRST_POSTS(connection, league=league.id, ids=list(ids))) if ids else ()
    return {one.id: one for one in found}


def entry_of(connection: Connection, league: League, id: str) -> Entry:
    """The match of an id as it is now."""
    entry = found(connection, league, id)
    if entry is None:
        raise NotFound(f"{league.name} has no match of the id {id!r}")
    return entry


def found(connection: Connection, league: League, id: str) -> Entry | None:
    """The match of an id as it is now; None if there never was one."""
    if not storable(id, len(id)):  # PostgreSQL rejects a parameter that holds NUL
        return None
    first = first_posts(connection, league, [id]).get(id)
    if first is None:
        return None
    query = select(*_ENTRY).where(_JOURNAL.league_id == league.id, _JOURNAL.seq == first.seq, _JOURNAL.until.is_(None))
    return Entry(*connection.execute(query).one())


def revisions(connection: Connection, league: League, id: str) -> list[RowMapping]:
    """All that was ever written of a match, the oldest first: by whom, when and why."""
    seq = entry_of(connection, league, id).seq
    query = select(schema.journal).where(_JOURNAL.league_id == league.id, _JOURNAL.seq == seq)
    return [row._mapping for row in connection.execute(query.order_by(_JOURNAL.revision))]


def last_time(connection: Connection, league: League, before: float | None = None) -> float | None:
    """When the latest match of a league was, or the latest before a time."""
    query = select(func.max(_JOURNAL.time)).where(
        _JOURNAL.league_id == league.id, _JOURNAL.until.is_(None), _JOURNAL.body.is_not(None)
    )
    query = query if before is None else query.where(_JOURNAL.time < before)
    found: float | None = connection.execute(query).scalar()
    return found


def earliest(connection: Connection, league: League, revision: int) -> float:
    """The earliest time of what was posted, edited or deleted since a revision: before it, nothing has changed."""
    times = _CHANGED(connection, league=league.id, revision=revision)
    seqs = [seq for (seq,) in _CORRECTED(connection, league=league.id, revision=revision)]
    if seqs:
        times += _WERE(connection, league=league.id, revision=revision, seqs=seqs)
    return min((time for (time,) in times if time is not None), default=inf)


def append(connection: Connection, league: League, entries: Iterable[Entry], revision: int, act: Act) -> None:
    """Write entries into the journal, with who wrote them, when and why."""
    now = time()
    rows = [
        (
            league.id,
            one.seq,
            revision,
            None,
            one.id,
            one.kind,
            one.time,
            one.stamped,
            one.body,
            act.author,
            act.reason,
            now,
        )
        for one in entries
    ]
    write_many(connection, schema.journal, rows)


def supersede(connection: Connection, league: League, seq: int, revision: int) -> None:
    """The row of a match that held so far holds no longer."""
    connection.execute(
        update(schema.journal)
        .where(_JOURNAL.league_id == league.id, _JOURNAL.seq == seq, _JOURNAL.until.is_(None))
        .values(until=revision)
    )
