"""The curves for comparing two teams: `Logistic` (Elo, Glicko), `Probit` (Gaussian Elo), `Opposition` (Harkness).

See Stout (2025), equations (1) and (3) to (8); Glickman (1999); Herbrich, Minka, Graepel (2006), section 1.
"""

from __future__ import annotations

from typing import Any, ClassVar

# kernel: lanes
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

from .... import validate
from ...engine.board import Board, positive
from ...maths.elementary import exp, exp_all, log1p, log1p_all
from ...maths.normal import above, cdf, log_pdf, log_z
from ...params import Range
from .pairwise import Pairwise

if not cython.compiled:
    from math import fabs, sqrt

    from .pairwise import CONCEDED, EXPECTED

# Positions in `board.memo`: the last |z|, and exp(−|z|).
DISTANCE = cython.declare(cython.Py_ssize_t, 0)
FACTOR = cython.declare(cython.Py_ssize_t, 1)

# Rows of `board.work`, besides those of `Pairwise`: q g, z, exp(−|z|), and the log-likelihood of the result.
SLOPE = cython.declare(cython.Py_ssize_t, 3)
Z = cython.declare(cython.Py_ssize_t, 4)
ODDS = cython.declare(cython.Py_ssize_t, 5)
LIKELIHOOD = cython.declare(cython.Py_ssize_t, 6)

