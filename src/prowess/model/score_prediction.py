"""Predictions of matches that are decided by scores: who wins, and with which scores.

Two teams: the outcome's own forecast, or the integral of `chances`. More teams with normal scores: independent normal
performances, exactly. More teams with counts: seeded draws, 200,000 of them for up to twenty teams and fewer for more
(never less than 20,000), so that the standard error of a probability is at most 0.0012, or 0.0036.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .engine.board import Board
from .prediction import Prediction, predict
from .score_distribution import ScoreDifference, ScoreDistribution

if TYPE_CHECKING:
    from .components.interfaces import Score

Floats = NDArray[np.float64]

DRAWS = 200_000
FEWEST = 20_000
CELLS = 4_000_000  # draws times teams that are made for many teams


@dataclass(frozen=True, eq=False)
class ScorePrediction(Prediction):
    """A prediction whose places do not follow from `mean` and `sigma` alone; for these, three or more teams.

    >>> import prowess as pw
    >>> outcome = pw.outcome.OffenceDefence(pw.outcome.PoissonScore())
    >>> model = pw.Model(prior=pw.Normal(0.2, 0.5), noise=0.2, outcome=outcome)
    >>> model.predict([[model.rating()]] * 3).ranks[0].round(1)
    array([0.5, 0.4, 0.2])
    """

    placed: Floats | Prediction | None = field(default=None, repr=False)  # ranks, or a prediction that has them

    @cached_property
    def ranks(self) -> Floats:
        """P(rank r + 1) of team i in row i, column r; ranks are counted as in sports, 1, 2, 2, 4."""
        if self.placed is None:
            return np.array([[1.0 - self.win[1], self.win[1]], [1.0 - self.win[0], self.win[0]]])
        return self.placed if isinstance(self.placed, np.ndarray) else self.placed.ranks


def scored_by(mean: Any, variance: Any) -> tuple[Floats, Floats]:
    """Mean and variance of every team's x, its offence less the mean of the others' defences.

    >>> scored_by([5.0, 1.0, 4.0, 2.0], [1.0, 2.0, 3.0, 4.0])
    (array([3., 3.]), array([5., 5.]))
    """
    means, variances = np.reshape(mean, (-1, 2)), np.reshape(variance, (-1, 2))
    others = (1.0 - np.eye(len(means))) / (len(means) - 1)
    return means[:, 0] - others @ means[:, 1], variances[:, 0] + others**2 @ variances[:, 1]


def predict_scores(board: Board, score: Score) -> Prediction:
    """The forecast of a match of offence against defence."""
    n = board.teams
    traits = np.array(board.mean[: 2 * n]), np.array(board.variance[: 2 * n])
    mean, variance = scored_by(*traits)
    distribution = score.distribution(board, mean, variance)
    known: dict[str, Any] = {"mean": mean, "sigma": np.sqrt(variance), "score_distribution": distribution}
    noise = score.added(board)
    if n == 2:
        win, draw = np.array([board.win, board.loss]), board.draw
        if score.later:
            win, draw = _chances(score, mean, variance)
        if noise is not None:
            gap, spread = float(mean[0] - mean[1]), float(variance.sum()) + 2.0 * noise
            known["score_difference"] = ScoreDifference(gap, spread**0.5)
        return ScorePrediction(**known, win=win, draw=draw, margins=[])
    if noise is not None:
        placed = _exactly(*_own(*traits, noise))
        return ScorePrediction(**known, win=placed.win, draw=placed.draw, margins=[], placed=placed)
    win, ranks = _drawn(*traits, distribution)
    return ScorePrediction(**known, win=win, draw=1.0 - float(win.sum()), margins=[], placed=ranks)


def predict_differences(board: Board, spread: float) -> Prediction:
    """The forecast of a match of which only the differences of scores are known, two of them with variance `spread`."""
    n = board.teams
    mean, variance = np.array(board.mean[:n]), np.array(board.variance[:n])
    known: dict[str, Any] = {"mean": mean, "sigma": np.sqrt(variance), "margins": []}
    if n == 2:
        difference = ScoreDifference(float(mean[0] - mean[1]), float(variance.sum() + spread) ** 0.5)
        win = np.array([board.win, board.loss])
        return ScorePrediction(**known, win=win, draw=board.draw, score_difference=difference)
    placed = _exactly(mean, variance + 0.5 * spread)
    return ScorePrediction(**known, win=placed.win, draw=placed.draw, placed=placed)


def _chances(score: Score, mean: Floats, variance: Floats) -> tuple[Floats, float]:
    """Win and draw of two teams by the integral that also serves whole histories."""
    win, draw = np.empty(1), np.empty(1)
    score.chances(mean, variance, win, draw)
    return np.array([win[0], max(1.0 - win[0] - draw[0], 0.0)]), float(draw[0])


def _own(mean: Floats, variance: Floats, noise: float) -> tuple[Floats, Floats]:
    """What a team's place depends on: its offence and its own part of all defences; the rest is common to all."""
    means, variances = mean.reshape(-1, 2), variance.reshape(-1, 2)
    h = 1.0 / (len(means) - 1)
    return means[:, 0] + h * means[:, 1], variances[:, 0] + h * h * variances[:, 1] + noise


def _exactly(mean: Floats, variance: Floats) -> Prediction:
    """Places by independent normal performances without a margin."""
    board = Board(len(mean), len(mean))
    for j in range(len(mean)):
        board.mean[j], board.variance[j] = mean[j], variance[j]
    return predict(board)


def _drawn(mean: Floats, variance: Floats, distribution: ScoreDistribution) -> tuple[Floats, Floats]:
    """P(first alone) and the ranks of every team, by draws of skills and scores."""
    rng = np.random.default_rng(0)
    means, sigmas = mean.reshape(-1, 2), np.sqrt(variance.reshape(-1, 2))
    n = len(means)
    if not distribution.sigma.any():
        sigmas = np.zeros_like(sigmas)
    draws = min(DRAWS, max(FEWEST, CELLS // n))
    chunk = max(1, min(draws, CELLS // (4 * n)))
    alone, ranks = np.zeros(n), np.zeros(n * n)
    for start in range(0, draws, chunk):
        shown = means + sigmas * rng.standard_normal((min(chunk, draws - start), n, 2))
        conceded = shown[:, :, 1].sum(axis=1, keepdims=True) - shown[:, :, 1]
        scores = distribution.logarithms(rng, shown[:, :, 0] - conceded / (n - 1))
        order = np.argsort(-scores, axis=1)
        ordered = np.take_along_axis(scores, order, axis=1)
        new = np.concatenate([np.ones((len(ordered), 1), bool), ordered[:, 1:] != ordered[:, :-1]], axis=1)
        rank = np.maximum.accumulate(np.where(new, np.arange(n), 0), axis=1)
        ranks += np.bincount((order * n + rank).ravel(), minlength=n * n)
        alone += np.bincount(order[new[:, 1], 0], minlength=n)
    return alone / draws, (ranks / draws).reshape(n, n)
