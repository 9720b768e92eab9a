"""Finds columns that contain the result: what a match's values say about its result, by counting alone.

Deviations of players learn too slowly to show that a column such as "FT" (the score, as text) gives the result away:
their gain looks like that of a good column. The shares of the results by value show it at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...history import History
from ...history.context import FIELDS, ContextColumn, Level
from ...history.ragged import Floats, owners

MOST_GAIN = 0.1  # no column that is known before a match says more about the result, in nats
MOST_GAIN_OF_RATINGS = 0.35  # unless it holds ratings or odds, whose names say so
PSEUDO = 3.0  # the shares of all matches count as much as this many matches of a value
MOST_NUMBERS = 50  # numbers with more different values than this are cut into groups:
GROUPS = 10
ENOUGH = 100  # with fewer matches, the gain must exceed two standard errors, too
ORDERED = 0.98  # if one listed team wins this share of the matches, files list the winners first (or last)
SCORE = re.compile(r"\s*\d+\s*[-–:]\s*\d+")
SCORES = 0.9  # if this share of the values looks like scores, the column is one of scores

Codes = NDArray[np.integer[Any]]


def is_score_text(column: ContextColumn) -> bool:
    """Return whether nearly all values look like scores, such as "3-1".

    >>> is_score_text(ContextColumn.of(["3-1", "0 : 0 (0:0)", None])), is_score_text(ContextColumn.of(["3-1", "clay"]))
    (True, False)
    """
    if column.kind != "category":
        return False
    scores = np.array([*(SCORE.match(str(value)) is not None for value in column.values), False])
    known = column.code >= 0
    return bool(known.any()) and bool(scores[column.code[known]].mean() >= SCORES)


def reveals_result(history: History, level: Level, column: ContextColumn, most: float = MOST_GAIN) -> bool:
    """Return whether a column says more about the results than can be known before the matches.

    >>> match = {"teams": [["ann"], ["bob"]]}
    >>> results = {"1": [1, 2], "X": [1, 1], "2": [2, 1]}
    >>> matches = [match | {"ranks": ranks, "context": {"FTR": text}} for text, ranks in results.items()] * 20
    >>> history = History.from_matches(matches)
    >>> reveals_result(history, "match", history.context["FTR"])
    True
    """
    gains = _gains(history, level, column)
    if len(gains) < 2:
        return False
    gain, error = float(gains.mean()), float(gains.std(ddof=1)) / len(gains) ** 0.5
    return gain > most and (len(history) >= ENOUGH or gain > 2.0 * error)


def _gains(history: History, level: Level, column: ContextColumn) -> Floats:
    """Return what the values of a column gain over the shares of the results, for each later match that has a value.

    The results by value are counted in the first half of the matches, and forecast in the second half.
    """
    match = owners(history.match_start)
    place, value = _sides(history, match), _values(column)
    group: Codes
    team: Codes
    if level == "match":
        kind = _code_sides(history, match, column)
        value = value[match] if kind is None else kind
        value = np.where(value < 0, -1, 3 * value + place)
        group, team = place, np.arange(history.teams)
    else:
        team = np.arange(history.teams) if level == "team" else owners(history.team_start)
        group = np.zeros(len(team), np.intp)
    result, match = _results(history)[team], match[team]
    known, early = value >= 0, match < len(history) // 2
    base = _shares(group, result, known & early, 3)
    counts = np.zeros((value.max(initial=0) + 1, 3))
    np.add.at(counts, (value[known & early], result[known & early]), 1.0)
    late = known & ~early
    shares = base[group[late]]
    chances = (counts[value[late]] + PSEUDO * shares) / (counts[value[late]].sum(axis=1, keepdims=True) + PSEUDO)
    row = np.arange(len(chances))
    gains = np.log(chances[row, result[late]] / shares[row, result[late]])
    total, many = np.bincount(match[late], gains, len(history)), np.bincount(match[late], minlength=len(history))
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


def _values(column: ContextColumn) -> Codes:
    """Return the codes of the values; numbers with many values are cut into equal groups."""
    if column.kind == "category" or len(column.values) <= MOST_NUMBERS:
        return column.code.astype(np.intp)
    numbers = column.to_numpy().astype(np.float64)
    known = ~np.isnan(numbers)
    cuts = np.quantile(numbers[known], np.arange(1, GROUPS) / GROUPS)
    return np.where(known, np.searchsorted(cuts, numbers, side="right"), -1).astype(np.intp)


def _code_sides(history: History, match: Codes, column: ContextColumn) -> Codes | None:
    """Return, for each team, 1 if the match's value names it, 2 if it names another team, 0 if none, −1 if missing.

    A value names a team if it is one of its players, or a value of the team in another column, such as its colour.
    Return None if most values name no single team of their match.
    """
    text = column.as_text()
    known = text.code >= 0
    for values, code, team in _names(history):
        number = {_plain(value): index for index, value in enumerate(values)}
        wanted = np.array([*(number.get(_plain(str(value)), -2) for value in text.values), -2])
        named = np.zeros(history.teams, bool)
        named[team[code == wanted[text.code][match[team]]]] = True
        often = np.bincount(match, named, len(history))
        if known.any() and (often[known] == 1).mean() > 0.5:
            coded = np.where(named, 1, np.where(often[match] > 0, 2, 0))
            return np.where(known[match], coded, -1)
    return None


def _names(history: History) -> Iterator[tuple[tuple[str, ...], Codes, Codes]]:
    """Yield names of teams: the names, and for rows their codes and teams."""
    of_entry = owners(history.team_start)
    yield history.players, history.player, of_entry
    for level, field in FIELDS.items():
        for other in getattr(history, field).values() if level != "match" else ():
            if other.kind == "category":
                yield other.values, other.code, of_entry if level == "player" else np.arange(history.teams)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
