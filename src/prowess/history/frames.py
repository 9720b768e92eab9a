"""Histories from frames, and back."""

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
from .cells.dates.columns import read_times
from .cells.labels import identifiers
from .cells.numbers import numbers
from .cells.text import intern
from .columns.build_history import build, faulty
from .columns.column_checks import unfit
from .columns.infer_columns import guessed
from .columns.layout import Layout, recognise
from .columns.long import long_draft
from .columns.long_groups import Rows
from .columns.match_rules import no_names
from .columns.raw_matches import Draft
from .columns.result_columns import agreed
from .columns.wide import wide_draft, with_venue
from .history import History
from .ragged import owners
from .read_context import Findings, Located, Problems, Table
from .read_options import Choices
from .times import Times

if TYPE_CHECKING:
    import polars as pl

__all__ = ["from_frame", "from_table", "time_column", "to_frame"]

_One = Callable[[NDArray[Any], str], NDArray[Any]]  # the values of the matches, from those of the rows of a column


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
        once = {(problem.row, problem.column, problem.right): problem for problem in table.problems}  # not read twice
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
        bad = table.decide("unfit columns", lambda: unfit(table) if len(table.frame) else None)
        layout = recognise(table.frame.columns, table.choices.columns, bad)
        if len(table.frame):
            layout = table.decide("layout", lambda: with_venue(table, agreed(table, layout)))
        return table, layout
    except Error as error:
        found = guessed(table) if not table.choices.columns and len(table.frame) else None
        if found is None:
            raise error.within(f"{table.title}: ") from None
    table, roles = found
    return table, recognise(table.frame.columns, roles)


def _draft(table: Table, layout: Layout) -> Draft:
    if layout.sides:
        draft = wide_draft(table, layout)
        return _with_matches(draft, table, layout, None)
    draft, rows = long_draft(table, layout)
    return _with_matches(draft, table, layout, rows)


def _break_rules(table: Table, layout: Layout, draft: Draft, rows_of_match: Mapping[object, int]) -> NDArray[np.intp]:
    """Return the matches that break a rule, and add a problem at the row that is to blame; other rows go with it.

    Who is alone because the opponents had a problem has none of his own. A row that lacks the name of its match may
    explain one team that is alone, but not several: one of those would be lost without a word.
    """
    assert draft.rows is not None
    column = layout.roles.get("match")
    faults = []
    for fault in chain(faulty(draft), no_names(draft)):
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
    draft: Draft,
    table: Table,
    layout: Layout,
    rows: Rows | None,
) -> Draft:
    """Add what belongs to a match as a whole; where a match has several rows, they must agree about it."""
    roles = layout.roles
    one: _One = _of_row if rows is None else partial(rows.one, of="match")
    when: _One = _of_row if rows is None else rows.earliest
    if "time" in roles:
        times = read_times(table, roles["time"], roles.get("clock"))
        if times is not None:
            draft.times = Times(when(times.number, roles["time"]), times.kind, times.zone)
    if "importance" in roles:
        draft.importance = one(numbers(table, roles["importance"]), roles["importance"])
    if "id" in roles:
        draft.ids = _ids(table, layout, one, rows)
        if draft.ids is None:
            layout = replace(layout, roles={role: column for role, column in roles.items() if role != "id"})
    draft.remarks = (*layout.describe(table.frame.columns), *draft.remarks, *table.remarks)
    return draft


def _ids(table: Table, layout: Layout, one: _One, rows: Rows | None) -> list[str] | None:
    """Give the ids of the matches; a column that is only called `id`, but names no matches, is not used."""
    column = layout.roles["id"]
    code, different = intern(identifiers(table, column))
    if "id" not in layout.mapped and rows is not None and not rows.agree(code, "match"):
        return None
    ids: list[str] = different.gather(one(code, column)).to_list()
    given = [name for name in ids if name]
    return ids if "id" in layout.mapped or len(set(given)) == len(given) else None


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


def to_frame(history: History) -> "pl.DataFrame":
    """Give a frame with a row per entry."""
    import polars as pl

    team = owners(history.team_start)
    match = owners(history.match_start)[team]
    found: dict[str, Any] = {"match": match}
    if history.ids is not None:
        found["id"] = pl.Series(history.ids, dtype=pl.String).gather(match)
    if history.time is not None:
        found["time"] = time_column(history).gather(match)
    found["team"] = team - history.match_start[match]
    found["player"] = pl.Series(history.players, dtype=pl.String).gather(history.player)
    found["place"] = history.place[team]
    if history.score is not None:
        found["score"] = pl.Series(history.score[team]).fill_nan(None)
    if history.weight is not None:
        found["weight"] = history.weight
    if history.importance is not None:
        found["importance"] = history.importance[match]
    if history.home is not None:
        found["home"] = history.home[match] == found["team"]
    return pl.DataFrame(found)


def time_column(history: History) -> "pl.Series":
    """Give the times of the matches as Polars has them; those with an offset as text."""
    import polars as pl

    series = pl.Series(history.time)
    if history.time_kind == "number":
        return series
    zone = history.time_zone
    if zone is None or zone[0] not in "+-":
        moments = series.cast(pl.Datetime("us", zone))
        return moments.cast(pl.Date) if history.time_kind == "date" else moments
    # Polars has no zones that are offsets: text keeps them.
    local = series.cast(pl.Datetime("us")).dt.offset_by(f"{'-' * (zone[0] == '-')}{zone[1:3]}h{zone[4:]}m")
    return local.dt.strftime(f"%Y-%m-%dT%H:%M:%S%.6f{zone}")
