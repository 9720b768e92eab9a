"""The rows of a model's facets and statistics in a ladder, and the rows that the context of matches selects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history.context.builder import ContextBuilder
from ...history.context.columns import EMPTY, Context, ContextColumn, clean_name, column_at, column_names
from ...history.lines import in_match
from ...history.ragged import owners
from ...text import join_words
from ..components.facet import Facet
from ..components.statistic import Statistic
from ..engine.buffers import FacetColumn, StatisticColumn, Table, aligned

if TYPE_CHECKING:
    from ...history import History
    from ..model import Model
    from .ladder import Ladder

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

MISSING = -1  # the row of an entry whose value is missing
UNKNOWN = -2  # the row of an entry whose value has never been seen; further unknown values have lower numbers
DENSE = 8  # a table of all pairs of players and values may have this many cells for each entry of a history,
LEAST_DENSE = 1_000_000  # and this many in any case


Key = tuple[int, int]  # the player (a row of the ladder, or −1 for shared rows) and the index of the value of a row


class FacetRows:
    """The rows of one facet: `state` has for each the belief, the time of the last match, and the number of matches.

    Row r belongs to the player `owners[r]`, a row of the ladder or −1 for shared rows, and to the value `codes[r]`, an
    index into `values`. The values of a statistic are kinds of matches, and the state of a kind has the mean, the sum
    of squares and, in the place of the number of matches, the number of the statistic's earlier values.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill().replace(facets=(pw.facet.By("surface"),)))
    >>> _ = ladder.record([["ann"], ["bob"]], context={"surface": "clay"})
    >>> rows = ladder.facets[0]
    >>> rows.values, rows.owners, rows.codes
    (['clay'], [0, 1], [0, 0])
    """

    def __init__(self, facet: Facet | Statistic, traits: tuple[str, ...]) -> None:
        self.facet: Any = facet
        self.trait_names = traits
        self.values: list[str] = []
        self.owners: list[int] = []
        self.codes: list[int] = []
        self._code_of: dict[str, int] = {}
        self._row_of: dict[Key, int] = {}
        self.state: Floats = aligned(8, 2 * len(traits) + 2)
        if facet.counts_matches:
            self.values = [f"{scale:g}" for scale in self.facet.arguments]  # type: ignore[union-attr]
            self.add([-1] * len(self.values), range(len(self.values)))
        elif facet.weighted or (isinstance(facet, Statistic) and facet.per == ()):
            self.values = [""]
            if not facet.personal:
                self.add([-1], [0])
        self.constant = len(self)  # rows that every ladder has

    def __len__(self) -> int:
        return len(self.owners)

    @property
    def code_of(self) -> dict[str, int]:
        """The index of every value."""
        if len(self._code_of) < len(self.values):
            self._code_of |= {value: code for code, value in enumerate(self.values)}
        return self._code_of

    @property
    def row_of(self) -> dict[Key, int]:
        """The row of every key. New rows are added to this index the next time that it is read."""
        known = len(self._row_of)
        if known < len(self):
            pairs = zip(self.owners[known:], self.codes[known:], strict=True)
            self._row_of.update(zip(pairs, range(known, len(self)), strict=True))
        return self._row_of

    @property
    def table(self) -> Table:
        """The state in the form that the kernels need."""
        return Table(self.state, np.empty(0))

    def reserve(self, rows: int) -> None:
        """Make room for `rows` rows in total."""
        if rows > len(self.state):
            more = aligned(max(rows, 2 * len(self.state)), self.state.shape[1])
            more[: len(self.state)] = self.state
            self.state = more

    def copy(self) -> FacetRows:
        """Return an independent copy."""
        other = FacetRows.__new__(FacetRows)
        other.facet, other.trait_names = self.facet, self.trait_names
        other.values, other._code_of, other._row_of = list(self.values), {}, {}
        other.owners, other.codes = list(self.owners), list(self.codes)
        other.constant = self.constant
        other.state = aligned(*self.state.shape)
        other.state[:] = self.state
        return other

    def beliefs(self) -> dict[tuple[int, str], list[float]]:
        """Return the rows that have a belief, by player and value, as lists of numbers."""
        rows = self.state[: len(self)].tolist()
        pairs = zip(self.owners, [self.values[code] for code in self.codes], strict=True)
        return {pair: row for pair, row in zip(pairs, rows, strict=True) if row[0] == row[0]}

    def equals(self, other: FacetRows) -> bool:
        """Return whether the same rows have the same beliefs; players are compared by their rows in the ladder."""
        mine, theirs = self.beliefs(), other.beliefs()
        if mine.keys() != theirs.keys():
            return False
        return np.array_equal(list(mine.values()), [theirs[key] for key in mine], equal_nan=True)

    def set_beliefs(self, beliefs: Mapping[tuple[int, str], Sequence[float]]) -> None:
        """Set rows by player and value, as `beliefs` returns them; other rows have no belief."""
        self.state[:] = np.nan
        self.values.extend(value for value in dict.fromkeys(value for _, value in beliefs) if value not in self.code_of)
        keys = [(player, self.code_of[value]) for player, value in beliefs]
        new = [key for key in keys if key not in self.row_of]
        self.add([player for player, _ in new], [code for _, code in new])
        for key, cells in zip(keys, beliefs.values(), strict=True):
            self.state[self.row_of[key]] = cells

    def add(self, owners: Iterable[int], codes: Iterable[int]) -> None:
        """Add rows without beliefs, for the given players and values."""
        self.owners.extend(owners)
        self.codes.extend(codes)
        self.reserve(len(self))

    def belief(self, player: int, value: str) -> list[float] | None:
        """Return the row of a player (−1 for shared rows) and a value; None if it has no belief yet."""
        row = self.row_of.get((player, self.code_of.get(value, -1)))
        cells = None if row is None else self.state[row].tolist()
        return None if cells is None or cells[0] != cells[0] else cells


def facet_rows(model: Model) -> list[FacetRows]:
    """Return the rows of a new ladder, for each facet and each statistic of the model."""
    return [FacetRows(part, model.outcome.traits) for part in model.additions]


# --- the context of a history ---------------------------------------------------------------------------------------


def check_columns(model: Model, history: History) -> None:
    """Raise an `Error` unless the history has the columns that the facets of the model need.

    >>> import prowess as pw
    >>> model = pw.TrueSkill().replace(facets=(pw.facet.By("surface"),))
    >>> match = {"teams": [["ann"], ["bob"]], "context": {"round": "final"}}
    >>> check_columns(model, pw.History.from_matches([match]))
    Traceback (most recent call last):
    ...
    prowess.Error: there is no column 'surface'; the matches have the column round
    """
    known = column_names(history)
    for facet in model.facets:
        if not facet.counts_matches and facet.column not in known:
            raise no_column(facet.column, known)
        name = facet.column
        column = history.entry_context.get(name) or history.team_context.get(name) or history.context.get(name)
        if facet.weighted and column is not None and column.kind == "category":
            _column(model, facet, history)  # raises an error, or the history has no value in any match
    for statistic in model.statistics:
        for name in (statistic.column, *(statistic.per or ())):
            if name not in known:
                raise no_column(name, known, "statistics")
        _observations(statistic, history)


def no_column(name: str, known: Sequence[str], field: str = "facets") -> Error:
    """Return the error for a column that the matches do not have; `known` are those that they have."""
    have = "the matches have no further columns"
    if known:
        have = f"the matches have the column{'s' if len(known) > 1 else ''} {join_words(known)}"
    return Error(f"there is no column {name!r}; {have}", field=field, value=name)


def enter_facets(ladder: Ladder, history: History, players: Ints) -> list[FacetColumn | StatisticColumn]:
    """Give every pair of a player and a value a row; return the rows of all entries or teams, for each facet.

    `players` has the row of each entry's player in the ladder. Values that are missing select no row. The columns of
    the statistics follow.
    """
    columns: list[FacetColumn | StatisticColumn] = []
    model = ladder.model
    for rows in ladder.facets:
        if isinstance(rows.facet, Statistic):
            columns.append(_enter_statistic(rows, rows.facet, history))
            continue
        kept = len(rows) == rows.constant and players is history.player
        cache: dict[Any, Any] = history.__dict__.setdefault("_facets", {})
        facet = rows.facet
        key = (type(facet), facet.column, facet.weighted, facet.per, tuple(rows.values), model.pipeline.levels_cancel)
        if kept and key in cache:
            values, owners, codes, column = cache[key]
            rows.values = list(values)
            rows.add(owners[rows.constant :], codes[rows.constant :])
        else:
            column = _enter(model, rows, history, players)
            if kept:
                cache[key] = list(rows.values), list(rows.owners), list(rows.codes), column
        columns.append(column)
    return columns


def _enter_statistic(rows: FacetRows, statistic: Statistic, history: History) -> StatisticColumn:
    """Return the column of a statistic, and give every kind of match a row. The history keeps both for later fits."""
    cache: dict[Any, Any] = history.__dict__.setdefault("_facets", {})
    key = (type(statistic), statistic.column, statistic.per, statistic.lower)
    if key not in cache:
        cache[key] = *_observations(statistic, history), _kinds(statistic, history)
    values, noise, kinds = cache[key]
    is_new = len(rows) == rows.constant
    if not is_new or (statistic.per, "rows") not in cache:
        code = np.full(len(values), MISSING, np.int32) if kinds is None else _enter_values(rows, kinds)
        row = _find_rows(rows, np.full(len(code), -1, np.int32), code)
        if is_new:
            cache[statistic.per, "rows"] = list(rows.values), list(rows.codes), row
    else:
        names, codes, row = cache[statistic.per, "rows"]
        rows.values = list(names)
        rows.add([-1] * (len(codes) - rows.constant), codes[rows.constant :])
    return StatisticColumn(row, values, noise, statistic.per is not None)


def _observations(statistic: Statistic, history: Any) -> tuple[Floats, Floats | None]:
    """Return what a statistic says about every entry, and factors for the variance of its noise.

    Points and counts of a player who has played a share of the match are divided by this share.
    """
    raw = _numbers(statistic, history)
    values, noise = raw, None
    if history.weight is not None and statistic.kind != "quit":
        played = np.where(history.weight > 0.0, history.weight, np.nan)
        values = values / (np.where(np.isnan(played), np.nan, 1.0) if statistic.kind == "times" else played)
        noise = np.nan_to_num(1.0 / played, nan=1.0)
    found = np.ascontiguousarray(statistic.transform(values), np.float64)
    wrong = np.flatnonzero(np.isnan(found) & ~np.isnan(values))
    if len(wrong):
        entry = int(wrong[0])
        message = f"{statistic.column!r} is {raw[entry]:g}, but {statistic.needs}"
        raise in_match(Error(message, field="statistics", value=float(raw[entry])), history, entry)
    return found, noise


def _numbers(statistic: Statistic, history: Any) -> Floats:
    """Return the values of a statistic for all entries; NaN where they are missing."""
    name = statistic.column
    if name in history.context:
        message = f"{name!r} is the same for all players of a match, but a statistic needs a value for each player"
        raise Error(message, field="statistics", value=name)
    column = column_at(history, name, "player")
    if column is None:
        return np.full(int(history.team_start[-1]), np.nan)
    if column.kind == "category":
        raise _not_numbers(name, column, history, by_team=False, field="statistics")
    return column.to_numpy()


def _kinds(statistic: Statistic, history: Any) -> ContextColumn | None:
    """Return the kind of match of every entry, as text; None without kinds. A kind of several columns is JSON."""
    if statistic.per is None:
        return None
    if statistic.per == ():
        return ContextColumn(np.zeros(int(history.team_start[-1]), np.int8), ("",))
    columns = [column_at(history, name, "player") for name in statistic.per]
    if any(column is None for column in columns):
        return None
    texts = [column.as_text() for column in columns if column is not None]
    if len(texts) == 1:
        return texts[0]
    import json

    codes = np.stack([text.code.astype(np.int64) for text in texts])
    pairs, code = np.unique(codes, axis=1, return_inverse=True)
    known = (pairs >= 0).all(0)
    number = np.where(known, np.cumsum(known) - 1, MISSING)
    names = [json.dumps([texts[i].values[k] for i, k in enumerate(pair)]) for pair in pairs[:, known].T]
    return ContextColumn(number[code.ravel()].astype(np.int32), tuple(names))


def _column(model: Model, facet: Facet, history: Any) -> tuple[ContextColumn | None, bool]:
    """Return the column of a facet, with a row for each entry or each team, and whether it has one for each team."""
    if facet.counts_matches:
        return None, False
    name = facet.column
    by_team = not facet.personal and (facet.per == "team" or (facet.per is None and name not in history.entry_context))
    if by_team and name in history.context and model.pipeline.levels_cancel:
        message = f"{name!r} is the same for both sides of a match, so a shared effect would cancel; use "
        raise Error(f"{message}By({name!r}), or a column with a value for each side", field="facets", value=name)
    if by_team and name in history.entry_context:
        column: ContextColumn | None = team_values(history, name)
    else:
        column = column_at(history, name, "team" if by_team else "player")
    if column is not None and facet.weighted and column.kind == "category":
        raise _not_numbers(name, column, history, by_team)
    return column, by_team


def team_values(history: Any, name: str) -> ContextColumn:
    """Return the values of a players' column for each team; raise an `Error` if the players of a team differ."""
    column: ContextColumn = history.entry_context[name]
    first = history.team_start[:-1]
    team = owners(history.team_start)
    different = np.flatnonzero(column.code != column.code[first][team])
    if len(different):
        text = f"the players of a team have different values of {name!r}, but its effect belongs to teams"
        error = Error.in_field("context", f"{text}; give one value for each team", value=name)
        raise in_match(error, history, int(different[0]))
    return column.take(first)


