"""`prowess doctor`: check the database, the settings and the machine of a service."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...text import count
from ..options.db_args import AUTHOR, open_database
from ..options.settings_args import add_settings, make_settings
from ..options.shared import Json
from ..output.console import busy, get_console, note, print_json, printable

if TYPE_CHECKING:
    from ...service.settings import Settings
    from ...store.db.database import Database
    from ...store.doctor import Check

MARKS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "problem": ("✗", "red")}
REPAIRABLE = ("ratings", "checkpoints")
UNREADABLE = ("database", "version", "tables")  # if these checks find a problem, the keys cannot be read either

Backups = Annotated[Path | None, typer.Option(metavar="FOLDER", help="Also check the latest backup in this folder.")]
Repair = Annotated[
    bool, typer.Option("--repair", help="Recompute a league's ratings from its journal if they are wrong.")
]


@add_settings
def doctor(backups: Backups = None, repair: Repair = False, json: Json = False, **options: Any) -> None:
    """Check the database of a service, its ratings (against a replay of the journal), its settings, and the machine.

    Run this command as the user of your `prowess serve`, with the same options and environment. Without --repair, it
    changes nothing, and the service can keep running. The exit code is 1 if there is a problem; warnings alone do not
    change it.

    \b
    prowess doctor
    prowess doctor --database league.db --host 0.0.0.0 --forwarded 10.0.0.2
    prowess doctor --backups /var/backups/prowess --json
    """
    settings = make_settings(options)
    with open_database(settings.database) as database:
        url = database.url.render_as_string(hide_password=True)
        with busy(f"checking {url}"):
            checks = _examine(database, settings, backups)
        leagues = sorted({check.league for check in checks if check.league and check.name in REPAIRABLE})
        if repair and leagues:
            with busy(f"repairing {url}"):
                _repair(database, leagues)
                # Check again, to see whether the repair worked.
                checks = _examine(database, settings, backups)
    if json:
        print_json({"database": url, "checks": [vars(check) for check in checks]})
    else:
        _print(checks)
    if any(check.status == "problem" for check in checks):
        raise typer.Exit(1)


def _examine(database: Database, settings: Settings, backups: Path | None) -> list[Check]:
    from ...service.doctor import examine_keys, examine_machine, examine_settings
    from ...store.doctor import examine, examine_backups

    checks = list(examine(database))
    if not {check.name for check in checks if check.status == "problem"}.intersection(UNREADABLE):
        with database.reading() as connection:
            checks += examine_keys(connection)
    if backups is not None:
        checks.append(examine_backups(backups))
    return [*checks, *examine_settings(settings), *examine_machine(settings, database)]


def _repair(database: Database, leagues: Sequence[str]) -> None:
    from ...store.doctor import repair

    for league in leagues:
        repair(database, league, AUTHOR)
        note(f"{league}: rated all matches again")


def _print(checks: Sequence[Check]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 1))
    for check in checks:
        mark, style = MARKS[check.status]
        table.add_row(Text(mark, style=f"bold {style}"), Text(check.name), Text(printable(check.text)))
        if check.hint and check.status != "ok":
            table.add_row("", "", Text(f"→ {printable(check.hint)}", style="dim"))
    console = get_console()
    console.print(table)
    console.print(Text(_summary(checks), style="bold"))


def _summary(checks: Sequence[Check]) -> str:
    found = Counter(check.status for check in checks)
    problems, warnings = count(found["problem"], "problem", "problems"), count(found["warning"], "warning", "warnings")
    return f"{problems}, {warnings}" if found["problem"] or found["warning"] else "No problems."
