"""Models in a comparison that are refitted again and again, each time with all earlier matches at once."""

from dataclasses import replace

import numpy as np
import pytest

import prowess as pw
from tests.cli.running import LEAGUE
from tests.model.hindsight.test_refit import FACETS, HOME, MODELS, league

MEASURES = ["log_loss", "pair_log_loss"]
WEEKLY = "refitted every 7 days"


def tallies(comparison, name):
    return [comparison.tally(name, measure).total for measure in MEASURES]


@pytest.mark.parametrize("window", [None, 60.0])
@pytest.mark.parametrize("model", [MODELS["drift"], MODELS["home"], FACETS, FACETS.replace(home=HOME)])
def test_scores_do_not_depend_on_later_matches(model, window):
    history = league(60)
    [name] = [title for title in pw.compare(history, {"own": model}, refit=7, window=window).models if title != "own"]
    whole = tallies(pw.compare(history, {"own": model}, measures=MEASURES, refit=7, window=window), name)
    for cut in (9, 30, 41, 59):
        part = tallies(pw.compare(history[:cut], {"own": model}, measures=MEASURES, refit=7, window=window), name)
        assert all(np.array_equal(own, other[:cut]) for own, other in zip(part, whole, strict=True))


def test_scores_are_those_of_a_fit_with_refits():
    history = pw.History.read(LEAGUE)
    comparison = pw.compare(history, ["elo", "trueskill"], refit=7, window=100)
    name = f"TrueSkill ({WEEKLY} over 100 days)"
    assert list(comparison.models) == ["Elo", "TrueSkill", name]
    expected = pw.TrueSkill().fit(history, refit=7, window=100)
    assert np.array_equal(comparison.scored[name].win, expected.forecasts.win)
    assert comparison.fit(name).refit == 7
    assert comparison.fit("TrueSkill").refit is None
    assert np.array_equal(comparison.fit(name).forecasts.win, expected.forecasts.win)


def test_processes_do_not_change_refits():
    history = league(40)
    one, two = (pw.compare(history, ["trueskill"], refit=7, jobs=jobs) for jobs in (1, 2))
    assert one.table().equals(two.table())


@pytest.mark.parametrize(
    "protocol", [pw.lab.Prequential(0.3), pw.lab.SeasonSplits(0.5), pw.lab.RandomSplits(times=2, train=0.5)]
)
def test_refits_work_with_every_protocol(protocol):
    comparison = pw.compare(league(60), {"TrueSkill": MODELS["drift"]}, refit=14, protocol=protocol)
    plain, refitted = (comparison.scored[name].win for name in comparison.models)
    assert plain.shape == refitted.shape
    assert (plain != refitted).any()


def test_auto_is_refitted_with_the_model_it_chooses():
    comparison = pw.compare(league(60), ["auto"], refit=7)
    assert list(comparison.models) == ["auto", f"auto ({WEEKLY})"]
    assert comparison.chosen["auto"] == comparison.chosen[f"auto ({WEEKLY})"]
    assert "auto and auto (refitted every 7 days): " in " ".join(comparison.to_dict()["notes"])


def test_report_of_a_refitted_model_has_standings_and_curves_in_hindsight():
    history = league(60)
    comparison = pw.compare(history, {"own": MODELS["drift"]}, refit=7)
    [name] = comparison.refits
    only = replace(comparison, models={name: comparison.models[name]}, scored={name: comparison.scored[name]})
    sections = {section.title: section for section in only.report().sections}
    assert "Skill over time" in sections
    expected = MODELS["drift"].hindsight(history).leaderboard()["player"].to_list()
    assert sections["Standings"].table["player"].to_list() == expected


def test_home_gain_looks_at_models_without_refits():
    comparison = pw.compare(league(60), {"own": MODELS["drift"]}, refit=7)
    assert comparison.home_gain is not None
    assert comparison.home_gain.model == "own"


def test_title_names_the_unit_of_time():
    rounds = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "time": number} for number in range(9)])
    assert list(pw.compare(rounds, ["trueskill"], refit=2).models)[1] == "TrueSkill (refitted every 2 units)"
    assert list(pw.compare(rounds, ["trueskill"], refit=1).models)[1] == "TrueSkill (refitted every unit)"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"window": 30}, "window limits what a refit visits; give refit, too"),
        ({"refit": 0}, "refit"),
        ({"refit": 7, "window": -1}, "window"),
        ({"refit": 7, "models": ["elo", "glicko"]}, "none of these models can be refitted"),
    ],
)
def test_wrong_refits_are_errors(options, message):
    with pytest.raises(pw.Error, match=message):
        pw.compare(league(12), **({"models": ["trueskill"]} | options))


def test_refits_need_times():
    with pytest.raises(pw.Error, match="refit needs the times of the matches"):
        pw.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 3), ["trueskill"], refit=7)
