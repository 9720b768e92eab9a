"""`prowess serve`: leagues over HTTP, with one command."""

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
from ..output.console import INTERRUPTED, note

NEEDED = {"fastapi": "FastAPI", "uvicorn": "Uvicorn", "sqlalchemy": "SQLAlchemy", "prometheus_client": "Prometheus"}

Demo = Annotated[
    bool,
    typer.Option("--demo", help="Show an example league, in a database that is gone afterwards unless one is given."),
]


def _settable(verb: Callable[..., None]) -> Callable[..., None]:
    """Give a verb an option for every setting, None where it is not given."""
    kinds = get_type_hints(Settings)
    own = inspect.signature(verb, eval_str=True).parameters["demo"].replace(kind=inspect.Parameter.KEYWORD_ONLY)
    parameters = [*(_option(one, kinds[one.name]) for one in fields(Settings)), own]
    verb.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    verb.__annotations__ = {part.name: part.annotation for part in parameters}
    return verb


def _option(one: Field[Any], kind: Any) -> inspect.Parameter:
    flag = f"--{one.name.replace('_', '-')}"
    several = kind == tuple[str, ...]
    least = {} if one.metadata["least"] is None else {"min": one.metadata["least"]}
    default: Any = one.default
    usual = ", ".join(default) if several else f"{default:g}" if kind is float else default
    else_it_is = "" if kind is bool or usual == "" else f" {usual} unless given."
    option = typer.Option(
        f"{flag}/--no-{flag[2:]}" if kind is bool else flag,
        help=one.metadata["help"] + else_it_is,
        metavar=one.metadata["metavar"],
        show_default=False,
        rich_help_panel=one.metadata["panel"],
        **least,
    )
    given: Any = list[str] | None if several else kind | None
    annotation: Any = Annotated[given, option]
    return inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


@_settable
def serve(demo: Demo = False, **given: Any) -> None:
    """Serve leagues over HTTP, as web pages and for programs: matches come in; ratings and fair matches come out.

    What is not given is taken from the environment, as PROWESS_DATABASE.

    \b
    prowess serve --demo
    prowess serve --database league.db --port 8080
    prowess serve --database postgresql://prowess@db.example/prowess --host 0.0.0.0 --workers 4
    """
    for module, package in NEEDED.items():
        import_extra(module, package, "service")
    from ...service.serving import open_socket
    from ...service.serving import serve as run

    if given["log"] not in (None, *LOGS):
        raise typer.BadParameter(f"{given['log']!r} must be one of {', '.join(LOGS)}", param_hint="--log")
    with (
        _place(_settings(given), demo and not _said(given, "database")) as settings,
        open_socket(settings.host, settings.port) as there,
    ):
        here = replace(settings, port=there.getsockname()[1])
        _prepare(here, demo)
        interrupted = run(here, there)
    note("the service has ended")
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def _said(given: dict[str, Any], name: str) -> bool:
    """Whether a setting was given, or stands in the environment."""
    return given[name] is not None or variable(name) in os.environ


def _settings(given: dict[str, Any]) -> Settings:
    """The settings; who looks at a terminal gets the log as text, unless told otherwise."""
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value not in (None, [])}
    if not _said(given, "log") and sys.stderr.isatty():
        chosen["log"] = "text"
    several = {name: tuple(value) for name, value in chosen.items() if isinstance(value, list)}
    return replace(Settings.from_env(), **chosen | several)


@contextmanager
def _place(settings: Settings, temporary: bool) -> Iterator[Settings]:
    """The settings, with a database of their own for as long as it is needed."""
    if not temporary:
        yield settings
        return
    with TemporaryDirectory(prefix="prowess-demo-") as folder:
        yield replace(settings, database=f"sqlite:///{Path(folder) / 'demo.db'}")


def _prepare(settings: Settings, demo: bool) -> None:
    """Bring the database up to date, and say where everything is."""
    from ...service.demo import LEAGUE, fill_demo, key_command
    from ...store import keys
    from ...store.db.database import Database

    database = Database(settings.database)
    try:
        database.migrate()
        secret = fill_demo(database) if demo else None
        with database.reading() as connection:
            keyless = not keys.list_keys(connection)
    finally:
        database.close()
    typer.echo(f"open {settings.address} in a browser")
    note(f"data is in {database.url.render_as_string(hide_password=True)}")
    if secret is not None:
        typer.echo(f"league: {settings.address}/leagues/{LEAGUE}/standings")
        typer.echo(f"key: {secret}")
        note("sign in with this key to enter results; programs find the same under /api")
    elif keyless:
        note(f"there is no key yet, and without one nothing can be recorded: {key_command(database)}")
    sys.stdout.flush()
