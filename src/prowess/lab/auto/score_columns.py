"""Finds columns that follow from the scores of their match without naming the winner, such as "over 2.5 goals".

Such a column says little about the result by itself, but more together with the strengths of the sides: with few goals,
the weaker side more often draws.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...history import History
from ...history.context.columns import Level
from ...history.ragged import Floats, owners

Codes = NDArray[np.integer[Any]]

FOLLOWS = 0.1  # a column follows from the scores if they leave this share of the errors of guessing its common value,
# and scores that only tell the format of a match, such as best of three or of five, leave more, and twice as many
LEAST_ERRORS = 10  # in the second half of the matches, so that few matches with another value are no sign
USUAL = 0.01  # a number is usual if it occurs in this share of the matches


def follows_from_scores(history: History, level: Level, value: Codes) -> bool:
    """Return whether values, coded from 0 and −1 if missing, follow from the scores of their matches.

    >>> scores = [[2, 1], [1, 0], [1, 1], [0, 0], [3, 0], [2, 2]] * 20
    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]], "scores": pair} for pair in scores])
    >>> follows_from_scores(history, "match", np.array([min(pair) > 0 for pair in scores], int))
    True
    """
    if history.score is None or np.isnan(history.score).mean() > FOLLOWS:
        return False
    match = owners(history.match_start)
    team: Codes = np.arange(history.teams)
    if level != "team":
        team = history.match_start[:-1] if level == "match" else owners(history.team_start)
    early = match[team] < len(history) // 2
    if not early.any():
        return False
    common = int((value[~early] != np.bincount(value[early] + 1).argmax() - 1).sum())
    if common < LEAST_ERRORS:
        return False
    highest, total, *others = (feature[team] for feature in _features(history, match, level))
    # Matches end at a certain score, or after a certain number of games: then there are fewer totals than scores.
    formats = [highest, total] if _usual_numbers(total) < _usual_numbers(highest) else [highest]
    least = min(_errors(feature, value, early) for feature in formats)
    if least <= FOLLOWS * common:
        return False
    return any(_errors(feature, value, early) <= min(FOLLOWS * common, least / 2) for feature in (total, *others))


def _features(history: History, match: Codes, level: Level) -> Iterator[Floats]:
    """Yield the highest score of each team's match, the total, and other numbers from which columns are made."""
    assert history.score is not None
    score = np.nan_to_num(np.asarray(history.score, np.float64))
    start = history.match_start[:-1]
    highest, lowest = np.maximum.reduceat(score, start)[match], np.minimum.reduceat(score, start)[match]
    total = np.add.reduceat(score, start)[match]
    yield from (highest, total, lowest, highest - lowest)
    # The first side's, or each side's own.
    own = score[start][match] if level == "match" else score
    yield from (own, total - own, 2.0 * own - total)


def _usual_numbers(feature: Floats) -> int:
    return int((np.unique(feature, return_counts=True)[1] >= USUAL * len(feature)).sum())


def _errors(feature: Floats, value: Codes, early: NDArray[np.bool_]) -> int:
    """Return how often later values differ from the one that is most common at the nearest earlier number."""
    numbers, code = np.unique(feature[early], return_inverse=True)
    values = int(value.max()) + 2
    pairs, counts = np.unique(code * values + value[early] + 1, return_counts=True)
    pairs = pairs[np.argsort(counts, kind="stable")]
    meant = np.zeros(len(numbers), np.intp)
    meant[pairs // values] = pairs % values - 1  # the last one written is the most common
    later = feature[~early]
    above = np.minimum(np.searchsorted(numbers, later), len(numbers) - 1)
    below = np.maximum(above - 1, 0)
    nearest = np.where(later - numbers[below] < numbers[above] - later, below, above)
    return int((meant[nearest] != value[~early]).sum())
