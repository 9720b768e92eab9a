"""`prowess backup`: everything that the service knows, as one file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...text import count
from ..options.db_args import DEFAULT_URL, Url, open_database
from ..options.shared import Json
from ..output.console import note
from ..output.json import print_json

if TYPE_CHECKING:
    from ...store.db.backup import Copied

File = Annotated[Path, typer.Argument(metavar="FILE", help="The file to write. An earlier backup is replaced.")]


def backup(file: File, database: Url = DEFAULT_URL, json: Json = False) -> None:
    """Write a backup of the service: all leagues, matches with their revisions, ratings and keys, as of this moment.

    The service may go on meanwhile. Of keys a backup has the hashes, never the secrets.

    \b
    prowess backup leagues.backup
    prowess backup leagues.backup --database postgresql://prowess@localhost/prowess
    """
    with open_database(database) as db:
        from ...store.db.backup import backup as write

        copied = write(db, file)
    if json:
        print_json(to_json(file, copied))
    note(f"wrote {file}: {summary(copied)}")


def to_json(file: Path, copied: Copied) -> dict[str, Any]:
    """Return what was copied, as plain data for JSON."""
    return {"file": str(file), "bytes": file.stat().st_size, "version": copied.version, "rows": copied.rows}


def summary(copied: Copied) -> str:
    """Return what was copied, in words."""
    rows = copied.rows
    matches = count(rows["journal"], "revision of a match", "revisions of matches")
    return f"{count(rows['league'], 'league', 'leagues')}, {matches}, {count(rows['key'], 'key', 'keys')}"


BackupFile = Annotated[Path, typer.Argument(metavar="FILE", help="A file that `prowess backup` wrote.")]


def restore(file: BackupFile, database: Url = DEFAULT_URL, json: Json = False) -> None:
    """Restore a backup into an empty database, of the same kind or the other; a SQLite file is made.

    This is also the way from SQLite to PostgreSQL, and back. If it fails, nothing has changed.

    \b
    prowess restore leagues.backup --database sqlite:///again.db
    prowess restore leagues.backup --database postgresql://prowess@localhost/prowess
    """
    with open_database(database, new=True) as db:
        from ...store.db.backup import restore as read

        copied = read(file, db)
        where = db.url.render_as_string(hide_password=True)
    if json:
        print_json(to_json(file, copied))
    note(f"restored {file} into {where}: {summary(copied)}")
