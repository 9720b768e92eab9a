"""The outcome of Gaussian Elo (Herbrich, Minka, Graepel 2006, section 1)."""

from __future__ import annotations

from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

if cython.compiled:
    from cython.cimports.libc.math import exp, sqrt
    from cython.cimports.prowess.model.components.outcome.pairwise import Pairwise
    from cython.cimports.prowess.model.engine.board import Board, positive
    from cython.cimports.prowess.model.maths.normal import above, cdf, log_pdf, log_z
else:
    from math import exp, sqrt

    from ...engine.board import Board, positive
    from ...maths.normal import above, cdf, log_pdf, log_z
    from .pairwise import Pairwise

FOUR_PHI_0 = cython.declare(cython.double, 1.5957691216057307117)
HALF_PI = cython.declare(cython.double, 1.5707963267948966192)


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class Probit(Pairwise):
    """The better of two normal performances wins, and ratings move in proportion to s − Φ: Gaussian Elo.

    With c² the variance of the difference of the performances (2β² for ratings without uncertainty) and z = Δ/c, the
    expected score is Φ(z). d₁ = 4φ(0)(s − Φ(z))/c is *not* the derivative of the log-evidence, which has φ/Φ where this
    has s − Φ: between equals they are the same, elsewhere this is linear in the surprise. d₂ is the derivative of d₁.
    With `Share(alpha)` a player moves by αβ√π(s − Φ(z)), as printed. The model's β must be above 0.

    >>> from prowess.model.engine.board import Board
    >>> round(Probit().chance(Board(), 1.0, 1.0), 4)
    0.8413
    """

    gradient = False

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def prepare(self, board: Board) -> cython.bint:
        """β√π(s − Φ) is πβ²/2 · d₁."""
        board.unit = HALF_PI * board.beta * board.beta
        return False

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def chance(self, board: Board, gap: cython.double, variance: cython.double) -> cython.double:
        """Equation (1)."""
        z = gap / sqrt(positive(variance))
        board.expected = cdf(z)
        board.conceded = cdf(-z)
        return board.expected

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def meet(
        self, board: Board, gap: cython.double, own: cython.double, other: cython.double, result: cython.double
    ) -> cython.bint:
        """The K-factor of the paper goes to the absorb rule."""
        sharpness = 1.0 / sqrt(positive(own + other))
        z = gap * sharpness
        slope = FOUR_PHI_0 * sharpness
        board.push = slope * (result * cdf(-z) - (1.0 - result) * cdf(z))
        board.pull = -slope * sharpness * exp(log_pdf(z))
        return False

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def likelihood(
        self, board: Board, gap: cython.double, own: cython.double, other: cython.double, result: cython.double
    ) -> cython.double:
        """s log Φ(z) + (1 − s) log Φ(−z)."""
        z = gap / sqrt(positive(own + other))
        found = 0.0
        if result > 0.0:
            above(z, board.cut)
            found += result * log_z(board.cut)
        if result < 1.0:
            above(-z, board.cut)
            found += (1.0 - result) * log_z(board.cut)
        return found

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def stretch(self, least: cython.double, most: cython.double) -> cython.double:
        """Four standard deviations of the difference, where all sides have the same."""
        return 4.0 * sqrt(2.0 * least) if least == most else 0.0

    def performance(self, variance: Any) -> Any:
        """Performances are normal already."""
        return variance
