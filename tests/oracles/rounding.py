"""Rounded normal score differences, and counts with a common level, by closed forms and by integration."""

import mpmath as mp
import numpy as np
from scipy.stats import norm


def chances(mean, variance, step, dps=60):
    """Return P(win), P(draw), P(loss) of a normal difference that is rounded to a multiple of `step`."""
    with mp.workdps(dps):
        mean, deviation, half = mp.mpf(mean), mp.sqrt(mp.mpf(variance)), mp.mpf(step) / 2

        def tail(x):
            return mp.erfc(x / mp.sqrt(2)) / 2

        win, loss = tail((half - mean) / deviation), tail((half + mean) / deviation)
        # A difference of small tails keeps its digits; a difference of numbers near 1 would not.
        return win, tail((abs(mean) - half) / deviation) - tail((abs(mean) + half) / deviation), loss


def difference_posterior(mean, variance, noise, seen, step):
    """Return mean and variance of d ~ N(mean, variance), given that d + N(0, noise) rounds to `seen`."""
    d = np.linspace(mean - 12 * np.sqrt(variance), mean + 12 * np.sqrt(variance), 40_001)
    upper, lower = ((seen + half - d) / np.sqrt(noise) for half in (step / 2, -step / 2))
    weight = norm.pdf(d, mean, np.sqrt(variance)) * (norm.cdf(upper) - norm.cdf(lower))
    centre = (weight * d).sum() / weight.sum()
    return centre, (weight * (d - centre) ** 2).sum() / weight.sum()


def ranks_within(rng, mean, variance, margin, count):
    """Return ranks of sampled normal scores; a team is ahead if its score is higher by more than the margin."""
    scores = rng.normal(mean, np.sqrt(variance), (count, len(mean)))
    return 1 + (scores[:, None, :] > scores[:, :, None] + margin).sum(axis=2)


def log_rate_posterior(prior_mean, prior_variance, counts):
    """Return the exact posterior mean of the logarithm of a Poisson rate with a log-normal prior, by integration."""

    def density(x, k):
        likelihood = mp.exp(sum(counts) * x - len(counts) * mp.exp(x))
        return x**k * mp.npdf(x, prior_mean, mp.sqrt(prior_variance)) * likelihood

    centre = mp.log((sum(counts) + mp.mpf(1) / 2) / len(counts))
    ends = [centre + step for step in (-9, -3, -1, 0, 1, 3)]
    z, first = (mp.quad(lambda x, k=k: density(x, k), ends) for k in range(2))
    return float(first / z)
