"""The exact joint posterior of all skills at all matches, for models of normal scores, by dense linear algebra."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Posterior(NamedTuple):
    """Mean and covariance of all unknowns, the log-evidence, and the unknown of every player, trait and match."""

    mean: np.ndarray
    covariance: np.ndarray
    log_evidence: float
    index: dict


def prior_of_skills(matches, *, sigma, tau, traits=1, home=None):
    """Return the prior covariance of all skills at all matches, and the unknown of every player, trait and match.

    Skills drift by tau² for each unit of time between two matches of a player. `home` is the standard deviation of a
    home advantage, which has the last unknowns.
    """
    index, steps, last = {}, [], {}
    for number, match in enumerate(matches):
        for name in (name for team in match["teams"] for name in team):
            for trait in range(traits):
                index[name, trait, number] = len(steps)
                if name in last:
                    before, time = last[name]
                    steps.append((index[name, trait, before], tau**2 * (match.get("time", 0.0) - time)))
                else:
                    steps.append((None, sigma**2))
            last[name] = number, match.get("time", 0.0)
    if home is not None:
        for trait in range(traits):
            index["home", trait] = len(steps)
            steps.append((None, home**2))
    # x = prior + L z with independent normal z, so the prior covariance is L L'.
    factor = np.zeros((len(steps), len(steps)))
    for row, (before, variance) in enumerate(steps):
        if before is not None:
            factor[row] = factor[before]
        factor[row, row] += variance**0.5
    return factor @ factor.T, index


def exact_scores(matches, *, sigma, beta, gamma, mu=0.0, tau=0.0, traits=1, home=None, base=0.0) -> Posterior:
    """Return the posterior of skills that drift by tau² for each unit of time between two matches of a player.

    With one trait, the difference of the scores is normal around that of the performances; with two, each score is
    normal around the base plus offence minus defence. `home` is mean and standard deviation of a home advantage.
    """
    prior, index = prior_of_skills(matches, sigma=sigma, tau=tau, traits=traits, home=None if home is None else home[1])
    size = len(prior)
    prior_mean = np.full(size, mu)
    if home is not None:
        prior_mean[-traits:] = home[0]
    design, noise, values = [], [], []
    for number, match in enumerate(matches):
        signs = [(0, 1.0, 0), (1, -1.0, 0)]
        for score in range(traits):
            row = np.zeros(size)
            variance = gamma**2
            sides = signs if traits == 1 else [(score, 1.0, 0), (1 - score, -1.0, 1)]
            for team, sign, trait in sides:
                for name in match["teams"][team]:
                    row[index[name, trait, number]] += sign
                    variance += beta**2
                if home is not None and match.get("home") == team:
                    row[index["home", trait]] += sign
            design.append(row)
            noise.append(variance)
            scores = match["scores"]
            values.append(scores[0] - scores[1] if traits == 1 else scores[score] - base)
    design, noise, values = np.array(design), np.array(noise), np.array(values)
    total = design @ prior @ design.T + np.diag(noise)
    gap = values - design @ prior_mean
    gain = prior @ design.T @ np.linalg.inv(total)
    evidence = -0.5 * (gap @ np.linalg.solve(total, gap) + np.linalg.slogdet(2 * np.pi * total)[1])
    return Posterior(prior_mean + gain @ gap, prior - gain @ design @ prior, evidence, index)


def exact_skills(matches, *, sigma, noise):
    """Return the covariance of skills that never change, and the row of every player.

    A match of two players shows the difference of their skills with the given variance.
    """
    index: dict = {}
    pairs = [[index.setdefault(name, len(index)) for [name] in match["teams"]] for match in matches]
    precision = np.eye(len(index)) / sigma**2
    for one, other in pairs:
        precision[[one, other], [one, other]] += 1.0 / noise
        precision[[one, other], [other, one]] -= 1.0 / noise
    return np.linalg.inv(precision), index
