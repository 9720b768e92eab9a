"""Scores that are counts: Poisson-OD as a part of `OffenceDefence`.

See Guo, Sanner, Graepel, Buntine (2012), sections 3 and 4.2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

if cython.compiled:
    from cython.cimports.libc.math import floor, log
    from cython.cimports.prowess.model.components.interfaces import Score
    from cython.cimports.prowess.model.engine.board import Board, positive
    from cython.cimports.prowess.model.maths.poisson import log_pmf, tilt
else:
    from math import floor, log

    from ...engine.board import Board, positive
    from ...maths.poisson import log_pmf, tilt
    from ..interfaces import Score

from .... import validate
from ....errors import Error
from ...maths.poisson_pairs import chances
from ...params import Range

if TYPE_CHECKING:
    from ...score_distribution import ScoreDistribution

PREDICTIONS = ("integrated", "plug-in")


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class PoissonScore(Score):
    """Scores that are counts: s ~ Poisson(eˣ).

    The posterior p of x is approximated by the normal distribution q with the smallest KL(q‖p).

    If `prediction` is "integrated", forecasts are integrated over the uncertainty of x. With "plug-in", as in the
    paper, forecasts use the rates e^mean and are over-confident. In both cases, win and draw probabilities are computed
    on demand.

    Real leagues have more draws, or fewer, than independent scores would give. `draw_factor` multiplies the probability
    of a draw between two teams, relative to win and loss. The draw factor changes only forecasts, not the ratings.

    >>> PoissonScore("plug-in").prediction
    'plug-in'
    """

    prediction: object = "integrated"
    draw_factor: object = 1.0

    tunable: ClassVar[dict[str, Range]] = {"draw_factor": Range(0.3, 3, log=True)}
    later = True
    typical = 0.3  # usual standard deviation of log-rates

    def __post_init__(self) -> None:
        if self.prediction not in PREDICTIONS:
            raise validate.invalid("prediction", 'be "integrated" or "plug-in"', self.prediction)
        validate.scale("draw_factor", self.draw_factor)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def check(self, board: Board) -> cython.bint:
        """Raise `Error` for a team without a score, or with a score that is not a count."""
        Score.check(self, board)
        for j in range(board.teams):
            score = board.score[j]
            if score < 0.0 or floor(score) != score:
                message = f"PoissonScore needs whole scores of at least 0; team {j + 1} has {score:g}"
                raise Error(message, field="scores", team=j, value=score)
        return False

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def seen(self, board: Board, score: cython.double, mean: cython.double, variance: cython.double) -> cython.double:
        """Update the belief about x from a score, by equations (14) to (19); return a lower bound of the log-evidence.

        The change of the mean, m′ − m, is computed as v s − y or as κ − v′/2 − m (see `tilt`): the formula that
        subtracts smaller numbers loses fewer digits.
        """
        y = tilt(mean, positive(variance), score)
        inverse = 1.0 / variance
        rate = y * inverse  # e^κ
        board.rest = 1.0 / (1.0 + y)
        board.pull = rate * board.rest
        half = 0.5 * variance * board.rest
        if y < 1.0:
            moved = variance * score - y
            kappa = mean + moved + half
        else:
            kappa = log(rate)
            moved = kappa - half - mean
        board.push = moved * inverse
        return log_pmf(score, kappa, rate) - half * score - 0.5 * (moved * board.push - y * board.rest + log(1.0 + y))

    def chances(self, mean: Any, variance: Any, win: Any, draw: Any) -> None:
        """Fill P(win) and P(draw) of many matches, integrated over both teams' x or computed from the plug-in rates."""
        chances(mean, self._used(variance), win, draw)
        if self.draw_factor != 1.0:
            win /= 1.0 + (self.draw_factor - 1.0) * draw
            draw *= self.draw_factor / (1.0 + (self.draw_factor - 1.0) * draw)

    def points(self, mean: Any, variance: Any) -> dict[str, Any]:
        """Return functions for the medians and means of the counts, and for the "plug-in" rate eˣ of the paper.

        >>> import numpy as np
        >>> {name: find().round(2) for name, find in PoissonScore().points(np.zeros(1), np.ones(1)).items()}
        {'median': array([1.]), 'mean': array([1.65]), 'plug-in': array([1.])}
        """
        from ...score_distribution import CountScores

        counts = CountScores(mean, self._used(variance) ** 0.5)
        rates = CountScores(mean, 0.0 * variance)
        return {"median": lambda: counts.medians, "mean": lambda: counts.means, "plug-in": lambda: rates.means}

    def distribution(self, board: Board, mean: Any, variance: Any) -> ScoreDistribution:
        """Return the distribution of the counts, with a log-normal rate or with the plug-in rate."""
        from ...score_distribution import CountScores

        return CountScores(mean, self._used(variance) ** 0.5)

    def _used(self, variance: Any) -> Any:
        return variance if self.prediction == "integrated" else 0.0 * variance
