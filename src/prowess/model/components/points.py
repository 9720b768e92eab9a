"""Absorb rules of systems whose ratings are points, without uncertainty: Elo, Gaussian Elo, Harkness."""

from __future__ import annotations

from typing import ClassVar

try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

if cython.compiled:
    from cython.cimports.prowess.model.components.interfaces import Absorb
    from cython.cimports.prowess.model.engine.board import Board
else:
    from ..engine.board import Board
    from .interfaces import Absorb

from ... import validate
from ..params import Range
from .interfaces import missing

__all__ = ["Fide", "Harkness", "Rule", "Share", "Step"]

LARGEST = cython.declare(cython.double, validate.LARGEST)


@cython.cclass
class Rule:
    """How large K is for a player, by the number of matches that she has played and by her rating.

    >>> class Settling(Rule):
    ...     def k(self, matches, mu):
    ...         return 40.0 / (1.0 + matches / 20.0)
    >>> Step(Settling()).certain
    True
    """

    tunable: ClassVar[dict[str, Range]] = {}  # the parameters that may be tuned, and from where to where

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def k(self, matches: cython.double, mu: cython.double) -> cython.double:
        """K for one match.

        >>> Fide().k(10.0, 1900.0)
        40.0
        """
        raise missing(self, "k")


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class Fide(Rule):
    """The rule of the World Chess Federation: 40 for the first 30 games, then 20 below 2400 and 10 from 2400 on.

    Simplified: a player who falls below 2400 again gets 20 again, and there is no rule for the young.

    >>> Fide().k(30.0, 2399.0), Fide().k(30.0, 2400.0)
    (20.0, 10.0)
    """

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def k(self, matches: cython.double, mu: cython.double) -> cython.double:
        """K for one match.

        >>> Fide().k(29.0, 2500.0)
        40.0
        """
        if matches < 30.0:
            return 40.0
        return 20.0 if mu < 2400.0 else 10.0


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class Step(Absorb):
    """Elo: μ + K(s − E), where K is a number or a rule by matches played and rating (Stout 2025, equation (5)).

    A rule is a `Rule` or any function of the two numbers. A match that counts w times moves w times as far.

    >>> Step(32.0)
    Step(k=32.0)
    >>> step = Step(lambda matches, mu: 40.0 if matches < 30 else 20.0)
    """

    k: object

    tunable: ClassVar[dict[str, Range]] = {"k": Range(1.0 / 400, 1, log=True, unit="sigma")}
    certain = True
    periods = True

    def __post_init__(self) -> None:
        if not isinstance(self.k, Rule) and not callable(self.k):
            validate.scale("k", self.k, zero=True)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def absorb(self, board: Board) -> cython.bint:
        """The outcome's `unit` makes s − E of g₁."""
        e: cython.Py_ssize_t
        i: cython.Py_ssize_t
        k: cython.double
        if type(self.k) is float or type(self.k) is int:
            return _move(board, self.k)
        for e in range(board.entries):
            for i in range(e * board.traits, (e + 1) * board.traits):
                k = _factor(self.k, board.played[e], board.mu[i])
                board.mu[i] += k * board.importance * board.unit * board.g1[i]
        return False


@cython.cfunc
@cython.exceptval(-1.0, check=True)
def _factor(rule: object, matches: cython.double, mu: cython.double) -> cython.double:
    """K by a rule or a function, which must be such that ratings stay finite."""
    known: Rule
    k: cython.double
    if isinstance(rule, Rule):
        known = rule
        k = known.k(matches, mu)
        if 0.0 <= k <= LARGEST:
            return k
        return validate.scale("K by the rule for it", k, zero=True)
    return validate.scale("K by the rule for it", rule(matches, mu) if callable(rule) else rule, zero=True)


@cython.cfunc
@cython.exceptval(-1, check=False)
def _move(board: Board, factor: cython.double) -> cython.bint:
    """μ + factor · unit · g₁, w times for a match that counts w times."""
    i: cython.Py_ssize_t
    step: cython.double = factor * board.importance * board.unit
    for i in range(board.entries * board.traits):
        board.mu[i] += step * board.g1[i]
    return False


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class Share(Absorb):
    """Gaussian Elo: μ + αβ√π(s − Φ), α the weight of the new evidence (Herbrich, Minka, Graepel 2006, section 1).

    >>> Share()
    Share(alpha=0.07)
    """

    alpha: object = 0.07

    tunable: ClassVar[dict[str, Range]] = {"alpha": Range(0.001, 1, log=True)}
    certain = True
    periods = True

    def __post_init__(self) -> None:
        validate.scale("alpha", self.alpha, zero=True)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def absorb(self, board: Board) -> cython.bint:
        """The outcome's `unit` makes β√π(s − Φ) of g₁."""
        return _move(board, self.alpha)


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class Harkness(Absorb):
    """The mean rating of the opponents + step (wins − losses) over an event (Stout 2025, equation (1)).

    It has no memory: the player's own rating before the event does not count. So it needs events of many games, each a
    rating period; without periods every match is an event. It goes with the outcome `Opposition`, whose g₁ is the sum
    of the opponents' ratings as seen from the player's own, and whose g₂ is wins less losses.

    >>> Harkness()
    Harkness(step=50.0)
    """

    step: object = 50.0

    tunable: ClassVar[dict[str, Range]] = {"step": Range(1.0 / 1000, 1.0 / 2, log=True, unit="sigma")}
    certain = True
    periods = True

    def __post_init__(self) -> None:
        validate.scale("step", self.step, zero=True)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def absorb(self, board: Board) -> cython.bint:
        """A match that counts w times is w wins, or losses."""
        e: cython.Py_ssize_t
        i: cython.Py_ssize_t
        step: cython.double = self.step
        for e in range(board.entries):
            for i in range(e * board.traits, (e + 1) * board.traits):
                if board.games[e] > 0.0:
                    board.mu[i] += board.g1[i] / board.games[e] + step * board.importance * board.g2[i]
        return False
