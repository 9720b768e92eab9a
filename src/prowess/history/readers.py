"""Read histories from files, from frames, and from files that hold several leagues."""

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Error, Option, Piece, Remark
from ..text import count
from .build_history import build
from .cells.dates.columns import read_times
from .cells.numbers import numbers
from .cells.rounds import round_order
from .cells.text import intern, intern_clean, text_of
from .columns.context_columns import (
    Sources,
    long_sources,
    read_context,
    select_context,
    wide_sources,
    without_context,
)
from .columns.direction import read_handicap
from .columns.duplicates import BOTH_VIEWS
from .columns.joined_names import join_crews
from .columns.lineups import add_lineups
from .columns.long import RowGroups, read_long
from .columns.match_order import check_last_results, number_order
from .columns.match_rules import doubtful_names, find_faults
from .columns.raw_matches import RawMatches
from .columns.roles.aliases import ROUND
from .columns.roles.column_checks import check_columns
from .columns.roles.headers import set_columns
from .columns.roles.infer_columns import (
    COLUMNS,
    add_time,
    column_kinds,
    infer_races,
    infer_roles,
    join_sets,
    reconcile_results,
    unfit_columns,
)
from .columns.roles.layout import Layout, NoLayout, Suggestion, recognise
from .columns.roles.suggestions import is_plausible, suggest_roles
from .columns.seeds import drop_seeds
from .columns.shapes.filled_down import fill_down
from .columns.shapes.grids import Kinds
from .columns.shapes.summary_rows import find_summary_rows
from .columns.shapes.win_columns import read_win_columns
from .columns.wide import add_venue, read_wide
from .context.columns import FIELDS, parse_marked_header
from .data_checks import note_spellings
from .history import History
from .lines import Lines
from .names.renaming import rename_draft, rename_findings
from .names.spelling import plain_name
from .ragged import Floats
from .read_context import Findings, Located, Problems, Table, history_or_error, list_names
from .read_options import Besides, Choices
from .reading.garbled import mend_text
from .reading.sheets import choose_sheet
from .reading.sniff import load
from .sentences import describe_matches
from .times import Times

if TYPE_CHECKING:
    import polars as pl

SAMPLE = 100  # rows of a sample that shows how a file would be read
SHOWN = 2  # matches in a suggestion
LONGEST = 120  # maximum length of a column name or a match in a suggestion
# a function that converts a column's values per row to one value per match
_MatchValues = Callable[[NDArray[Any], str], NDArray[Any]]


def read_file(path: str | os.PathLike[str], choices: Choices) -> Findings:
    """Read a file, or standard input if the path is `-`; return its history and problems."""
    source = load(path, choices)
    if isinstance(source, Table):
        return _note_spellings(from_table(with_matches(source)))
    return _note_spellings(rename_findings(choose_context(source, choices), choices))


def _note_spellings(findings: Findings) -> Findings:
    return replace(findings, history=note_spellings(findings.history))


def from_frame(frame: Any, choices: Choices) -> Findings:
    """Read a Polars frame, or a frame that Polars can convert (pandas, Arrow); return its history and problems."""
    import polars as pl

    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, pl.DataFrame):
        if getattr(getattr(getattr(frame, "index", None), "dtype", None), "kind", "") == "M":
            frame = frame.reset_index()  # this index of a pandas frame holds times, and Polars would drop it
        if not hasattr(frame, "__arrow_c_stream__"):
            message = f"from_frame needs a Polars, pandas or Arrow frame, not {type(frame).__name__}"
            raise Error(f"{message}; for plain Python values, use from_matches")
        try:
            frame = pl.DataFrame(frame)
        except Exception as error:  # another library's frame may raise anything
            raise Error(f"Polars cannot convert the frame: {error}") from error
    if _is_of_history(frame):  # its names are already as they should be
        choices = replace(choices, seeds=choices.seeds or "keep", placeholders=choices.placeholders or "keep")
        return _note_spellings(from_table(Table(frame, "the frame", choices=choices)))
    return _note_spellings(from_table(mend_text(Table(frame, "the frame", choices=choices))))


