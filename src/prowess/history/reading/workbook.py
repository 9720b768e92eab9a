"""Reading a sheet of a workbook (Excel, OpenDocument): its cells as text, with dates as people write them."""

from typing import TYPE_CHECKING

from ...errors import Error, Option, Remark
from ...optional import import_extra
from ..read_context import Table
from ..read_options import Choices
from .byte_source import Source, unreadable
from .header_row import find_heading
from .table_bounds import Grid, trim_table
from .tolerant_csv import Record

if TYPE_CHECKING:
    import polars as pl

_SAMPLE = 1000  # number of rows searched for the header
_TIMESTAMP = r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?$"


def read_workbook(source: Source, choices: Choices) -> Table:
    """Read the first sheet, or the chosen one, like a text file; rows are numbered as in the sheet."""
    fastexcel = import_extra("fastexcel", "fastexcel", "excel")
    try:
        book = fastexcel.read_excel(source.read() if source.path is None else str(source.path))
        names = list(book.sheet_names)
        name = names[0] if choices.sheet is None else choices.sheet
        if name not in names:
            message = f"{source}: sheet {name!r} not found; the sheets are {', '.join(map(repr, names))}"
            raise Error(message, field="sheet", value=name)
        # Read from row 0, because fastexcel would not count the empty rows above the first filled one.
        frame = book.load_sheet(name, header_row=None, skip_rows=0, dtypes="string").to_polars()
    except fastexcel.FastExcelError as error:
        raise unreadable(source.title, Exception(str(error).splitlines()[0])) from error
    if frame.is_empty():
        raise Error(f"{source}: sheet {name!r} is empty; its first row must name the columns")
    rows = frame.head(_SAMPLE).fill_null("").rows()
    heading = find_heading([Record(number, list(cells)) for number, cells in enumerate(rows, 1)], choices, unit="row")
    frame.columns = list(heading.names)
    frame = frame[heading.start :].select(map(_format_dates, frame.columns))
    remarks = []
    if len(names) > 1 and choices.sheet is None:
        also = f" (also {', '.join(map(repr, names[2:]))})" if len(names) > 2 else ""
        pieces = (f"sheet {name!r} is read; ", Option("sheet", names[1]), f" reads another{also}")
        remarks.append(Remark("sheet", pieces, count=len(names)))
    grid = Grid(frame, heading, lambda row: heading.start + row + 1, remarks=remarks, unit="row")
    return trim_table(grid, source.title, choices)


def _format_dates(column: str) -> "pl.Expr":
    """Drop the time of day if all timestamps are at midnight, and the date if a cell holds only a time of day."""
    import polars as pl

    cell = pl.col(column).str.replace(r"^1899-12-3[01] ", "")
    is_timestamp = cell.str.contains(_TIMESTAMP)
    only_dates = (cell.str.ends_with(" 00:00:00") | is_timestamp.not_()).all()
    return pl.when(is_timestamp & only_dates).then(cell.str.head(10)).otherwise(cell).alias(column)
