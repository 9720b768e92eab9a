"""Read a file in chunks with a given number of rows; only one chunk is in memory at a time."""

import codecs
import os
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import Error, Option, Remark
from ..read_context import Findings, Problems, Table
from ..read_options import Choices
from .byte_source import COMPRESSION, CORRUPT, STANDARD_INPUT, Source, printable, unreadable
from .delimiters import find_separator
from .encodings import detect_encoding
from .formats.pgn import PgnReader, is_pgn, read_lines
from .formats.plays import is_bgg
from .formats.trf import is_trf
from .sniff import check_parquet, is_json, load, load_source

if TYPE_CHECKING:
    import polars as pl

BLOCK = 1 << 20  # number of bytes read at once
HEAD = 1 << 16  # number of bytes that decide the format of a text
STRAY = 4  # if no record ends within this many times the requested lines, a quotation mark must be unbalanced
# A piece may have this many times the requested lines, which saves the search for the end of a record.
SLIGHTLY_MORE = 1.1
_ARCHIVES = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # workbooks and zip files cannot be read in chunks
_NEWLINE, _QUOTE = 10, 34


@dataclass(frozen=True)
class Chunk:
    """A part of a file, as a table or as findings, and the fraction of the file that was read so far."""

    content: Table | Findings
    share: float


def read_chunks(path: str | os.PathLike[str], choices: Choices, rows: int) -> Iterator[Chunk]:
    """Yield the rows of a file in chunks; lines and rows are counted from the start of the file."""
    is_path = isinstance(path, (str, os.PathLike))
    is_stdin = is_path and os.fspath(path) == "-"
    if not is_path or not (is_stdin or Path(path).is_file()):
        yield Chunk(load(path, choices), 1.0)  # a pipe; raises an error if the path is something else
        return
    title = STANDARD_INPUT if is_stdin else printable(path)
    with ExitStack() as stack:
        try:
            raw = sys.stdin.buffer if is_stdin else stack.enter_context(Path(path).open("rb"))
        except OSError as error:
            raise unreadable(title, error) from error
        magic = raw.peek(8)[:8]  # type: ignore[union-attr]
        text = None
        if magic.startswith(b"PAR1"):
            if not is_stdin and title == str(path):  # Polars cannot open a path that is not UTF-8
                yield from _read_parquet(Path(path), choices, rows)
                return
        elif not magic.startswith(_ARCHIVES):
            text = _TextFile(title, raw, magic, choices)
        if text is not None and text.has_lines():
            yield from text.chunks(rows)
        else:
            yield Chunk(load(path, choices), 1.0)


def _read_parquet(file: Path, choices: Choices, rows: int) -> Iterator[Chunk]:
    import polars as pl

    lazy = pl.scan_parquet(file, glob=False)
    try:
        total = check_parquet(lazy, str(file), file.stat().st_size, choices.read_limits)
        for first in range(0, max(total, 1), rows):
            frame = lazy.slice(first, rows).collect()
            table = Table(frame, str(file), lambda rows, first=first: first + rows + 1, choices)  # type: ignore[misc]
            yield Chunk(table, min(1.0, (first + rows) / max(total, 1)))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise unreadable(str(file), error) from error


class _CountedStream:
    """A stream that counts the bytes read from it, because standard input does not know its position."""

    def __init__(self, raw: Any) -> None:
        self.raw, self.count = raw, 0

    def read(self, size: int = -1) -> bytes:
        data: bytes = self.raw.read(size)
        self.count += len(data)
        return data


