"""Men's tennis of 2000 to 2023: evidence, sweeps, gradient, corrections and refits, as a prototype measured them.

The expected numbers are those of HINDSIGHT.md, section 7. They come from a prototype that shares no code with the
package.
"""

from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import prowess as pw

pytestmark = pytest.mark.skipif(pw.kernel_mode() == "pure", reason="uncompiled, 71,454 matches take minutes")

ROUNDS = ("ER", "RR", "R128", "R64", "R32", "R16", "QF", "SF", "BR", "F")
TEST_FROM = 2010
GUIDE = Path(__file__).parents[3] / "docs" / "guide"


@pytest.fixture
def tennis(data):
    return read_tennis(data)


@cache
def read_tennis(data):
    """Read all matches but walk-overs and defaults; a player is an id, and time is the tournament's first day."""
    frame = pl.read_csv(data / "atp_2000_2023.csv.gz", infer_schema_length=None)
    frame = frame.filter(~pl.col("score").fill_null("").str.contains("W/O|DEF|ABN"))
    number = pl.col("round").replace_strict({name: k for k, name in enumerate(ROUNDS)}, return_dtype=pl.Int64)
    frame = frame.sort("tourney_date", "tourney_id", number, "match_num", maintain_order=True)
    days = pl.col("tourney_date").cast(pl.String).str.to_date("%Y%m%d").alias("time")
    frame = frame.select(pl.col("winner_id").alias("winner"), pl.col("loser_id").alias("loser"), days, "surface")
    return frame.with_columns(pl.col("surface").fill_null("none"))


@pytest.fixture
def history(data):
    return read_history(data)


@cache
def read_history(data):
    return pw.History.from_frame(read_tennis(data).drop("surface"))


def model_of(variance, drift):
    model = pw.TrueSkill(mu=0, sigma=variance**0.5, beta=1, tau=0, draw_probability=0)
    return model.replace(drift=pw.drift.PerTime(drift**0.5))


MODEL = model_of(0.391, 3.43e-4)


def test_evidence_and_leave_one_out_score(history):
    hindsight = MODEL.hindsight(history, tolerance=1e-6)
    assert len(history) == 71_454
    assert hindsight.log_evidence == pytest.approx(-43_604.7, abs=0.2)
    assert hindsight.left_out.log_evidence.sum() == pytest.approx(-42_348.6, abs=0.5)
    assert MODEL.fit(history).log_evidence == pytest.approx(-43_753, abs=10)


@pytest.mark.parametrize(("tolerance", "sweeps"), [(1e-2, 4), (1e-3, 14), (1e-4, 24), (1e-6, 45), (1e-8, 65)])
def test_sweeps_until_beliefs_settle(history, tolerance, sweeps):
    assert MODEL.hindsight(history, tolerance=tolerance).sweeps <= sweeps + 1


def test_gradient_of_the_evidence(history):
    model = model_of(0.33, 3.95e-4)
    gradient = model.hindsight(history[: int(np.searchsorted(history.time, _day(2010)))], tolerance=1e-8).gradient
    # The page has the derivatives by the variances: d/dσ² = (d/dσ)/(2σ).
    sigma, tau = 0.33**0.5, 3.95e-4**0.5
    assert gradient["sigma"] / (2 * sigma) == pytest.approx(37.34, abs=0.01)
    assert gradient["tau"] / (2 * tau) == pytest.approx(-43_031, abs=2)


def test_corrected_matches_are_settled_by_few_visits(history):
    fitted = MODEL.hindsight(history, tolerance=1e-5)
    entries = np.arange(history.entries)
    for match in (5_000, 36_000, 60_000):
        swapped = {"teams": history[match]["teams"][::-1]}
        expected = fitted.replace(match, swapped, tolerance=1e-6).beliefs_at(entries)
        for tolerance, most, error in ((0.01, 1_000, 0.02), (0.001, 10_000, 5e-3)):
            revised = fitted.replace(match, swapped, tolerance=tolerance)
            assert revised.visits < most
            moved = np.abs(revised.beliefs_at(entries) - expected)[:, 0] / np.sqrt(expected[:, 1])
            assert moved.max() < error


@pytest.mark.parametrize(
    ("variance", "drift", "online", "refit", "gain"),
    [(0.330, 3.95e-4, 0.6064, 0.6053, 0.0011), (0.391, 3.43e-4, 0.6063, 0.6052, 0.0011)],
)
@pytest.mark.long
def test_weekly_refits_forecast_better(history, variance, drift, online, refit, gain):
    model, tested = model_of(variance, drift), history.time >= _day(TEST_FROM)
    losses = [log_loss(model.fit(history, **refits), tested) for refits in ({}, {"refit": 7}, {"refit": 30.4})]
    assert losses == pytest.approx([online, refit, refit], abs=1.5e-4)
    assert 0.0 < losses[0] - losses[1] < 0.002, "a larger gain would mean that forecasts know the future"
    assert losses[0] - losses[1] == pytest.approx(gain, abs=2e-4)


@pytest.mark.parametrize(("window", "gain"), [(730, 0.0009), (120, 0.0004)])
@pytest.mark.long
def test_refits_of_a_window_gain_most_of_it(history, window, gain):
    model, tested = model_of(0.330, 3.95e-4), history.time >= _day(TEST_FROM)
    losses = [log_loss(model.fit(history, **more), tested) for more in ({}, {"refit": 7, "window": window})]
    assert losses[0] - losses[1] == pytest.approx(gain, abs=1.5e-4)


@pytest.mark.long
def test_refits_with_surfaces(tennis):
    history = pw.History.from_frame(tennis, context=["surface"])
    tested = history.time >= _day(TEST_FROM)
    surface = pw.facet.By("surface", sigma=0.137**0.5, tau=2.7e-5**0.5)
    model = model_of(0.243, 2.55e-4).replace(facets=(surface,))
    assert log_loss(model.fit(history), tested) == pytest.approx(0.6008, abs=2e-4)
    assert log_loss(model.fit(history, refit=7), tested) <= 0.5995
    one_skill = model_of(0.330, 3.95e-4)
    names = {side: pl.concat_str(side, "surface", separator=" ") for side in ("winner", "loser")}
    separate = pw.History.from_frame(tennis.with_columns(**names).drop("surface"))
    losses = [log_loss(one_skill.fit(history), tested), log_loss(model.fit(history), tested)]
    text = " ".join((GUIDE / "facets.md").read_text(encoding="utf-8").split())
    assert "from {:.4f} to {:.4f}, with numbers that were tuned on 2000–2009".format(*losses) in text
    assert f"would increase it to {log_loss(one_skill.fit(separate), tested):.3f}, because" in text


@pytest.mark.parametrize("start", [(1.0, 1e-4), (0.1, 2e-3)])
@pytest.mark.long
def test_maximum_of_the_evidence(history, start):
    tuning = pw.tune(model_of(*start), history, train="2010-01-01", by="evidence", parameters=["sigma", "tau"])
    found = tuning.model.params
    assert found["sigma"] ** 2 == pytest.approx(0.393, rel=0.02)
    assert found["tau"] ** 2 == pytest.approx(3.43e-4, rel=0.02)


def log_loss(fit, tested):
    return float(-np.log(fit.forecasts.win[tested]).mean())


def _day(year):
    """Return the first day of a year in the unit of a history's times."""
    return pw.History.from_matches([{"teams": [["a"], ["b"]], "time": f"{year}-01-01"}]).time[0]
