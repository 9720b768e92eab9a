"""Tables of text: ruled on a terminal, in plain columns elsewhere; and frames as files."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .console import get_console, printable
from .standings import write

if TYPE_CHECKING:
    import polars as pl
    from rich.text import Text


def print_table(
    heads: Sequence[str],
    rows: Sequence[Sequence[str | Text]],
    right: Collection[str] = (),
    flexible: Collection[str] = (),
) -> None:
    """Print a table; columns whose heads are in `right` stand to the right, `flexible` ones may be broken."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    console = get_console()
    ruled = console.is_terminal
    table = Table(box=box.SIMPLE_HEAD if ruled else None, pad_edge=False, padding=(0, 1) if ruled else (0, 2, 0, 0))
    for head in heads:
        side = "right" if head in right else "left"
        table.add_column(head, justify=side, no_wrap=head not in flexible, overflow="fold")  # type: ignore[arg-type]
    for row in rows:
        table.add_row(*(Text(printable(cell)) if isinstance(cell, str) else cell for cell in row))
    console.print(table)


def write_table(frame: pl.DataFrame, path: Path) -> None:
    """Write a frame to a file by its ending; a CSV file holds lists as names with semicolons between them."""
    import polars as pl

    if path.suffix.lower() == ".csv":
        frame = frame.with_columns(pl.col(pl.List(pl.String)).list.join("; "))
    write(frame, path)


def cut(text: str, width: int) -> str:
    """A text that takes at most so many cells; what is left out is marked.

    >>> cut("ann", 3), cut("annabel", 4), cut("王小明", 5)
    ('ann', 'ann…', '王小…')
    """
    from rich.cells import cell_len, set_cell_size

    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(width - 1, 0)).rstrip() + "…"
