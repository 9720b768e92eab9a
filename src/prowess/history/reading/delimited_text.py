"""Read any text as a table of text columns: a regular text in one pass of Polars, any other text record by record."""

import csv
import io
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error, Remark
from ...frames import unescape_formulas
from ..read_context import Table
from ..read_options import Choices
from .byte_source import Source
from .delimiters import find_separator
from .encodings import DAMAGED, codec_name, detect_encoding
from .header_row import Heading, find_heading
from .table_bounds import Grid, trim_table
from .tolerant_csv import BLANKS, Record, records

_HEAD = 1 << 16  # number of bytes searched for the separator and the header
_MAX_LINE = _HEAD // 4  # a line that is longer is damaged, or not part of a table
_SAMPLE = 1000  # number of records searched for the header
_QUOTED_LINE = re.compile(r'\s*"([^"]|"")*"\s*|\s*')
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_CHUNK = 1 << 16  # number of bytes that fit into the processor cache
_MOST_SHORT = 100_000  # number of short lines after which no more are searched
_INVALID_BYTE = "a byte is invalid in this encoding; correct the cell, or save the file as UTF-8"
_ZERO_BYTES = "the row contains zero bytes; remove them, or drop the row"
FEW = 0.1  # if a larger fraction of the rows is short, the program that wrote the file leaves out empty cells
_NEWLINE, _RETURN, _QUOTE = 10, 13, 34


def read_text(source: Source, choices: Choices) -> Table:
    """Read a text file as a table. Every column stays text, so that messages can quote a malformed number as written.

    In CSV files that prowess has written, the apostrophes that stop spreadsheets from running formulas are removed.
    """
    table = trim_table(_read_regular(source, choices) or _read_tolerantly(source, choices), source.title, choices)
    with source.mapped() as data:
        escaped = data.find(b"'") >= 0
    return replace(table, frame=unescape_formulas(table.frame)) if escaped else table


def _read_regular(source: Source, choices: Choices) -> Grid | None:
    """Read a UTF-8 text that is so regular that all CSV parsers agree on it; return None for any other text."""
    import polars as pl

    text, is_whole = _plain_head(source, choices)
    if text is None:
        return None
    separator = find_separator(text, choices)
    sample = list(islice(records(text, separator.mark), _SAMPLE))
    if not is_whole:
        sample.pop()  # the last record may be incomplete
    _check_columns(sample, source, choices)
    if separator.mark in BLANKS or any(record.fault or record.stray for record in sample):
        return None
    heading = find_heading(sample, choices, separator.lines)
    width = len(heading.names)
    starts = [index for index in (heading.header, heading.start) if index is not None and index < len(sample)]
    begin = next((index for index in starts if len(sample[index].cells) == width), None)
    if begin is None or width == 1:
        return None
    data = source.array()
    marked = bytes(data[: len(_BYTE_ORDER_MARK)]) == _BYTE_ORDER_MARK
    index = LineIndex(data[len(_BYTE_ORDER_MARK) :] if marked else data, ord(separator.mark))
    if not index.is_regular:
        return None
    try:
        frame = pl.read_csv(
            source.for_polars(),
            has_header=False,
            separator=separator.mark,
            skip_rows=begin,
            schema=dict.fromkeys(heading.names, pl.String),
            infer_schema=False,
            glob=False,
        )
    except pl.exceptions.PolarsError:
        return None
    count = begin + len(frame)
    if not index.has_records(count):
        return None

    def lines_of(rows: Any) -> Any:
        return source.lines_before + index.lines_of(heading.start + rows, count)

    remarks = [separator.remark] if separator.remark else []
    if frame[heading.names[-1]].has_nulls():
        first_line = sample[heading.start].line if heading.start < len(sample) else 1
        lines = index.short_lines(width, first_line)
        if b'"' in data[:_HEAD].tobytes():  # quoted cells may hold separators, so count the cells of the parsed records
            lines = [record.line for record in sample[heading.start :] if 1 < len(record.cells) < width]
        remarks += _note_short_rows(lines, len(frame), source.lines_before)
    return Grid(frame[heading.start - begin :], heading, lines_of, remarks=remarks)


def _note_short_rows(lines: Sequence[int], rows: int, lines_before: int) -> list[Remark]:
    # If many rows are short, a program probably leaves out empty cells, which is not an error.
    if not 0 < len(lines) <= max(1, FEW * rows):
        return []
    line = lines_before + lines[0]
    text = f"line {line} has fewer cells than the header; the missing cells are read as empty"
    more = f" ({len(lines):,} lines)" if len(lines) > 1 else ""
    return [Remark("short-rows", (text + more,), count=len(lines), line=line)]


