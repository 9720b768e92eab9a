"""Reading a sheet of a workbook (Excel, OpenDocument): its cells as text, dates as dates are written."""

from typing import TYPE_CHECKING

from ...errors import Error, Option, Remark
from ...optional import import_extra
from ..read_context import Table
from ..read_options import Choices
from .byte_source import Source
from .header_row import find_heading
from .table_bounds import Grid, trim_table
from .tolerant_csv import Record

if TYPE_CHECKING:
    import polars as pl

_SAMPLE = 1000  # rows in which the heading shows
_MOMENT = r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?$"


def read_workbook(source: Source, choices: Choices) -> Table:
    """Read the first sheet, or that which is chosen, like a text file; rows are numbered as in the sheet."""
    fastexcel = import_extra("fastexcel", "fastexcel", "excel")
    try:
        book = fastexcel.read_excel(source.whole() if source.path is None else str(source.path))
        names = list(book.sheet_names)
        name = names[0] if choices.sheet is None else choices.sheet
        if name not in names:
            message = f"{source}: there is no sheet {name!r}, but {', '.join(map(repr, names))}"
            raise Error(message, field="sheet", value=name)
        # row 0, or the rows above the first that is filled would not be counted
        frame = book.load_sheet(name, header_row=None, skip_rows=0, dtypes="string").to_polars()
    except fastexcel.FastExcelError as error:
        raise Error(f"{source}: it could not be read: {str(error).splitlines()[0]}") from error
    if frame.is_empty():
        raise Error(f"{source}: sheet {name!r} is empty: its first row must name the columns")
    rows = frame.head(_SAMPLE).fill_null("").rows()
    sample = [Record(number, list(cells)) for number, cells in enumerate(rows, 1)]
    heading = find_heading(sample, choices, unit="row")
    frame.columns = list(heading.names)
    frame = frame[heading.start :].select(map(_dates, frame.columns))
    others = [other for other in names if other != name]
    remarks = []
    if others and choices.sheet is None:
        more = f"; there are {', '.join(map(repr, others))}" if len(others) > 1 else ""
        pieces = (f"sheet {name!r} is read (", Option("sheet", others[0]), f" reads another{more})")
        remarks.append(Remark("sheet", pieces, count=len(names)))
    grid = Grid(frame, heading, lambda row: heading.start + row + 1, remarks=remarks, unit="row")
    return trim_table(grid, source.title, choices)


def _dates(column: str) -> "pl.Expr":
    """Write moments as people do: a date alone where all are at midnight, a time alone where there is no date."""
    import polars as pl

    cell = pl.col(column).str.replace(r"^1899-12-3[01] ", "")
    moment = cell.str.contains(_MOMENT)
    midnight = cell.str.ends_with(" 00:00:00")
    only_dates = (midnight | moment.not_()).all()
    return pl.when(moment & only_dates).then(cell.str.head(10)).otherwise(cell).alias(column)
