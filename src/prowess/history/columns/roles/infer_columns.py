"""Check column roles by the contents of the columns, and infer roles if no column name is familiar."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import compress
from operator import eq
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ....errors import Error, Option
from ...cells.dates.columns import read_times
from ...cells.numbers import numbers, numbers_together
from ...cells.places import ranks, seconds, word_masks
from ...cells.results import pair_results, word_results
from ...cells.score_grammar import PLAYED, WRONG
from ...cells.text import intern, text_of
from ...cells.words import DRAWS, MISSING, YES_NO
from ...names.spelling import plain_name, plain_spelling
from ...ragged import Floats
from ...read_context import Problems, Table
from ...read_options import Choices
from ..shapes.grids import Kinds, read_cross_table, read_grid, read_player_columns
from ..shapes.player_sheets import read_player_sheet, read_time_list
from ..shapes.season_grid import read_season_grid
from ..teammates import read_partners
from ..wide import read_result_column
from .aliases import EVENTS, HOME_AWAY, LONG, OPPONENT, PARTS, PLAYERS_OF_SIDES, ROUND
from .headers import SIDE, is_side_result, plain_role, set_columns, tells_result
from .layout import Layout
from .scored_sides import scored_sides, share_unit

if TYPE_CHECKING:
    import polars as pl

COLUMNS = 500  # a table with more columns was not made by hand, and inferring its roles would take long
FEW_ROWS = 200  # rows that tell whether a column holds wins
SAMPLE = 1000  # number of rows sampled
MOST = 0.9  # fraction of the cells or matches that must agree to decide what a column holds
BLANK = 0.2  # a team column with more empty cells holds clubs, which not everybody has
SHARED = 0.2  # minimum fraction of the names that both sides must share
LEAST = 2  # minimum number of names that both sides must share
NEAR = 24  # columns of a pair are at most this far apart, because comparing all pairs of many columns takes long
FEW = 8  # with fewer matches, the sides may share no names
_NO_CHOICES = Choices()
_TIME = frozenset(("time", "zeit", "tiempo", "temps", "tempo", "время"))

_TIME_WORDS = ("start", "date", "time", "day", "played", "datum", "zeit")
# Headings of the opponent's score.
_LOST = ("lost", "against", "conceded", "allowed", "verloren", "gegentore", "perdu", "perdid", "contra", "subit")
# Headings of dates that belong to a player, not to a match.
_ROUNDS = frozenset(f"{PARTS[2]} {ROUND}".split())
_BIRTH = ("birth", "born", "dob", "geb", "naissance", "nacimiento")


def _sample(table: Table) -> Table:
    return replace(table, frame=table.frame.head(SAMPLE), remarks=[], problems=Problems(), left_out=[])


def infer_roles(table: Table, kinds: Kinds | None = None) -> tuple[Table, dict[str, str]] | None:
    """Infer column roles from the contents of the columns.

    Return the table to read and its roles; None if no roles fit.

    Two columns of names are sides, two columns of numbers are their scores, and a cell such as 3-1 or W is a result. A
    file in which every column except the day holds numbers has a column per player.
    """
    if len(table.frame.columns) > COLUMNS:
        return None
    sample, kinds = _sample(table), kinds or column_kinds(table)
    readers = (read_grid, read_season_grid, read_partners, read_player_sheet, read_time_list)
    if (grid := next(filter(None, (read(table, kinds) for read in readers)), None)) is not None:
        return grid
    roles = scored_sides(sample, kinds) or _infer_sides(sample, kinds)
    if roles is None:
        return read_player_columns(table, kinds)
    if kinds["time"]:
        roles["time"] = kinds["time"][0]
    text = "no familiar column names, so I guessed from the contents: "
    table.note("inferred-columns", text, Option("columns", dict(roles)))
    return table, roles


def infer_races(table: Table, layout: Layout) -> tuple[Table, dict[str, str]] | None:
    """Return a table of several matches, and its roles, if a table of one match is a season or a cross table.

    Return None for all other tables.
    """
    if layout.sides or "match" in layout.roles or layout.mapped or not len(table.frame):
        return None
    with suppress(Error):  # a column of another type
        return read_cross_table(table) or read_season_grid(table, column_kinds(table))
    return None


def column_kinds(table: Table) -> Kinds:
    """Group the columns by the kind of their cells: times, results such as 3-1, words such as W, numbers, or names.

    >>> import polars as pl
    >>> column_kinds(Table(pl.DataFrame({"a": ["Ann"], "b": ["3-1"]}), "the frame"))
    {'time': [], 'result': ['b'], 'word': [], 'number': [], 'name': ['a']}
    """
    kinds: Kinds = {kind: [] for kind in ("time", "result", "word", "number", "name")}
    sample = _sample(table)
    for column in sample.frame.columns:
        if (kind := _kind(sample, column)) is not None:
            kinds[kind].append(column)
    return kinds


def _kind(sample: Table, column: str) -> str | None:
    if sample.frame[column].dtype.is_nested():
        return None
    text = text_of(sample, column).drop_nulls()
    enough = MOST * len(text)
    if not len(text):
        return None

    def table(cells: "pl.Series") -> Table:
        return Table(cells.to_frame(column), sample.title, choices=_NO_CHOICES)

    # If all of the first cells are unreadable, more cells are than may be; most columns need no further reading.
    first = text.head(int((1 - MOST) * len(text)) + 1)
    digits = text.str.contains(r"\p{N}")
    if digits.head(len(first)).any() and np.count_nonzero(~np.isnan(numbers(table(text), column))) >= enough:
        return "number"
    months = text.str.contains(r"^(?:19|20)\d\d-(?:0[1-9]|1[0-2])$").all()
    for kind, read in () if months else (("result", pair_results), ("word", word_results)):
        if len(first) < len(text) and (read(table(first), column).state == WRONG).all():
            continue
        state = read(table(text), column).state
        if np.count_nonzero(state != WRONG) >= enough and 2 * np.count_nonzero(state == PLAYED) >= enough:
            return kind
    alone = table(text)
    with suppress(Error):  # none of its cells holds a time
        times = read_times(alone, column) if digits.any() else None
        if times is not None and times.kind != "number" and len(text) - len(alone.problems.rows()) >= enough:
            return "time"
    return "name" if text.str.contains(r"\p{L}").sum() >= enough else None


def are_times(table: Table, column: str) -> bool:
    """Return whether nearly all filled cells of a column are dates or timestamps."""
    return _kind(_sample(table), column) == "time"


def _infer_sides(sample: Table, kinds: Kinds) -> dict[str, str] | None:
    """Return the roles of two columns with opponents and of the columns with the result; None if these are unclear."""
    names = [column for column in kinds["name"] if plain_name(column) not in _ROUNDS]
    texts = {column: plain_cells(sample, column) for column in names}
    cells = {column: set(text) - {""} for column, text in texts.items()}
    few = len(sample.frame) < FEW
    lists = {column for column in names if np.mean([text.startswith(("[", "{")) for text in texts[column]]) > 0.5}
    meeting = [two for two in near_pairs(names) if len(lists & {*two}) != 1 and may_meet(texts[two[0]], texts[two[1]])]
    shared = {(first, second): len(cells[first] & cells[second]) for first, second in meeting}
    pairs = [
        (first, second)
        for first, second in meeting
        if shared[first, second] >= max(SHARED * min(len(cells[first]), len(cells[second])), LEAST)
        or (few and (shared[first, second] or len(names) == 2))
    ]
    sure = [column for column in names if SIDE.fullmatch(plain_name(column))]
    if len(sure) == 2:
        pairs = [(sure[0], sure[1])]
    if not pairs:
        return None
    first, second = max(pairs, key=lambda pair: shared.get(pair, 0))
    opponents = [plain_name(column) in OPPONENT.split() for column in (first, second)]
    if any(opponents) and not shared.get((first, second), 0):
        return None  # the file lists the opponents of one team, which no column names
    if opponents == [True, False]:  # the results are those of the other column
        first, second = second, first
    sides, scores = {"player1": first, "player2": second}, ("score1", "score2")
    venues = [
        next((side for side in ("home", "away") if plain_name(column) in HOME_AWAY[side].split()), "")
        for column in (first, second)
    ]
    if set(venues) == {"home", "away"}:
        sides, scores = dict(zip(venues, (first, second), strict=True)), (f"{venues[0]}_score", f"{venues[1]}_score")
    others = [column for column in names if column not in (first, second)]
    winners = [
        column
        for column in others
        if texts[column] not in (texts[first], texts[second])
        and names_winner(texts[column], texts[first], texts[second])
    ]
    if len(winners) == 1:
        return sides | {"winner": winners[0]}
    least = 1 if few else LEAST
    if any(len(cells[column] & (cells[first] | cells[second])) >= least for column in others):
        return None  # another column names players, too, perhaps partners
    if len(names) == 2 and len(results := kinds["result"] + kinds["word"]) == 1:
        damaged = results[0] in kinds["word"] and kinds["number"] and _begins_with_digits(sample, results[0])
        # If other columns are numbers, the result column is probably a damaged column of numbers.
        return None if damaged else sides | {"winner": results[0]}
    columns = sample.frame.columns
    # number columns before the first name column hold row numbers, rounds or years
    after = [column for column in kinds["number"] if columns.index(column) > columns.index(first)]
    if (
        len(after) == 2
        and share_unit(sample, after)
        and not any(map(tells_result, {*columns} - {first, second, *after}))
    ):
        if [any(word in plain_name(column) for word in _LOST) for column in after] == [True, False]:
            after.reverse()
        return sides | dict(zip(scores, after, strict=True))
    # In a file without a header, the winner is usually in the first column.
    nameless = first.isdigit() and second.isdigit()
    nothing_else = len(kinds["time"]) + len(names) == sum(column.count() > 0 for column in sample.frame.iter_columns())
    return {"winner": first, "loser": second} if nameless and len(names) == 2 and nothing_else else None


def _begins_with_digits(sample: Table, column: str) -> bool:
    cells = text_of(sample, column).drop_nulls()
    return bool(2 * cells.str.contains(r"^\d").sum() > len(cells))


def plain_cells(table: Table, column: str) -> list[str]:
    """Return the cells of a column in plain spelling; an empty cell is an empty text."""
    code, different = intern(text_of(table, column).fill_null(""))
    plain = [plain_spelling(cell) for cell in different]
    return [plain[number] for number in code.tolist()]


def near_pairs(columns: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of columns that may belong together: of many columns, only those that are near each other.

    >>> list(near_pairs(["a", "b", "c"])), len(list(near_pairs("x" * 1000)))
    ([('a', 'b'), ('a', 'c'), ('b', 'c')], 23700)
    """
    for number, first in enumerate(columns, 1):
        yield from ((first, second) for second in columns[number : number + NEAR])


