"""Tables, paragraphs and reports on the console; tables have borders on a terminal and plain columns in a pipe."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from .console import get_console, printable

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table
    from rich.text import Text

    from ...lab.report import Report, Section

VERDICT_STYLES = {True: "green", False: "red", None: "yellow"}
TEXT_WIDTH = 100  # maximum width of a paragraph
UNBROKEN = 32  # cells: a text up to this length is not wrapped
BOLD_MARK = " *"  # marks bold cells in a pipe


def cut(text: str, width: int) -> str:
    """Shorten a text to `width` cells, with an ellipsis.

    >>> cut("ann", 3), cut("annabel", 4), cut("王小明", 5)
    ('ann', 'ann…', '王小…')
    """
    from rich.cells import cell_len, set_cell_size

    return text if cell_len(text) <= width else set_cell_size(text, max(width - 1, 0)).rstrip() + "…"


def print_table(
    heads: Sequence[str],
    rows: Sequence[Sequence[str | Text]],
    right: Collection[str] = (),
    flexible: Collection[str] = (),
) -> None:
    """Print rows of text; columns in `right` are aligned to the right, and columns in `flexible` may be wrapped."""
    from rich.text import Text

    table = _make_table()
    for head in heads:
        side = "right" if head in right else "left"
        table.add_column(head, justify=side, no_wrap=head not in flexible, overflow="fold")  # type: ignore[arg-type]
    for row in rows:
        table.add_row(*(Text(printable(cell)) if isinstance(cell, str) else cell for cell in row))
    get_console().print(table)


def print_frame(frame: pl.DataFrame, bold: frozenset[tuple[int, str]] = frozenset()) -> None:
    """Print a data frame; if the terminal is too narrow, print its columns in several blocks, one below the other.

    Every block begins with the first column. Numbers are aligned to the right and never truncated.
    """
    from rich.text import Text

    from ...lab.report import format_column

    console = get_console()
    texts = {column.name: list(map(printable, format_column(column.to_list()))) for column in frame}
    numeric = {name for name, kind in frame.schema.items() if kind.is_numeric()}
    if not console.is_terminal:
        for name in texts.keys() - numeric:
            texts[name] = [text + BOLD_MARK * ((row, name) in bold) for row, text in enumerate(texts[name])]
    widths = {name: _minimum_width(name, cells) for name, cells in texts.items()}
    for names in _fit_columns(widths, console.width):
        table = _make_table()
        for name in names:
            side = "right" if name in numeric else "left"
            table.add_column(Text(printable(name)), justify=side, overflow="fold", min_width=widths[name])  # type: ignore[arg-type]
        for row in range(len(frame)):
            table.add_row(*(Text(texts[name][row], style="bold" if (row, name) in bold else "") for name in names))
        console.print(table)


def _make_table() -> Table:
    from rich import box
    from rich.table import Table

    ruled = get_console().is_terminal
    return Table(box=box.SIMPLE_HEAD if ruled else None, pad_edge=False, padding=(0, 1) if ruled else (0, 2, 0, 0))


def _minimum_width(head: str, cells: list[str]) -> int:
    from rich.cells import cell_len

    # Long texts can be wrapped between words, short texts cannot.
    words = printable(head).split()
    for text in cells:
        words += [text] if cell_len(text) <= UNBROKEN else text.split()
    return max(map(cell_len, words), default=1)


def _fit_columns(widths: dict[str, int], total: int) -> Iterator[list[str]]:
    # Every group includes the first column, which names the rows.
    first, *others = widths
    group = [first]
    for name in others:
        if len(group) > 1 and sum(widths[member] + 3 for member in group) + widths[name] + 2 > total:
            yield group
            group = [first]
        group.append(name)
    yield group


def print_text(text: str, style: str = "") -> None:
    """Print paragraphs with an empty line between them, at most `TEXT_WIDTH` cells wide."""
    from rich.text import Text

    console = get_console()
    width = min(console.width, TEXT_WIDTH) if console.is_terminal else None
    for number, paragraph in enumerate(filter(None, text.split("\n\n"))):
        if number:
            console.print()
        console.print(Text(printable(paragraph), style=style), width=width, soft_wrap=width is None)


def print_report(report: Report) -> None:
    """Print the text, tables and claims of a report; its charts appear only on HTML pages."""
    from rich.text import Text

    console = get_console()
    console.print(Text(printable(report.title), style="bold underline"), soft_wrap=True)
    for section in report.sections:
        console.print()
        _print_section(section)


def _print_section(section: Section) -> None:
    from rich.text import Text

    console = get_console()
    console.print(Text(printable(section.title), style="bold"), soft_wrap=True)
    if section.text:
        console.print()
        print_text(section.text)
    if section.table is not None:
        console.print()
        print_frame(section.table, section.bold)
    if section.claims:
        console.print()
    for claim in section.claims:
        verdict = (f"{claim.verdict}: ", f"bold {VERDICT_STYLES[claim.holds]}")
        evidence = (f" ({printable(claim.evidence)})", "dim")
        console.print(Text.assemble("• ", verdict, printable(claim.text), evidence), soft_wrap=True)
