"""Read grids: cross tables, Swiss tables, series of races, and tables with a column per player.

Each grid is converted to a table with a row per match or a row per player, which is then read like any other table.
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from ....errors import Error, Option
from ...cells.numbers import numbers
from ...cells.places import are_durations
from ...cells.score_grammar import PLAYED, pair_cell
from ...cells.text import plain_text, text_of
from ...names.spelling import plain_name
from ...ragged import Floats
from ...read_context import Problems, Table, list_names
from ..direction import is_to_par, lowest_wins
from ..roles.aliases import COMMON, COURSE, GAME_NUMBER, GROSS, HANDICAP, LONG, MATCH_NUMBERS, NET, PARTS, ROUND
from ..roles.headers import RACE, bare_names, header_words, may_be_score
from .play_logs import read_play_log
from .summary_rows import WORDS, summary_columns

Kinds = dict[str, list[str]]  # columns by the kind of cell that they hold: "time", "result", "word", "number" or "name"
Grid = tuple[Table, dict[str, str]]  # a table with a row per match or player, and its roles

_DAYS = frozenset(COMMON["time"].split())
MOST = 0.9  # fraction of the columns or cells that must agree to decide what a table is
LEAST = 3  # minimum number of players in a cross table
MANY_ROWS = 6  # so many numbers of rows are no coincidence
FACTOR = 10  # the typical scores of two players differ less than this
_NUMBER = frozenset(("no", "nr", "snr", "sno", "startno", "rk", "rank", "pos", "place", "platz", "rang", "number", ""))
_NOBODY = frozenset(
    ("", "*", "x", "xx", "xxx", "-", "--", "–", "—", "\\", "■", "#", "bye", "free", "freilos", "spielfrei")
)
_POINTS = {"1": 1.0, "0": 0.0, "0.5": 0.5, "1/2": 0.5, "=": 0.5, "+": 1.0, "½": 0.5, "w": 1.0, "l": 0.0, "d": 0.5}
# A game of a Swiss tournament: the opponent's number, the colour and the points, as in 12w1, W12 or +12.
_GAME = re.compile(
    r"(?P<number>\d{1,3}) ?(?P<colour>[wbs]) ?(?P<points>1/2|[10=+-])|(?P<word>[wldrb+=-]) ?(?P<other>\d{1,3})"
)
_score = lru_cache(4096)(pair_cell)  # a cross table of many players has few distinct cells
_BYES = frozenset(("", "+", "0", "1", "1/2", "-1/2", "- 1/2"))  # points without an opponent
_SIGNS = {"w": 1.0, "+": 1.0, "1": 1.0, "l": 0.0, "-": 0.0, "0": 0.0, "d": 0.5, "r": 0.5, "=": 0.5, "1/2": 0.5}


def read_grid(table: Table, kinds: Kinds) -> Grid | None:
    """Convert a play log, a cross table, a Swiss table or a series of races to a readable table, and its roles.

    Return None if the table is of another kind.
    """
    if (log := read_play_log(table, next(iter(kinds["time"]), None))) is not None:
        return log
    return read_cross_table(table) or _swiss_table(table, kinds) or _race_columns(table, kinds)


def player_name_column(table: Table, kinds: Kinds) -> str | None:
    """Return the column with the names of the players: it has a known heading, or is the first with distinct names."""
    columns = table.frame.columns
    known = [column for column in columns if plain_name(column) in f"{LONG['player']} {LONG['team']}".split()]
    names = known or [column for column in kinds["name"] if text_of(table, column).drop_nulls().is_unique().all()]
    return names[0] if names else None


def read_cross_table(table: Table) -> Grid | None:
    """Read a table with a row and a column for each player; a cell is the result of the row's player.

    Each pair of players has two cells. If the two cells agree for most pairs, a pair is one match. If many disagree,
    every cell is a separate match, with the row's player at home. Return None if the table is of another kind.
    """
    import polars as pl

    columns = table.frame.columns
    for who in columns[:4]:
        if table.frame[who].dtype.is_nested():
            continue
        names = text_of(table, who).to_list()
        place = {plain_text(name): row for row, name in enumerate(names) if name}
        matched = ((column, _opponent(column, place, len(names))) for column in columns if column != who)
        opponents = {column: row for column, row in matched if row is not None}
        if any(name.isdigit() for name in place):
            continue  # this column holds the numbers of the players, not their names
        if len(place) == len(names) >= LEAST and len(set(opponents.values())) >= max(LEAST, MOST * len(names)):
            break
    else:
        return None
    cells = {
        (row, other): _cell(text)
        for column, other in opponents.items()
        for row, text in enumerate(text_of(table, column))
        if row != other
    }
    scores = {key: _score(cell) for key, cell in cells.items() if cell}
    if not scores:
        return None
    points = all(cell in _POINTS for cell in cells.values() if cell)
    if not points and np.mean([score.state == PLAYED for score in scores.values()]) < MOST:
        return None
    games = _point_games(cells) if points else _score_games(cells)
    homes = sum(game.row > game.other for game in games) > 0
    table.note("cross-table", f"a cross table: the players in column {who!r} also have a column each", column=who)
    if homes and not points:
        text = "the two cells of a pair of players are two matches; the player in the row was at home"
        table.note("cross-table-home", text)
    roles = ("home", "away") if homes and not points else ("player1", "player2")
    frame = pl.DataFrame(
        {
            roles[0]: [names[game.row] for game in games],
            roles[1]: [names[game.other] for game in games],
            "result": [game.result for game in games],
        },
        schema=dict.fromkeys((*roles, "result"), pl.String),
    )
    return with_rows(table, frame, [game.row for game in games]), {role: role for role in roles} | {"winner": "result"}


@dataclass(frozen=True)
class _Game:
    row: int
    other: int
    result: str


def _opponent(column: str, place: dict[str, int], players: int) -> int | None:
    title = plain_text(column)
    if title in place:
        return place[title]
    number = title.removesuffix(".")
    return int(number) - 1 if number.isdigit() and 0 < int(number) <= players else None


def _cell(text: str | None) -> str:
    plain = plain_text(text or "").casefold()
    return "" if plain in _NOBODY else plain


def _point_games(cells: dict[tuple[int, int], str]) -> list[_Game]:
    # If a cell is empty, the result follows from the other player's cell.
    games = []
    for row, other in sorted(cells):
        own, theirs = cells[row, other], cells.get((other, row), "")
        if row < other and (own or theirs):
            first = _POINTS[own] if own else 1 - _POINTS[theirs]
            second = _POINTS[theirs] if theirs else 1 - first
            games.append(_Game(row, other, f"{first:g}-{second:g}"))
    return games


def _score_games(cells: dict[tuple[int, int], str]) -> list[_Game]:
    # If most pairs of cells mirror each other, a pair is one match; otherwise, each cell is a match.
    both = [(key, cells[key], cells.get(key[::-1], "")) for key in sorted(cells) if cells[key]]
    paired = [(own, theirs) for _, own, theirs in both if theirs]
    mirrored = not paired or np.mean([_is_mirrored(*pair) for pair in paired]) >= MOST
    return [_Game(*key, own) for key, own, theirs in both if not mirrored or key[0] < key[1] or not theirs]


def _is_mirrored(own: str, theirs: str) -> bool:
    first, second = _score(own), _score(theirs)
    return (first.first, first.second) == (second.second, second.first)


def _swiss_table(table: Table, kinds: Kinds) -> Grid | None:
    """Read a table with a row for each player and a column for each round, in which cells name the opponent.

    Return None if the table is of another kind.
    """
    import polars as pl

    who = player_name_column(table, kinds)
    if who is None:
        return None
    rounds = []
    for column in table.frame.columns:
        if column == who or table.frame[column].dtype.is_nested():
            continue
        cells = [_cell(text) for text in text_of(table, column)]
        played = [_GAME.fullmatch(cell) for cell in cells if cell not in _BYES]
        if played and np.mean([game is not None for game in played]) >= MOST:
            rounds.append((column, cells))
    names = text_of(table, who).to_list()
    if not rounds or len(names) < LEAST:
        return None
    row_of = _row_numbers(table, who, len(names))
    known = [game for _, cells in rounds for game in map(_GAME.fullmatch, cells) if game is not None]
    if kinds["time"] and all(game["word"] in ("+", "-") for game in known):
        return None  # a sheet with a row per day, and scores such as +3
    coloured = any(game["number"] for game in known)  # if cells name colours, -1 and -0 are byes, not lost games
    # If other cells have points, as in 12w1, then 12w+ was won without a game.
    forfeits = any(game["points"] in ("1", "0") for game in known)
    games: list[tuple[str, str | None, str | None, str]] = []  # the round, both players, and the result
    rows: list[int] = []
    contradictions: dict[int, str] = {}
    answered = played_cells = 0
    for column, cells in rounds:
        for row, cell in enumerate(cells):
            if (game := _game(cell, coloured)) is None:
                continue
            other, points = row_of.get(game[0]), game[1]
            back = _game(cells[other], coloured) if other is not None else None
            theirs = back[1] if back is not None and row_of.get(back[0]) == row else None
            played_cells, answered = played_cells + 1, answered + (theirs is not None)
            if theirs is not None and other is not None and other < row:
                continue  # the opponent's row has already given this game
            if theirs is not None and theirs != 1 - points:
                contradictions[len(games)] = f"the row of {names[other or 0]} has a different result for this game"
            result = f"{points:g}-{1 - points:g}"
            if coloured and forfeits and cell[-1] in "+-":
                result = "+:-" if points else "-:+"
            games.append((column, names[row], None if other in (None, row) else names[other], result))
            rows.append(row)
    if 2 * answered < played_cells:
        return None  # players do not name each other, so -17 may be a score, and W 3 a streak
    read = {who, *(column for column, _ in rounds)}
    if unread := [name for name in table.frame.columns if RACE.fullmatch(plain_name(name)) and name not in read]:
        text = f"too few cells of {list_names(unread)} name an opponent, so these rounds are not read"
        table.note("unread-rounds", text, number=len(unread))
    table.note(
        "swiss-table", f"a Swiss table: column {who!r} has the players, and {len(rounds)} columns name their opponents"
    )
    columns = ("round", "player1", "player2", "result")
    frame = pl.DataFrame(games, schema=dict.fromkeys(columns, pl.String), orient="row")
    values = with_rows(table, frame, rows)
    values.reject(list(contradictions), "result", list(contradictions.values()).__getitem__)
    return values, {"player1": "player1", "player2": "player2", "winner": "result"}


def _row_numbers(table: Table, who: str, players: int) -> dict[int, int]:
    # The players' numbers are in a column before the name; in a table without this column, rows are numbered from 1.
    columns = table.frame.columns
    for column in columns[: columns.index(who)]:
        if plain_name(column) in _NUMBER or column.isdigit():
            values = [plain_text(cell or "").removesuffix(".") for cell in text_of(table, column)]
            if all(map(str.isdigit, values)) and len(set(values)) == players:
                return {int(value): row for row, value in enumerate(values)}
    return {row + 1: row for row in range(players)}


def _game(cell: str, coloured: bool) -> tuple[int, float] | None:
    """Return the opponent's number and the points in a cell; None for a bye.

    If `coloured`, a cell without a colour is a bye.
    """
    game = _GAME.fullmatch(cell)
    return (
        None
        if game is None or (coloured and not game["number"])
        else (int(game["number"] or game["other"]), _SIGNS[game["points"] or game["word"]])
    )


def _race_columns(table: Table, kinds: Kinds) -> Grid | None:
    """Read a series: a row for each player, and a column for each race with places or points.

    Return None if the table is of another kind.
    """
    import polars as pl

    who = player_name_column(table, kinds)
    races = [column for column in table.frame.columns if RACE.fullmatch(plain_name(column))]
    if who is None or len(races) < 2 or not text_of(table, who).drop_nulls().is_unique().all():
        return None
    # Texts such as the club are context; numbers are mostly totals of the series.
    known = ("row", "race", "result", who, *races)
    others = [name for name in kinds["name"] if name not in known]
    frame = table.frame.select(who, *others, *races).with_row_index("row")
    long = frame.unpivot(races, index=["row", who, *others], variable_name="race", value_name="result")
    text = pl.col("result").cast(pl.String).str.strip_chars()
    # Brackets mark a result that does not count in the series, but it is still the result of that race.
    text = text.str.replace(r"^[(\[](.*)[)\]]$", "$1").str.replace(r"^(\d+) ?[PF*]{1,2}$", "$1")
    long = long.with_columns(text).filter(pl.col("result").str.len_chars() > 0)
    row = long["row"].to_list()
    values = replace(with_rows(table, long.drop("row"), row), reserved=dict.fromkeys(others, True))
    code = {race: number for number, race in enumerate(races)}
    match = np.array([code[race] for race in long["race"]], np.int64)
    if are_durations(long["result"]):
        values.note("race-columns", f"a column per race ({races[0]} to {races[-1]}) with times", number=len(races))
        return values, {"match": "race", "player": who, "duration": "result"}
    trial = Table(long.select(pl.col("result").cast(pl.Float64, strict=False)), table.title)
    places = are_places(match, numbers(trial, "result"))
    held = "places" if places else "scores, where the highest is best"
    values.note("race-columns", f"a column per race ({races[0]} to {races[-1]}) with {held}", number=len(races))
    return values, {"match": "race", "player": who, "rank" if places else "score": "result"}


def with_rows(table: Table, frame: Any, rows: Any) -> Table:
    """Return a table with another frame; `rows` has the row of the old table from which each new row was made.

    In messages, a new row has the name of its old row. The new rows of an old row with a problem cannot be used.
    """
    lines, source, problems = table.lines, np.asarray(rows, np.intp), Problems()
    if len(faulty := table.problems.rows()):
        old, first = np.unique(source, return_index=True)
        table.problems.copy_to(problems, dict(zip(old.tolist(), first.tolist(), strict=True)).get)
        problems.take_along(np.flatnonzero(np.isin(source, faulty)))
    remarks = list(table.remarks)
    grid = Table(frame, table.title, lambda row: lines(source[row]), table.choices, remarks, problems, unit=table.unit)
    return replace(grid, heading=table.heading)


def read_player_columns(table: Table, kinds: Kinds) -> Grid | None:
    """Convert a sheet with a row per match and a column of scores per player to a readable table, and its roles.

    Cells of absent players are empty. Return None if the table is of another kind.
    """
    import polars as pl

    day = [name for name in table.frame.columns if holds_days(table, name, kinds)][:1]
    even = [name for name in table.frame.columns if is_to_par(table, name)]
    if even:  # "E" means even
        table = replace(table, frame=table.frame.with_columns(pl.col(even).str.replace(r"(?i)^\s*e(ven)?\s*$", "0")))
    columns = [name for name in table.frame.columns if name in even or _mostly_numbers(table, name, kinds)]
    par = next((numbers(table, name) for name in columns if name.casefold() == "par"), None)
    if par is not None:
        columns = [name for name in columns if name.casefold() not in COURSE.split()]
    counters = f"{GAME_NUMBER} {MATCH_NUMBERS} {ROUND} {' '.join(PARTS)}".split()
    columns = [name for name in columns if plain_name(name) not in counters]
    if len(columns) > 2 and any(plain_name(name) in WORDS for name in columns):
        cells = np.stack([numbers(replace(table, problems=Problems(), remarks=[]), name) for name in columns], axis=1)
        if totals := summary_columns(columns, cells):
            columns = [name for name in columns if name not in totals]
            table.note("summary-columns", f"{list_names(totals)}: these columns sum up the others and are left out")
    if len(columns) > 2 and counts_rows(numbers(replace(table, problems=Problems(), remarks=[]), columns[0])):
        columns = columns[1:]
    if any(plain_name(name) in f"{HANDICAP} {NET} {GROSS}".split() or "id" in header_words(name) for name in columns):
        return None
    if any(dtype.is_nested() for dtype in table.frame.dtypes) or sum(not may_be_score(name) for name in columns) > 1:
        return None  # the lists may hold the players, or the columns are statistics
    # if there is a date, one column of names is allowed; it may name the game
    dated = bool(day) and len(kinds["name"]) == 1 and len(columns) > 2
    if len(columns) < 2 or any(name.isdigit() for name in columns) or (kinds["name"] and not dated):
        return None
    others = [name for name in kinds["name"] if name not in ("match", "player", "score")]
    _check_comparable(table, columns)
    frame = table.frame.with_row_index("match")
    long = frame.unpivot(columns, index=["match", *day, *others], variable_name="player", value_name="score")
    long = long.with_columns(pl.col("player").replace(bare_names(columns)))
    long = long.filter(pl.col("score").is_not_null() & (pl.col("score").cast(pl.String).str.strip_chars() != ""))
    long = long.sort("match", maintain_order=True)
    row = long["match"].to_list()
    values = replace(with_rows(table, long, row), reserved=dict.fromkeys(others, True))
    trial = Table(long.select("score"), table.title, choices=table.choices)
    cells = numbers(trial, "score")
    places = are_places(long["match"].to_numpy(), cells)
    golf = any(plain_name(name) in ("course", "golfplatz", "parcours", "platz", "bana") for name in kinds["name"])
    if not places and lowest_wins(values, columns, cells, np.array([-np.inf]) if even else par, golf):
        values = replace(values, choices=replace(values.choices, lowest_wins=True))
        return values, {"match": "match", "player": "player", "score": "score"} | ({"time": day[0]} if day else {})
    players = f"{', '.join(columns[:8])}{', …' * (len(columns) > 8)}"
    held, other = ("places", "score") if places else ("scores, where the highest is best", "rank")
    lowest = () if places else ("; use ", Option("lowest_wins", True), " if the lowest is best")
    values.note("player-columns", f"a column per player ({players}) with {held}", *lowest, number=len(columns))
    values.note("other-reading", f"if the cells are {other}s, make a file with a row per player and a column {other!r}")
    roles = {"match": "match", "player": "player", "rank" if places else "score": "score"}
    return values, roles | ({"time": day[0]} if day else {})


def counts_rows(values: Floats) -> bool:
    """Return whether the numbers of a column are those of its rows: 1, 2, 3, …; few of them may be so by chance."""
    return len(values) >= MANY_ROWS and bool((values == np.arange(1.0, len(values) + 1)).all())


def _check_comparable(table: Table, columns: list[str]) -> None:
    """Raise an `Error` if columns of numbers may be statistics instead of the scores of a player each."""
    read = [np.abs(numbers(replace(table, problems=Problems(), remarks=[]), column)) for column in columns]
    typical = [1 + float(np.nanmedian(values)) for values in read if np.count_nonzero(~np.isnan(values)) > 2]
    if typical and max(typical) > FACTOR * min(typical) and table.choices.lowest_wins is None:
        text = f"{table.title}: the numbers in {list_names(columns)} differ so much that these may not be players"
        highest, lowest = Option("lowest_wins", False), Option("lowest_wins", True)
        more = ("; if they are, use ", highest, " if the highest is best, or ", lowest, " if the lowest is best")
        raise Error(text, *more, field=columns[0])


def _mostly_numbers(table: Table, column: str, kinds: Kinds) -> bool:
    # A few cells that are no numbers must not make a player disappear; they are problems.
    if column in kinds["number"] or column in kinds["time"] or table.frame[column].dtype.is_nested():
        return column in kinds["number"]
    text = text_of(table, column)
    return text.count() > 0 and 2 * text.cast(float, strict=False).count() > text.count()


def holds_days(table: Table, column: str, kinds: Kinds) -> bool:
    """Return whether a column of a sheet holds dates; a damaged date, or a word, is a problem on its line."""
    if column in kinds["time"] or plain_name(column) not in _DAYS:
        return column in kinds["time"]
    text = text_of(table, column)
    return bool(2 * text.str.contains(r"\d.*\d.*\d").sum() > text.count())


def are_places(match: Any, values: Any) -> bool:
    """Return whether the numbers of each match are places: the lowest is 1, and none exceeds the number of players."""
    good = ~np.isnan(values)
    match, values = match[good], values[good]
    if not len(match) or (values < 1).any() or (values != np.floor(values)).any():
        return False
    size = np.bincount(match)
    low, high = np.full(len(size), np.inf), np.zeros(len(size))
    np.minimum.at(low, match, values)
    np.maximum.at(high, match, values)
    return bool(((low == 1) & (high <= size))[size > 0].all())
