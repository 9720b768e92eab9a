"""Suggest column roles for a file whose layout cannot be inferred from its column names and contents.

A suggestion is weaker than an inferred layout: it is used only after the user has accepted it.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, combinations, islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...cells.numbers import numbers
from ...cells.text import text_of
from ...names.spelling import plain_name
from ...ragged import Floats, owners
from ...read_context import Problems, Table
from ..shapes.grids import Kinds, are_places
from . import aliases
from .headers import SCORE_HEADERS, are_alike, header_words, may_be_score, numbered, tells_result
from .infer_columns import COLUMNS, MOST, NEAR, column_kinds, may_meet, names_winner, near_pairs, plain_cells
from .scored_sides import share_unit

if TYPE_CHECKING:
    from ...history import History

ROWS = 200  # rows that are compared
PAIRS = 4  # maximum number of suggested pairs of sides
RESULTS = 6  # maximum number of suggested results for a pair of sides
SMALL = 12  # in larger files, some players are on both sides
FEW = 3  # in fewer rows than this, a column of names may hold a single name
# Partners play together repeatedly. So columns that are not neighbours hold partners only if they form at most this
# fraction of the number of distinct teams that neighbouring columns form.
LASTING = 0.7
LARGEST_SCORE = 100_000
YEARS = (1850, 2100)
_BETWEEN_NAMES = re.compile(r"\s*[/&+;|,]\s*| and | und | et | y | e ")
_DIGITS = re.compile(r"\d+")
_DIFFERENCE = re.compile(r"diff|margin|marge|abstand|elo|rating|rtg|dwz|odds|quote|handicap|hcp|seed")  # no scores
# A number, or a time with units such as 1h 02m 03s; names such as "12" and "1h 00m" are cells of another column.
_MEASURE = re.compile(r"[-+]?(?:\d+\s*(?:[.,:'\"/-]|[hms]|min|sec|pts|km|kg|%)?\s*)+")
_CODES = {0.0, 0.5, 1.0, 2.0}  # numbers that say who won
_SIDE_ROLES = (("home", "away"), ("winner", "loser"), ("team1", "team2"), ("player1", "player2"))
_SCORE_ROLES = (("home_score", "away_score"), ("score1", "score2"))
_SIDE_WORDS = frozenset(
    word for names in (*aliases.HOME_AWAY.values(), *chain.from_iterable(aliases.PAIRS)) for word in names.split()
)
_TIMED = frozenset(f"{aliases.LONG['duration']} {aliases.TIMED}".split())
_HANDICAP = frozenset(aliases.HANDICAP.split())
_RESULT_ROLES = {role for pair in (*_SIDE_ROLES, *_SCORE_ROLES) for role in pair}


@dataclass(frozen=True)
class MatchColumns:
    """The columns of a file with a row per match: both sides, and the result.

    A side is the name of a column, or several names joined by a plus sign. The result is a pair of score columns, or
    one column that names the winner; without a result, the first side won every match. `others` maps all remaining
    roles.
    """

    sides: tuple[str, str]
    result: tuple[str, ...] = ()
    home: bool = False
    rosters: bool = False
    others: Mapping[str, str | None] = field(default_factory=dict)

    @classmethod
    def of(cls, roles: Mapping[str, str | None]) -> "MatchColumns | None":
        """Return the match columns for a mapping from roles to columns; None if the mapping does not have two sides.

        >>> MatchColumns.of({"home": "h", "away": "a", "winner": "r"}).result
        ('r',)
        """
        names = next((pair for pair in _SIDE_ROLES if roles.get(pair[0]) and roles.get(pair[1])), None)
        if names is None:
            return None
        scores = next((pair for pair in _SCORE_ROLES if roles.get(pair[0]) and roles.get(pair[1])), ())
        result = scores or (("winner",) if "winner" not in names and roles.get("winner") else ())
        others = {role: column for role, column in roles.items() if role not in _RESULT_ROLES}
        sides = str(roles[names[0]]), str(roles[names[1]])
        columns = tuple(str(roles[role]) for role in result)
        return cls(sides, columns, names[0] == "home", names[0] == "team1", others)

    @property
    def roles(self) -> dict[str, str | None]:
        """The mapping from roles to columns.

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


def suggest_roles(table: Table, kinds: Kinds | None = None) -> Iterator[dict[str, str | None]]:
    """Yield mappings from roles to columns, likeliest first. All of them keep the roles that the user has mapped."""
    contents = Contents.of(table, kinds)
    if contents is None:
        return
    given = table.choices.columns or {}
    chosen = MatchColumns.of(given)
    pairs, players = ([chosen], []) if chosen is not None else (contents.sides(), contents.players())
    matches = [columns for pair in pairs for columns in ([pair] if pair.result else contents.results(pair))]
    wide = [columns.roles for columns in matches]
    for roles in [*wide, *players] if contents.names_recur else [*players, *wide]:
        yield {**roles, **given}


