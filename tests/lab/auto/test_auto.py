"""`auto` chooses a model that predicts well, always makes the same choice, and claims only what the matches show."""

import json
from dataclasses import replace

import numpy as np
import pytest

import prowess as pw
from prowess.lab import Calendar, measures
from prowess.lab.auto import run
from prowess.lab.auto.base_rates import base_rate_losses
from prowess.lab.auto.choosing import paired_gain
from prowess.lab.interval import Interval
from tests.documents import ROOT


def simulated(model, matches=1500, players=30, seed=0):
    return pw.simulate(model, matches, players, seed=seed, calendar=Calendar("2020-01-01")).history


def shuffled(history, seed=0):
    """Return the history with random players in every match."""
    rng = np.random.default_rng(seed)
    pairs = np.array([rng.choice(len(history.players), 2, replace=False) for _ in range(len(history))])
    return replace(history, player=pairs.ravel().astype(np.int32))


@pytest.fixture(scope="module")
def league():
    return simulated(pw.TrueSkill(beta=12, tau=0.5, draw_probability=0.25))


@pytest.fixture(scope="module")
def choice(league):
    return pw.auto(league)


def test_auto_beats_the_default_model_and_comes_close_to_the_true_model(league, choice):
    truth = pw.TrueSkill(beta=12, tau=0.5, draw_probability=0.25)
    last = slice(choice.spans.decided, None)
    true_loss = measures.log_loss(truth.fit(league).forecasts).mean(last)
    assert choice.gain.value > 0
    assert choice.loss.value < true_loss + 0.02


def test_auto_makes_the_same_choice_for_the_same_history(league, choice):
    again = pw.auto(league)
    assert again.model == choice.model
    assert again.to_dict() == choice.to_dict()


def test_auto_chooses_the_model_without_using_the_last_matches(league, choice):
    # Other results in the last fifth must not change anything that was decided.
    last = np.arange(choice.spans.decided, len(league))
    swapped = league.place.reshape(-1, 2).copy()
    swapped[last] = swapped[last][:, ::-1]
    other = pw.auto(replace(league, place=swapped.ravel()))
    assert other.steps.equals(choice.steps)
    assert other.parts == choice.parts


def test_model_that_the_last_matches_judge_is_tuned_without_them(league, choice, monkeypatch):
    models, judge = [], run.Run._judge

    def seen(self, model):
        models.append(model)
        return judge(self, model)

    monkeypatch.setattr(run.Run, "_judge", seen)
    drawn = league.place.reshape(-1, 2).copy()
    drawn[choice.spans.decided :] = 1
    for each in (league, replace(league, place=drawn.ravel())):
        pw.auto(each)
    assert models[0] == models[1] != pw.TrueSkill()


def test_auto_finds_no_gain_if_players_are_shuffled(league):
    choice = pw.auto(shuffled(league))
    assert not choice.skill_gain.above_zero
    assert "do not show" in str(choice)


def test_steps_of_a_model_choice_are_a_frame_of_gains_with_intervals(choice):
    frame = choice.steps
    assert frame.columns == ["decision", "option", "gain", "low", "high", "kept"]
    assert (frame["low"] <= frame["gain"]).all()
    assert (frame["gain"] <= frame["high"]).all()


def test_model_choice_can_be_saved_as_json_and_html(tmp_path, choice):
    json.dumps(choice.to_dict(), allow_nan=False)
    assert pw.Model.from_dict(choice.to_dict()["model"]) == choice.model
    choice.to_html(tmp_path / "choice.html")
    assert "Decisions" in (tmp_path / "choice.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("matches", [0, 1, 19])
def test_too_few_matches_give_the_default_model_with_a_remark(matches):
    league = simulated(pw.TrueSkill(), 20, 5)[:matches]
    choice = pw.auto(league)
    assert choice.model == pw.TrueSkill()
    assert choice.remarks
    assert choice.fit.model == choice.model
    str(choice)


@pytest.mark.parametrize("matches", [20, 50, 199])
def test_remark_says_that_few_matches_get_parameters_usual_in_other_leagues(matches):
    choice = pw.auto(simulated(pw.TrueSkill(beta=8), matches, 8))
    assert any("usual in other leagues" in remark for remark in choice.remarks)


def test_seconds_option_ends_the_search_early_with_a_remark(league):
    choice = pw.auto(league, seconds=1e-9)
    assert any("another run may choose differently" in remark for remark in choice.remarks)


def test_free_for_alls_are_judged_by_pairs_of_teams():
    league = pw.simulate(pw.TrueSkill(), 120, 20, teams=6).history
    choice = pw.auto(league)
    assert choice.skill_gain.value > 0
    assert "per pair of teams" in str(choice)


def test_base_rates_are_computed_only_from_earlier_matches():
    home = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "home": 0}] * 3)
    assert base_rate_losses(home).round(6).tolist() == np.round(-np.log([1 / 3, 2 / 4, 3 / 5]), 6).tolist()


