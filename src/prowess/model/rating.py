"""Ratings: immutable values with a mean and a standard deviation for each skill."""

from __future__ import annotations

from typing import Any

# kernel
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from . import _cython as cython

from .. import errors, validate
from .engine.board import Board

if not cython.compiled:
    from math import isnan, sqrt


@cython.final
@cython.cclass
class Kind:
    """The kind of ratings that a model has: its traits, its extra columns, and whether there is a sigma."""

    def __init__(self, traits: tuple[str, ...], extras: tuple[str, ...], certain: bool, caution: float) -> None:
        self.traits = traits
        self.extras = extras
        self.certain = certain
        self.caution = caution


@cython.cclass
class Rating:
    """The estimate of a player's skill: a mean `mu` and a standard deviation `sigma`. Ratings are immutable.

    `sigma` is None in systems without uncertainty. `shown` is the number on leaderboards, μ − caution · σ. With the
    default `caution` of 3, the true skill is almost certainly higher.

    Some models add parts. Glicko-2 adds a `volatility`. Score models add two skills, `offence` and `defence`; each has
    its own rating, and the player's `mu` is the sum of both. Pass these parts by name and read them as attributes.

    >>> rating = Rating(30, 4)
    >>> rating
    Rating(mu=30.0, sigma=4.0)
    >>> rating.shown
    18.0
    >>> both = Rating(offence=Rating(30, 4), defence=Rating(20, 3))
    >>> both.offence.mu, both.mu, both.sigma
    (30.0, 50.0, 5.0)
    """

    @cython.annotation_typing(False)
    def __init__(self, mu: float | None = None, sigma: float | None = None, caution: float = 3.0, **parts: Any) -> None:
        self._caution = validate.number("caution", caution)
        self._parts = None
        traits = {name: part for name, part in parts.items() if isinstance(part, Rating)}
        if parts:
            _check_parts(parts)
        if traits and (mu is not None or sigma is not None):
            raise errors.Error(f"leave out mu and sigma: they follow from {', '.join(traits)}")
        if parts:
            self._parts = {n: p if n in traits else validate.number(n, p) for n, p in parts.items()}
        if traits:
            self._mu = sum([part.mu for part in traits.values()])
            self._sigma = sqrt(sum([(part.sigma or 0.0) ** 2 for part in traits.values()]))
        else:
            if mu is None:
                raise errors.Error("a rating needs mu, or one rating per skill, such as offence=Rating(30, 4)")
            self._mu = validate.number("mu", mu)
            self._sigma = float("nan") if sigma is None else validate.scale("sigma", sigma, zero=True)

    @property
    def mu(self) -> float:
        """The mean of the belief about the skill.

        >>> Rating(30, 4).mu
        30.0
        """
        return self._mu

    @property
    def sigma(self) -> float | None:
        """The standard deviation of the belief; None in systems without uncertainty.

        >>> Rating(30, 4).sigma
        4.0
        """
        return None if isnan(self._sigma) else self._sigma

    @property
    def caution(self) -> float:
        """How many standard deviations `shown` is below the mean.

        >>> Rating(30, 4).caution
        3.0
        """
        return self._caution

    @property
    def shown(self) -> float:
        """The number for leaderboards: μ − caution · σ, or μ if there is no sigma.

        >>> Rating(1500).shown
        1500.0
        """
        return self._mu if isnan(self._sigma) else self._mu - self._caution * self._sigma

    @property
    def parts(self) -> dict[str, Any]:
        """The volatility, or the ratings of the separate skills, by name; {} if the model has neither.

        >>> Rating(1500, 200, volatility=0.06).parts
        {'volatility': 0.06}
        """
        return dict(self._parts or {})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in (self._parts or {}):
            raise AttributeError(f"this rating has no {name!r}")
        return self._parts[name]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rating):
            return NotImplemented
        mine, theirs = (self.mu, self.sigma, self.caution), (other.mu, other.sigma, other.caution)
        return bool(mine == theirs and self.parts == other.parts)

    def __hash__(self) -> int:
        return hash((self.mu, self.sigma, self.caution))

    def __repr__(self) -> str:
        inside = [f"{name}={part!r}" for name, part in self.parts.items()]
        if not any(isinstance(part, Rating) for part in self.parts.values()):
            inside = [f"mu={self._mu!r}", *([] if isnan(self._sigma) else [f"sigma={self._sigma!r}"]), *inside]
        if self._caution != 3.0:
            inside.append(f"caution={self._caution!r}")
        return f"Rating({', '.join(inside)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return make_rating, (self._mu, self._sigma, self._caution, self._parts)


