"""Score distributions of a match: probabilities, quantiles and intervals for each team."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import ceil, floor, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Error
from ..validate import number, team_index
from .maths.normal import cdf
from .maths.poisson import medians, mixed_cdf, mixed_pmf

Floats = NDArray[np.float64]

LARGEST_LOG = 700.0  # scores are capped at e⁷⁰⁰
LARGEST = float(np.exp(LARGEST_LOG))
MOST = 100.0  # above this count, every single result is too improbable to list


@dataclass(frozen=True, eq=False)
class ScoreDistribution(ABC):
    """The distribution of every team's score in one match, before the match is played.

    >>> import prowess as pw
    >>> outcome = pw.outcome.OffenceDefence(pw.outcome.PoissonScore())
    >>> model = pw.Model(prior=pw.Normal(0.2, 0.5), noise=0.2, outcome=outcome)
    >>> found = model.predict([[model.rating()], [model.rating()]]).score_distribution
    >>> found.pmf(0, 3).round(3)
    array([0.375, 0.291, 0.162, 0.083])
    >>> round(found.cdf(0, 3), 3), found.quantile(0, 0.9), found.interval(0, 0.8)
    (0.91, 3.0, (0.0, 3.0))
    """

    mean: Floats
    sigma: Floats

    @property
    def medians(self) -> Floats:
        """The median scores, which minimise the expected absolute error."""
        return np.array([self.quantile(team, 0.5) for team in range(len(self.mean))])

    @property
    @abstractmethod
    def means(self) -> Floats:
        """The expected scores."""

    @abstractmethod
    def pmf(self, team: int, n: int) -> Floats:
        """Return P(score = 0), …, P(score = n) of a team."""

    @abstractmethod
    def cdf(self, team: int, x: float) -> float:
        """Return P(score ≤ x) of a team."""

    @abstractmethod
    def quantile(self, team: int, q: float) -> float:
        """Return the q-quantile of a team's score: the lowest score s with P(score ≤ s) ≥ q."""

    def interval(self, team: int, level: float = 0.9) -> tuple[float, float]:
        """Return the lower and upper end of the central interval that contains a team's score with probability `level`.

        If scores are counts, the probability is at least `level`.
        """
        tail = 0.5 * (1.0 - _probability("level", level))
        return self.quantile(team, tail), self.quantile(team, 1.0 - tail)

    def grid(self, n: int) -> Floats:
        """Return a table with P(first team scores a, second team scores b) in row a, column b, for scores up to n.

        The match must have two teams. Given the ratings, the scores of the two teams are independent.

        >>> import numpy as np
        >>> CountScores(np.log([1.0, 2.0]), np.zeros(2)).grid(1).round(3)
        array([[0.05, 0.1 ],
               [0.05, 0.1 ]])
        """
        if len(self.mean) != 2:
            raise Error(f"a grid of scores is for two teams, not {len(self.mean)}")
        return np.outer(self.pmf(0, n), self.pmf(1, n))

    def likeliest(self, count: int = 3) -> list[tuple[int, int, float]]:
        """Return the `count` most probable pairs of scores of two teams, each with its probability.

        The list is empty unless there are two teams and scores are counts.

        >>> import numpy as np
        >>> [(a, b, round(p, 3)) for a, b, p in CountScores(np.log([1.3, 2.5]), np.zeros(2)).likeliest(2)]
        [(1, 2, 0.091), (1, 3, 0.076)]
        """
        return []

    def logarithms(self, rng: np.random.Generator, x: Floats) -> Floats:
        """Sample counts with the log-rates x, and return the logarithms of the counts.

        Raise `Error` if the scores are not counts.
        """
        raise Error(f"the scores of {type(self).__name__} are not counts, so they cannot be sampled as counts")

    def _at(self, team: int) -> tuple[float, float]:
        index = team_index("team", team, len(self.mean))
        return float(self.mean[index]), float(self.sigma[index])


