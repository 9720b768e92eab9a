"""Run the `trueskill` package until it converges, and draw random matches to rate with it."""

import math
from itertools import pairwise
from statistics import NormalDist

import trueskill
from scipy.special import ndtr, ndtri

Teams = list[list[tuple[float, float]]]
SWEEPS = (16, 64, 256, 1024, 4096)
TOLERANCE = 1e-10
STANDARD = NormalDist()

# `backend="scipy"` calls these three functions through `scipy.stats.norm`, which is slow because it checks its
# arguments. The script that writes the golden file checks that the results agree up to rounding.
SCIPY = (lambda x: float(ndtr(x)), lambda x: math.exp(-(x**2) / 2) / math.sqrt(2 * math.pi), lambda p: float(ndtri(p)))


class ConvergingTrueSkill(trueskill.TrueSkill):
    """A TrueSkill environment that runs `sweeps` EP iterations; the package itself stops after ten."""

    sweeps = 10

    def run_schedule(self, *args, **kwargs):
        """Run the package's own schedule with more iterations, by replacing its first call of `range`."""
        loops = [range(self.sweeps)]

        def patient_range(*bounds: int) -> range:
            return loops.pop() if loops else range(*bounds)

        trueskill.range = patient_range
        try:
            return super().run_schedule(*args, **kwargs)
        finally:
            trueskill.range = range


def trueskill_rate(
    teams: Teams, ranks: list[int], beta: float, tau: float, draw_probability: float, backend=SCIPY
) -> Teams:
    """Rate one match with the `trueskill` package; repeat with more iterations until the posteriors stop changing."""
    environment = ConvergingTrueSkill(beta=beta, tau=tau, draw_probability=draw_probability, backend=backend)
    groups = [tuple(trueskill.Rating(mu, sigma) for mu, sigma in team) for team in teams]
    before = None
    for environment.sweeps in SWEEPS:
        rated = environment.rate(groups, ranks=ranks, min_delta=1e-14)
        after = [[(player.mu, player.sigma) for player in team] for team in rated]
        if before is not None and largest_difference(before, after) <= TOLERANCE:
            return after
        before = after
    raise FloatingPointError(f"trueskill has not converged after {SWEEPS[-1]} sweeps")


def largest_difference(one: Teams, other: Teams) -> float:
    """Return the largest absolute difference between two nested lists of (mu, sigma)."""
    pairs = zip((p for team in one for p in team), (p for team in other for p in team), strict=True)
    return max(abs(x - y) for p, q in pairs for x, y in zip(p, q, strict=True))


def random_match(rng) -> dict:
    """Draw a match that `trueskill` can rate accurately; `rng` is a `random.Random` or a NumPy `Generator`.

    Matches are redrawn if the result of a pair is too surprising or too certain. Beyond 5 standard deviations of
    surprise, the package's v and w lose their digits. Beyond 15 standard deviations of certainty, they underflow and
    the package raises an error.
    """
    while True:
        match = _draw_match(rng)
        if all(-5 < surprise < 15 for surprise in _surprises(match)):
            return match


def _draw_match(rng) -> dict:
    """Draw players, settings and an outcome, which in 85 % of cases follows from sampled performances."""
    n = 2 + int(11 * rng.random() ** 3.3)
    size = _size(rng)
    even = rng.random() < 0.6
    teams = [[_prior(rng) for _ in range(size if even else _size(rng))] for _ in range(n)]
    tiny = rng.random() < 0.1
    draw_probability = float(f"{10 ** rng.uniform(-9, -3):.3g}") if tiny else round(rng.uniform(0.01, 0.7), 4)
    beta, tau = round(rng.uniform(0.5, 8), 3), round(max(0.0, rng.uniform(-0.2, 1)), 4)
    match = {"beta": beta, "tau": tau, "draw_probability": draw_probability, "teams": teams}
    if rng.random() < 0.15:
        order, tied = sorted(range(n), key=lambda _: rng.random()), [rng.random() < 0.3 for _ in range(n - 1)]
    else:
        order, tied = _sampled_order(rng, match)
    # With a tiny draw probability there are no draws, because the package's 1 - w would be only rounding error.
    ranks = [0] * n
    for place, team in enumerate(order):
        drawn = place > 0 and tied[place - 1] and not tiny
        ranks[team] = ranks[order[place - 1]] if drawn else place + 1
    return match | {"ranks": ranks}


def _size(rng) -> int:
    """Draw a team size from 1 to 8; small teams are more likely."""
    return 1 + int(8 * rng.random() ** 4)


def _prior(rng) -> tuple[float, float]:
    """Draw a rating with mu between 10 and 40 and sigma between 0.5 and 10."""
    return round(rng.uniform(10, 40), 2), round(0.5 * 20 ** rng.random(), 2)


def _sampled_order(rng, match: dict) -> tuple[list[int], list[bool]]:
    """Return the order of sampled team performances, and which neighbours are within the draw margin."""
    teams = match["teams"]
    performance = []
    for team in teams:
        mean, variance = _performance(match, team)
        performance.append(mean + math.sqrt(variance) * STANDARD.inv_cdf(0.999998 * rng.random() + 1e-6))
    order = sorted(range(len(teams)), key=lambda i: -performance[i])
    pairs = pairwise(order)
    return order, [performance[i] - performance[j] < _margin(match, teams[i], teams[j]) for i, j in pairs]


def _performance(match: dict, team: list[tuple[float, float]]) -> tuple[float, float]:
    """Return the mean and variance of a team's performance."""
    noise = match["beta"] ** 2 + match["tau"] ** 2
    return sum(mu for mu, _ in team), sum(sigma**2 + noise for _, sigma in team)


def _margin(match: dict, one: list, other: list) -> float:
    """Return the draw margin between two teams."""
    quantile = STANDARD.inv_cdf((match["draw_probability"] + 1) / 2)
    return quantile * match["beta"] * math.sqrt(len(one) + len(other))


def _surprises(match: dict) -> list[float]:
    """Return, in standard deviations, how expected (positive) or surprising (negative) the result of each pair was."""
    ranks, teams = match["ranks"], match["teams"]
    order = sorted(range(len(ranks)), key=ranks.__getitem__)
    found = []
    for i, j in pairwise(order):
        (mean_i, variance_i), (mean_j, variance_j) = _performance(match, teams[i]), _performance(match, teams[j])
        gap, margin, c = mean_i - mean_j, _margin(match, teams[i], teams[j]), math.sqrt(variance_i + variance_j)
        found.append((margin - abs(gap) if ranks[i] == ranks[j] else gap - margin) / c)
    return found
