"""Match predictions: win probabilities, ranks and scores.

Matches that are decided by scores are predicted in one of three ways. Matches of two teams use the outcome's own
forecast, or integration (`chances`). Matches of more teams with normal scores are predicted exactly, from independent
normal performances. Matches of more teams whose scores are counts are predicted by random sampling with a fixed seed.
Up to twenty teams take 200,000 samples, so the standard error of a probability is at most 0.0012. More teams take fewer
samples, but at least 20,000, for a standard error of at most 0.0036.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Error
from .engine.board import Board
from .maths.quadrature import grid
from .maths.rank_probabilities import first_alone, rank_matrix
from .score_distribution import ScoreDifference, ScoreDistribution

if TYPE_CHECKING:
    from .components.interfaces import Score

Floats = NDArray[np.float64]

RESULTS = 5  # number of most probable scores in `to_dict`
DRAWS = 200_000
FEWEST_DRAWS = 20_000
CELLS = 4_000_000  # limit of samples times teams
FAIRNESS = ((0.04, "as even as can be"), (0.12, "even"), (0.3, "a little uneven"), (0.6, "uneven"), (1.0, "one-sided"))


@dataclass(frozen=True, eq=False)
class Prediction:
    """The forecast of one match.

    `win[i]` is the probability that team i alone finishes first. `draw` is the probability that several teams share
    first place (for two teams, a draw). So `win.sum() + draw` is 1. `ranks[i, r]` is the probability that r teams
    finish ahead of team i. `mean` and `sigma` describe the teams' performances.

    Models of scores also have `scores`, `score_means` and `score_distribution`; models of normal scores have the
    `score_difference` of two teams. In other models these attributes are None.

    >>> import prowess as pw
    >>> model = pw.TrueSkill(draw_probability=0)
    >>> p = model.predict([[pw.Rating(30, 1)], [pw.Rating(25, 1)], [pw.Rating(25, 1)]])
    >>> p.win.round(3), round(p.draw, 3)
    (array([0.681, 0.16 , 0.16 ]), 0.0)
    >>> p.ranks.round(3)
    array([[0.681, 0.229, 0.09 ],
           [0.16 , 0.385, 0.455],
           [0.16 , 0.385, 0.455]])
    """

    mean: Floats
    sigma: Floats
    win: Floats
    draw: float
    # groups of teams that have the same margins to all others, and these margins
    margins: list[tuple[NDArray[np.int32], Floats]] = field(repr=False)
    cell: float = field(default=0.0, repr=False)  # half the step to which performances are rounded, or 0
    score_distribution: ScoreDistribution | None = field(default=None, repr=False, kw_only=True)
    score_difference: ScoreDifference | None = field(default=None, repr=False, kw_only=True)

    @cached_property
    def scores(self) -> Floats | None:
        """The median score of every team, as a point forecast.

        None if the model has no scores, or only score differences.

        >>> import prowess as pw
        >>> outcome = pw.outcome.OffenceDefence(pw.outcome.GaussianScore(3))
        >>> model = pw.Model(prior=pw.Normal(4, 3), noise=2, outcome=outcome)
        >>> teams = [[pw.Rating(offence=pw.Rating(30, 2), defence=pw.Rating(10, 2))], [model.rating()]]
        >>> model.predict(teams).scores
        array([26., -6.])
        """
        return None if self.score_distribution is None else self.score_distribution.medians

    @property
    def score_means(self) -> Floats | None:
        """The mean score of every team; a mean above e⁷⁰⁰ is given as e⁷⁰⁰.

        None if the model has no scores, or only score differences.

        If scores are counts with a very uncertain rate, the mean is much larger than the median.

        >>> import prowess as pw
        >>> outcome = pw.outcome.OffenceDefence(pw.outcome.PoissonScore())
        >>> model = pw.Model(prior=pw.Normal(1, 1), noise=1, outcome=outcome)
        >>> prediction = model.predict([[model.rating()], [model.rating()]])
        >>> prediction.score_means.round(2), prediction.scores
        (array([7.39, 7.39]), array([1., 1.]))
        """
        return None if self.score_distribution is None else self.score_distribution.means

    @cached_property
    def ranks(self) -> Floats:
        """The rank probabilities: row i, column r is the probability of rank r + 1 for team i.

        Ties are ranked 1, 2, 2, 4.

        >>> import prowess as pw
        >>> pw.TrueSkill(draw_probability=0).predict([[pw.Rating(30, 1)], [pw.Rating(25, 1)]]).ranks.round(3)
        array([[0.795, 0.205],
               [0.205, 0.795]])
        """
        n = len(self.mean)
        if n == 2:
            return np.array([[1.0 - self.win[1], self.win[1]], [1.0 - self.win[0], self.win[0]]])
        out = np.zeros((n, n))
        for wanted, margin in self.margins:
            nodes = grid(self.mean, self.sigma, margin)
            scratch = np.empty(n), np.empty(n + 1), np.empty(2, np.int32)
            rank_matrix(self.mean, self.sigma, margin, wanted, *nodes, self.cell, *scratch, out)  # type: ignore[arg-type]
        out /= out.sum(axis=1, keepdims=True)
        return out

    @property
    def tilt(self) -> float:
        """How far the chances to win are from equal: 0 for equal chances, 1 if one team certainly wins.

        The number is the share of probability that would have to move between teams to make all chances equal, divided
        by the largest possible share.

        >>> import prowess as pw
        >>> pw.TrueSkill(draw_probability=0).predict([[pw.Rating(30, 1)], [pw.Rating(30, 1)]]).tilt
        0.0
        """
        share = (self.win + self.draw / len(self.win)) / (self.win.sum() + self.draw)
        return float(min(np.maximum(share - 1.0 / len(share), 0.0).sum() / (1.0 - 1.0 / len(share)), 1.0))

    @property
    def fairness(self) -> str:
        """How fair the match is, in words. The closer to equal the chances to win are, the fairer the match.

        >>> import prowess as pw
        >>> pw.TrueSkill().predict([[pw.Rating(40, 1)], [pw.Rating(10, 1)]]).fairness
        'one-sided'
        """
        return next(word for most, word in FAIRNESS if self.tilt <= most)

    def to_dict(self) -> dict[str, Any]:
        """Return the prediction as plain data, including scores if the model predicts scores.

        >>> import prowess as pw
        >>> list(pw.TrueSkill().predict([[pw.Rating(30, 1)], [pw.Rating(25, 1)]]).to_dict())
        ['win', 'draw', 'ranks', 'mean', 'sigma']
        """
        plain: dict[str, Any] = {"win": self.win.tolist(), "draw": float(self.draw), "ranks": self.ranks.tolist()}
        plain |= {"mean": self.mean.tolist(), "sigma": self.sigma.tolist()}
        if self.scores is not None and self.score_means is not None:
            plain |= {"scores": self.scores.tolist(), "score_means": self.score_means.tolist()}
            likely = [{"scores": [a, b], "probability": p} for a, b, p in self.likeliest(RESULTS)]
            plain |= {"most_probable": likely} if likely else {}
        if self.score_difference is not None:
            plain["score_difference"] = self.score_difference.to_dict()
        return plain

    def likeliest(self, count: int) -> list[tuple[int, int, float]]:
        """Return the `count` most probable pairs of scores of two teams, each with its probability.

        The list is empty unless scores are counts (see `ScoreDistribution.likeliest`).

        >>> import prowess as pw
        >>> pw.TrueSkill().predict([[pw.Rating(30, 1)], [pw.Rating(25, 1)]]).likeliest(3)
        []
        """
        return [] if self.score_distribution is None else self.score_distribution.likeliest(count)


def predict(board: Board, cell: float | None = None) -> Prediction:
    """Predict the match on a board from its teams' performances.

    If `cell` is given, performances are rounded to a grid with steps of twice `cell` and a random phase. Equal rounded
    performances are a tie.
    """
    n = board.teams
    mean = np.array(board.mean[:n])
    sigma = np.sqrt(np.array(board.variance[:n]))
    if n == 2:
        return Prediction(mean, sigma, np.array([board.win, board.loss]), board.draw, [])
    return _predict_places(mean, sigma, _margins(board) if cell is None else _one_margin(n, cell), cell or 0.0)


def _predict_places(
    mean: Floats, sigma: Floats, margins: list[tuple[NDArray[np.int32], Floats]], cell: float = 0.0
) -> Prediction:
    """Predict the places of three or more teams with independent normal performances (see `Prediction.margins`)."""
    n = len(mean)
    if not sigma.all():
        raise Error("predictions of three or more teams need uncertain performances; give the model a beta above 0")
    win = np.zeros(n)
    for wanted, margin in margins:
        nodes = grid(mean, sigma, margin)
        first_alone(mean, sigma, margin, wanted, *nodes, cell, np.empty(n + 1), win)  # type: ignore[arg-type]
    if not any(margin.any() for _, margin in margins):
        return Prediction(mean, sigma, win / win.sum(), 0.0, margins)
    return Prediction(mean, sigma, win, max(1.0 - float(win.sum()), 0.0), margins, cell)


def _one_margin(teams: int, margin: float) -> list[tuple[NDArray[np.int32], Floats]]:
    return [(np.ones(teams, np.int32), np.full(teams, margin))]


def _margins(board: Board) -> list[tuple[NDArray[np.int32], Floats]]:
    """Return groups of teams that have the same margins to all other teams, and these margins.

    The rank probabilities of such a group need only one integral.
    """
    n = board.teams
    board.margin.measure(board, False)
    noise = np.array(board.noise[:n])
    groups: dict[bytes, tuple[NDArray[np.int32], Floats]] = {}
    for level in np.unique(noise):
        first = int(np.argmax(noise == level))
        margins = np.array([board.margin.between(board, first, j) for j in range(n)])
        wanted, _ = groups.setdefault(margins.tobytes(), (np.zeros(n, np.int32), margins))
        wanted[noise == level] = 1
    return list(groups.values())


@dataclass(frozen=True, eq=False)
class ScorePrediction(Prediction):
    """A prediction whose ranks cannot be computed from `mean` and `sigma` alone.

    >>> import prowess as pw
    >>> outcome = pw.outcome.OffenceDefence(pw.outcome.PoissonScore())
    >>> model = pw.Model(prior=pw.Normal(0.2, 0.5), noise=0.2, outcome=outcome)
    >>> model.predict([[model.rating()]] * 3).ranks[0].round(1)
    array([0.5, 0.4, 0.2])
    """

    placed: Floats | Prediction | None = field(default=None, repr=False)  # the ranks, or a prediction that has them

    @cached_property
    def ranks(self) -> Floats:
        """The rank probabilities: row i, column r is the probability of rank r + 1 for team i.

        Ties are ranked 1, 2, 2, 4.
        """
        if self.placed is None:
            return np.array([[1.0 - self.win[1], self.win[1]], [1.0 - self.win[0], self.win[0]]])
        return self.placed if isinstance(self.placed, np.ndarray) else self.placed.ranks


def scored_by(mean: Any, variance: Any) -> tuple[Floats, Floats]:
    """Return mean and variance of x for every team; x is the team's offence minus the mean of the others' defences.

    >>> scored_by([5.0, 1.0, 4.0, 2.0], [1.0, 2.0, 3.0, 4.0])
    (array([3., 3.]), array([5., 5.]))
    """
    means, variances = np.reshape(mean, (-1, 2)), np.reshape(variance, (-1, 2))
    others = (1.0 - np.eye(len(means))) / (len(means) - 1)
    return means[:, 0] - others @ means[:, 1], variances[:, 0] + others**2 @ variances[:, 1]


def predict_scores(board: Board, score: Score) -> Prediction:
    """Predict the match on a board by a model of offence and defence."""
    n = board.teams
    traits = np.array(board.mean[: 2 * n]), np.array(board.variance[: 2 * n])
    mean, variance = scored_by(*traits)
    distribution = score.distribution(board, mean, variance)
    values: dict[str, Any] = {"mean": mean, "sigma": np.sqrt(variance), "score_distribution": distribution}
    noise = score.added(board)
    if n == 2:
        win, draw = np.array([board.win, board.loss]), board.draw
        if score.later:
            chances = np.empty(1), np.empty(1)
            score.chances(mean, variance, *chances)
            draw = float(chances[1][0])
            win = np.array([chances[0][0], max(1.0 - chances[0][0] - draw, 0.0)])
        if noise is not None:
            gap, spread = float(mean[0] - mean[1]), float(variance.sum()) + 2.0 * noise
            values["score_difference"] = ScoreDifference(gap, spread**0.5, 2.0 * score.rounding_margin())
        return ScorePrediction(**values, win=win, draw=draw, margins=[])
    if noise is not None:
        own, own_variance = _own(*traits, noise)
        placed = _predict_places(own, np.sqrt(own_variance), _one_margin(n, score.rounding_margin()))
        return ScorePrediction(**values, win=placed.win, draw=placed.draw, margins=[], placed=placed)
    win, ranks = _sample_counts(*traits, distribution)
    return ScorePrediction(**values, win=win, draw=1.0 - float(win.sum()), margins=[], placed=ranks)


def predict_differences(board: Board, spread: float, margin: float) -> Prediction:
    """Predict the match on a board by a model of score differences.

    `spread` is the noise variance of a difference; differences of up to `margin` are draws.
    """
    n = board.teams
    mean, variance = np.array(board.mean[:n]), np.array(board.variance[:n])
    values: dict[str, Any] = {"mean": mean, "sigma": np.sqrt(variance), "margins": []}
    if n == 2:
        difference = ScoreDifference(float(mean[0] - mean[1]), float(variance.sum() + spread) ** 0.5, 2.0 * margin)
        win = np.array([board.win, board.loss])
        return ScorePrediction(**values, win=win, draw=board.draw, score_difference=difference)
    placed = _predict_places(mean, np.sqrt(variance + 0.5 * spread), _one_margin(n, margin))
    return ScorePrediction(**values, win=placed.win, draw=placed.draw, placed=placed)


def _own(mean: Floats, variance: Floats, noise: float) -> tuple[Floats, Floats]:
    """Return mean and variance of the performance that decides each team's place.

    This performance is the team's offence plus a share of its own defence.
    """
    means, variances = mean.reshape(-1, 2), variance.reshape(-1, 2)
    h = 1.0 / (len(means) - 1)
    return means[:, 0] + h * means[:, 1], variances[:, 0] + h * h * variances[:, 1] + noise


def _sample_counts(mean: Floats, variance: Floats, distribution: ScoreDistribution) -> tuple[Floats, Floats]:
    # A fixed seed makes the prediction of a match reproducible.
    rng = np.random.default_rng(0)
    means, sigmas = mean.reshape(-1, 2), np.sqrt(variance.reshape(-1, 2))
    n = len(means)
    if not distribution.sigma.any():
        # Plug-in predictions treat the rates as known.
        sigmas = np.zeros_like(sigmas)
    # Many teams get fewer samples, so that the time stays bounded.
    draws = min(DRAWS, max(FEWEST_DRAWS, CELLS // n))
    chunk = max(1, min(draws, CELLS // (4 * n)))
    alone, ranks = np.zeros(n), np.zeros(n * n)
    for start in range(0, draws, chunk):
        skills = means + sigmas * rng.standard_normal((min(chunk, draws - start), n, 2))
        conceded = skills[:, :, 1].sum(axis=1, keepdims=True) - skills[:, :, 1]
        scores = distribution.logarithms(rng, skills[:, :, 0] - conceded / (n - 1))
        order = np.argsort(-scores, axis=1)
        ordered = np.take_along_axis(scores, order, axis=1)
        new = np.concatenate([np.ones((len(ordered), 1), bool), ordered[:, 1:] != ordered[:, :-1]], axis=1)
        rank = np.maximum.accumulate(np.where(new, np.arange(n), 0), axis=1)
        ranks += np.bincount((order * n + rank).ravel(), minlength=n * n)
        alone += np.bincount(order[new[:, 1], 0], minlength=n)
    return alone / draws, (ranks / draws).reshape(n, n)
