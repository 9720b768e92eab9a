"""What is expected of a match before it is played."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Error
from .engine.board import Board
from .maths.quadrature import grid
from .maths.rank_probabilities import first_alone, rank_matrix
from .score_distribution import ScoreDifference, ScoreDistribution

Floats = NDArray[np.float64]

RESULTS = 5  # most probable scores that plain data names
WORDS = ((0.04, "as even as can be"), (0.12, "even"), (0.3, "a little uneven"), (0.6, "uneven"), (1.0, "one-sided"))


@dataclass(frozen=True, eq=False)
class Prediction:
    """The forecast of one match.

    `win[i]` is the probability that team i is first alone, `draw` that first place is shared (for two teams: a draw),
    so `win.sum() + draw` is 1. `ranks[i, r]` is the probability that r teams finish ahead of team i. `mean` and `sigma`
    describe the teams' performances.

    Models of scores also say `scores` and `score_means`, and their distributions (`score_distribution`); those with
    normal scores say by how much the first of two teams outscores the second (`score_difference`). All else is None.

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
    margins: list[tuple[NDArray[np.int32], Floats]] = field(repr=False)  # teams, and their margins to all
    cell: float = field(default=0.0, repr=False)  # half the step to which performances are rounded, if they are
    score_distribution: ScoreDistribution | None = field(default=None, repr=False, kw_only=True)
    score_difference: ScoreDifference | None = field(default=None, repr=False, kw_only=True)

    @cached_property
    def scores(self) -> Floats | None:
        """The point forecast of every team's score: the median. None where scores, or their level, are not modelled.

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
        """The expected score of every team; large where counts are uncertain, and never shown above e⁷⁰⁰.

        >>> import prowess as pw
        >>> outcome = pw.outcome.OffenceDefence(pw.outcome.PoissonScore())
        >>> model = pw.Model(prior=pw.Normal(1, 1), noise=1, outcome=outcome)
        >>> found = model.predict([[model.rating()], [model.rating()]])
        >>> found.score_means.round(2), found.scores
        (array([7.39, 7.39]), array([1., 1.]))
        """
        return None if self.score_distribution is None else self.score_distribution.means

    @cached_property
    def ranks(self) -> Floats:
        """P(rank r + 1) of team i in row i, column r; ranks are counted as in sports, 1, 2, 2, 4.

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
        """How far the teams' chances to win are from equal ones: 0 where they are equal, 1 where one team surely wins.

        It is the share of the chances that would have to change hands, over the most that ever would.

        >>> import prowess as pw
        >>> pw.TrueSkill(draw_probability=0).predict([[pw.Rating(30, 1)], [pw.Rating(30, 1)]]).tilt
        0.0
        """
        share = (self.win + self.draw / len(self.win)) / (self.win.sum() + self.draw)
        return float(min(np.maximum(share - 1.0 / len(share), 0.0).sum() / (1.0 - 1.0 / len(share)), 1.0))

    @property
    def fairness(self) -> str:
        """How fair the match is, in words: by how far the teams' chances to win are from equal ones.

        >>> import prowess as pw
        >>> pw.TrueSkill().predict([[pw.Rating(40, 1)], [pw.Rating(10, 1)]]).fairness
        'one-sided'
        """
        return next(word for most, word in WORDS if self.tilt <= most)

    def to_dict(self) -> dict[str, Any]:
        """The forecast as plain data; models of places say nothing of scores.

        >>> import prowess as pw
        >>> list(pw.TrueSkill().predict([[pw.Rating(30, 1)], [pw.Rating(25, 1)]]).to_dict())
        ['win', 'draw', 'ranks', 'mean', 'sigma']
        """
        found: dict[str, Any] = {"win": self.win.tolist(), "draw": float(self.draw), "ranks": self.ranks.tolist()}
        found |= {"mean": self.mean.tolist(), "sigma": self.sigma.tolist()}
        if self.scores is not None and self.score_means is not None:
            found |= {"scores": self.scores.tolist(), "score_means": self.score_means.tolist()}
            likely = [{"scores": [a, b], "probability": p} for a, b, p in self.likeliest(RESULTS)]
            found |= {"most_probable": likely} if likely else {}
        if self.score_difference is not None:
            found["score_difference"] = {"mean": self.score_difference.mean, "sigma": self.score_difference.sigma}
        return found

    def likeliest(self, count: int) -> list[tuple[int, int, float]]:
        """The most probable scores of two teams, each with its probability; none where scores are not counted.

        >>> import prowess as pw
        >>> pw.TrueSkill().predict([[pw.Rating(30, 1)], [pw.Rating(25, 1)]]).likeliest(3)
        []
        """
        return [] if self.score_distribution is None else self.score_distribution.likeliest(count)


def predict(board: Board, cell: float | None = None) -> Prediction:
    """The forecast of the match that lies on a board, its teams' performances known.

    With `cell`, performances are rounded to a grid of twice this step and a random phase; ties are those of a cell.
    """
    n = board.teams
    mean = np.array(board.mean[:n])
    sigma = np.sqrt(np.array(board.variance[:n]))
    if n == 2:
        return Prediction(mean, sigma, np.array([board.win, board.loss]), board.draw, [])
    margins = _margins(board) if cell is None else [(np.ones(n, np.int32), np.full(n, cell))]
    if not sigma.all():
        raise Error(
            "a team's performance is known exactly; give the model a beta above 0 to predict three or more teams"
        )
    win = np.zeros(n)
    for wanted, margin in margins:
        nodes = grid(mean, sigma, margin)
        first_alone(mean, sigma, margin, wanted, *nodes, cell or 0.0, np.empty(n + 1), win)  # type: ignore[arg-type]
    if not any(margin.any() for _, margin in margins):
        return Prediction(mean, sigma, win / win.sum(), 0.0, margins)
    return Prediction(mean, sigma, win, max(1.0 - float(win.sum()), 0.0), margins, cell or 0.0)


def _margins(board: Board) -> list[tuple[NDArray[np.int32], Floats]]:
    """Teams and their margins to all others; teams of equal margins are taken together: one integral serves them."""
    n = board.teams
    board.margin.measure(board, False)
    noise = np.array(board.noise[:n])
    groups: dict[bytes, tuple[NDArray[np.int32], Floats]] = {}
    for one in np.unique(noise):
        first = int(np.argmax(noise == one))
        margins = np.array([board.margin.between(board, first, j) for j in range(n)])
        wanted, _ = groups.setdefault(margins.tobytes(), (np.zeros(n, np.int32), margins))
        wanted[noise == one] = 1
    return list(groups.values())
