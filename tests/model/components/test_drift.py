"""Carry-over between seasons, and a learnt prior for newcomers."""

import json

import numpy as np
import pytest

import prowess as pw
from prowess.model.presets import PRESETS

CARRY = pw.drift.Seasons(pw.drift.PerMatch(0.3), gap=60.0, carry=0.7, season_tau=2.0)


def test_rating_moves_towards_the_mean_after_a_season_break():
    model = pw.TrueSkill().replace(drift=CARRY)
    plain = pw.TrueSkill(tau=0)
    ratings = [[pw.Rating(30, 2)], [pw.Rating(22, 3)]]
    kept = [[pw.Rating(r.mu, (r.sigma**2 + 0.09) ** 0.5)] for [r] in ratings]
    moved = [[pw.Rating(25 + 0.7 * (r.mu - 25), (0.49 * r.sigma**2 + 4 + 0.09) ** 0.5)] for [r] in ratings]
    for elapsed, expected in ((60.0, kept), (60.5, moved)):
        found, wanted = model.predict(ratings, elapsed=elapsed), plain.predict(expected)
        assert found.win == pytest.approx(wanted.win, rel=1e-12)
        assert found.sigma == pytest.approx(wanted.sigma, rel=1e-12)


@pytest.mark.parametrize("name", PRESETS)
def test_carry_of_zero_resets_ratings_after_a_break_with_every_preset(name):
    """The length of a break is measured in days, even if the preset counts elapsed time in rating periods."""
    model = PRESETS[name]()
    anew = model.replace(drift=pw.drift.Seasons(model.drift, gap=100.0, carry=0.0))
    matches = [{"teams": [["ann"], ["bob"]], "scores": [3, 1], "time": f"2026-0{month}-01"} for month in (1, 2, 9)]
    means = anew.fit(pw.History.from_matches(matches)).forecasts.mean.reshape(6, -1)
    assert (means[4:] == means[:2]).all()
    assert (means[2:4] != means[:2]).any() or model.period is not None


def test_newcomer_level_agrees_with_a_hand_calculation():
    prior = pw.Newcomers(pw.Normal(25, 4), level_sigma=3.0, level_tau=0.5, matches=2)
    model = pw.TrueSkill().replace(prior=prior)
    ladder = pw.Ladder(model)
    mean, level = 25.0, 9.0
    seen = dict.fromkeys("abcdefgh", 0)
    rng = np.random.default_rng(4)
    for _ in range(60):
        pair = rng.choice(list(seen), 2, replace=False).tolist()
        known = [ladder[name] for name in pair if seen[name] == 2]
        level += 0.25 * len(known)
        sites = [(0.0, 0.0)]  # the contribution of each known player as natural parameters
        for rating in known:
            whole = 16.0 + level
            told = 1 - rating.sigma**2 / whole
            if told < 0.02:
                continue
            after = level * (1 - level / whole * told)
            sites.append((1 / after - 1 / level, (mean + level / whole * (rating.mu - mean)) / after - mean / level))
        precision, tilt = (sum(column) for column in zip(*sites, strict=True))
        mean, level = (mean / level + tilt) / (1 / level + precision), 1 / (1 / level + precision)
        for name in pair:
            seen[name] += 1
        ladder.record([[pair[0]], [pair[1]]])
        assert ladder.newcomer.mu == pytest.approx(mean, rel=1e-12)
        assert ladder.newcomer.sigma**2 == pytest.approx(16.0 + level, rel=1e-12)


@pytest.mark.parametrize("preset", [pw.TrueSkill, pw.TS2, pw.GaussianSD, pw.PoissonOD, pw.Glicko, pw.Glicko2])
def test_newcomer_level_falls_if_newcomers_lose(preset):
    """The first players are equal and all newcomers lose, so the prior moves down."""
    model = preset().replace(period=None)
    sigma = model.rating().sigma
    learning = model.replace(prior=pw.Newcomers(model.prior, level_sigma=0.5 * sigma, matches=4))
    matches = []
    for number in range(40):
        founder = f"founder {number % 8}"
        for day in range(6):
            teams, when = [[founder], [f"late {number}"]], float(40 * number + day)
            matches.append({"teams": teams, "scores": [20, 1] if day % 2 else [30, 0], "time": when})
    history = pw.History.from_matches(matches)
    fit = learning.fit(history)
    assert fit.newcomer.mu < model.rating().mu - 0.1 * sigma
    half = learning.fit(history[:100])
    assert learning.fit(history[100:], start=half.ladder).ladder == fit.ladder


