"""The app in this process, behind a real server on a free local port."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import httpx
import uvicorn
from fastapi import Depends, FastAPI, Request
from prometheus_client.parser import text_string_to_metric_families

import prowess as pw
from prowess.service.app import create_app
from prowess.service.auth import Access, GlobalPermission, LeaguePermission
from prowess.service.concurrency import run_in_threadpool
from prowess.service.connections import HttpProtocol
from prowess.service.serving import open_socket
from prowess.service.settings import Settings
from prowess.store import keys, leagues

SCOPES = ("read", "write", "admin")


def probed(settings: Settings) -> FastAPI:
    """Return the app with extra routes that show the effect of its middleware."""
    app = create_app(settings)
    for scope in SCOPES:

        def touch(league: str, access: Annotated[Access, Depends(LeaguePermission(scope))]) -> dict[str, Any]:
            return {"league": access.league, "author": access.author}

        def rule(key: Annotated[Any, Depends(GlobalPermission(scope))]) -> dict[str, Any]:
            return {"author": key.name}

        app.post(f"/api/leagues/{{league}}/{scope}", name=f"touch_{scope}")(touch)
        app.post(f"/probe/everywhere/{scope}", name=f"rule_{scope}")(rule)

    @app.post("/probe/body")
    @app.post("/api/leagues/probe/import", include_in_schema=False)
    async def body(request: Request) -> int:
        return len(await request.body())

    app.router.routes.insert(0, app.router.routes.pop(-2))  # so that it comes before the route that it replaces

    @app.post("/probe/work")
    async def work(seconds: float) -> None:
        def spin() -> None:
            end = time.thread_time() + seconds
            while time.thread_time() < end:
                pass

        await run_in_threadpool(spin)

    @app.post("/probe/error")
    def error(message: str, field: str | None = None, match: int | None = None) -> None:
        raise pw.Error(message, field=field, match=match)

    @app.post("/probe/failure")
    def failure() -> None:
        raise RuntimeError("the password is swordfish")

    @app.post("/probe/form")
    def form(given: dict[str, list[int]]) -> int:
        return len(given)

    return app


@contextmanager
def served(app: FastAPI) -> Iterator[httpx.Client]:
    """Run an app behind a server, and yield a client."""
    with open_socket("127.0.0.1", 0) as there:
        server = uvicorn.Server(
            uvicorn.Config(app, http=HttpProtocol, lifespan="on", log_config=None, access_log=False)
        )
        thread = threading.Thread(target=server.run, args=([there],))
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive(), "the server did not start"
                time.sleep(0.005)
            with httpx.Client(base_url=f"http://127.0.0.1:{there.getsockname()[1]}") as client:
                yield client
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def service(folder: Path, **settings: Any) -> Iterator[tuple[httpx.Client, FastAPI]]:
    """Run the app with the extra routes behind a server, on a database in the folder."""
    given = {"database": f"sqlite:///{folder / 'league.db'}", "log": "off", **settings}
    app = probed(Settings(**given))
    with served(app) as client:
        yield client, app


def filled(app: FastAPI) -> dict[str, str]:
    """Create a public and a private league, and keys of every scope.

    Return the secrets in a dict with keys such as `read@open` (one league) or `read@*` (all leagues).
    """
    found = {}
    with app.state.service.database.writing() as connection:
        leagues.create(connection, "open")
        leagues.create(connection, "closed", public=False)
        for league in ("open", "closed", None):
            for scope in SCOPES:
                name = f"{scope}@{league or '*'}"
                _, found[name] = keys.create(connection, name, scope, league)
    return found


def bearing(secret: str | None) -> dict[str, str]:
    """Return the Authorization header of a key."""
    return {} if secret is None else {"Authorization": f"Bearer {secret}"}


def metrics(app: FastAPI) -> dict[Any, float]:
    """Return the samples of an app's metrics, by name and labels."""
    return samples(app.state.service.metrics.export().decode())


def samples(page: str) -> dict[Any, float]:
    """Return the samples of a metrics page, by name and labels."""
    return {
        (one.name, *sorted(one.labels.items())): one.value
        for family in text_string_to_metric_families(page)
        for one in family.samples
    }
