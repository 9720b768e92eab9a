"""Coverage is the share of intervals that contain the true skill; a chart compares it with the nominal level."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm

import prowess as pw
from prowess.lab import Calendar, save, simulate
from prowess.lab.simulate.coverage import LEVELS, coverage, coverage_curves, covered, standard_errors


def test_intervals_of_an_exact_model_have_their_nominal_coverage():
    frame = coverage(pw.GaussianSD(gamma=6.0), 10_000, 2000, seed=1)
    assert frame["level"].to_list() == list(LEVELS)
    assert frame["skills"].to_list() == [2000] * len(LEVELS)
    level = frame["level"].to_numpy()
    np.testing.assert_allclose(frame["error"], np.sqrt(level * (1 - level) / 2000), rtol=0.3)
    assert (np.abs(frame["covered"] - level) < 4 * np.sqrt(level * (1 - level) / 2000)).all()


def test_coverage_is_the_share_of_intervals_that_contain_the_skill():
    """The share is computed here from each player's rating and interval, for both skills."""
    league = simulate(pw.PoissonOD(mu=0, sigma=0.4, beta=0.2), 300, 40, seed=2)
    fit = league.model.fit(league.history)
    ratings = [fit[name] for name in league.history.players]
    mu = np.array([[rating.offence.mu, rating.defence.mu] for rating in ratings])
    sigma = np.array([[rating.offence.sigma, rating.defence.sigma] for rating in ratings])
    error = league.skill - mu - (league.skill - mu).mean(axis=0)
    np.testing.assert_allclose(standard_errors(league, fit), error / sigma, rtol=1e-9)
    low, high = norm.interval(0.8, 0, sigma)
    assert covered(league, fit, [0.8])["covered"][0] == pytest.approx(((low < error) & (error < high)).mean())


def test_intervals_of_an_overconfident_model_cover_less_than_their_level():
    league = simulate(pw.TrueSkill(), 3000, 300, seed=3)
    wrong = pw.TrueSkill(beta=1.0, tau=0)
    assert covered(league, wrong.fit(league.history), [0.9])["covered"][0] < 0.6


def test_coverage_includes_matches_of_an_open_rating_period():
    frame = coverage(pw.Glicko(c=0, period=5), 3000, 300, levels=[0.9], calendar=Calendar(0, matches=150), seed=1)
    assert 0.7 < frame["covered"][0] < 0.9


def test_coverage_rejects_unsuitable_models_and_fits():
    league = simulate(pw.Elo(), 20, 6, skills=pw.Normal(1500, 200))
    with pytest.raises(pw.Error, match="no uncertainty"):
        covered(league, pw.Elo().fit(league.history))
    with pytest.raises(pw.Error, match="fit of the simulated league's own history"):
        covered(league, pw.TrueSkill().fit(simulate(pw.TrueSkill(), 20, 6).history))
    with pytest.raises(pw.Error, match="levels must lie between 0 and 1"):
        covered(league, pw.TrueSkill().fit(league.history), [90])


def test_coverage_chart_compares_actual_with_nominal_coverage(tmp_path):
    level = np.array(LEVELS)
    frame = pl.DataFrame({"level": level, "covered": level, "error": 0.01, "skills": 100})
    names = ["TrueSkill", "</script>"]
    chart = coverage_curves(
        {name: frame.with_columns(pl.col("covered") * f) for name, f in zip(names, (1, 0.5), strict=True)}
    )
    spec = chart.to_dict()
    encoding = spec["layer"][1]["encoding"]
    assert encoding["x"]["title"] == "nominal probability of the interval (%)"
    assert encoding["y"]["scale"]["domain"] == encoding["x"]["scale"]["domain"] == [0, 100]
    assert encoding["color"]["scale"]["domain"] == names
    assert "at most 5 %" in spec["title"]["subtitle"][1]
    rows = [row for data in spec["datasets"].values() for row in data if row.get("model") == "TrueSkill"]
    assert [row["covered"] for row in rows] == pytest.approx(100 * level)
    save(chart, tmp_path / "coverage.png")
    assert (tmp_path / "coverage.png").stat().st_size > 10_000
    with pytest.raises(pw.Error, match="1 to 24 models"):
        coverage_curves({})


def test_coverage_of_ratings_without_uncertainty_is_rejected():
    with pytest.raises(pw.Error, match="has no uncertainty"):
        pw.lab.coverage(pw.Elo())


def test_coverage_accepts_a_single_level():
    assert pw.lab.coverage(pw.TrueSkill(), 200, 20, levels=0.9)["level"].to_list() == [0.9]
