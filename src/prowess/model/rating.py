"""A rating as users hold it: a mean and a standard deviation that never change."""

from __future__ import annotations

from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from . import _cython as cython

if cython.compiled:
    from cython.cimports.libc.math import isnan, sqrt
    from cython.cimports.prowess.model.board import Board
else:
    from math import isnan, sqrt

    from .board import Board

from .. import checks

__all__ = ["Rating", "nested", "stored"]


@cython.cclass
class Rating:
    """What is believed of a player's skill: a mean `mu` and a standard deviation `sigma`; it cannot be changed.

    `sigma` is None in systems that keep no uncertainty. `shown` is what a leaderboard shows: μ − 3σ, a value that the
    player's skill exceeds with near certainty (`caution` is the 3).

    >>> rating = Rating(30, 4)
    >>> rating
    Rating(mu=30.0, sigma=4.0)
    >>> rating.shown
    18.0
    """

    @cython.annotation_typing(False)
    def __init__(self, mu: float, sigma: float | None = None, caution: float = 3.0) -> None:
        self._mu = checks.number("mu", mu)
        self._sigma = float("nan") if sigma is None else checks.scale("sigma", sigma, zero=True)
        self._caution = checks.number("caution", caution)

    @property
    def mu(self) -> float:
        """The mean.

        >>> Rating(30, 4).mu
        30.0
        """
        return self._mu

    @property
    def sigma(self) -> float | None:
        """The standard deviation, or None.

        >>> Rating(30, 4).sigma
        4.0
        """
        return None if isnan(self._sigma) else self._sigma

    @property
    def caution(self) -> float:
        """How many standard deviations `shown` stays below the mean.

        >>> Rating(30, 4).caution
        3.0
        """
        return self._caution

    @property
    def shown(self) -> float:
        """The value for a leaderboard: μ − 3σ, or μ where there is no σ.

        >>> Rating(1500).shown
        1500.0
        """
        return self._mu if isnan(self._sigma) else self._mu - self._caution * self._sigma

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rating):
            return NotImplemented
        return bool((self.mu, self.sigma, self.caution) == (other.mu, other.sigma, other.caution))

    def __hash__(self) -> int:
        return hash((self.mu, self.sigma, self.caution))

    def __repr__(self) -> str:
        inside = f"mu={self._mu!r}" + ("" if isnan(self._sigma) else f", sigma={self._sigma!r}")
        return f"Rating({inside})" if self._caution == 3.0 else f"Rating({inside}, caution={self._caution!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return stored, (self._mu, self._sigma, self._caution)

    @cython.cfunc
    @cython.exceptval(check=False)
    def put(self, board: Board, entry: cython.Py_ssize_t) -> cython.void:
        """Lay the belief on the board."""
        board.mu[entry] = self._mu
        board.var[entry] = 0.0 if isnan(self._sigma) else self._sigma * self._sigma


@cython.ccall
def stored(mu: cython.double, sigma: cython.double, caution: cython.double) -> Rating:
    """A rating of numbers that come from a board or a file, not from a user: they need no check."""
    rating: Rating = Rating.__new__(Rating)
    rating._mu = mu
    rating._sigma = sigma
    rating._caution = caution
    return rating


@cython.ccall
def nested(board: Board, caution: cython.double) -> list:
    """The beliefs on a board as ratings, nested like the teams."""
    j: cython.Py_ssize_t
    e: cython.Py_ssize_t
    teams: list = []
    for j in range(board.teams):
        team: list = []
        for e in range(board.start[j], board.start[j + 1]):
            team.append(stored(board.mu[e], sqrt(board.var[e]), caution))  # noqa: PERF401, a comprehension is slower here
        teams.append(team)
    return teams
