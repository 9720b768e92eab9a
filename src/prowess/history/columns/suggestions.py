"""Suggesting roles from the contents of columns, if neither names nor contents settle how a file is read.

A suggestion is weaker than an inferred layout: nothing is read with it until a person agrees.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from ..cells.numbers import numbers
from ..cells.text import text_of
from ..cells.words import DRAWS
from ..names import plain_spelling
from ..ragged import Floats
from ..read_context import Problems, Table
from .grids import Kinds, are_places
from .infer_columns import COLUMNS, MOST, column_kinds

ROWS = 200  # rows that are compared
PAIRS = 4  # pairs of sides that are suggested, at most
RESULTS = 6  # results that are suggested for a pair of sides, at most
LARGEST_SCORE = 100_000
YEARS = (1850, 2100)
_BETWEEN_NAMES = re.compile(r"\s*[/&+;|,]\s*| and | und | et | y | e ")
_SIDE_ROLES = (("home", "away"), ("winner", "loser"), ("team1", "team2"), ("player1", "player2"))
_SCORE_ROLES = (("home_score", "away_score"), ("score1", "score2"))


@dataclass(frozen=True)
class MatchColumns:
    """The columns of a file with a row per match: both sides, and the result.

    A side is a column, or several joined by a plus sign. The result is a pair of score columns, or one column that says
    who won; without any, the first side won every match. `others` are roles that do not depend on these.
    """

    sides: tuple[str, str]
    result: tuple[str, ...] = ()
    home: bool = False
    rosters: bool = False
    others: Mapping[str, str | None] = field(default_factory=dict)

    @classmethod
    def of(cls, roles: Mapping[str, str | None]) -> "MatchColumns | None":
        """Return the columns that a mapping gives for two sides; None if it gives none.

        >>> MatchColumns.of({"home": "h", "away": "a", "winner": "r"}).result
        ('r',)
        """
        names = next((pair for pair in _SIDE_ROLES if roles.get(pair[0]) and roles.get(pair[1])), None)
        if names is None:
            return None
        scores = next((pair for pair in _SCORE_ROLES if roles.get(pair[0]) and roles.get(pair[1])), ())
        result = scores or (("winner",) if "winner" not in names and roles.get("winner") else ())
        others = {role: column for role, column in roles.items() if role not in (*names, *result)}
        sides = str(roles[names[0]]), str(roles[names[1]])
        columns = tuple(str(roles[role]) for role in result)
        return cls(sides, columns, names[0] == "home", names[0] == "team1", others)

    @property
    def roles(self) -> dict[str, str | None]:
        """The mapping of roles to these columns.

        >>> MatchColumns(("a1+a2", "b1+b2"), ("x", "y")).roles
        {'team1': 'a1+a2', 'team2': 'b1+b2', 'score1': 'x', 'score2': 'y'}
        """
        names = ("player1", "player2")
        if self.rosters or any("+" in side for side in self.sides):
            names = ("team1", "team2")
        if self.home:
            names = ("home", "away")
        if not self.result:
            names = ("winner", "loser")
        scores = ("home_score", "away_score") if self.home else ("score1", "score2")
        result = dict(zip(scores if len(self.result) == 2 else ("winner",), self.result, strict=False))
        return {**dict(zip(names, self.sides, strict=True)), **result, **self.others}


def suggest_sides(table: Table) -> list[MatchColumns]:
    """Return the likeliest pairs of sides, without a result: columns whose names recur in each other."""
    facts = _Contents.of(table)
    return [] if facts is None else facts.sides()


def suggest_results(table: Table, sides: MatchColumns) -> list[MatchColumns]:
    """Return the likeliest results of a pair of sides."""
    facts = _Contents.of(table)
    return [] if facts is None else [replace(sides, result=result) for result in facts.results(sides)]


def suggest_players(table: Table) -> list[dict[str, str | None]]:
    """Return mappings for a row per player: rows of one match share a value, and name each player once."""
    facts = _Contents.of(table)
    return [] if facts is None else list(facts.players())


def suggest_roles(table: Table) -> Iterator[dict[str, str | None]]:
    """Yield mappings of roles to columns, the likeliest first; the roles that the user mapped stay."""
    given = table.choices.columns or {}
    known = MatchColumns.of(given)
    candidates = [known] if known is not None else suggest_sides(table)
    for sides in candidates:
        for columns in [sides] if sides.result else suggest_results(table, sides):
            yield {**columns.roles, **given}
    if known is None:
        for roles in suggest_players(table):
            yield {**roles, **given}


@dataclass(frozen=True)
class _Contents:
    """The first rows of a table, the kind of each column, and the names in its columns."""

    table: Table
    kinds: Kinds
    names: dict[str, list[str]]  # the plain spelling of each cell, of columns that may name players

    @classmethod
    def of(cls, table: Table) -> "_Contents | None":
        if not 0 < len(table.frame.columns) <= COLUMNS or not len(table.frame):
            return None
        table = replace(table, frame=table.frame.head(ROWS), remarks=[], problems=Problems(), left_out=[])
        kinds = column_kinds(table)
        named = kinds["name"] + [column for column in kinds["number"] if _may_be_ids(table, column)]
        names = {column: [plain_spelling(cell or "") for cell in text_of(table, column)] for column in named}
        return cls(table, kinds, names)

    def sides(self) -> list[MatchColumns]:
        players = {column: _players(cells) for column, cells in self.names.items()}
        pairs = [pair for pair in combinations(self.names, 2) if self._may_meet(*pair)]
        shared = {pair: len(players[pair[0]] & players[pair[1]]) for pair in pairs}
        share = {
            (one, two): number / max(1, min(len(players[one]), len(players[two])))
            for (one, two), number in shared.items()
        }
        if any(shared.values()):
            pairs = [pair for pair in pairs if shared[pair]]
        else:
            pairs = [pair for pair in pairs if not set(pair) & set(self.kinds["number"])]
        pairs.sort(key=lambda pair: (-share[pair], -shared[pair]))
        four = self._four_players(pairs)
        rosters = {column: _are_rosters(self.table, column) for column in self.names}
        singles = [MatchColumns(pair, rosters=rosters[pair[0]] and rosters[pair[1]]) for pair in pairs]
        return [*four, *singles][:PAIRS]

    def _may_meet(self, first: str, second: str) -> bool:
        """Return whether no row has the same name in both columns, and both hold several names."""
        one, two = self.names[first], self.names[second]
        same = np.mean([a == b != "" for a, b in zip(one, two, strict=True)])
        return bool(same <= 1 - MOST) and (len(one) < 3 or min(len(set(one)), len(set(two))) > 1)

    def _four_players(self, pairs: list[tuple[str, str]]) -> list[MatchColumns]:
        """Return the ways to make two teams of four columns with one player each."""
        columns = sorted({column for pair in pairs for column in pair}, key=self.table.frame.columns.index)
        if len(columns) != 4 or len(pairs) != 6 or len(self.names[columns[0]]) < 2:
            return []
        a, b, c, d = columns
        return [
            MatchColumns((f"{one}+{two}", f"{three}+{four}"))
            for one, two, three, four in ((a, b, c, d), (a, c, b, d), (a, d, b, c))
        ]

    def results(self, sides: MatchColumns) -> list[tuple[str, ...]]:
        used = {column for side in sides.sides for column in (side, *side.split("+"))}
        names = [self.names[side] for side in sides.sides if side in self.names]
        winners = [
            column
            for column in self.kinds["name"]
            if column not in used and len(names) == 2 and _names_winner(self.names[column], *names)
        ]
        cells = [column for kind in ("result", "word") for column in self.kinds[kind]]
        scores = {column: numbers(self._alone(), column) for column in self.kinds["number"] if column not in used}
        scores = {column: values for column, values in scores.items() if _may_be_scores(values)}
        pairs = sorted(combinations(scores, 2), key=lambda pair: _difference(scores[pair[0]], scores[pair[1]]))
        coded = [column for column, values in scores.items() if set(values[~np.isnan(values)]) <= {0, 0.5, 1, 2}]
        found = [(column,) for column in winners + cells] + pairs[:3] + [(column,) for column in coded]
        return [*found[: RESULTS - 1], ()]

    def players(self) -> Iterator[dict[str, str | None]]:
        rows = len(self.table.frame)
        columns = [column for kind in ("number", "time", "name") for column in self.kinds[kind]]
        for who, cells in self.names.items():
            for match in columns:
                label = [cell or "" for cell in text_of(self.table, match)]
                different = len(set(label))
                once = len(set(zip(label, cells, strict=True))) == rows
                if match == who or not once or not 1 < different <= rows / 2:
                    continue
                code = np.unique(np.array(label), return_inverse=True)[1]
                for column in self.kinds["number"]:
                    if column not in (who, match):
                        values = numbers(self._alone(), column)
                        role = "rank" if are_places(code, values) else "score"
                        if role == "rank" or _may_be_scores(values):
                            yield {"match": match, "player": who, role: column}

    def _alone(self) -> Table:
        return replace(self.table, problems=Problems(), remarks=[])


def _players(cells: list[str]) -> set[str]:
    return {name for cell in set(cells) for name in (cell, *_BETWEEN_NAMES.split(cell)) if name}


def _are_rosters(table: Table, column: str) -> bool:
    """Return whether most cells list several names."""
    cells = text_of(table, column).drop_nulls()
    return bool(len(cells)) and 2 * sum(_BETWEEN_NAMES.search(cell) is not None for cell in cells) > len(cells)


def _may_be_ids(table: Table, column: str) -> bool:
    """Return whether numbers may stand for players: they are whole and positive, but neither rows nor years."""
    values = numbers(replace(table, problems=Problems(), remarks=[]), column)
    whole = not np.isnan(values).any() and bool((values == np.floor(values)).all()) and bool((values > 0).all())
    return whole and not _is_counter(values) and not _are_years(values)


def _is_counter(values: Floats) -> bool:
    return len(values) > 2 and bool((np.diff(values) == 1).all())


def _are_years(values: Floats) -> bool:
    return bool(((values >= YEARS[0]) & (values <= YEARS[1])).all())


def _may_be_scores(values: Floats) -> bool:
    values = values[~np.isnan(values)]
    if not len(values) or (np.abs(values) > LARGEST_SCORE).any():
        return False
    return not _is_counter(values) and not (_are_years(values) and len(values) > 2)


def _difference(first: Floats, second: Floats) -> float:
    """Return how differently two columns are distributed: the scores of both sides are about equally large."""
    return float(abs(np.log1p(np.nanmean(np.abs(first))) - np.log1p(np.nanmean(np.abs(second)))))


def _names_winner(cells: list[str], first: list[str], second: list[str]) -> bool:
    """Return whether nearly every cell repeats a name of its row, or says that there was no winner."""
    filled = [(cell, names) for cell, *names in zip(cells, first, second, strict=True) if cell]
    return bool(filled) and bool(np.mean([cell in names or cell in DRAWS for cell, names in filled]) >= MOST)