def _not_numbers(name: str, column: ContextColumn, history: Any, by_team: bool, field: str = "facets") -> Error:
    """Return the error for a column of categories where numbers are needed; it names the first value that is none."""
    texts = [str(value) for value in column.values]
    wrong = np.array([not _is_number(text) for text in texts] + [False])
    rows = np.flatnonzero(wrong[column.code])
    row = int(rows[0]) if len(rows) else int(np.flatnonzero(column.code >= 0)[0])
    value = column[row]
    error = Error(f"{name!r} is {value!r}, but a number is needed", field=field, value=value)
    return in_match(error, history, int(history.team_start[row]) if by_team else row)


def _is_number(text: str) -> bool:
    try:
        return abs(float(text)) < float("inf")
    except ValueError:
        return False


def _enter(model: Model, rows: FacetRows, history: Any, players: Ints) -> FacetColumn:
    facet = rows.facet
    column, by_team = _column(model, facet, history)
    if column is None:  # the history has no values, or the facet needs none
        return FacetColumn(np.full(len(players), MISSING, np.int32))
    weights = None
    if facet.weighted:
        numbers = column.to_numpy()
        code = np.where(np.isnan(numbers), MISSING, 0).astype(np.int32)
        weights = np.nan_to_num(numbers)
    else:
        code = _enter_values(rows, column.as_text())
    owners = players if facet.personal else np.full(len(code), -1, np.int32)
    return FacetColumn(_find_rows(rows, owners, code), weights, by_team)


