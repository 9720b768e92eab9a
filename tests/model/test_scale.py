"""The scale in points: 400 points are win odds of 10:1 in every model, and Elo ratings stay as they are."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import prowess as pw
from prowess.model.presets import PRESETS
from prowess.model.scale import Points, Scale, read_scale
from tests.cli.running import LEAGUE

HISTORY = pw.History.read(LEAGUE)
POINTS = ["points", "points_low", "points_high"]
TENTH = mpmath.sqrt(2) * mpmath.erfinv(mpmath.mpf(9) / 11)  # Φ⁻¹(10/11)


def player(model: pw.Model, skill: float, level: list[float] | None = None) -> pw.Rating:
    """Return a rating of known skill, whose traits differ from `level`, or the prior, by equal amounts."""
    newcomer, traits = model.rating(), model.outcome.traits
    if len(traits) == 1:
        return model.rating(skill, 0.0)
    means = level or [newcomer.parts[trait].mu for trait in traits]
    more = (skill - sum(means)) / len(traits)
    parts: dict[str, Any] = {t: pw.Rating(mean + more, 0.0) for t, mean in zip(traits, means, strict=True)}
    return model.rating(**parts)


def odds(prediction: pw.Prediction) -> float:
    return float(prediction.win[0] / prediction.win[1])


@pytest.mark.parametrize("name", sorted(PRESETS.names))
def test_400_points_are_odds_of_10_to_1_and_newcomers_have_1500(name: str) -> None:
    model = PRESETS[name]().replace(drift=pw.drift.Still())
    points = model.points((1500, 400))
    assert points.of(model.rating().mu) == pytest.approx(1500, abs=1e-9)
    half = 200 / points.factor
    teams = [[player(model, model.rating().mu + half)], [player(model, model.rating().mu - half)]]
    assert odds(model.predict(teams)) == pytest.approx(10, rel=1e-9)
    assert odds(model.predict(teams[::-1])) == pytest.approx(0.1, rel=1e-9)


@pytest.mark.parametrize("name", ["Elo", "Glicko", "Glicko2"])
def test_points_of_elo_and_glicko_equal_their_ratings_on_the_usual_scale(name: str) -> None:
    draws = [{"teams": [["ann"], ["bob"]], "ranks": [1, 1]}, {"teams": [["ann"], ["cat"]]}] * 20
    table = PRESETS[name]().fit(pw.History.from_matches(draws), scale=(1500, 400)).leaderboard()
    assert table["points"].to_list() == table["mu"].to_list()


@pytest.mark.parametrize(
    ("model", "difference"),
    [
        (pw.TrueSkill(draw_probability=0), mpmath.sqrt(2) * 25 / 6 * TENTH),
        (pw.GaussianElo(), mpmath.sqrt(2) * 200 * TENTH),
        (pw.Harkness(), 1000 / mpmath.sqrt(2 * mpmath.pi) * TENTH),
        (pw.Elo(scale=250), mpmath.mpf(250)),
        (pw.GaussianSD(beta=3, gamma=4), mpmath.sqrt(2 * 3**2 + 4**2) * TENTH),
        (pw.GaussianOD(beta=3, gamma=4), mpmath.sqrt(4 * 3**2 + 2 * 4**2) * TENTH),
    ],
)
def test_difference_for_odds_of_10_to_1_equals_the_closed_form_with_normal_noise(
    model: pw.Model, difference: mpmath.mpf
) -> None:
    assert model.points().difference == pytest.approx(float(difference), rel=1e-11)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.6])
def test_odds_of_10_to_1_leave_out_draws(share: float) -> None:
    noise = mpmath.sqrt(2) * 25 / 6
    margin = noise * mpmath.sqrt(2) * mpmath.erfinv(share)
    log_odds = lambda d: mpmath.log(mpmath.ncdf((d - margin) / noise) / mpmath.ncdf((-d - margin) / noise))  # noqa: E731
    wanted = mpmath.findroot(lambda d: log_odds(d) - mpmath.log(10), 7)
    assert pw.TrueSkill(draw_probability=share).points().difference == pytest.approx(float(wanted), rel=1e-11)


@pytest.mark.parametrize("level", [-2.0, 0.3, 4.5])
def test_difference_for_odds_of_10_to_1_depends_on_the_usual_score(level: float) -> None:
    model = pw.PoissonOD(mu=0, prediction="plug-in")
    difference = model.points(level=[level / 2, -level / 2]).difference
    high, low = (mpmath.exp(level + sign * difference / 2) for sign in (1, -1))
    chance = [[mpmath.exp(-rate) * rate**k / mpmath.factorial(k) for k in range(600)] for rate in (high, low)]
    fewer = [[mpmath.mpf(0), *np.cumsum(column)] for column in chance]  # the probability of fewer than k
    win, loss = (mpmath.fsum(p * fewer[1 - i][k] for k, p in enumerate(chance[i])) for i in (0, 1))
    assert float(win / loss) == pytest.approx(10, rel=1e-8)


@pytest.mark.parametrize(
    "model",
    [
        pw.GaussianSD(),
        pw.GaussianSD(rounding=1.0),
        pw.GaussianOD(),
        pw.PoissonOD(mu=0, sigma=0.3, beta=0.1),
        pw.PoissonOD(mu=0, sigma=0.3, beta=0.1, base_rate="learnt"),
    ],
)
def test_scale_of_a_ladder_follows_what_the_model_has_learnt_about_scores(model: pw.Model) -> None:
    rng = np.random.default_rng(5)
    games = [
        {"teams": [[f"p{i}"], [f"p{j}"]], "scores": rng.poisson([60 + 3 * i, 60 + 3 * j]).tolist()}
        for i, j in (rng.choice(8, 2, replace=False) for _ in range(600))
    ]
    fit = model.replace(drift=pw.drift.Still()).fit(pw.History.from_matches(games), scale=(1500, 400))
    points, ladder = fit.points, fit.ladder
    assert points is not None
    level = None
    if len(model.outcome.traits) > 1:
        table = ladder.leaderboard()
        level = [float(np.average(table[trait], weights=table["matches"])) for trait in model.outcome.traits]
    centre = model.rating().mu if level is None else sum(level)
    half = 200 / points.factor
    teams = [[player(model, centre + half, level)], [player(model, centre - half, level)]]
    assert odds(ladder.predict(teams)) == pytest.approx(10, rel=1e-9)
    assert points.difference != model.points().difference


def test_learnt_newcomer_level_does_not_move_the_origin_of_the_scale() -> None:
    model = pw.TrueSkill().replace(prior=pw.Newcomers(pw.Normal(25, 5), level_sigma=5, matches=1))
    ladder = pw.Ladder(model, scale=(1500, 400))
    before = ladder.points
    for number in range(20):
        for _ in range(2):
            ladder.record([["ann"], [f"newcomer {number}"]])
    assert ladder.newcomer.mu < 22
    assert ladder.points == before
    assert before is not None
    assert before.of(25.0) == 1500


@given(unit=st.floats(0.01, 1000), beta=st.floats(0.1, 30), share=st.floats(0, 0.9))
@settings(max_examples=30, deadline=None)
def test_points_do_not_depend_on_the_unit_of_skill(unit: float, beta: float, share: float) -> None:
    one = pw.TrueSkill(25, 8, beta, 0.1, share).points()
    other = pw.TrueSkill(25 * unit, 8 * unit, beta * unit, 0.1 * unit, share).points()
    assert other.of(31 * unit) == pytest.approx(one.of(31), rel=1e-9)
    assert other.margin(unit) == pytest.approx(one.margin(1), rel=1e-9)


def test_leaderboard_has_points_only_with_a_scale_and_is_sorted_by_them() -> None:
    plain, scaled = pw.TrueSkill().fit(HISTORY), pw.TrueSkill().fit(HISTORY, scale=(1000, 200))
    table = scaled.leaderboard()
    assert table.drop(POINTS).equals(plain.leaderboard(ranking="mean"))
    assert scaled.leaderboard(ranking="conservative").drop(POINTS, "points_shown").equals(plain.leaderboard())
    assert table.columns[-3:] == POINTS
    assert table.filter(~pl.col("provisional"))["points"].is_sorted(descending=True)
    points = scaled.points
    assert points is not None
    assert table["points"].to_list() == points.of(table["mu"].to_numpy()).tolist()
    width = (table["points_high"] - table["points_low"]).to_numpy()
    assert width == pytest.approx(2 * 1.959964 * points.factor * table["sigma"].to_numpy(), rel=1e-6)
    assert not set(POINTS) & set(plain.leaderboard().columns)
    assert plain.points is None


def test_ratings_in_points_have_no_interval_in_systems_without_uncertainty() -> None:
    table = pw.Elo().fit(HISTORY, scale=(1500, 400)).leaderboard()
    assert table["points_low"].null_count() == table["points_high"].null_count() == len(table)


def test_ladder_files_keep_the_scale_and_files_of_earlier_versions_have_none(tmp_path: Path) -> None:
    path = tmp_path / "league.prowess"
    ladder = pw.TrueSkill().fit(HISTORY, scale=(1500, 400)).ladder
    ladder.save(path)
    loaded = pw.Ladder.load(path)
    assert loaded == ladder == pickle.loads(pickle.dumps(ladder)) == ladder.copy()
    assert loaded.scale == (1500, 400)
    assert loaded.leaderboard().equals(ladder.leaderboard())
    content = json.loads(path.read_text(encoding="utf-8"))
    del content["header"]["scale"]
    path.write_text(json.dumps(content), encoding="utf-8")
    old = pw.Ladder.load(path)
    assert old.scale is None
    assert old.points is None
    assert old != ladder
    content["header"]["scale"] = [1500, -1]
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(pw.Error, match="the second number of scale") as raised:
        pw.Ladder.load(path)
    assert raised.value.field == "scale"


def test_fit_keeps_the_scale_of_the_ladder_it_starts_from_unless_another_is_given() -> None:
    model, start = pw.TrueSkill(), pw.TrueSkill().fit(HISTORY[:200], scale=(1500, 400)).ladder
    later = HISTORY[200:]
    assert model.fit(later, start).ladder.scale == (1500, 400)
    assert model.learn(later, start, scale=(0, 1)).scale == (0, 1)
    assert model.fit_stream([later], start).ladder.scale == (1500, 400)
    assert pw.standings(model, later, scale=(100, 10)).ladder.scale == (100, 10)
    assert start.scale == (1500, 400)


def test_trajectory_and_explanation_of_a_fit_with_a_scale_are_in_points() -> None:
    fit = pw.TrueSkill().fit(HISTORY, scale=(1500, 400))
    points, why = fit.points, fit.explain("Priya")
    assert points is not None
    curve = fit.trajectory("Priya")
    assert curve["points"].to_list() == points.of(curve["mu"].to_numpy()).tolist()
    assert why.sentences[0].startswith("Priya started at 1500 ± 897 and is now rated 2012 ± 257 after 26 matches")
    total = why.matches["points_moved"].sum() + why.matches["points_drifted"].sum()
    assert 1500 + total == pytest.approx(points.of(fit["Priya"].mu))
    assert why.to_dict()["now"]["points"] == points.of(fit["Priya"].mu)
    assert why.ratings[0] == 1500
    assert len(why.ratings) == len(why.matches) + 1
    assert "μ" not in " ".join(why.sentences)
    assert "→" in repr(why)
    assert fit.account(0).sentences != pw.TrueSkill().fit(HISTORY).account(0).sentences
    assert pw.Elo().fit(HISTORY[:1]).account(0).sentences[0].endswith("−16.0, giving 1484.0.")
    assert pw.Elo().fit(HISTORY[:1], scale=(1500, 400)).account(0).sentences[0].endswith("−16, giving 1484.")


@pytest.mark.parametrize(
    "scale", [400, "1500,400", (1500,), (1500, 400, 1), (1500, 0), ("a", 400), (1500, float("nan"))]
)
def test_scale_must_be_two_numbers(scale: Any) -> None:
    with pytest.raises(pw.Error) as raised:
        pw.Ladder(pw.Elo(), scale=scale)
    assert raised.value.field == "scale"


def test_model_whose_forecasts_are_certain_has_no_scale() -> None:
    model = pw.Model(prior=pw.Normal(0, 1), noise=0.0, outcome=pw.outcome.Order(draw_probability=0))
    with pytest.raises(pw.Error) as raised:
        model.points()
    assert raised.value.field == "scale"


class Coin(pw.Outcome):
    """Every match is a coin toss."""

    def forecast(self, board: Any) -> None:
        board.win = board.loss = 0.5
        board.draw = 0.0


def test_model_that_forecasts_every_match_as_a_coin_toss_has_no_scale() -> None:
    model = pw.Model(prior=pw.Normal(0, 1), noise=1.0, outcome=Coin())
    with pytest.raises(pw.Error, match="never forecasts") as raised:
        model.points()
    assert raised.value.field == "scale"


def test_points_are_formatted_with_digits_that_fit_the_scale() -> None:
    assert pw.TrueSkill().points((0, 1)).text(25.0, 1.0) == "0.000 ± 0.269"
    assert pw.TrueSkill().points((0, 400)).text(25.0 - 1e-9, 0.0) == "0 ± 0"
    assert Points(Scale(), 25.0, 10.0).text(24.0, None) == "1460"
    assert read_scale([1, 2]) == (1, 2)