def _is_of_history(frame: "pl.DataFrame") -> bool:
    """Return whether a frame looks like the result of `History.to_frame`."""
    kinds = frame.schema
    return "player" in kinds and all(name in kinds and kinds[name].is_integer() for name in ("match", "team", "place"))


def from_table(table: Table, *, suggest: bool = True) -> Findings:
    """Recognise the layout of a table; return the history of the usable rows, and the problems of the other rows.

    Unusable rows must not influence how other rows are read, so the cells are read a second time without unusable rows.
    Matches that break a rule are dropped after the second pass. If no layout fits and `suggest` is true, the error
    suggests one.
    """
    if len(totals := find_summary_rows(table)):
        table = _select_rows(table, table.frame, np.delete(np.arange(len(table.frame)), totals).tolist())
    table, layout = _recognise(table, suggest)
    opening, rows = tuple(table.remarks), len(table.frame)
    earlier: list[Remark] = []  # remarks on decisions that are kept
    unused = _UnusedRows(layout)
    while True:
        draft, sources = (None, None) if len(table.unusable()) else _read_matches(table, layout)
        if draft is not None and not len(table.unusable()):
            check_last_results(table, layout, draft)
        unusable = table.unusable()
        if draft is not None and sources is not None and not len(unusable):
            break
        unused.add(table)
        # Keep the decision `BOTH_VIEWS`, because the rows on which it is based are gone in the second pass.
        lasting: dict[str, Any] = {}
        if BOTH_VIEWS in table.decisions:
            # Mirrored rows are valid, so all decisions based on them stay valid, unless other rows have problems.
            lasting = {BOTH_VIEWS: True} if len(table.problems) else dict(table.decisions)
            earlier = earlier or ([] if len(table.problems) else list(table.remarks))
        table = replace(table.without(unusable), decided={**table.decided, **lasting})
        table.remarks.extend(opening)
    draft = rename_draft(table, draft)
    every, kept = draft, np.arange(len(draft))
    while len(broken := _check_rules(table, layout, draft, unused.rows_of_match)):
        unused.add(table)
        table = replace(table, problems=Problems())
        draft, kept = draft.without(broken), np.delete(kept, broken)
    context = read_context(table, layout, draft, lambda: sources().take(every, kept))
    for level, values in context.contexts.items():
        setattr(draft, FIELDS[level], values)
    at = 1 + next(number for number, remark in enumerate(draft.remarks) if remark.code == "layout")
    draft.remarks = (*draft.remarks[:at], *context.remarks, *draft.remarks[at:])
    rows_read = kept if layout.sides else sources().take(every, kept).entry
    draft.lines = Lines.of(table.title, table.unit, table.lines(rows_read), by_entry=not layout.sides)
    history = build(draft)
    codes = {remark.code for remark in history.remarks}
    decided = [remark for remark in earlier if remark.code not in codes]
    history = replace(history, remarks=(*history.remarks, *decided, *unused.remarks))
    decisions = {**table.decided, **table.decisions}
    problems = tuple(problem for _, problem in sorted(unused.problems, key=itemgetter(0)))
    joined = "+".join(set_columns(table.frame.columns))
    columns = tuple(name for name in table.frame.columns if name != joined and table.reserved.get(name, True))
    return Findings(history, table.title, problems, layout, columns, decisions, rows, context.levels)


def choose_context(findings: Findings, choices: Choices) -> Findings:
    """Return findings whose history has only the chosen context columns.

    The function is for files of JSON matches, which have no table.
    """
    if choices.context is None or isinstance(choices.context, Besides):
        return findings
    history = findings.history
    contexts = [getattr(history, name) for name in FIELDS.values()]
    chosen = select_context(contexts, choices.context, findings.title) if len(history) else contexts
    return replace(findings, history=replace(history, **dict(zip(FIELDS.values(), chosen, strict=True))))


def read_sample(table: Table, **reading: Any) -> Findings | None:
    """Read the first rows of a table with other options; return None if these options make most rows unreadable."""
    choices = replace(table.choices, context=(), **reading)
    sample = table.without(np.arange(SAMPLE, len(table.frame)))
    try:
        findings = from_table(replace(sample, choices=choices, decided={"suggested": True}), suggest=False)
    except Error:
        return None
    return findings if len(findings.history) and 2 * findings.unusable_rows() <= findings.rows else None


