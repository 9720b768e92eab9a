"""Exports of a league's matches: written to files in constant memory, and kept in a folder until the league changes."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from shutil import copyfile, rmtree
from tempfile import gettempdir
from time import time
from typing import Literal

from sqlalchemy import URL, Connection

from ..history.history import History
from ..history.writers import Shape, write_table
from .errors import Unavailable
from .journal import journal
from .leagues import League

Format = Literal["csv", "parquet", "ndjson"]
CHUNK = 2_000  # matches in memory at once: larger chunks are hardly faster, and block other threads for longer
ABANDONED = 3600.0  # seconds after which an unfinished file is assumed to come from a crashed process
_FINISHED = re.compile(r"(\d+)-(\d+)-.*")


@dataclass(frozen=True)
class ExportSpec:
    """The format and the layout of an export; with `raw_names`, names are not escaped for spreadsheets.

    >>> ExportSpec("csv", "wide").file_name(7, revision=3)
    '7-3-wide.csv'
    """

    format: Format
    layout: Shape | None = None
    raw_names: bool = False

    def file_name(self, league: int, revision: int) -> str:
        """Return the name of the finished file, given the id of a league and a revision."""
        return f"{league}-{revision}-{self.layout or 'any'}{'-raw' * self.raw_names}.{self.format}"


def write_matches(
    connection: Connection, league: League, path: Path, spec: ExportSpec, pause: Callable[[], None] = lambda: None
) -> None:
    """Write the current matches of a league to a file; `pause` is called before every chunk and may raise to abort."""

    def chunks() -> Iterator[journal.JournalRows]:
        for rows in journal.chunks(connection, league, CHUNK):
            pause()
            yield rows

    def histories() -> Iterator[History]:
        rest = chunks()
        yield next(rest, journal.JournalRows.of([])).history(league)  # an empty league has an empty table
        for rows in rest:
            yield rows.history(league)

    if spec.format == "ndjson":
        with path.open("w", encoding="utf-8", newline="\n") as file:
            for rows in chunks():
                file.writelines(rows.json_lines(league))
    else:
        write_table(histories, path, f".{spec.format}", spec.layout, raw_names=spec.raw_names)


def export_folder(database: URL, folder: str = "") -> Path:
    """Return the folder for exports of a database: `folder`, or a default that is the same for all processes.

    >>> from .db.database import Database
    >>> export_folder(Database("sqlite:///league.db").url).name
    'league.db-exports'
    """
    if folder:
        return Path(folder)
    if database.get_backend_name() == "sqlite":
        return Path(f"{database.database}-exports")
    name = sha256(database.render_as_string(hide_password=True).encode()).hexdigest()[:16]
    return Path(gettempdir(), f"prowess-exports-{name}")


class ExportFolder:
    """A folder of finished exports, shared by several processes; files are named after the league and its revision.

    The folder also holds temporary entries: exports that are being written, and links to exports that are being sent. A
    download reads from its own link, so deleting a finished file never breaks the download.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as place:
    ...     folder, spec = ExportFolder(Path(place, "exports")), ExportSpec("csv")
    ...     scratch = folder.scratch(7)
    ...     _ = scratch.write_text("player1,rank1,player2,rank2")
    ...     folder.keep(scratch, 7, 1, spec)
    ...     before = folder.link(7, 1, spec)
    ...     folder.forget(7)
    ...     before is None, folder.link(7, 1, spec) is None
    (False, True)
    """

    def __init__(self, path: Path, limit: int = 0) -> None:
        self.path, self._limit = path, limit

    def _make(self) -> None:
        # Only the owner has access, because the folder holds matches of private leagues.
        self.path.mkdir(mode=0o700, exist_ok=True)
        status = self.path.lstat()
        if hasattr(os, "getuid") and (status.st_uid != os.getuid() or status.st_mode & 0o022):
            message = f"{self.path} can be written by other users; choose another folder for exports"
            raise Unavailable("exports cannot be written now", message)

    def _temporary(self, league: int) -> Path:
        return self.path / f"{league}-{token_hex(8)}.tmp"

    def scratch(self, league: int) -> Path:
        """Return a path to write a new export to. Call this before reading the matches, so that `forget` works."""
        self._make()
        folder = self._temporary(league)
        folder.mkdir()
        return folder / "matches"

    def keep(self, scratch: Path, league: int, revision: int, spec: ExportSpec) -> None:
        """Move a finished export to its final path, and delete the league's exports of earlier revisions."""
        finished = self.path / spec.file_name(league, revision)
        try:
            os.replace(scratch, finished)
        except FileNotFoundError:
            raise Unavailable("the matches changed during the export") from None
        self.discard(scratch)
        self._delete(lambda id, other: id == league and other < revision)
        self._make_room(finished)

    def discard(self, scratch: Path) -> None:
        """Delete an unfinished file."""
        rmtree(scratch.parent, ignore_errors=True)

    def link(self, league: int, revision: int, spec: ExportSpec) -> Path | None:
        """Return a new link to a finished file, which the caller must delete; None if there is no finished file."""
        finished, private = self.path / spec.file_name(league, revision), self._temporary(league)
        try:
            os.link(finished, private)
        except FileNotFoundError:
            return None
        except OSError:  # the file system has no links
            copyfile(finished, private)
        return private

    def forget(self, league: int) -> None:
        """Delete all exports of a league, given by its id; exports that are still being written will fail at the end.

        Call this after the transaction that erases a name or deletes the league. An export that begins later reads the
        changed matches. An export that began earlier has already created its scratch file, which is deleted here.
        """
        for entry in self._entries():
            if entry.name.startswith(f"{league}-"):
                _remove(entry)

    def sweep(self, revisions: Mapping[int, int]) -> None:
        """Delete exports of leagues that have changed or no longer exist, and files that crashed processes left behind.

        `revisions` maps the id of every league to its current revision.
        """
        self._delete(lambda league, revision: revision < revisions.get(league, revision + 1))
        for entry in self._entries():
            if entry.suffix == ".tmp" and _modified(entry) < time() - ABANDONED:
                _remove(entry)

    def clear(self) -> None:
        """Delete all finished exports. Call this after a restore, because revision numbers may then be used again."""
        self._delete(lambda league, revision: True)
        self.sweep({})

    def _entries(self) -> list[Path]:
        try:
            return list(self.path.iterdir())
        except FileNotFoundError:
            return []

    def _finished(self) -> Iterator[tuple[Path, int, int]]:
        for entry in self._entries():
            if entry.suffix != ".tmp" and (numbers := _FINISHED.fullmatch(entry.name)):
                yield entry, int(numbers[1]), int(numbers[2])

    def _delete(self, outdated: Callable[[int, int], bool]) -> None:
        for file, league, revision in self._finished():
            if outdated(league, revision):
                file.unlink(missing_ok=True)

    def _make_room(self, newest: Path) -> None:
        # The newest file stays, because a caller is about to use it.
        files = sorted((_modified(file), file) for file, *_ in self._finished() if file != newest)
        total = sum(map(_size, [newest, *(file for _, file in files)]))
        for _, file in files:
            if not self._limit or total <= self._limit:
                break
            total -= _size(file)
            file.unlink(missing_ok=True)


def _modified(path: Path) -> float:
    with suppress(OSError):
        return path.stat().st_mtime
    return 0.0  # deleted by another process


def _size(path: Path) -> int:
    with suppress(OSError):
        return path.stat().st_size
    return 0


def _remove(entry: Path) -> None:
    # A folder is renamed first, so that nobody can create files in it while it is deleted.
    with suppress(FileNotFoundError):
        if not entry.is_dir():
            entry.unlink()
            return
        gone = entry.with_name(f"0-{token_hex(8)}.tmp")
        entry.rename(gone)
        rmtree(gone, ignore_errors=True)
