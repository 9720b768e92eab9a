"""A file in parts of so many rows, so that no more of it is in memory than one of them."""

import bz2
import codecs
import gzip
import lzma
import os
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np

from ...errors import Error, Option, Remark
from ..read_context import Findings, Problems, Table
from ..read_options import Choices
from .byte_source import BROKEN, Source
from .delimiters import separator_of
from .encodings import encoding_of
from .sniff import load, load_source

if TYPE_CHECKING:
    import polars as pl

BLOCK = 1 << 20  # bytes that are read at once
HEAD = 1 << 16  # bytes in which the form of a text shows
STRAY = 4  # times as many lines as are wanted without an end of a record: a quotation mark is not one
_UNPACK = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}
_ARCHIVES = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # workbooks and zip files are read as a whole
_JSON = (".jsonl", ".ndjson", ".json")
_NEWLINE, _QUOTE = 10, 34


@dataclass(frozen=True)
class Part:
    """Some rows of a file, or what is found in some of its matches; and how much of the file has been read."""

    found: Table | Findings
    share: float


def parts(path: str | os.PathLike[str], choices: Choices, rows: int) -> Iterator[Part]:
    """Give the rows of a file in parts; lines and rows are counted from the start of the file."""
    if isinstance(path, (str, os.PathLike)) and os.fspath(path) != "-" and not Path(path).is_file():
        load(path, choices)  # which says what is wrong with it
    with ExitStack() as stack:
        try:
            raw = sys.stdin.buffer if os.fspath(path) == "-" else stack.enter_context(Path(path).open("rb"))
        except OSError as error:
            raise Error(f"{path}: it cannot be read: {error.strerror or error}") from error
        head = raw.peek(8)[:8]  # type: ignore[union-attr]
        if head.startswith((*_ARCHIVES, *([b"PAR1"] if os.fspath(path) == "-" else []))):
            yield Part(load(path, choices), 1.0)
        elif head.startswith(b"PAR1"):
            yield from _of_parquet(Path(path), choices, rows)
        else:
            text = _Text(path, raw, head, choices)
            if text.in_lines():
                yield from text.parts(rows)
            else:
                yield Part(load(path, choices), 1.0)


def _of_parquet(file: Path, choices: Choices, rows: int) -> Iterator[Part]:
    import polars as pl

    lazy = pl.scan_parquet(file, glob=False)
    try:
        total = int(lazy.select(pl.len()).collect().item())
        for first in range(0, max(total, 1), rows):
            frame = lazy.slice(first, rows).collect()
            table = Table(frame, str(file), lambda row, first=first: first + row + 1, choices)  # type: ignore[misc]
            yield Part(table, min(1.0, (first + rows) / max(total, 1)))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise Error(f"{file}: it is no Parquet file that Polars can read: {error}") from error


