"""A report on the terminal: tables, claims with their verdicts, and as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..lab.report import Claim, Report, Section, shown_column
from .screen import screen, shown

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

__all__ = ["print_report", "report_json"]

STYLES = {True: "green", False: "red", None: "yellow"}
TEXT = 100  # columns of running text, where a terminal has more


def print_report(report: Report) -> None:
    """Print a report: ruled tables on a terminal, plain columns elsewhere; charts are for pages."""
    from rich.text import Text

    console = screen()
    console.print(Text(shown(report.title), style="bold underline"), soft_wrap=True)
    for section in report.sections:
        _print_section(section)


def _print_section(section: Section) -> None:
    """Text, table and claims, with a line between them."""
    from rich.text import Text

    console = screen()
    console.print(Text(f"\n{shown(section.title)}", style="bold"), soft_wrap=True)
    for part in filter(None, section.text.split("\n\n")):
        width = min(console.width, TEXT) if console.is_terminal else None
        console.print()
        console.print(Text(shown(part)), width=width, soft_wrap=width is None)
    if section.table is not None:
        console.print()
        console.print(_table(section.table, section.bold))
    if section.claims:
        console.print()
    for claim in section.claims:
        _print_claim(claim)


def _print_claim(claim: Claim) -> None:
    """A claim, its verdict in colour and in words, and the figures."""
    from rich.text import Text

    verdict = (f"{claim.verdict}: ", f"bold {STYLES[claim.holds]}")
    line = Text.assemble("• ", verdict, shown(claim.text), (f" ({shown(claim.evidence)})", "dim"))
    screen().print(line, soft_wrap=True)


def _table(frame: pl.DataFrame, bold: frozenset[tuple[int, str]]) -> Table:
    """A table; numbers stand to the right, and are never cut: a narrow terminal breaks the heads."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    ruled = screen().is_terminal
    table = Table(box=box.SIMPLE_HEAD if ruled else None, pad_edge=False, padding=(0, 1) if ruled else (0, 2, 0, 0))
    for name, kind in frame.schema.items():
        table.add_column(Text(shown(name)), justify="right" if kind.is_numeric() else "left", overflow="fold")
    columns = [shown_column(column.to_list()) for column in frame]
    for index, row in enumerate(zip(*columns, strict=True)):
        cells = zip(frame.columns, row, strict=True)
        table.add_row(*(Text(shown(text), style="bold" if (index, name) in bold else "") for name, text in cells))
    return table


def report_json(report: Report, ascii_only: bool = False) -> str:
    """The report for machines; a number that is not there is null."""
    return json.dumps(_finite(report.to_dict()), ensure_ascii=ascii_only, indent=1, default=str)


def _finite(value: Any) -> Any:
    """JSON knows no NaN."""
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and value - value != 0.0 else value
