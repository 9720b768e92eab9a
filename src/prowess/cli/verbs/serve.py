"""`prowess serve`: run the web service."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import Field, fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, get_type_hints

import typer

from ...optional import import_extra
from ...service.settings import LOGS, Settings, variable
from ..options.db_args import open_database
from ..options.read_args import make_option
from ..output.console import INTERRUPTED, note

PACKAGES = {"fastapi": "FastAPI", "uvicorn": "Uvicorn", "sqlalchemy": "SQLAlchemy", "prometheus_client": "Prometheus"}
DEMO_HELP = "Show an example league, in a temporary database unless --database is given."

Demo = Annotated[bool, typer.Option("--demo", help=DEMO_HELP)]


def _add_settings(verb: Callable[..., None]) -> Callable[..., None]:
    """Give a verb an option for every setting of the service; the default of each is None."""
    kinds = get_type_hints(Settings)
    demo = inspect.signature(verb, eval_str=True).parameters["demo"].replace(kind=inspect.Parameter.KEYWORD_ONLY)
    parameters = [*(_make_option(field, kinds[field.name]) for field in fields(Settings)), demo]
    verb.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    verb.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return verb


def _make_option(field: Field[Any], kind: Any) -> inspect.Parameter:
    several = kind == tuple[str, ...]
    value: Any = field.default
    default = ", ".join(value) if several else f"{value:g}" if kind is float else value
    return make_option(
        field.name,
        list[str] | None if several else kind | None,
        field.metadata["panel"],
        help=field.metadata["help"] + ("" if kind is bool or default == "" else f" (default: {default})"),
        metavar=field.metadata["metavar"],
        min=field.metadata["least"],
    )


@_add_settings
def serve(demo: Demo = False, **options: Any) -> None:
    """Run the web service: pages for people and an HTTP API for programs.

    Options that are not given are read from the environment, for example PROWESS_DATABASE.

    \b
    prowess serve --demo
    prowess serve --database league.db --port 8080
    prowess serve --database postgresql://prowess@db.example/prowess --host 0.0.0.0 --workers 4
    """
    for module, package in PACKAGES.items():
        import_extra(module, package, "service")
    from ...service.serving import open_socket
    from ...service.serving import serve as run_service

    if options["log"] not in (None, *LOGS):
        raise typer.BadParameter(f"{options['log']!r} must be one of {', '.join(LOGS)}", param_hint="--log")
    temporary = demo and not _is_set(options, "database")
    with (
        _with_database(_make_settings(options), temporary) as settings,
        open_socket(settings.host, settings.port) as listener,
    ):
        settings = replace(settings, port=listener.getsockname()[1])
        _prepare(settings, demo)
        interrupted = run_service(settings, listener)
    note("the service has stopped")
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def _is_set(options: dict[str, Any], name: str) -> bool:
    return options[name] is not None or variable(name) in os.environ


def _make_settings(options: dict[str, Any]) -> Settings:
    changes: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in options.items()
        if value not in (None, [])
    }
    if not _is_set(options, "log") and sys.stderr.isatty():
        changes["log"] = "text"
    return replace(Settings.from_env(), **changes)


@contextmanager
def _with_database(settings: Settings, temporary: bool) -> Iterator[Settings]:
    if not temporary:
        yield settings
        return
    with TemporaryDirectory(prefix="prowess-demo-") as folder:
        yield replace(settings, database=f"sqlite:///{Path(folder) / 'demo.db'}")


def _prepare(settings: Settings, demo: bool) -> None:
    """Migrate the database, and print the addresses of the service and how to sign in."""
    from ...service.demo import LEAGUE, fill_demo, key_command
    from ...store import keys

    with open_database(settings.database, new=True) as database:
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
        note(f"no keys yet; to record matches, create one: {key_command(database)}")
    sys.stdout.flush()
