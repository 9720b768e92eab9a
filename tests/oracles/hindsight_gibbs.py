"""The joint posterior of all skills at all matches, for results of two players without draws, by Gibbs sampling."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .hindsight import prior_of_skills


class Sampled(NamedTuple):
    """Mean and covariance of all unknowns, and the unknown of every player and match."""

    mean: np.ndarray
    covariance: np.ndarray
    index: dict


def sample_order(matches, *, sigma, beta, tau, chains=200, sweeps=1000, burn=100, seed=0) -> Sampled:
    """Sample the skills; the first player of each match won.

    Given the skills, the difference of the performances in each match is a normal number that is truncated to the
    positive ones. Given these differences, all skills together have a normal distribution, whose covariance does not
    depend on the differences. Moments are averages of the conditional ones (Rao–Blackwell).
    """
    rng = np.random.default_rng(seed)
    prior, index = prior_of_skills(matches, sigma=sigma, tau=tau)
    design = np.zeros((len(matches), len(prior)))
    for number, match in enumerate(matches):
        for [name], sign in zip(match["teams"], (1.0, -1.0), strict=True):
            design[number, index[name, 0, number]] = sign
    gain = prior @ design.T @ np.linalg.inv(design @ prior @ design.T + 2.0 * beta**2 * np.eye(len(matches)))
    covariance = prior - gain @ design @ prior
    # Only the differences of skills in the matches are sampled; given those of performances, the skills are known.
    gap_gain = (design @ gain).T
    spread = np.linalg.cholesky(design @ covariance @ design.T + 1e-12 * np.eye(len(matches))).T
    difference = np.full((chains, len(matches)), beta)
    total, square = np.zeros(len(matches)), np.zeros((len(matches), len(matches)))
    for sweep in range(sweeps):
        gaps = difference @ gap_gain + rng.standard_normal(difference.shape) @ spread
        difference = truncated(rng, gaps, np.sqrt(2.0) * beta)
        if sweep >= burn:
            total += difference.sum(0)
            square += difference.T @ difference
    kept = chains * (sweeps - burn)
    mean = total / kept
    spread = square / kept - np.outer(mean, mean)
    return Sampled(gain @ mean, covariance + gain @ spread @ gain.T, index)


def truncated(rng, mean, sigma):
    """Return positive numbers from normal distributions, by rejection of normal or, far out, exponential numbers."""
    low = -mean / sigma
    found = np.full(mean.shape, np.nan)
    while (missing := np.isnan(found)).any():
        bound = low[missing]
        far = bound > 0.5
        # Robert (1995), Simulation of truncated normal variables: the exponential proposal with the best rate.
        rate = np.where(far, (bound + np.sqrt(bound**2 + 4.0)) / 2.0, 1.0)
        beyond = bound + rng.standard_exponential(bound.shape) / rate
        accepts = rng.random(bound.shape) < np.exp(-((beyond - rate) ** 2) / 2.0)
        drawn = rng.standard_normal(bound.shape)
        found[missing] = np.where(far, np.where(accepts, beyond, np.nan), np.where(drawn > bound, drawn, np.nan))
    return mean + sigma * found
