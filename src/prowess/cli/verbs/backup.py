"""`prowess backup` and `prowess restore`: save the service's whole database to one file, and load it again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...text import count
from ..options.db_args import DEFAULT_URL, Url, open_database
from ..options.shared import Json
from ..output.console import note, print_json

if TYPE_CHECKING:
    from ...store.db.backup import Copied

File = Annotated[Path, typer.Argument(metavar="FILE", help="The file to write; an earlier backup is replaced.")]
BackupFile = Annotated[Path, typer.Argument(metavar="FILE", help="A file written by `prowess backup`.")]


def backup(file: File, database: Url = DEFAULT_URL, json: Json = False) -> None:
    """Back up the service: all leagues, matches with their revisions, ratings and keys.

    The service can keep running. Keys are backed up as hashes, never as secrets.

    \b
    prowess backup leagues.backup
    prowess backup leagues.backup --database postgresql://prowess@localhost/prowess
    """
    with open_database(database) as db:
        # The store is imported after the check for its optional packages.
        from ...store.db.backup import backup as write_backup

        copied = write_backup(db, file)
    _print(file, copied, json, f"wrote {file}")


def restore(file: BackupFile, database: Url = DEFAULT_URL, json: Json = False) -> None:
    """Restore a backup into an empty SQLite or PostgreSQL database; a missing SQLite file is created.

    Backup and restore also move a service from SQLite to PostgreSQL or back. If the restore fails, nothing is changed.

    \b
    prowess restore leagues.backup --database sqlite:///again.db
    prowess restore leagues.backup --database postgresql://prowess@localhost/prowess
    """
    with open_database(database, new=True, create=True) as db:
        from ...store.db.backup import restore as read_backup

        copied = read_backup(file, db)
        url = db.url.render_as_string(hide_password=True)
    _print(file, copied, json, f"restored {file} into {url}")


def _print(file: Path, copied: Copied, json: bool, done: str) -> None:
    rows = copied.rows
    if json:
        size = file.stat().st_size
        print_json({"file": str(file), "bytes": size, "version": copied.version, "rows": rows})
    matches = count(rows["journal"], "match revision", "match revisions")
    note(f"{done}: {count(rows['league'], 'league', 'leagues')}, {matches}, {count(rows['key'], 'key', 'keys')}")
