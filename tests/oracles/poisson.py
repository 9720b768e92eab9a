"""Slow and simple Poisson counts: mixtures on a dense grid, sums over all scores, and sampling."""

from math import exp, log, sqrt

import numpy as np
from scipy import stats
from scipy.integrate import simpson
from scipy.special import digamma, gammaln, ndtr, polygamma

LOWEST = -45.0


def pmf(n, mean, variance):
    """Return P(S = n) for all n in an array, where S ~ Poisson(eˣ) and x ~ N(mean, variance)."""
    n = np.asarray(n, float)
    if variance == 0:
        return stats.poisson.pmf(n, exp(mean))
    deviation, top = sqrt(variance), n.max()
    low = max(mean - 9 * deviation, LOWEST)
    high = min(mean + 9 * deviation, log(top + 10 * sqrt(top) + 60))
    step = min(deviation / 4, 0.5 / sqrt(top + 1))  # half of the narrowest width: the sum is exact to 1e-30
    x = np.arange(low, high + step, step)
    weight = stats.norm.pdf(x, mean, deviation) * step
    found = np.zeros(len(n))
    for part in np.array_split(np.arange(len(x)), len(x) // 2000 + 1):
        found += np.exp(n[:, None] * x[part] - np.exp(x[part]) - gammaln(n + 1)[:, None]) @ weight[part]
    if low == LOWEST:
        end = low - step / 2  # below this x every count is 0; the sum of midpoints is off by h²/24 times the slope
        slope = stats.norm.pdf(end, mean, deviation) * (mean - end) / variance
        found[n == 0] += ndtr((end - mean) / deviation) - step**2 / 24 * slope
    return found


def win_and_draw(first, second, most=1500):
    """Return P(S₀ > S₁) and P(S₀ = S₁) of two teams (mean, variance), summed over scores up to `most`.

    Beyond `most`, the counts vary mostly because x varies, so a normal distribution of log n is used.
    """
    reach = max(mean + 7 * sqrt(variance) for mean, variance in (first, second))
    top = min(most, int(exp(min(reach, 9)) + 10 * exp(min(reach, 9) / 2) + 40))
    n = np.arange(top + 1)
    one, two = pmf(n, *first), pmf(n, *second)
    win, draw = one[1:] @ np.cumsum(two)[:-1], one @ two
    end = first[0] + 9 * sqrt(first[1])
    if top == most and end > log(top + 0.5):
        t = np.linspace(log(top + 0.5), end, 20_001)
        mine, theirs = _beyond(t, *first), _beyond(t, *second)
        win += simpson(np.exp(t) * mine[0] * theirs[1], x=t)
        draw += simpson(np.exp(t) * mine[0] * theirs[0], x=t)
    return float(win), float(draw)


def _beyond(t, mean, variance):
    """Return P(S = n) and P(S < n) at n = exp(t), from the moments of the logarithm of a Gamma(n) variable."""
    n = np.exp(t)
    spread = np.sqrt(variance + polygamma(1, n))
    return stats.norm.pdf(digamma(n), mean, spread) / n, ndtr((digamma(n) - mean) / spread)


def sampled(first, second, samples=1_000_000, seed=1):
    """Return P(S₀ > S₁) and P(S₀ = S₁) from samples, and their standard errors."""
    rng = np.random.default_rng(seed)
    rates = [np.exp(np.minimum(rng.normal(mean, sqrt(variance), samples), 40)) for mean, variance in (first, second)]
    one, two = (rng.poisson(rate) for rate in rates)
    found = np.array([(one > two).mean(), (one == two).mean()])
    return found, np.sqrt(np.maximum(found * (1 - found), 1e-6) / samples)
