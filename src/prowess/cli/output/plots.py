"""Plots made of characters: intervals such as ├──●──┤ on one scale, and line charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import isnan
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from .console import get_console, printable

if TYPE_CHECKING:
    from ...lab.interval import Interval

WIDTH = 40  # width of the scale in cells, if it fits
LABEL_WIDTH = 30  # width of the labels in cells, on a narrow terminal
FAR = 8  # the scale ignores intervals whose upper end is more than this many times the median upper end


def print_whiskers(
    rows: Mapping[str, tuple[Interval, str]], styles: Mapping[str, str], ends: tuple[float, float] | None = None
) -> None:
    """Print one row per name: its interval on a common scale that includes 0, and a text.

    By default, the scale leaves out far outliers above 0; `ends` are the ends of another scale.
    """
    from rich.table import Table
    from rich.text import Text

    console = get_console()
    ends = ends or _ends([interval for interval, _ in rows.values()])
    room = console.width - max(len(text) for _, text in rows.values()) - 6
    longest = max(Text(printable(name)).cell_len for name in rows)
    label = min(longest, max(LABEL_WIDTH, console.width - WIDTH - 30))
    room -= label
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(max_width=label, overflow="ellipsis", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    for name, (interval, text) in rows.items():
        line = whisker(interval, *ends, max(10, min(WIDTH, room)))
        table.add_row(Text(printable(name)), Text(line, style=styles.get(name, "")), Text(text))
    console.print(table)


def _ends(intervals: Sequence[Interval]) -> tuple[float, float]:
    # Far outliers would squeeze all other intervals.
    highs = sorted(interval.value if isnan(interval.high) else interval.high for interval in intervals)
    lows = [interval.value if isnan(interval.low) else interval.low for interval in intervals]
    least, most = min(0.0, *lows), FAR * max(median(highs), highs[0])
    high = max((high for high in highs if high <= most), default=highs[0])
    return least, high if high > least else least + 1.0


def whisker(interval: Interval, low: float, high: float, width: int) -> str:
    """Draw an interval on a scale of `width` cells with a line at 0; an arrow marks an interval beyond the scale.

    >>> from prowess.lab import Interval
    >>> whisker(Interval(4.0, 2.0, 6.0), 0.0, 10.0, 11), whisker(Interval(0.0, 0.0, 0.0), -5.0, 5.0, 11)
    ('│ ├─●─┤    ', '     ●     ')
    >>> whisker(Interval(40.0, 30.0, 50.0), 0.0, 10.0, 11)
    '│         ▸'
    """

    def cell(number: float) -> int:
        return round((number - low) / (high - low) * (width - 1))

    cells = [" "] * width
    cells[cell(0.0)] = "│"
    # Far outliers are beyond the scale on purpose (see `_ends`).
    if cell(interval.value) >= width:
        cells[-1] = "▸"
        return "".join(cells)
    if not isnan(interval.low):
        first, last = max(0, cell(interval.low)), min(width - 1, cell(interval.high))
        cells[first : last + 1] = "─" * (last + 1 - first)
        if first <= cell(0.0) <= last:
            cells[cell(0.0)] = "┼"
        cells[first] = "├" if cells[first] == "─" else cells[first]
        cells[last] = "┤" if cells[last] == "─" else cells[last]
        if cell(interval.high) >= width:
            cells[-1] = "▸"
    cells[cell(interval.value)] = "●"
    return "".join(cells)


def line_chart(values: Sequence[float], width: int, height: int = 7, digits: int = 2) -> list[str]:
    """Draw values, interpolated to `width` cells, as lines of text with a scale on the left.

    >>> print("\\n".join(line_chart([1, 2, 3, 3, 1], 5, height=3, digits=0)))
    3 ┤ ╭─╮
    2 ┤╭╯ │
    1 ┼╯  ╰
    """
    places = np.linspace(0, len(values) - 1, width) if len(values) > 1 else np.zeros(2)
    heights = np.interp(places, np.arange(len(values)), values)
    low, high = float(np.min(heights)), float(np.max(heights))
    span = high - low or 1.0
    rows = np.rint((heights - low) / span * (height - 1)).astype(int)
    canvas = [[" "] * (len(rows) - 1) for _ in range(height)]
    for column, (left, right) in enumerate(pairwise(rows.tolist())):
        for row in range(min(left, right) + 1, max(left, right)):
            canvas[row][column] = "│"
        canvas[left][column], canvas[right][column] = ("╯", "╭") if right > left else ("╮", "╰")
        if left == right:
            canvas[left][column] = "─"
    scale = [f"{low + span * row / (height - 1):.{digits}f}" for row in range(height)]
    room = max(map(len, scale))
    marks = ["┼" if row == rows[0] else "┤" for row in range(height)]
    return [f"{scale[row]:>{room}} {marks[row]}{''.join(canvas[row])}".rstrip() for row in reversed(range(height))]