def test_auto_needs_a_history():
    with pytest.raises(pw.Error, match="History"):
        pw.auto([])


@pytest.mark.parametrize("matches", [4, 10, 50, 400])
def test_interval_of_a_gain_covers_the_true_gain_in_about_95_percent_of_samples(matches):
    rng = np.random.default_rng(matches)
    intervals = [paired_gain(rng.normal(0.1, 1.0, matches), np.zeros(matches)) for _ in range(2000)]
    assert 0.93 < np.mean([interval.low <= 0.1 <= interval.high for interval in intervals]) < 0.97


def test_share_of_draws_is_learnt_in_a_small_league():
    # Only 60 matches are known, and later more of them may be drawn.
    choice = pw.auto(simulated(pw.TrueSkill(beta=12, draw_probability=0.25), matches=60))
    assert choice.model.outcome.remembers


def test_last_matches_of_a_small_league_do_not_overrule_the_matches_before_them():
    # In 42 invented matches, textbook TrueSkill predicts the last 8 better, but not all that were not used for tuning.
    choice = pw.auto(pw.History.read(ROOT / "examples" / "tennis.csv"))
    assert choice.gain.above_zero is False
    assert choice.model != pw.TrueSkill()


def test_textbook_trueskill_is_used_if_the_tuned_model_is_far_worse_on_the_last_matches(league, monkeypatch):
    judge = run.Run._judge

    def far_worse(self, model):
        loss, gain, skill_gain = judge(self, model)
        return (loss, gain, skill_gain) if model == pw.TrueSkill() else (loss, Interval(-9.0, -9.5, -8.5), skill_gain)

    monkeypatch.setattr(run.Run, "_judge", far_worse)
    choice = pw.auto(league[:300])
    assert choice.model == pw.TrueSkill()
    assert choice.gain.value == 0.0
    assert "textbook TrueSkill is used" in str(choice)


@pytest.mark.parametrize("factor", [0.5, 10.0])
def test_model_of_scores_is_chosen_whatever_the_unit_of_scores(factor):
    history = pw.History.read(ROOT / "examples" / "clubs.csv")
    usual, scaled = pw.auto(history), pw.auto(replace(history, score=history.score * factor))
    assert scaled.parts[0] in ("score differences (Gaussian-SD)", "offence and defence (Gaussian-OD)")
    assert scaled.loss.value == pytest.approx(usual.loss.value, abs=0.02)


def test_report_shows_as_kept_only_what_the_chosen_model_has(choice):
    kept = {step.option for step in choice.tried if step.kept and step.decision == "family"}
    assert kept in (set(), {"logistic"}, {"score difference"}, {"counts"})
    assert (len(kept) == 0) == choice.parts[0].startswith("TrueSkill")
    same = pw.auto(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 250))
    assert same.model == pw.TrueSkill()
    assert not any(step.kept for step in same.tried)
    assert "No other model is expected to predict better." in str(same)


def test_auto_tries_only_models_that_can_be_fitted_in_hindsight_if_asked():
    history = pw.simulate(pw.TrueSkill(beta=12), 400, 12).history
    plain, choice = pw.auto(history), pw.auto(history, hindsight=True)
    assert "logistic" in plain.steps["option"].to_list()
    assert "logistic" not in choice.steps["option"].to_list()
    assert len(choice.model.hindsight(history).leaderboard()) == 12