def _plain_head(source: Source, choices: Choices) -> tuple[str | None, bool]:
    """Return the complete lines at the start of a UTF-8 text, and whether they are the whole text.

    If the text is not UTF-8, return None instead of the lines.
    """
    head = source.read(_HEAD)
    is_whole = len(head) < _HEAD
    if choices.encoding is not None and codec_name(choices.encoding) not in ("utf-8", "utf-8-sig", "ascii"):
        return None, is_whole
    head = head if is_whole else head[: head.rfind(b"\n") + 1]
    if not head.strip() or b"\0" in head or b"\r" in head.replace(b"\r\n", b""):
        return None, is_whole
    try:
        return head.removeprefix(_BYTE_ORDER_MARK).decode().replace("\r\n", "\n"), is_whole
    except UnicodeDecodeError:
        return None, is_whole


@dataclass(frozen=True)
class LineIndex:
    r"""The lines and records of a text; a record spans several lines if a quoted cell holds newlines.

    >>> index = LineIndex(np.frombuffer(b'a,"b\nc"\nd,e\n', np.uint8), ord(","))
    >>> index.line_count, index.is_regular, index.lines_of(np.arange(2), records=2)
    (3, True, array([1, 3]))
    """

    data: NDArray[np.uint8]
    separator: int

    def _chunks(self) -> Iterator[tuple[int, NDArray[np.uint8]]]:
        return ((begin, self.data[begin : begin + _CHUNK]) for begin in range(0, len(self.data), _CHUNK))

    @cached_property
    def line_count(self) -> int:
        """Return the number of lines."""
        newlines = sum(int(np.count_nonzero(chunk == _NEWLINE)) for _, chunk in self._chunks())
        return newlines + int(len(self.data) > 0 and self.data[-1] != _NEWLINE)

    @cached_property
    def _quotes(self) -> tuple[bool, bool]:
        """Two flags: whether the text has quotation marks, and whether the text is regular."""
        has_quotes = has_inner = False
        for begin, chunk in self._chunks():
            if not chunk.min():
                return has_quotes, False
            if (chunk == _QUOTE).any():
                has_quotes = True
                context = self.data[max(0, begin - 1) : begin + _CHUNK + 1]
                edge, good = self._is_edge(context), context != _QUOTE
                good[1:] |= edge[:-1]
                good[:-1] |= edge[1:]
                # The neighbours of the first and last byte are in other chunks, or beyond the text.
                good[0] = good[-1] = True
                if not good.all():
                    return has_quotes, False
                marks = context == _QUOTE
                has_inner = has_inner or bool((marks[1:-1] & marks[2:] & ~edge[:-2]).any())
        # Doubled marks are regular in a quoted cell, but not where a blank precedes the first mark of the cell.
        return has_quotes, not has_inner or self._starts is not None

    @property
    def is_regular(self) -> bool:
        """Return whether the text is regular.

        In a regular text, every quotation mark is next to a separator, a newline or another such mark; every quoted
        cell begins right after a separator; no byte is zero.
        """
        return self._quotes[1]

    def has_records(self, count: int) -> bool:
        """Return whether the text has `count` records: one per line, or fewer if quoted cells hold newlines.

        All readers agree on the records if every quoted cell begins after a separator and ends before one (RFC 4180).
        """
        if not self._quotes[0] or count == self.line_count:
            return True
        return self._starts is not None and count == len(self._starts) - int(self.data[-1] == _NEWLINE)

    def lines_of(self, record: Any, records: int) -> Any:
        """Return the lines on which one or more records begin, in a text with `records` records."""
        return record + 1 if records == self.line_count or self._starts is None else self._starts[record]

    def short_lines(self, width: int, first: int) -> list[int]:
        """Return the lines from `first` on with fewer than `width` cells, but more than one.

        No line is returned if the text has quotation marks, because quoted cells may hold separators and newlines.
        """
        short: list[int] = []
        if self._quotes[0]:
            return short
        before = begin = 0
        while begin < len(self.data) and len(short) < _MOST_SHORT:
            chunk = self.data[begin : begin + _CHUNK]
            ends = np.flatnonzero(chunk == _NEWLINE)
            if begin + len(chunk) == len(self.data) and (not len(ends) or ends[-1] < len(chunk) - 1):
                ends = np.append(ends, len(chunk) - 1)
            if not len(ends):
                return short  # a line that is longer than a chunk is damaged, so the search ends here
            starts = np.append(0, ends[:-1] + 1)
            marks = np.add.reduceat(chunk[: ends[-1] + 1] == self.separator, starts, dtype=np.int64)
            short += (before + 1 + np.flatnonzero((marks > 0) & (marks < width - 1))).tolist()
            before += len(ends)
            begin += int(ends[-1]) + 1
        return [line for line in short if line >= first]

    @cached_property
    def _starts(self) -> NDArray[np.int64] | None:
        """The line on which each record begins; None if a closing quote is not followed by a separator."""
        pieces, lines, inside = [np.ones(1, np.int64)], 1, 0
        last = len(self.data) - 1
        for begin, chunk in self._chunks():
            quotes, newlines = np.flatnonzero(chunk == _QUOTE), np.flatnonzero(chunk == _NEWLINE)
            # A doubled quotation mark represents one mark; here it counts as closing the cell and opening it again.
            opening, closing = quotes[inside::2] + begin, quotes[1 - inside :: 2] + begin
            opens = self._is_edge(self.data[np.maximum(opening - 1, 0)]) | (opening == 0)
            closes = self._is_edge(self.data[np.minimum(closing + 1, last)]) | (closing == last)
            if not (opens.all() and closes.all()):
                return None
            outside = (np.searchsorted(quotes, newlines) + inside) % 2 == 0
            pieces.append(lines + 1 + np.flatnonzero(outside))
            lines += len(newlines)
            inside = (len(quotes) + inside) % 2
        return None if inside else np.concatenate(pieces)

    def _is_edge(self, data: NDArray[np.uint8]) -> NDArray[np.bool_]:
        edge: NDArray[np.bool_] = (data == self.separator) | (data == _QUOTE) | (data == _NEWLINE) | (data == _RETURN)
        return edge


