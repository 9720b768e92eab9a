"""Matches for tests, and helpers that read a league through a trace cache."""

import numpy as np

from prowess.store import leagues


def seen(database, traces, work, league="chess"):
    with database.reading() as connection:
        return work(traces.of(connection, leagues.find(connection, league)))


def matches(rounds, seed=1):
    chance = np.random.default_rng(seed)
    names = ["ann", "bob", "cat", "dan"]
    return [
        {"id": f"m{k}", "teams": [[one], [other]], "scores": chance.integers(0, 3, 2).tolist(), "time": k}
        for k in range(rounds)
        for one, other in [chance.choice(names, 2, replace=False).tolist()]
    ]


def len_of(views):
    return len(views.view)
