"""Standings as a table on the console."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from math import floor, log10
from typing import TYPE_CHECKING

from ...model.ladder.leaderboard import rating_column
from ...model.scale import format_rounded
from .console import get_console, printable

if TYPE_CHECKING:
    import polars as pl

MOST_DECIMALS = 6
MANY_ROWS = 2000  # Rich is slow for longer tables
USUAL = ("rank", "player", "mu", "sigma", "shown", "matches", "last_seen", "active", "change", "gain", "peak")
POINTS = ("provisional", "points", "points_low", "points_high", "points_shown")
CHANGE = "▲▼"  # a shorter heading for a narrow column
DROPPED = ("last seen", "matches", CHANGE, "μ ± σ", "μ ± 95 %")  # dropped on a narrow terminal, in this order
STYLES = {"▲": "green", "▼": "red", "n": "cyan", "–": "dim"}


def print_standings(frame: pl.DataFrame, title: str = "", by: str | None = None, digits: int = 0) -> None:
    """Print a leaderboard: a table with borders on a terminal, else plain columns. `by` is the column to put first.

    Ratings in points have `digits` decimals, and provisional ratings end in a question mark. Inactive players are grey
    on a terminal; in other output, a column shows who is active.
    """
    console = get_console()
    columns = _columns(frame, by, digits)
    if not console.is_terminal or len(frame) > MANY_ROWS:
        if not frame["active"].all():
            columns["active"] = ["yes" if active else "no" for active in frame["active"]]
        console.file.writelines(_plain_lines(columns, by))
        return
    columns = {CHANGE if head == "change" else head: cells for head, cells in columns.items()}
    _print_ruled(_drop_columns(columns, console.width), frame["active"].to_list(), title)


def _columns(frame: pl.DataFrame, by: str | None, digits: int) -> dict[str, list[str]]:
    first = {} if by is None else {by: list(map(printable, frame[by]))}
    number = f"{{:.{rating_decimals(frame)}f}}".format
    columns = {
        "rank": list(map(str, frame["rank"])),
        "player": list(map(printable, frame["player"])),
        "rating": format_ratings(frame, digits),
    }
    if "points" in frame.columns:
        means, margins = format_points(frame, digits)
        # The interval belongs to the mean, so it is beside the rating only if that is the mean.
        head, texts = ("μ ± 95 %", means) if "points_shown" in frame.columns else ("rating", columns["rating"])
        columns[head] = [" ± ".join(filter(None, pair)) for pair in zip(texts, margins, strict=True)]
    elif not len(frame) or frame["sigma"].null_count() < len(frame):  # without an uncertainty, μ equals the rating
        beliefs = frame.select("mu", "sigma").iter_rows()
        columns["μ ± σ"] = [f"{number(mu)} ± {number(sigma or 0.0)}" for mu, sigma in beliefs]
    for name in frame.columns:
        if name not in (*USUAL, *POINTS, by):  # extra columns, such as offence and defence, or volatility
            values = frame[name].to_list()
            places = 2 if max(map(abs, values), default=0.0) >= 1 else 4
            columns[name] = [f"{value:.{places}f}" for value in values]
    if "peak" in frame.columns:
        columns["peak"] = list(map(format_time, frame["peak"]))
    columns["matches"] = list(map(str, frame["matches"]))
    if frame["last_seen"].null_count() < len(frame):
        columns["last seen"] = list(map(format_time, frame["last_seen"]))
    if "change" in frame.columns:
        columns["change"] = list(map(format_change, frame["change"]))
    return first | columns


def _print_ruled(columns: dict[str, list[str]], active: list[bool], title: str) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=Text(printable(title)) if title else None)
    table.title_justify, table.title_style = "left", "dim"
    for head in columns:
        left = head == "player"
        table.add_column(Text(head), justify="left" if left else "right", no_wrap=not left, overflow="fold")
    for index, row in enumerate(zip(*columns.values(), strict=True)):
        styles = [STYLES[text[0]] if head == CHANGE else "" for head, text in zip(columns, row, strict=True)]
        table.add_row(
            *map(Text, row, styles), style="bright_black" if not active[index] else "bold" if index < 3 else ""
        )
    get_console().print(table)


def _drop_columns(columns: dict[str, list[str]], width: int) -> dict[str, list[str]]:
    # Leaving a column out is better than truncating its numbers.
    usual = ("rank", "player", "rating", "peak", *DROPPED)
    kept = dict(columns)
    for head in (*(name for name in reversed(columns) if name not in usual), *DROPPED):
        # Names may be folded down to 16 cells; numbers may not.
        widths = {name: max(len(name), *sizes, 0) for name, sizes in _widths(kept).items()}
        if sum(widths.values()) - widths["player"] + min(widths["player"], 16) + 3 * len(widths) - 1 <= width:
            break
        kept.pop(head, None)
    return kept


def _plain_lines(columns: dict[str, list[str]], by: str | None) -> Iterator[str]:
    from rich.cells import cell_len

    widths = _widths(columns)
    aligned = []
    for head, cells in columns.items():
        sizes = [cell_len(head), *widths[head]]
        width = max(sizes)
        gaps = [" " * (width - size) for size in sizes]
        pairs = zip([printable(head), *cells], gaps, strict=True)
        aligned.append([cell + gap if head in ("player", by) else gap + cell for cell, gap in pairs])
    return ("  ".join(row).rstrip() + "\n" for row in zip(*aligned, strict=True))


def _widths(columns: dict[str, list[str]]) -> dict[str, list[int]]:
    from rich.cells import cell_len

    # Names may have wide letters, which take two cells.
    return {
        head: [len(cell) if cell.isascii() else cell_len(cell) for cell in cells] for head, cells in columns.items()
    }


def rating_decimals(frame: pl.DataFrame) -> int:
    """Return how many decimals ratings need: at least two, and more if a typical σ is below 1, as with goals.

    >>> import polars as pl
    >>> [rating_decimals(pl.DataFrame({"sigma": [sigma]})) for sigma in (8.3, 0.18, None)]
    [2, 3, 2]
    """
    sigma = frame["sigma"].median()
    if not isinstance(sigma, float) or not 0.0 < sigma < 1.0:
        return 2
    return min(2 - floor(log10(sigma)), MOST_DECIMALS)


def format_ratings(frame: pl.DataFrame, digits: int) -> list[str]:
    """Return the ratings by which players are ranked as texts; those of provisional players end in a question mark.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"points": [1600.4, 1650.0], "provisional": [False, True]})
    >>> format_ratings(frame, 0)
    ['1600', '1650?']
    """
    name = rating_column(frame.columns)
    places = digits if name.startswith("points") else rating_decimals(frame)
    marks = frame["provisional"] if "provisional" in frame.columns else [False] * len(frame)
    return [format_rounded(value, places) + "?" * mark for value, mark in zip(frame[name], marks, strict=True)]


def format_points(frame: pl.DataFrame, digits: int) -> tuple[list[str], list[str]]:
    """Return two lists of texts: ratings in points, and half the widths of their intervals ("" if unknown).

    >>> import polars as pl
    >>> format_points(pl.DataFrame({"points": [1600.4, 1450.0], "points_high": [1650.4, None]}), 0)
    (['1600', '1450'], ['50', ''])
    """
    margins = frame["points_high"] - frame["points"]
    texts = [format_rounded(value, digits) for value in frame["points"]]
    return texts, ["" if margin is None else format_rounded(margin, digits) for margin in margins]


def format_change(change: int | None) -> str:
    """Format the number of ranks by which a player rose or fell.

    >>> format_change(3), format_change(-2), format_change(0), format_change(None)
    ('▲3', '▼2', '–', 'new')
    """
    if change is None:
        return "new"
    return f"{'▲' if change > 0 else '▼'}{abs(change)}" if change else "–"


def format_time(time: date | float | None) -> str:
    """Format a time for display.

    >>> format_time(date(2026, 1, 31)), format_time(2026.0), format_time(None)
    ('2026-01-31', '2026', '–')
    """
    if time is None:
        return "–"
    if isinstance(time, datetime):
        return f"{time:%Y-%m-%d %H:%M}" + (" UTC" if time.tzinfo else "")
    return str(time) if isinstance(time, date) else f"{time:.15g}"


def concat_groups(groups: Mapping[str, pl.DataFrame], by: str | None) -> pl.DataFrame:
    """Return the standings of all groups as one frame whose first column, `by`, names the group.

    If `by` is None, there is only one group, whose frame is returned unchanged.
    """
    import polars as pl

    frames = {name: frame for name, frame in groups.items() if len(frame)} or dict(groups)
    if by is None:
        return next(iter(frames.values()))
    # Times may be numbers in some groups and dates in others; as text, they fit into one column.
    if len({frame["last_seen"].dtype for frame in frames.values()}) > 1:
        frames = {name: frame.with_columns(pl.col("last_seen").cast(pl.String)) for name, frame in frames.items()}
    return pl.concat([frame.select(pl.lit(name, pl.String).alias(by), pl.all()) for name, frame in frames.items()])
