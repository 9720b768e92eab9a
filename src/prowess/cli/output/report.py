"""A report on the terminal: text, tables, claims with their verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...lab.report import Claim, Report, Section, format_column
from .console import get_console, printable

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

STYLES = {True: "green", False: "red", None: "yellow"}
TEXT = 100  # columns of running text, where a terminal has more
WHOLE = 32  # cells: a text up to this is not broken into lines
BEST = " *"  # beside what is bold, where nothing can be


def print_report(report: Report) -> None:
    """Print a report: ruled tables on a terminal, plain columns elsewhere; charts are for pages."""
    from rich.text import Text

    console = get_console()
    console.print(Text(printable(report.title), style="bold underline"), soft_wrap=True)
    for section in report.sections:
        console.print()
        print_section(section)


def print_section(section: Section) -> None:
    """Print title, text, table and claims, with a line between them."""
    from rich.text import Text

    console = get_console()
    console.print(Text(printable(section.title), style="bold"), soft_wrap=True)
    if section.text:
        console.print()
        print_text(section.text)
    if section.table is not None:
        console.print()
        print_table(section.table, section.bold)
    if section.claims:
        console.print()
    for claim in section.claims:
        _print_claim(claim)


def print_text(text: str, style: str = "") -> None:
    """Print paragraphs, with a line between them; a wide terminal does not make wide paragraphs."""
    from rich.text import Text

    console = get_console()
    width = min(console.width, TEXT) if console.is_terminal else None
    for number, part in enumerate(filter(None, text.split("\n\n"))):
        if number:
            console.print()
        console.print(Text(printable(part), style=style), width=width, soft_wrap=width is None)


def _print_claim(claim: Claim) -> None:
    """A claim, its verdict in colour and in words, and the figures."""
    from rich.text import Text

    verdict = (f"{claim.verdict}: ", f"bold {STYLES[claim.holds]}")
    line = Text.assemble("• ", verdict, printable(claim.text), (f" ({printable(claim.evidence)})", "dim"))
    get_console().print(line, soft_wrap=True)


def print_table(frame: pl.DataFrame, bold: frozenset[tuple[int, str]] = frozenset()) -> None:
    """Print a table; where a terminal is too narrow for all of its columns, they come in blocks below each other.

    Every block begins with the first column. Numbers stand to the right and are never cut.
    """
    console = get_console()
    texts = {column.name: list(map(printable, format_column(column.to_list()))) for column in frame}
    right = {name for name, kind in frame.schema.items() if kind.is_numeric()}
    if not console.is_terminal:
        for name in texts.keys() - right:
            texts[name] = [text + BEST * ((row, name) in bold) for row, text in enumerate(texts[name])]
    for names in _blocks(texts, console.width):
        console.print(_table({name: texts[name] for name in names}, right, bold))


def _blocks(texts: dict[str, list[str]], width: int) -> Iterator[list[str]]:
    """The names of the columns that fit beside each other, always with the first one."""
    first, *rest = texts
    widths = {name: _narrowest(name, cells) + 3 for name, cells in texts.items()}
    block = [first]
    for name in rest:
        if len(block) > 1 and sum(widths[one] for one in block) + widths[name] - 1 > width:
            yield block
            block = [first]
        block.append(name)
    yield block


def _narrowest(head: str, cells: list[str]) -> int:
    """How many cells of a terminal a column needs: a long text can be broken between its words, a short one cannot."""
    from rich.cells import cell_len

    words = printable(head).split()
    for text in cells:
        words += [text] if cell_len(text) <= WHOLE else text.split()
    return max(map(cell_len, words), default=1)


def _table(texts: dict[str, list[str]], right: set[str], bold: frozenset[tuple[int, str]]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    ruled = get_console().is_terminal
    table = Table(box=box.SIMPLE_HEAD if ruled else None, pad_edge=False, padding=(0, 1) if ruled else (0, 2, 0, 0))
    for name, cells in texts.items():
        least = _narrowest(name, cells)
        table.add_column(
            Text(printable(name)), justify="right" if name in right else "left", overflow="fold", min_width=least
        )
    for index, row in enumerate(zip(*texts.values(), strict=True)):
        named = zip(texts, row, strict=True)
        table.add_row(*(Text(text, style="bold" if (index, name) in bold else "") for name, text in named))
    return table
