"""The base of score likelihoods: P(score | x), where x is what a team's offence makes of the others' defence.

A `Score` looks at one score at a time; `OffenceDefence` makes an outcome of it. Guo, Sanner, Graepel, Buntine (2012).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

if cython.compiled:
    from cython.cimports.prowess.model.components.interfaces import Outcome
    from cython.cimports.prowess.model.engine.board import Board
else:
    from ...engine.board import Board
    from ..interfaces import Outcome

from ....errors import Error
from ..interfaces import missing

if TYPE_CHECKING:
    from ...score_distribution import ScoreDistribution


@cython.cclass
class Score(Outcome):
    """The probability of one score given x ~ N(mean, variance); by itself it is only a part of an outcome.

    >>> Score().whole
    False
    """

    whole = False
    blind: ClassVar[tuple[str, ...]] = ("origin",)  # scores have a scale

    @property
    def habits(self) -> tuple[str, ...]:
        """What it learns of a league's scores when it is a part: the names of its numbers in `board.memory`.

        >>> Score().habits
        ()
        """
        return ()

    def check(self, board: Board) -> cython.bint:
        """Every team must have a score."""
        for j in range(board.teams):
            if board.score[j] != board.score[j]:
                raise Error(f"{type(self).__name__} needs scores; team {j + 1} has none", field="scores", team=j)
        return False

    def seen(self, board: Board, score: cython.double, mean: cython.double, variance: cython.double) -> cython.double:
        """Condition x ~ N(m, v) on a score; returns its log-evidence.

        Leaves on the board `push` = (m′ − m)/v, `pull` = (v − v′)/v² and `rest` = v′/v, each computed by itself.
        """
        raise missing(self, "seen")

    def foresee(
        self,
        board: Board,
        mean: cython.double,
        variance: cython.double,
        mean_1: cython.double,
        variance_1: cython.double,
    ) -> cython.bint:
        """Set `win`, `draw` and `loss` of two teams whose x are independent; NaN where that is found `later`."""
        board.win = board.draw = board.loss = float("nan")
        return False

    def remember(self, board: Board) -> cython.bint:
        """Learn from the scores of a match what the next ones will need."""
        return False

    def chances(self, mean: Any, variance: Any, win: Any, draw: Any) -> None:
        """Fill P(win) and P(draw) of many matches at once, from both teams' x in a row; where they come `later`."""
        raise missing(self, "chances")

    def points(self, mean: Any, variance: Any) -> dict[str, Any]:
        """Ways to forecast the scores of teams whose x are N(mean, variance), by name: here all are x.

        >>> Score().points(3.0, 1.0)["median"]()
        3.0
        """
        return dict.fromkeys(("median", "mean", "plug-in"), lambda: mean)

    def distribution(self, board: Board, mean: Any, variance: Any) -> ScoreDistribution:
        """The distributions of the scores of teams whose x are N(mean, variance)."""
        raise missing(self, "distribution")

    def added(self, board: Board) -> float | None:
        """The variance of the normal noise of a score around x; None where scores are not like that."""
        return None
