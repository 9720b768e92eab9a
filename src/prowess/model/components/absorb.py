"""Absorb rules, which turn the derivatives of a match's log-evidence into a player's new belief.

`Moment`, `Newton` and `Constant` update a mean and a variance; `Step`, `Share` and `Harkness` update ratings without
uncertainty; `Volatile` is Glicko-2's rule (Glickman 2012, *Example of the Glicko-2 system*).
"""

from __future__ import annotations

from typing import ClassVar

# kernel: lanes
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

from ... import validate
from ..engine.board import Board, is_weighted
from ..maths.elementary import exp_all
from ..params import Range, describe
from .interfaces import Absorb, missing

if not cython.compiled:
    from math import fabs

__all__ = ["Constant", "Fide", "Harkness", "Moment", "Newton", "Rule", "Share", "Step", "Volatile"]

LARGEST = cython.declare(cython.double, validate.LARGEST)
SMALL_STEP = cython.declare(cython.double, 1e-6)  # quadratic convergence: a further step would be below rounding errors
MOST_STEPS = cython.declare(cython.Py_ssize_t, 200)
LARGEST_LOG = cython.declare(cython.double, 300.0)  # largest change of log(volatility²) in one update
# Rows of `board.work` in the search for a volatility.
KNOWN = cython.declare(cython.Py_ssize_t, 0)
EXCESS = cython.declare(cython.Py_ssize_t, 1)
TOTAL = cython.declare(cython.Py_ssize_t, 2)
LOW = cython.declare(cython.Py_ssize_t, 3)
HIGH = cython.declare(cython.Py_ssize_t, 4)
ROOT = cython.declare(cython.Py_ssize_t, 5)
STEP = cython.declare(cython.Py_ssize_t, 6)
GROWN = cython.declare(cython.Py_ssize_t, 7)
_K_FACTOR = "the K-factor returned by the rule"


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class Moment(Absorb):
    """Update mean and variance exactly, to μ + σ²g₁ and σ² + σ⁴g₂ (TrueSkill and its relatives).

    g₁ and g₂ are the derivatives of the match's log-evidence with respect to the player's mean. The match acts like a
    normal observation of the skill, of precision −g₂/(1 + σ²g₂). An importance of w multiplies this precision by w.

    >>> Moment()
    Moment()
    """

    blocks = True
    exact = True
    periods = False

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def absorb(self, board: Board) -> cython.bint:
        """Multiply the variance by `kept`, which equals 1 + σ²g₂ but cannot turn negative through rounding."""
        # Almost all matches have importance 1, for which `_weigh` has nothing to do.
        if board.stride == 1:
            if board.importances[0] != 1.0:
                _weigh(board)
            _move_moments(board, 1, 1)
        else:
            if is_weighted(board):
                _weigh(board)
            _move_moments(board, board.lanes, board.stride)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _move_moments(board: Board, lanes: cython.Py_ssize_t, s: cython.Py_ssize_t) -> cython.void:
    for k in range(board.entries * board.traits):
        for lane in range(lanes):
            i = k * s + lane
            var = board.var[i]
            board.mu[i] += var * board.g1[i]
            board.var[i] = var * board.kept[i]


@cython.cfunc
@cython.exceptval(check=False)
def _weigh(board: Board) -> cython.void:
    """Multiply the precision with which a match observes a skill by the importance of the match."""
    for k in range(board.entries * board.traits):
        for lane in range(board.lanes):
            if board.importances[lane] != 1.0:
                i = k * board.stride + lane
                kept = board.kept[i] / board.importances[lane]
                scale = kept - board.var[i] * min(board.g2[i], 0.0)
                board.g1[i] /= scale
                board.kept[i] = kept / scale


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class Newton(Absorb):
    """Take a Newton step on the log-posterior (Glicko).

    The new precision is 1/σ² − g₂, and the new mean is μ + g₁/(1/σ² − g₂).

    >>> Newton()
    Newton()
    """

    blocks = True
    periods = True

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def absorb(self, board: Board) -> cython.bint:
        """Compute the step without dividing by σ², so that a skill with σ = 0 stays unchanged."""
        for k in range(board.entries * board.traits):
            for lane in range(board.lanes):
                i = k * board.stride + lane
                # A positive g₂, from rounding or an unusual likelihood, could make the divisor zero or negative.
                pull = board.g2[i] if board.g2[i] < 0.0 else 0.0
                board.var[i] /= 1.0 - board.importances[lane] * board.var[i] * pull
                board.mu[i] += board.importances[lane] * board.var[i] * board.g1[i]


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class Constant(Absorb):
    """Move the mean by σ²g₁ and keep the variance constant (TS2c).

    The variance that the drift adds before a match is removed after the match.

    >>> Constant()
    Constant()
    """

    blocks = True
    keeps_variance = True
    periods = True

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def absorb(self, board: Board) -> cython.bint:
        """Update all means; a match of importance w moves the means w times as far."""
        for k in range(board.entries * board.traits):
            for lane in range(board.lanes):
                i = k * board.stride + lane
                board.mu[i] += board.importances[lane] * board.var[i] * board.g1[i]
                board.var[i] = board.before[i]


