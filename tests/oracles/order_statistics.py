"""The exact posterior of a free-for-all of equal players without draws, from order statistics of normals."""

import math

import numpy as np
from scipy.integrate import quad
from scipy.special import gammaln, log_ndtr


def order_moments(n: int, place: int) -> tuple[float, float]:
    """Return mean and variance of the `place`-th largest of n standard normal variables."""
    log_count = gammaln(n + 1) - gammaln(place) - gammaln(n - place + 1)

    def density(x: float) -> float:
        log_normal = -x * x / 2 - math.log(2 * math.pi) / 2
        return math.exp(log_count + log_normal + (n - place) * log_ndtr(x) + (place - 1) * log_ndtr(-x))

    grid = np.linspace(-12, 12, 2401)
    peak = grid[np.argmax([density(x) for x in grid])]
    mean = _integral(lambda x: x * density(x), peak)
    return mean, _integral(lambda x: (x - mean) ** 2 * density(x), peak)


def free_for_all(n: int, mu: float, sigma: float, beta: float) -> list[tuple[float, float]]:
    """Return (mu, sigma) of n players who started equal, best first, without drift and draws."""
    spread = math.hypot(sigma, beta)
    share = (sigma / spread) ** 2
    rated = []
    for place in range(1, n + 1):
        mean, variance = order_moments(n, place)
        rated.append((mu + share * spread * mean, sigma * math.sqrt(1 - share * (1 - variance))))
    return rated


def _integral(function, peak: float) -> float:
    """Integrate a function whose mass lies around `peak`."""
    return quad(function, -13, 13, points=[peak - 1, peak, peak + 1], limit=500, epsabs=1e-14, epsrel=1e-12)[0]