LN10 = cython.declare(cython.double, 2.3025850929940456840)
THREE_OVER_PI2 = cython.declare(cython.double, 0.30396355092701331433)
HALF_PI = cython.declare(cython.double, 1.5707963267948966192)
PHI_0 = cython.declare(cython.double, 0.39894228040143267794)
FOUR_PHI_0 = cython.declare(cython.double, 1.5957691216057307117)
# Φ(x/1.702) differs from 1/(1 + e⁻ˣ) by at most 0.0095; any other divisor gives a larger difference.
LOGISTIC_VARIANCE = 1.702 * 1.702


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class Logistic(Pairwise):
    """The expected score is 1/(1 + 10^(−Δ/scale)): a lead of `scale` points means odds of ten to one.

    As in Glicko, the uncertainty of an opponent brings the expected score closer to ½. With q = ln 10/scale and g =
    1/√(1 + 3q²v/π²) for the opponent's variance v, E = 1/(1 + exp(−q g Δ)), d₁ = q g (s − E) and d₂ = −q² g² E(1 − E).
    For ratings without uncertainty g is 1, and the expected score is that of Elo. The forecast uses the sum of both
    variances for v.

    A draw counts as half a win and half a loss, so its log-likelihood ½ log E(1 − E) is not the logarithm of a
    probability. The log-evidence of two teams is the mean of the log-likelihoods from both teams' points of view. If
    the variances of the teams are equal, d₁ is the derivative of the log-evidence.

    >>> from prowess.model.engine.board import Board
    >>> board, elo = Board(), Logistic()
    >>> elo.prepare(board)
    False
    >>> round(elo.chance(board, 200.0, 0.0), 4), round(elo.chance(board, 200.0, 2 * 350.0**2), 4)
    (0.7597, 0.6498)
    """

    scale: object = 400.0

    tunable: ClassVar[dict[str, Range]] = {"scale": Range(0.1, 10, log=True, unit="value", sets="scale")}
    blocks = True

    def __post_init__(self) -> None:
        validate.scale("scale", self.scale)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def prepare(self, board: Board) -> cython.bint:
        """Set `board.unit`, the factor of d₁ in a rating change, to 1/q, because K(s − E) equals K d₁/q."""
        scale: cython.double = self.scale
        board.unit = scale / LN10
        return False

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def chance(self, board: Board, gap: cython.double, variance: cython.double) -> cython.double:
        """Return the expected score E.

        The variance is the sum of both variances, so that the expected scores of both sides add up to one.
        """
        _expect_logistic(board, _slope(self.scale, variance) * gap)
        return board.expected

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def expect(self, board: Board) -> cython.bint:
        """Set the expected scores of both teams of every match.

        >>> from prowess.model.engine.board import Board
        >>> board = Board()
        >>> board.mean[0] = 400.0
        >>> Logistic(400.0).expect(board)
        False
        >>> round(board.work[1] / board.work[2], 9)
        10.0
        """
        s = board.stride
        _set_odds(board, self.scale, 0.0)
        for lane in range(board.lanes):
            odds = board.work[ODDS * s + lane]
            z = board.work[Z * s + lane]
            board.work[EXPECTED * s + lane] = _expected(odds, z)
            board.work[CONCEDED * s + lane] = _expected(odds, -z)
        return False

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def compare_two(self, board: Board) -> cython.bint:
        """Set `d1` and `d2` of both teams of every match; for teams without uncertainty (Elo), reuse the forecast.

        >>> from prowess.model.engine.board import Board
        >>> board, elo = Board(), Logistic(400.0)
        >>> board.place[1] = 1  # the first team wins
        >>> elo.expect(board), elo.compare_two(board)
        (False, False)
        >>> [round(100 * d, 4) for d in board.d1]
        [0.2878, -0.2878]
        """
        scale: cython.double = self.scale
        one = board.stride
        uncertain = 0
        for lane in range(board.lanes):
            uncertain += 1 if board.variance[lane] + board.variance[one + lane] > 0.0 else 0
        if uncertain > 0:
            _set_odds(board, scale, 1.0)
        _compare_side(board, scale, 0, one)
        for lane in range(board.lanes):
            board.evidences[lane] = board.work[LIKELIHOOD * one + lane]
        if uncertain == 0:
            for lane in range(board.lanes):
                board.d1[one + lane] = -board.d1[lane]
                board.d2[one + lane] = board.d2[lane]
            return False
        _set_odds(board, scale, -1.0)
        _compare_side(board, scale, one, 0)
        for lane in range(board.lanes):
            both = 0.5 * (board.evidences[lane] + board.work[LIKELIHOOD * one + lane])
            board.evidences[lane] = (
                both if board.variance[lane] != board.variance[one + lane] else board.evidences[lane]
            )
        return False

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def meet(
        self, board: Board, gap: cython.double, own: cython.double, other: cython.double, result: cython.double
    ) -> cython.bint:
        """Set `push` and `pull` to the derivatives q g (s − E) and −q² g² E(1 − E)."""
        slope = _slope(self.scale, other)
        _expect_logistic(board, slope * gap)
        board.push = _push(slope, result, board.expected, board.conceded)
        board.pull = _pull(slope, board.expected, board.conceded)
        return False

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def likelihood(
        self, board: Board, gap: cython.double, own: cython.double, other: cython.double, result: cython.double
    ) -> cython.double:
        """Return the log-likelihood of the score s: s log E + (1 − s) log(1 − E)."""
        z = _slope(self.scale, other) * gap
        _expect_logistic(board, z)
        return _log_likelihood(z, result, log1p(board.memo[FACTOR]))

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def stretch(self, least: cython.double, most: cython.double) -> cython.double:
        """Return 4/q, a length over which the curve is smooth enough to interpolate.

        The nearest pole of the curve is π/q away from the real axis, and further away for g below 1.
        """
        scale: cython.double = self.scale
        return 4.0 * scale / LN10

    def performance(self, variance: Any) -> Any:
        """Return half the variance of the difference of two performances with the given prior variance.

        The difference has a logistic distribution with the squared scale 1/q² + 3v/π².
        """
        unit: float = self.scale / LN10
        return LOGISTIC_VARIANCE * (0.5 * unit * unit + THREE_OVER_PI2 * variance)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _slope(scale: cython.double, variance: cython.double) -> cython.double:
    """Return q g(√v), the factor by which the rating difference is multiplied in the expected score E."""
    q = LN10 / scale
    return q / sqrt(1.0 + THREE_OVER_PI2 * q * q * variance)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _expected(odds: cython.double, z: cython.double) -> cython.double:
    """Return the expected score E = 1/(1 + exp(−z)), given exp(−|z|)."""
    more = 1.0 / (1.0 + odds)
    return more if z >= 0.0 else odds * more


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _push(
    slope: cython.double, result: cython.double, expected: cython.double, conceded: cython.double
) -> cython.double:
    """Return slope · (s − E) for the result s, without loss of digits."""
    return slope * (result * conceded - (1.0 - result) * expected)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _pull(slope: cython.double, expected: cython.double, conceded: cython.double) -> cython.double:
    """Return −slope² E(1 − E)."""
    return -slope * slope * expected * conceded


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _log_likelihood(z: cython.double, result: cython.double, certain: cython.double) -> cython.double:
    """Return the log-likelihood of a result, given log(1 + exp(−|z|)).

    The log-likelihood of an upset is |z| lower than that of the expected result. So log(1 − E), which loses digits for
    an E near 1, is not needed.
    """
    upset = 1.0 - result if z >= 0.0 else result
    return -upset * fabs(z) - certain


