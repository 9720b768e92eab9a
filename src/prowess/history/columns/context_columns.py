"""Read context columns, which are the columns without a role.

Each context column has a level (match, team or player) and a kind (text or numbers).

In a file with a row per match, a column belongs to the matches, unless there is a column for each side: home_seed and
away_seed become one column of the teams. In a file with a row per player, a column belongs to the matches if all rows
of every match agree, else to the teams if all rows of every team agree, else to the players. A header such as `side
[team]` states the level explicitly.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error, Remark
from ...text import count
from ...validate import LARGEST
from ..cells.numbers import numbers
from ..cells.text import intern, text_of
from ..context.columns import (
    LEVELS,
    LONGEST_NAME,
    MOST_COLUMNS,
    Context,
    ContextColumn,
    Kind,
    Level,
    clean_name,
    clean_text,
    parse_marked_header,
)
from ..names.spelling import nearest, plain_name
from ..ragged import Floats, gather, owners
from ..read_context import Rows, Table, list_names
from ..read_options import Besides, IfPresent
from .long import RowGroups
from .raw_matches import RawMatches
from .roles.aliases import ROUND
from .roles.headers import set_columns
from .roles.layout import Layout
from .roles.side_pairs import find_side_columns
from .wide import SideTeams, member_names

if TYPE_CHECKING:
    import polars as pl

CONTEXT = "the columns of the context"  # the name of a decision (see `Table.decide`)
PARTIAL = "whether the rows are a part of the file"  # the name of a decision (see `Table.decide`)
MOST = 0.95  # if at least this fraction of the filled cells are numbers, the other cells count as missing
LEAST = 20  # with fewer filled cells, all of them must be numbers
SETS = 0.1  # if at least this fraction of the results lists several sets, the results are kept as context, too
LARGE = 1000  # in larger tables, columns with a different value in each row are found without reading all cells
_EXACT = 2**53  # up to here a float represents every whole number
# A number with a leading zero is a code, such as 007.
_PLAIN = r"^[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$"
_COMMA = r"^[+-]?(?:0|[1-9]\d*)?,\d+$"
_GROUPED = r"^[+-]?[1-9]\d{0,2}(?:(?:,\d{3})+(?:\.\d+)?|(?:\.\d{3})+(?:,\d+)?|(?:[ ']\d{3})+(?:[.,]\d+)?)$"
_MISSING = frozenset(("NA", "N/A", "#N/A", "NaN", "nan", "NULL", "null", "<NA>", "\\N"))  # missing numbers
_PAIR = r"\d+\s*[-:/–]\s*\d+"
_UNNAMED = re.compile(r"\d+|_duplicated_\d+|Unnamed: \d+|Column\d+", re.IGNORECASE)


@dataclass(frozen=True)
class Sources:
    """The row of the table from which each match, each team and each entry was read.

    In a file with a row per match, `side` has the side of each team, and `member` has, for each entry, the index of its
    column among the columns of its side.
    """

    match: Rows
    team: Rows
    entry: Rows
    side: NDArray[np.intp] | None = None
    member: NDArray[np.intp] | None = None

    def take(self, draft: RawMatches, matches: Rows) -> "Sources":
        """Return the sources of some of the matches, in order; `draft` holds all raw matches."""
        if len(matches) == len(draft):
            return self
        _, team = gather(draft.match_start, matches)
        _, entry = gather(draft.team_start, team)
        return Sources(
            self.match[matches],
            self.team[team],
            self.entry[entry],
            None if self.side is None else self.side[team],
            None if self.member is None else self.member[entry],
        )


def wide_sources(table: Table, layout: Layout, draft: RawMatches, teams: SideTeams) -> Sources:
    """Return the sources of matches in a file with a row per match."""
    row, column = np.nonzero(teams.present)
    member = None
    if any(side.more for side in layout.sides):
        most = 1 + max(len(side.more) for side in layout.sides)
        filled = np.zeros((len(table.frame), len(layout.sides), most), bool)
        for number, side in enumerate(layout.sides):
            for place, name in enumerate((side.column, *side.more)):
                filled[:, number, place] = member_names(table, name).is_not_null().to_numpy()
        member = np.nonzero(filled)[2]
    return Sources(np.arange(len(draft)), row, row[owners(draft.team_start)], teams.side[column], member)


def long_sources(draft: RawMatches, rows: RowGroups) -> Sources:
    """Return the sources of matches in a file with a row per player or team."""
    return Sources(rows.first_row, rows.order[rows.team_start[:-1]], rows.entry_row)


@dataclass(frozen=True)
class ContextReading:
    """The contexts of the raw matches, remarks on them, and the level of each column that is kept."""

    contexts: Mapping[Level, Context]
    remarks: list[Remark]
    levels: Mapping[str, Level] = field(default_factory=dict)


@dataclass(frozen=True)
class _Source:
    """A context column, and the columns of the file from which it is read.

    A context column is read from several columns if each side, or each player of each side, has its own column. A
    `level` or `kind` of None is inferred from the cells. `beside` is true for columns that also have a role; if such
    columns are left out, there is no remark.
    """

    name: str
    columns: tuple[str, ...]
    level: Level | None = None
    kind: Kind | None = None
    marked: bool = False
    beside: bool = False
    members: int = 0
    only: Level | None = None  # if set, the column is kept only if this is its level
    chosen: bool = False  # named by the user, so it is kept even if it has no information


@dataclass(frozen=True)
class _Cells:
    """The cells of a context column: a row of codes for each column of the file, and the distinct values."""

    code: NDArray[np.int32]  # a row for each column of the file; -1 is an empty cell
    values: tuple[str, ...] | Floats


def read_context(table: Table, layout: Layout, draft: RawMatches, sources: Callable[[], Sources]) -> ContextReading:
    """Read the context columns. All rows of the table must be usable, and `draft` must be final."""
    chosen = table.choices.context
    unused = [column for column in _unused(table, layout, draft) if table.reserved.get(column, True)]
    if chosen == () or not len(draft):
        return ContextReading({}, _ignored(unused))
    found: list[_Source] = []
    if chosen is not None:
        found = _select(table, list(_find_columns(table, layout, draft, unused, True)), chosen)
    if chosen is None or isinstance(chosen, Besides):
        named = {column for source in found for column in source.columns}
        others = _find_columns(table, layout, draft, unused, False)
        found += [source for source in others if named.isdisjoint(source.columns)]
    if not found:
        return ContextReading({}, _ignored(unused))
    reader = _Reader(table, draft, sources())
    for source in found:
        reader.read(source)
    used = {column for source in found for column in source.columns}
    return reader.result(_ignored([column for column in unused if column not in used]))


def without_context(table: Table) -> Table:
    """Return the table without the columns that cannot have a role.

    These are the columns in `table.reserved`, and context columns that are marked in the header, such as
    `side [team]`."""
    others = [name for name in table.frame.columns if name in table.reserved or parse_marked_header(name) is not None]
    return replace(table, frame=table.frame.drop(others)) if others else table


def _unused(table: Table, layout: Layout, draft: RawMatches) -> list[str]:
    # A column may have a role and still be unused, such as a score that contradicts the winner.
    values = {"id": draft.ids, "time": draft.times, "venue": draft.home, "score": draft.score}
    dropped = {layout.roles[role] for role, value in values.items() if value is None and role in layout.roles}
    dropped -= {layout.roles["match"]} if "match" in layout.roles else set()
    dropped |= set(layout.scores) if draft.score is None else set()
    kept = {*layout.unused(table.frame.columns), *dropped}
    return [column for column in table.frame.columns if column in kept]


def _ignored(columns: Sequence[str]) -> list[Remark]:
    return [Remark("ignored-columns", (f"ignored: {list_names(columns)}",), count=len(columns))] if columns else []


def select_context(contexts: Sequence[Context], names: Sequence[str], title: str) -> list[Context]:
    """Return contexts with only the named columns; raises `Error` for an unknown name."""
    known = [name for context in contexts for name in context]
    wanted = {_closest(name, known, title) for name in _present(names, known)}
    return [Context.of({name: column for name, column in context.items() if name in wanted}) for context in contexts]


def _present(names: Sequence[str], known: Sequence[str]) -> Sequence[str]:
    if not isinstance(names, IfPresent):
        return names
    plain = Counter(map(plain_name, known))
    return [name for name in names if name in known or plain[plain_name(name)] == 1]


def _closest(name: str, known: Sequence[str], title: str) -> str:
    """Return the known name that equals the given name when both are normalised; raises `Error` if there is none."""
    if name in known:
        return name
    alike = [other for other in known if plain_name(other) == plain_name(name)]
    if len(alike) == 1:
        return alike[0]
    near = nearest(name, known, 1)
    right = f"did you mean {near[0]!r}?" if near else f"the columns are {list_names(map(repr, known)) or 'none'}"
    raise Error(f"{title}: context: no column {name!r}; {right}", field="context", value=name)


def _select(table: Table, found: Sequence[_Source], names: Sequence[str]) -> list[_Source]:
    """Return the named columns. The columns of the sides can be selected together by the name of one of them."""
    by_name = {column: source for source in reversed(found) for column in source.columns}
    by_name |= {source.name: source for source in found}
    known = list(by_name)
    chosen = [by_name[_closest(name, known, table.title)] for name in _present(names, known)]
    return list(dict.fromkeys(replace(source, only=None, chosen=True) for source in chosen))


def _find_columns(
    table: Table, layout: Layout, draft: RawMatches, unused: Sequence[str], everything: bool
) -> Iterator[_Source]:
    """Find context columns by the names of the file's columns; yield them in the order of the file.

    With `everything`, columns with a role are included, because the user may choose them as context.
    """
    fits = {column for column in table.frame.columns if _holds_values(table, column)}
    marked = list(_marked(unused, wide=bool(layout.sides)))
    headed = {column for source in marked for column in source.columns}
    plain = fits.intersection(unused) - headed
    plain = {column for column in plain if everything or not _UNNAMED.fullmatch(column)}
    beside = dict(_beside_roles(table, layout, draft))
    also = fits & beside.keys() - {source.name for source in marked}
    free = [column for column in table.frame.columns if column in plain or column in also]
    groups = find_side_columns(layout, free, table.frame.columns)
    grouped = {column: group for group in groups for column in group.columns}
    names = {column for column in free if column not in grouped} | {source.name for source in marked}
    yield from marked
    for column in free:
        group = grouped.get(column)
        if group is None:
            level: Level | None = "match" if layout.sides else None
            name = column if column == clean_name(column) else _unique(clean_name(column), names)
            names.add(name)
            yield _Source(name, (column,), level, beside=column in beside, only=beside.get(column))
        elif column == group.columns[0]:
            name = _unique(group.name, names)
            names.add(name)
            level = "player" if group.members else "team"
            yield _Source(name, group.columns, level, beside=column in beside, members=group.members)
    if everything:
        others = fits - headed - {*free, *unused}
        for column in filter(others.__contains__, table.frame.columns):
            if table.reserved.get(column, True) and "+" not in column:
                yield _Source(column, (column,), "match" if layout.sides else None, beside=True)


def _holds_values(table: Table, column: str) -> bool:
    import polars as pl

    dtype = table.frame[column].dtype
    fits = not (dtype.is_nested() or dtype in (pl.Object, pl.Binary, pl.Duration))
    return fits and 0 < len(column.strip()) <= LONGEST_NAME


def _unique(name: str, names: set[str]) -> str:
    number, free = 1, name
    while free in names:
        number += 1
        free = f"{name} ({number})"
    return free


def _marked(columns: Iterable[str], *, wide: bool) -> Iterator[_Source]:
    """Yield the columns whose headers state their level.

    In a file with a row per match, the columns of all teams are combined.
    """
    groups: dict[tuple[str, Level, Kind | None], dict[int, str]] = {}
    for column in columns:
        header = parse_marked_header(column)
        if header is not None and (header.number is None or not wide):
            yield _Source(header.name, (column,), header.level, header.kind, marked=True)
        elif header is not None:
            groups.setdefault(header[:3], {})[header.number or 0] = column
    for (name, level, kind), by_number in groups.items():
        yield _Source(name, tuple(by_number[number] for number in sorted(by_number)), level, kind, marked=True)


def _beside_roles(table: Table, layout: Layout, draft: RawMatches) -> Iterator[tuple[str, Level | None]]:
    """Yield columns that have a role, but hold more information than the history keeps from them.

    Examples are the games of each set, the names of teams with several players, and players' points that are summed.
    """
    roles = layout.roles
    if "status" in roles:
        yield roles["status"], None
    if layout.sides:
        for role in ("result", "winner", "score"):
            if role in roles and _lists_sets(table, roles[role]):
                sets = set_columns(table.frame.columns)
                yield from ((column, None) for column in (sets if roles[role] == "+".join(sets) else [roles[role]]))
        return
    if "match" in roles and layout.parts:
        yield roles["match"], None
    if "team" in roles and {"player", "players"} & roles.keys() and _is_text(table, roles["team"]):
        yield roles["team"], None
    if "score" in roles and draft.score is not None:
        # Kept are the points of players whose sum is the team's score, and scores that only some teams of a match have.
        alone, used = len(draft.player) == len(draft.score), np.count_nonzero(~np.isnan(draft.score))
        yield roles["score"], None if alone and text_of(table, roles["score"]).count() > used else "player"
    if "duration" in roles:
        yield roles["duration"], None


def _lists_sets(table: Table, column: str) -> bool:
    import polars as pl

    # A result that lists sets is, for example, 6-4 3-6 7-5.
    if table.frame[column].dtype != pl.String:
        return False
    cells = text_of(table, column).drop_nulls()
    several = cells.str.count_matches(_PAIR) > 1
    return bool(len(cells)) and int(several.sum()) >= SETS * len(cells)


def _is_text(table: Table, column: str) -> bool:
    if table.frame[column].dtype.is_numeric():
        return False
    cells = text_of(table, column).drop_nulls().unique()
    return int(cells.str.contains(_PLAIN).sum()) * 2 < len(cells)


class _Reader:
    def __init__(self, table: Table, draft: RawMatches, sources: Sources) -> None:
        self.table, self.draft, self.sources = table, draft, sources
        self.earlier: dict[str, tuple[Level, Kind] | None] = dict(table.decided.get(CONTEXT, {}))
        self.partial = bool(table.decided.get(PARTIAL))
        self.columns: dict[Level, dict[str, ContextColumn]] = {level: {} for level in LEVELS}
        self.left_out: dict[str, list[str]] = {"constant": [], "distinct": [], "empty": [], "many": []}
        self.remarks: list[Remark] = []
        self.levels: dict[str, Level] = {}

    def read(self, source: _Source) -> None:
        import polars as pl

        name = source.name
        if not source.chosen and name in self.earlier and self.earlier[name] is None:
            return
        if sum(map(len, self.columns.values())) >= MOST_COLUMNS:
            self._leave_out(source, "many")
            return
        if any(self.table.frame[column].dtype in (pl.Categorical, pl.Enum) for column in source.columns):
            source = replace(source, kind=source.kind or "category")
        infers = not (source.chosen or source.marked) and name not in self.earlier
        if infers and not self.partial and self._differs_everywhere(source):
            self._leave_out(source, "distinct")
            return
        if infers and not self.partial and self._is_constant(source):
            self._leave_out(source, "constant")
            return
        cells = self._cells(source)
        level, index = self._level(source, cells.code)
        if source.only not in (None, level):
            return
        code = cells.code.reshape(-1)[index]
        if not (code >= 0).any():
            if not self.partial:
                self._leave_out(source, "empty")
            return
        column = self._typed(source, cells, code)
        if infers and (reason := self._says_nothing(column)):
            self._leave_out(source, reason)
            return
        self.earlier[name] = level, column.kind
        taken = {other for columns in self.columns.values() for other in columns}
        self.columns[level][_unique(name, taken)] = column
        self.levels |= dict.fromkeys(source.columns, level)

    def _leave_out(self, source: _Source, reason: str) -> None:
        self.earlier.setdefault(source.name, None)
        if not source.beside:
            self.left_out[reason].extend(source.columns)

    def _differs_everywhere(self, source: _Source) -> bool:
        """Return whether all rows of a large table hold different texts or whole numbers, as ids do."""
        import polars as pl

        cells = self.table.frame[source.columns[0]]
        if len(source.columns) > 1 or len(cells) < LARGE or cells.dtype.is_float() or cells.dtype == pl.Boolean:
            return False
        if 10 * int(cells.approx_n_unique()) < 9 * len(cells) or cells.n_unique() < len(cells):  # type: ignore[arg-type]
            return False
        return cells.dtype != pl.String or not cells.head(LARGE).str.contains(r"^\s*[+-]?\d*[.,]\d+\s*$").any()

    def _is_constant(self, source: _Source) -> bool:
        """Return whether a column of a small table has the same text in all rows, without reading its cells.

        Tables of few rows may have thousands of columns, and reading a column takes a millisecond.
        """
        import polars as pl

        cells = self.table.frame[source.columns[0]]
        if len(source.columns) > 1 or source.only or len(cells) > LARGE or cells.dtype != pl.String:
            return False
        return cells.n_unique() == 1 and bool(clean_text(cells[0] or ""))

    def _cells(self, source: _Source) -> _Cells:
        import polars as pl

        parts = [_as_values(self.table.frame[column]) for column in source.columns]
        if len({part.dtype for part in parts}) > 1:
            numeric = all(part.dtype.is_numeric() or part.dtype == pl.Null for part in parts)
            parts = [part.cast(pl.Float64 if numeric else pl.String) for part in parts]
        series = pl.concat([part.alias("") for part in parts]) if len(parts) > 1 else parts[0]
        if series.dtype != pl.String:
            column = ContextColumn.of(series)
            code, values = column.code.astype(np.int32, copy=False), column.values
        else:
            code, values = _encode_text(series)
        code = code.reshape(len(parts), -1)
        if len(parts) > 1 and self.sources.side is not None and not source.members:
            missing = max(0, int(self.sources.side.max(initial=0)) + 1 - len(parts))  # sides without a column
            code = np.vstack([code, np.full((missing, code.shape[1]), -1, np.int32)]) if missing else code
        return _Cells(code, values)

    def _level(self, source: _Source, code: NDArray[np.int32]) -> tuple[Level, NDArray[np.intp]]:
        """Return the level of a column, and the index of the cell from which each of its rows is read."""
        draft, sources, rows = self.draft, self.sources, code.shape[1]
        level = source.level
        if len(source.columns) > 1:
            assert sources.side is not None
            if source.members:
                assert sources.member is not None
                part = sources.side[owners(draft.team_start)] * source.members + sources.member
                return "player", part * rows + sources.entry
            index = sources.side * rows + sources.team
            return ("team", index) if level != "player" else ("player", index[owners(draft.team_start)])
        if level is None:
            level = self._finest(source.name, self._inferred_level(code[0]))
        return level, {"match": sources.match, "team": sources.team, "player": sources.entry}[level]

    def _inferred_level(self, code: NDArray[np.int32]) -> Level:
        """Return the coarsest level on which all rows of a match, or of a team, agree."""
        draft = self.draft
        if len(draft.player) > len(draft.team_start) - 1:
            by_entry = code[self.sources.entry]
            first = by_entry[draft.team_start[:-1]]
            if (by_entry != np.repeat(first, np.diff(draft.team_start))).any():
                return "player"
        by_team = code[self.sources.team]
        first = by_team[draft.match_start[:-1]]
        return "team" if (by_team != np.repeat(first, np.diff(draft.match_start))).any() else "match"

    def _finest(self, name: str, level: Level) -> Level:
        # Earlier chunks of the file may have needed a finer level.
        earlier = self.earlier.get(name)
        return level if earlier is None else max(level, earlier[0], key=LEVELS.index)

    def _typed(self, source: _Source, cells: _Cells, code: NDArray[np.int32]) -> ContextColumn:
        # A column holds numbers if all or nearly all of its filled cells are numbers.
        if not isinstance(cells.values, tuple):
            return _column(code, cells.values)
        earlier = self.earlier.get(source.name)
        kind = source.kind or (None if earlier is None else earlier[1])
        if kind == "category":
            return _column(code, cells.values)
        values = self._numbers(source.columns[0], cells.values)
        empty = np.array([value in _MISSING for value in cells.values])
        times = np.bincount(code[code >= 0], minlength=len(values))
        wrong = np.isnan(values) & (times > 0) & ~empty
        filled, unread = int(times[~empty].sum()), int(times[wrong].sum())
        if plain_name(source.name) in ROUND.split() and (np.nan_to_num(values) % 1 > 0).any() and not source.marked:
            return _column(code, cells.values)  # 1.10 is board 10 of round 1, not a number
        few = not unread or (filled >= LEAST and unread <= (1 - MOST) * filled)
        if kind is None and (not few or not filled):
            return _column(code, cells.values)
        if unread:
            self._note_unread(source, cells, wrong, unread)
        distinct, same = np.unique(values[~np.isnan(values)], return_inverse=True)
        number = np.full(len(values) + 1, -1, np.int32)
        number[np.flatnonzero(~np.isnan(values))] = same
        return _column(number[code], distinct)

    def _numbers(self, column: str, texts: tuple[str, ...]) -> Floats:
        import polars as pl

        # Commas are decimal marks if the cells prove it.
        series = pl.Series(column, texts, pl.String)
        plain = series.str.contains(_PLAIN)
        other = ~plain & (series.str.contains(_COMMA) | series.str.contains(_GROUPED))
        if other.any():
            trial = replace(self.table, frame=series.set(~(plain | other), None).to_frame(), remarks=[])
            values = numbers(trial, column)
            self.remarks.extend(remark for remark in trial.remarks if remark.code == "decimal-mark")
        else:
            values = series.set(~plain, None).cast(pl.Float64, strict=False).to_numpy(writable=True)
        values = np.where(np.abs(values) <= LARGEST, values, np.nan) + 0.0
        for index in np.flatnonzero(np.abs(values) > _EXACT).tolist():
            if texts[index].lstrip("+-").isdigit() and int(texts[index]) != int(values[index]):
                values[index] = np.nan  # an identifier, such as an account number, of which every digit matters
        return values

    def _note_unread(self, source: _Source, cells: _Cells, wrong: NDArray[np.bool_], unread: int) -> None:
        rows = np.unique(self.sources.entry)
        bad = np.append(wrong, False)[cells.code[:, rows]]
        row = int(rows[bad.any(axis=0).argmax()])
        column = source.columns[int(bad[:, bad.any(axis=0).argmax()].argmax())]
        cell = self.table.frame[column][row]
        if source.kind == "number":
            text = f"column {column!r} holds {cell!r}: the header says that the column holds numbers; write a number"
            raise self.table.error(row, text, column=column, value=cell)
        held = f"{self.table.row_name(row)}: column {column!r} holds {cell!r}"
        words = count(unread, "cell is not a number and counts", "cells are not numbers and count")
        text = f"{held}; {words} as missing"
        self.remarks.append(Remark("context-numbers", (text,), column, unread, self.table.line(row)))

    def _says_nothing(self, column: ContextColumn) -> str:
        # An empty cell counts as a value.
        distinct = int(np.count_nonzero(np.bincount(column.code.astype(np.intp) + 1)))
        if distinct == 1:
            return "" if self.partial else "constant"
        if distinct < len(column) or (self.partial and len(column) < LARGE):
            return ""
        if not isinstance(column.values, tuple) and bool((column.values != np.floor(column.values)).any()):
            return ""
        return "distinct"

    def result(self, ignored: list[Remark]) -> ContextReading:
        self.table.decisions[CONTEXT] = self.earlier
        kept = [f"{list_names(columns)} ({level})" for level, columns in self.columns.items() if columns]
        remarks = ignored
        if kept:
            number = sum(map(len, self.columns.values()))
            remarks.append(Remark("context", (f"context: {'; '.join(kept)}",), count=number))
        reasons = {
            "constant": "always the same",
            "distinct": "always different",
            "empty": "empty",
            "many": f"beyond the first {MOST_COLUMNS} columns",
        }
        reasons = {why: words for why, words in reasons.items() if self.left_out[why]}
        if reasons:
            left_out = [f"{list_names(self.left_out[why])} ({words})" for why, words in reasons.items()]
            number = sum(map(len, self.left_out.values()))
            remarks.append(Remark("context-left-out", (f"not kept as context: {'; '.join(left_out)}",), count=number))
        contexts = {level: Context.of(columns) for level, columns in self.columns.items()}
        return ContextReading(contexts, [*remarks, *self.remarks], self.levels)


def _as_values(series: "pl.Series") -> "pl.Series":
    import polars as pl

    # Times become text, without the time of day if it is always midnight.
    dtype = series.dtype
    if dtype == pl.Datetime and (series.dt.truncate("1d") == series).all():
        return series.dt.date().cast(pl.String)
    if dtype == pl.Datetime:
        return series.dt.strftime("%Y-%m-%d %H:%M:%S%.f")
    return series if dtype.is_numeric() or dtype == pl.String or dtype == pl.Boolean else series.cast(pl.String)


def _encode_text(series: "pl.Series") -> tuple[NDArray[np.int32], tuple[str, ...]]:
    code, spelt = intern(series.fill_null(""))
    number: dict[str, int] = {}
    clean = map(clean_text, spelt.to_list())
    same = np.array([number.setdefault(text, len(number)) if text else -1 for text in clean], np.int32)
    return same[code] if len(code) else code, tuple(number)


def _column(code: NDArray[Any], values: tuple[str, ...] | Floats) -> ContextColumn:
    fits = (kind for kind in (np.int8, np.int16) if len(values) <= np.iinfo(kind).max + 1)
    return ContextColumn(code.astype(next(fits, np.int32)), values)
