"""TrueSkill for two players with a learnt share of draws; each estimate is computed from all past matches."""

from math import erf, exp, pi, sqrt
from statistics import NormalDist


def cdf(x):
    return 0.5 * (1.0 + erf(x / sqrt(2.0)))


def density(x):
    return exp(-0.5 * x * x) / sqrt(2.0 * pi)


def width_at(start):
    return NormalDist().inv_cdf((1.0 + start) / 2.0)


def growth(past, start, memory):
    """Return the width of the margin relative to the start; `past` has (importance, drawn, p, growth) of each match.

    Twenty matches of equal teams are counted in advance; two of them are never forgotten. The age of a match is the
    total importance of the matches after it.
    """
    age, draws, chances = 0.0, 0.0, 0.0
    for importance, drawn, p, before in reversed(past):
        weight = importance * exp(-age / memory)
        draws += weight * drawn
        chances += weight * p / before
        age += importance
    prior = start * (2.0 + 18.0 * exp(-age / memory))
    return min((prior + draws) / (prior + chances), 5.0 / width_at(start))


def weighted(old, new, importance):
    """Return a belief after a match whose message, the new belief divided by the old, counts `importance` times."""
    (m, v), (n, u) = old, new
    precision = 1.0 / v + importance * (1.0 / u - 1.0 / v)
    return (m / v + importance * (n / u - m / v)) / precision, 1.0 / precision


def forecasts(matches, start=0.1, memory=500.0, mu=25.0, sigma=25 / 3, beta=25 / 6, tau=25 / 300):
    """Return P(win) of the first player and P(draw), before each match (first, second, result, importance).

    `result` is 1, 0 or −1 for a win, a draw or a loss of the first player. The update is that of Herbrich, Minka,
    Graepel (2006), section 2.
    """
    beliefs, past, found = {}, [], []
    for *pair, result, importance in matches:
        (m0, v0), (m1, v1) = ((m, v + tau**2) for m, v in (beliefs.get(name, (mu, sigma**2)) for name in pair))
        scale = sqrt(v0 + v1 + 2.0 * beta**2)
        now = growth(past, start, memory)
        t, e = (m0 - m1) / scale, width_at(start) * now * sqrt(2.0) * beta / scale
        win, loss = cdf(t - e), cdf(-t - e)
        draw = cdf(e - t) - cdf(-e - t)
        found.append((win, draw))
        if importance == 0:
            continue
        if result == 0:
            v = (density(-e - t) - density(e - t)) / draw
            w = v * v + ((e - t) * density(e - t) + (e + t) * density(e + t)) / draw
        else:
            x, chance = (t - e, win) if result > 0 else (-t - e, loss)
            v = density(x) / chance
            w = v * (v + x)
            v *= result
        after = (
            (m0 + v0 / scale * v, v0 * (1.0 - v0 / scale**2 * w)),
            (m1 - v1 / scale * v, v1 * (1.0 - v1 / scale**2 * w)),
        )
        for name, old, new in zip(pair, ((m0, v0), (m1, v1)), after, strict=True):
            beliefs[name] = weighted(old, new, importance)
        past.append((importance, result == 0, draw, now))
    return found
