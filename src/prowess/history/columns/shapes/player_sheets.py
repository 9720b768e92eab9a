"""Read sheets with a row per match and a column per player: places, times, or scores beside a column of winners."""

import re
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....errors import Error, Option, Piece
from ...cells.numbers import numbers
from ...cells.places import are_durations, durations, ranks
from ...cells.text import intern, text_of
from ...cells.words import DRAWS, MISSING
from ...names.spelling import plain_name, plain_spelling
from ...ragged import Floats
from ...read_context import Problems, Table
from ..roles import aliases
from ..roles.headers import bare_names, numbered
from .grids import Grid, Kinds, counts_rows, holds_days, with_rows

Mask = NDArray[np.bool_]
MOST = 0.9  # fraction of the matches that must agree to decide what the cells are
FEW = 3  # fewer numbers may be sorted by chance
SAMPLE = 200  # rows that show whether a table may be such a sheet
PLAYERS = 60  # a sheet with more columns was not made for a game night
_LISTS = (*aliases.PARTS, *aliases.STANDINGS, *aliases.LONG.values(), *aliases.COMMON.values())
_WORDS = {name for names in (*_LISTS, "session night tag abend laps par sum") for name in names.split()}
_NOT_NAMES = {word for word in _WORDS if len(word) > 2 or not word.isascii()}  # P, W and L may be initials
_WINNERS, _LOSERS = (frozenset(aliases.WINNER_LOSER[role].split()) for role in ("winner", "loser"))
_BETWEEN_WINNERS = re.compile(r"\s*[/&+;|,]\s*| and | und | et | y | e ")
_ROWS_OF_PLAYERS = frozenset(f"{aliases.LONG['player']} {aliases.LONG['team']}".split())
SPREAD = 2.0  # times of a match that differ by a larger factor are splits, or of several distances
# Signs of a measured time that a time of day does not have; 38:12 has too many hours.
_NO_CLOCK = r"[.,]\d|\d:\d+:\d|[hms'′\"″]|ч|м|(?:^|\D)(?:2[4-9]|[3-9]\d|\d{3}):"


class _Reading(NamedTuple):
    """What the cells of the players are: the role, the words for it, and whether the highest is best."""

    role: str
    held: str
    highest: bool = False


_PLACES, _LOWEST = _Reading("rank", "places"), _Reading("duration", "numbers, where the lowest wins")
_TIMES = _Reading("duration", "times, where the fastest wins")
_SCORES = _Reading("score", "scores, where the highest is best", True)


def read_player_sheet(table: Table, kinds: Kinds) -> Grid | None:
    """Convert a sheet with places or times per player, or with scores and a winner, to a row per player, and its roles.

    Empty cells mean absent players. Return None if the table is of another kind.
    """
    if table.frame.width > PLAYERS:
        return None
    first = replace(table, frame=table.frame.head(SAMPLE), remarks=[], problems=Problems())
    if len(table.frame) > SAMPLE and read_player_sheet(first, kinds) is None:
        return None
    winner = next((column for column in kinds["name"] if plain_name(column) in _WINNERS), None)
    values, timed = _numbers(table, kinds, winner)
    players = _players(values, timed)
    if len(players) < 2:
        return None
    cells = np.stack([values[player] for player in players], axis=1)
    others = [column for column in kinds["name"] if column not in players]
    if {*map(plain_name, others)} & _ROWS_OF_PLAYERS or {*map(plain_name, players)} & _WINNERS:
        return None
    won = None if winner is None else _winners(table, winner, players)
    if won is None and _name_opponents(table, others):
        return None
    reading = _reading(table, others, players, cells, timed, won)
    if reading is None:
        return None
    day = [column for column in table.frame.columns if column not in values and holds_days(table, column, kinds)][:1]
    sheet, match = _melt(table, day, players, winner)
    if reading is _PLACES:
        text = "these are not places from 1 upwards; correct them"
        _reject(sheet, match, _several(cells) & ~_are_places(cells), text)
    if won is not None:
        text = f"column {winner!r} names another winner than the {reading.held.split(',')[0]}; correct one of them"
        _reject(sheet, match, _contradicts(cells, won, reading.highest), text)
        named = text_of(table, str(winner)).fill_null("").str.to_lowercase()
        nobody = ~named.is_in(["", *DRAWS, *MISSING]).to_numpy() & ~won.any(axis=1)
        _reject(sheet, match, nobody, f"column {winner!r} names nobody who has a column; correct the name")
    other = " to read them as places" if reading.highest else " to read them as scores"
    more: tuple[Piece, ...] = () if timed else ("; use ", Option("lowest_wins", reading.highest), other)
    shown = f"{', '.join(players[:8])}{', …' * (len(players) > 8)}"
    sheet.note("player-columns", f"a column per player ({shown}) with {reading.held}", *more, number=len(players))
    roles = {"match": "match", "player": "player", reading.role: "result"}
    return sheet, roles | dict(zip(("time",), day, strict=False))


