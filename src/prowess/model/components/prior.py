"""Priors: the belief about newcomers, fixed or learnt from earlier newcomers."""

from __future__ import annotations

from typing import ClassVar

# kernel
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

from ... import validate
from ..engine.board import Board
from ..params import Range
from .interfaces import Prior

if not cython.compiled:
    from math import fabs

__all__ = ["Newcomers", "Normal", "Point"]

# The level learns only from newcomers whose variance has fallen by at least this share. Otherwise the drift has
# outweighed the matches, and a change of the mean may be noise.
LEAST_SHARE = cython.declare(cython.double, 0.02)


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class Normal(Prior):
    """Every newcomer's skill is N(mu, sigma²), in every trait.

    >>> Normal(25.0, 25 / 3).mu
    25.0
    """

    mu: object
    sigma: object

    tunable: ClassVar[dict[str, Range]] = {
        "mu": Range(-20, 20, unit="sigma", sets="origin"),
        "sigma": Range(0.02, 10, log=True, unit="sigma", sets="scale"),
    }
    blocks = True

    def __post_init__(self) -> None:
        validate.number("mu", self.mu)
        validate.scale("sigma", self.sigma, zero=True)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def welcome(self, board: Board, entry: cython.Py_ssize_t) -> cython.bint:
        """Set the belief about a newcomer."""
        mu: cython.double = self.mu
        sigma: cython.double = self.sigma
        for k in range(entry * board.traits, (entry + 1) * board.traits):
            board.mu[k] = mu
            board.var[k] = sigma * sigma


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class Point(Prior):
    """Every newcomer is rated `mu`, without uncertainty (Elo, Harkness).

    >>> Point(1500.0)
    Point(mu=1500.0)
    """

    mu: object

    tunable: ClassVar[dict[str, Range]] = {"mu": Range(-20, 20, unit="sigma", sets="origin")}
    blocks = True
    spreads = False

    def __post_init__(self) -> None:
        validate.number("mu", self.mu)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def welcome(self, board: Board, entry: cython.Py_ssize_t) -> cython.bint:
        """Set the rating of a newcomer, with variance 0."""
        for k in range(entry * board.traits, (entry + 1) * board.traits):
            board.mu[k] = self.mu
            board.var[k] = 0.0
        return False


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class Newcomers(Prior):
    """A prior that learns: newcomers are expected to be as good as earlier newcomers were.

    The unknown level of newcomers is N(m, p), and their skills scatter around this level as in `first`. At the start m
    is the mean of `first` and p is `level_sigma`². When a player has played `matches` matches, the belief N(μ, σ²)
    about the skill updates the level, as the result of a match updates a skill. With the variance v of the belief about
    a newcomer, the update is

        g₁ = (μ − m)/v,    g₂ = (σ² − v)/v²,    m ← m + p g₁,    p ← p + p² g₂.

    Before each update the level moves by N(0, level_tau²), so that players who were new long ago count less.

    >>> import prowess as pw
    >>> model = pw.TrueSkill().replace(prior=Newcomers(pw.Normal(25, 5), level_sigma=5, matches=1))
    >>> ladder = pw.Ladder(model)
    >>> for number in range(20):  # every newcomer loses twice
    ...     for _ in range(2):
    ...         _ = ladder.record([["ann"], [f"newcomer {number}"]])
    >>> ladder.newcomer.mu < 22
    True
    """

    first: object
    level_sigma: object = 1.0
    level_tau: object = 0.0
    matches: object = 10

    tunable: ClassVar[dict[str, Range]] = {
        "level_sigma": Range(0.01, 3, log=True, unit="sigma"),
        "level_tau": Range(0.0003, 0.3, log=True, unit="sigma"),
    }
    learns = True

    @property
    def inner(self) -> Prior:
        """The prior `first`.

        >>> Newcomers(Normal(25, 5)).inner
        Normal(mu=25, sigma=5)
        """
        return self.first

    def __post_init__(self) -> None:
        if not isinstance(self.first, Prior) or type(self.first) is Prior or self.first.learns:
            raise validate.invalid("first", "be a prior that does not learn, such as Normal(25, 8)", self.first)
        validate.scale("level_sigma", self.level_sigma)
        validate.scale("level_tau", self.level_tau, zero=True)
        if validate.scale("matches", self.matches) != int(self.matches):
            raise validate.invalid("matches", "be a whole number of at least 1", self.matches)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def welcome(self, board: Board, entry: cython.Py_ssize_t) -> cython.bint:
        """Set the belief about a newcomer: the prior `first`, shifted to the learnt level of newcomers."""
        sigma: cython.double = self.level_sigma
        first: Prior = self.first
        first.welcome(board, entry)
        for k in range(board.traits):
            i = entry * board.traits + k
            board.mu[i] += board.memory[board.level + 2 * k]
            board.var[i] += sigma * sigma + board.memory[board.level + 2 * k + 1]
        return False

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def meet(self, board: Board) -> cython.bint:
        """Learn the level from the players who have just played `matches` matches; their order does not matter."""
        count = 0.0
        matches: cython.double = self.matches
        sigma: cython.double = self.level_sigma
        tau: cython.double = self.level_tau
        for e in range(board.entries):
            if board.played[e] == matches:
                count += 1.0
        if count > 0.0:
            for k in range(board.traits):
                _learn(board, k, matches, sigma * sigma, count * tau * tau)
        return False


@cython.cfunc
@cython.exceptval(check=False)
def _learn(
    board: Board, k: cython.Py_ssize_t, matches: cython.double, start: cython.double, drift: cython.double
) -> cython.void:
    """Update the newcomers' level of trait k. The memory holds the change of the level since the start.

    The contributions of the players are added up. Even if many uncertain players agree, the level moves no further than
    to the most distant player.
    """
    cell = board.level + 2 * k
    level = start + board.memory[cell + 1] + drift
    whole = board.centre_var[k] + board.memory[cell + 1] + drift
    share = level / whole
    farthest = push = 0.0
    pull = 1.0
    for e in range(board.entries):
        if board.played[e] == matches:
            i = e * board.traits + k
            learnt = 1.0 - board.var[i] / whole
            if learnt < LEAST_SHARE:
                continue
            left = 1.0 - share * learnt
            gap = board.mu[i] - board.centre[k] - board.memory[cell]
            farthest = max(farthest, fabs(gap))
            push += share * gap / left
            pull += (1.0 - left) / left
    board.memory[cell] += max(min(push / pull, farthest), -farthest)
    board.memory[cell + 1] = level / pull - start
