"""The presets reproduce published examples."""

from __future__ import annotations

import pytest

import prowess as pw

# Glickman's example for both systems, with ratings written as μ (σ): in one period, player a with 1500 (200) beats b
# with 1400 (30), and loses to c with 1550 (100) and to d with 1700 (300).
OPPONENTS = {"b": (1400, 30), "c": (1550, 100), "d": (1700, 300)}
GAMES = [{"teams": [["a"], ["b"]]}, {"teams": [["c"], ["a"]]}, {"teams": [["d"], ["a"]]}]


def rated(model):
    start = {"a": model.rating(1500, 200)} | {name: model.rating(*known) for name, known in OPPONENTS.items()}
    fit = model.fit(pw.History.from_matches([game | {"time": "2026-01-31"} for game in GAMES]), start=start)
    ladder = pw.Ladder(model, start)
    for game in GAMES:
        ladder.record(game["teams"], time="2026-01-31")
    assert ladder["a"] == fit["a"]
    return fit["a"]


def test_published_example_of_glicko_is_reproduced():
    found = rated(pw.Glicko(c=0))
    assert (found.mu, found.sigma) == pytest.approx((1464.1, 151.4), abs=0.05)


def test_published_example_of_glicko_2_is_reproduced():
    found = rated(pw.Glicko2(tau=0.5))
    assert found.mu == pytest.approx(1464.0507, abs=1e-4)
    assert found.sigma == pytest.approx(151.52, abs=0.005)
    assert found.volatility == pytest.approx(0.05999, abs=1e-5)


def test_elo_example_from_wikipedia_is_reproduced():
    """In Wikipedia's example of a chess tournament, a rating falls from 1613 to 1601."""
    model = pw.Elo(k=32)
    results = [(1609, 0), (1477, 0.5), (1388, 1), (1586, 1), (1720, 0)]
    expected = sum(1 / (1 + 10 ** ((rating - 1613) / 400)) for rating, _ in results)
    gained = 0.0
    for rating, score in results:
        ranks = {0: [2, 1], 0.5: [1, 1], 1: [1, 2]}[score]
        gained += model.rate([[model.rating(1613)], [model.rating(rating)]], ranks=ranks)[0][0].mu - 1613
    assert gained == pytest.approx(32 * (2.5 - expected), abs=1e-9)
    assert round(1613 + gained) == 1601


@pytest.mark.parametrize("sizes", [(1, 1), (3, 3), (1, 1, 1, 1), (2, 2, 2)])
@pytest.mark.parametrize("preset", [pw.Elo, pw.GaussianElo])
def test_sum_of_ratings_is_conserved_between_teams_of_equal_size(preset, sizes):
    model = preset()
    teams = [[model.rating(1400 + 50 * j + 20 * k) for k in range(size)] for j, size in enumerate(sizes)]
    for ranks in (range(len(sizes)), [1] * len(sizes), [2, 1, 1, 3][: len(sizes)]):
        after = model.rate(teams, ranks=list(ranks))
        moved = [new.mu - old.mu for a, b in zip(after, teams, strict=True) for new, old in zip(a, b, strict=True)]
        assert sum(moved) == pytest.approx(0, abs=1e-9)
