"""Ranks of independent Gaussian performances by sampling, and the probability of sole first place by quadrature."""

import numpy as np
from scipy.integrate import quad
from scipy.stats import norm


def sampled_ranks(means, variances, margin, samples: int = 200_000, seed: int = 0) -> np.ndarray:
    """Return the ranks 1 + #{j : t_j > t_i + margin}, one row per sample; `margin` may be a matrix [i, j]."""
    means, spreads = np.asarray(means, float), np.sqrt(np.asarray(variances, float))
    t = means + spreads * np.random.default_rng(seed).standard_normal((samples, len(means)))
    margin = np.broadcast_to(margin, (len(means), len(means)))
    return np.stack([1 + np.sum(t > t[:, [i]] + margin[i], axis=1) for i in range(len(means))], axis=1)


def rank_probabilities(ranks: np.ndarray) -> np.ndarray:
    """Return P(team i has rank r + 1) as a matrix [i, r]."""
    places = np.arange(1, ranks.shape[1] + 1)
    return np.mean(ranks[:, :, None] == places, axis=0)


def win_and_draw(ranks: np.ndarray) -> tuple[np.ndarray, float]:
    """Return P(team i is first alone) for each i, and P(first place is shared)."""
    first = ranks == 1
    alone = first.sum(axis=1) == 1
    return np.mean(first & alone[:, None], axis=0), float(np.mean(~alone))


def first_alone(i: int, means, variances, margin: float) -> float:
    """Return P(t_i > t_j + margin for every other j), integrated numerically over t_i."""
    means, spreads = np.asarray(means, float), np.sqrt(np.asarray(variances, float))
    others = np.arange(len(means)) != i

    def integrand(x: float) -> float:
        behind = norm.cdf((x - margin - means[others]) / spreads[others])
        return norm.pdf(x, means[i], spreads[i]) * np.prod(behind)

    lo, hi = means[i] - 12 * spreads[i], means[i] + 12 * spreads[i]
    turns = np.clip(np.append(means + margin, means[i]), lo, hi)
    return quad(integrand, lo, hi, points=np.unique(turns), limit=1000, epsabs=1e-13, epsrel=1e-12)[0]
