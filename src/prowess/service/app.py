"""The app: routes, middleware, and what is opened at its start and closed at its end."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.middleware.cors import CORSMiddleware

from .. import __version__
from ..store import keys, leagues
from ..store.db.database import Database
from ..store.keys import Key
from ..store.leagues import League
from ..store.read.match_views import Chronicles
from ..store.read.standings import Followers
from ..store.write.writer import Writer
from .api import matches
from .api.routers import ROUTERS
from .auth import Identify, bearer
from .background.jobs import Analyst
from .background.prewarm import Warming
from .context import Service
from .errors import Problems, register
from .logs import lines
from .metrics import Metrics
from .middleware.fast_post import Lean
from .middleware.headers import Headers, Heads
from .middleware.limits import BodyLimit, Buckets, RateLimit
from .middleware.timing import Watch
from .openapi import document
from .pages.routers import ROUTERS as PAGES
from .pages.web.errors import ErrorPages
from .serving import not_orphaned, told_of_the_end
from .settings import Settings
from .ttl_cache import Recent

__all__ = ["create_app"]

EXPOSED = ["X-Request-ID", "Retry-After"]  # what pages of other sites may see beside the answer


def create_app(settings: Settings | None = None) -> FastAPI:
    """The service as an ASGI app; without settings they come from the environment.

    >>> create_app(Settings(database="sqlite:///league.db")).title
    'prowess'
    """
    chosen = settings or Settings.from_env()
    database = Database(chosen.database)
    known: Recent[Key | None] = Recent(_looked_up(database, keys.find))
    metrics = Metrics()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await run_in_threadpool(database.migrate)
        there: Recent[League] = Recent(_looked_up(database, leagues.find))
        writer, chronicles = Writer(database, metrics.committed), Chronicles()
        analyst, standings = Analyst(database, chronicles), Followers(chronicles)
        warming = Warming(database, standings, chronicles)
        service = Service(chosen, database, writer, standings, chronicles, known, there, metrics, analyst, warming)
        app.state.service = service
        _look_for_garbage_less()
        try:
            with told_of_the_end(service.closing.set), not_orphaned():
                yield
        finally:
            await run_in_threadpool(warming.close)
            await run_in_threadpool(analyst.close)
            await run_in_threadpool(service.writer.close)
            await run_in_threadpool(database.close)

    app = FastAPI(title="prowess", version=__version__, docs_url=None, redoc_url=None, lifespan=lifespan)
    app.openapi = lambda: document(app)  # type: ignore[method-assign]
    register(app)
    for router in (*ROUTERS, *PAGES):
        app.router.routes.extend(router.routes)  # flat: a request is not led through routers of routers
    _wrap(app, chosen, known, metrics)
    return app


def _look_for_garbage_less() -> None:
    """What is there from the start stays, and a batch makes thousands of objects that are no garbage."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def _wrap(app: FastAPI, settings: Settings, known: Recent[Key | None], metrics: Metrics) -> None:
    """Put the middleware around an app; the last that is added comes first."""

    def key_of(headers: Any) -> int | None:
        secret = bearer(headers)
        key = known.last(secret) if secret else None
        return key.id if key else None

    def buckets(rate: float, burst: int) -> Buckets | None:
        return Buckets(rate, burst) if rate else None

    [posts] = [
        one for one in matches.router.routes if isinstance(one, APIRoute) and one.endpoint is matches.create_match
    ]
    app.add_middleware(Lean, route=posts, quick=matches.post_plainly)
    app.add_middleware(Identify, keys=known)
    app.add_middleware(
        RateLimit,
        addresses=buckets(settings.rate_limit, settings.rate_burst),
        keys=buckets(settings.key_rate_limit, settings.key_rate_burst),
        known=key_of,
    )
    app.add_middleware(BodyLimit, most=settings.body_limit, most_import=settings.import_limit)
    app.add_middleware(Problems)
    app.add_middleware(ErrorPages)
    app.add_middleware(Heads)  # around those who look into what is sent, which HEAD leaves out
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.cors_origins),
            allow_methods=["*"],
            allow_headers=["*"],
            expose_headers=EXPOSED,
        )
    app.add_middleware(Headers)
    watchers = [metrics.seen] if settings.log == "off" else [metrics.seen, lines(settings.log)]
    app.add_middleware(Watch, watchers=watchers)


def _looked_up(database: Database, find: Callable[[Any, str], Any]) -> Callable[[str], Any]:
    """A question to the database, in a transaction of its own."""

    def look_up(name: str) -> Any:
        with database.reading() as connection:
            return find(connection, name)

    return look_up
