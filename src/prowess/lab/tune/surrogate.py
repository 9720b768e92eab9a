"""A surrogate: what the trials so far make one expect of parameters that were not tried, and where to look next.

The loss of a history is a smooth function of the parameters of a model, and a trial costs a whole fit. A Gaussian
process (Rasmussen and Williams 2006) makes the most of few trials: near the best of them it is almost a parabola, and
elsewhere it knows what it does not know. A sampler that knows nothing of smoothness, such as TPE, finds the region of
the best parameters as soon, and the best of them late or never.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...model.gauss import cdf
from ..measures.tally import Floats

__all__ = ["Surrogate", "fitted", "propose"]

MOST = 100  # trials that are looked at, the best: the work grows with their cube
NOISE = 1e-5  # of the variance: a loss is no noise, but an average over matches is not quite smooth
LENGTH = 0.5  # what is expected of a length scale: log-normal around this, by a factor of e
GUESSES, STEPS = 40, 40  # sets of length scales that are tried at random, and near the best of these
WIDE, NEAR, ROUNDS = 300, 100, 5  # points that are considered everywhere, around a good one, and how often


@dataclass(frozen=True, eq=False)
class Surrogate:
    """A Gaussian process through points, with the Matérn 5/2 covariance and a length scale for each direction.

    >>> process = Surrogate(np.array([[0.0], [1.0]]), np.array([0.5]), np.eye(2), np.zeros(2), 1.0)
    >>> mean, deviation = process.expect(np.array([[0.0], [9.0]]))
    >>> bool(deviation[0] < 0.1 < 0.9 < deviation[1])
    True
    """

    points: Floats
    lengths: Floats
    factor: Floats  # L of the covariance L Lᵀ
    weights: Floats  # L⁻¹ y
    variance: float

    def expect(self, at: Floats) -> tuple[Floats, Floats]:
        """Mean and deviation at some points: equations (2.25) and (2.26)."""
        across = np.linalg.solve(self.factor, _matern(_squares(self.points, at), self.lengths))
        left = np.maximum(1.0 - (across * across).sum(axis=0), 1e-12)
        return across.T @ self.weights, np.sqrt(self.variance * left)


def _squares(one: Floats, other: Floats) -> Floats:
    """Squared distances, by direction."""
    found: Floats = (one[:, None, :] - other[None, :, :]) ** 2
    return found


def _matern(squares: Floats, lengths: Floats) -> Floats:
    """Equation (4.17) for ν = 5/2."""
    r = np.sqrt(5.0 * (squares @ lengths**-2.0))
    found: Floats = (1.0 + r + r * r / 3.0) * np.exp(-r)
    return found


def fitted(points: Floats, y: Floats, rng: np.random.Generator) -> Surrogate:
    """The process under which values are most likely, by equation (5.8): found at random, then step by step.

    >>> rng = np.random.default_rng(0)
    >>> points = rng.random((30, 2))
    >>> process = fitted(points, np.sin(5 * points[:, 0]), rng)
    >>> bool(process.lengths[0] < 1 < process.lengths[1])
    True
    """
    squares, directions = _squares(points, points), points.shape[1]
    least: float = np.inf
    best: Floats = np.zeros(directions)
    found: Surrogate | None = None
    for step in range(GUESSES + STEPS):
        guess: Floats = np.asarray(rng.normal(size=directions))
        if step >= GUESSES:
            guess = best + 0.3 * guess
        lengths = LENGTH * np.exp(guess)
        factor = np.asarray(np.linalg.cholesky(_matern(squares, lengths) + NOISE * np.eye(len(points))), np.float64)
        weights = np.asarray(np.linalg.solve(factor, y), np.float64)
        variance = max(float(weights @ weights) / len(y), 1e-300)  # the most likely one
        cost = 0.5 * len(y) * np.log(variance) + np.log(np.diag(factor)).sum() + 0.5 * float(guess @ guess)
        if found is None or cost < least:
            least, best, found = cost, guess, Surrogate(points, lengths, factor, weights, variance)
    assert found is not None
    return found


def propose(points: Floats, losses: Floats, rng: np.random.Generator) -> Floats | None:
    """Where, between 0 and 1 in every direction, the largest improvement is expected; None while there are few points.

    The worst losses may be very large, and where they are large they are of no interest: their logarithm is modelled.

    >>> rng = np.random.default_rng(0)
    >>> points = rng.random((20, 2))
    >>> losses = ((points - 0.4) ** 2).sum(1)
    >>> found = propose(points, losses, rng)
    >>> bool(((found - 0.4) ** 2).sum() < losses.min())
    True
    """
    count, directions = points.shape
    if count < 2 * directions + 3:
        return None
    order = np.argsort(losses, kind="stable")[:MOST]
    points, rise = points[order], losses[order] - losses[order[0]]
    y = np.log1p(rise / max(float(np.median(rise[: max(4, len(rise) // 3)])), 1e-12))
    y = (y - y.mean()) / max(float(y.std()), 1e-12)
    process = fitted(points, y, rng)
    at = rng.random((WIDE, directions))
    for reach in (0.2, 0.05, 0.01):
        around = points[rng.integers(0, min(5, len(points)), NEAR)] + reach * rng.normal(size=(NEAR, directions))
        at = np.concatenate([at, np.clip(around, 0.0, 1.0)])
    for step in range(ROUNDS):
        best = at[np.argmax(_improvement(process, at, y[0]))]
        around = best + 0.05 * 0.5**step * rng.normal(size=(NEAR, directions))
        at = np.concatenate([best[None], np.clip(around, 0.0, 1.0)])
    found: Floats = at[np.argmax(_improvement(process, at, y[0]))]
    return found


def _improvement(process: Surrogate, at: Floats, best: float) -> Floats:
    """By how much one expects to get below the best: Jones, Schonlau, Welch (1998), equation (15)."""
    mean, deviation = process.expect(at)
    z = (best - mean) / deviation
    below = np.array([cdf(x) for x in z.tolist()])
    found: Floats = deviation * (z * below + np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi))
    return found