def with_matches(table: Table) -> Table:
    """Return the table of a file as it is, or the sheet of a workbook that has matches; see `choose_sheet`."""
    return choose_sheet(table, partial(from_table, suggest=False))


class _UnusedRows:
    """The problems and remarks of rows that were removed from a table."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.problems: list[tuple[int, Located]] = []
        self.remarks: list[Remark] = []
        # rows with problems, by the name of their match; None if that name is missing
        self.rows_of_match = Counter[object]()

    def add(self, table: Table) -> None:
        left_out = {int(row) for rows, _ in table.left_out for row in rows} if len(table.problems) else set()
        # ignore duplicates of a problem, and problems of matches that were not played
        once = {(problem.row, problem.column, problem.detail()): problem for problem in table.problems}
        self.problems += [
            (table.place(problem.row), Located(table.row_name(problem.row), problem, table.line(problem.row)))
            for problem in once.values()
            if problem.row not in left_out
        ]
        if "match" in self.layout.roles:
            reported = [row for row in table.problems.rows().tolist() if row not in left_out]
            self.rows_of_match.update(table.frame[self.layout.roles["match"]].gather(reported))
        self.remarks += [remark for _, remark in table.left_out]


def _recognise(table: Table, suggest: bool) -> tuple[Table, Layout]:
    table = read_handicap(read_win_columns(join_sets(fill_down(join_crews(table)))))
    plain = without_context(table)
    try:
        unfit = table.decide("unfit columns", lambda: unfit_columns(plain) if len(table.frame) else None)
        layout = recognise(plain.frame.columns, table.choices.columns, unfit)
        if (races := infer_races(plain, layout)) is not None:
            return races[0], recognise(without_context(races[0]).frame.columns, races[1])
        if len(table.frame):
            layout = table.decide("layout", lambda: add_time(plain, add_venue(plain, reconcile_results(plain, layout))))
            layout = add_lineups(plain, layout)
        return table, layout
    except Error as error:
        some = 0 < len(plain.frame.columns) <= COLUMNS and bool(len(table.frame))
        kinds = column_kinds(plain) if some and (suggest or not table.choices.columns) else None
        inferred = infer_roles(plain, kinds) if kinds and not table.choices.columns else None
        if inferred is None:
            if suggest and kinds and isinstance(error, NoLayout) and (suggestion := _suggest(table, kinds)) is not None:
                error = error.suggest(suggestion)
            raise error.within(f"{table.title}: ") from None
    grid, roles = inferred
    return (table if grid is plain else grid), recognise(without_context(grid).frame.columns, roles)


def _suggest(table: Table, kinds: Kinds) -> Suggestion | None:
    # Columns with long or unprintable names would make the suggested option unreadable.
    for roles in suggest_roles(table, kinds):
        names = [column for column in roles.values() if column is not None]
        if all(len(name) <= LONGEST and name.isprintable() for name in names):
            # Without times, the first matches are the first rows.
            findings = read_sample(table, columns={**roles, "time": None})
            if findings is not None and is_plausible(findings.history, table, roles):
                sentences = describe_matches(findings.history, SHOWN)
                return Suggestion(roles, tuple(map(_shorten, sentences)))
    return None


def _shorten(sentence: str) -> str:
    printable = "".join(letter if letter.isprintable() else "�" for letter in sentence)
    return printable if len(printable) <= LONGEST else f"{printable[:LONGEST]}…"


def _read_matches(table: Table, layout: Layout) -> tuple[RawMatches, Callable[[], Sources]]:
    """Return the raw matches, and a function that returns the rows from which they were read.

    If a match has several rows, all of them must have the same time, importance and id.
    """
    roles = layout.roles
    rows: RowGroups | None = None
    of_match: _MatchValues = lambda values, column: values.copy()  # noqa: E731  # a frame is mutable, a history is not
    when = of_match
    if layout.sides:
        draft, teams = read_wide(table, layout)
        sources: Callable[[], Sources] = partial(wide_sources, table, layout, draft, teams)
    else:
        draft, rows = read_long(table, layout)
        sources = partial(long_sources, draft, rows)
        of_match, when = partial(rows.common_value, of="match"), rows.earliest
    if "time" in roles:
        times = read_times(table, roles["time"], roles.get("clock"))
        if times is not None:
            draft.times = Times(when(times.number, roles["time"]), times.kind, times.zone)
    draft.sequence = _sequence(table, layout, draft, rows)
    if "importance" in roles:
        draft.importance = of_match(numbers(table, roles["importance"]), roles["importance"])
    if "id" in roles:
        draft.ids = _ids(table, layout, of_match, rows)
        if draft.ids is None:
            layout = layout.with_roles(id=None)
    draft = drop_seeds(table, draft)
    check_columns(without_context(table), layout, draft)
    if draft.times is None and draft.sequence is None and len(draft) > 1:
        table.note("no-times", "no column has times, so matches are rated in the order of the rows")
    draft.remarks = (*layout.describe(), *draft.remarks, *table.remarks)
    return draft, sources


def _sequence(table: Table, layout: Layout, draft: RawMatches, rows: RowGroups | None) -> Floats | None:
    """Return the round or the number of each match, to order matches without a time or with the same time.

    Return None if these are unknown, or if they are already in the order of the rows.
    """
    time = np.zeros(len(draft)) if draft.times is None else draft.times.number
    columns = without_context(table).frame.columns
    column = next((name for name in columns if plain_name(name) in ROUND.split()), None)
    code, by, order = "order-of-rounds", "rounds", None
    if column is not None and draft.times is not None and not table.frame[column].dtype.is_nested():
        order = round_order(text_of(table, column))
        order = order if order is None or rows is None else order[rows.first_row]
    if order is None and (numbered := number_order(table, layout, rows, time)) is not None:
        column, order = numbered
        code, by = "order-of-numbers", "numbers"
    if column is None or order is None:
        return None
    moved = int(np.count_nonzero(np.lexsort((order, time)) != np.argsort(time, kind="stable")))
    if not moved:
        return None
    which = "matches" if draft.times is None else "matches with the same time"
    text = f"{which} are put in the order of their {by} in {column} ({count(moved, 'match', 'matches')} moved)"
    change: tuple[Piece, ...] = ()
    if code == "order-of-numbers" and "order" not in layout.roles:
        change = "; use ", Option("columns", {"order": None}), " to keep the order of the rows"
    table.note(code, text, *change, column=column, number=moved)
    return order


def _ids(table: Table, layout: Layout, of_match: _MatchValues, rows: RowGroups | None) -> list[str] | None:
    """Return the match ids; None if the cells of the `id` column do not identify matches."""
    column, mapped = layout.roles["id"], "id" in layout.mapped
    # The rows of a match were grouped by names that look the same, so their ids are compared in the same way.
    number = intern if rows is None else intern_clean
    code, different = number(text_of(table, column).fill_null(""))
    if not mapped and rows is not None and rows.count_differing(code, "match"):
        return None
    ids: list[str] = different.gather(of_match(code, column)).to_list()
    named = [name for name in ids if name]
    return ids if mapped or len(set(named)) == len(named) else None


def _check_rules(table: Table, layout: Layout, draft: RawMatches, rows_of_match: Counter[object]) -> NDArray[np.intp]:
    """Return the matches that break a rule, which the caller drops, and report the row at fault in each.

    A match with a single team is not reported if the rows of its opponents were already reported. A reported row
    without a match name may be the opponent of one of the single teams. All other single teams are reported, so that no
    match is lost silently.
    """
    assert draft.rows is not None
    column = layout.roles.get("match")
    faults = []
    for fault in chain(find_faults(draft), doubtful_names(draft)):
        row = draft.rows(fault.match, fault.entry)[:1]
        name = None if column is None else table.frame[column][int(row[0])]
        faults.append((fault, row, fault.alone and column is not None, name in rows_of_match))
    unexplained = sum(alone and not explained for _, _, alone, explained in faults)
    nameless = 0 < unexplained <= rows_of_match[None]
    for fault, row, alone, explained in faults:
        if not alone or not (explained or nameless):
            table.problems.add(row, None, None, fault.text)
        table.problems.take_along(draft.rows(fault.match, None))
    return np.unique(np.array([fault.match for fault, *_ in faults], np.intp))


def check_groups(path: str | os.PathLike[str], by: str, choices: Choices) -> dict[str, Findings]:
    """Read a file and return the findings for each group of rows with the same value in the column `by`."""
    import polars as pl

    table = load(path, choices)
    if not isinstance(table, Table):
        return _groups_of_matches(rename_findings(choose_context(table, choices), choices), table.history, by)
    table = with_matches(table)
    columns = table.frame.columns
    headers = {column: parse_marked_header(column) for column in columns}
    plain = {column: plain_name(header.name if header else column) for column, header in headers.items()}
    near = [by] if by in columns else [column for column in columns if plain[column] == plain_name(by)]
    if len(near) != 1:
        message = f"{table.title}: no column {by!r} to group by; the columns are {', '.join(map(repr, columns))}"
        raise Error(message, field="by", value=by)
    names = text_of(table, near[0]).fill_null("")
    frame = table.frame if near[0] in (choices.columns or {}).values() else table.frame.drop(near)
    rows = pl.DataFrame({"name": names, "row": np.arange(len(names))})
    groups = rows.group_by("name", maintain_order=True).agg("row").iter_rows()
    return {name: _note_spellings(from_table(_select_rows(table, frame, rows))) for name, rows in groups}


def _groups_of_matches(findings: Findings, history: History, by: str) -> dict[str, Findings]:
    # Problems cannot be assigned to a group, so the first group gets them.
    if not len(history) and not findings.problems:
        return {}
    if by not in history.context:
        known = f"; the columns are {list_names(map(repr, history.context))}" if history.context else ""
        message = f"{findings.title}: cannot group by {by!r}, because no match has a context value of this name{known}"
        raise Error(message, field="by", value=by)
    column = history.context[by]
    groups: dict[str, Findings] = {}
    names = ["" if value is None else str(value) for value in column.to_list()]
    for name in dict.fromkeys(names):
        rows = np.flatnonzero(np.array(names, object) == name)
        kept = replace(findings, history=findings.history.take(rows), problems=() if groups else findings.problems)
        groups[name] = replace(kept, rows=len(rows) + len(kept.problems))
    return groups


def _select_rows(table: Table, frame: "pl.DataFrame", rows: list[int]) -> Table:
    """Return some rows as a separate table, with the problems and remarks that were found when the file was loaded."""
    lines, chosen, problems = table.lines, np.array(rows, np.intp), Problems()
    table.problems.copy_to(problems, {row: index for index, row in enumerate(rows)}.get)
    return replace(
        table,
        frame=frame[rows],
        lines=lambda row: lines(chosen[row]),
        remarks=list(table.remarks),
        problems=problems,
        left_out=[],
        decisions={},
    )


def read_groups(path: str | os.PathLike[str], by: str, choices: Choices) -> dict[str, History]:
    """Read a file and return a history for each value of the column `by`, in the order of the file.

    An empty cell is the value "". Rows that cannot be used raise an `Error`, unless they may be skipped.

    >>> from pathlib import Path; from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "games.csv")
    ...     _ = path.write_text("season,winner,loser\\n2025,ann,bob\\n2026,bob,ann\\n2026,ann,cat\\n")
    ...     read_groups(path, "season", Choices())
    {'2025': History(1 match, 2 players, places), '2026': History(2 matches, 3 players, places)}
    """
    groups = check_groups(path, by, choices)
    problems = tuple(problem for group in groups.values() for problem in group.problems)
    rows = sum(group.rows for group in groups.values())
    if problems and not choices.skip_problems:
        all_rows = replace(next(iter(groups.values())), problems=problems, rows=rows)
        history_or_error(all_rows, choices.skip_problems)  # raises the error
    return {name: history_or_error(group, True, part=True) for name, group in groups.items()}
