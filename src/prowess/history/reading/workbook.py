"""Read a sheet of a workbook (Excel or OpenDocument) as text cells, with dates in a common notation."""

import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING
from xml.parsers import expat

from ...errors import Error, Option, Remark
from ...optional import import_extra
from ...text import byte_size
from ..read_context import Table
from ..read_limits import ReadLimits
from ..read_options import Choices
from .byte_source import CORRUPT, Source, unreadable
from .header_row import find_heading
from .table_bounds import Grid, trim_table
from .tolerant_csv import Record

if TYPE_CHECKING:
    import polars as pl

_SAMPLE = 1000  # number of rows searched for the header
_PIECE, _OVERLAP = 1 << 20, 64  # bytes scanned at once, and the overlap in which a cell reference may begin
_MOST_ROWS = 1 << 20  # maximum number of rows of a sheet
_TIMESTAMP = r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?$"


def read_workbook(source: Source, choices: Choices) -> Table:
    """Read the first sheet, or the chosen one, like a text file; rows are numbered as in the sheet.

    If no sheet is chosen, the table can open the others.
    """
    import polars as pl

    fastexcel = import_extra("fastexcel", "fastexcel", "excel")
    _check_archive(source, choices.read_limits)

    def open_sheet(name: str) -> Table:
        try:
            # Read from row 0, because fastexcel would not count the empty rows above the first filled one.
            frame = book.load_sheet(name, header_row=None, skip_rows=0, dtypes="string").to_polars()
        except fastexcel.FastExcelError as error:
            raise unreadable(source.title, Exception(str(error).splitlines()[0])) from error
        return _read_sheet(frame, name, source, choices)

    try:
        book = fastexcel.read_excel(source.read() if source.path is None else str(source.path))
        names = tuple(book.sheet_names)
    except fastexcel.FastExcelError as error:
        raise unreadable(source.title, Exception(str(error).splitlines()[0])) from error
    name = names[0] if choices.sheet is None else choices.sheet
    if name not in names:
        message = f"{source}: sheet {name!r} not found; the sheets are {', '.join(map(repr, names))}"
        raise Error(message, field="sheet", value=name)
    if len(names) == 1 or choices.sheet is not None:
        return replace(open_sheet(name), sheets=names)
    try:
        table = open_sheet(name)
    except Error:
        table = Table(pl.DataFrame(), source.title, choices=choices, unit="row")  # another sheet may have the matches
    also = f" (also {', '.join(map(repr, names[2:]))})" if len(names) > 2 else ""
    pieces = (f"only sheet {name!r} is read; use ", Option("sheet", names[1]), f" to read another one{also}")
    table.remarks.insert(0, Remark("sheet", pieces, count=len(names)))
    return replace(table, sheets=names, open_sheet=open_sheet)


def _read_sheet(frame: "pl.DataFrame", name: str, source: Source, choices: Choices) -> Table:
    if frame.is_empty():
        raise Error(f"{source}: sheet {name!r} is empty; its first row must name the columns", field="sheet")
    rows = frame.head(_SAMPLE).fill_null("").rows()
    heading = find_heading([Record(number, list(cells)) for number, cells in enumerate(rows, 1)], choices, unit="row")
    frame.columns = list(heading.names)
    frame = frame[heading.start :].select(map(_format_dates, frame.columns))
    grid = Grid(frame, heading, lambda rows: heading.start + rows + 1, remarks=[], unit="row")
    return trim_table(grid, source.title, choices)


def _format_dates(column: str) -> "pl.Expr":
    """Return a Polars expression that formats the timestamps of a column.

    If all timestamps are at midnight, drop the time of day; if a cell is only a time of day, drop its date.
    """
    import polars as pl

    cell = pl.col(column).str.replace(r"^1899-12-3[01] ", "")
    is_timestamp = cell.str.contains(_TIMESTAMP)
    only_dates = (cell.str.ends_with(" 00:00:00") | is_timestamp.not_()).all()
    return pl.when(is_timestamp & only_dates).then(cell.str.head(10)).otherwise(cell).alias(column)


def _check_archive(source: Source, limits: ReadLimits) -> None:
    """Raise `LimitExceeded` if a workbook unpacks to too many bytes, or if a sheet spans too many cells for its size.

    The parser allocates a dense table for a sheet, so a single cell in the last row and column would need 16 billion
    cells.
    """
    if source.read(2) != b"PK":
        return  # an old workbook: not compressed, and with at most 65,536 rows and 256 columns
    try:
        with zipfile.ZipFile(source.for_polars()) as archive:
            unpacked = 0
            for member in archive.infolist():
                unpacked += member.file_size  # `zipfile` never unpacks more than this
                limits.check_unpacked(source.title, unpacked, source.size)
            for member in archive.infolist():
                if member.filename.startswith("xl/worksheets/") and member.filename.endswith(".xml"):
                    _check_extent(archive, member, source, limits)
                elif member.filename == "content.xml":
                    _check_repeats(archive, member, source, limits)
    except Error:
        raise
    except CORRUPT as error:
        raise unreadable(source.title, error) from error


