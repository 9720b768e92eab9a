"""`prowess restore`: a backup becomes a database again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .backup import said, summary
from .database import USUAL, Url, opened
from .machine import print_json
from .options import Json
from .screen import note

__all__ = ["restore"]

File = Annotated[Path, typer.Argument(metavar="FILE", help="A file that `prowess backup` wrote.")]


def restore(file: File, database: Url = USUAL, json: Json = False) -> None:
    """Restore a backup into an empty database, of the same kind or the other; a SQLite file is made.

    This is also the way from SQLite to PostgreSQL, and back. If it fails, nothing has changed.

    \b
    prowess restore leagues.backup --database sqlite:///again.db
    prowess restore leagues.backup --database postgresql://prowess@localhost/prowess
    """
    with opened(database, new=True) as found:
        from ..store.backup import restore as read

        copied = read(file, found)
        where = found.url.render_as_string(hide_password=True)
    if json:
        print_json(said(file, copied))
    note(f"restored {file} into {where}: {summary(copied)}")