def _check_parts(parts: dict[str, Any]) -> None:
    for name in ("parts", "shown"):
        if name in parts:
            raise errors.Error(f"leave out {name}: it follows from the rest of the rating")
    if "volatility" in parts:
        validate.scale("volatility", parts["volatility"])


@cython.ccall
def make_rating(mu: cython.double, sigma: cython.double, caution: cython.double, parts: object = None) -> Rating:
    """Create a rating without checks, from numbers that are known to be valid."""
    rating: Rating = Rating.__new__(Rating)
    rating._mu = mu
    rating._sigma = sigma
    rating._caution = caution
    rating._parts = parts
    return rating


@cython.ccall
@cython.exceptval(-1, check=False)
def write_rating(rating: Rating, kind: Kind, board: Board, entry: cython.Py_ssize_t) -> cython.bint:
    """Write a rating to an entry of a board. Extra columns that the rating lacks keep a newcomer's values."""
    skill: Rating
    if rating._parts is not None:
        _check_known(rating._parts, kind)
    if len(kind.traits) == 1:
        _put_trait(rating, kind, board, entry)
    else:
        for k in range(len(kind.traits)):
            skill = (rating._parts or {}).get(kind.traits[k])
            if skill is None:
                missing = f"the rating has no {kind.traits[k]}, which this model needs"
                raise errors.Error(f"{missing}; create ratings with model.rating()")
            _put_trait(skill, kind, board, entry * board.traits + k)
    if rating._parts is not None:
        for k in range(len(kind.extras)):
            if kind.extras[k] in rating._parts:
                board.extra[entry * board.extras + k] = rating._parts[kind.extras[k]]
    return False


def _check_known(parts: dict[str, Any], kind: Kind) -> None:
    for name, part in parts.items():
        if name not in kind.traits and name not in kind.extras:
            raise errors.Error(f"the rating has {name!r}, which this model does not use")
        if isinstance(part, Rating) != (name in kind.traits):
            raise errors.Error(f"{name} must be a {'Rating' if name in kind.traits else 'number'}, not {part!r}")


@cython.cfunc
@cython.exceptval(-1, check=False)
def _put_trait(rating: Rating, kind: Kind, board: Board, cell: cython.Py_ssize_t) -> cython.bint:
    board.mu[cell] = rating._mu
    board.var[cell] = 0.0
    if not kind.certain:
        if isnan(rating._sigma):
            raise errors.Error("the rating has no sigma, which this model needs")
        board.var[cell] = rating._sigma * rating._sigma
    board.before[cell] = board.var[cell]
    return False


@cython.ccall
def read_rating(kind: Kind, board: Board, entry: cython.Py_ssize_t) -> Rating:
    """Return the rating of one entry of a board."""
    parts: dict = {}
    mu = 0.0
    var = 0.0
    first = entry * board.traits
    if board.traits == 1 and board.extras == 0:
        return make_rating(board.mu[entry], float("nan") if kind.certain else sqrt(board.var[entry]), kind.caution)
    for k in range(board.traits):
        mu += board.mu[first + k]
        var += board.var[first + k]
        if board.traits > 1:
            parts[kind.traits[k]] = make_rating(board.mu[first + k], sqrt(board.var[first + k]), kind.caution)
    for k in range(board.extras):
        parts[kind.extras[k]] = board.extra[entry * board.extras + k]
    return make_rating(mu, float("nan") if kind.certain else sqrt(var), kind.caution, parts)


@cython.ccall
def read_ratings(kind: Kind, board: Board) -> list:
    """Return the ratings of all entries of a board, nested like the teams."""
    teams: list = []
    for j in range(board.teams):
        team: list = []
        for e in range(board.start[j], board.start[j + 1]):
            team.append(read_rating(kind, board, e))  # noqa: PERF401, a comprehension is slower here
        teams.append(team)
    return teams