def may_meet(first: list[str], second: list[str]) -> bool:
    """Return whether two columns may hold opponents: almost no row has the same name in both."""
    most = (1 - MOST) * len(first)
    if sum(map(eq, first, second)) <= most:  # the usual case, and much faster
        return True
    return sum(one == two != "" for one, two in zip(first, second, strict=True)) <= most


def names_winner(cells: list[str], first: list[str], second: list[str]) -> bool:
    """Return whether nearly every cell is one of the names in its row, or a word for a draw.

    >>> names_winner(["ann", "draw", ""], ["ann", "bob", "cat"], ["bob", "cat", "ann"])
    True
    """
    if not any(cell and cell in (one, two) for cell, one, two in zip(cells, first, second, strict=True)):
        return False
    filled = [(cell, names) for cell, *names in zip(cells, first, second, strict=True) if cell]
    return bool(np.mean([cell in names or cell in DRAWS for cell, names in filled]) >= MOST)


def unfit_columns(table: Table) -> dict[str, set[str]]:
    """Return, for each role, the columns whose contents rule it out in a file with a row per player.

    For example, 38:12 is a duration and not a time, "goalkeeper" is not a place, a club column with empty cells does
    not hold teams, and a result must be a win or a loss.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"race": ["a", "a"], "position": ["left", "right"], "time": ["38:12", "41:05"]})
    >>> unfit_columns(Table(frame, "races"))
    {'rank': {'position'}, 'moment': {'time'}}
    """
    unfit: dict[str, set[str]] = {}
    names = {column: plain_name(column) for column in table.frame.columns if not table.frame[column].dtype.is_nested()}
    checks: dict[str, Callable[[Table, str], bool]]
    checks = {"rank": _holds_places, "result": _holds_wins, "team": _is_filled, "player": _has_cells}
    for role, fits in checks.items():
        for column, name in names.items():
            if name in LONG[role].split() and not fits(_sample(table), column):
                unfit.setdefault(role, set()).add(column)
                if role == "rank":
                    _note_names_for_places(table, column)
                elif role == "team" and name.startswith("team"):  # not everybody has a club, but every team has a name
                    text = f"column {column!r} is not used for the teams, because some of its cells are empty"
                    table.note("unfilled-teams", text, column=column)
    ranks_of_sides = [
        column for column, name in names.items() if plain_role(name).startswith("rank") and is_side_result(name)
    ]
    for column in ranks_of_sides:
        if len(ranks_of_sides) > 1 and not _are_places_of_sides(_sample(table), column, len(ranks_of_sides)):
            unfit.setdefault(plain_role(names[column]), set()).add(column)
    for number, column in enumerate(table.frame.columns, 1):
        if column == str(number) and _kind(_sample(table), column) != "name":
            unfit.setdefault("member", set()).add(column)
    for role, clubs in _clubs_of_players(table, names).items():
        unfit.setdefault(role, set()).update(clubs)
    if sides := _unfit_sides(_sample(table), names):
        unfit["side"] = sides
    matches = [column for name in LONG["match"].split() for column in names if names[column] == name]
    if _players_recur(_sample(table), matches, names):
        unfit["match"] = {matches.pop(0)}
    match = next(iter(matches), None)
    for column in (column for column, name in names.items() if name in _TIME):
        role = "moment" if _holds_durations(_sample(table), column, match) else "duration"
        unfit.setdefault(role, set()).add(column)
    return unfit


