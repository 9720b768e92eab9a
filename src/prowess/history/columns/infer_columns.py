"""Recognising the columns of a file by what they hold, where their names say nothing."""

from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import Error, Option
from ..cells.dates.columns import read_times
from ..cells.numbers import numbers
from ..cells.results import PLAYED, pair_results
from ..cells.text import text_of
from ..cells.win_loss import word_results
from ..cells.words import DRAWS
from ..names import plain_name
from ..read_context import Table
from .headers import SIDE

if TYPE_CHECKING:
    import polars as pl

COLUMNS = 500  # more of them are no sheet that a person could read
SAMPLE = 1000  # rows that are looked at
MOST = 0.9  # of the cells: what so many hold is what a column holds
SHARED = 0.2  # of the names of two sides stand on both, where somebody plays twice
LEAST = 2  # names that both sides must have
FEW = 8  # matches from which nothing is known of who plays whom


@dataclass
class _Kinds:
    """The columns by what they hold, in the order of the file."""

    time: list[str]
    result: list[str]
    word: list[str]
    number: list[str]
    name: list[str]


def infer_roles(table: Table) -> tuple[Table, dict[str, str]] | None:
    """Give the roles of columns by what they hold, and the table in which they play them; None where nothing fits.

    Two columns of names are sides; two of numbers are what they scored; a cell such as 3-1 or W is a result. A file in
    which every column but the day holds numbers has a column per player.
    """
    if len(table.frame.columns) > COLUMNS:
        return None
    sample = replace(table, frame=table.frame.head(SAMPLE), remarks=[], left_out=[])
    kinds = _kinds(sample)
    roles = _sides(sample, kinds)
    if roles is None and _is_grid(kinds):
        return _grid(table, kinds)
    if roles is None:
        return None
    if kinds.time:
        roles["time"] = kinds.time[0]
    text = "the columns are recognised by what they hold; "
    table.note("inferred-columns", text, Option("columns", dict(roles)), " is what was taken")
    return table, roles


def _kinds(sample: Table) -> _Kinds:
    kinds = _Kinds([], [], [], [], [])
    for column in sample.frame.columns:
        kind = _kind(sample, column)
        if kind is not None:
            getattr(kinds, kind).append(column)
    return kinds


def _kind(sample: Table, column: str) -> str | None:
    if sample.frame[column].dtype.is_nested():
        return None
    text = text_of(sample, column).drop_nulls()
    if not len(text):
        return None

    def alone() -> Table:
        return Table(text.to_frame(column), sample.title)

    enough = MOST * len(text)
    table = alone()
    if np.count_nonzero(~np.isnan(numbers(table, column))) >= enough:
        return "number"
    for kind, read in (("result", pair_results), ("word", word_results)):
        if np.count_nonzero(read(alone(), column).state == PLAYED) >= enough:
            return kind
    table = alone()
    times = None
    with suppress(Error):  # none of its cells holds a time
        times = read_times(table, column)
    if times is not None and times.kind != "number" and len(text) - len(table.problems.rows()) >= enough:
        return "time"
    return "name" if text.str.contains(r"\p{L}").sum() >= enough else None


def _sides(sample: Table, kinds: _Kinds) -> dict[str, str] | None:
    """Find two columns of names that play each other, and what says how that ended."""
    cells = {column: set(text_of(sample, column).drop_nulls()) for column in kinds.name}
    few = len(sample.frame) < FEW
    pairs = [
        (first, second)
        for first, second in combinations(kinds.name, 2)
        if few or len(cells[first] & cells[second]) >= max(SHARED * min(len(cells[first]), len(cells[second])), LEAST)
    ]
    sure = [column for column in kinds.name if SIDE.fullmatch(plain_name(column))]
    if len(sure) == 2:
        pairs = [(sure[0], sure[1])]
    if not pairs:
        return None
    first, second = max(pairs, key=lambda pair: len(cells[pair[0]] & cells[pair[1]]))
    sides = {"player1": first, "player2": second}
    both = cells[first] | cells[second]
    for column in kinds.name:
        named = [cell in both or cell.casefold() in DRAWS for cell in cells[column]]
        if column not in (first, second) and sum(named) >= MOST * len(named) and len(kinds.name) == 3:
            return sides | {"winner": column}
    if len(kinds.name) == 2 and len(kinds.result) + len(kinds.word) == 1:
        return sides | {"winner": (kinds.result + kinds.word)[0]}
    after = [column for column in kinds.number if _follows(sample.frame, column, first)]
    if len(after) == 2:
        return sides | {"score1": after[0], "score2": after[1]}
    nameless = first.isdigit() and second.isdigit()  # as a file without a header has it, where the winner stands first
    nothing_else = len(kinds.time) + len(kinds.name) == sum(map(_holds_something, sample.frame.iter_columns()))
    return {"winner": first, "loser": second} if nameless and len(kinds.name) == 2 and nothing_else else None


def _holds_something(column: "pl.Series") -> bool:
    return column.count() > 0


def _follows(frame: "pl.DataFrame", column: str, other: str) -> bool:
    """Tell whether a column stands after another: numbers before the first name count rows, rounds or years."""
    return frame.columns.index(column) > frame.columns.index(other)


def _is_grid(kinds: _Kinds) -> bool:
    """Tell whether the columns of numbers may be players; what was played may stand beside, if the day does, too."""
    if len(kinds.number) < 2 or any(name.isdigit() for name in kinds.number):
        return False
    return not kinds.name or (bool(kinds.time) and len(kinds.name) == 1 and len(kinds.number) > 2)


def _grid(table: Table, kinds: _Kinds) -> tuple[Table, dict[str, str]] | None:
    """Read a sheet with a row per match and a column per player: what each scored, empty where he was not there."""
    import polars as pl

    day = kinds.time[:1]
    frame = table.frame.with_row_index("match")
    long = frame.unpivot(kinds.number, index=["match", *day], variable_name="player", value_name="score")
    long = long.filter(pl.col("score").is_not_null() & (pl.col("score").cast(pl.String).str.strip_chars() != ""))
    long = long.sort("match", maintain_order=True)
    row = long["match"].to_list()
    values = Table(long, table.title, lambda index: table.line(row[index]), table.choices, unit=table.unit)
    scores = numbers(values, "score")
    values.problems.groups.clear()
    places = _are_places(long["match"].to_numpy(), scores)
    what = "places" if places else "scores, the highest is the best"
    other = "score" if places else "rank"
    values.remarks.extend(table.remarks)
    players = f"{', '.join(kinds.number[:8])}{', …' * (len(kinds.number) > 8)}"
    values.note("player-columns", f"a column per player ({players}) with {what}", number=len(kinds.number))
    roles = {"match": "match", "player": "player", "rank" if places else "score": "score"}
    values.note("other-reading", f"the other reading: make a file with a row per player, and a column {other}")
    return values, roles | ({"time": day[0]} if day else {})


def _are_places(match: Any, values: Any) -> bool:
    """Tell whether the numbers of each match are 1 to as many as there are, ties aside."""
    good = ~np.isnan(values)
    match, values = match[good], values[good]
    if not len(match) or (values < 1).any() or (values != np.floor(values)).any():
        return False
    size = np.bincount(match)
    low, high = np.full(len(size), np.inf), np.zeros(len(size))
    np.minimum.at(low, match, values)
    np.maximum.at(high, match, values)
    played = size > 0
    return bool(((low == 1) & (high <= size))[played].all())
