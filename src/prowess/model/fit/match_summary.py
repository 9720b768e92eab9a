"""What is told of a team in a match: with whom and against whom, how it ended, and how it was expected to end."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...history import History
from ..components.outcome import GaussianScore
from ..maths.normal import cdf
from ..score_prediction import scored_by
from .forecasts import performance, strength

if TYPE_CHECKING:
    from .forecasts import Forecasts

__all__ = ["expectations", "people", "results"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

NAMED = 20  # opponents of a match that are named


def people(history: History, entry: Ints, team: Ints, match: Ints) -> dict[str, Any]:
    """With whom and against whom some entries played; of very many opponents the first.

    >>> history = History.from_matches([{"teams": [["ann"], ["bob", "cat"]]}])
    >>> found = people(history, np.array([1]), np.array([1]), np.array([0]))
    >>> found["partners"], found["opponents"]
    ([['cat']], [['ann']])
    """
    names, of_team, of_match = history.players, history.team_start, history.match_start
    partners, opponents, counts = [], [], []
    for e, j, i in zip(entry, team, match, strict=True):
        own, whole = (of_team[j], of_team[j + 1]), (of_team[of_match[i]], of_team[of_match[i + 1]])
        partners.append([names[p] for p in [*history.player[own[0] : e], *history.player[e + 1 : own[1]]]])
        against = [*history.player[whole[0] : own[0]][:NAMED], *history.player[own[1] : whole[1]][:NAMED]]
        opponents.append([names[p] for p in against[:NAMED]])
        counts.append(int(whole[1] - whole[0] - (own[1] - own[0])))
    return {"partners": partners, "opponents": opponents, "opponent_count": np.array(counts, np.int64)}


def results(history: History, team: Ints, match: Ints) -> dict[str, Any]:
    """How matches ended for teams: places, scores, and the share of the opposing teams that was beaten, ties as halves.

    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]], "scores": [3, 1]}])
    >>> {key: float(column[0]) for key, column in results(history, np.array([1]), np.array([0])).items()}
    {'teams': 2.0, 'place': 2.0, 'score': 1.0, 'against': 3.0, 'actual': 0.0}
    """
    first, last = history.match_start[match], history.match_start[match + 1]
    beaten, against = np.zeros(len(match)), np.full(len(match), np.nan)
    for index, (j, begin, end) in enumerate(zip(team, first, last, strict=True)):
        others = np.delete(history.place[begin:end], j - begin)
        beaten[index] = np.mean((others > history.place[j]) + 0.5 * (others == history.place[j]))
        if history.score is not None:
            against[index] = np.max(np.delete(history.score[begin:end], j - begin))
    found: dict[str, Any] = {"teams": (last - first).astype(np.int64), "place": history.place[team].astype(np.int64)}
    if history.score is not None:
        found |= {"score": history.score[team], "against": against}
    return found | {"actual": beaten}


def expectations(forecasts: Forecasts, team: Ints) -> dict[str, Any]:
    """The share of the opposing teams that were expected to be beaten, before each match, by one of its teams.

    Of two teams it is P(win) + P(draw)/2 as it was forecast; of more the mean of P(ahead) over the others, from normal
    performances.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 2)
    >>> expectations(pw.Elo().fit(history).forecasts, np.array([0, 1]))["expected"].round(3)
    array([0.5  , 0.454])
    """
    start = forecasts.history.match_start
    win = np.where(team == 0, forecasts.win, 1.0 - forecasts.win - forecasts.draw)
    expected = win + 0.5 * forecasts.draw
    mean, variance = strength(forecasts), performance(forecasts)
    for index in np.flatnonzero(np.diff(start) > 2):
        own, teams = start[index] + team[index], np.arange(start[index], start[index + 1])
        others = teams[teams != own]
        gap, spread = mean[own] - mean[others], np.sqrt(variance[own] + variance[others])
        with np.errstate(divide="ignore", invalid="ignore"):
            sure = np.where(gap == 0.0, 0.0, gap / spread)
        expected[index] = np.mean([cdf(x) for x in np.clip(sure, -40.0, 40.0).tolist()])
    scores = _scores(forecasts)
    if scores is None:
        return {"expected": expected}
    own = start[:-1] + team
    others = np.delete(scores, own)
    best = np.maximum.reduceat(others, start[:-1] - np.arange(len(own))) if len(own) else others
    return {"expected": expected, "expected_lead": scores[own] - best}


def _scores(forecasts: Forecasts) -> Floats | None:
    """The scores that were expected of the teams, or these up to a common level; None in models of places."""
    if forecasts.mean.ndim == 1:
        return forecasts.mean if isinstance(forecasts.outcome, GaussianScore) else None
    start = forecasts.history.match_start
    parts = [slice(*ends) for ends in pairwise(start.tolist())]
    found = [scored_by(forecasts.mean[part], forecasts.variance[part]) for part in parts]
    mean, variance = (np.concatenate([pair[k] for pair in found]) if found else np.zeros(0) for k in (0, 1))
    scores: Floats = forecasts.outcome.score.points(mean, variance)["median"]()  # type: ignore[attr-defined]
    return scores
