"""Standings as a table, as JSON and as files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...atomic_files import file_extension, replace_file
from ...errors import Error
from .console import get_console, printable

if TYPE_CHECKING:
    import polars as pl
    from rich.text import Text

ENDINGS = (".csv", ".parquet", ".json")
MANY = 2000  # rows for which Rich would need long
USUAL = ("rank", "player", "mu", "sigma", "shown", "matches", "last_seen", "change", "gain")
LEFT = ("player",)
CHANGE = "▲▼"  # the head of a narrow column
DROPPED = ("last seen", "matches", CHANGE, "μ ± σ")  # from a narrow terminal, in this order
STYLES = {"▲": "green", "▼": "red", "n": "cyan", "–": "dim"}


def print_standings(frame: pl.DataFrame, title: str = "", by: str | None = None) -> None:
    """Print a leaderboard: ruled on a terminal, in plain columns elsewhere; `by` is a column that comes first."""
    console = get_console()
    columns = _columns(frame, by)
    if not console.is_terminal or len(frame) > MANY:
        console.file.writelines(_plain(columns, by))
        return
    columns = {CHANGE if head == "change" else head: cells for head, cells in columns.items()}
    _print_ruled(_fitting(columns, console.width), title)


def _print_ruled(columns: dict[str, list[str]], title: str) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=Text(printable(title)) if title else None)
    table.title_justify, table.title_style = "left", "dim"
    for head in columns:
        left = head in LEFT
        table.add_column(Text(head), justify="left" if left else "right", no_wrap=not left, overflow="fold")
    for place, row in enumerate(zip(*columns.values(), strict=True)):
        cells = [_cell(head, text) for head, text in zip(columns, row, strict=True)]
        table.add_row(*cells, style="bold" if place < 3 else "")
    get_console().print(table)


def _cell(head: str, text: str) -> Text:
    from rich.text import Text

    return Text(text, style=STYLES[text[0]] if head == CHANGE else "")


def _columns(frame: pl.DataFrame, by: str | None = None) -> dict[str, list[str]]:
    """What stands in the table, by the heads of its columns."""
    lead = {} if by is None else {by: list(map(printable, frame[by]))}
    columns = {
        "rank": list(map(str, frame["rank"])),
        "player": list(map(printable, frame["player"])),
        "rating": list(map("{:.2f}".format, frame["shown"])),
        "μ ± σ": [f"{mu:.2f} ± {sigma or 0.0:.2f}" for mu, sigma in frame.select("mu", "sigma").iter_rows()],
    }
    if len(frame) and frame["sigma"].null_count() == len(frame):  # a system without uncertainty: the rating says it all
        del columns["μ ± σ"]
    more = [name for name in frame.columns if name not in (*USUAL, by)]  # offence and defence, volatility
    columns |= {name: _figures(frame[name].to_list()) for name in more}
    columns["matches"] = list(map(str, frame["matches"]))
    if frame["last_seen"].null_count() < len(frame):
        columns["last seen"] = list(map(moment, frame["last_seen"]))
    if "change" in frame.columns:
        columns["change"] = list(map(arrow, frame["change"]))
    return lead | columns


def _figures(values: Sequence[float]) -> list[str]:
    """Figures with as many digits as their size asks for."""
    digits = 2 if max(map(abs, values), default=0.0) >= 1 else 4
    return [f"{value:.{digits}f}" for value in values]


def arrow(change: int | None) -> str:
    """By how many ranks somebody rose or fell.

    >>> arrow(3), arrow(-2), arrow(0), arrow(None)
    ('▲3', '▼2', '–', 'new')
    """
    if change is None:
        return "new"
    return f"{'▲' if change > 0 else '▼'}{abs(change)}" if change else "–"


def _widths(columns: dict[str, list[str]]) -> dict[str, list[int]]:
    """How many cells of a terminal each text takes: names may hold wide letters, numbers do not."""
    from rich.cells import cell_len

    return {
        head: [len(text) if text.isascii() else cell_len(text) for text in cells] for head, cells in columns.items()
    }


def _fitting(columns: dict[str, list[str]], width: int) -> dict[str, list[str]]:
    """The columns that a narrow terminal can show whole: rather none than a number without its end."""
    known = ("rank", "player", "rating", *DROPPED)
    kept = dict(columns)
    for head in (*(name for name in reversed(columns) if name not in known), *DROPPED):
        widths = {name: max(len(name), *sizes, 0) for name, sizes in _widths(kept).items()}
        if sum(widths.values()) - widths["player"] + min(widths["player"], 16) + 3 * len(widths) - 1 <= width:
            break
        kept.pop(head, None)
    return kept


def _plain(columns: dict[str, list[str]], by: str | None) -> Iterator[str]:
    """Lines with aligned columns; Rich would need minutes for the many players that may go into a pipe."""
    from rich.cells import cell_len

    widths = _widths(columns)
    aligned = []
    for head, cells in columns.items():
        sizes = [cell_len(head), *widths[head]]
        wide = max(sizes)
        gaps = [" " * (wide - size) for size in sizes]
        pairs = zip([printable(head), *cells], gaps, strict=True)
        aligned.append([cell + gap if head in (*LEFT, by) else gap + cell for cell, gap in pairs])
    return ("  ".join(row).rstrip() + "\n" for row in zip(*aligned, strict=True))


def moment(when: date | float | None) -> str:
    """A time as people read it.

    >>> moment(date(2026, 1, 31)), moment(2026.0), moment(None)
    ('2026-01-31', '2026', '–')
    """
    if when is None:
        return "–"
    if isinstance(when, datetime):
        return f"{when:%Y-%m-%d %H:%M}" + (" UTC" if when.tzinfo else "")
    return str(when) if isinstance(when, date) else f"{when:.15g}"


def joined(groups: Mapping[str, pl.DataFrame], by: str | None) -> pl.DataFrame:
    """The standings of all groups as one frame, whose first column names the group; as they are where `by` is None."""
    import polars as pl

    frames = {name: frame for name, frame in groups.items() if len(frame)} or dict(groups)
    if by is None:
        return next(iter(frames.values()))
    if len({frame["last_seen"].dtype for frame in frames.values()}) > 1:  # numbers here, dates there
        frames = {name: frame.with_columns(pl.col("last_seen").cast(pl.String)) for name, frame in frames.items()}
    return pl.concat(
        [frame.select(pl.lit(name, pl.String).alias(by), pl.all()) for name, frame in frames.items()], how="vertical"
    )


def to_json(frame: pl.DataFrame, ascii_only: bool = False) -> str:
    """A list with an object for each player on a line of its own; times as in ISO 8601."""

    def plain(value: Any) -> str:
        return str(value.isoformat())

    rows = [json.dumps(row, ensure_ascii=ascii_only, default=plain) for row in frame.iter_rows(named=True)]
    return "[\n" + ",\n".join(rows) + "\n]" if rows else "[]"


def write(frame: pl.DataFrame, path: Path) -> None:
    """Write the standings to a file as its ending says, all of them or nothing."""
    import polars as pl

    ending = file_extension(path, ENDINGS)
    with replace_file(path) as place:
        try:
            if ending == ".csv":
                frame.write_csv(place)
            elif ending == ".parquet":
                frame.write_parquet(place)
            else:
                place.write_text(to_json(frame) + "\n", encoding="utf-8")
        except pl.exceptions.PolarsError as error:
            raise Error(f"{path}: cannot be written: {error}") from error