@cython.cclass
class Rule:
    """Compute a player's K-factor, which scales Elo's rating changes, from the number of matches and the rating.

    >>> class Settling(Rule):
    ...     def k(self, matches, mu):
    ...         return 40.0 / (1.0 + matches / 20.0)
    >>> Step(Settling()).certain
    True
    """

    tunable: ClassVar[dict[str, Range]] = {}  # the parameters that can be tuned, with their ranges

    def __repr__(self) -> str:
        return describe(self)

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def k(self, matches: cython.double, mu: cython.double) -> cython.double:
        """Return the K-factor for one match.

        >>> Fide().k(10.0, 1900.0)
        40.0
        """
        raise missing(self, "k")


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class Fide(Rule):
    """FIDE's K-factor for chess: 40 in the first 30 games, then 20 for ratings below 2400 and 10 from 2400 on.

    This is a simplified rule: a player who falls below 2400 gets 20 again, and juniors are treated like adults.

    >>> Fide().k(30.0, 2399.0), Fide().k(30.0, 2400.0)
    (20.0, 10.0)
    """

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def k(self, matches: cython.double, mu: cython.double) -> cython.double:
        """Return the K-factor for one match.

        >>> Fide().k(29.0, 2500.0)
        40.0
        """
        if matches < 30.0:
            return 40.0
        return 20.0 if mu < 2400.0 else 10.0


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class Step(Absorb):
    """Elo: add K(s − E), with the score s and the expected score E, to a rating (Stout 2025, equation (5)).

    The factor `k` is a number, a `Rule`, or any function of the number of matches played and the rating. A match of
    importance w moves a rating w times as far.

    >>> Step(32.0)
    Step(k=32.0)
    >>> step = Step(lambda matches, mu: 40.0 if matches < 30 else 20.0)
    """

    k: object

    tunable: ClassVar[dict[str, Range]] = {"k": Range(1.0 / 400, 1, log=True, unit="sigma")}
    blocks = True
    certain = True
    periods = True

    def __post_init__(self) -> None:
        if not isinstance(self.k, Rule) and not callable(self.k):
            validate.scale("k", self.k, zero=True)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def absorb(self, board: Board) -> cython.bint:
        """Move every rating by K times (score − expected score); the difference is g₁ times the outcome's `unit`."""
        # A constant K needs no call per player.
        if type(self.k) is float or type(self.k) is int:
            return _move(board, self.k)
        for e in range(board.entries):
            for k in range(e * board.traits, (e + 1) * board.traits):
                for n in range(board.lanes):
                    i = k * board.stride + n
                    factor = _k_factor(self.k, board.played[e * board.stride + n], board.mu[i])
                    board.mu[i] += factor * board.importances[n] * board.unit * board.g1[i]
        return False


@cython.cfunc
def _k_factor(rule: object, matches: cython.double, mu: cython.double) -> cython.double:
    typed_rule: Rule
    if isinstance(rule, Rule):
        # A typed variable makes the call below a C call.
        typed_rule = rule
        k = typed_rule.k(matches, mu)
        if 0.0 <= k <= LARGEST:
            return k
        return validate.scale(_K_FACTOR, k, zero=True, field="k")
    return validate.scale(_K_FACTOR, rule(matches, mu) if callable(rule) else rule, zero=True, field="k")