@dataclass(frozen=True, eq=False)
class NormalScores(ScoreDistribution):
    """Normally distributed scores. Scores may be negative or fractional, so there is no `pmf`.

    >>> import numpy as np
    >>> found = NormalScores(np.array([20.0, 17.0]), np.array([4.0, 5.0]))
    >>> [round(score, 2) for score in found.interval(0)]
    [13.42, 26.58]
    """

    @property
    def medians(self) -> Floats:
        """The median scores."""
        return self.mean.copy()

    @property
    def means(self) -> Floats:
        """The expected scores."""
        return self.mean.copy()

    def pmf(self, team: int, n: int) -> Floats:
        """Raise an `Error`, because the scores are continuous."""
        raise Error("normal scores are continuous and have no probabilities of single scores; use cdf, or PoissonScore")

    def cdf(self, team: int, x: float) -> float:
        """Return P(score ≤ x) of a team."""
        return ScoreDifference(*self._at(team)).cdf(x)

    def quantile(self, team: int, q: float) -> float:
        """Return the q-quantile of a team's score: the score s with P(score ≤ s) = q."""
        return ScoreDifference(*self._at(team)).quantile(q)


@dataclass(frozen=True, eq=False)
class CountScores(ScoreDistribution):
    """Scores that are counts with the rate e^x, where x ~ N(mean, sigma²). If sigma is 0, the counts are Poisson.

    >>> import numpy as np
    >>> found = CountScores(np.log([1.5, 90.0]), np.array([0.0, 0.2]))
    >>> found.medians, found.means.round(2)
    (array([ 1., 90.]), array([ 1.5 , 91.82]))
    """

    @property
    def medians(self) -> Floats:
        """The median scores."""
        result = np.empty(len(self.mean))
        medians(_view(self.mean), _view(self.sigma**2), _view(result))
        return result

    @property
    def means(self) -> Floats:
        """The expected scores, exp(mean + sigma²/2). If sigma is large, rare huge scores dominate the expectation."""
        return np.exp(np.minimum(self.mean + 0.5 * self.sigma**2, LARGEST_LOG))

    def pmf(self, team: int, n: int) -> Floats:
        """Return P(score = 0), …, P(score = n) of a team."""
        mean, sigma = self._at(team)
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0:
            raise Error(f"n must be a whole number of at least 0, not {n!r}")
        return np.array([mixed_pmf(float(score), mean, sigma**2) for score in range(n + 1)])

    def cdf(self, team: int, x: float) -> float:
        """Return P(score ≤ x) of a team."""
        mean, sigma = self._at(team)
        if not isfinite(x):
            raise Error(f"x must be a finite number, not {x!r}")
        return mixed_cdf(float(floor(x)), mean, sigma**2) if x >= 0 else 0.0

    def quantile(self, team: int, q: float) -> float:
        """Return the q-quantile of a team's score: the lowest score s with P(score ≤ s) ≥ q.

        A quantile above e⁷⁰⁰ is given as e⁷⁰⁰.
        """
        mean, sigma = self._at(team)
        _probability("q", q)
        # Grow a bracket from the median of the rate; quantiles of an uncertain rate may be far away.
        below, above = -1.0, float(floor(np.exp(min(max(mean, 0.0), LARGEST_LOG))))
        while above < LARGEST and mixed_cdf(above, mean, sigma**2) < q:
            below, above = above, min(4.0 * above, LARGEST)
        while above - below > max(1.0, 1e-15 * above):
            # Bisect the logarithm as long as the bracket spans orders of magnitude.
            middle = floor(0.5 * (above + below)) if above < 16 * below + 64 else floor(above**0.5 * (below + 1) ** 0.5)
            if mixed_cdf(float(middle), mean, sigma**2) < q:
                below = float(middle)
            else:
                above = float(middle)
        return above

    def likeliest(self, count: int = 3) -> list[tuple[int, int, float]]:
        """Return the `count` most probable pairs of scores of two teams, each with its probability.

        The list is empty unless there are two teams, or if scores may be so high that each pair is improbable.
        """
        # Beyond the 99 % quantile no single score can be among the most probable ones.
        most = max(self.quantile(team, 0.99) for team in range(len(self.mean)))
        if most > MOST or len(self.mean) != 2:
            return []
        grid = self.grid(int(most))
        best = np.argsort(-grid, axis=None, kind="stable")[:count]
        return [(int(a), int(b), float(grid[a, b])) for a, b in zip(*np.unravel_index(best, grid.shape), strict=True)]

    def logarithms(self, rng: np.random.Generator, x: Floats) -> Floats:
        """Sample counts with the log-rates x, and return the logarithms of the counts; log 0 is −∞.

        At huge rates, the logarithms are sampled from a normal approximation.
        """
        # Huge rates overflow NumPy's sampler; above e²⁷ the normal approximation is good enough.
        near = x < 27.0
        counts = rng.poisson(np.exp(np.where(near, x, 0.0)))
        # A score of 0 is behind every other score.
        low = np.where(counts > 0, np.log(np.maximum(counts, 1)), -np.inf)
        return np.where(near, low, x + rng.standard_normal(x.shape) * np.exp(-0.5 * np.maximum(x, 0.0)))


