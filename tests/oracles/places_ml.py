"""A slow and simple TS3: a general constrained optimiser for the places, closed forms for the teams."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_ndtr

from tests.oracles.truncated import truncated


class Fitted(NamedTuple):
    """The performances of the places, the moments of the teams for these places, and the maximised log-likelihood."""

    x: np.ndarray
    means: np.ndarray
    variances: np.ndarray
    log_z: float


def log_likelihood(x, places, means, variances, epsilon) -> tuple[float, np.ndarray]:
    """Return Σ log P(|t − x| ≤ ε), t ~ N(mean, variance), and its derivative with respect to each x; `places` count
    from 0."""
    deviations = np.sqrt(variances)
    middle = -np.abs(x[places] - means) / deviations  # reflected, so that Φ is always a difference of small numbers
    upper, lower = log_ndtr(middle + epsilon / deviations), log_ndtr(middle - epsilon / deviations)
    terms = upper + np.log(-np.expm1(lower - upper))
    density = [np.exp(-((middle + side * epsilon / deviations) ** 2) / 2 - terms) for side in (1, -1)]
    slopes = np.sign(means - x[places]) * (density[0] - density[1]) / np.sqrt(2 * np.pi) / deviations
    return terms.sum(), np.bincount(places, slopes, len(x))


def fit_places(places, means, variances, epsilon) -> Fitted:
    """Maximise the likelihood subject to x_k ≥ x_k+1 + 2ε, and return the moments of each team given its x."""
    places, means, variances = np.asarray(places), np.asarray(means, float), np.asarray(variances, float)
    count = places.max() + 1
    steps = np.eye(count)[:-1] - np.eye(count)[1:]
    scale = np.sqrt(np.median(variances))

    def objective(x):
        value, slope = log_likelihood(x * scale, places, means, variances, epsilon)
        return -value, -slope * scale

    start = (means.mean() + epsilon * (count - 1 - 2.0 * np.arange(count))) / scale
    constraint = {"type": "ineq", "fun": lambda x: steps @ x - 2 * epsilon / scale, "jac": lambda x: steps}
    for _ in range(20):  # restart the optimiser where it stopped, until it no longer moves
        found = minimize(
            objective,
            start,
            jac=True,
            method="SLSQP",
            constraints=[constraint],
            options={"ftol": 1e-15, "maxiter": 2000},
        )
        moved, start = np.abs(found.x - start).max(), found.x
        if moved < 1e-9:
            break
    x = start * scale
    rest = [truncated(m, v, x[k] - epsilon, x[k] + epsilon) for k, m, v in zip(places, means, variances, strict=True)]
    return Fitted(
        x,
        np.array([float(team.mean) for team in rest]),
        np.array([float(team.variance) for team in rest]),
        float(sum(team.log_z for team in rest)),
    )
