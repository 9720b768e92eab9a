"""`prowess serve`: run the web service."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from ...optional import import_extra
from ...service.settings import Settings
from ..options.db_args import Create, open_database
from ..options.settings_args import add_settings, is_set, make_settings
from ..output.console import INTERRUPTED, note

PACKAGES = {"fastapi": "FastAPI", "uvicorn": "Uvicorn", "sqlalchemy": "SQLAlchemy", "prometheus_client": "Prometheus"}
DEMO_HELP = "Show an example league, in a temporary database unless --database is given."

Demo = Annotated[bool, typer.Option("--demo", help=DEMO_HELP)]


@add_settings
def serve(demo: Demo = False, create: Create = False, **options: Any) -> None:
    """Run the web service: pages for people and an HTTP API for programs.

    Options that are not given are read from the environment, for example PROWESS_DATABASE.

    \b
    prowess serve --demo
    prowess serve --database league.db --port 8080
    prowess serve --database postgresql://prowess@db.example/prowess --host 0.0.0.0 --workers 4
    """
    for module, package in PACKAGES.items():
        import_extra(module, package, "service")
    from ...service.serving import ignore_hangup, open_socket
    from ...service.serving import serve as run_service

    ignore_hangup()
    temporary = demo and not is_set(options, "database")
    with (
        _with_database(make_settings(options), temporary) as settings,
        # A port that is in use must be reported before the database is touched.
        open_socket(settings.host, settings.port) as listener,
    ):
        # With port 0, the system has chosen a port.
        settings = replace(settings, port=listener.getsockname()[1])
        _prepare(settings, demo, create)
        interrupted = run_service(settings, listener)
    note("the service has stopped")
    if interrupted:
        raise typer.Exit(INTERRUPTED)


@contextmanager
def _with_database(settings: Settings, temporary: bool) -> Iterator[Settings]:
    if not temporary:
        yield settings
        return
    with TemporaryDirectory(prefix="prowess-demo-") as folder:
        yield replace(settings, database=f"sqlite:///{Path(folder) / 'demo.db'}")


def _prepare(settings: Settings, demo: bool, create: bool) -> None:
    from ...service.auth import key_command
    from ...service.demo import LEAGUE, fill_demo
    from ...store import keys

    with open_database(settings.database, new=True, create=create) as database:
        database.migrate()
        secret = fill_demo(database) if demo else None
        with database.reading() as connection:
            has_keys = bool(keys.list_keys(connection))
    typer.echo(f"open {settings.address} in a browser")
    note(f"database: {database.url.render_as_string(hide_password=True)}")
    if secret is not None:
        typer.echo(f"league: {settings.address}/leagues/{LEAGUE}/standings")
        typer.echo(f"key: {secret}")
        note("sign in with this key to enter results; the HTTP API is at /api")
    elif not has_keys:
        note(f"no keys yet; to record matches, create one: {key_command('admin', database=database)}")
    # Flush, so that the address appears even in a pipe before the service waits for requests.
    sys.stdout.flush()