def test_newcomer_level_stays_bounded_in_matches_of_many_newcomers():
    """Strong drift outweighs the information from matches; the level then ignores a hundred newcomers in one match."""
    prior = pw.Newcomers(pw.Normal(3000, 500), level_sigma=300, matches=1)
    model = pw.TS2(tau=800).replace(prior=prior)
    rng = np.random.default_rng(3)
    matches = []
    for number in range(40):
        names = [f"p{number * 100 // 2 + k}" for k in range(100)]
        matches.append(
            {"teams": [[name] for name in rng.permutation(names)], "ranks": np.sort(rng.integers(1, 20, 100)).tolist()}
        )
    fit = model.fit(pw.History.from_matches(matches))
    assert abs(fit.newcomer.mu - 3000) < 1500


def test_newcomer_level_is_saved_with_the_ladder(tmp_path):
    prior = pw.Newcomers(pw.Normal(25, 4), level_sigma=3.0, matches=1)
    model = pw.TrueSkill().replace(prior=prior, home=pw.Home(0.0, home_sigma=1.0), drift=CARRY)
    ladder = pw.Ladder(model)
    for _ in range(3):
        ladder.record([["ann"], ["bob"]], home=0)
    ladder.save(tmp_path / "league.prowess")
    again = pw.Ladder.load(tmp_path / "league.prowess")
    assert again == ladder
    assert again.newcomer == ladder.newcomer != model.rating()
    assert again.home == ladder.home
    learnt, text = json.dumps(ladder.memory.tolist()), (tmp_path / "league.prowess").read_text()
    (tmp_path / "bad.prowess").write_text(text.replace(learnt, "[0.0, -99.0, 0.0, 1.0]"))
    with pytest.raises(pw.Error, match="negative"):
        pw.Ladder.load(tmp_path / "bad.prowess")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pw.drift.Seasons(pw.drift.Still(), carry=2.1), "carry must lie"),
        (lambda: pw.drift.Seasons(pw.drift.Still(), gap=0), "gap"),
        (lambda: pw.drift.Seasons(0.1), "within must be a drift"),
        (lambda: pw.drift.Seasons(pw.drift.Still(), season_tau=-1), "season_tau"),
        (lambda: pw.Newcomers(25.0), "first must be a prior"),
        (lambda: pw.Newcomers(pw.Newcomers(pw.Normal(25, 8))), "first must be a prior"),
        (lambda: pw.Newcomers(pw.Normal(25, 8), matches=0.5), "matches must be"),
        (lambda: pw.Newcomers(pw.Normal(25, 8), level_sigma=0), "level_sigma"),
        (lambda: pw.Glicko().replace(prior=pw.Newcomers(pw.Normal(1500, 350))), "period=None"),
        (lambda: pw.TS2c().replace(prior=pw.Newcomers(pw.Normal(3000, 300))), "no uncertainty to update"),
        (lambda: pw.Elo().replace(prior=pw.Newcomers(pw.Point(1500))), "no uncertainty to update"),
    ],
)
def test_invalid_drift_and_prior_parameters_are_rejected(make, message):
    with pytest.raises(pw.Error, match=message):
        make()


def test_draw_factor_multiplies_the_odds_of_a_draw():
    plain = pw.PoissonOD(mu=0, sigma=0.3, beta=0.1)
    more = plain.replace(draw_factor=1.3)
    teams = [[plain.rating(0.2, 0.1)], [plain.rating(0.1, 0.1)]]
    one, other = plain.predict(teams), more.predict(teams)
    odds = [p.draw / (1 - p.draw) for p in (one, other)]
    assert odds[1] == pytest.approx(1.3 * odds[0])
    assert other.win[0] / other.win[1] == pytest.approx(one.win[0] / one.win[1])
    assert other.win.sum() + other.draw == pytest.approx(1)
    history = pw.History.from_matches([{"teams": [["a"], ["b"]], "scores": [2, 2]}] * 2)
    a, b = plain.fit(history), more.fit(history)
    assert a["a"] == b["a"]
    assert b.forecasts.draw / a.forecasts.draw == pytest.approx(1.3 / (1 + 0.3 * a.forecasts.draw))


@pytest.mark.parametrize("name", ["Glicko", "Glicko2"])
def test_starting_a_new_season_closes_the_open_rating_period(name):
    ladder = pw.Ladder(PRESETS[name](period=7))
    for day in ("2026-01-05", "2026-01-20"):  # in two periods; the second one stays open
        ladder.record([["ann"], ["bob"]], time=day)
    shown = ladder["ann"]
    whole, half = ladder.copy(), ladder.copy()
    whole.new_season(carry=1.0, season_tau=0.0)
    half.new_season(carry=0.5, season_tau=0.0)
    assert whole["ann"] == shown
    assert half["ann"].mu == 1500 + 0.5 * (shown.mu - 1500)
    assert half["ann"].sigma == pytest.approx(0.5 * shown.sigma, rel=1e-15)
