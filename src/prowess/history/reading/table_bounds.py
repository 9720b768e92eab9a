"""What stands around and between the rows of a table, and is none: blank lines, headers that come again, totals."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...errors import Remark
from ..read_context import Problems, Table
from ..read_options import Choices
from .header_row import Heading, count_filled

if TYPE_CHECKING:
    import polars as pl

_FOOT = re.compile(
    r"\W*(totals?|sums?|sources?|notes?|legend|generated|exported|created|(last )?updated|copyright|data from|https?:"
    r"|www\.|итого|всего|источник|quelle|summe|gesamt|stand|fuente|[\d.,]+ (rows?|records?|match(es)?|games?))\b.*",
    re.IGNORECASE | re.DOTALL,
)
_LAST = 10  # rows at the end that may be none
Rows = NDArray[np.intp]


@dataclass
class Grid:
    """The cells under a heading, where each row stands, and what is wrong with some."""

    frame: "pl.DataFrame"
    heading: Heading
    line: Callable[[int], int]
    faults: Sequence[tuple[int, str]] = ()
    remarks: list[Remark] = field(default_factory=list)
    unit: str = "line"


def trim_table(grid: Grid, title: str, choices: Choices) -> Table:
    """Give a table of the rows and columns that hold something."""
    frame, heading = grid.frame, grid.heading
    remarks = [*grid.remarks, *heading.remarks]
    blank = _rows(frame, _is_blank)
    repeated = _repeated(frame, heading.cells)
    comments = _comments(frame) if heading.comments else repeated[:0]
    dropped = np.union1d(np.union1d(blank, repeated), comments)
    foot = _foot(frame, dropped, [row for row, _ in grid.faults])
    for rows, code, what in (
        (repeated, "repeated-header", "the header comes again and is not read"),
        (comments, "comments", "a comment is not read"),
        (foot, "below-table", "what stands below the table is not read"),
    ):
        if len(rows):
            line = grid.line(int(rows[0]))
            more = f" ({len(rows)} times)" if len(rows) > 1 else ""
            sample = f": {next(cell for cell in frame.row(int(rows[0])) if cell)[:60]!r}" if rows is foot else ""
            remarks.append(Remark(code, (f"{grid.unit} {line}: {what}{more}{sample}",), count=len(rows), line=line))
    dropped = np.union1d(dropped, foot)
    kept = None
    if len(dropped):
        kept = np.delete(np.arange(len(frame)), dropped)
        frame = frame[kept]
    frame = frame.drop([name for name in heading.unnamed if not len(frame) or _is_empty(frame[name])])
    problems = Problems()
    gone = set(dropped.tolist())
    for row, fault in grid.faults:
        if row not in gone:
            problems.add([row if kept is None else int(np.searchsorted(kept, row))], None, None, fault)

    def line_of(row: int) -> int:
        return grid.line(row if kept is None else int(kept[row]))

    return Table(frame, title, line_of, choices, remarks, problems, unit=grid.unit)


def _is_blank(cells: "pl.Series") -> "pl.Series":
    return cells.is_null() | (cells.str.strip_chars() == "")


def _is_empty(cells: "pl.Series") -> bool:
    return bool(cells.null_count() == len(cells) or _is_blank(cells).all())


def _rows(frame: "pl.DataFrame", good: "Callable[[pl.Series], pl.Series]") -> Rows:
    """Find the rows all of whose cells are good, from column to column, so that few are looked at twice."""
    first = frame.to_series(0)
    rows = (first.is_null() | (first < "!")).arg_true().to_numpy()  # what is empty, or begins with a blank
    for column in frame.iter_columns():
        if not len(rows):
            break
        rows = rows[good(column.gather(rows)).to_numpy()]
    return rows.astype(np.intp)


def _repeated(frame: "pl.DataFrame", header: Sequence[str]) -> Rows:
    """Find the rows that hold what the header does."""
    cells = [(column, cell) for column, cell in zip(frame.iter_columns(), header, strict=False) if cell.strip()]
    if len(cells) < 2:
        return np.zeros(0, np.intp)
    exact = [column == cell for column, cell in cells[:2]]  # blanks around both would be odd
    rows = (exact[0] | exact[1]).arg_true().to_numpy()
    for column, cell in cells:
        if not len(rows):
            break
        rows = rows[(column.gather(rows).str.strip_chars() == cell.strip()).fill_null(False).to_numpy()]
    return rows.astype(np.intp)


def _comments(frame: "pl.DataFrame") -> Rows:
    rows = frame.to_series(0).str.starts_with("#").fill_null(False).arg_true().to_numpy()
    for column in frame.get_columns()[1:]:
        rows = rows[_is_blank(column.gather(rows)).to_numpy()] if len(rows) else rows
    return rows.astype(np.intp)


def _foot(frame: "pl.DataFrame", dropped: Rows, faulty: Sequence[int]) -> Rows:
    """Find rows at the end that are no rows of the table: totals, sources, or a single cell under a blank line."""
    rows = []
    gone = set(dropped[-_LAST:].tolist())
    for row in range(len(frame) - 1, max(-1, len(frame) - 1 - _LAST), -1):
        if row in gone:
            continue
        cells = [cell or "" for cell in frame.row(row)]
        if row in faulty or not _is_foot(cells, apart=row - 1 in gone):
            break
        rows.append(row)
    return np.array(rows[::-1], np.intp)


def _is_foot(cells: Sequence[str], apart: bool) -> bool:
    count = count_filled(cells)
    text = next((cell for cell in cells if cell.strip()), "")
    if count == 1 and len(cells) > 1 and apart:
        return True
    is_note = _FOOT.fullmatch(text.strip()) is not None and cells[0].strip() != ""
    return is_note and count < len(cells) and (count <= 2 or not cells[1].strip())
