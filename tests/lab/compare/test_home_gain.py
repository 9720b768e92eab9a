"""A comparison estimates how much a model without a home advantage would gain from one."""

import numpy as np
import pytest

import prowess as pw
from prowess.lab import RandomSplits, compare
from prowess.lab.compare import verdict


def home_league(matches=400, advantage=0.8):
    """Return matches of equally good players; the first player is at home."""
    rng = np.random.default_rng(1)
    rows = []
    for _ in range(matches):
        pair = [[f"p{player}"] for player in rng.permutation(6)[:2]]
        won = rng.random() < 1.0 / (1.0 + np.exp(-advantage))
        rows.append({"teams": pair, "ranks": [1, 2] if won else [2, 1], "home": 0})
    return pw.History.from_matches(rows)


@pytest.mark.parametrize("measure", ["log_loss", "auc", "pair_error"])
@pytest.mark.parametrize("protocol", [None, RandomSplits(2, 0.5)])
def test_home_gain_is_the_difference_from_the_model_with_a_learnt_advantage(measure, protocol):
    history = home_league()
    found = compare(history, ["elo"], measures=[measure], protocol=protocol)
    both = {"Elo": pw.Elo(), "home": pw.compose(pw.Elo(), home_advantage="learnt")}
    row = compare(history, both, measures=[measure], protocol=protocol).differences("Elo").row(0, named=True)
    sign = 1 if measure == "auc" else -1
    assert found.home_gain.model == "Elo"
    ends = sorted((sign * row["low"], sign * row["high"]))
    assert tuple(found.home_gain.gain) == pytest.approx((sign * row["difference"], *ends), abs=1e-12)
    # The first team is always at home, so the advantage does not change the order of the forecasts, which AUC measures.
    assert found.home_gain.gain.above_zero is (None if measure == "auc" else True)


def test_comparison_says_how_much_a_home_advantage_would_improve_the_log_loss():
    found = compare(home_league(), ["elo", "trueskill"])
    gain = found.home_gain
    text = verdict.remarks(found)[-1]
    assert text == (
        f"With a learnt home advantage (home_advantage=learnt), {gain.model} would improve its log loss by {gain.gain} "
        "nats."
    )
    assert text in found.report().sections[0].text
    assert found.to_dict()["home_gain"]["model"] == gain.model
    assert found.to_dict()["home_gain"]["value"] == gain.gain.value


def test_remark_says_if_a_home_advantage_gains_nothing():
    text = verdict.remarks(compare(home_league(advantage=0.0), ["trueskill"]))[-1]
    assert "TrueSkill would do about as well: its log loss would improve by " in text


def test_remark_says_if_matches_are_too_few_to_rely_on_the_home_gain():
    found = compare(home_league(60, advantage=9.0), ["elo"])
    assert found.home_gain.gain.above_zero
    assert verdict.remarks(found)[-1].endswith("nats, but 60 matches are too few to rely on that.")


def test_home_gain_is_none_if_no_model_could_get_a_home_advantage():
    history = home_league(100)
    learnt = {"Elo": pw.compose(pw.Elo(), home_advantage="learnt")}
    assert compare(history, learnt).home_gain is None
    assert compare(history, {"plain": pw.Elo(), **learnt}).home_gain is None  # the comparison already shows the gain
    assert compare(history, ["harkness"]).home_gain is None  # Harkness cannot learn an advantage
    assert compare(history, ["auto"]).home_gain is None  # auto decides about the advantage itself
    matches = [{"teams": [["ann"], ["bob"]]}] * 30
    assert compare(pw.History.from_matches(matches), ["elo"]).home_gain is None
    assert compare(history, ["harkness", "glicko"]).home_gain.model == "Glicko"
