"""Limits on files that take far more memory than disk space: compressed files, workbooks, Parquet, endless lines.

The limits are checked before or while a file is unpacked, so that a file of a few kilobytes cannot take gigabytes of
memory.
"""

from dataclasses import dataclass
from math import inf

from ..errors import Error, Option, Piece
from ..text import byte_size

MIB = 1024 * 1024
BYTES_PER_CELL = 8  # minimum number of bytes that a cell of a table takes in memory
SHEET_BYTES_PER_CELL = 4  # minimum average size of a cell in a sheet's file; a filled cell takes 20 bytes or more


class LimitExceeded(Error):
    """Raised if a file exceeds one of the `ReadLimits`."""


@dataclass(frozen=True)
class ReadLimits:
    """The limits for reading one file. The limits on rows and unpacked bytes are for services, and infinite by default.

    Compression seldom shrinks files of matches to less than a fiftieth. The `ratio` is checked only for files that
    unpack to more than `small_bytes`, and the extent of a sheet only above `small_cells`.

    >>> ReadLimits(rows=1000).check_table("games.csv", 1_000_000, 3)
    Traceback (most recent call last):
    ...
    prowess.history.read_limits.LimitExceeded: games.csv: has 1,000,000 rows, and the limit is 1,000; ...
    """

    ratio: float = 200.0  # unpacked bytes per packed byte
    small_bytes: float = 64 * MIB
    small_cells: float = 1 << 23
    line: float = MIB  # bytes
    columns: float = 16_384  # the maximum of an Excel sheet
    rows: float = inf
    unpacked: float = inf  # bytes
    remedy: tuple[Piece, ...] = ("if you trust the file, use ", Option("limits", False), " to read it anyway")

    def error(self, title: str, message: str, line: int | None = None) -> LimitExceeded:
        """Return the error for a file that exceeds a limit."""
        return LimitExceeded(f"{title}: {message}; ", *self.remedy, line=line)

    def long_line(self, title: str, line: int) -> LimitExceeded:
        """Return the error for a line that is too long."""
        return self.error(title, f"line {line:,} is longer than the limit of {byte_size(self.line)}", line)

    def check_unpacked(self, title: str, unpacked: int, packed: int) -> None:
        """Raise `LimitExceeded` if a file of `packed` bytes has already unpacked to too many bytes."""
        if unpacked > self.unpacked:
            raise self.error(title, f"unpacks to more than the limit of {byte_size(self.unpacked)}")
        if unpacked > max(self.small_bytes, self.ratio * packed):
            sizes = f"unpacks from {byte_size(packed)} to more than {byte_size(unpacked)}"
            raise self.error(title, f"{sizes}, and the limit is {self.ratio:g} times its size")

    def check_table(self, title: str, rows: int, columns: int, line: int | None = None) -> None:
        """Raise `LimitExceeded` if a table has too many rows or columns.

        `line` is the line with too many columns, if it is known.
        """
        for number, most, what in ((rows, self.rows, "rows"), (columns, self.columns, "columns")):
            if number > most:
                subject = "" if line is None else f"line {line:,} "
                raise self.error(title, f"{subject}has {number:,} {what}, and the limit is {most:,.0f}", line)

    def check_packed_table(self, title: str, rows: int, columns: int, packed: int) -> None:
        """Raise `LimitExceeded` if a table has too many cells for a file of `packed` bytes."""
        self.check_table(title, rows, columns)
        if rows * columns * BYTES_PER_CELL > max(self.small_bytes, self.ratio * packed):
            table = f"has {rows:,} rows and {columns:,} columns in only {byte_size(packed)}"
            raise self.error(title, f"{table}, and the limit is {self.ratio:g} times its size")

    def most_cells(self, sheet_bytes: int) -> float:
        """Return the maximum number of cells, including empty ones, over which a sheet of this size may extend."""
        return inf if self.small_cells == inf else max(self.small_cells, sheet_bytes / SHEET_BYTES_PER_CELL)


UNLIMITED = ReadLimits(inf, inf, inf, inf, inf)
