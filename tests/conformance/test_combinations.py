"""Combinations of components that no paper describes, and input that a model rejects."""

from __future__ import annotations

import numpy as np
import pytest

import prowess as pw

SKILL = np.linspace(-0.5, 0.5, 18)


def order_of(ladder):
    """Return the rank correlation between a ladder's ratings and the true order p0, p1, …."""
    found = [ladder[f"p{player}"].mu for player in range(len(SKILL))]
    return np.corrcoef(np.argsort(np.argsort(found)), np.arange(len(SKILL)))[0, 1]


def test_poisson_model_with_teams_drift_and_home_advantage_ranks_players_by_skill():
    rng = np.random.default_rng(1)
    model = pw.PoissonOD(mu=0.2, sigma=0.4, beta=0.1).replace(
        drift=pw.drift.PerTime(0.005), home=pw.Home(0.0, home_sigma=0.5)
    )
    ladder = pw.Ladder(model)
    for day in range(400):
        names = rng.permutation(18)[:6]
        teams, home = [names[:3].tolist(), names[3:].tolist()], int(rng.integers(2))
        bonus = [0.3 if home == side else 0.0 for side in range(2)]
        strength = [SKILL[team].sum() + more for team, more in zip(teams, bonus, strict=True)]
        rates = np.exp([0.6 + strength[0] - strength[1], 0.6 + strength[1] - strength[0]])
        players = [[f"p{player}" for player in team] for team in teams]
        ladder.record(players, scores=rng.poisson(rates).tolist(), time=float(day), home=home)
    assert order_of(ladder) > 0.9
    # The bonus of 0.3 raises the home team's rate and lowers the other's, so the learnt home advantage is 0.6.
    assert ladder.home.mu == pytest.approx(0.6, abs=0.12)
    said = ladder.predict([["p17", "p16", "p15"], ["p0", "p1", "p2"]], home=0)
    assert said.win[0] > 0.9
    assert said.scores[0] > said.scores[1]


def test_places_model_with_drift_and_a_leader_bonus_ranks_players_by_skill():
    rng = np.random.default_rng(2)
    model = pw.TS2(leader_bonus=0.1, size=3).replace(drift=pw.drift.PerTime(20.0))
    matches = []
    for day in range(150):
        names = rng.permutation(18).reshape(6, 3)
        shown = SKILL[names].sum(axis=1) + rng.normal(0, 0.3, 6)
        teams = [[f"p{player}" for player in team] for team in names]
        matches.append(
            {
                "teams": teams,
                "scores": np.floor(2 * shown).tolist(),
                "time": f"2026-{day // 28 + 1:02}-{day % 28 + 1:02}",
            }
        )
    fit = model.fit(pw.History.from_matches(matches))
    assert order_of(fit.ladder) > 0.9
    assert not fit.unconverged


@pytest.mark.parametrize("preset", [pw.Glicko, pw.Glicko2, pw.Elo])
def test_classic_systems_can_rate_free_for_alls(preset):
    rng = np.random.default_rng(3)
    matches = []
    for day in range(150):
        names = rng.permutation(18)[:8]
        shown = SKILL[names] + rng.normal(0, 0.2, 8)
        matches.append({"teams": [[f"p{p}"] for p in names], "scores": shown.tolist(), "time": float(day)})
    fit = preset().fit(pw.History.from_matches(matches))
    assert order_of(fit.ladder) > 0.95
    said = fit.predict([["p17"], ["p9"], ["p0"]])
    assert said.win[0] > said.win[1] > said.win[2]


MATCH = {"teams": [["a"], ["b"]], "scores": [2, 1]}


@pytest.mark.parametrize(
    ("model", "match", "message"),
    [
        (pw.GaussianOD(), {"teams": [["a"], ["b"]]}, "scores"),
        (pw.GaussianSD(), {"teams": [["a"], ["b"]], "ranks": [1, 2]}, "scores"),
        (pw.PoissonOD(), {"teams": [["a"], ["b"]]}, "scores"),
        (pw.PoissonOD(), MATCH | {"scores": [1.5, 1]}, "whole|1.5"),
        (pw.PoissonOD(), MATCH | {"scores": [-1, 1]}, "-1"),
        (pw.TS2(mu=-5.0), {"teams": [[f"a{k}" for k in range(7)], ["b"]]}, "team 1 has more than 6 players"),
        (pw.TrueSkill().replace(team=pw.team.Weighted((1.0,))), {"teams": [["a", "c"], ["b"]]}, "has 1 weights"),
        (pw.TrueSkill().replace(team=pw.team.Affine(lambda _: ([1.0], 0))), {"teams": [["a", "c"], ["b"]]}, "team 1"),
    ],
)  # fmt: skip
def test_history_that_a_model_cannot_rate_raises_an_error(model, match, message):
    """A fit raises an error that names the match; a ladder raises an error, too, and stays unchanged."""
    with pytest.raises(pw.Error, match=f"match 2 of 2.*({message})"):
        model.fit(pw.History.from_matches([MATCH, match]))
    ladder = pw.Ladder(model)
    ladder.record(**MATCH)
    before = ladder.copy()
    with pytest.raises(pw.Error, match=message):
        ladder.record(**match)
    assert ladder == before


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pw.Glicko(period=0), "period must be"),
        (lambda: pw.Glicko2(period=-3), "period must be"),
        (lambda: pw.TS2(discount=0.2), "discount"),
        (lambda: pw.TS2(size=0), "size"),
        (lambda: pw.TS2(margin=-1), "margin"),
        (lambda: pw.Elo(k=-1), "k must be"),
        (lambda: pw.Elo(scale=0), "scale"),
        (lambda: pw.PoissonOD(prediction="guess"), "prediction"),
        (lambda: pw.GaussianOD(gamma=0), "gamma"),
        (lambda: pw.GaussianOD(gamma="x"), "gamma"),
        (lambda: pw.Glicko2(volatility=0), "volatility"),
        (lambda: pw.Model(prior=pw.Normal(0, 1), noise=1, outcome=pw.outcome.PoissonScore()), "part of an outcome"),
        (lambda: pw.Harkness().replace(home_sigma=3.0), "home advantage cannot be learnt"),
        (lambda: pw.GaussianElo().replace(home=pw.Home(0, 10.0)), "home advantage cannot be learnt"),
    ],
)
def test_incompatible_components_are_rejected(make, message):
    with pytest.raises(pw.Error, match=message):
        make()