def read_time_list(table: Table, kinds: Kinds) -> Grid | None:
    """Return the roles of a table with a row per player of each match and a column of measured times or of sums.

    The rows of a match are adjacent; a sum adds up numbered columns, such as innings. Return None for other tables.
    """
    columns = [column for column in table.frame.columns if not table.frame[column].dtype.is_nested()]
    timed = [column for column in columns if are_durations(text_of(table, column))] if len(columns) <= PLAYERS else []
    others = [column for column in kinds["name"] if column not in timed]
    results = timed or _sums(table, kinds)
    are_clocks = bool(timed) and not text_of(table, timed[0]).str.contains(_NO_CLOCK).any()
    if len(results) != 1 or are_clocks or _name_opponents(table, others):
        return None  # 38:12 may be a score, and 19:30 the time of day
    code = {
        column: np.unique(text_of(table, column).fill_null("").to_numpy(), return_inverse=True)[1]
        for column in columns
        if column not in (timed or [*results, *numbered(columns)])
    }
    size = {column: int(codes.max()) + 1 for column, codes in code.items()}
    rows = len(table.frame)
    matches = [name for name in code if np.count_nonzero(np.diff(code[name])) + 1 == size[name] <= rows / 2]
    pairs = [
        (size[match], size[who], match, who)
        for match in matches
        for who in code.keys() & set(kinds["name"]) - {match}
        if size[who] < rows and len(np.unique(code[match] * size[who] + code[who])) == rows
    ]
    if not pairs:
        return None
    *_, match, who = max(pairs)
    day = [column for column in kinds["time"] if column not in timed][:1]
    role = "duration" if timed else "score"
    roles = {"match": match, "player": who, role: results[0]} | dict(zip(("time",), day, strict=False))
    text = "no familiar column names, so I guessed from the contents: "
    table.note("inferred-columns", text, Option("columns", roles))
    return table, roles


def _sums(table: Table, kinds: Kinds) -> list[str]:
    trial = replace(table, problems=Problems(), remarks=[])
    values = {column: numbers(trial, column) for column in kinds["number"] + kinds["word"]}
    parts = numbered(values)
    total = np.nansum([values[column] for column in parts], axis=0) if len(parts) > 1 else np.nan
    return [column for column in values.keys() - parts if np.mean(values[column] == total) >= MOST]


def _numbers(table: Table, kinds: Kinds, winner: str | None) -> tuple[dict[str, Floats], bool]:
    """Return the columns that may be players, with a number per match, and whether the numbers are times."""
    texts = {}
    for column in table.frame.columns:
        named = column != winner and plain_name(column) not in _NOT_NAMES and not column.isdigit()
        if named and not table.frame[column].dtype.is_nested() and (text := text_of(table, column)).count():
            texts[column] = text
    timed = sum(map(are_durations, texts.values())) > 1
    values: dict[str, Floats] = {}
    for column, text in texts.items():
        for read in (durations,) if timed else (ranks, numbers) if column not in kinds["time"] else ():
            trial = Table(text.to_frame(column), table.title, choices=table.choices)
            result = read(trial, column)
            result = result if isinstance(result, np.ndarray) else result.rank
            # A few damaged cells must not make a player disappear; they are problems.
            if 2 * len(trial.problems) < text.count() and not np.isnan(result).all():
                values[column] = result
                break
    return values, timed


def _players(values: dict[str, Floats], timed: bool) -> list[str]:
    """Return the columns that are players: all, unless without counters, sorted or large numbers the rest are places.

    With a column such as the day of the week, rows may look like places with many ties.
    """

    def without_ties(columns: list[str]) -> float:
        ordered = np.sort(np.stack([values[column] for column in columns], axis=1), axis=1)
        return float((np.isnan(ordered) | (ordered == np.arange(1.0, len(columns) + 1))).all(axis=1).mean())

    first = next(iter(values), "")
    if len(values) > 2 and counts_rows(values[first]):
        values = {column: read for column, read in values.items() if column != first}
    options = [list(values), [], []]
    for column, read in values.items():
        steps = np.diff(played := read[~np.isnan(read)])
        is_sorted = (steps >= 0).all() or (steps <= 0).all()
        for option, other in zip(options[1:], ((steps == 1).all(), is_sorted), strict=True):
            if np.median(played) <= len(values) and (len(played) < FEW or not other):
                option.append(column)
    return options[0] if timed else max((names for names in options if len(names) > 1), key=without_ties, default=[])


def _several(values: Floats) -> Mask:
    several: Mask = np.count_nonzero(~np.isnan(values), axis=1) > 1
    return several


def _are_places(values: Floats) -> Mask:
    """Return, for each row, whether its numbers are places; players with the same place share it.

    >>> _are_places(np.array([[2, 1, 3], [1, 1, 3], [1, 2, 2], [1, 1, 2], [3, 1, np.nan], [2, 3, 4], [10, 7, 8]]))
    array([ True,  True,  True,  True, False, False, False])
    """
    ordered = np.sort(values, axis=1)  # NaN comes last
    step = np.diff(ordered, axis=1)
    follows = np.isnan(step) | (step == 0) | (step == 1) | (ordered[:, 1:] == np.arange(2.0, values.shape[1] + 1))
    places: Mask = (ordered[:, 0] == 1) & follows.all(axis=1) & _several(values)
    return places


