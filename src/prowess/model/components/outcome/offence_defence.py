"""Two skills, offence and defence: a team's score depends on its own offence and the others' defence.

Guo, Sanner, Graepel, Buntine (2012), section 3.1. The score of team i is seen through x = oᵢ − the mean of the others'
defences. Between two teams that makes two independent updates; more teams are the business of `several`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

if cython.compiled:
    from cython.cimports.prowess.model.components.interfaces import Outcome
    from cython.cimports.prowess.model.components.outcome.many_teams import several
    from cython.cimports.prowess.model.components.outcome.score_base import Score
    from cython.cimports.prowess.model.engine.board import Board
else:
    from ...engine.board import Board
    from ..interfaces import Outcome
    from .many_teams import several
    from .score_base import Score

from ....errors import Error

if TYPE_CHECKING:
    from ...prediction import Prediction

__all__ = ["OffenceDefence"]


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class OffenceDefence(Outcome):
    """A team scores by its offence against the others' defence: Gaussian-OD and Poisson-OD, by the score's likelihood.

    Offence and defence of a team are each made of its players' by the team function. With more than two teams every
    score is one term, against the mean of the others' defences.

    >>> import prowess as pw
    >>> outcome = OffenceDefence(pw.outcome.GaussianScore(5.0))
    >>> outcome.traits
    ('offence', 'defence')
    """

    score: object

    traits: ClassVar[tuple[str, ...]] = ("offence", "defence")
    blind: ClassVar[tuple[str, ...]] = ("origin",)  # offence less defence: where both begin is not seen

    def __post_init__(self) -> None:
        if not isinstance(self.score, Score) or type(self.score) is Score:
            raise Error(f"score must be a likelihood of scores, such as PoissonScore(), not {self.score!r}")

    @property
    def remembers(self) -> tuple[str, ...]:
        """What the score's likelihood learns of the league's scores.

        >>> import prowess as pw
        >>> OffenceDefence(pw.outcome.GaussianScore()).remembers
        ('scores', 'score_mean', 'score_squares')
        """
        return self.score.habits

    @property
    def typical(self) -> float:
        """The deviation that skills usually have, by the score's likelihood.

        >>> import prowess as pw
        >>> OffenceDefence(pw.outcome.PoissonScore()).typical
        0.3
        """
        return self.score.typical

    @property
    def later(self) -> bool:
        """Whether `win` and `draw` of a whole history wait until somebody asks.

        >>> import prowess as pw
        >>> OffenceDefence(pw.outcome.PoissonScore()).later
        True
        """
        return self.score.later

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def forecast(self, board: Board) -> cython.bint:
        """From the two x, which are independent."""
        score: Score = self.score
        score.foresee(
            board,
            board.mean[0] - board.mean[3],
            board.variance[0] + board.variance[3],
            board.mean[2] - board.mean[1],
            board.variance[2] + board.variance[1],
        )
        return False

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def evidence(self, board: Board) -> cython.double:
        """Equations (6) to (8)."""
        score: Score = self.score
        log_z: cython.double
        score.check(board)
        if board.teams == 2:
            log_z = _update(board, score, 0, 3, board.score[0]) + _update(board, score, 2, 1, board.score[1])
        else:
            log_z = several(board, score)
        score.remember(board)
        return log_z

    def chances(self, mean: Any, variance: Any, win: Any, draw: Any) -> None:
        """Fill P(win) of the first team and P(draw) of matches of two teams, from what a sweep wrote of their teams.

        `mean` and `variance` hold offence and defence of the first team, then of the second, match after match.

        >>> import numpy as np, prowess as pw
        >>> win, draw = np.empty(1), np.empty(1)
        >>> OffenceDefence(pw.outcome.PoissonScore()).chances(np.array([0.5, 0, 0.5, 0]), np.full(4, 0.1), win, draw)
        >>> win.round(3), draw.round(3)
        (array([0.398]), array([0.204]))
        """
        means, variances = mean.reshape(-1, 4), variance.reshape(-1, 4)
        gaps = means[:, ::2] - means[:, :0:-2]
        spreads = variances[:, ::2] + variances[:, :0:-2]
        self.score.chances(gaps.ravel(), spreads.ravel(), win, draw)

    def performances(self, board: Board) -> tuple[list[float], list[float], list[float]]:
        """Offence and a team's own part in all defences, with the noise of a score: by these the teams finish."""
        h: cython.double = 1.0 / (board.teams - 1)
        noise = self.scatter(board)
        teams = range(0, 2 * board.teams, 2)
        means, variances, noises = board.mean, board.variance, board.noise
        return (
            [means[t] + h * means[t + 1] for t in teams],
            [variances[t] + h * h * variances[t + 1] + noise for t in teams],
            [noises[t] + h * h * noises[t + 1] + noise for t in teams],
        )

    def scatter(self, board: Board) -> float:
        """The noise of a score, where it is normal."""
        return self.score.added(board) or 0.0

    def predict(self, board: Board) -> Prediction:
        """Who scores how much, and who scores most."""
        from ...score_prediction import predict_scores

        return predict_scores(board, self.score)


@cython.cfunc
@cython.exceptval(-1.0, check=True)
def _update(
    board: Board, score: Score, offence: cython.Py_ssize_t, defence: cython.Py_ssize_t, points: cython.double
) -> cython.double:
    """One score between the offence of a team and the defence of the other: x is their difference."""
    variance: cython.double = board.variance[offence] + board.variance[defence]
    log_z: cython.double = score.seen(board, points, board.mean[offence] - board.mean[defence], variance)
    inverse: cython.double
    board.d1[offence] = board.push
    board.d1[defence] = -board.push
    board.d2[offence] = board.d2[defence] = -board.pull
    board.left[offence] = board.left[defence] = 1.0
    if variance > 0.0:
        inverse = 1.0 / variance
        board.left[offence] = (board.variance[defence] + board.variance[offence] * board.rest) * inverse
        board.left[defence] = (board.variance[offence] + board.variance[defence] * board.rest) * inverse
    return log_z
