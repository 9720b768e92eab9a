"""Leagues of simulated duels, for tests of model comparisons."""

from itertools import count

import numpy as np

_NUMBERS = count(1)


def duels(matches, seed=0, scores=False):
    """Return matches in which players with higher numbers are weaker; some matches are draws."""
    random = np.random.default_rng(seed)
    found = []
    for day in range(matches):
        one, other = random.choice(12, 2, replace=False)
        goals = random.poisson(np.exp([0.3 - 0.1 * one, 0.3 - 0.1 * other])).tolist()
        match = {"teams": [[f"p{one:02}"], [f"p{other:02}"]], "time": f"2026-{1 + day // 28 % 12:02}-{1 + day % 28:02}"}
        found.append(match | ({"scores": goals} if scores else {"ranks": [-goals[0], -goals[1]]}))
    return sorted(found, key=lambda match: match["time"])


def league(ask, matches, **more):
    name = f"models-{next(_NUMBERS)}"
    ask.create_league(name, **more)
    if matches:
        ask.post(f"/api/leagues/{name}/matches", {"matches": matches}, status=201)
    return name
