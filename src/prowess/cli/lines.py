"""A line on a terminal: how a number went, in a few rows of text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["line_chart"]


def line_chart(values: Sequence[float], width: int, height: int = 7, digits: int = 2) -> list[str]:
    """The rows of a chart with a scale at its left; there may be more or fewer values than it is wide.

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
    for column, (one, other) in enumerate(zip(rows[:-1].tolist(), rows[1:].tolist(), strict=True)):
        if one == other:
            canvas[one][column] = "─"
            continue
        canvas[one][column], canvas[other][column] = ("╯", "╭") if other > one else ("╮", "╰")
        for row in range(min(one, other) + 1, max(one, other)):
            canvas[row][column] = "│"
    scale = [f"{low + span * row / (height - 1):.{digits}f}" for row in range(height)]
    room = max(map(len, scale))
    marks = ["┼" if row == rows[0] else "┤" for row in range(height)]
    lines = [f"{scale[row]:>{room}} {marks[row]}{''.join(canvas[row])}".rstrip() for row in range(height)]
    return lines[::-1]