def _enter_values(rows: FacetRows, column: ContextColumn) -> Ints:
    """Return the index of the value of each row of a column, or −1 if it is missing; new values get the next index."""
    texts = [str(value) for value in column.values]
    present = column.code[column.code >= 0]
    # In the order of their first appearance, as in a ladder that records one match after the other.
    rows.values.extend(texts[code] for code in _in_order(present, len(texts)) if texts[code] not in rows.code_of)
    translate = np.array([*(rows.code_of.get(text, MISSING) for text in texts), MISSING], np.int32)
    found: Ints = translate[column.code]
    return found


def _in_order(numbers: NDArray[Any], size: int) -> NDArray[np.int64]:
    """Return the distinct numbers, all of which are below `size`, in the order of their first appearance."""
    first = np.full(size, len(numbers), np.int64)
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]  # written in reverse order, so that the first one remains
    distinct = np.flatnonzero(first < len(numbers))
    return distinct[np.argsort(first[distinct])]


def _find_rows(rows: FacetRows, owners: Ints, code: Ints) -> Ints:
    """Return the row of each pair of an owner and a value, or −1 without a value; add rows for new pairs."""
    width = max(len(rows.values), 1)
    present = np.flatnonzero(code >= 0)
    pair = (owners[present].astype(np.int64) + 1) * width + code[present]
    known = (np.array(rows.owners, np.int64) + 1) * width + np.array(rows.codes, np.int64)
    size = max(int(pair.max(initial=0)), int(known.max(initial=0))) + 1
    if size > DENSE * (len(pair) + len(known)) + LEAST_DENSE:  # too many possible pairs: number the actual ones
        distinct, numbers = np.unique(np.concatenate([known, pair]), return_inverse=True)
        known, pair, size = numbers[: len(known)], numbers[len(known) :], len(distinct)
    else:
        distinct = np.arange(size)
    row_of = np.full(size, MISSING, np.int32)
    row_of[known] = np.arange(len(known))
    new = _in_order(pair, size)
    new = new[row_of[new] < 0]
    row_of[new] = len(known) + np.arange(len(new))
    rows.add((distinct[new] // width - 1).tolist(), (distinct[new] % width).tolist())
    column = np.full(len(code), MISSING, np.int32)
    column[present] = row_of[pair]
    return column


# --- the context of one match ---------------------------------------------------------------------------------------


@dataclass
class MatchContext:
    """The context of one match, in the form of a history."""

    match_start: Ints
    team_start: Ints
    context: Context = EMPTY
    team_context: Context = EMPTY
    entry_context: Context = EMPTY
    weight: Floats | None = None
    lines: None = None  # the match was not read from a file


def read_context(context: Mapping[str, Any] | None, sizes: Sequence[int]) -> MatchContext:
    """Check the context of one match, whose teams have the given sizes."""
    start = np.array([0, len(sizes)], np.int32)
    teams = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    if context is None:
        return MatchContext(start, teams)
    builder = ContextBuilder()
    builder.add([context], [len(sizes)], list(sizes))
    return MatchContext(start, teams, *builder.finish(start, teams))


def check_names(model: Model, context: Mapping[str, Any], extra: bool = False) -> None:
    """Raise an `Error` if a name of a context is not the column of a facet.

    If `extra` is true, there may be further names, as in the context of a history. A name that looks like a misspelt
    column is an error in any case, and so is a statistic of a match that was not played yet.
    """
    columns = model.context_columns if extra else model.forecast_columns
    names = {name: clean_name(name) if isinstance(name, str) else str(name) for name in context}
    absent = [column for column in columns if column not in names.values()]
    for given, name in names.items():
        from difflib import get_close_matches

        if not extra and name in [statistic.column for statistic in model.statistics]:
            message = f"{given!r} is a statistic, which is known only after the match"
            raise Error(message, field="context", value=given)
        similar = get_close_matches(name, absent, 1)
        if name not in columns and (similar or not extra):
            have = f"has {join_words([repr(column) for column in columns])}" if columns else "has no facets"
            have = f"did you mean {similar[0]!r}?" if similar else f"this model {have}"
            raise Error(f"unknown context {given!r}; {have}", field="context", value=given)


class MatchRows:
    """The rows that the context of one match selects, for each facet of a ladder.

    `players` are the rows of the players in the ladder, nested like the teams; −2 stands for a player who is not in the
    ladder. `columns` are the rows for the kernels. Rows that do not exist yet have negative numbers, so they keep their
    prior beliefs, unless `add` is true: then `add_rows` must be called after the match.
    """

    def __init__(
        self,
        ladder: Ladder,
        context: Mapping[str, Any] | None,
        players: Sequence[Sequence[int]],
        add: bool = False,
        weights: Sequence[float] | None = None,
    ) -> None:
        self.facets = ladder.facets
        self.values: list[dict[str, int]] = [{} for _ in self.facets]  # new values of each facet
        self.keys: list[dict[Key, int]] = [{} for _ in self.facets]  # new rows of each facet
        self.add = add
        check_names(ladder.model, context or {}, extra=add)
        match = read_context(context, [len(team) for team in players])
        match.weight = None if weights is None else np.array(weights, np.float64)
        owners = [row for team in players for row in team]
        self.columns = [self._column(ladder.model, index, match, owners) for index in range(len(self.facets))]

    def _column(
        self, model: Model, index: int, match: MatchContext, owners: list[int]
    ) -> FacetColumn | StatisticColumn:
        rows = self.facets[index]
        if isinstance(rows.facet, Statistic):
            return self._statistic(index, rows.facet, match)
        column, by_team = _column(model, rows.facet, match)
        if column is None:
            return FacetColumn(np.full(len(owners), MISSING, np.int32))
        weights = np.nan_to_num(column.to_numpy()) if rows.facet.weighted else None
        values = column.as_text().to_list()
        if rows.facet.weighted:
            values = [None if value is None else "" for value in values]
        owners = owners if rows.facet.personal else [-1] * len(values)
        return FacetColumn(self._rows(index, owners, values), weights, by_team)

    def _statistic(self, index: int, statistic: Statistic, match: MatchContext) -> StatisticColumn:
        values, noise = _observations(statistic, match)
        kinds = _kinds(statistic, match)
        texts = [None] * len(values) if kinds is None else kinds.to_list()
        return StatisticColumn(self._rows(index, [-1] * len(values), texts), values, noise, statistic.per is not None)

    def _rows(self, index: int, owners: Sequence[int], values: Sequence[Any]) -> Ints:
        """Return the row of each pair of a player and a value."""
        rows = self.facets[index]
        found = [self._find(index, player, value) for player, value in zip(owners, values, strict=True)]
        if self.add:
            rows.reserve(len(rows) + len(self.keys[index]))
            rows.state[len(rows) : len(rows) + len(self.keys[index])] = np.nan
        return np.array(found, np.int32)

    def _find(self, index: int, player: int, value: Any) -> int:
        if value is None:
            return MISSING
        rows, values, keys = self.facets[index], self.values[index], self.keys[index]
        code = rows.code_of.get(value)
        if code is None:
            code = values.setdefault(value, len(rows.values) + len(values))
        key = player, code
        if key in rows.row_of:
            return rows.row_of[key]
        number = keys.setdefault(key, len(keys))
        return len(rows) + number if self.add else UNKNOWN - number

    def add_rows(self) -> None:
        """Add the new rows to the ladder."""
        for rows, values, keys in zip(self.facets, self.values, self.keys, strict=True):
            rows.values.extend(values)
            rows.add([player for player, _ in keys], [code for _, code in keys])