@cython.cfunc
@cython.exceptval(check=False)
def _expect_logistic(board: Board, z: cython.double) -> cython.void:
    """Set `expected` to the expected score E = 1/(1 + exp(−z)), and `conceded` to 1 − E.

    exp(−|z|) is stored for the next call, because both sides of a pair need this number.
    """
    if fabs(z) != board.memo[DISTANCE]:
        board.memo[DISTANCE] = fabs(z)
        board.memo[FACTOR] = exp(-board.memo[DISTANCE])
    board.expected = _expected(board.memo[FACTOR], z)
    board.conceded = _expected(board.memo[FACTOR], -z)


@cython.cfunc
@cython.exceptval(check=False)
def _set_odds(board: Board, scale: cython.double, side: cython.double) -> cython.void:
    """Set z and exp(−|z|) of every match of two teams, from the point of view of one side: 1 or −1.

    The variance is that of the other side. If `side` is 0, the point of view is that of the first team, and the
    variance is the sum of both variances, as in a forecast.
    """
    one = board.stride
    own = 0.0 if side > 0.0 else 1.0  # whether the variance of the first team counts
    other = 0.0 if side < 0.0 else 1.0
    sign = -1.0 if side < 0.0 else 1.0
    for lane in range(board.lanes):
        slope = _slope(scale, own * board.variance[lane] + other * board.variance[one + lane])
        z = sign * slope * (board.mean[lane] - board.mean[one + lane])
        board.work[SLOPE * one + lane] = slope
        board.work[Z * one + lane] = z
        board.work[ODDS * one + lane] = -fabs(z)
    exp_all(board.work, ODDS * one, board.lanes)


