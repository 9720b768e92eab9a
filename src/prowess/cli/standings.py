"""Standings as a table, as JSON and as files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import Error
from ..files import ending_of, replacing
from .screen import screen, shown

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ENDINGS", "print_standings", "to_json", "write"]

ENDINGS = (".csv", ".parquet", ".json")


def print_standings(frame: pl.DataFrame) -> None:
    """Print a leaderboard: ruled on a terminal, in plain columns elsewhere."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    console = screen()
    columns = _columns(frame)
    if not console.is_terminal:
        console.file.writelines(_plain(columns))
        return
    columns = _fitting(columns, console.width)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for head in columns:
        left = head == "player"
        table.add_column(head, justify="left" if left else "right", no_wrap=not left, overflow="fold")
    for place, row in enumerate(zip(*columns.values(), strict=True)):
        table.add_row(*map(Text, row), style="bold" if place < 3 else "")
    console.print(table)


def _columns(frame: pl.DataFrame) -> dict[str, list[str]]:
    """What stands in the table, by the heads of its columns."""
    columns = {
        "rank": list(map(str, frame["rank"])),
        "player": list(map(shown, frame["player"])),
        "rating": list(map("{:.2f}".format, frame["shown"])),
        "μ ± σ": [f"{mu:.2f} ± {sigma or 0.0:.2f}" for mu, sigma in frame.select("mu", "sigma").iter_rows()],
        "matches": list(map(str, frame["matches"])),
    }
    if len(frame) and frame["sigma"].null_count() == len(frame):  # a system without uncertainty: the rating says it all
        del columns["μ ± σ"]
    if frame["last_seen"].null_count() < len(frame):
        columns["last seen"] = list(map(_moment, frame["last_seen"]))
    return columns


def _widths(columns: dict[str, list[str]]) -> dict[str, list[int]]:
    """How many cells of a terminal each text takes: names may hold wide letters, numbers do not."""
    from rich.cells import cell_len

    widths = {head: list(map(len, cells)) for head, cells in columns.items()}
    widths["player"] = [len(name) if name.isascii() else cell_len(name) for name in columns["player"]]
    return widths


def _fitting(columns: dict[str, list[str]], width: int) -> dict[str, list[str]]:
    """The columns that a narrow terminal can show whole: rather none than a number without its end."""
    kept = dict(columns)
    for head in ("last seen", "matches", "μ ± σ"):
        widths = {name: max(len(name), *sizes, 0) for name, sizes in _widths(kept).items()}
        if sum(widths.values()) - widths["player"] + min(widths["player"], 16) + 3 * len(widths) <= width:
            break
        kept.pop(head, None)
    return kept


def _plain(columns: dict[str, list[str]]) -> Iterator[str]:
    """Lines with aligned columns; Rich would need minutes for the many players that may go into a pipe."""
    widths = _widths(columns)
    aligned = []
    for head, cells in columns.items():
        sizes = [len(head), *widths[head]]
        wide = max(sizes)
        gaps = [" " * (wide - size) for size in sizes]
        pairs = zip([head, *cells], gaps, strict=True)
        aligned.append([cell + gap if head == "player" else gap + cell for cell, gap in pairs])
    return ("  ".join(row).rstrip() + "\n" for row in zip(*aligned, strict=True))


def _moment(when: date | float | None) -> str:
    if when is None:
        return "–"
    if isinstance(when, datetime):
        return f"{when:%Y-%m-%d %H:%M}" + (" UTC" if when.tzinfo else "")
    return str(when) if isinstance(when, date) else f"{when:.15g}"


def to_json(frame: pl.DataFrame, ascii_only: bool = False) -> str:
    """A list with an object for each player on a line of its own; times as in ISO 8601."""

    def plain(value: Any) -> str:
        return str(value.isoformat())

    rows = [json.dumps(row, ensure_ascii=ascii_only, default=plain) for row in frame.iter_rows(named=True)]
    return "[\n" + ",\n".join(rows) + "\n]" if rows else "[]"


def write(frame: pl.DataFrame, path: Path) -> None:
    """Write the standings to a file as its ending says, all of them or nothing."""
    import polars as pl

    ending = ending_of(path, ENDINGS)
    with replacing(path) as place:
        try:
            if ending == ".csv":
                frame.write_csv(place)
            elif ending == ".parquet":
                frame.write_parquet(place)
            else:
                place.write_text(to_json(frame) + "\n", encoding="utf-8")
        except pl.exceptions.PolarsError as error:
            raise Error(f"{path}: cannot be written: {error}") from error
