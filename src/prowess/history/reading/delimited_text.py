"""From any text to a table of text columns: in one pass of Polars where the text is regular, else record by record."""

import csv
import io
import re
from array import array
from collections.abc import Iterable
from itertools import chain, islice
from typing import TYPE_CHECKING

from ...errors import Error, Remark
from ..read_context import Table
from ..read_options import Choices
from .byte_source import Source
from .delimiters import separator_of
from .encodings import DAMAGED, check_name, decode, encoding_of
from .header_row import Heading, find_heading
from .record_offsets import Lines
from .table_bounds import Grid, trim_table
from .tolerant_csv import BLANKS, Record, records

if TYPE_CHECKING:
    import polars as pl

_HEAD = 1 << 16  # bytes in which the form of a text shows
_LONG = _HEAD // 4  # a longer line is damaged, or no line of a table
_SAMPLE = 1000  # records in which its heading shows
_WRAPPED = re.compile(r'\s*"([^"]|"")*"\s*|\s*')
_MARK = b"\xef\xbb\xbf"


def read_text(source: Source, choices: Choices) -> Table:
    """Read every column as text, so that a number that is none can be shown as it was written."""
    grid = _regular(source, choices)
    return trim_table(_repaired(source, choices) if grid is None else grid, source.title, choices)


def _regular(source: Source, choices: Choices) -> Grid | None:
    """Read a text that is UTF-8 and as regular as all readers want it; None where it is not."""
    text, whole = _plain_head(source, choices)
    if text is None:
        return None
    separator = separator_of(text, choices)
    sample = list(islice(records(text, separator.mark), _SAMPLE))
    if not whole:
        sample.pop()  # which may go on
    if separator.mark in BLANKS or any(record.fault or record.stray for record in sample):
        return None
    heading = find_heading(sample, choices, separator.lines)
    width = len(heading.names)
    starts = [index for index in (heading.header, heading.start) if index is not None and index < len(sample)]
    begin = next((index for index in starts if len(sample[index].cells) == width), None)
    if begin is None or width == 1:
        return None
    data = source.array()
    lines = Lines(data[len(_MARK) :] if bytes(data[: len(_MARK)]) == _MARK else data, ord(separator.mark))
    frame = _by_polars(source, separator.mark, begin, heading) if lines.regular else None
    if frame is None or not lines.hold(begin + len(frame)):
        return None
    count = begin + len(frame)
    remarks = [separator.remark] if separator.remark else []

    def line_of(row: int) -> int:
        return source.lines_before + lines.of(heading.start + row, count)

    return Grid(frame[heading.start - begin :], heading, line_of, remarks=remarks)


def _plain_head(source: Source, choices: Choices) -> tuple[str | None, bool]:
    """Give the whole lines at the start of a text, and whether they are all; None where it is no plain UTF-8."""
    head = source.head(_HEAD)
    whole = len(head) < _HEAD
    if choices.encoding is not None and check_name(choices.encoding) not in ("utf-8", "utf-8-sig", "ascii"):
        return None, whole
    head = head if whole else head[: head.rfind(b"\n") + 1]
    if not head.strip() or b"\0" in head or b"\r" in head.replace(b"\r\n", b""):
        return None, whole
    try:
        return head.removeprefix(_MARK).decode().replace("\r\n", "\n"), whole
    except UnicodeDecodeError:
        return None, whole


def _by_polars(source: Source, separator: str, skip: int, heading: Heading) -> "pl.DataFrame | None":
    import polars as pl

    try:
        return pl.read_csv(
            source.for_polars(),
            has_header=False,
            separator=separator,
            skip_rows=skip,
            schema=dict.fromkeys(heading.names, pl.String),
            infer_schema=False,
            glob=False,
        )
    except pl.exceptions.PolarsError:
        return None


