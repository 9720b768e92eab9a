"""Leagues that every model can rate, with teams of all sizes, ties, times and weights."""

from __future__ import annotations

import numpy as np

import prowess as pw


def matches(seed=1, count=120, players=24, teams=(2, 5), sizes=(1, 4)):
    """Return matches of every kind; scores are non-negative integers, so that every model accepts them."""
    rng = np.random.default_rng(seed)
    found = []
    for number in range(count):
        size = rng.integers(*sizes, rng.integers(*teams)) if number % 3 else rng.integers(*sizes, 2)
        names = rng.permutation(players)[: size.sum()]
        roster = [[f"p{name}" for name in team] for team in np.split(names, np.cumsum(size)[:-1])]
        found.append(
            {
                "teams": roster,
                "scores": rng.integers(0, 5, len(roster)).tolist(),
                "weights": [rng.choice([0.5, 1.0, 1.0], len(team)).tolist() for team in roster],
                "importance": float(rng.choice([0.0, 0.5, 1.0, 1.0, 2.0])),
                "time": float(number // 4 * 3),
                "home": int(rng.integers(len(roster))),
            }
        )
    return found


def duels(seed=2, count=150, players=12):
    """Return matches of two single players, without optional fields."""
    rng = np.random.default_rng(seed)
    pairs = (rng.choice(players, 2, replace=False) for _ in range(count))
    return [{"teams": [[f"p{a}"], [f"p{b}"]], "scores": rng.integers(0, 4, 2).tolist()} for a, b in pairs]


def history(found):
    return pw.History.from_matches(found)


def details(match):
    """Return the arguments of `Ladder.record` and `Model.rate` for a match."""
    return {name: match[name] for name in ("scores", "weights", "importance", "home") if name in match}