class _TextFile:
    """A text file that is read from a stream. The file may be compressed, or encoded in UTF-16 or UTF-32."""

    def __init__(self, title: str, raw: Any, magic: bytes, choices: Choices) -> None:
        self.title, self.raw, self.choices = title, raw, choices
        module: Any = next((module for start, module in COMPRESSION.items() if magic.startswith(start)), None)
        self.packed = None if module is None else _CountedStream(raw)
        self.stream = raw if module is None else module.open(self.packed)
        name = Path(title)
        self.suffix = (name if module is None else Path(name.stem)).suffix.lower() if name.suffix else ""
        self.size = os.fstat(raw.fileno()).st_size if raw.seekable() else 0
        try:
            self.head: bytes = self.stream.peek(HEAD)
        except CORRUPT as error:
            raise unreadable(title, error) from error
        self.decoder = self._wide_decoder()

    def _wide_decoder(self) -> codecs.IncrementalDecoder | None:
        # UTF-16 and UTF-32 cannot be split at newline bytes.
        marked = self.head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
        chosen = self.choices.encoding if "16" in (self.choices.encoding or "") else None
        codec = ""
        if chosen or marked or b"\0" in self.head:
            with suppress(Error):  # `load_source` raises the same error, with the file name
                codec = detect_encoding(self.head, chosen).codec
        if "16" not in codec and "32" not in codec:
            return None
        self.choices = replace(self.choices, encoding=None)
        codec = codec.removesuffix("-le").removesuffix("-be") if marked else codec
        return codecs.getincrementaldecoder(codec)("replace")

    def has_lines(self) -> bool:
        # Formats that can be read line by line are tables, chess games, and JSON with an object per line.
        if self._is_pgn():
            return self.decoder is None
        if is_bgg(self.head) or is_trf(self.head):
            return False
        head = self.head.lstrip(b"\xef\xbb\xbf \t\r\n")
        if not is_json(self.suffix, head):
            return True
        return bool(head[:1] == b"{" and head.split(b"\n")[0].rstrip().endswith((b"}", b"},")))

    def _is_pgn(self) -> bool:
        return is_pgn(self.suffix, self.head[:HEAD])

    def chunks(self, rows: int) -> Iterator[Chunk]:
        # Later pieces are read with the header of the first piece.
        if self._is_pgn():
            for table in PgnReader(self.title, self.choices).tables(self._lines(), rows):
                yield Chunk(table, self._share())
            return
        heading, before, choices, columns = b"", 0, self.choices, set[str]()
        has_rounds = False  # headings such as "Round 2" apply to the rows below them, perhaps in a later chunk
        for number, (piece, lines) in enumerate(self._pieces(rows)):
            choices = self._settle(piece, choices, before)
            offset = before - heading.count(b"\n")
            content = load_source(Source(self.title, self.suffix, data=heading + piece, lines_before=offset), choices)
            if isinstance(content, Table):
                where = f"{self.title}, line {before + 1}"
                codes = {remark.code for remark in content.remarks}
                has_rounds = has_rounds or bool(codes & {"round-headings", "other-order"})
                if has_rounds and number:
                    text = "a file with headings of rounds between the rows cannot be read in chunks"
                    error = Error(f"{where}: {text}: read the whole file at once", line=before + 1)
                    error.hint = Option("stream", False)
                    raise error
                content = replace(content, remarks=[] if offset else content.remarks, choices=self.choices)
                names = set(content.frame.columns)
                if number == 0:
                    heading, columns = _lines_above(piece, content), names
                    choices = choices if heading.strip() else replace(choices, header=False)
                elif not columns & names:
                    text = f"{where}: the columns are different from here on; if the file has no header, use "
                    raise Error(text, Option("header", False), field="header", line=before + 1)
            before += lines
            yield Chunk(content, self._share())

    def _share(self) -> float:
        return min(1.0, self.raw.tell() / self.size) if self.size else 0.0

    def _lines(self) -> Iterator[bytes]:
        # Chess games are read line by line, because a game may span any number of lines.
        limits, unpacked = self.choices.read_limits, 0
        try:
            for line in read_lines(self.stream, self.title, limits):
                unpacked += len(line)
                if self.packed is not None:
                    limits.check_unpacked(self.title, unpacked, max(self.size, self.packed.count))
                yield line
        except CORRUPT as error:
            if isinstance(error, Error):
                raise
            raise unreadable(self.title, error) from error

    def _settle(self, piece: bytes, choices: Choices, lines_before: int) -> Choices:
        # Later pieces must be read with the separator and the encoding of this piece.
        if choices.encoding is None:
            try:
                piece.decode()
            except UnicodeDecodeError:
                with suppress(Error):
                    choices = replace(choices, encoding=detect_encoding(piece, lines_before=lines_before).codec)
        if choices.separator is None and not piece.lstrip().startswith(b"{"):
            text = piece[:HEAD].decode(choices.encoding or "utf-8", "replace").replace("\r\n", "\n")
            mark = find_separator(text[: text.rfind("\n") + 1] or text, choices).mark
            choices = replace(choices, separator=mark) if len(mark.encode()) == 1 else choices
        return choices

    def _pieces(self, rows: int) -> Iterator[tuple[bytes, int]]:
        # Each piece ends at the end of a record.
        pending, lines, is_first = b"", 0, True
        read_lines = unpacked = 0
        limits = self.choices.read_limits
        while True:
            cut = _find_cut(pending, lines, rows) if lines >= rows else 0
            if cut:
                is_first = False
                rest = pending[cut:]
                lines_left = rest.count(b"\n")
                yield pending[:cut], lines - lines_left
                pending, lines = rest, lines_left
                continue
            line_length = len(pending) / max(lines, 1)
            wanted = int(min(max(BLOCK, 1.05 * line_length * (rows - lines)), 64 * BLOCK))
            try:
                block = self.stream.read(wanted)
            except CORRUPT as error:
                raise unreadable(self.title, error) from error
            if not block:
                break
            if self.decoder is not None:
                block = self.decoder.decode(block).encode()
            pending += block
            new = int(np.count_nonzero(np.frombuffer(block, np.uint8) == _NEWLINE))
            lines, read_lines, unpacked = lines + new, read_lines + new, unpacked + len(block)
            if self.packed is not None:
                limits.check_unpacked(self.title, unpacked, max(self.size, self.packed.count))
            if len(pending) - max(pending.rfind(b"\n"), pending.rfind(b"\r")) > limits.line + 1:
                raise limits.long_line(self.title, read_lines + 1)
        if pending or is_first:
            yield pending, lines


