"""`prowess import`: a file of matches into a league of the service."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ... import History
from ...history.read_options import Choices
from ...text import count
from ..options.db_args import COMMAND_LINE, DEFAULT_URL, Url, open_database
from ..options.read_args import File, read
from ..options.shared import Json, add_shared_options
from ..output.console import busy, get_console, note, printable
from ..output.json import print_json

if TYPE_CHECKING:
    from ...store.db.database import Database as Store
    from ...store.write.importing import Imported

League = Annotated[
    str, typer.Option(metavar="NAME", help="The league; it is founded if it is not there.", show_default=False)
]
Private = Annotated[bool, typer.Option("--private", help="Where the league is founded: reading it needs a key.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Change nothing, and say what would happen.")]


@add_shared_options
def import_(
    file: File,
    league: League,
    choices: Choices,
    given_preset: tuple[str, dict[str, Any]] | None,
    database: Url = DEFAULT_URL,
    private: Private = False,
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Bring a file of matches into a league of the service; the same file once more changes nothing.

    All matches are recorded at once or not at all, also while the service runs. The times of the file say on which
    clock a league that is founded is: dates, plain numbers, or none.

    \b
    prowess import examples/league.csv --league "Tuesday darts"
    prowess import examples/league.csv --league darts --model ts2 --set beta=3
    prowess import examples/league.csv --league darts --dry-run
    """
    history = read(file, choices)
    with busy(f"importing {count(len(history), 'match', 'matches')}"):
        done = _imported(history, file, league, given_preset, database, private, dry_run)
    if json:
        print_json(_plain(done, league, dry_run))
    else:
        _print(done, league, dry_run)
    if given_preset is not None and not done.founded:
        note("--model and --set are of no use here: the league is there, and keeps its model")


def _imported(
    history: History,
    file: Path,
    league: str,
    preset: tuple[str, dict[str, Any]] | None,
    database: str,
    private: bool,
    dry_run: bool,
) -> Imported:
    from ...store.leagues import Preset
    from ...store.write.importing import import_history

    with _opened(database, dry_run) as store:
        return import_history(
            store,
            history,
            league,
            preset=None if preset is None else Preset(*preset),
            public=not private,
            author=COMMAND_LINE,
            reason=file.name,
            dry_run=dry_run,
        )


@contextmanager
def _opened(url: str, dry_run: bool) -> Iterator[Store]:
    """The database, made if it is not there; but a dry run does not even make an empty one."""
    with TemporaryDirectory() as folder, open_database(url, new=True) as asked:
        absent = asked.dialect == "sqlite" and not Path(str(asked.url.database)).exists()
        with open_database(f"{folder}/empty.db" if dry_run and absent else url, new=True) as store:
            store.migrate()
            yield store


def _plain(done: Imported, title: str, dry_run: bool) -> dict[str, Any]:
    """What was done, for machines."""
    from ...store.leagues import slug

    return {
        "league": slug(title),
        "title": title if done.league is None else done.league.title,
        "founded": done.founded,
        "matches": done.matches,
        "repeated": done.repeated,
        "players": done.players,
        "revision": done.revision,
        "dry_run": dry_run,
    }


def _print(done: Imported, title: str, dry_run: bool) -> None:
    """What was done, in a sentence or two."""
    from ...store.leagues import slug

    new = done.matches - done.repeated
    would = "would be " if dry_run else ""
    founded = f"the league {slug(title)!r} {'would be' if dry_run else 'is'} founded; " if done.founded else ""
    said = f"{founded}{count(new, 'match', 'matches')} of {count(done.players, 'player', 'players')} {would}imported"
    if done.repeated:
        said = f"{said}, {count(done.repeated, 'was', 'were')} there already"
    get_console().print(printable(f"{said}; revision {done.revision:,}" if not dry_run else said), soft_wrap=True)
