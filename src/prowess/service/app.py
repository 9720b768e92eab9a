"""The ASGI app: its routes, its middleware, and what opens at startup and closes at shutdown."""

from __future__ import annotations

import gc
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
from ..store import keys, leagues
from ..store.db.database import Database
from ..store.keys import Key
from ..store.read.standings import StandingsCache
from ..store.read.trace_cache import TraceCache
from ..store.write.writer import Writer
from .api import matches
from .api.routers import ROUTERS
from .auth import Identify, peek_key_id
from .background.jobs import ModelAnalyses
from .background.prewarm import Prewarmer
from .concurrency import TtlCache
from .context import Service
from .errors import CatchErrors, register_handlers
from .middleware.fast_post import FastPost
from .middleware.headers import Headers, HeadSupport
from .middleware.limits import BodyLimit, Buckets, RateLimit
from .observability import Metrics, RequestTiming, log_request_to
from .openapi import document
from .pages.routers import ROUTERS as PAGES
from .pages.web.errors import ErrorPages
from .serving import exit_with_parent, on_shutdown
from .settings import Settings

Found = TypeVar("Found")
EXPOSED = ["X-Request-ID", "Retry-After"]  # what pages of other sites may see beside the answer


def create_app(settings: Settings | None = None) -> FastAPI:
    """Return the service as an ASGI app; without settings they come from the environment.

    >>> create_app(Settings(database="sqlite:///league.db")).title
    'prowess'
    """
    settings = settings or Settings.from_env()
    database, metrics = Database(settings.database), Metrics()
    key_cache: TtlCache[Key | None] = TtlCache(_in_transaction(database, keys.find))

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await run_in_threadpool(database.migrate)
        traces = TraceCache()
        standings = StandingsCache(traces)
        app.state.service = service = Service(
            settings=settings,
            database=database,
            writer=Writer(database, metrics.count_commit, traces),
            standings=standings,
            traces=traces,
            keys=key_cache,
            leagues=TtlCache(_in_transaction(database, leagues.find)),
            metrics=metrics,
            analyses=ModelAnalyses(database, traces),
            prewarmer=Prewarmer(database, standings, traces),
        )
        _collect_garbage_rarely()
        try:
            with on_shutdown(service.closing.set), exit_with_parent():
                yield
        finally:
            for part in (service.prewarmer, service.analyses, service.writer, database):
                await run_in_threadpool(part.close)

    app = FastAPI(title="prowess", version=__version__, docs_url=None, redoc_url=None, lifespan=lifespan)
    app.openapi = lambda: document(app)  # type: ignore[method-assign]
    register_handlers(app)
    for router in (*ROUTERS, *PAGES):
        app.router.routes.extend(router.routes)  # flat: matching nested routers costs time in every request
    _add_middleware(app, settings, key_cache, metrics)
    return app


def _collect_garbage_rarely() -> None:
    """Leave alone what exists from the start; a batch makes thousands of objects none of which is garbage."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def _add_middleware(app: FastAPI, settings: Settings, key_cache: TtlCache[Key | None], metrics: Metrics) -> None:
    """Wrap the app in its middleware, from the inside out: the last that is added sees a request first."""

    def buckets(rate: float, burst: int) -> Buckets | None:
        return Buckets(rate, burst) if rate else None

    routes = [route for route in matches.router.routes if isinstance(route, APIRoute)]
    [route] = [route for route in routes if route.endpoint is matches.create_match]
    app.add_middleware(FastPost, route=route, handle=matches.create_match_fast)
    app.add_middleware(Identify, keys=key_cache)
    app.add_middleware(
        RateLimit,
        addresses=buckets(settings.rate_limit, settings.rate_burst),
        keys=buckets(settings.key_rate_limit, settings.key_rate_burst),
        key_id=partial(peek_key_id, key_cache),
    )
    app.add_middleware(BodyLimit, most=settings.body_limit, most_import=settings.import_limit)
    app.add_middleware(CatchErrors)
    app.add_middleware(ErrorPages)
    app.add_middleware(HeadSupport)  # outside of those that look into the body, which HEAD drops
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.cors_origins),
            allow_methods=["*"],
            allow_headers=["*"],
            expose_headers=EXPOSED,
        )
    app.add_middleware(Headers)
    log = [] if settings.log == "off" else [log_request_to(settings.log)]
    app.add_middleware(RequestTiming, observers=[metrics.count_request, *log])


def _in_transaction(database: Database, find: Callable[[Connection, str], Found]) -> Callable[[str], Found]:
    def look_up(name: str) -> Found:
        with database.reading() as connection:
            return find(connection, name)

    return look_up