@dataclass(frozen=True)
class ScoreDifference:
    """The difference of two scores, first team minus second team, with a normal distribution.

    If `rounding` is above 0, the difference is rounded to a multiple of this number; `mean` and `sigma` describe the
    difference before it is rounded.

    >>> found = ScoreDifference(mean=3.0, sigma=12.0)
    >>> round(1 - found.cdf(6.5), 3), round(found.quantile(0.9), 2)
    (0.385, 18.38)
    >>> goals = ScoreDifference(mean=0.5, sigma=1.5, rounding=1.0)
    >>> round(goals.cdf(0) - goals.cdf(-1), 3), goals.interval(0.8)
    (0.248, (-1.0, 2.0))
    """

    mean: float
    sigma: float
    rounding: float = 0.0

    def cdf(self, x: float) -> float:
        """Return P(difference ≤ x).

        >>> ScoreDifference(3.0, 12.0).cdf(3.0)
        0.5
        """
        most = number("x", x)
        if self.rounding > 0.0:
            # The tolerance is for multiples such as 0.3/0.1 = 2.9999999999999996.
            most = (floor(most / self.rounding + 1e-9) + 0.5) * self.rounding
        return cdf((most - self.mean) / self.sigma)

    def quantile(self, q: float) -> float:
        """Return the q-quantile: the lowest difference d with P(difference ≤ d) ≥ q.

        >>> ScoreDifference(3.0, 12.0).quantile(0.5), ScoreDifference(3.2, 12.0, rounding=1.0).quantile(0.5)
        (3.0, 3.0)
        """
        from statistics import NormalDist

        exact = self.mean + self.sigma * NormalDist().inv_cdf(_probability("q", q))
        return ceil(exact / self.rounding - 0.5) * self.rounding if self.rounding > 0.0 else exact

    def interval(self, level: float = 0.9) -> tuple[float, float]:
        """Return the lower and upper end of the central interval that contains the difference with probability `level`.

        If differences are rounded, the probability is at least `level`.

        >>> [round(end, 1) for end in ScoreDifference(3.0, 12.0).interval(0.5)]
        [-5.1, 11.1]
        """
        tail = 0.5 * (1.0 - _probability("level", level))
        return self.quantile(tail), self.quantile(1.0 - tail)

    def to_dict(self) -> dict[str, float]:
        """Return `mean`, `sigma` and, if differences are rounded, `rounding` as plain data.

        >>> ScoreDifference(3.0, 12.0).to_dict()
        {'mean': 3.0, 'sigma': 12.0}
        """
        plain = {"mean": self.mean, "sigma": self.sigma}
        return plain | ({"rounding": self.rounding} if self.rounding > 0.0 else {})


def _view(column: Any) -> Any:
    contiguous: Any = np.ascontiguousarray(column, np.float64)
    return memoryview(contiguous)


def _probability(name: str, value: Any) -> float:
    result = number(name, value)
    if not 0.0 < result < 1.0:
        raise Error(f"{name} must lie between 0 and 1, not {value!r}")
    return result
