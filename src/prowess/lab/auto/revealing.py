"""Finds columns that contain the result: what a match's values say about its result, by counting alone.

Deviations of players learn too slowly to show that a column such as "FT" (the score, as text) gives the result away:
their gain looks like that of a good column. The shares of the results by value show it at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...history import History
from ...history.context.columns import EMPTY, FIELDS, ContextColumn, Level
from ...history.ragged import Floats, owners
from ...model.fit.incentives import relative_values
from ...model.presets import TrueSkill

MOST_GAIN = 0.1  # no column that is known before a match says more about the result, in nats
MOST_GAIN_OF_RATINGS = 0.35  # unless it holds ratings or odds, whose names say so
PSEUDO = 3.0  # the shares of all matches count as much as this many matches of a value
MOST_NUMBERS = 50  # numbers with more different values than this are cut into groups:
GROUPS = 10
ENOUGH = 100  # with fewer matches, the gain must exceed two standard errors, too
ORDERED = 0.98  # if one listed team wins this share of the matches, files list the winners first (or last)
NAMED = 0.9  # a value stands for a name that is found in this share of its matches,
LEAST_NAMED = 5  # if it has at least so many
SINGLE = 0.1  # values name sides if they name a single side in this share of the matches
CHANGING = 1.2  # with more values for each player than this, a column does not say who plays
SCORE = re.compile(r"\s*\d+\s*[-–:]\s*\d+")
YEARS = re.compile(r"\s*(\d{4})\s*[-–]\s*(?:\d\d)?(\d\d)\s*$")
DATE = re.compile(r"\s*\d{4}-\d\d-\d\d\b|\s*(?:[01]?\d|2[0-3]):[0-5][05](?::00)?[\sA-Za-z.]*$")
NUMBER = re.compile(r"\s*#?\s*[-+−]?\d+(?:\.\d+)?\.?\s*$")
MOSTLY = 0.9  # if this share of the values looks like scores or numbers, the column is one of scores or numbers

Codes = NDArray[np.integer[Any]]


def is_score_text(column: ContextColumn) -> bool:
    """Return whether nearly all values look like scores, such as "3-1"; seasons and times of day do not.

    >>> is_score_text(ContextColumn.of(["3-1", "0 : 0 (0:0)", None])), is_score_text(ContextColumn.of(["3-1", "clay"]))
    (True, False)
    >>> is_score_text(ContextColumn.of(["1995-96", "1996-97"])), is_score_text(ContextColumn.of(["15:00", "17:30"]))
    (False, False)
    """
    return column.kind == "category" and _mostly(column, SCORE.match) and not _mostly(column, _is_date)


def _mostly(column: ContextColumn, fits: Callable[[str], object]) -> bool:
    """Return whether nearly all known values fit."""
    fitting = np.array([*(bool(fits(str(value))) for value in column.values), False])
    known = column.code >= 0
    return bool(known.any()) and bool(fitting[column.code[known]].mean() >= MOSTLY)


def _is_date(text: str) -> bool:
    """Return whether a text is a date, a season of two years, or a time of day that five minutes divide."""
    years = YEARS.match(text)
    return DATE.match(text) is not None or (years is not None and (int(years[1]) + 1) % 100 == int(years[2]))


def reveals_result(history: History, level: Level, column: ContextColumn, most: float = MOST_GAIN) -> bool:
    """Return whether a column says more about the results than can be known before the matches.

    >>> match = {"teams": [["ann"], ["bob"]]}
    >>> results = {"1": [1, 2], "X": [1, 1], "2": [2, 1]}
    >>> matches = [match | {"ranks": ranks, "context": {"FTR": text}} for text, ranks in results.items()] * 20
    >>> history = History.from_matches(matches)
    >>> reveals_result(history, "match", history.context["FTR"])
    True
    """
    return any(_is_clear(gains, most, len(history)) for gains in _gains(history, level, column, most))


def _is_clear(gains: Floats, most: float, matches: int) -> bool:
    if len(gains) < 2:
        return False
    gain, error = float(gains.mean()), float(gains.std(ddof=1)) / len(gains) ** 0.5
    return gain > most and (matches >= ENOUGH or gain > 2.0 * error)


def _gains(history: History, level: Level, column: ContextColumn, most: float = MOST_GAIN) -> Iterator[Floats]:
    """Yield what a column gains over the shares of the results, for each later match that has a value.

    A column can contain the result in several ways. Its values can say who has won: the first side, the stronger one,
    or one that the value names, perhaps by a value of the side in another column, such as its colour. Values of
    players or teams can say it by their change since the last match, as a rating or a rank after the match does, or by
    their difference from the other sides' values, as goals until half-time do.
    """
    match, result = owners(history.match_start), _results(history)
    gains = partial(_later_gains, match, result, len(history))
    if level != "match":
        team = np.arange(history.teams) if level == "team" else owners(history.team_start)
        same = np.zeros(len(team), np.intp)
        for value in _with_missing(coded_values(column)):
            yield gains(team, value, same)
        before = _before(history, level, team)
        if (known := _numbers(column)) is not None:
            numbers = np.append(known, np.nan)
            yield gains(team, _groups(known - numbers[before]), same)
            # The difference of two ratings says much, although they are known before the match.
            if column.kind == "number" and most < MOST_GAIN_OF_RATINGS:
                yield gains(team, _groups(relative_values(known, match[team])), same)
        if column.kind == "category" and len(column.values) <= MOST_NUMBERS:
            value = np.append(column.code.astype(np.intp), -1)
            both = np.where((value[:-1] < 0) | (value[before] < 0), -1, value[:-1] * len(column.values) + value[before])
            yield gains(team, both, np.maximum(value[before], 0))
        return
    place, sides = _sides(history, match), np.arange(history.teams)
    for value in _side_values(history, match, column):
        yield gains(sides, np.where(value < 0, -1, 3 * value + place), place)
    # Values such as "upset" say whether the stronger side has won.
    value, stronger = coded_values(column)[match], _by_strength(history)
    yield gains(sides, np.where(value < 0, -1, 3 * value + stronger), stronger)
    for names in _names(history)[1:]:
        if _change(history, names):
            value, own = coded_values(column)[match[names.team]], names.code
            both = np.where((value < 0) | (own < 0), -1, value * len(names.names) + own)
            yield gains(names.team, both, np.maximum(own, 0))


def _later_gains(of_team: Codes, result: Codes, matches: int, team: Codes, value: Codes, group: Codes) -> Floats:
    """Return what values of teams gain over the shares of the results in each group.

    The results by value are counted in the first half of the matches, and forecast in the second half. `of_team` and
    `result` have the match and the result of every team.
    """
    result, match = result[team], of_team[team]
    known, early = value >= 0, match < matches // 2
    base = _shares(group, result, known & early, int(group.max(initial=0)) + 1)
    counts = np.zeros((value.max(initial=0) + 1, 3))
    np.add.at(counts, (value[known & early], result[known & early]), 1.0)
    late = known & ~early
    shares = base[group[late]]
    chances = (counts[value[late]] + PSEUDO * shares) / (counts[value[late]].sum(axis=1, keepdims=True) + PSEUDO)
    row = np.arange(len(chances))
    gains = np.log(chances[row, result[late]] / shares[row, result[late]])
    total, many = np.bincount(match[late], gains, matches), np.bincount(match[late], minlength=matches)
    mean: Floats = total[many > 0] / many[many > 0]
    return mean


def _shares(group: Codes, result: Codes, chosen: NDArray[np.bool_], groups: int) -> Floats:
    """Return the shares of the results in each group; every result is assumed to have happened half a time before."""
    counts = np.full((groups, 3), 0.5)
    np.add.at(counts, (group[chosen], result[chosen]), 1.0)
    shares: Floats = counts / counts.sum(axis=1, keepdims=True)
    return shares


def _results(history: History) -> Codes:
    """Return the result of each team: 0 if it has won or is in the top third, 2 if it has lost, 1 in between."""
    teams = np.diff(history.match_start)[owners(history.match_start)]
    match = owners(history.match_start)
    place = history.place.astype(np.float64)
    # The mean place of all who share a place, so that a match between two teams gives 0, 1/2 or 1.
    order = np.lexsort((place, match))
    rank = np.empty(history.teams)
    rank[order] = np.arange(history.teams) - history.match_start[match[order]]
    tie = match.astype(np.int64) * (int(place.max(initial=0)) + 2) + history.place
    _, tied = np.unique(tie, return_inverse=True)
    rank = (np.bincount(tied, rank) / np.bincount(tied))[tied]
    share = rank / np.maximum(teams - 1, 1)
    third: Codes = np.minimum((share * 3.0).astype(np.intp), 2)
    return third


def _sides(history: History, match: Codes) -> Codes:
    """Return 0 and 1 for the first and the second team of matches of two teams, and 2 for all other teams.

    If a file lists the winners first, the order of the teams is the result, so their players decide the order.
    """
    teams = np.diff(history.match_start)[match]
    side = np.where(teams == 2, np.arange(history.teams) - history.match_start[match], 2)
    first = history.match_start[:-1][np.diff(history.match_start) == 2]
    decided = history.place[first] != history.place[first + 1]
    won = float((history.place[first] < history.place[first + 1])[decided].mean()) if decided.any() else 0.5
    if max(won, 1.0 - won) >= ORDERED:
        player = history.player[history.team_start[:-1]]
        turned = first[player[first] > player[first + 1]]
        side[turned], side[turned + 1] = 1, 0
    return side.astype(np.intp)


def _by_strength(history: History) -> Codes:
    """Return 0 for the stronger of two teams, 1 for the weaker one, as forecast from earlier matches; 2 otherwise."""
    two = np.flatnonzero(np.diff(history.match_start) == 2)
    side = np.full(history.teams, 2)
    if len(two):
        plain = replace(history, context=EMPTY, team_context=EMPTY, entry_context=EMPTY)
        mean = TrueSkill().fit(plain.take(two)).forecasts.mean
        first = history.match_start[two]
        side[first], side[first + 1] = mean[::2] < mean[1::2], mean[::2] >= mean[1::2]
    return side.astype(np.intp)


def coded_values(column: ContextColumn) -> Codes:
    """Return the codes of the values, −1 if missing; numbers with many values are cut into equal groups.

    >>> coded_values(ContextColumn.of(["clay", None, "grass"]))
    array([ 0, -1,  1])
    """
    if column.kind == "category" or len(column.values) <= MOST_NUMBERS:
        return column.code.astype(np.intp)
    return _groups(column.to_numpy().astype(np.float64))


def _numbers(column: ContextColumn) -> Floats | None:
    """Return the numbers of a column, or of texts such as "1500" and "3."; None if its values are other texts."""
    if column.kind == "number":
        return np.asarray(column.to_numpy(), np.float64)
    if not _mostly(column, NUMBER.match):
        return None
    texts = [text.strip("#. ").replace("−", "-") if NUMBER.match(text) else "nan" for text in map(str, column.values)]
    numbers: Floats = np.array([*map(float, texts), np.nan])[column.code]
    return numbers


def _with_missing(value: Codes) -> Iterator[Codes]:
    """Yield the codes of values, and again with a code for missing values, which may say that there is no winner."""
    yield value
    if (value < 0).any():
        yield np.where(value < 0, value.max(initial=-1) + 1, value)


def _groups(numbers: Floats) -> Codes:
    known = ~np.isnan(numbers)
    if not known.any():
        return np.full(len(numbers), -1, np.intp)
    cuts = np.quantile(numbers[known], np.arange(1, GROUPS) / GROUPS)
    return np.where(known, np.searchsorted(cuts, numbers, side="right"), -1).astype(np.intp)


def _before(history: History, level: Level, team: Codes) -> Codes:
    """Return the row of each player's last match before, or of that of the team's first player; −1 if there is none."""
    player = history.player if level == "player" else history.player[history.team_start[:-1]]
    order = np.argsort(player, kind="stable")
    again = player[order[1:]] == player[order[:-1]]
    before = np.full(len(team), -1)
    before[order[1:][again]] = order[:-1][again]
    return before


class _Names(NamedTuple):
    """What the sides of matches are called: names, and rows with the index of a name and a team."""

    names: tuple[Any, ...]
    code: Codes
    team: Codes


def _names(history: History) -> list[_Names]:
    """Return the names of sides: their players, and their values in other columns, such as clubs or colours."""
    entries = owners(history.team_start)
    found = [_Names(history.players, history.player.astype(np.intp), entries)]
    for level, field in FIELDS.items():
        for other in getattr(history, field).values() if level != "match" else ():
            if other.kind == "category":
                team = entries if level == "player" else np.arange(history.teams)
                found.append(_Names(other.values, other.code.astype(np.intp), team))
    return found


def _change(history: History, names: _Names) -> bool:
    """Return whether names change from match to match, as sides and colours do, and so do not say who plays."""
    player = history.player[history.team_start[:-1]][names.team].astype(np.int64)
    if len(names.names) > MOST_NUMBERS:
        return False
    pairs = _distinct(player[names.code >= 0] * len(names.names) + names.code[names.code >= 0])
    return len(pairs) >= CHANGING * len(_distinct(player))


def _side_values(history: History, match: Codes, column: ContextColumn) -> Iterator[Codes]:
    """Yield the values of a column of matches for each team, and which side they name, if they name sides.

    Values that are names of players are taken by side only, because who plays is known before a match.
    """
    if not _has_names_of(history.players, column):
        yield from (value[match] for value in _with_missing(coded_values(column)))
    for names in _names(history):
        yield from _sides_named(history, match, column, names)


def _sides_named(history: History, match: Codes, column: ContextColumn, names: _Names) -> Iterator[Codes]:
    """Yield which side the match's value names, for each team: 1 this one, 2 another one, 0 none, −1 if missing.

    The two sides often have the same value, such as a right-handed player each, so few values need name a single one.
    """
    text, known = column.as_text(), column.code >= 0
    for wanted in (_same_text(text, names.names), _companions(match, column, names)):
        named = np.zeros(history.teams, bool)
        named[names.team[names.code == wanted[column.code][match[names.team]]]] = True
        often = np.bincount(match, named, len(history))
        if known.any() and (often[known] == 1).mean() > SINGLE:
            yield np.where(known[match], np.where(named, 1, np.where(often[match] > 0, 2, 0)), -1)


def _has_names_of(players: tuple[str, ...], column: ContextColumn) -> bool:
    code = column.code[column.code >= 0]
    return bool(len(code)) and bool((_same_text(column.as_text(), players)[code] >= 0).mean() > 0.5)


def _same_text(text: ContextColumn, names: tuple[Any, ...]) -> Codes:
    """Return the name that each value repeats; −2 if none. The last element is for missing values."""
    number = {_plain(str(name)): index for index, name in enumerate(names)}
    return np.array([*(number.get(_plain(str(value)), -2) for value in text.values), -2])


def _companions(match: Codes, column: ContextColumn, names: _Names) -> Codes:
    """Return the name that each value stands for in other words, such as initials or an address; −2 if none.

    Such a value is found only in matches of a side with this name, and the name is missing in most other matches.
    """
    rows, matches = names.code >= 0, len(column.code)
    # Each name once for each match; then how many matches have a value and a name.
    name, where = np.divmod(_distinct(names.code[rows] * matches + match[names.team[rows]]), matches)
    both = column.code[where] >= 0
    pairs = column.code[where[both]].astype(np.int64) * len(names.names) + name[both]
    found, together = np.unique(pairs, return_counts=True)
    coded, of = np.divmod(found, max(len(names.names), 1))
    share = together / np.bincount(column.code[column.code >= 0], minlength=len(column.values))[coded]
    stands = (together >= LEAST_NAMED * NAMED) & (share >= NAMED)
    stands &= np.bincount(name, minlength=len(names.names))[of] < 0.5 * NAMED * matches
    order = np.argsort(share[stands], kind="stable")
    meant = np.full(len(column.values) + 1, -2)
    meant[coded[stands][order]] = of[stands][order]
    return meant


def _distinct(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the distinct numbers in order, as `np.unique` does, which takes ten times as long (NumPy 2.3)."""
    ordered = np.sort(numbers)
    first = np.ones(len(ordered), bool)
    first[1:] = ordered[1:] != ordered[:-1]
    return ordered[first]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