def _winners(table: Table, winner: str, players: list[str]) -> Mask | None:
    """Return a mask of the winners, with a row per match; None if no cell names a column of a player."""
    bare = bare_names(players)
    index = {plain_spelling(bare.get(column, column)): number for number, column in enumerate(players)}
    code, cells = intern(text_of(table, winner).fill_null(""))
    won = np.zeros((len(cells), len(players)), bool)
    for row, cell in enumerate(cells):
        for name in [cell] if plain_spelling(cell) in index else _BETWEEN_WINNERS.split(cell):
            if (number := index.get(plain_spelling(name))) is not None:
                won[row, number] = True
    return won[code] if won.any() else None


def _contradicts(values: Floats, won: Mask, highest: bool) -> Mask:
    """Return, for each row, whether a winner has a number, but not the best one."""
    signed = np.where(np.isnan(values), -np.inf, values if highest else -values)
    beaten: Mask = (won & np.isfinite(signed) & (signed < signed.max(axis=1, keepdims=True))).any(axis=1)
    return beaten


def _fits(values: Floats, won: Mask, highest: bool) -> bool:
    named = won.any(axis=1)
    return bool(np.count_nonzero(named) > 1 and _contradicts(values, won, highest)[named].mean() <= 1 - MOST)


def _reading(
    table: Table, others: list[str], players: list[str], values: Floats, timed: bool, won: Mask | None
) -> _Reading | None:
    """Return what the numbers are; None if the columns may be something else. Raises `Error` if this is in doubt."""
    several = _several(values)
    if not several.any():
        return None
    if timed:
        near = np.nanmax(values[several], axis=1) <= SPREAD * np.nanmin(values[several], axis=1)
        return _TIMES if near.mean() >= 0.5 else None
    share = _are_places(values)[several].mean()
    lowest, doubt = _PLACES if share >= MOST else _LOWEST, ""
    if won is not None:
        fitting = [highest for highest in (False, True) if _fits(values, won, highest)]
        if len(fitting) == 1 and table.choices.lowest_wins is None:
            return _SCORES if fitting[0] else lowest
        doubt = "most winners have neither the highest nor the lowest number"
    elif lowest is _LOWEST:
        doubt = "only some rows are places" if share >= 0.5 and len(players) > 2 and several.sum() > FEW else ""
    else:
        named = {column: _winners(table, column, players) for column in others if plain_name(column) not in _LOSERS}
        best = [column for column, mask in named.items() if mask is not None and _fits(values, mask, True)]
        doubt = f"column {best[0]!r} names the players with the highest numbers" if best else ""
    if table.choices.lowest_wins is not None and (doubt or lowest is _PLACES):
        return lowest if table.choices.lowest_wins else _SCORES
    if doubt:
        highest_wins = (Option("lowest_wins", False), " if the highest number wins, or ")
        choice = (*highest_wins, Option("lowest_wins", True), " if the lowest wins")
        raise Error(f"{table.title}: columns {', '.join(players[:8])}: {doubt}; use ", *choice, field="lowest_wins")
    return lowest if lowest is _PLACES else None


def _name_opponents(table: Table, columns: list[str]) -> bool:
    """Return whether two columns share names, so that they are the sides of a match."""
    cells = [set(map(plain_spelling, text_of(table, column).drop_nulls().unique())) for column in columns]
    return any(len(first & second) > 1 for first, second in combinations(cells, 2))


def _melt(table: Table, day: list[str], players: list[str], winner: str | None) -> tuple[Table, NDArray[np.intp]]:
    """Return a table with a row per player of each match, and the match of each row."""
    import polars as pl

    used = ("match", "player", "result", winner, *day, *players)
    others = [name for name in table.frame.columns if name not in used and not table.frame[name].dtype.is_nested()]
    frame = table.frame.select(*others, *day, *players).with_row_index("match")
    long = frame.unpivot(players, index=["match", *day, *others], variable_name="player", value_name="result")
    long = long.with_columns(pl.col("player").replace(bare_names(players)))
    text = pl.col("result").cast(pl.String).str.strip_chars()
    absent = text.str.to_lowercase().is_in(list(MISSING))
    long = long.with_columns(text).filter(text.is_not_null() & ~absent).sort("match", maintain_order=True)
    match = long["match"].to_numpy().astype(np.intp)
    return replace(with_rows(table, long, match), reserved=dict.fromkeys(others, True)), match


def _reject(sheet: Table, match: NDArray[np.intp], wrong: Mask, message: str) -> None:
    for row in np.flatnonzero(wrong):  # the rows of a match are adjacent
        rows = np.arange(*np.searchsorted(match, (row, row + 1)))
        sheet.problems.add(rows[:1], None, None, message)
        sheet.problems.take_along(rows)
