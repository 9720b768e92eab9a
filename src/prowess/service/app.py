"""The ASGI app: its routes, its middleware, and its startup and shutdown."""

from __future__ import annotations

import gc
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeVar

from fastapi import FastAPI
from fastapi.routing import APIRoute
from sqlalchemy import Connection
from starlette.concurrency import run_in_threadpool
from starlette.middleware.cors import CORSMiddleware

from .. import __version__
from ..store import keys as stored_keys
from ..store import leagues as stored_leagues
from ..store.db.database import Database
from ..store.exports import ExportFolder, export_folder
from ..store.keys import Key
from ..store.read.standings import StandingsCache
from ..store.read.trace_cache import TraceCache
from ..store.write.writer import Writer
from .api import (
    aliases,
    erasures,
    events,
    files,
    forecasts,
    hindsight,
    keys,
    leagues,
    matches,
    matchmaking,
    models,
    monitoring,
    offers,
    standings,
)
from .auth import Identify, peek_key_id
from .background.analysis_requests import ModelAnalyses
from .background.hindsights import Hindsights
from .background.housekeeping import Housekeeper
from .background.prewarm import Prewarmer
from .concurrency import TtlCache
from .connections import ConnectionTable, StreamLimit
from .context import Service
from .errors import register_handlers
from .exports import Exports
from .middleware import (
    BodyLimit,
    Buckets,
    CatchErrors,
    ClientLimits,
    FastPost,
    Headers,
    HeadSupport,
    RateLimit,
    RequestTiming,
)
from .observability import METRICS_FOLDER, Metrics, log_request_to, serve_metrics
from .openapi import document
from .pages.routers import ROUTERS as PAGES
from .pages.web.errors import problem_page
from .serving import exit_with_parent, on_hangup, on_shutdown
from .settings import Settings

Value = TypeVar("Value")
# Threads that one client may use at once; few, because all clients share the interpreter lock.
ADDRESS_THREADS, KEY_THREADS = 2, 8
API = (
    *(leagues, keys, matches, aliases, standings, hindsight, erasures, forecasts, matchmaking, files, models),
    *(offers, events, monitoring),
)
EXPOSED_HEADERS = ["X-Request-ID", "Retry-After"]  # response headers that pages of other sites may read


def create_app(settings: Settings | None = None) -> FastAPI:
    """Return the service as an ASGI app; by default, settings are read from the environment.

    >>> create_app(Settings(database="sqlite:///league.db")).title
    'prowess'
    """
    settings = settings or Settings.from_env()
    database, metrics = Database(settings.database), Metrics()
    key_cache: TtlCache[Key | None] = TtlCache(_in_transaction(database, stored_keys.find))
    key_uses: dict[int, float] = {}

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[dict[str, ConnectionTable]]:
        await run_in_threadpool(database.migrate)
        folder = export_folder(database.url, settings.export_folder)
        traces = TraceCache()
        standings_cache = StandingsCache(traces)
        writer = Writer(database, metrics.count_commit, traces.pending)
        connections = ConnectionTable(settings, metrics.count_refusal)
        app.state.service = service = Service(
            settings=settings,
            database=database,
            writer=writer,
            standings=standings_cache,
            traces=traces,
            keys=key_cache,
            leagues=TtlCache(_in_transaction(database, stored_leagues.find)),
            metrics=metrics,
            analyses=ModelAnalyses(database, traces, writer.submit, settings.search_models),
            hindsights=Hindsights(database, traces),
            prewarmer=Prewarmer(database, standings_cache, traces),
            readiness=TtlCache(lambda _: database.check_writable()),
            streams=StreamLimit(
                settings.stream_limit, settings.key_stream_limit, connections.most // 2, metrics.count_refusal
            ),
            exports=Exports(database, ExportFolder(folder, settings.export_space)),
        )
        housekeeper = Housekeeper(database, key_uses, writer.submit)
        _collect_garbage_rarely()
        try:
            # If there are several processes, their supervisor serves the metrics of all of them.
            metrics_address = "" if METRICS_FOLDER in os.environ else settings.metrics_address
            with (
                on_shutdown(service.closing.set),
                on_hangup(service.reload),
                exit_with_parent(),
                serve_metrics(metrics_address, metrics.registry),
            ):
                async with service.exports.running(service.closing):
                    yield {"connections": connections}  # for `connections.HttpProtocol`
        finally:
            background = (service.children, service.prewarmer, service.analyses)
            # The hindsights come after the writer, because an update of a large league takes seconds.
            for part in (*background, service.writer, housekeeper, service.hindsights, database):
                await run_in_threadpool(part.close)

    app = FastAPI(title="prowess", version=__version__, docs_url=None, redoc_url=None, lifespan=lifespan)
    app.openapi = lambda: document(app)  # type: ignore[method-assign]
    app.state.problem_page = problem_page
    register_handlers(app)
    for router in (*(module.router for module in API), *PAGES):
        # A flat list, because matching nested routers would slow down every request.
        app.router.routes.extend(router.routes)
    _add_middleware(app, settings, key_cache, key_uses, metrics)
    return app


def _collect_garbage_rarely() -> None:
    # Batches create thousands of objects, but hardly any reference cycles.
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def _add_middleware(
    app: FastAPI, settings: Settings, key_cache: TtlCache[Key | None], key_uses: dict[int, float], metrics: Metrics
) -> None:
    def buckets(rate: float, burst: float) -> Buckets | None:
        return Buckets(rate, burst) if rate else None

    cpu = buckets(settings.cpu_limit, settings.cpu_burst)
    addresses = ClientLimits(buckets(settings.rate_limit, settings.rate_burst), cpu, ADDRESS_THREADS)
    cpu = buckets(settings.key_cpu_limit, settings.key_cpu_burst)
    keys_limits = ClientLimits(buckets(settings.key_rate_limit, settings.key_rate_burst), cpu, KEY_THREADS)
    routes = [route for route in matches.router.routes if isinstance(route, APIRoute)]
    [route] = [route for route in routes if route.endpoint is matches.create_match]
    # The middleware added last handles a request first.
    app.add_middleware(FastPost, route=route, handle=matches.create_match_fast)
    app.add_middleware(
        BodyLimit,
        most=settings.body_limit,
        most_import=settings.import_limit,
        most_anonymous=settings.anonymous_body_limit,
        count_refusal=metrics.count_refusal,
    )
    app.add_middleware(Identify, keys=key_cache, uses=key_uses)
    app.add_middleware(
        RateLimit,
        addresses=addresses,
        keys=keys_limits,
        key_id=partial(peek_key_id, key_cache),
        count_refusal=metrics.count_refusal,
    )
    app.add_middleware(CatchErrors)
    app.add_middleware(HeadSupport)
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.cors_origins),
            allow_methods=["*"],
            allow_headers=["*"],
            expose_headers=EXPOSED_HEADERS,
        )
    app.add_middleware(Headers)
    log = [] if settings.log == "off" else [log_request_to(settings.log)]
    app.add_middleware(RequestTiming, observers=[metrics.count_request, *log])


def _in_transaction(database: Database, find: Callable[[Connection, str], Value]) -> Callable[[str], Value]:
    def look_up(name: str) -> Value:
        with database.reading() as connection:
            return find(connection, name)

    return look_up