@dataclass
class _Text:
    """A text of lines, which is read from a stream that may be packed, or in an encoding of two bytes a letter."""

    path: str | os.PathLike[str]
    raw: IO[bytes]
    magic: bytes
    choices: Choices
    title: str = field(init=False)
    ending: str = field(init=False)
    stream: IO[bytes] = field(init=False)
    size: int = 0

    def __post_init__(self) -> None:
        """Unpack the stream, if it is packed."""
        self.title = "standard input" if os.fspath(self.path) == "-" else str(self.path)
        name = Path(self.title)
        unpack = next((unpack for magic, unpack in _UNPACK.items() if self.magic.startswith(magic)), None)
        self.stream = self.raw if unpack is None else unpack(self.raw)  # type: ignore[operator]
        self.ending = (name if unpack is None else Path(name.stem)).suffix.lower() if name.suffix else ""
        if self.raw.seekable():
            self.size = os.fstat(self.raw.fileno()).st_size

    def in_lines(self) -> bool:
        """Tell whether it is a table, or JSON with an object on each line: a list is read as a whole."""
        head = self.stream.peek(HEAD).lstrip(b"\xef\xbb\xbf \t\r\n")  # type: ignore[attr-defined]
        if self.ending not in _JSON and not (self.ending in ("", ".json") and head[:1] in (b"{", b"[")):
            return True
        return bool(head[:1] == b"{" and head.split(b"\n")[0].rstrip().endswith((b"}", b"},")))

    def parts(self, rows: int) -> Iterator[Part]:
        """Give a table of each piece; those after the first are read below the heading of the first."""
        heading, before, choices, columns = b"", 0, self.choices, set[str]()
        for number, piece in enumerate(self._pieces(rows)):
            choices = self._settled(piece, choices, before)
            offset = before - heading.count(b"\n")
            content = load_source(Source(self.title, self.ending, data=heading + piece, lines_before=offset), choices)
            if isinstance(content, Table):
                content = replace(content, remarks=[] if offset else content.remarks, choices=self.choices)
            if isinstance(content, Table) and number == 0:
                heading, columns = _above(piece, content), set(content.frame.columns)
                choices = choices if heading.strip() else replace(choices, header=False)
            elif isinstance(content, Table) and not columns & set(content.frame.columns):
                raise Error(
                    f"{self.title}, line {before + 1}: from here on other columns are found: ",
                    Option("header", False),
                    " reads the file without a header",
                    field="header",
                    line=before + 1,
                )
            before += piece.count(b"\n")
            yield Part(content, min(1.0, self.raw.tell() / self.size) if self.size else 0.0)

    def _settled(self, piece: bytes, choices: Choices, lines_before: int) -> Choices:
        """Keep the separator and the encoding that a piece shows, for those after it."""
        if choices.encoding is None and not _is_utf8(piece):
            try:
                choices = replace(choices, encoding=encoding_of(piece, lines_before=lines_before).codec)
            except Error as error:
                raise error.within(f"{self.title}: ") from None
        if choices.separator is None and not piece.lstrip().startswith(b"{"):
            text = piece[:HEAD].decode(choices.encoding or "utf-8", "replace").replace("\r\n", "\n")
            mark = separator_of(text[: text.rfind("\n") + 1] or text, choices).mark
            choices = replace(choices, separator=mark) if len(mark.encode()) == 1 else choices
        return choices

    def _pieces(self, rows: int) -> Iterator[bytes]:
        """Cut the text after so many lines, where a record ends."""
        pending, lines, any_ = b"", 0, False
        wide = self._wide()
        letters = None if wide is None else codecs.getincrementaldecoder(wide)("replace")
        while True:
            cut = _cut(pending, rows) if lines >= rows else 0
            if cut:
                any_ = True
                yield pending[:cut]
                pending = pending[cut:]
                lines = pending.count(b"\n")
                continue
            length = len(pending) / max(lines, 1)  # of a line
            wanted = int(min(max(BLOCK, 1.05 * length * (rows - lines)), 64 * BLOCK))
            try:
                block = self.stream.read(wanted)
            except BROKEN as error:
                raise Error(f"{self.title}: it could not be read: {error}") from error
            if not block:
                break
            if letters is not None:
                block = letters.decode(block).encode()
            pending += block
            lines += block.count(b"\n")
        if pending or not any_:
            yield pending

    def _wide(self) -> str | None:
        """Give the encoding of a text in which a letter is two bytes or four, so that it cannot be cut as it is."""
        head = self.stream.peek(4096) if hasattr(self.stream, "peek") else b""
        named = self.choices.encoding if "16" in (self.choices.encoding or "") else None
        codec = (
            encoding_of(head, named).codec if named or b"\0" in head or head[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
        )
        if "16" not in codec and "32" not in codec:
            return None
        self.choices = replace(self.choices, encoding=None)
        return codec.removesuffix("-le").removesuffix("-be") if head[:2] in (b"\xff\xfe", b"\xfe\xff") else codec


def _cut(data: bytes, rows: int) -> int:
    """Give where the record of a number ends, 0 where it is not there; a newline inside quotes ends none."""
    array = np.frombuffer(data, np.uint8)
    newlines = np.flatnonzero(array == _NEWLINE)
    ends = newlines
    if not data.lstrip().startswith(b"{") and b'"' in data:
        ends = newlines[np.searchsorted(np.flatnonzero(array == _QUOTE), newlines) % 2 == 0]
        if len(ends) < rows and len(newlines) >= STRAY * rows:
            ends = newlines
    return int(ends[rows - 1]) + 1 if len(ends) >= rows else 0


def _above(piece: bytes, table: Table) -> bytes:
    """Give the lines above the first row of a table."""
    if not len(table.frame) or table.unit != "line":
        return piece
    lines = piece.split(b"\n", table.line(0) - 1)[:-1]
    return b"".join(line + b"\n" for line in lines)


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


class Queue:
    """Tables with the same columns, as one; each is forgotten once all its rows were taken.

    >>> import polars as pl
    >>> queue = Queue()
    >>> for day in (["mon"], ["tue", "wed"]):
    ...     queue.add(Table(pl.DataFrame({"day": day}), "the file"))
    >>> queue.take(2).frame["day"].to_list(), len(queue)
    (['mon', 'tue'], 1)
    """

    def __init__(self) -> None:
        """Begin without rows."""
        self.tables: deque[Table] = deque()
        self.begin = 0  # rows of the first table that were taken
        self.columns: list[str] = []

    def __len__(self) -> int:
        """Count the rows."""
        return sum(len(table.frame) for table in self.tables) - self.begin

    def add(self, table: Table) -> None:
        """Put a table at the end; a column that it does not have is empty."""
        import polars as pl

        self.columns = self.columns or table.frame.columns
        missing = [pl.lit(None, pl.String).alias(name) for name in self.columns if name not in table.frame.columns]
        self.tables.append(replace(table, frame=table.frame.with_columns(missing).select(self.columns)))

    def head(self, count: int) -> Table:
        """Give the first rows, which stay."""
        return self._first(min(count, len(self)))

    def column(self, name: str, count: int) -> "pl.Series":
        """Give a column of the first rows."""
        import polars as pl

        return pl.concat([table.frame[name].slice(first, length) for table, first, length in self._spans(count)])

    def take(self, count: int) -> Table:
        """Give the first rows, and forget them."""
        rows = self._first(count)
        self.begin += count
        while len(self.tables) > 1 and self.begin >= len(self.tables[0].frame):
            self.begin -= len(self.tables.popleft().frame)
        return rows

    def _spans(self, count: int) -> list[tuple[Table, int, int]]:
        """Give the tables of the first rows: of each the first row that is meant, and how many."""
        spans: list[tuple[Table, int, int]] = []
        first = self.begin
        for table in self.tables:
            length = min(count, len(table.frame) - first)
            if length > 0 or not spans:
                spans.append((table, first, max(length, 0)))
            count, first = count - length, 0
        return spans

    def _first(self, count: int) -> Table:
        import polars as pl

        spans = self._spans(count)
        frame = pl.concat([table.frame.slice(first, length) for table, first, length in spans], how="vertical_relaxed")
        problems, remarks = Problems(), list[Remark]()
        start = np.cumsum([0, *(length for _, _, length in spans)])
        for (table, first, length), offset in zip(spans, start[:-1].tolist(), strict=True):
            kept, shift = range(first, first + length), offset - first
            table.problems.copy_to(problems, lambda row: row + shift if row in kept else None)  # noqa: B023
            if first == 0:
                remarks += [remark for remark in table.remarks if remark not in remarks]

        def line_of(row: int) -> int:
            span = int(np.searchsorted(start, row, side="right")) - 1
            table, first, _ = spans[span]
            return table.line(first + row - int(start[span]))

        return replace(
            spans[0][0],
            frame=frame,
            line=line_of,
            remarks=remarks,
            problems=problems,
            left_out=[],
            decisions={},
        )