def _repaired(source: Source, choices: Choices) -> Grid:
    """Read a text record by record, mend what can be mended, and note what cannot."""
    text, remarks = _decoded(source, choices)
    separator = separator_of(_first_lines(text), choices)
    rows = records(text, separator.mark)
    sample = list(islice(rows, _SAMPLE))
    heading = find_heading(sample, choices, separator.lines)
    if not heading.names:
        raise Error(f"{source}: it is empty: its first line must name the columns")
    if separator.remark:
        remarks.append(separator.remark)
    damaged = DAMAGED.search(text) is not None or "\0" in text
    grid = _mended(islice(chain(sample, rows), heading.start, None), heading, damaged, source.lines_before)
    grid.remarks += remarks
    return grid


def _first_lines(text: str) -> str:
    """Return the lines at the start of a text, without any so long that there would be no room for others."""
    lines: list[str] = []
    size, start = 0, 0
    while start < len(text) and size < _HEAD:
        end = text.find("\n", start) + 1 or len(text)
        if end - start <= _LONG:
            lines.append(text[start:end])
            size += end - start
        start = end
    return "".join(lines) or text[:_HEAD]


def _decoded(source: Source, choices: Choices) -> tuple[str, list[Remark]]:
    """Return a text whose lines end alike, and remarks on its encoding."""
    data = source.whole()
    try:
        encoding = encoding_of(data, choices.encoding, source.lines_before)
    except Error as error:
        raise error.within(f"{source}: ") from None
    text = decode(data, encoding).rstrip("\0")  # a disk that was full may leave zeros
    remark = encoding.remark(data)
    return _unwrapped(text.replace("\r\n", "\n").replace("\r", "\n")), [remark] if remark else []


def _unwrapped(text: str) -> str:
    """Take the marks off lines that are quoted as a whole, as a program leaves them that took each for one cell."""
    lines = text.split("\n")
    if not all(map(_WRAPPED.fullmatch, lines)):
        return text
    return "\n".join(line.strip()[1:-1].replace('""', '"') for line in lines)


def _mended(rows: Iterable[Record], heading: Heading, damaged: bool, lines_before: int) -> Grid:
    """Write the records anew, as regular as Polars wants them, and let it read that."""
    import polars as pl

    width = len(heading.names)
    lines, faults, stray = array("q"), [], []
    mended = io.StringIO(newline="")
    writer = csv.writer(mended, lineterminator="\n")
    for row, record in enumerate(rows):
        cells, fault = record.cells, record.fault
        if damaged:
            cells, fault = _without_damage(cells, fault)
        if len(cells) != width:
            if fault is None and any(cell.strip() for cell in cells[width:]):
                fault = f"it has {len(cells)} cells, and the header names {width} columns"
            cells = cells[:width] + [""] * (width - len(cells))
        if fault is not None:
            faults.append((row, fault))
        elif record.stray:
            stray.append(record.line)
        writer.writerow(cells)
        lines.append(record.line)
    schema = dict.fromkeys(heading.names, pl.String)
    frame = pl.DataFrame(schema=schema)
    if lines:
        data = mended.getvalue().encode()
        frame = pl.read_csv(io.BytesIO(data), has_header=False, schema=schema, infer_schema=False)
    remarks = []
    if stray:
        text = f"line {stray[0]}: quotation marks inside a cell are part of its text"
        remarks.append(Remark("stray-quotes", (text,), count=len(stray), line=stray[0]))
    return Grid(frame, heading, lambda row: lines_before + lines[row], faults, remarks)


def _without_damage(cells: list[str], fault: str | None) -> tuple[list[str], str | None]:
    """Give cells that can be shown, and say what is wrong with them."""
    joined = "".join(cells)
    if DAMAGED.search(joined):
        return [DAMAGED.sub("\ufffd", cell) for cell in cells], fault or "a byte in it is no text in this encoding"
    if "\0" in joined:
        empty = not joined.strip("\0 \t")
        return [cell.replace("\0", "") for cell in cells], fault if empty else fault or "there are zero bytes in it"
    return cells, fault
