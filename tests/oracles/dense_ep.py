"""A slow and simple expectation propagation with dense matrices, one factor "a·x in (lo, hi)" at a time."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tests.oracles.truncated import truncated


class Posterior(NamedTuple):
    """The posterior of the teams after the match, and the estimate of the log-evidence."""

    means: np.ndarray
    variances: np.ndarray
    log_z: float


def dense_ep(means, variances, factors, sweeps: int = 500, tolerance: float = 1e-11) -> Posterior:
    """Run EP for x ~ N(means, diag(variances)) given a·x in (lo, hi) for each (a, lo, hi) of `factors`.

    Every factor has a Gaussian site exp(shift·d − precision·d²/2) on d = a·x; all sites are updated until none changes.
    """
    prior_precision, prior_shift = np.diag(1 / np.asarray(variances, float)), np.divide(means, variances)
    rows = [np.asarray(a, float) for a, _, _ in factors]
    sites, parts, scale = np.zeros((len(factors), 2)), np.zeros(len(factors)), np.ones((len(factors), 2))
    for _ in range(sweeps):
        before = sites.copy()
        for k, (a, (_, lo, hi)) in enumerate(zip(rows, factors, strict=True)):
            precision, shift = joint(prior_precision, prior_shift, rows, sites)
            v = a @ np.linalg.solve(precision, a)
            m = a @ np.linalg.solve(precision, shift)
            cavity = np.array([1 / v, m / v]) - sites[k]
            found = truncated(cavity[1] / cavity[0], 1 / cavity[0], lo, hi)
            whole = np.array([float(1 / found.variance), float(found.mean / found.variance)])
            sites[k], scale[k] = whole - cavity, np.abs(whole) + np.abs(cavity)
            parts[k] = float(found.log_z) - log_mass(*whole) + log_mass(*cavity)
        if np.all(np.abs(sites - before) <= tolerance * scale):
            break
    else:
        raise ArithmeticError(f"the sites have not converged after {sweeps} sweeps")
    precision, shift = joint(prior_precision, prior_shift, rows, sites)
    log_z = parts.sum() + dense_log_mass(precision, shift) - dense_log_mass(prior_precision, prior_shift)
    return Posterior(np.linalg.solve(precision, shift), np.diag(np.linalg.inv(precision)).copy(), float(log_z))


def joint(precision: np.ndarray, shift: np.ndarray, rows: list, sites: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the natural parameters of prior times sites."""
    for a, (site_precision, site_shift) in zip(rows, sites, strict=True):
        precision, shift = precision + site_precision * np.outer(a, a), shift + site_shift * a
    return precision, shift


def log_mass(precision: float, shift: float) -> float:
    """Return log ∫ exp(shift·d − precision·d²/2) dd, up to a constant that cancels."""
    return shift**2 / (2 * precision) - np.log(precision) / 2


def dense_log_mass(precision: np.ndarray, shift: np.ndarray) -> float:
    """Return the logarithm of the integral in `log_mass` for a vector instead of a number."""
    return shift @ np.linalg.solve(precision, shift) / 2 - np.linalg.slogdet(precision)[1] / 2


def chain(ranks, margins) -> list:
    """Return TrueSkill's factors for neighbours in rank order, with `margins[k]` between positions k and k + 1."""
    order = sorted(range(len(ranks)), key=lambda i: ranks[i])
    factors = []
    for (i, j), margin in zip(pairwise(order), margins, strict=True):
        a = np.zeros(len(ranks))
        a[i], a[j] = 1, -1
        factors.append((a, -margin, margin) if ranks[i] == ranks[j] else (a, margin, np.inf))
    return factors
