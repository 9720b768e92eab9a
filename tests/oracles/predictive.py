"""Monte Carlo simulation of each model's predictions: performances, then places or scores."""

from __future__ import annotations

import numpy as np


def ranks_of(values):
    """Return ranks in each row: 1 + the number of teams that are strictly ahead."""
    return 1 + (values[:, None, :] > values[:, :, None]).sum(axis=2)


def by_margin(rng, mean, sigma, margin, count):
    """Return ranks of performances; a team is ahead if it is better by more than the margin (a matrix)."""
    shown = rng.normal(mean, sigma, (count, len(mean)))
    return 1 + (shown[:, None, :] > shown[:, :, None] + margin[None]).sum(axis=2)


def by_rounding(rng, mean, sigma, epsilon, count):
    """Return ranks of performances that are rounded to a grid of step 2ε with a random phase."""
    shown = rng.normal(mean, sigma, (count, len(mean)))
    return ranks_of(np.floor((shown + rng.uniform(0, 2 * epsilon, (count, 1))) / (2 * epsilon)))


def by_scores(rng, draw, mean, variance, count):
    """Return ranks by scores, which depend on each team's offence minus the others' mean defence."""
    shown = rng.normal(mean, np.sqrt(variance), (count, *mean.shape))
    offence, defence = shown[:, :, 0], shown[:, :, 1]
    others = (defence.sum(axis=1, keepdims=True) - defence) / (mean.shape[0] - 1)
    return ranks_of(draw(offence - others))


def by_differences(rng, mean, variance, gamma, count):
    """Return ranks by scores for a model of score differences, in which each team has half of the noise."""
    return ranks_of(rng.normal(mean, np.sqrt(variance + gamma**2 / 2), (count, len(mean))))