@cython.cfunc
def _move(board: Board, factor: cython.double) -> cython.bint:
    """Add factor · `board.unit` · importance · g₁ to the mean of every player."""
    unit = factor * board.unit
    for k in range(board.entries * board.traits):
        for lane in range(board.lanes):
            i = k * board.stride + lane
            board.mu[i] += unit * board.importances[lane] * board.g1[i]
    return False


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class Share(Absorb):
    """Gaussian Elo: add αβ√π(s − Φ) to a rating (Herbrich, Minka, Graepel 2006, section 1).

    s is the score, Φ the expected score, β the noise of a performance, and α the weight of the new result.

    >>> Share()
    Share(alpha=0.07)
    """

    alpha: object = 0.07

    tunable: ClassVar[dict[str, Range]] = {"alpha": Range(0.001, 1, log=True)}
    blocks = True
    certain = True
    periods = True

    def __post_init__(self) -> None:
        validate.scale("alpha", self.alpha, zero=True)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def absorb(self, board: Board) -> cython.bint:
        """Move every rating by αβ√π(s − Φ), where β√π(s − Φ) is g₁ times the outcome's `unit`."""
        return _move(board, self.alpha)


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class Harkness(Absorb):
    """Harkness: after an event, a rating becomes the opponents' mean rating + step · (wins − losses).

    See Stout (2025), equation (1). The player's own rating before the event does not count. Each rating period is one
    event; in a model without periods, every match is one event. Events should have many games, so use periods. Use this
    rule with the outcome `Opposition`. Then g₁ is the sum, over all games, of the opponent's rating minus the player's
    own, and g₂ is wins minus losses.

    >>> Harkness()
    Harkness(step=50.0)
    """

    step: object = 50.0

    tunable: ClassVar[dict[str, Range]] = {"step": Range(1.0 / 1000, 1.0 / 2, log=True, unit="sigma")}
    blocks = True
    certain = True
    periods = True

    def __post_init__(self) -> None:
        validate.scale("step", self.step, zero=True)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def absorb(self, board: Board) -> cython.bint:
        """Replace every rating by the opponents' mean rating + step · (wins − losses).

        A match of importance w counts as w wins or losses.
        """
        step: cython.double = self.step
        for e in range(board.entries):
            for k in range(e * board.traits, (e + 1) * board.traits):
                for lane in range(board.lanes):
                    i = k * board.stride + lane
                    games = board.games[e * board.stride + lane]
                    if games > 0.0:
                        board.mu[i] += board.g1[i] / games + step * board.importances[lane] * board.g2[i]
        return False


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class Volatile(Absorb):
    """Glicko-2: every player has a volatility, which grows when results are erratic.

    At the end of a period with matches the volatility is re-estimated; `tau` limits how fast the volatility changes.
    Then the variance grows by the square of the volatility, and a Newton step follows, as in Glicko. For periods
    without matches, the drift `Idle` increases the variance before forecasts are made.

    The volatility is on the scale of the paper, where ratings are divided by 173.7178 = 400/ln 10. Multiply the
    volatility by the outcome's `unit` to get rating points. If a player has several traits, all traits share one
    volatility.

    >>> Volatile()
    Volatile(volatility=0.06, tau=0.5)
    """

    volatility: object = 0.06
    tau: object = 0.5

    tunable: ClassVar[dict[str, Range]] = {
        "volatility": Range(0.003, 1, log=True),
        "tau": Range(0.03, 3, log=True),
    }
    extras: ClassVar[tuple[str, ...]] = ("volatility",)
    blocks = True
    periods = True

    def __post_init__(self) -> None:
        validate.scale("volatility", self.volatility)
        validate.scale("tau", self.tau, zero=True)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def welcome(self, board: Board, entry: cython.Py_ssize_t) -> cython.bint:
        """Set the volatility of a newcomer."""
        board.extra[entry * board.extras * board.stride] = self.volatility
        return False

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def absorb(self, board: Board) -> cython.bint:
        """Update volatilities and ratings by steps 3 to 8 of the paper, with all numbers in rating points."""
        tau: cython.double = self.tau
        unit2 = board.unit * board.unit
        s = board.stride
        for e in range(board.entries):
            own = e * board.extras * s
            for k in range(e * board.traits, (e + 1) * board.traits):
                _find_growth(board, k * s, own, tau)
                for lane in range(board.lanes):
                    i = k * s + lane
                    push = board.importances[lane] * board.g1[i]
                    pull = board.g2[i]
                    pull = board.importances[lane] * (pull if pull < 0.0 else 0.0)
                    volatility = board.extra[own + lane] * board.work[GROWN * s + lane]
                    variance = board.var[i] + volatility * volatility * unit2
                    board.extra[own + lane] = volatility
                    board.var[i] = variance / (1.0 - variance * pull)
                    board.mu[i] += board.var[i] * push
        return False


