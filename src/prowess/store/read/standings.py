"""Standings that follow the store: of now, of a revision, of a time, of the end of a season, of an older model."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from math import inf, nextafter
from threading import BoundedSemaphore

import numpy as np
from sqlalchemy import Connection, func, select

from ...errors import Error
from ...model.ladder.ladder import Ladder
from .. import leagues, ratings, seasons
from ..cache import Shelf
from ..db import schema
from ..errors import NotFound, Unavailable
from ..journal import journal
from ..journal.journal import START
from ..leagues import League
from ..write.checkpoints import Checkpoint
from ..write.replay import run
from .match_views import Chronicles
from .snapshot import Page, Snapshot

__all__ = ["Followers", "Page", "Snapshot"]

MEMORY = 500_000_000  # bytes
MAKING = 4  # threads that make standings of the past at once, or wait for another to do so: a connection each
RECENT = 16  # snapshots of a league that are kept, so that who reads page after page sees one state
_RATING = schema.rating.c
_GENERATION = schema.generation.c


class Followers:
    """The standings of all leagues, of which a process keeps those in memory that were asked for last.

    A league is always given as it was found on the same connection.

    >>> from tempfile import TemporaryDirectory
    >>> from prowess.store.write.commands import Post
    >>> from prowess.store.db.database import Database
    >>> from prowess.store.leagues import create, find
    >>> from prowess.store.write.writer import perform
    >>> with TemporaryDirectory() as folder:
    ...     database = Database(f"{folder}/league.db")
    ...     database.migrate()
    ...     with database.writing() as connection:
    ...         _ = create(connection, "darts")
    ...     _ = perform(database, Post("darts", [{"id": "first", "teams": [["ann"], ["bob"]]}]))
    ...     with database.reading() as connection:
    ...         [row["player"] for row in Followers().of(connection, find(connection, "darts")).page(0, 10).rows]
    ...     database.close()
    ['ann', 'bob']
    """

    def __init__(self, chronicles: Chronicles | None = None, memory: float = MEMORY) -> None:
        self._chronicles = Chronicles() if chronicles is None else chronicles
        self._recent: Shelf[tuple[Snapshot, ...]] = Shelf(memory / 2)
        self._past: Shelf[Snapshot] = Shelf(memory / 2)
        self._making = BoundedSemaphore(MAKING)

    def of(self, connection: Connection, league: League) -> Snapshot:
        """The standings of a league at its revision, or a later one."""
        recent = self._recent.get(league.id) or ()
        if not recent or recent[-1].revision < league.revision:
            with self._recent.lock(league.id):
                recent = self._recent.get(league.id) or ()
                if not recent or recent[-1].revision < league.revision:
                    now = _followed(connection, league, recent[-1] if recent else None)
                    recent = (*recent, now)[-RECENT:]
                    while len(recent) > 1 and _size(recent) > self._recent.limit:
                        recent = recent[1:]
                    self._recent.put(league.id, recent, _size(recent))
        return _as_set(recent[-1], league)

    def at_revision(self, connection: Connection, league: League, revision: int) -> Snapshot:
        """The standings as they were at a revision: as they were shown then, or else by rating the matches of then."""
        _check(league, revision)
        for one in (self.of(connection, league), *(self._recent.get(league.id) or ())):
            if one.revision == revision:
                return _as_set(one, league)
        return self._kept(league, ("revision", revision), lambda: self._replayed(connection, league, revision))

    def at_time(self, connection: Connection, league: League, time: float, revision: int | None = None) -> Snapshot:
        """The standings after all matches up to a time, as they are rated now, or were at a revision."""
        if revision not in (None, league.revision):
            return self._cut(connection, league, revision, time)
        what = ("now", league.generation, time)
        kept = self._past.get((league.id, what))
        if kept is not None and kept.revision < league.revision:
            if _holds(connection, league, kept, time):
                kept = replace(kept, revision=league.revision)
                self._past.put((league.id, what), kept, kept.nbytes + kept.roll.nbytes)
            else:
                self._past.drop((league.id, what))
        return self._kept(league, what, lambda: self._at(connection, league, time))

    def _at(self, connection: Connection, league: League, time: float) -> Snapshot:
        chronicle = self._chronicles.of(connection, league)
        return Snapshot.of(league, chronicle.standing_at(time), revision=chronicle.view.revision)

    def of_season(self, connection: Connection, league: League, name: str, revision: int | None = None) -> Snapshot:
        """The standings at the end of a season, as they are rated now or were at a revision; of the last, of now."""
        chronicle = self._chronicles.of(connection, league)
        if revision not in (None, chronicle.view.revision):
            return self._cut(connection, league, revision, _end_of(connection, league, name, revision))
        return self._kept(
            league,
            ("season", chronicle.view.revision, name),
            lambda: Snapshot.of(league, chronicle.end_of_season(name), revision=chronicle.view.revision),
        )

    def of_generation(
        self, connection: Connection, league: League, generation: int, revision: int | None = None
    ) -> Snapshot:
        """The standings by the model of a generation, at a revision that it has rated; else the last one."""
        past = _by_generation(connection, league, generation)
        last = league.revision if generation == league.generation else _end(connection, league, generation)
        if revision not in (None, last):
            if _as_of(connection, league, min(revision, league.revision)).generation != generation or revision > last:
                raise Error(f"revision: {revision} is none of generation {generation}, the last of which is {last}")
            return self.at_revision(connection, league, revision)
        if generation == league.generation:
            return self.of(connection, league)
        return self._kept(
            league,
            ("generation", generation),
            lambda: Snapshot.of(past, ratings.of_all(connection, past), revision=_end(connection, league, generation)),
        )

    def _kept(self, league: League, what: Hashable, make: Callable[[], Snapshot]) -> Snapshot:
        """A snapshot of the past, made if need be: it may take seconds, and must not stop who reads the present."""
        found = self._past.get((league.id, what))
        if found is None:
            if not self._making.acquire(blocking=False):
                raise Unavailable("others ask for standings of the past", "try again")
            try:
                found = self._made(league, what, make)
            finally:
                self._making.release()
        return _as_set(found, league)

    def _made(self, league: League, what: Hashable, make: Callable[[], Snapshot]) -> Snapshot:
        """A snapshot of the past, made by one thread for all who wait for it."""
        with self._past.lock(league.id):
            found = self._past.get((league.id, what))
            if found is None:
                found = make()
                self._past.put((league.id, what), found, found.nbytes + found.roll.nbytes)
        return found

    def _cut(self, connection: Connection, league: League, revision: int, time: float) -> Snapshot:
        """The standings at a time as they were at a revision, by rating the matches up to there."""
        _check(league, revision)
        past = _as_of(connection, league, revision)
        known = [one for one in seasons.listed(connection, league, revision) if one.start <= time]

        def make() -> Snapshot:
            rows = journal.rows_as_of(connection, league, revision).until(time)
            return Snapshot.of(past, run(past, known, Checkpoint(START, 0, Ladder(past.model)), rows).ladder)

        return self._kept(league, ("time", revision, time), make)

    def _replayed(self, connection: Connection, league: League, revision: int) -> Snapshot:
        """The standings of a revision; if nothing before it was changed since, from the matches that are in memory."""
        past = _as_of(connection, league, revision)
        known = seasons.listed(connection, league, revision)
        if past.generation == league.generation and league.corrected <= revision:
            view = self._chronicles.of(connection, league).view
            if view.revision == league.revision and list(view.seasons) == known:
                then = view.seq <= _posted(connection, league, revision)
                matches = int(np.count_nonzero(then))
                if then[:matches].all():  # else others were posted since that stand before some of them
                    return Snapshot.of(past, view.standing(matches, len(known)))
        rows = journal.rows_as_of(connection, league, revision)
        return Snapshot.of(past, run(past, known, Checkpoint(START, 0, Ladder(past.model)), rows).ladder)


def _holds(connection: Connection, league: League, kept: Snapshot, time: float) -> bool:
    """Whether standings at a time are still those: nothing was changed since that is not after this time."""
    begun = [one.start for one in seasons.listed(connection, league) if one.revision > kept.revision]
    return time < min([journal.earliest(connection, league, kept.revision), *begun])


def _check(league: League, revision: int) -> None:
    if not 0 <= revision <= league.revision:
        raise Error(f"revision: {league.name} has the revisions 0 to {league.revision}, not {revision}")


def _end_of(connection: Connection, league: League, name: str, revision: int) -> float:
    """The last moment of a season, as it was known at a revision."""
    known = seasons.listed(connection, league, revision)
    names = [one.name for one in known]
    if name not in names:
        raise NotFound(f"{league.name} had no season called {name!r} at revision {revision}")
    following = known[names.index(name) + 1 :]
    return nextafter(following[0].start, -inf) if following else inf


def _size(snapshots: Sequence[Snapshot]) -> int:
    """About how much memory snapshots take, which share their names."""
    return sum(one.nbytes for one in snapshots) + snapshots[-1].roll.nbytes


def _followed(connection: Connection, league: League, last: Snapshot | None) -> Snapshot:
    """The standings of a league at its revision, from the last ones if there are any."""
    if last is None or last.generation != league.generation:
        return Snapshot.of(league, ratings.of_all(connection, league))
    query = select(_RATING.player, _RATING.state).where(
        _RATING.league_id == league.id, _RATING.generation == league.generation, _RATING.revision > last.revision
    )
    rows = [(player, state) for player, state in connection.execute(query)]
    return last.followed(league.revision, rows, league.memory)


def _as_set(snapshot: Snapshot, league: League) -> Snapshot:
    """A snapshot under the settings of now, which are no part of a revision."""
    return snapshot if snapshot.settings == league.settings else replace(snapshot, settings=league.settings)


def _as_of(connection: Connection, league: League, revision: int) -> League:
    """A league with the model of a revision."""
    query = select(func.max(_GENERATION.number)).where(
        _GENERATION.league_id == league.id, _GENERATION.revision <= revision
    )
    return replace(_by_generation(connection, league, connection.execute(query).scalar_one()), revision=revision)


def _by_generation(connection: Connection, league: League, number: int) -> League:
    """A league with the model of a generation, and what that has learnt."""
    if not 1 <= number <= league.generation:  # PostgreSQL rejects a parameter that is no 32-bit integer
        raise NotFound(f"generation: {league.name} has the generations 1 to {league.generation}, not {number}")
    query = select(_GENERATION.model, _GENERATION.memory).where(
        _GENERATION.league_id == league.id, _GENERATION.number == number
    )
    row = connection.execute(query).one()
    return replace(league, generation=number, model=leagues.read_model(row.model), memory=bytes(row.memory))


def _end(connection: Connection, league: League, generation: int) -> int:
    """The last revision that a generation has rated."""
    query = select(_GENERATION.revision).where(_GENERATION.league_id == league.id, _GENERATION.number == generation + 1)
    return int(connection.execute(query).scalar_one()) - 1


def _posted(connection: Connection, league: League, revision: int) -> int:
    """The seq of the last match that was posted up to a revision; 0 if there was none."""
    columns = schema.journal.c
    query = select(columns.seq).where(
        columns.league_id == league.id, columns.revision <= revision, columns.kind == "post"
    )
    return connection.execute(query.order_by(columns.revision.desc(), columns.seq.desc()).limit(1)).scalar() or 0