def _check_extent(archive: zipfile.ZipFile, sheet: zipfile.ZipInfo, source: Source, limits: ReadLimits) -> None:
    """Raise `LimitExceeded` if the cell references of a sheet span too many cells; rows may be in any order.

    The regular expressions match only cell references beyond the extent found so far, so nearly all of the scan runs in
    C.
    """
    most, columns = limits.most_cells(sheet.file_size), 1
    for piece in _pieces(archive, sheet):
        columns = max(map(_column_number, set(_column_after(columns).findall(piece))), default=columns)
    rows = most // columns
    if rows >= _MOST_ROWS:
        return
    row_after = re.compile(rf"""r\s*=\s*["'][A-Za-z]{{0,3}}({_greater(str(int(rows)), "0", "9", 7)})""".encode())
    for piece in _pieces(archive, sheet):
        if reference := row_after.search(piece):
            extent = f"{int(reference[1]):,} rows and {columns:,} columns"
            size = f"a sheet of {byte_size(sheet.file_size)} extends over {extent}, and the limit is {most:,.0f} cells"
            raise limits.error(source.title, f"{size}; delete the cells that are far away from the table")


def _check_repeats(archive: zipfile.ZipFile, content: zipfile.ZipInfo, source: Source, limits: ReadLimits) -> None:
    """Raise `LimitExceeded` if a sheet of an OpenDocument workbook is too large for its file.

    One XML element can represent many equal cells or rows. All represented cells count, except empty cells at the end
    of a sheet.
    """
    most = limits.most_cells(content.file_size)
    rows = columns = width = filled = repeat = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal rows, columns, width, filled, repeat
        if name == "table:table":
            rows = columns = 0
        elif name == "table:table-row":
            width, filled, repeat = 0, 0, int(attributes.get("table:number-rows-repeated", 1))
        elif name in ("table:table-cell", "table:covered-table-cell"):
            width += int(attributes.get("table:number-columns-repeated", 1))
            if "office:value-type" in attributes:
                filled = width

    def end(name: str) -> None:
        nonlocal rows, columns
        if name == "table:table-row":
            rows += repeat
            columns = max(columns, filled)
            if filled and rows * columns > most:
                extent = f"a sheet of {byte_size(content.file_size)} extends over {rows:,} rows and {columns:,} columns"
                raise limits.error(source.title, f"{extent}, and the limit is {most:,.0f} cells")

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = start, end
    try:
        with archive.open(content) as stream:
            parser.ParseFile(stream)
    except expat.ExpatError as error:
        raise unreadable(source.title, error) from None


def _pieces(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """Unpack a file of an archive in overlapping pieces, so that every cell reference is complete in one of them."""
    overlap = b""
    with archive.open(member) as stream:
        while piece := stream.read(_PIECE):
            yield overlap + piece
            overlap = piece[-_OVERLAP:]


def _column_number(letters: bytes) -> int:
    """Return the number of a column of a sheet, counted from 1; 0 for an empty text.

    >>> _column_number(b"A"), _column_number(b"XFD")
    (1, 16384)
    """
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - ord("A") + 1
    return number


def _column_letters(number: int) -> str:
    letters = ""
    while number:
        number, letter = divmod(number - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


def _column_after(column: int) -> re.Pattern[bytes]:
    """Return a pattern for references to cells in columns after `column`.

    >>> [bool(_column_after(6).search(cell)) for cell in (b'<c r="F166">', b'<c r="AB7">', b"<c r = 'g7'>")]
    [False, True, True]
    """
    return re.compile(rf"""r\s*=\s*["']({_greater(_column_letters(column), "A", "Z", 3)})\d""".encode())


def _greater(text: str, first: str, last: str, longest: int) -> str:
    """Return a pattern for texts that sort after `text`, where shorter texts sort first; the pattern ignores case.

    The texts have at most `longest` characters, which lie between `first` and `last`.

    >>> _greater("47", "0", "9", 7)
    '(?:[0-9]{3,7}|[5-9][0-9]{1}|[4-4][8-9][0-9]{0})'
    """

    def between(begin: str, end: str) -> str:
        return f"[{begin}-{end}{begin.lower()}-{end.lower()}]" if begin.isalpha() else f"[{begin}-{end}]"

    patterns = [f"{between(first, last)}{{{len(text) + 1},{longest}}}"] if len(text) < longest else []
    for place, letter in enumerate(text):
        if letter < last:
            same = "".join(between(other, other) for other in text[:place])
            rest = len(text) - place - 1
            following = between(chr(ord(letter) + 1), last)
            patterns.append(f"{same}{following}{between(first, last)}{{{rest}}}")
    return f"(?:{'|'.join(patterns)})"
