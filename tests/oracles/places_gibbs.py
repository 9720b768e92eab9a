"""The exact posterior of TS2, which EP approximates, by Gibbs sampling and by sums along the chain of places."""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri


class Moments(NamedTuple):
    """The mean and variance of every team's performance after the match, and log Z − (number of places) log 2ε."""

    means: np.ndarray
    variances: np.ndarray
    log_z: float


def gibbs(means, variances, places, epsilon: float, chains: int = 4000, sweeps: int = 400, seed: int = 0) -> np.ndarray:
    """Sample the performances of the teams: one row per independent chain, taken from the chain's last iteration.

    Given the performance l of its place (`at`), a team's performance is a normal truncated to l ± ε. Given the
    performances of the teams, l is uniform over all allowed values.
    """
    rng = np.random.default_rng(seed)
    distinct = sorted(set(places))
    of = np.array([distinct.index(place) for place in places])
    m, s = np.asarray(means, float), np.sqrt(np.asarray(variances, float))
    at = np.tile(m.mean() - 3 * epsilon * (np.arange(len(distinct)) - (len(distinct) - 1) / 2), (chains, 1))
    t = at[:, of].copy()
    for _ in range(sweeps):
        for k in range(len(distinct)):
            lo = t[:, of == k].max(axis=1) - epsilon
            hi = t[:, of == k].min(axis=1) + epsilon
            if k > 0:
                hi = np.minimum(hi, at[:, k - 1] - 2 * epsilon)
            if k + 1 < len(distinct):
                lo = np.maximum(lo, at[:, k + 1] + 2 * epsilon)
            at[:, k] = rng.uniform(lo, np.maximum(lo, hi))
        low, high = ndtr((at[:, of] - epsilon - m) / s), ndtr((at[:, of] + epsilon - m) / s)
        t = np.clip(m + s * ndtri(rng.uniform(low, high)), at[:, of] - epsilon, at[:, of] + epsilon)
    return t


def exact(means, variances, places, epsilon: float, steps: int = 160) -> Moments:
    """Return the exact moments, computed on a grid of place performances with `steps` points in 2ε.

    Two running sums account for the places above and below.
    """
    m, v = np.asarray(means, float), np.asarray(variances, float)
    s = np.sqrt(v)
    distinct = sorted(set(places))
    h = 2 * epsilon / steps
    reach = 9 * s.max() + 2 * epsilon * len(distinct)
    grid = np.arange(m.min() - reach, m.max() + reach, h)
    a, b = (grid[:, None] - epsilon - m) / s, (grid[:, None] + epsilon - m) / s
    inside = np.where(a > 0, ndtr(-a) - ndtr(-b), ndtr(b) - ndtr(a))
    here = np.array([inside[:, np.array(places) == place].prod(axis=1) for place in distinct])
    above, below = np.ones_like(here), np.ones_like(here)
    for k in range(1, len(distinct)):  # the trapezium rule at the bound, where half a step belongs to either side
        mass = np.cumsum((here[k - 1] * above[k - 1])[::-1])[::-1] - here[k - 1] * above[k - 1] / 2
        above[k] = np.append(mass[steps:], np.zeros(steps)) * h
    for k in range(len(distinct) - 2, -1, -1):
        mass = np.cumsum(here[k + 1] * below[k + 1]) - here[k + 1] * below[k + 1] / 2
        below[k] = np.append(np.zeros(steps), mass[:-steps]) * h
    belief = here * above * below
    z = belief.sum(axis=1) * h
    shift = (phi(a) - phi(b)) / np.maximum(inside, 1e-300)
    square = 1 + (a * phi(a) - b * phi(b)) / np.maximum(inside, 1e-300)
    weight = (belief / belief.sum(axis=1, keepdims=True))[[distinct.index(place) for place in places]].T
    mean = (weight * shift).sum(axis=0)
    variance = (weight * square).sum(axis=0) - mean**2
    return Moments(m + s * mean, v * variance, float(np.log(z[0]) - len(distinct) * np.log(2 * epsilon)))


def phi(x: np.ndarray) -> np.ndarray:
    """Return the standard normal density."""
    return np.exp(-x * x / 2) / np.sqrt(2 * np.pi)