@cython.cfunc
@cython.exceptval(check=False)
def _find_growth(board: Board, row: cython.Py_ssize_t, own: cython.Py_ssize_t, tau: cython.double) -> cython.void:
    """Set the row `GROWN` of `board.work` to the factor by which each lane's volatility grows.

    The logarithm of its square is a root of the function f in step 5 of the paper. With `variance` φ², `known` 1/v = Σ
    g²E(1 − E) and `surprise` Δ/v = Σ g(s − E), f does not overflow, even if a result was almost certain. With D = Δ² −
    φ² − v and P = φ² + v, f is a line of slope −1/τ² plus a term between −½ and D/(8P). These bounds bracket the root.
    Newton's method needs a third of the steps of the paper's Illinois algorithm.

    All lanes search at the same time; a lane that has found its root waits for the others.
    """
    s = board.stride
    unit2 = board.unit * board.unit
    square = tau * tau
    precision = 1.0 / square if square > 0.0 else 0.0
    lowest = -min(0.5 * square, LARGEST_LOG)
    for lane in range(board.lanes):
        i = row + lane
        # As in `Newton`, a positive g₂ must not make the divisor negative.
        pull = board.g2[i]
        known = board.importances[lane] * (-pull if pull < 0.0 else 0.0) * unit2
        surprise = board.importances[lane] * board.g1[i] * board.unit
        variance = board.var[i] / unit2
        excess = surprise * surprise - known * known * variance - known  # D/v²
        total = 1.0 + known * variance  # P/v
        bound = square * (excess / total / 8.0) / (known if known > 0.0 else 1.0)
        bound = bound if bound < LARGEST_LOG else LARGEST_LOG
        board.work[KNOWN * s + lane] = known
        board.work[EXCESS * s + lane] = excess
        board.work[TOTAL * s + lane] = total
        board.work[LOW * s + lane] = lowest
        board.work[HIGH * s + lane] = bound if excess > 0.0 else 0.0
        board.work[ROOT * s + lane] = 0.0
        board.work[STEP * s + lane] = 1.0 if known > 0.0 else 0.0
    searching: cython.Py_ssize_t = board.lanes if square > 0.0 else 0
    steps = 0
    while searching > 0 and steps < MOST_STEPS:
        steps += 1
        searching = _search_growth(board, own, precision)
    for lane in range(board.lanes):
        board.work[GROWN * s + lane] = 0.5 * board.work[ROOT * s + lane]
    exp_all(board.work, GROWN * s, board.lanes)


@cython.cfunc
@cython.exceptval(check=False)
def _search_growth(board: Board, own: cython.Py_ssize_t, precision: cython.double) -> cython.Py_ssize_t:
    """Take a step of Newton's method in every lane; return how many lanes have not yet found the root."""
    s = board.stride
    searching = 0
    for lane in range(board.lanes):
        board.work[GROWN * s + lane] = board.work[ROOT * s + lane]
    exp_all(board.work, GROWN * s, board.lanes)
    for lane in range(board.lanes):
        known = board.work[KNOWN * s + lane]
        excess = board.work[EXCESS * s + lane]
        total = board.work[TOTAL * s + lane]
        low = board.work[LOW * s + lane]
        high = board.work[HIGH * s + lane]
        x = board.work[ROOT * s + lane]
        before = board.work[STEP * s + lane]
        y = board.extra[own + lane] * board.extra[own + lane] * board.work[GROWN * s + lane]
        share = 1.0 / (total + known * y)
        gain = 0.5 * y * share
        value = gain * (excess - known * known * y) * share - x * precision
        slope = gain * (excess - 2.0 * known * y * (excess + known * total) * share) * share - precision
        raised = x if x > low else low
        lowered = x if x < high else high
        low = raised if value > 0.0 else low
        high = high if value > 0.0 else lowered
        # Where f does not decrease, Newton's step is useless. A step beyond the bracket makes the next lines bisect.
        newton = -value / (slope if slope < 0.0 else -1.0)
        step = newton if slope < 0.0 else LARGEST_LOG + LARGEST_LOG
        middle = 0.5 * (low + high) - x
        step = step if x + step >= low else middle
        step = step if x + step <= high else middle
        step = step if fabs(before) > SMALL_STEP else 0.0
        board.work[LOW * s + lane] = low
        board.work[HIGH * s + lane] = high
        board.work[ROOT * s + lane] = x + step
        board.work[STEP * s + lane] = step
        searching += 1 if fabs(step) > SMALL_STEP else 0
    return searching
