"""`prowess import`: load a file of matches into a league of the service."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...history.read_options import Choices
from ...text import count
from ..options.db_args import AUTHOR, DEFAULT_URL, Create, Url, open_database
from ..options.model_args import ModelChoice, check_preset
from ..options.read_args import File, read
from ..options.shared import Json, add_shared_options
from ..output.console import busy, get_console, note, print_json, printable

if TYPE_CHECKING:
    from ...store.choices import Chosen
    from ...store.db.database import Database
    from ...store.write.importing import Imported

FEW = 5  # aliases that are listed
League = Annotated[str, typer.Option(metavar="NAME", help="The league; it is created if it does not exist.")]
Private = Annotated[bool, typer.Option("--private", help="Create the league as private: reading it needs a key.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Change nothing; show what would happen.")]


@add_shared_options
def import_(
    file: File,
    league: League,
    choices: Choices,
    given_preset: ModelChoice | None,
    database: Url = DEFAULT_URL,
    private: Private = False,
    create: Create = False,
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Import a file of matches into a league of the service; importing it again changes nothing.

    Either all matches are recorded or none, even while the service is running. A new league uses the kind of times in
    the file: dates, plain numbers, or none. Without --model, a model is chosen for the matches of an empty league.

    \b
    prowess import examples/league.csv --league "Tuesday darts"
    prowess import examples/league.csv --league darts --model ts2 --set beta=3 --drift time
    prowess import examples/league.csv --league darts --dry-run
    """
    if given_preset is not None:
        check_preset(given_preset)
        given_preset = None if given_preset.auto else given_preset
    history = read(file, choices)
    given_preset = given_preset and given_preset.resolve(history)
    with (
        busy(f"importing {count(len(history), 'match', 'matches')}"),
        _open_database(database, dry_run, create) as db,
    ):
        from ...service.background.model_choice import choose_for_import
        from ...store.leagues import Preset
        from ...store.write.importing import import_history

        imported = import_history(
            db,
            history,
            league,
            preset=None if given_preset is None else Preset(given_preset.name, given_preset.values()),
            choose=choose_for_import,
            public=not private,
            author=AUTHOR,
            reason=file.name.encode(errors="replace").decode(),  # file names need not be UTF-8
            dry_run=dry_run,
        )
    if json:
        print_json(_to_dict(imported, league, dry_run))
    else:
        _print(imported, league, dry_run)
    if given_preset is not None and not imported.founded:
        note("the options of the rating system were ignored: the league already exists and keeps its model")


@contextmanager
def _open_database(url: str, dry_run: bool, create: bool) -> Iterator[Database]:
    # If the database is missing, a dry run uses a temporary one.
    with TemporaryDirectory() as folder, open_database(url, new=True, create=create) as existing:
        # A file is created by migrating, not by opening, so a dry run leaves no file behind.
        missing = existing.dialect == "sqlite" and not Path(str(existing.url.database)).exists()
        place = f"{folder}/empty.db" if dry_run and missing else url
        with open_database(place, new=True, create=create) as database:
            database.migrate()
            yield database


def _to_dict(imported: Imported, title: str, dry_run: bool) -> dict[str, Any]:
    from ...store.leagues import slug

    return {
        "league": slug(title),
        "title": title if imported.league is None else imported.league.title,
        "founded": imported.founded,
        "matches": imported.matches,
        "repeated": imported.repeated,
        "players": imported.players,
        "revision": imported.revision,
        "aliases": dict(imported.aliases),
        "chosen": None if imported.chosen is None else _chosen_dict(imported.chosen),
        "dry_run": dry_run,
    }


def _chosen_dict(chosen: Chosen) -> dict[str, Any]:
    model = {"name": chosen.preset.name, "parameters": dict(chosen.preset.parameters)}
    return {"model": model, "parts": chosen.answer["parts"], "explanation": chosen.answer["lines"]}


def _print(imported: Imported, title: str, dry_run: bool) -> None:
    from ...store.leagues import slug

    text = f"would create league {slug(title)!r}; " if dry_run else f"created league {slug(title)!r}; "
    text = text if imported.founded else ""
    new = count(imported.matches - imported.repeated, "match", "matches")
    text += f"{'would import' if dry_run else 'imported'} {new} of {count(imported.players, 'player', 'players')}"
    if imported.repeated:
        text += f", skipped {count(imported.repeated, 'match that is', 'matches that are')} already recorded"
    if imported.aliases:
        names = [f"{alias} is {player}" for alias, player in list(imported.aliases.items())[:FEW]]
        more = len(imported.aliases) - len(names)
        text += f"; aliases: {', '.join(names)}{f' and {more:,} more' if more else ''}"
    if not dry_run:
        text += f"; revision {imported.revision:,}"
    get_console().print(printable(text), soft_wrap=True)
    if imported.chosen is not None:
        get_console().print("\n".join(imported.chosen.answer["lines"]), soft_wrap=True)
