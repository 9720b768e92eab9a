"""On real leagues, `auto` chooses a model from the first 60 % of the matches; the last 40 % show how good it is."""

from functools import cache

import numpy as np
import pytest

import prowess as pw
from prowess.lab import measures
from prowess.model.components.prior import Newcomers, Normal
from prowess.model.presets import PRESETS

SHARE = 0.6
SMALL = ["premier_league_1995_2009.csv", "afl_1999_2009.csv", "llm_comparisons.csv", "cwl_2017_2018.csv.gz"]
LARGE = ["international_football.csv", "atp_2000_2023.csv.gz", "f1_race_results.csv", "chgk_team_results.csv.gz"]


def judged(model, history, start):
    """Return the mean loss of the last matches: log loss, or the loss per pair of teams."""
    forecasts = model.fit(history).forecasts
    if history.teams == 2 * len(history):
        return measures.log_loss(forecasts).mean(slice(start, None))
    return measures.pair_log_loss(forecasts).mean(slice(start, None))


def preset_losses(history, start):
    found = {}
    for name, make in PRESETS.items():
        try:
            found[name] = judged(make(), history, start)
        except pw.Error:  # such as a score model for matches without scores
            continue
    return found


@cache
def chosen(path):
    """Return the matches of a file, the number of those that `auto` has seen, and the model it has chosen from them."""
    history = pw.History.read(path)
    start = int(SHARE * len(history))
    return history, start, pw.auto(history[:start], progress=False).model


def assert_auto_beats_presets(path):
    history, start, model = chosen(path)
    own = judged(model, history, start)
    presets = preset_losses(history, start)
    assert own < min(presets.values()), min(presets, key=presets.get)


@pytest.mark.parametrize("name", SMALL)
def test_auto_beats_every_preset_on_matches_later_than_its_training_matches(data, name):
    assert_auto_beats_presets(data / name)


@pytest.mark.long
@pytest.mark.parametrize("name", LARGE)
def test_auto_beats_every_preset_on_matches_later_than_its_training_matches_in_a_large_file(data, name):
    assert_auto_beats_presets(data / name)


def test_auto_is_as_good_as_a_model_tuned_by_hand_on_the_premier_league(data):
    # The best of twenty combinations of family, drift, seasons and newcomers, each tuned by hand on the same matches.
    sigma = 25 / 3
    by_hand = pw.TrueSkill(beta=26.0, draw_probability=0.297).replace(
        prior=Newcomers(Normal(25, sigma), 0.3 * sigma, 0.2 * sigma, 10),
        drift=pw.drift.PerTime(0.028 * sigma),
        home=pw.Home(0.0, sigma, 0.0054 * sigma),
    )
    history, start, model = chosen(data / "premier_league_1995_2009.csv")
    own = judged(model, history, start)
    assert own < judged(by_hand, history, start) + 0.003


@pytest.mark.parametrize(
    ("name", "share"),
    [("premier_league_1995_2009.csv", 0.05), ("afl_1999_2009.csv", 0.1), ("llm_comparisons.csv", 0.012)],
)
def test_model_chosen_from_few_matches_beats_three_presets_in_later_seasons(data, name, share):
    history = pw.History.read(data / name)
    start = int(share * len(history))
    own = judged(pw.auto(history[:start]).model, history, start)
    assert own < min(judged(model, history, start) for model in (pw.TrueSkill(), pw.Elo(), pw.Glicko()))


def test_chosen_models_let_skills_and_home_advantage_change_over_time(data):
    for name in SMALL:
        _, _, model = chosen(data / name)
        assert model.params.get("carry", 1.0) <= 1.0
        assert model.home is None or not model.home.learnt or model.home.home_tau > 0
        assert not isinstance(model.drift, pw.drift.Still)


def test_auto_chooses_the_same_model_with_one_process_and_with_two(data):
    history = pw.History.read(data / "f1_race_results.csv")[:250]
    alone, together = (pw.auto(history, jobs=jobs) for jobs in (1, 2))
    assert alone.to_dict() == together.to_dict()
    assert np.isfinite(alone.loss.value)