@dataclass(frozen=True)
class Contents:
    """The first rows of a table, the kind of each column, and the names in the columns that may name players."""

    table: Table
    kinds: Kinds
    names: dict[str, list[str]]  # the normalised cells of each column

    @classmethod
    def of(cls, table: Table, kinds: Kinds | None = None) -> "Contents | None":
        """Return the contents of the first rows; None if the table has no rows, or too many columns."""
        if not 0 < len(table.frame.columns) <= COLUMNS or not len(table.frame):
            return None
        table = replace(table, frame=table.frame.head(ROWS), remarks=[], problems=Problems(), left_out=[])
        kinds = kinds or column_kinds(table)
        named = kinds["name"]
        if not named:  # players may have numbers instead of names
            named = [column for column in kinds["number"] if _may_be_ids(table, column)]
        names = {column: plain_cells(table, column) for column in named}
        return cls(table, kinds, names)

    @cached_property
    def _shared(self) -> dict[tuple[str, str], int]:
        """The number of names that two columns share, for columns that may be opponents or partners."""
        players = {column: _split_names(cells) for column, cells in self.names.items()}
        return {
            (first, second): len(players[first] & players[second])
            for first, second in near_pairs(list(self.names))
            if self._may_meet(first, second)
        }

    @property
    def names_recur(self) -> bool:
        """Whether some names occur in both of two columns, as expected if a player can be on either side."""
        return any(self._shared.values())

    def _may_meet(self, first: str, second: str) -> bool:
        # Both columns must have several names, and almost no row may have the same name in both.
        one, two = self.names[first], self.names[second]
        return may_meet(one, two) and (len(one) < FEW or min(len(set(one)), len(set(two))) > 1)

    def sides(self) -> list[MatchColumns]:
        """Return the likeliest pairs of sides, without results.

        Two columns may be sides if they share names, but hardly any row has the same name in both.
        """
        shared = self._shared
        pairs = [pair for pair in shared if shared[pair]]
        members = sorted({column for pair in pairs for column in pair}, key=self.table.frame.columns.index)
        doubles = []
        if len(members) == 4 and all(pair in shared for pair in combinations(members, 2)):
            doubles = self._doubles(members)
        if not pairs and len(self.table.frame) <= SMALL:  # no two columns share a name
            pairs = [pair for pair in shared if not set(pair) & set(self.kinds["number"])]
        smaller = {pair: min(len(set(self.names[column])) for column in pair) for pair in pairs}
        pairs.sort(key=lambda pair: (-shared[pair] / smaller[pair], -shared[pair]))
        rosters = {column for column in self.names if _are_rosters(self.table, column)}
        singles = [
            MatchColumns(pair, rosters=set(pair) <= rosters)
            for pair in pairs[:NEAR]
            if not self._leaves_out_players(pair, members)
        ]
        return [*doubles, *singles][:PAIRS]

    def _leaves_out_players(self, pair: tuple[str, str], members: list[str]) -> bool:
        """Return whether further columns hold the same players, who would be lost, and do not just name the winner."""
        one, two = (self.names[column] for column in pair)
        names = {*one, *two} - {""}
        others = ([cell for cell in self.names[column] if cell] for column in members if column not in pair)
        return any(
            2 * sum(cell in names for cell in cells) > len(cells) > 0 and not names_winner(cells, one, two)
            for cells in others
            if len(cells) == len(one)
        )

    def _doubles(self, columns: list[str]) -> list[MatchColumns]:
        """Return the ways to divide four columns into two teams, likeliest first.

        Neighbouring columns are partners, unless another division has far fewer distinct pairs of partners.
        """

        def partnerships(order: tuple[int, ...]) -> int:
            cells = [self.names[columns[index]] for index in order]
            return len({frozenset(team) for one, two in (cells[:2], cells[2:]) for team in zip(one, two, strict=True)})

        orders = [(0, 1, 2, 3), (0, 2, 1, 3), (0, 3, 1, 2)]
        usual = partnerships(orders[0])
        orders.sort(key=lambda order: partnerships(order) > LASTING * usual)
        named = [[columns[index] for index in order] for order in orders]
        return [MatchColumns((f"{one}+{two}", f"{three}+{four}")) for one, two, three, four in named]

    def results(self, sides: MatchColumns) -> list[MatchColumns]:
        """Return the likeliest choices of result columns for a pair of sides, each as complete `MatchColumns`."""
        used = {column for side in sides.sides for column in (side, *side.split("+"))}
        names = [self.names[side] for side in sides.sides if side in self.names]
        winners = [
            column
            for column in self.kinds["name"]
            if column not in used and len(names) == 2 and names_winner(self.names[column], *names)
        ]
        cells = [name for kind in ("result", "word") for name in self.kinds[kind] if not _is_timed(name)]
        cells = [name for name in cells if name not in numbered(cells)]
        known = {column: self._numbers(column) for column in self.kinds["number"] if column not in used}
        known = {column: values for column, values in known.items() if _may_be_scores(values)}
        if self._flags or any(plain_name(word) in _HANDICAP for name in known for word in header_words(name)):
            return []
        pairs = [] if any(map(tells_result, known)) else _pairs_of_scores(known)
        pairs = [pair for pair in pairs if share_unit(self.table, pair)]
        likely = [one for one in known if tells_result(one) or (may_be_score(one) and one not in numbered(known))]
        coded = [column for column in likely if set(known[column][~np.isnan(known[column])]) <= _CODES]
        results = [(column,) for column in winners + cells] + pairs[:3] + [(column,) for column in coded]
        first = [] if self._are_fixtures(sides) or known else [()]
        return [replace(sides, result=result) for result in (*results[: RESULTS - 1], *first)]

    @cached_property
    def _flags(self) -> bool:
        """Whether three columns of 0 and 1 mark a win of either side and a draw, so they are no scores."""
        flags = [values for values in map(self._numbers, self.kinds["number"]) if set(values) <= {0.0, 1.0}]
        return len(flags) == 3 and bool((np.sum(flags, axis=0) == 1).all())

    def _are_fixtures(self, sides: MatchColumns) -> bool:
        """Return whether nothing says that the first side won: all are as often first as second, or headers say so."""
        if any(plain_name(side) in _SIDE_WORDS for side in sides.sides):
            return True
        members = [column for side in sides.sides for column in side.split("+")]
        if len(members) > 2 and len({_DIGITS.sub("", plain_name(column)) for column in members}) == 1:
            return True  # P1 to P4 may be places
        first, second = (Counter(self.names.get(side, ())) for side in sides.sides)
        balanced = max((abs(first[name] - second[name]) for name in first | second), default=0) <= 1
        return balanced and first.total() > FEW

    def players(self) -> list[dict[str, str | None]]:
        """Return possible mappings from roles to columns: a row per player, and the rows of a match are adjacent."""
        mappings: dict[tuple[bytes, str, str], dict[str, str | None]] = {}
        matches = [column for kind in ("number", "time", "name") for column in self.kinds[kind][:NEAR]]
        for match in matches:
            label = np.array([cell or "" for cell in text_of(self.table, match)])
            code = np.unique(label, return_inverse=True)[1]
            blocks = 1 + np.count_nonzero(np.diff(code))
            if not 1 < blocks == code.max() + 1 <= len(code) / 2:
                continue
            for who, cells in islice(self.names.items(), 0 if self._flags else NEAR):
                if who == match or len(set(zip(code, cells, strict=True))) < len(code):
                    continue
                if match in self.names and set(self.names[match]) & set(cells):
                    continue  # these are players, too
                for role, column in self._results_of_players(code):
                    if column not in (who, match):
                        key = (code.tobytes(), who, column)
                        mappings.setdefault(key, {"match": match, "player": who, role: column})
        return sorted(mappings.values(), key=lambda roles: not {"result", "rank"} & roles.keys())[:RESULTS]

    def _results_of_players(self, code: NDArray[np.intp]) -> list[tuple[str, str]]:
        """Return the columns that may hold the results of players, each with its role; `code` numbers the matches."""
        parts = numbered(self.kinds["number"] + self.kinds["word"])
        found = [("result", column) for column in self.kinds["word"] if column not in parts]
        row = np.arange(len(code))
        row = 1 + row - np.maximum.accumulate(np.where(np.diff(code, prepend=-1) != 0, row, 0))
        scores, counted = list[str](), list[tuple[str, str]]()
        for column in self.kinds["number"][:NEAR]:
            values = self._numbers(column)
            if are_places(code, values) and (tells_result(column) or may_be_score(column)):
                (counted if (values == row).all() else found).append(("rank", column))
            elif _is_timed(column):
                found.append(("duration", column))
            elif may_be_score(column) and column not in parts and _may_be_scores(values):
                scores.append(column)
        sure = [column for column in scores if header_words(column) & SCORE_HEADERS]
        found += [("score", column) for column in sure or (scores if len(scores) <= FEW else [])]
        return found or counted

    def _numbers(self, column: str) -> Floats:
        return numbers(replace(self.table, problems=Problems(), remarks=[]), column)


