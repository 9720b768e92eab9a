"""A cache of the current standings of leagues, and of their standings at an earlier revision, time, season or model."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from threading import BoundedSemaphore

import numpy as np
from sqlalchemy import Connection

from ...errors import Error
from .. import aliases, leagues, ratings, seasons
from ..cache import LruCache
from ..errors import NotFound, Unavailable
from ..journal import journal
from ..leagues import League
from ..write.replay import replay_rows
from .snapshot import Snapshot
from .trace_cache import TraceCache

MEMORY = 500_000_000  # bytes
MAX_COMPUTING = 4  # threads that may compute or await past standings; each holds a connection
MAX_RECENT = 16  # snapshots kept per league, so that all pages of a list show the same state


class StandingsCache:
    """An in-memory cache of league standings; evicts the least recently used.

    Callers must pass a league that was read on the same connection.

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
    ...         [row["player"] for row in StandingsCache().of(connection, find(connection, "darts")).page(0, 10).rows]
    ...     database.close()
    ['ann', 'bob']
    """

    def __init__(self, traces: TraceCache | None = None, memory: float = MEMORY) -> None:
        self._traces = TraceCache() if traces is None else traces
        self._recent: LruCache[tuple[Snapshot, ...]] = LruCache(memory / 2)
        self._past: LruCache[Snapshot] = LruCache(memory / 2)
        self._computing = BoundedSemaphore(MAX_COMPUTING)

    def of(self, connection: Connection, league: League) -> Snapshot:
        """Return the standings of a league, at the revision of `league` or at a later revision."""
        key = league.cache_key
        recent = self._recent.get(key) or ()
        if not recent or recent[-1].revision < league.revision:
            with self._recent.lock(league.id):
                recent = self._recent.get(key) or ()
                if not recent or recent[-1].revision < league.revision:
                    if league.erased and not recent:
                        self._forget_before(league)
                    now = _current(connection, league, recent[-1] if recent else None)
                    recent = (*recent, now)[-MAX_RECENT:]
                    while len(recent) > 1 and _size(recent) > self._recent.limit:
                        recent = recent[1:]
                    self._recent.put(key, recent, _size(recent))
        return recent[-1].with_settings(league.settings)

    def at_revision(self, connection: Connection, league: League, revision: int) -> Snapshot:
        """Return the standings at a revision, from the cache or by rating the matches of that revision again."""
        _check_revision(league, revision)
        for snapshot in (self.of(connection, league), *(self._recent.get(league.cache_key) or ())):
            if snapshot.revision == revision:
                return snapshot.with_settings(league.settings)
        return self._past_snapshot(league, ("revision", revision), lambda: self._replay(connection, league, revision))

    def at_time(self, connection: Connection, league: League, time: float, revision: int | None = None) -> Snapshot:
        """Return the standings after all matches up to a time, as they are rated now or were rated at a revision."""
        if revision not in (None, league.revision):
            return self._replay_until(connection, league, revision, time)
        key = ("now", league.generation, time)
        cached = self._past.get((*league.cache_key, key))
        if cached is not None and cached.revision < league.revision:
            if _is_unchanged(connection, league, cached, time):
                self._put_past(league, key, replace(cached, revision=league.revision))
            else:
                self._past.drop((*league.cache_key, key))

        def make() -> Snapshot:
            matches = self._traces.of(connection, league)
            return Snapshot.of(league, matches.standing_at(time), matches.view.revision)

        return self._past_snapshot(league, key, make)

    def of_season(self, connection: Connection, league: League, name: str, revision: int | None = None) -> Snapshot:
        """Return the standings at the end of a season, as rated now or at a revision.

        The last season has no end, so its current standings are returned.
        """
        matches = self._traces.of(connection, league)
        if revision not in (None, matches.view.revision):
            end = seasons.end_of_season(seasons.list_seasons(connection, league, revision), name)
            if end is None:
                text = f"{league.name} had no season named {name!r} at revision {revision}"
                raise NotFound(text, field="season", value=name)
            return self._replay_until(connection, league, revision, end)
        now = matches.view.revision
        return self._past_snapshot(
            league, ("season", now, name), lambda: Snapshot.of(league, matches.end_of_season(name), now)
        )

    def of_generation(
        self, connection: Connection, league: League, generation: int, revision: int | None = None
    ) -> Snapshot:
        """Return the standings as rated by the model of a generation, at its last revision or at a given revision."""
        past = leagues.with_generation(connection, league, generation)
        last = leagues.last_revision(connection, league, generation)
        if revision not in (None, last):
            if revision > last or leagues.as_of(connection, league, revision).generation != generation:
                text = f"generation {generation} did not rate revision {revision}; its last revision is {last}"
                raise Error.in_field("revision", text, value=revision)
            return self.at_revision(connection, league, revision)
        if generation == league.generation:
            return self.of(connection, league)
        return self._past_snapshot(
            league, ("generation", generation), lambda: Snapshot.of(past, ratings.load_all(connection, past), last)
        )

    def _past_snapshot(self, league: League, key: Hashable, make: Callable[[], Snapshot]) -> Snapshot:
        """Return a past snapshot from the cache; if it is missing, compute it with `make`.

        The past snapshots of a league are computed one after another. Computing one may take seconds, so only a few
        threads may compute past snapshots, or wait for them, at once; further calls raise `Unavailable`. All other
        threads stay free for requests for current standings.
        """
        snapshot = self._past.get((*league.cache_key, key))
        if snapshot is None:
            if not self._computing.acquire(blocking=False):
                raise Unavailable("too many requests for past standings", "try again")
            try:
                with self._past.lock(league.id):
                    snapshot = self._past.get((*league.cache_key, key))
                    if snapshot is None:
                        snapshot = make()
                        self._put_past(league, key, snapshot)
            finally:
                self._computing.release()
        return snapshot.with_settings(league.settings)  # settings can change without a new revision

    def _forget_before(self, league: League) -> None:
        # Older standings still show the name of a player who was anonymised.
        for cache in (self._recent, self._past):
            cache.drop_if(lambda key: key[0] == league.id and key[1] < league.erased)

    def _put_past(self, league: League, key: Hashable, snapshot: Snapshot) -> None:
        self._past.put((*league.cache_key, key), snapshot, _size([snapshot]))

    def _replay_until(self, connection: Connection, league: League, revision: int, time: float) -> Snapshot:
        _check_revision(league, revision)
        past = leagues.as_of(connection, league, revision)
        begun = [season for season in seasons.list_seasons(connection, league, revision) if season.start <= time]

        def make() -> Snapshot:
            rows = journal.rows_as_of(connection, past, revision).until(time)
            return Snapshot.of(past, replay_rows(past, begun, rows).ladder)

        return self._past_snapshot(league, ("time", revision, time), make)

    def _replay(self, connection: Connection, league: League, revision: int) -> Snapshot:
        # The trace in memory is used if no past match was corrected since `revision`.
        past = leagues.as_of(connection, league, revision)
        begun = seasons.list_seasons(connection, league, revision)
        if past.generation == league.generation and league.corrected <= revision:
            view = self._traces.of(connection, league).view
            if view.revision == league.revision and list(view.seasons) == begun:
                then = view.seq <= journal.last_posted(connection, league, revision)
                matches = int(np.count_nonzero(then))
                if then[:matches].all():  # if not, later posts have inserted matches among the earlier ones
                    return Snapshot.of(past, view.ladder_after(matches, len(begun)))
        rows = journal.rows_as_of(connection, past, revision)
        return Snapshot.of(past, replay_rows(past, begun, rows).ladder)


def _is_unchanged(connection: Connection, league: League, cached: Snapshot, time: float) -> bool:
    # The snapshot stays valid as long as no later change affects matches up to its time.
    new = [season.start for season in seasons.list_seasons(connection, league) if season.revision > cached.revision]
    return time < min([journal.earliest_change(connection, league, cached.revision), *new])


def _check_revision(league: League, revision: int) -> None:
    if not 0 <= revision <= league.revision:
        text = f"{league.name} has no revision {revision}; choose 0 to {league.revision}"
        raise Error.in_field("revision", text, value=revision)


def _size(snapshots: Sequence[Snapshot]) -> int:
    # The snapshots share the index of players' names, so its size counts once.
    return sum(snapshot.nbytes for snapshot in snapshots) + snapshots[-1].names.nbytes


def _current(connection: Connection, league: League, last: Snapshot | None) -> Snapshot:
    if last is None or last.revision < league.set_revision:
        now = Snapshot.of(league, ratings.load_all(connection, league))
    else:
        rows = ratings.changed_since(connection, league, last.revision)
        now = last.with_settings(league.settings)
        now = now.updated(league.revision, [(row.player, row.state) for row in rows], league.memory)
    if not league.alias_revision:
        return now
    if last is not None and league.alias_revision <= last.revision:
        names = now.names.with_aliases(last.names.aliases)
    else:
        names = now.names.with_aliases(aliases.load_chains(connection, league).players)
    return replace(now, names=names)