def _find_cut(data: bytes, lines: int, rows: int) -> int:
    """Return the position at which record number `rows`, or one shortly after it, ends; 0 if there are fewer records.

    Newlines within quotes do not end a record. `lines` is the number of newlines.
    """
    is_quoted = not data[:HEAD].lstrip().startswith(b"{") and b'"' in data
    if not is_quoted and lines <= SLIGHTLY_MORE * rows:
        return data.rfind(b"\n") + 1
    array = np.frombuffer(data, np.uint8)
    ends = newlines = np.flatnonzero(array == _NEWLINE)
    if is_quoted:
        ends = newlines[np.searchsorted(np.flatnonzero(array == _QUOTE), newlines) % 2 == 0]
        if len(ends) < rows and len(newlines) >= STRAY * rows:
            ends = newlines
    return int(ends[rows - 1]) + 1 if len(ends) >= rows else 0


def _lines_above(piece: bytes, table: Table) -> bytes:
    if not len(table.frame) or table.unit != "line":
        return piece
    return b"".join(line + b"\n" for line in piece.split(b"\n", table.line(0) - 1)[:-1])


class RowQueue:
    """A queue of rows from tables with the same columns; a table is dropped once all its rows are taken.

    >>> import polars as pl
    >>> queue = RowQueue()
    >>> for day in (["mon"], ["tue", "wed"]):
    ...     queue.add(Table(pl.DataFrame({"day": day}), "the file"))
    >>> queue.take(2).frame["day"].to_list(), len(queue)
    (['mon', 'tue'], 1)
    """

    def __init__(self) -> None:
        """Create an empty queue."""
        self.tables: deque[Table] = deque()
        self.begin = 0  # number of rows of the first table that are already taken
        self.columns: list[str] = []

    def __len__(self) -> int:
        return sum(len(table.frame) for table in self.tables) - self.begin

    def add(self, table: Table) -> None:
        """Append the rows of a table; columns that the table lacks are empty."""
        import polars as pl

        self.columns = self.columns or table.frame.columns
        missing = [pl.lit(None, pl.String).alias(name) for name in self.columns if name not in table.frame.columns]
        self.tables.append(replace(table, frame=table.frame.with_columns(missing).select(self.columns)))

    def head(self, count: int) -> Table:
        """Return the first `count` rows, or all if there are fewer, without removing them."""
        return self._first(min(count, len(self)))

    def column(self, name: str, count: int) -> "pl.Series":
        """Return a column of the first `count` rows."""
        import polars as pl

        return pl.concat([table.frame[name].slice(first, length) for table, first, length in self._spans(count)])

    def take(self, count: int) -> Table:
        """Return the first `count` rows and remove them."""
        rows = self._first(count)
        self.begin += count
        while len(self.tables) > 1 and self.begin >= len(self.tables[0].frame):
            self.begin -= len(self.tables.popleft().frame)
        return rows

    def _spans(self, count: int) -> list[tuple[Table, int, int]]:
        """Return the tables that hold the next `count` rows, each with its first row to take and the number of rows."""
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

        lines = np.concatenate([table.lines(np.arange(first, first + length)) for table, first, length in spans])
        new: dict[str, Any] = {"frame": frame, "lines": lines.__getitem__, "remarks": remarks, "problems": problems}
        return replace(spans[0][0], **new, left_out=[], decisions={})
