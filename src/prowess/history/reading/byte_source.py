"""Sources of bytes: a file, standard input, or the content of a compressed file or archive."""

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
from contextlib import contextmanager
from dataclasses import dataclass, replace
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ..read_limits import ReadLimits

STANDARD_INPUT = "standard input"
# Decompression modules by magic number.
COMPRESSION: dict[bytes, Any] = {b"\x1f\x8b": gzip, b"BZh": bz2, b"\xfd7zXZ\x00": lzma}
_SUFFIXES = (".gz", ".bz2", ".xz", ".zip")
_PIECE = 1 << 20  # number of bytes unpacked at once
CORRUPT = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, RuntimeError, ValueError)


@dataclass(frozen=True)
class Source:
    """Bytes, in memory or in a file that may be larger than memory, with a title for messages.

    >>> Source("games.csv", ".csv", data=b"winner,loser").read(6)
    b'winner'
    """

    title: str
    suffix: str
    path: Path | None = None
    data: bytes = b""
    lines_before: int = 0  # for a chunk of a file: the number of lines above it

    def __str__(self) -> str:
        """Return the title."""
        return self.title

    def open(self) -> IO[bytes]:
        """Open the source at its first byte."""
        if self.path is None:
            return io.BytesIO(self.data)
        try:
            return self.path.open("rb")
        except OSError as error:
            raise unreadable(self.title, error) from error

    def read(self, size: int = -1) -> bytes:
        """Return the first `size` bytes, or all of them."""
        with self.open() as stream:
            return stream.read(size)

    @property
    def size(self) -> int:
        """The number of bytes."""
        return len(self.data) if self.path is None else self.path.stat().st_size

    @contextmanager
    def mapped(self) -> Iterator[bytes | mmap]:
        """Yield all bytes for the duration of a block; a file is mapped into memory."""
        if self.path is None or not self.size:
            yield self.data
            return
        with self.open() as stream, mmap(stream.fileno(), 0, access=ACCESS_READ) as data:
            yield data

    def array(self) -> NDArray[np.uint8]:
        """Return all bytes as an array; a file is mapped into memory."""
        if self.path is None:
            return np.frombuffer(self.data, np.uint8)
        return np.asarray(np.memmap(self.path, np.uint8, "r")) if self.path.stat().st_size else np.zeros(0, np.uint8)

    def for_polars(self) -> Any:
        """Return the argument for Polars' readers: the path of a file, or a stream for bytes in memory."""
        return io.BytesIO(self.data) if self.path is None else self.path


def check_lines(source: Source, limits: ReadLimits) -> None:
    r"""Raise `LimitExceeded` if a line of a text is too long.

    For each line, the function jumps to the last position at which the line may end and searches backwards for a
    newline, so most bytes are never read.

    >>> check_lines(Source("games.csv", ".csv", data=b"winner,loser\nann,bob\n"), ReadLimits(line=12))
    >>> check_lines(Source("games.csv", ".csv", data=b"winner,loser\nann,bob\n"), ReadLimits(line=11))
    Traceback (most recent call last):
    ...
    prowess.history.read_limits.LimitExceeded: games.csv: line 1 is longer than the limit of 11 bytes; ...
    """
    size = source.size
    if size <= limits.line:
        return
    most, start = int(limits.line), 0
    with source.mapped() as data:
        while size - start > most:
            end = data.rfind(b"\n", start, start + most + 1)
            if end < 0:
                end = data.rfind(b"\r", start, start + most + 1)
            if end < 0:
                raise limits.long_line(source.title, source.lines_before + 1 + data[:start].count(b"\n"))
            start = end + 1


def unreadable(title: str, error: Exception) -> Error:
    """Return the error for a file that cannot be opened or is corrupt."""
    return Error(f"{title}: cannot be read: {getattr(error, 'strerror', None) or error}")


def printable(path: str | os.PathLike[str]) -> str:
    """Convert a path to printable text, because file names need not be UTF-8."""
    return str(path).encode(errors="replace").decode()


def open_source(path: str | os.PathLike[str], title: str | None = None, limits: ReadLimits | None = None) -> Source:
    """Open a file, or standard input for `-`, and decompress it; `title` (default: the path) names it in messages."""
    limits = limits or ReadLimits()
    if not isinstance(path, (str, os.PathLike)):
        raise Error(f"read needs the path of a file, not {type(path).__name__}; to read a frame, use from_frame")
    if os.fspath(path) == "-":
        if sys.stdin is None or sys.stdin.closed:
            raise Error(f"{STANDARD_INPUT} is closed")
        return _decompressed(Source(STANDARD_INPUT, "", data=sys.stdin.buffer.read()), limits)
    file, title = Path(path), title or printable(path)
    try:
        mode = file.stat().st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise Error(f"{title}: file not found") from None
    except OSError as error:
        raise unreadable(title, error) from error
    if stat.S_ISDIR(mode):
        raise Error(f"{title}: this is a folder; name a file in it")
    source = Source(title, file.suffix.lower(), file)
    # A pipe can be read only once, and Polars cannot open a path that is not UTF-8.
    if not stat.S_ISREG(mode) or printable(file) != str(file):
        source = replace(source, path=None, data=source.read())
    return _decompressed(source, limits, file.stem)


def _decompressed(source: Source, limits: ReadLimits, stem: str = "") -> Source:
    # The suffix that remains (`.csv` for `.csv.gz`) decides the format.
    head = source.read(6)
    if head.startswith(b"PK\x03\x04"):
        return _unzipped(source, limits)
    module = next((module for magic, module in COMPRESSION.items() if head.startswith(magic)), None)
    packed = source.suffix in _SUFFIXES
    if module is None:
        if packed and head:
            raise Error(f"{source}: cannot be read: this is not a {source.suffix} file")
        return source
    suffix = Path(stem).suffix.lower() if packed else source.suffix
    try:
        with source.open() as file, module.open(file) as stream:
            return Source(source.title, suffix, data=_unpack(stream, source, limits))
    except Error:
        raise
    except CORRUPT as error:
        raise unreadable(source.title, error) from error


def _unpack(stream: IO[bytes], source: Source, limits: ReadLimits) -> bytes:
    # The stream is read in pieces, so that no more is unpacked than the limits allow.
    content, packed = io.BytesIO(), source.size
    while piece := stream.read(_PIECE):
        content.write(piece)
        limits.check_unpacked(source.title, content.tell(), packed)
    return content.getvalue()


def _unzipped(source: Source, limits: ReadLimits) -> Source:
    # A workbook is also a zip archive; it is returned unchanged.
    try:
        with zipfile.ZipFile(source.for_polars()) as archive:
            names = [name for name in archive.namelist() if not name.endswith("/")]
            if any(name.startswith("xl/workbook") or name == "content.xml" for name in names):
                return replace(source, suffix=".xlsx")
            files = [name for name in names if not name.startswith("__MACOSX/") and Path(name).name[0] != "."]
            if len(files) == 1:
                with archive.open(files[0]) as stream:
                    return Source(source.title, Path(files[0]).suffix.lower(), data=_unpack(stream, source, limits))
    except Error:
        raise
    except CORRUPT as error:
        raise unreadable(source.title, error) from error
    some = ", ".join([*files[:5], *["…"] * (len(files) > 5)]) or "none"
    raise Error(f"{source}: the archive holds {len(files)} files ({some}); unpack it and read one of them")
