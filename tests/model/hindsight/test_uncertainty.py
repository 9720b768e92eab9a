"""How far to trust sigma: beliefs of a hindsight compared with the exact joint posterior of all players.

The guide states these figures. Each player has a belief of their own, without correlations. So sigma is the uncertainty
relative to the other players, and leaves out that of the common level; differences between players have about the right
uncertainty or a little too much.
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np
import pytest

import prowess as pw
from tests.oracles.hindsight import exact_scores, exact_skills
from tests.oracles.hindsight_gibbs import sample_order

PURE = pw.kernel_mode() == "pure"
FINE = {"tolerance": 1e-9, "sweeps": 2000}
SEEDS = (1,) if PURE else (1, 2, 3)


class Ratios(NamedTuple):
    """Sigma divided by the exact one (its median), and the same for all differences between two players."""

    skill: float
    least: float
    median: float
    most: float


def ratios(ratings, covariance, rows):
    """Compare ratings by name with an exact covariance, in which every name has a row."""
    sigma = {name: ratings[name].sigma for name in rows}
    skill = [sigma[name] / covariance[row, row] ** 0.5 for name, row in rows.items()]
    difference = []
    for (one, i), (other, j) in combinations(rows.items(), 2):
        exact = covariance[i, i] + covariance[j, j] - 2.0 * covariance[i, j]
        difference.append(((sigma[one] ** 2 + sigma[other] ** 2) / exact) ** 0.5)
    return Ratios(np.median(skill), min(difference), np.median(difference), max(difference))


def pairings(seed, players, count):
    """Return matches of random pairs, with random scores; the uncertainty does not depend on them."""
    rng = np.random.default_rng(seed)
    pairs = [rng.permutation(players)[:2].tolist() for _ in range(count)]
    scores = rng.integers(0, 6, (count, 2)).tolist()
    return [
        {"teams": [[f"p{one}"], [f"p{other}"]], "scores": score}
        for (one, other), score in zip(pairs, scores, strict=True)
    ]


# Players, matches, and ranges of the four ratios over several leagues, and of the median of an online fit.
TABLE = [
    (8, 60, (0.67, 0.73), (0.98, 1.03), (1.05, 1.09), (1.11, 1.19), (1.10, 1.15)),
    (20, 200, (0.77, 0.82), (0.98, 1.01), (1.02, 1.04), (1.08, 1.13), (1.06, 1.09)),
    (20, 2_000, (0.35, 0.38), (1.00, 1.02), (1.02, 1.03), (1.03, 1.06), (1.03, 1.045)),
    (100, 1_000, (0.93, 0.96), (0.97, 1.0), (0.995, 1.01), (1.05, 1.11), (1.03, 1.06)),
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("row", TABLE[:1] if PURE else TABLE, ids=lambda row: f"{row[0]} players, {row[1]} matches")
def test_uncertainty_compared_with_the_exact_one_is_in_the_stated_ranges(row, seed):
    players, count, *ranges, online = row
    matches, sigma, beta, gamma = pairings(seed, players, count), 1.0, 0.5, 1.0
    exact, rows = exact_skills(matches, sigma=sigma, noise=gamma**2 + 2 * beta**2)
    model = pw.Model(prior=pw.Normal(0.0, sigma), noise=beta, outcome=pw.outcome.GaussianScore(gamma))
    history = pw.History.from_matches(matches)
    found = ratios(model.hindsight(history, **FINE), exact, rows)
    for ratio, (low, high) in zip(found, ranges, strict=True):
        assert low <= ratio <= high
    assert online[0] <= ratios(model.fit(history), exact, rows).median <= online[1]
    if count <= 60:  # the simpler oracle agrees with the one that has an unknown for every match
        general = exact_scores(matches, sigma=sigma, beta=beta, gamma=gamma)
        last = {name: at for (name, _, _), at in general.index.items()}
        for name, at in rows.items():
            assert exact[at, at] == pytest.approx(general.covariance[last[name], last[name]], rel=1e-9)


def won_matches(seed, players, count):
    """Return matches at increasing times, in which the first player won."""
    rng = np.random.default_rng(seed)
    skill, now, found = rng.normal(0.0, 1.0, players), 0.0, []
    for _ in range(count):
        one, other = rng.permutation(players)[:2].tolist()
        if skill[one] - skill[other] + rng.normal(0.0, 2**0.5) < 0.0:
            one, other = other, one
        now += float(rng.integers(0, 4))
        found.append({"teams": [[f"p{one}"], [f"p{other}"]], "time": now})
    return found


@pytest.mark.long
@pytest.mark.parametrize("sigma", [1.0, 2.0])
def test_a_small_league_with_drift_agrees_with_gibbs_sampling(sigma):
    matches, tau = won_matches(1, 6, 60), 0.1
    sampled = sample_order(matches, sigma=sigma, beta=1.0, tau=tau)
    model = pw.TrueSkill(mu=0, sigma=sigma, beta=1, tau=0, draw_probability=0).replace(drift=pw.drift.PerTime(tau))
    hindsight = model.hindsight(pw.History.from_matches(matches), **FINE)
    rows = {}
    for name in hindsight.ladder.names:
        for match, mu in hindsight.curve(name).select("match", "mu").rows():
            at = rows[name] = sampled.index[name, 0, match]
            assert abs(mu - sampled.mean[at]) < 0.03 * sampled.covariance[at, at] ** 0.5
    found = ratios(hindsight, sampled.covariance, rows)
    assert 0.5 < found.skill < 0.9
    assert found.least > 0.97
    assert 1.0 < found.median < 1.15
    assert found.most < 1.3