def _players_recur(sample: Table, matches: Sequence[str], names: Mapping[str, str]) -> bool:
    """Return whether players recur within the first column of matches, but not within the matches of another column."""
    player = next((column for name in LONG["player"].split() for column in names if names[column] == name), None)
    if player is None or len(matches) < 2 or names[matches[0]] in EVENTS.split():
        return False
    once = [not sample.frame.select(match, player).is_duplicated().any() for match in matches]
    return not once[0] and any(sample.frame[match].is_duplicated().all() for match in compress(matches, once))


def _clubs_of_players(table: Table, names: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the columns of clubs that meet on several boards, in rows that also name both players, by role."""
    sides = {
        role: [column for alias in HOME_AWAY[role].split() for column, name in names.items() if name == alias]
        for role in ("home", "away")
    }
    players = [next((one for one in found if names[one] in PLAYERS_OF_SIDES.split()), None) for found in sides.values()]
    clubs = {role: [one for one in sides[role] if one != who] for role, who in zip(sides, players, strict=True)}
    if players == [None, None] or not all(clubs.values()) or {"home", "away"} & (table.choices.columns or {}).keys():
        return {}
    pairs = table.frame.head(SAMPLE).select(clubs["home"][0], clubs["away"][0])
    if 2 * pairs.n_unique() > len(pairs):
        return {}
    if None in players:
        one = players[0] or players[1]
        text = f"rated are the clubs, because column {one!r} has the players of only one side"
        table.note("uneven-sides", text, column=one)
        return {}
    both = {role: found[0] for role, found in clubs.items()}
    text = f"rated are the players in {players[0]!r} and {players[1]!r}, not their clubs; use "
    table.note("players-of-clubs", text, Option("columns", both), " to rate the clubs", column=players[0])
    return clubs


def _unfit_sides(sample: Table, names: dict[str, str]) -> set[str]:
    """Return columns such as "players1" and "players2" whose cells are often equal or empty: they are no opponents.

    This is checked only if there are also other columns of sides, such as "team1" and "team2".
    """
    stems: dict[str, list[str]] = {}
    for column, name in names.items():
        if side := SIDE.fullmatch(name):
            stems.setdefault(f"{side['stem']} {side['tail']}", []).append(column)
    pairs = [columns for columns in stems.values() if len(columns) == 2]
    unfit: set[str] = set()
    for columns in pairs if len(pairs) > 1 else ():
        first, second = (text_of(sample, column).fill_null("").to_list() for column in columns)
        if not may_meet(first, second) or (first + second).count("") > 2 * BLANK * len(first):
            unfit.update(columns)
    return unfit


def join_sets(table: Table) -> Table:
    """If each set of a match has a column, add a column that joins the sets, such as "11:7 9:11 11:5".

    >>> import polars as pl
    >>> frame = pl.DataFrame({"Satz 1": ["11:7"], "Satz 2": ["9:11"]})
    >>> join_sets(Table(frame, "the frame")).frame["Satz 1+Satz 2"].to_list()
    ['11:7 9:11']
    """
    import polars as pl

    sets = set_columns(table.frame.columns)
    if not sets or set(sets) & set((table.choices.columns or {}).values()):
        return table
    sample = _sample(table)

    def are_results() -> bool | None:
        kinds = [_kind(sample, column) for column in sets]  # the last set may be empty, because no match needed it
        return ("result" in kinds and set(kinds) <= {"result", None}) or None

    if not table.decide("whether columns hold sets", are_results):
        return table
    cells = [text_of(table, column) for column in sets]
    cells = [text.set(text.str.to_lowercase().is_in(list(MISSING)).fill_null(False), None) for text in cells]
    joined = pl.concat_str(cells, separator=" ", ignore_nulls=True)
    return replace(table, frame=table.frame.with_columns(pl.select(joined).to_series().alias("+".join(sets))))


def add_time(table: Table, layout: Layout) -> Layout:
    """Return the layout with a time column.

    If the layout has no time column, the column whose cells are times is added.
    """
    if "time" in layout.roles or "time" in (table.choices.columns or {}):
        return layout
    sides = {column for side in layout.sides for column in (side.column, *side.more, side.score, side.rank)}
    used = {*layout.roles.values(), *sides}
    sample = _sample(table)
    columns = [column for column in table.frame.columns if column not in used and _may_be_time(sample, column)]
    if not columns:
        return layout
    column = max(columns, key=lambda name: any(word in plain_name(name) for word in _TIME_WORDS))
    text = f"{column!r} is read as the time of a match, because nearly all of its cells are times; use "
    table.note("inferred-time", text, Option("columns", {"time": None}), " to ignore it", column=column)
    return layout.with_roles(time=column)


def _may_be_time(sample: Table, column: str) -> bool:
    if any(word in plain_name(column) for word in _BIRTH):
        return False
    import polars as pl

    cells = sample.frame[column]
    if cells.dtype != pl.String or not cells.cast(pl.Int64, strict=False).has_nulls():  # only whole numbers
        return cells.dtype.is_temporal()
    return _kind(sample, column) == "time"


def _holds_places(sample: Table, column: str) -> bool:
    places, filled = ranks(sample, column), sample.frame[column].count()
    only_missing = np.isnan(places.rank).all() and not (places.unplaced | places.absent).any()
    missing = bool(only_missing) and text_of(sample, column).count() > 0  # such as #N/A
    return 2 * len(sample.problems) <= filled and not missing


def _note_names_for_places(table: Table, column: str) -> None:
    # Names are distinct, unlike words such as "goalkeeper".
    cells = text_of(_sample(table), column).drop_nulls()
    if len(cells) > 2 and cells.n_unique() == len(cells) and cells.str.contains(r"\p{L}").all():
        text = f"column {column!r} is not used, because it holds texts such as {cells[0]!r} instead of places"
        table.note("names-for-places", text, column=column)


def _are_places_of_sides(sample: Table, column: str, sides: int) -> bool:
    """Return whether a column may hold the places of one of several sides, and not places in a world ranking."""
    rank = ranks(sample, column).rank
    return bool(2 * np.count_nonzero(rank > sides) <= np.count_nonzero(~np.isnan(rank)))


def _holds_wins(sample: Table, column: str) -> bool:
    few = replace(sample, frame=sample.frame.head(FEW_ROWS))
    played = word_results(few, column, YES_NO).state == PLAYED
    return bool(2 * np.count_nonzero(played) > text_of(few, column).count())


def _has_cells(sample: Table, column: str) -> bool:
    return sample.frame[column].count() > 0


def _is_filled(sample: Table, column: str) -> bool:
    """Return whether nearly all cells of a team column are filled, ignoring rows that end before this column."""
    import polars as pl

    columns = sample.frame.columns
    right = [other for other in columns[columns.index(column) + 1 :] if not sample.frame[other].dtype.is_nested()]
    after = [text_of(sample, other).is_not_null() for other in right]
    text = text_of(sample, column)
    if after:
        text = text.filter(text.is_not_null() | pl.DataFrame(after).select(pl.any_horizontal(pl.all())).to_series())
    return text.null_count() <= BLANK * len(text)


def _holds_durations(sample: Table, column: str, match: str | None) -> bool:
    """Return whether a column holds durations: texts such as 38:12, or numbers that differ in nearly every match."""
    import polars as pl

    if sample.frame[column].dtype != pl.String:
        return False
    text = text_of(sample, column)
    cells = text.drop_nulls()
    taken = np.array([seconds(cell) for cell in cells], np.float64)
    unplaced, absent = word_masks(sample, column)
    read = np.count_nonzero(~np.isnan(taken)) + np.count_nonzero(unplaced | absent)
    if not len(cells) or 2 * read < len(cells):
        return False
    if cells.str.contains(r":|\d\s*(?:h|min|m|s)\b").any():
        return True
    if match is None:
        return False
    frame = pl.DataFrame({"match": sample.frame[match].cast(pl.String), "value": text}).drop_nulls()
    counts = frame.group_by("match").agg(pl.len().alias("rows"), pl.col("value").n_unique().alias("different"))
    several = counts.filter(pl.col("rows") > 1)
    return bool(len(several)) and bool((several["different"] > 1).mean() > 1 - BLANK)  # type: ignore[operator]


def reconcile_results(table: Table, layout: Layout) -> Layout:
    """Return the layout with result columns that agree with each other.

    Score or rank columns that contradict the winner column are dropped, because they hold something else, such as
    places in a world ranking. If a column of cells such as 2-1 agrees with the winner column, its scores are used.
    """
    mapped = layout.mapped & {"winner", "score", *(role for role in layout.roles if role.startswith(("score", "rank")))}
    if not layout.also or len(layout.sides) != 2 or mapped or not len(table.frame):
        return layout
    if "winner" not in layout.roles:
        layout = _prefer_winner(table, layout)
    if "winner" in layout.roles:
        for column in layout.also:
            if column != layout.roles["winner"] and _scores_agree(table, layout, column):
                return layout.with_roles(score=column)
    return layout


def _prefer_winner(table: Table, layout: Layout) -> Layout:
    # Scores and ranks that contradict the winner column hold something else, such as places in a world ranking.
    sample = _sample(table)
    if layout.scores:
        first, second = numbers_together(sample, layout.scores)
    else:
        second, first = (ranks(sample, column).rank for column in layout.ranks)
    order = np.sign(first - second)
    for column in layout.also:
        sign = _winner_sign(table, layout.with_roles(winner=column))
        both = ~np.isnan(sign) & ~np.isnan(order)
        known = int(np.count_nonzero(~np.isnan(order)))
        # One cell may be a typo, which must not decide about all matches of a small file.
        if np.count_nonzero(both) < min(MOST * max(1, known), max(known - 1, 2)):
            continue
        results = [name for side in layout.sides for name in (side.score, side.rank) if name is not None]
        against = np.flatnonzero(both & (sign * order < 0))
        if (sign[both] == order[both]).mean() >= MOST or (
            len(against) == 1 and np.count_nonzero(sign[both] != order[both]) == 1 and both.sum() > 3
        ):
            _note_contradictions(table, against, results, column)
            return layout
        text = f"{' and '.join(results)} contradict the winners in {column!r}, so they are not used"
        table.note("contradicting-results", text, column=column)
        sides = tuple(replace(side, score=None, rank=None) for side in layout.sides)
        roles = {role: used for role, used in layout.roles.items() if used not in results}
        return replace(layout, roles={**roles, "winner": column}, sides=sides)
    return layout


def _note_contradictions(table: Table, rows: NDArray[np.intp], results: list[str], column: str) -> None:
    if len(rows):
        row, names = int(rows[0]), " and ".join(results)
        more = f" ({len(rows):,} rows)" if len(rows) > 1 else ""
        text = (
            f"{table.row_name(row)}: {names} contradict the winner in {column!r}; the match is rated by {names}{more}"
        )
        table.note("contradicting-results", text, column=column, number=len(rows), row=row)


def _winner_sign(table: Table, layout: Layout) -> Floats:
    """Return, for each row, 1 if the first side won, −1 if the second won, 0 for a draw, and NaN if unknown."""
    rank = read_result_column(_sample(table), layout).rank
    assert rank is not None
    return np.sign(rank[:, 1] - rank[:, 0])


def _scores_agree(table: Table, layout: Layout, column: str) -> bool:
    sign = _winner_sign(table, layout)
    scores = pair_results(_sample(table), column, decided=True)
    both = (scores.state == PLAYED) & ~np.isnan(sign)
    decided = both & (scores.sign != 0)  # a drawn score may have a winner after a shoot-out
    known = np.count_nonzero(~np.isnan(sign))
    # One cell may be a typo, which must not drop the scores of all matches in a small file.
    if not scores.scored or not decided.any() or both.sum() < min(MOST * known, max(known - 1, 2)):
        return False
    against = np.count_nonzero((scores.sign != sign) & decided)
    return bool(against <= max((1 - MOST) * decided.sum(), min(1, decided.sum() - 2)))
