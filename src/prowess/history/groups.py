"""Leagues or seasons that stand in one file, told apart by a column: a history of each."""

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import Error
from .cells.text import text_of
from .frames import from_table
from .history import History
from .names import plain_name
from .read_context import Findings, Problems, Table, settled
from .read_options import Choices
from .reading.sniff import load

if TYPE_CHECKING:
    import polars as pl

__all__ = ["check_groups", "read_groups"]


def check_groups(path: str | os.PathLike[str], by: str, choices: Choices) -> dict[str, Findings]:
    """Read a file and give what is found in each group of rows with the same value in the column `by`."""
    found = load(path, choices)
    if not isinstance(found, Table):
        if not len(found.history) and not found.problems:
            return {}
        message = f"{path}: groups need a file of rows with a column {by!r}, not matches with their teams"
        raise Error(message, field="by", value=by)
    return _split(found, by)


def read_groups(path: str | os.PathLike[str], by: str, choices: Choices) -> dict[str, History]:
    """Read a file and give a history of each group, in the order of the file; an empty cell is the group "".

    >>> from pathlib import Path; from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "games.csv")
    ...     _ = path.write_text("season,winner,loser\\n2025,ann,bob\\n2026,bob,ann\\n2026,ann,cat\\n")
    ...     read_groups(path, "season", Choices())
    {'2025': History(1 match, 2 players, places), '2026': History(2 matches, 3 players, places)}
    """
    found = check_groups(path, by, choices)
    problems = tuple(problem for one in found.values() for problem in one.problems)
    if problems and not choices.skip_problems:
        settled(replace(next(iter(found.values())), problems=problems), False)  # which raises the error
    return {name: settled(one, True) for name, one in found.items()}


def _split(table: Table, by: str) -> dict[str, Findings]:
    """Make a history of each part of a table; rows are called as in the whole."""
    import polars as pl

    column = _column(table, by)
    names = text_of(table, column).fill_null("")
    used = (table.choices.columns or {}).values()
    frame = table.frame if column in used else table.frame.drop(column)
    places = pl.DataFrame({"name": names, "row": np.arange(len(names))})
    groups = places.group_by("name", maintain_order=True).agg("row")
    parts = zip(groups["name"], groups["row"], strict=True)
    return {name: from_table(_part(table, frame, rows.to_numpy())) for name, rows in parts}


def _part(table: Table, frame: "pl.DataFrame", rows: NDArray[np.int64]) -> Table:
    """Give some rows as a table of its own, in which nothing is found yet but what reading the file found."""
    line, place, problems = table.line, {int(row): index for index, row in enumerate(rows)}, Problems()
    table.problems.copy_to(problems, place.get)
    return replace(
        table,
        frame=frame[rows],
        line=lambda row: line(int(rows[row])),
        remarks=list(table.remarks),
        problems=problems,
        left_out=[],
        decisions={},
    )


def _column(table: Table, by: str) -> str:
    """The column that is meant, in whatever case it is written."""
    columns = table.frame.columns
    if by in columns:
        return by
    near = [column for column in columns if plain_name(column) == plain_name(by)]
    if len(near) == 1:
        return near[0]
    message = f"{table.title}: there is no column {by!r} to group by, but {', '.join(map(repr, columns))}"
    raise Error(message, field="by", value=by)