@cython.cfunc
@cython.exceptval(check=False)
def _compare_side(board: Board, scale: cython.double, row: cython.Py_ssize_t, other: cython.Py_ssize_t) -> cython.void:
    """Set `d1` and `d2` of one side of every match, and the log-likelihood of the result from its point of view."""
    s = board.stride
    for lane in range(board.lanes):
        board.work[LIKELIHOOD * s + lane] = board.work[ODDS * s + lane]
    log1p_all(board.work, LIKELIHOOD * s, board.lanes)
    for lane in range(board.lanes):
        lead: cython.double = board.place[other + lane] - board.place[row + lane]
        result = 1.0 if lead > 0.0 else 0.5
        result = result if lead >= 0.0 else 0.0
        odds = board.work[ODDS * s + lane]
        z = board.work[Z * s + lane]
        slope = board.work[SLOPE * s + lane]
        expected = _expected(odds, z)
        conceded = _expected(odds, -z)
        board.d1[row + lane] = _push(slope, result, expected, conceded)
        board.d2[row + lane] = _pull(slope, expected, conceded)
        board.work[LIKELIHOOD * s + lane] = _log_likelihood(z, result, board.work[LIKELIHOOD * s + lane])


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class Probit(Pairwise):
    """Gaussian Elo: the better of two normal performances wins, and ratings move in proportion to s − Φ.

    c² is the variance of the difference of the performances (2β² for ratings without uncertainty), z = Δ/c, and the
    expected score is Φ(z). d₁ = 4φ(0)(s − Φ(z))/c is *not* the derivative of the log-evidence, which would have φ/Φ in
    place of s − Φ. For two equal teams, both formulas give the same d₁. d₂ is the derivative of d₁. With `Share(alpha)`
    a rating moves by αβ√π(s − Φ(z)), as in the paper. The model's β must be above 0.

    >>> from prowess.model.engine.board import Board
    >>> round(Probit().chance(Board(), 1.0, 1.0), 4)
    0.8413
    """

    blocks = True
    gradient = False

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def prepare(self, board: Board) -> cython.bint:
        """Set `board.unit`, the factor of d₁ in a rating change, to πβ²/2, because β√π(s − Φ) is πβ²/2 · d₁."""
        board.unit = HALF_PI * board.beta * board.beta
        return False

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def chance(self, board: Board, gap: cython.double, variance: cython.double) -> cython.double:
        """Return the expected score Φ(z) of equation (1)."""
        return _expect_normal(board, gap / sqrt(positive(variance)))

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def meet(
        self, board: Board, gap: cython.double, own: cython.double, other: cython.double, result: cython.double
    ) -> cython.bint:
        """Set `push` and `pull` without the paper's K-factor, which belongs to the absorb rule."""
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
        """Return the log-likelihood of the score s: s log Φ(z) + (1 − s) log Φ(−z)."""
        z = gap / sqrt(positive(own + other))
        log_likelihood = 0.0
        if result > 0.0:
            above(z, board.cut)
            log_likelihood += result * log_z(board.cut, 0)
        if result < 1.0:
            above(-z, board.cut)
            log_likelihood += (1.0 - result) * log_z(board.cut, 0)
        return log_likelihood

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def stretch(self, least: cython.double, most: cython.double) -> cython.double:
        """Return a length over which the curve is smooth enough to interpolate; 0 if variances differ.

        The length is four standard deviations of the difference of two performances.
        """
        return 4.0 * sqrt(2.0 * least) if least == most else 0.0

    def performance(self, variance: Any) -> Any:
        """Return the variance unchanged, because performances are already normal."""
        return variance


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class Opposition(Pairwise):
    """Collect the opponents' ratings and the results, the only information that the Harkness system uses.

    `d1` and `d2` are not derivatives: `d1` is the opponent's rating minus the player's own, and `d2` is wins minus
    losses. The absorb rule `Harkness` computes a new rating from the sums of both.

    The Harkness system itself makes no forecasts. On the Harkness scale, however, `span` points (1000) correspond to a
    hundred percent of the score. Therefore this class assumes an expected score of Φ(Δ/(φ(0) · span)), which rises by
    1/span per point at Δ = 0.

    >>> from prowess.model.engine.board import Board
    >>> round(Opposition().chance(Board(), 100.0, 0.0), 3)
    0.599
    """

    span: object = 1000.0

    tunable: ClassVar[dict[str, Range]] = {"span": Range(0.1, 10, log=True, unit="value", sets="scale")}
    blocks = True
    gradient = False

    def __post_init__(self) -> None:
        validate.scale("span", self.span)

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def chance(self, board: Board, gap: cython.double, variance: cython.double) -> cython.double:
        """Return the expected score Φ(Δ/√((φ(0) · span)² + variance)) for a rating difference of Δ."""
        return _expect_normal(board, gap / sqrt(_noise(self.span) + variance))

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def meet(
        self, board: Board, gap: cython.double, own: cython.double, other: cython.double, result: cython.double
    ) -> cython.bint:
        """Set `push` to the opponent's rating minus the side's own, and `pull` to 1, 0 or −1 for win, draw or loss."""
        board.push = -gap
        board.pull = 2.0 * result - 1.0
        return False

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def likelihood(
        self, board: Board, gap: cython.double, own: cython.double, other: cython.double, result: cython.double
    ) -> cython.double:
        """Return the log-likelihood of the score s: s log E + (1 − s) log(1 − E)."""
        z = gap / sqrt(_noise(self.span) + own + other)
        above(z, board.ahead)
        above(-z, board.behind)
        return result * log_z(board.ahead, 0) + (1.0 - result) * log_z(board.behind, 0)

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def stretch(self, least: cython.double, most: cython.double) -> cython.double:
        """Return the length over which `push` is smooth.

        `push` is linear in the gap, so the length exceeds any range of ratings.
        """
        return 1e60

    def performance(self, variance: Any) -> Any:
        """Return the given variance plus half of the noise variance that `chance` uses."""
        return variance + 0.5 * _noise(self.span)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _noise(span: cython.double) -> cython.double:
    return PHI_0 * PHI_0 * span * span


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _expect_normal(board: Board, z: cython.double) -> cython.double:
    """Set `expected` to Φ(z) and `conceded` to 1 − Φ(z), both to full accuracy; return Φ(z)."""
    board.expected = cdf(z)
    board.conceded = cdf(-z)
    return board.expected
