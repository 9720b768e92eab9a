"""Beliefs after a match of which only the order of the scores is known, by integration and by sampling."""

from itertools import pairwise

import numpy as np
from scipy.stats import norm, skellam


def linear_posterior(weights, means, variances, noise, cell, margin, lead):
    """Return mean and variance of one normal variable, and the evidence, given the order of two scores.

    The difference of the scores is the sum of all variables times their weights, plus noise. `lead` is 1 if the
    difference exceeds the margin, −1 if its negative does, and 0 if it lies within the margin. A margin of 0 and a
    `lead` of 0 mean that the difference is exactly 0.
    """
    x = means[cell] + np.sqrt(variances[cell]) * np.linspace(-12, 12, 4001)
    rest = np.arange(len(weights)) != cell
    centre = np.dot(weights, means) + weights[cell] * (x - means[cell])
    scale = np.sqrt(noise + np.dot(np.square(weights)[rest], np.array(variances)[rest]))
    if lead:
        likelihood = norm.cdf((lead * centre - margin) / scale)
    elif margin == 0:
        likelihood = norm.pdf(0, centre, scale)
    else:
        likelihood = norm.cdf(margin, centre, scale) - norm.cdf(-margin, centre, scale)
    weight = likelihood * norm.pdf(x, means[cell], np.sqrt(variances[cell]))
    mean = (weight * x).sum() / weight.sum()
    return mean, (weight * (x - mean) ** 2).sum() / weight.sum(), weight.sum() * (x[1] - x[0])


def sampled_order(rng, means, variances, noise, places, margin, count):
    """Return means and variances of offences and defences, given the order of several normal scores, by rejection.

    A team is ahead of the next one if its score is higher by more than the margin; tied teams are within the margin.
    """
    teams = len(places)
    skills = rng.normal(means, np.sqrt(variances), (count, 2 * teams))
    offence, defence = skills[:, ::2], skills[:, 1::2]
    others = (defence.sum(axis=1, keepdims=True) - defence) / (teams - 1)
    scores = rng.normal(offence - others, np.sqrt(noise))
    order = np.argsort(places)
    gap = scores[:, order[:-1]] - scores[:, order[1:]]
    tied = np.array([places[i] == places[j] for i, j in pairwise(order)])
    kept = skills[np.where(tied, np.abs(gap) <= margin, gap > margin).all(axis=1)]
    return kept.mean(axis=0), kept.var(axis=0), len(kept) / count


def count_posterior(own, other, lead, nodes=301):
    """Return mean and variance of x, and the evidence, given the order of two Poisson counts with log-rates x and y.

    `own` and `other` are the normal beliefs (mean, variance) about x and y; the integrals are dense sums.
    """
    (m, v), (n, w) = own, other
    z = np.linspace(-9, 9, nodes)
    x, y = m + np.sqrt(v) * z, n + np.sqrt(w) * z
    one, two = np.exp(x)[:, None], np.exp(y)[None, :]
    chance = (
        skellam.pmf(0, one, two) if lead == 0 else skellam.sf(0, one, two) if lead > 0 else skellam.cdf(-1, one, two)
    )
    weight = norm.pdf(z) * (chance @ norm.pdf(z)) * (z[1] - z[0]) ** 2
    total = weight.sum()
    mean = (weight * x).sum() / total
    return mean, (weight * (x - mean) ** 2).sum() / total, total