def _read_tolerantly(source: Source, choices: Choices) -> Grid:
    """Read a text record by record; repair damaged rows if possible, and report the rows that cannot be repaired."""
    data = source.read()
    try:
        encoding = detect_encoding(data, choices.encoding, source.lines_before)
    except Error as error:
        raise error.within(f"{source}: ") from None
    text = encoding.decode(data).rstrip("\0")  # a full disk may leave zero bytes at the end
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if all(map(_QUOTED_LINE.fullmatch, lines := text.split("\n"))):  # a program quoted each line as a single cell
        text = "\n".join(line.strip()[1:-1].replace('""', '"') for line in lines)
    separator = find_separator(_first_lines(text), choices)
    rows = records(text, separator.mark)
    sample = list(islice(rows, _SAMPLE))
    _check_columns(sample, source, choices)
    heading = find_heading(sample, choices, separator.lines)
    if not heading.names:
        raise Error(f"{source}: the file is empty; its first line must name the columns")
    damaged = DAMAGED.search(text) is not None or "\0" in text
    grid = _repair(islice(chain(sample, rows), heading.start, None), heading, damaged, source.lines_before)
    grid.remarks += [*encoding.remarks(data), *([separator.remark] if separator.remark else [])]
    return grid


def _check_columns(sample: Iterable[Record], source: Source, choices: Choices) -> None:
    for record in sample:
        choices.read_limits.check_table(source.title, 0, len(record.cells), source.lines_before + record.line)


def _first_lines(text: str) -> str:
    # A line that is too long for a table is not part of it.
    lines: list[str] = []
    size, start = 0, 0
    while start < len(text) and size < _HEAD:
        end = text.find("\n", start) + 1 or len(text)
        if end - start <= _MAX_LINE:
            lines.append(text[start:end])
            size += end - start
        start = end
    return "".join(lines) or text[:_HEAD]


def _repair(rows: Iterable[Record], heading: Heading, damaged: bool, lines_before: int) -> Grid:
    import polars as pl

    # The records are rewritten as regular CSV for Polars, which takes less memory than lists of cells.
    width = len(heading.names)
    lines, faults, stray, short = array("q"), [], [], []
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    for row, record in enumerate(rows):
        cells, fault = record.cells, record.fault
        if damaged:
            cells, fault = _without_damage(cells, fault)
        if len(cells) != width:
            if fault is None and any(cell.strip() for cell in cells[width:]):
                extra = "remove or quote the extra cells"
                fault = f"the row has {len(cells)} cells, but the header has {width} columns; {extra}"
            if 1 < len(cells) < width:
                short.append(record.line)
            cells = cells[:width] + [""] * (width - len(cells))
        if fault is not None:
            faults.append((row, fault))
        elif record.stray:
            stray.append(record.line)
        writer.writerow(cells)
        lines.append(record.line)
    numbers = np.array(lines, np.int64)
    schema = dict.fromkeys(heading.names, pl.String)
    frame = pl.DataFrame(schema=schema)
    if lines:
        data = text.getvalue().encode()
        frame = pl.read_csv(io.BytesIO(data), has_header=False, schema=schema, infer_schema=False)
    remarks = _note_short_rows(short, len(lines), lines_before)
    if stray:
        sentence = f"line {stray[0]}: quotation marks inside a cell are kept as text"
        remarks.append(Remark("stray-quotes", (sentence,), count=len(stray), line=stray[0]))
    return Grid(frame, heading, lambda rows: lines_before + numbers[rows], faults, remarks)


def _without_damage(cells: list[str], fault: str | None) -> tuple[list[str], str | None]:
    """Return the cells with invalid bytes replaced, and a description of the damage if there is any."""
    joined = "".join(cells)
    if DAMAGED.search(joined):
        return [DAMAGED.sub("\ufffd", cell) for cell in cells], fault or _INVALID_BYTE
    if "\0" in joined:
        is_empty = not joined.strip("\0 \t")
        return [cell.replace("\0", "") for cell in cells], fault if is_empty else fault or _ZERO_BYTES
    return cells, fault
