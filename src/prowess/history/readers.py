"""Histories from files, from frames, and from files that hold several leagues: a table becomes a history."""

import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Error, Remark
from .build_history import build, find_faults
from .cells.dates.columns import read_times
from .cells.labels import identifiers
from .cells.numbers import numbers
from .cells.text import intern, text_of
from .columns.column_checks import reconcile_results, unfit_columns
from .columns.infer_columns import infer_roles
from .columns.layout import Layout, recognise
from .columns.long import read_long
from .columns.long_groups import Rows
from .columns.match_rules import doubtful_names
from .columns.raw_matches import RawMatches
from .columns.wide import add_venue, read_wide
from .history import History
from .names import plain_name
from .read_context import Findings, Located, Problems, Table, history_or_error
from .read_options import Choices
from .reading.sniff import load
from .times import Times

if TYPE_CHECKING:
    import polars as pl

_One = Callable[[NDArray[Any], str], NDArray[Any]]  # the values of the matches, from those of the rows of a column


def read_file(path: str | os.PathLike[str], choices: Choices) -> Findings:
    """Read a file, or standard input where the path is `-`; a problem names the file and the line."""
    source = load(path, choices)
    return from_table(source) if isinstance(source, Table) else source


def from_frame(frame: object, choices: Choices) -> Findings:
    """Make a history of a Polars frame, or of anything that Polars can take over (pandas, Arrow)."""
    return from_table(Table(_to_polars(frame), "the frame", choices=choices))


def from_table(table: Table) -> Findings:
    """Recognise the layout of a table and make a history of what can be used; all else is a finding.

    Cells are read again without the rows that cannot be used, because these must not decide how the others are read.
    Matches that break a rule are then taken out of the draft, and nothing is read again.
    """
    table, layout = _recognised(table)
    opening = tuple(table.remarks)
    taken_out = _TakenOut(layout)
    while True:
        draft = None if len(table.unusable()) else _draft(table, layout)
        unusable = table.unusable()
        if draft is not None and not len(unusable):
            break
        taken_out.add(table)
        table = table.without(unusable)
        table.remarks.extend(opening)
    while len(broken := _break_rules(table, layout, draft, taken_out.rows_of_match)):
        taken_out.add(table)
        table = replace(table, problems=Problems())
        draft = draft.without(broken)
    history = build(draft)
    history = replace(history, remarks=(*history.remarks, *taken_out.remarks))
    problems = tuple(problem for _, problem in sorted(taken_out.problems, key=itemgetter(0)))
    return Findings(history, table.title, problems, layout, tuple(table.frame.columns), table.decisions)


