"""Match quality (TrueSkill, equation 7) with dense matrices over all players."""

import numpy as np


def quality(teams, beta: float, weights=None, offsets=None) -> float:
    """Return √(det β²AAᵀ / det S) · exp(−½ dᵀS⁻¹d), with S = β²AAᵀ + AΣAᵀ and d the differences of team means.

    `teams` has (mu, sigma) per player. A row of A has the ±weights of a neighbouring pair. `offsets` are the teams' α₀.
    """
    weights = weights or [[1.0] * len(team) for team in teams]
    offsets = np.zeros(len(teams)) if offsets is None else np.asarray(offsets, float)
    mu = np.array([mu for team in teams for mu, _ in team])
    covariance = np.diag([sigma**2 for team in teams for _, sigma in team])
    team_rows = np.zeros((len(teams), len(mu)))
    start = 0
    for row, alphas in zip(team_rows, weights, strict=True):
        row[start : start + len(alphas)] = alphas
        start += len(alphas)
    a = team_rows[:-1] - team_rows[1:]
    d = a @ mu + offsets[:-1] - offsets[1:]
    noise = beta**2 * a @ a.T
    total = noise + a @ covariance @ a.T
    log_ratio = np.linalg.slogdet(noise)[1] - np.linalg.slogdet(total)[1]
    return float(np.exp(log_ratio / 2 - d @ np.linalg.solve(total, d) / 2))
