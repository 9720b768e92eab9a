"""Forecasts with ties for outcomes in which many teams can share a place.

Performances are rounded to a grid of step 2ε, which is shifted by a random phase. As a result, two performances at a
distance d are tied with probability max(0, 1 − |d|/2ε), and the performance of a place is the centre of a cell of the
grid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

# kernel
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

from ...engine.board import Board, positive
from ...maths.elementary import exp, expm1
from ...maths.normal import Truncated, above, cdf, log_pdf, probability
from ..interfaces import Outcome
from ..margin import margin_from

if TYPE_CHECKING:
    from ...prediction import Prediction

if not cython.compiled:
    from math import fabs, sqrt

NARROW = cython.declare(cython.double, 0.01)  # for smaller steps, a series is more accurate than differences


@cython.cclass
class RoundedPlaces(Outcome):
    """The base of outcomes that do not model how ties arise. Such outcomes forecast ties by rounding performances.

    >>> from prowess.model.components.outcome import Places, PlacesML
    >>> issubclass(Places, RoundedPlaces) and issubclass(PlacesML, RoundedPlaces)
    True
    """

    scores = "none"

    @property
    def reads_entries(self) -> bool:
        """The attribute `reads_entries` of the margin."""
        return margin_from(self.draw_probability, self.margin, tie_width).reads_entries

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def prepare(self, board: Board) -> cython.bint:
        """Store the margin policy on the board."""
        board.margin = margin_from(self.draw_probability, self.margin, tie_width)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def forecast(self, board: Board) -> cython.bint:
        """Forecast a match of two teams, which is a tie if both performances are rounded to the same number."""
        board.margin.measure(board, False)
        forecast_rounded(board, match_margin(board))
        return False

    def predict(self, board: Board) -> Prediction:
        """Predict a match of any number of teams, in the same way as `forecast`."""
        from ...prediction import predict

        board.margin.measure(board, False)
        return predict(board, match_margin(board))


def match_margin(board: Board) -> cython.double:
    """Return one margin ε for the whole match, even if the policy has a margin for each pair of teams.

    For two teams, the margin is that of the pair. For more teams, it is the root mean square, over all teams, of a
    team's margin to a team like itself. With `FromDraws`, this is the margin of two teams with the mean noise. A
    constant margin is returned exactly.

    >>> from prowess.model.engine.board import Board
    >>> match_margin(Board())
    0.0
    """
    square = 0.0
    if board.teams == 2:
        return board.margin.between(board, 0, 1)
    for j in range(board.teams):
        margin = board.margin.between(board, j, j)
        square += (margin * margin - square) / (j + 1)
    return sqrt(square)


def forecast_rounded(board: Board, epsilon: cython.double) -> cython.bint:
    """Set `win`, `draw` and `loss` of two teams whose performances are rounded.

    With X ~ N(gap, 1) and the step a = 2ε of the grid, P(win) = E[min(1, max(0, X)/a)]. P(win) is computed as a
    difference of values of E[max(0, X)], and P(draw) as a second difference.
    """
    board.sharpnesses[0] = 1.0 / sqrt(positive(board.variance[0] + board.variance[1]))
    board.gaps[0] = (board.mean[0] - board.mean[1]) * board.sharpnesses[0]
    board.edges[0] = epsilon * board.sharpnesses[0]
    gap = fabs(board.gaps[0])
    step = 2.0 * board.edges[0]
    if step * max(gap, 1.0) < NARROW:
        board.draws[0] = _narrow_draw(gap, step)
        worse = _narrow_loss(gap, step)
        better = 1.0 - board.draws[0] - worse
    else:
        here = _expected_excess(gap, board.cut)
        near = _expected_excess(fabs(gap - step), board.cut)
        far = _expected_excess(gap + step, board.cut)
        worse = (here - far) / step
        # The larger of P(win) and P(draw) is computed as 1 minus the others, because there rounding matters least.
        if step > gap:
            better = (gap + here - near) / step
            board.draws[0] = 1.0 - better - worse
        else:
            board.draws[0] = (near - 2.0 * here + far) / step
            better = 1.0 - board.draws[0] - worse
    board.wins[0] = better if board.gaps[0] > 0.0 else worse
    board.losses[0] = worse if board.gaps[0] > 0.0 else better
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _expected_excess(x: cython.double, cut: Truncated) -> cython.double:
    """Return the expected excess E[max(0, X − x)] of a standard normal variable X over x."""
    above(-x, cut)
    return probability(cut, 0) * cut.mean[0]


@cython.cfunc
@cython.exceptval(check=False)
def _narrow_draw(gap: cython.double, step: cython.double) -> cython.double:
    """Return P(draw) for a grid with a small step a, by a series.

    The series uses the even moments a³/6 and a⁵/15 of the triangle max(0, 1 − |d|/a).
    """
    g = gap * gap
    a = step * step
    return step * exp(log_pdf(gap)) * (1.0 + a * (g - 1.0) / 12.0 + a * a * (g * (g - 6.0) + 3.0) / 360.0)


@cython.cfunc
@cython.exceptval(check=False)
def _narrow_loss(gap: cython.double, step: cython.double) -> cython.double:
    """Return P(loss) for a grid with a small step, by a series: the mean of Φ(−gap − x) over 0 ≤ x ≤ step."""
    g = gap * gap
    series = 0.5 - step * (gap / 6.0 - step * ((g - 1.0) / 24.0 - step * (gap * (g - 3.0) / 120.0)))
    return cdf(-gap) - step * exp(log_pdf(gap)) * series


def tie_width(p: float) -> float:
    """Return the margin ε at which two teams tie with probability p, if the performance difference is N(0, 1).

    The probability is a concave function of ε, so Newton's method approaches the root from below.

    >>> round(tie_width(0.1), 6), tie_width(0.0)
    (0.125994, 0.0)
    """
    board = Board()
    board.variance[0] = board.variance[1] = 0.5
    density = exp(log_pdf(0.0))
    epsilon, before = 0.5 * p / density, 0.0
    while epsilon > before:
        before = epsilon
        forecast_rounded(board, epsilon)
        slope = -density * expm1(-2.0 * epsilon * epsilon) / (epsilon * epsilon) if epsilon > 1e-3 else 2.0 * density
        epsilon += max((p - board.draws[0]) / slope, 0.0)
    return epsilon
