"""Where bytes come from: a file, standard input, or what is packed in one of them."""

import bz2
import gzip
import io
import lzma
import os
import stat
import sys
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error

_PACKED = {b"\x1f\x8b": gzip.decompress, b"BZh": bz2.decompress, b"\xfd7zXZ\x00": lzma.decompress}
_PACKED_ENDINGS = (".gz", ".bz2", ".xz", ".zip")
BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, RuntimeError, ValueError)


@dataclass(frozen=True)
class Source:
    """Bytes and what they are called: in a file that may be larger than memory, or held in memory.

    >>> Source("games.csv", ".csv", data=b"winner,loser").head(6)
    b'winner'
    """

    title: str
    ending: str
    path: Path | None = None
    data: bytes = b""
    lines_before: int = 0  # of a part of a file, how many lines stand above it

    def __str__(self) -> str:
        """Give what it is called."""
        return self.title

    def open(self) -> IO[bytes]:
        """Open it, at its first byte."""
        if self.path is None:
            return io.BytesIO(self.data)
        try:
            return self.path.open("rb")
        except OSError as error:
            raise Error(f"{self.title}: it cannot be read: {error.strerror or error}") from error

    def head(self, size: int) -> bytes:
        """Give the first bytes."""
        with self.open() as stream:
            return stream.read(size)

    def whole(self) -> bytes:
        """Give all bytes."""
        if self.path is None:
            return self.data
        with self.open() as stream:
            return stream.read()

    def lines(self) -> Iterator[bytes]:
        """Give the lines."""
        with self.open() as stream:
            yield from stream

    def array(self) -> NDArray[np.uint8]:
        """Give all bytes as numbers, those of a file as they are needed."""
        if self.path is None:
            return np.frombuffer(self.data, np.uint8)
        return np.asarray(np.memmap(self.path, np.uint8, "r")) if self.path.stat().st_size else np.zeros(0, np.uint8)

    def for_polars(self) -> Any:
        """Give what a reader of Polars takes: the path where there is one, because it is read without a copy."""
        return io.BytesIO(self.data) if self.path is None else self.path


def open_source(path: str | os.PathLike[str], title: str | None = None) -> Source:
    """Find the bytes of a path, unpacked; `-` is standard input. Messages call it `title`, or else by its path."""
    if not isinstance(path, (str, os.PathLike)):
        raise Error(f"read needs the path of a file, not {type(path).__name__}; from_frame takes a frame")
    if os.fspath(path) == "-":
        return _unpacked(Source("standard input", "", data=_standard_input()))
    file = Path(path)
    try:
        mode = file.stat().st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise Error(f"{str(file).encode(errors='replace').decode()}: there is no such file") from None
    except OSError as error:
        raise Error(f"{file}: it cannot be read: {error.strerror or error}") from error
    if stat.S_ISDIR(mode):
        raise Error(f"{file}: it is a folder: name a file in it")
    source = Source(title or str(file), file.suffix.lower(), file)
    if not stat.S_ISREG(mode):  # a pipe can be read once only
        source = Source(str(file), file.suffix.lower(), data=source.whole())
    return _unpacked(source)


def _standard_input() -> bytes:
    if sys.stdin is None or sys.stdin.closed:
        raise Error("standard input: it is closed")
    return sys.stdin.buffer.read()


def _unpacked(source: Source) -> Source:
    """Unpack what is compressed; the ending is then that of what was inside."""
    head = source.head(6)
    inside = (
        Path(Path(source.path or source.title).stem).suffix.lower()
        if source.ending in _PACKED_ENDINGS
        else source.ending
    )
    if head.startswith(b"PK\x03\x04"):
        return _unzipped(source)
    unpack = next((unpack for magic, unpack in _PACKED.items() if head.startswith(magic)), None)
    if unpack is None and head and source.ending in _PACKED_ENDINGS:
        raise Error(f"{source}: it could not be read: a {source.ending} file begins with other bytes")
    if unpack is None:
        return source
    try:
        return Source(source.title, inside, data=unpack(source.whole()))
    except BROKEN as error:
        raise Error(f"{source}: it could not be read: {error}") from error


def _unzipped(source: Source) -> Source:
    """Give the one file in a zip archive; a workbook is an archive as well, and stays what it is."""
    try:
        with zipfile.ZipFile(source.for_polars()) as archive:
            names = [name for name in archive.namelist() if not name.endswith("/")]
            if any(name.startswith("xl/workbook") or name == "content.xml" for name in names):
                return Source(source.title, ".xlsx", source.path, source.data)
            files = [name for name in names if not name.startswith("__MACOSX/") and Path(name).name[0] != "."]
            if len(files) != 1:
                some = ", ".join(files[:5]) + (", …" if len(files) > 5 else "")
                raise Error(f"{source}: it holds {len(files)} files, not one: unpack it ({some or 'it is empty'})")
            return Source(source.title, Path(files[0]).suffix.lower(), data=archive.read(files[0]))
    except Error:
        raise
    except BROKEN as error:
        raise Error(f"{source}: it could not be read: {error}") from error