class _TakenOut:
    """The problems and remarks of rows that were taken out of a table."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.problems: list[tuple[int, Located]] = []
        self.remarks: list[Remark] = []
        # rows with problems in each match; None where the name of the match is missing
        self.rows_of_match = Counter[object]()

    def add(self, table: Table) -> None:
        left_out = {int(row) for rows, _ in table.left_out for row in rows} if len(table.problems) else set()
        once = {(problem.row, problem.column, problem.detail()): problem for problem in table.problems}  # read once
        self.problems += [
            (table.place(problem.row), Located(table.row_name(problem.row), problem, table.line(problem.row)))
            for problem in once.values()
            if problem.row not in left_out  # what was not played need not be whole
        ]
        if "match" in self.layout.roles:
            reported = [row for row in table.problems.rows().tolist() if row not in left_out]
            self.rows_of_match.update(table.frame[self.layout.roles["match"]].gather(reported))
        self.remarks += [remark for _, remark in table.left_out]


def _recognised(table: Table) -> tuple[Table, Layout]:
    """Recognise the layout by the names of the columns, or else by what they hold."""
    try:
        bad = table.decide("unfit columns", lambda: unfit_columns(table) if len(table.frame) else None)
        layout = recognise(table.frame.columns, table.choices.columns, bad)
        if len(table.frame):
            layout = table.decide("layout", lambda: add_venue(table, reconcile_results(table, layout)))
        return table, layout
    except Error as error:
        inferred = infer_roles(table) if not table.choices.columns and len(table.frame) else None
        if inferred is None:
            raise error.within(f"{table.title}: ") from None
    table, roles = inferred
    return table, recognise(table.frame.columns, roles)


def _draft(table: Table, layout: Layout) -> RawMatches:
    if layout.sides:
        draft = read_wide(table, layout)
        return _with_matches(draft, table, layout, None)
    draft, rows = read_long(table, layout)
    return _with_matches(draft, table, layout, rows)


def _break_rules(
    table: Table, layout: Layout, draft: RawMatches, rows_of_match: Mapping[object, int]
) -> NDArray[np.intp]:
    """Return the matches that break a rule, and add a problem at the row that is to blame; other rows go with it.

    Who is alone because the opponents had a problem has none of his own. A row that lacks the name of its match may
    explain one team that is alone, but not several: one of those would be lost without a word.
    """
    assert draft.rows is not None
    column = layout.roles.get("match")
    faults = []
    for fault in chain(find_faults(draft), doubtful_names(draft)):
        row = draft.rows(fault.match, fault.entry)[:1]
        name = None if column is None else table.frame[column][int(row[0])]
        faults.append((fault, row, fault.alone and column is not None, name in rows_of_match))
    unexplained = sum(alone and not explained for _, _, alone, explained in faults)
    nameless = 0 < unexplained <= rows_of_match.get(None, 0)
    for fault, row, alone, explained in faults:
        if not alone or not (explained or nameless):
            table.problems.add(row, None, None, fault.text)
        table.problems.take_along(draft.rows(fault.match, None))
    return np.unique(np.array([fault.match for fault, *_ in faults], np.intp))


def _of_row(values: NDArray[Any], column: str) -> NDArray[Any]:
    """Give the value of each match where a row is one; a copy, because a frame may change and a history may not."""
    return values.copy()


def _with_matches(
    draft: RawMatches,
    table: Table,
    layout: Layout,
    rows: Rows | None,
) -> RawMatches:
    """Add what belongs to a match as a whole; where a match has several rows, they must agree about it."""
    roles = layout.roles
    of_match: _One = _of_row if rows is None else partial(rows.one, of="match")
    when: _One = _of_row if rows is None else rows.earliest
    if "time" in roles:
        times = read_times(table, roles["time"], roles.get("clock"))
        if times is not None:
            draft.times = Times(when(times.number, roles["time"]), times.kind, times.zone)
    if "importance" in roles:
        draft.importance = of_match(numbers(table, roles["importance"]), roles["importance"])
    if "id" in roles:
        draft.ids = _ids(table, layout, of_match, rows)
        if draft.ids is None:
            layout = replace(layout, roles={role: column for role, column in roles.items() if role != "id"})
    draft.remarks = (*layout.describe(table.frame.columns), *draft.remarks, *table.remarks)
    return draft


def _ids(table: Table, layout: Layout, of_match: _One, rows: Rows | None) -> list[str] | None:
    """Give the ids of the matches; a column that is only called `id`, but names no matches, is not used."""
    column = layout.roles["id"]
    code, different = intern(identifiers(table, column))
    if "id" not in layout.mapped and rows is not None and not rows.agree(code, "match"):
        return None
    ids: list[str] = different.gather(of_match(code, column)).to_list()
    named = [name for name in ids if name]
    return ids if "id" in layout.mapped or len(set(named)) == len(named) else None


def _to_polars(frame: Any) -> "pl.DataFrame":
    import polars as pl

    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    if isinstance(frame, pl.DataFrame):
        return frame
    if not hasattr(frame, "__arrow_c_stream__"):
        kind = type(frame).__name__
        raise Error(f"from_frame needs a Polars, pandas or Arrow frame, not {kind}; from_matches takes plain Python")
    try:
        return pl.DataFrame(frame)
    except Exception as error:  # whatever another library's frame may raise
        raise Error(f"the frame could not be taken over by Polars: {error}") from error


def check_groups(path: str | os.PathLike[str], by: str, choices: Choices) -> dict[str, Findings]:
    """Read a file and give what is found in each group of rows with the same value in the column `by`."""
    source = load(path, choices)
    if not isinstance(source, Table):
        if not len(source.history) and not source.problems:
            return {}
        message = f"{path}: groups need a file of rows with a column {by!r}, not matches with their teams"
        raise Error(message, field="by", value=by)
    return _split(source, by)


def read_groups(path: str | os.PathLike[str], by: str, choices: Choices) -> dict[str, History]:
    """Read a file and give a history of each group, in the order of the file; an empty cell is the group "".

    >>> from pathlib import Path; from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "games.csv")
    ...     _ = path.write_text("season,winner,loser\\n2025,ann,bob\\n2026,bob,ann\\n2026,ann,cat\\n")
    ...     read_groups(path, "season", Choices())
    {'2025': History(1 match, 2 players, places), '2026': History(2 matches, 3 players, places)}
    """
    groups = check_groups(path, by, choices)
    problems = tuple(problem for group in groups.values() for problem in group.problems)
    if problems and not choices.skip_problems:
        history_or_error(replace(next(iter(groups.values())), problems=problems), False)  # which raises the error
    return {name: history_or_error(group, True) for name, group in groups.items()}


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
