"""Slow and simple score models: the paper's equations as printed, dense linear algebra, and direct KL minimisation."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import gammaln


def equation_20(offence, defence, score, noise):
    """Return (mean, variance) of an offence and of the opposing defence after a score; `noise` is β₁² + β₂² + γ²."""
    (mo, vo), (md, vd) = offence, defence
    pi_o, tau_o = 1 / vo + 1 / (noise + vd), mo / vo + (score + md) / (noise + vd)
    pi_d, tau_d = 1 / vd + 1 / (noise + vo), md / vd + (mo - score) / (noise + vo)
    return (tau_o / pi_o, 1 / pi_o), (tau_d / pi_d, 1 / pi_d)


def equations_22_23(first, second, scores, noise):
    """Return (mean, variance) of both teams' skills after a score difference; `noise` is β₁² + β₂² + γ²."""
    (mi, vi), (mj, vj) = first, second
    difference = scores[0] - scores[1]
    pi_i, tau_i = 1 / vi + 1 / (noise + vj), mi / vi + (difference + mj) / (noise + vj)
    pi_j, tau_j = 1 / vj + 1 / (noise + vi), mj / vj + (mi - difference) / (noise + vi)
    return (tau_i / pi_i, 1 / pi_i), (tau_j / pi_j, 1 / pi_j)


def linear(means, variances, matrix, noise, seen):
    """Return posterior means and variances of independent normals x, and the log-evidence of seen = matrix · x + noise.

    `noise` is the covariance of the noise.
    """
    matrix, covariance = np.asarray(matrix), np.diag(variances)
    spread = matrix @ covariance @ matrix.T + noise
    beyond = np.asarray(seen) - matrix @ means
    gain = covariance @ matrix.T @ np.linalg.inv(spread)
    evidence = -0.5 * (beyond @ np.linalg.solve(spread, beyond) + np.linalg.slogdet(2 * np.pi * spread)[1])
    return means + gain @ beyond, np.diag(covariance - gain @ matrix @ covariance), evidence


def against_the_others(teams):
    """Return the matrix that maps all teams' offence and defence to offence minus the others' mean defence."""
    rows = np.zeros((teams, 2 * teams))
    for i in range(teams):
        rows[i, 2 * i] = 1
        for j in range(teams):
            if j != i:
                rows[i, 2 * j + 1] = -1 / (teams - 1)
    return rows


def divergence(mean, variance, prior_mean, prior_variance, score):
    """Return KL(q‖p) up to log p(score), for q = N(mean, variance) and p ∝ N(x; prior) Poisson(score; eˣ)."""
    likelihood = score * mean - np.exp(mean + variance / 2) - gammaln(score + 1)
    prior = -0.5 * np.log(2 * np.pi * prior_variance) - (variance + (mean - prior_mean) ** 2) / (2 * prior_variance)
    return -0.5 * np.log(2 * np.pi * np.e * variance) - likelihood - prior


def nearest_normal(mean, variance, score):
    """Return the mean and variance that minimise KL(q‖p), found by a general minimiser, and the minimum."""
    peak = np.log(score + 0.3) if variance > 0.3 else mean
    scale = np.sqrt(1 / (1 / variance + np.exp(peak)))

    def objective(z):
        if abs(z[0]) > 200 or abs(z[1]) > 60:
            return 1e6
        return divergence(peak + scale * z[0], scale**2 * np.exp(z[1]), mean, variance, score)

    best = np.zeros(2)
    options = {"xatol": 1e-11, "fatol": 1e-15, "maxfev": 4000}
    for _ in range(4):  # restarts where it stopped, because one run may stop too early
        best = minimize(objective, best, method="Nelder-Mead", options=options).x
    return peak + scale * best[0], scale**2 * np.exp(best[1]), objective(best)


def nearest_joint(means, variances, matrix, scores):
    """Return the joint normal that minimises KL(q‖p) for scores Poisson(exp(matrix · x)), by damped iteration."""
    prior = np.diag(1 / np.asarray(variances))
    mean, covariance = np.array(means, float), np.diag(variances)
    rates = np.maximum(scores, 0.5)
    for _ in range(4000):
        covariance = np.linalg.inv(prior + matrix.T @ (rates[:, None] * matrix))
        slope = matrix.T @ (scores - rates) - prior @ (mean - means)
        mean = mean + 0.3 * covariance @ slope
        spread = np.einsum("ij,jk,ik->i", matrix, covariance, matrix)
        rates = rates**0.7 * np.exp(0.3 * (matrix @ mean + spread / 2))
    x = matrix @ mean
    likelihood = (scores * x - np.exp(x + spread / 2) - gammaln(np.asarray(scores) + 1)).sum()
    gap = mean - means
    ratio = prior @ covariance
    kl = 0.5 * (np.trace(ratio) + gap @ prior @ gap - len(gap) - np.linalg.slogdet(ratio)[1])
    return mean, np.diag(covariance), likelihood - kl


def sampled_ranks(means, variances, draw, samples=400_000, seed=11):
    """Return ranks of sampled scores: 1 + the number of teams that scored more; `draw` samples scores from x."""
    rng = np.random.default_rng(seed)
    shown = rng.normal(means, np.sqrt(variances), (samples, len(means)))
    scores = draw(rng, shown @ against_the_others(len(means) // 2).T)
    return np.stack([1 + np.sum(scores > scores[:, [i]], axis=1) for i in range(scores.shape[1])], axis=1)
