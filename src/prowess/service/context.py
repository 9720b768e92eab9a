"""What a request finds: the database, its one writer, the views, and the settings."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from fastapi import Request
from sqlalchemy import Connection
from starlette.concurrency import run_in_threadpool

from ..matchmaking.balancing.balance import Balance
from ..store.cache import LruCache
from ..store.db.database import Database
from ..store.keys import Key
from ..store.leagues import League
from ..store.read.standings import StandingsCache
from ..store.read.trace_cache import TraceCache
from ..store.write.writer import Writer
from .background.analyses import ModelAnalyses
from .background.prewarm import Prewarmer
from .concurrency import ConcurrencyLimiter, TtlCache
from .observability import Metrics
from .settings import Settings

Found = TypeVar("Found")
SPLITS = 10_000_000  # bytes
CHARTS = 32_000_000  # bytes of charts that are kept


def _at_most(what: str, *limits: int) -> Callable[[], ConcurrencyLimiter]:
    return partial(ConcurrencyLimiter, what, *limits)


@dataclass(frozen=True)
class Service:
    """All that the requests of a process share."""

    settings: Settings
    database: Database
    writer: Writer
    standings: StandingsCache
    traces: TraceCache
    keys: TtlCache[Key | None]  # by their secrets
    leagues: TtlCache[League]  # by their names; what is in them may be a second old
    metrics: Metrics
    analyses: ModelAnalyses
    prewarmer: Prewarmer
    charts: LruCache[bytes] = field(default_factory=lambda: LruCache(CHARTS))  # as they are sent
    splits: LruCache[Balance] = field(default_factory=lambda: LruCache(SPLITS))  # fair teams, which may take seconds
    # Limits of expensive work; most predictions are quick, tables may be of all players.
    predicting: ConcurrencyLimiter = field(default_factory=_at_most("predictions", 4, 1_000))
    matching: ConcurrencyLimiter = field(default_factory=_at_most("teams and pairings"))
    tables: ConcurrencyLimiter = field(default_factory=_at_most("tables"))
    drawing: ConcurrencyLimiter = field(default_factory=_at_most("charts"))
    closing: asyncio.Event = field(default_factory=asyncio.Event)  # set when the process is asked to end

    async def read(self, work: Callable[[Connection], Found], limiter: ConcurrencyLimiter | None = None) -> Found:
        """Do something with one snapshot of the database, in a thread; expensive work waits for a slot of `limiter`."""

        def reading() -> Found:
            with self.database.reading() as connection:
                return work(connection)

        return await (run_in_threadpool(reading) if limiter is None else limiter.run(reading))


def service_of(request: Request) -> Service:
    """The service of a request."""
    found: Service = request.app.state.service
    return found


async def service(request: Request) -> Service:
    """The same as a dependency, `Depends(service)`: a coroutine, because others are run in threads."""
    return service_of(request)