def is_plausible(history: "History", table: Table, roles: Mapping[str, str | None]) -> bool:
    """Return whether a suggestion fits the file: names recur, nobody is called by a number, and the winners agree."""
    played = np.bincount(history.player, minlength=len(history.players))
    if len(history) > FEW and 2 * np.count_nonzero(played > 1) <= len(history.players):
        return False
    if len(history) >= FEW and (history.place == 1).all():  # the column of the result holds a round or another number
        return False
    columns = MatchColumns.of(roles)
    if len(history) > FEW and columns is not None and not columns.result and len(history.players) > 2:
        won = np.isin(np.arange(len(history.players)), history.player[history.place[owners(history.team_start)] == 1])
        lost = np.isin(np.arange(len(history.players)), history.player[history.place[owners(history.team_start)] > 1])
        if not (won & lost).any():  # these columns hold different things, such as races and runners
            return False
    if any(_MEASURE.fullmatch(name.casefold()) for name in history.players):
        return all(name.isdigit() for name in history.players)  # players may have numbers instead of names
    return not _contradicts_winners(table, roles)


def _contradicts_winners(table: Table, roles: Mapping[str, str | None]) -> bool:
    """Return whether another column names the winners, and the suggested scores often say otherwise."""
    columns = MatchColumns.of(roles)
    if columns is None or len(columns.result) != 2 or not set(columns.sides) <= set(table.frame.columns):
        return False
    table = replace(table, frame=table.frame.head(ROWS), remarks=[], problems=Problems(), left_out=[])
    first, second = (plain_cells(table, side) for side in columns.sides)
    lead = np.subtract(*(numbers(table, column) for column in columns.result))
    for column in table.frame.columns:
        if column in roles.values() or table.frame[column].dtype.is_nested():
            continue
        cells = plain_cells(table, column)
        if names_winner(cells, first, second):
            won = np.array([(cell == one) - (cell == two) for cell, one, two in zip(cells, first, second, strict=True)])
            if np.count_nonzero(won * lead < 0) > (1 - MOST) * len(cells):
                return True
    return False


