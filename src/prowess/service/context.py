"""The state that requests share: database, writer, caches, limiters and settings."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from fastapi import Request
from sqlalchemy import Connection

from ..matchmaking.balancing.balance import Balance
from ..model.scale import Points
from ..store.cache import LruCache
from ..store.db.database import Database
from ..store.keys import Key
from ..store.leagues import League
from ..store.read.match_views import MatchViews
from ..store.read.standings import StandingsCache
from ..store.read.trace_cache import TraceCache
from ..store.write.writer import Writer
from .background.analysis_requests import ModelAnalyses
from .background.child_process import ChildPool
from .background.hindsights import Hindsights
from .background.prewarm import Prewarmer
from .concurrency import ConcurrencyLimiter, TtlCache, charge_client, run_in_threadpool
from .connections import StreamLimit
from .exports import Exports
from .observability import Metrics
from .settings import Settings

Value = TypeVar("Value")
BALANCE_BYTES, CHART_BYTES, SIMILAR_BYTES = 10_000_000, 32_000_000, 10_000_000  # sizes of the caches


@dataclass(frozen=True)
class Service:
    """Everything that the requests of a process share."""

    settings: Settings
    database: Database
    writer: Writer
    standings: StandingsCache
    traces: TraceCache
    keys: TtlCache[Key | None]  # by secret
    leagues: TtlCache[League]  # by name; may be a second old
    metrics: Metrics
    analyses: ModelAnalyses
    hindsights: Hindsights
    prewarmer: Prewarmer
    streams: StreamLimit
    readiness: TtlCache[None]  # loading fails if the database cannot be written to
    exports: Exports
    charts: LruCache[bytes] = field(default_factory=lambda: LruCache(CHART_BYTES))  # rendered charts
    # Pairs of similar names by league, with the state of the league for which they were computed. They are cached,
    # because the comparison of 50,000 names takes seconds.
    similar: LruCache[tuple[Hashable, list[tuple[str, str]]]] = field(default_factory=lambda: LruCache(SIMILAR_BYTES))
    # Fair teams are cached, because the search for them can take seconds.
    splits: LruCache[Balance] = field(default_factory=lambda: LruCache(BALANCE_BYTES))
    # Most predictions are quick, so many requests may wait.
    predicting: ConcurrencyLimiter = field(default_factory=lambda: ConcurrencyLimiter("predictions", 4, 1_000))
    matching: ConcurrencyLimiter = field(default_factory=lambda: ConcurrencyLimiter("teams and pairings"))
    tables: ConcurrencyLimiter = field(default_factory=lambda: ConcurrencyLimiter("tables"))
    comparing: ConcurrencyLimiter = field(default_factory=lambda: ConcurrencyLimiter("similar names"))
    drawing: ConcurrencyLimiter = field(default_factory=lambda: ConcurrencyLimiter("charts"))
    importing: ConcurrencyLimiter = field(default_factory=lambda: ConcurrencyLimiter("imports"))
    children: ChildPool = field(default_factory=lambda: ChildPool(charge_client))
    closing: asyncio.Event = field(default_factory=asyncio.Event)  # set at shutdown

    async def read(self, work: Callable[[Connection], Value], limiter: ConcurrencyLimiter | None = None) -> Value:
        """Run `work` in a thread on one snapshot of the database; with a `limiter`, wait for one of its slots first."""

        def run() -> Value:
            with self.database.reading() as connection:
                return work(connection)

        return await (run_in_threadpool(run) if limiter is None else limiter.run(run))

    def points(self, connection: Connection, league: League) -> Points | None:
        """Return the conversion of a league's skills to points; None if it has no scale, or its model has no points."""
        return None if league.settings.scale is None else self.standings.of(connection, league).points

    def views(self, connection: Connection, league: League) -> MatchViews:
        """Return views of a league's matches; if the league has a scale, the views also have ratings in points."""
        views = self.traces.of(connection, league)
        if league.settings.scale is None and league.settings.ranked_by == "conservative":
            return views  # without the cost of loading the standings
        now = self.standings.of(connection, league)
        return replace(views, points=now.points, order=now.ranking.by)

    def reload(self) -> None:
        """Clear the caches of keys and leagues, and reconnect to the database; open requests continue."""
        for cache in (self.keys, self.leagues, self.readiness):
            cache.clear()
        self.database.reconnect()


def service_of(request: Request) -> Service:
    """Return the service of a request."""
    service: Service = request.app.state.service
    return service