def _split_names(cells: list[str]) -> set[str]:
    return {name for cell in set(cells) for name in (cell, *_BETWEEN_NAMES.split(cell)) if name}


def _are_rosters(table: Table, column: str) -> bool:
    cells = text_of(table, column).drop_nulls()
    return bool(len(cells)) and 2 * sum(_BETWEEN_NAMES.search(cell) is not None for cell in cells) > len(cells)


def _is_timed(column: str) -> bool:
    return any(plain_name(word) in _TIMED for word in header_words(column))


def _may_be_ids(table: Table, column: str) -> bool:
    # Player numbers are positive integers, but neither row numbers nor years.
    values = numbers(replace(table, problems=Problems(), remarks=[]), column)
    whole = not np.isnan(values).any() and bool((values == np.floor(values)).all()) and bool((values > 0).all())
    return whole and not _is_counter(values) and not _are_years(values)


def _is_counter(values: Floats) -> bool:
    return len(values) > 2 and bool((np.diff(values) == 1).all())


def _are_years(values: Floats) -> bool:
    return bool(((values >= YEARS[0]) & (values <= YEARS[1])).all())


def _may_be_scores(values: Floats) -> bool:
    rows, values = len(values), values[~np.isnan(values)]
    if 2 * len(values) <= rows or (np.abs(values) > LARGEST_SCORE).any() or (rows > FEW and np.ptp(values) == 0):
        return False
    return not _is_counter(values) and not (_are_years(values) and len(values) > 2)


def _pairs_of_scores(scores: Mapping[str, Floats]) -> list[tuple[str, str]]:
    """Return pairs of score columns, likeliest first.

    Pairs whose names differ only in a number come first, then pairs whose sum is in another column, then pairs with
    similar maxima and means.
    """
    plain = {column: _DIGITS.sub("", plain_name(column)) for column in scores}
    number = Counter(plain.values())
    sides = Counter((name[:-1], many) for name, many in number.items() if many > 1)  # S1A and S2A beside S1B and S2B
    periods = {name for name, many in number.items() if many > (2 if name else 3) or sides[name[:-1], many] > 1}
    scores = {
        column: values
        for column, values in scores.items()
        if plain[column] not in periods and not (_DIFFERENCE.search(plain[column]) or np.nanmin(values) < 0)
    }
    size = {column: np.log1p(np.abs([np.nanmax(values), np.nanmean(values)])) for column, values in scores.items()}
    sums = {_comparable(values) for values in scores.values()}

    def order(pair: tuple[str, str]) -> tuple[bool, bool, float, float]:
        first, second = pair
        total = _comparable(scores[first] + scores[second]) in sums
        most, mean = np.abs(size[first] - size[second])
        return not are_alike(first, second), not total, float(most), float(mean)

    return sorted(near_pairs(list(scores)), key=order)


def _comparable(values: Floats) -> bytes:
    return (np.nan_to_num(values, nan=np.inf) + 0.0).tobytes()  # adding zero removes the sign of -0.0
