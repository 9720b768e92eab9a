"""Models that are set up from training matches never see a scored match, and are set up separately for every run."""

import sys
from dataclasses import replace

import numpy as np
import pytest

import prowess as pw
from prowess.lab import Prequential, RandomSplits, SeasonSplits, compare
from prowess.lab.compare import verdict
from prowess.lab.compare.training import RunChoice, training_matches
from prowess.lab.protocols import Run

from .test_comparison import league, same

PROTOCOLS = [Prequential(60), Prequential(0.4), SeasonSplits(0.6), SeasonSplits(0.5, reset=False), RandomSplits(2, 0.5)]


@pytest.fixture(scope="module")
def history():
    return league(200)


def changed(history, match):
    """Return the history with the result of one match reversed: the loser wins by five points."""
    first = history.match_start[match]
    score, place = history.score.copy(), history.place.copy()
    ahead = int(place[first] > place[first + 1])
    score[first + ahead], score[first + 1 - ahead] = 5.0, 0.0
    place[first + ahead], place[first + 1 - ahead] = 1, 2
    return replace(history, score=score, place=place)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_training_matches_of_a_run_are_never_scored(history, protocol):
    for run in protocol.runs(history):
        found = training_matches(run, history)
        assert len(found)
        assert not set(found) & set(run.rows(history))
        part, every = run.of(history), np.arange(len(history))[run.matches]
        assert set(found) <= set(every[(part.importance > 0) | (history.importance[every] == 0)])


def test_training_ends_before_the_first_match_that_is_both_scored_and_learnt_from(history):
    """A match that is scored but not learnt from is not a training match, and training continues after it."""
    scored = np.isin(np.arange(200), [30, 50, 90])
    assert training_matches(Run(slice(0, 200), scored=scored), history).tolist() == list(range(30))
    learnt = ~np.isin(np.arange(200), [30])
    expected = [match for match in range(50) if match != 30]
    assert training_matches(Run(slice(0, 200), learnt, scored), history).tolist() == expected
    assert training_matches(Run(slice(0, 200)), history).tolist() == []


@pytest.mark.parametrize("protocol", PROTOCOLS[1:])
def test_changing_a_scored_match_changes_neither_the_chosen_model_nor_earlier_forecasts(history, protocol):
    before = compare(history, ["elo", "auto"], protocol=protocol)
    for row in (0, len(before) // 2, len(before) - 1):
        match, run = before.rows.match[row], before.rows.run[row]
        after = compare(changed(history, match), ["elo", "auto"], protocol=protocol)
        own = before.rows.run == run
        assert after.chosen["auto"][run] == before.chosen["auto"][run]
        earlier = own & (before.rows.match <= match)
        for name in before.models:
            win = [np.broadcast_to(found.scored[name].win, len(before))[earlier] for found in (before, after)]
            assert np.array_equal(*win)


def test_auto_gives_the_forecasts_of_the_model_it_chose_on_the_burn_in_matches(history):
    found = compare(history, {"Elo": pw.Elo(), "best": "auto"})
    [choice] = found.chosen["best"]
    expected = pw.auto(history[:80])
    assert (choice.model, choice.parts, choice.matches) == (expected.model, expected.parts, 80)
    assert found.models["best"] == expected.model
    assert np.array_equal(found.scored["best"].win, expected.model.fit(history).forecasts.win[80:])
    assert len(found) == 120
    assert str(found.protocol).endswith("burn-in (40 % of the matches)")


def test_comparison_includes_auto_by_default_and_sets_matches_aside_only_for_auto(history):
    found = compare(history)
    assert list(found.models) == ["TrueSkill", "Elo", "Glicko", "Glicko2", "GaussianOD", "PoissonOD", "auto"]
    assert (len(found), len(compare(history, ["elo", "trueskill"]))) == (120, 200)
    assert list(compare(history, ["elo", pw.auto]).models) == ["Elo", "auto"]
    alone = compare(history, ["elo", "trueskill"], protocol=Prequential(0.4))
    # All models are columns of one matrix product, and BLAS may round a column otherwise if there are others.
    assert alone.intervals()["Elo"] == pytest.approx(found.intervals()["Elo"], rel=1e-12)
    assert alone.chosen == {}


@pytest.mark.parametrize("protocol", [Prequential(20), SeasonSplits(0.6), RandomSplits(2, 0.5)])
def test_auto_makes_the_same_choices_in_worker_processes(history, protocol):
    here, there = (compare(history, ["auto"], protocol=protocol, jobs=jobs) for jobs in (1, 2))
    assert same(here, there)
    assert here.chosen == there.chosen


def test_too_few_training_matches_give_textbook_trueskill_and_a_remark(history):
    found = compare(history, ["elo", "trueskill", "auto"], protocol=Prequential(0))
    [choice] = found.chosen["auto"]
    assert (choice.matches, choice.model) == (0, pw.TrueSkill())
    [text, *_] = verdict.remarks(found)
    assert text == (
        "auto: textbook TrueSkill. This choice used 0 matches that were not scored. Fewer than 20 matches are "
        "too few to choose a model."
    )
    assert len(compare(history[:1], ["auto"])) == 1


def test_models_chosen_in_several_runs_are_listed_in_text_report_and_json(history):
    found = compare(history, ["elo", "auto"], protocol=RandomSplits(3, 0.5))
    choices = found.chosen["auto"]
    assert [choice.run for choice in choices] == ["split 1", "split 2", "split 3"]
    [text, *_] = verdict.remarks(found)
    several = len({choice.parts for choice in choices}) > 1
    assert ("of 3 runs)" in text) is several
    assert "The choice of every run used 100 matches that the run did not score." in text
    [section] = [one for one in found.report().sections if one.title == "Set up from training matches"]
    assert section.table["run"].to_list() == ["split 1", "split 2", "split 3"]
    plain = found.to_dict()
    assert plain["notes"] == verdict.remarks(found)
    assert [own["parts"] for own in plain["chosen"]] == [list(choice.parts) for choice in choices]
    assert pw.Model.from_dict(plain["chosen"][0]["chosen"]) == choices[0].model
    assert found.fit("auto").model == choices[-1].model


def test_chosen_score_model_is_kept_if_later_matches_have_no_scores():
    rng = np.random.default_rng(0)
    strength = np.linspace(-1, 1, 8)
    rows = []
    for _ in range(400):
        one, two = rng.permutation(8)[:2]
        scores = rng.poisson(np.exp(0.5 + 0.6 * (strength[[one, two]] - strength[[two, one]]))).tolist()
        rows.append({"teams": [[f"p{one}"], [f"p{two}"]], "scores": scores})
    complete = pw.History.from_matches(rows)
    [usual] = compare(complete, ["auto"]).chosen["auto"]
    assert hasattr(usual.model.outcome, "score")
    gaps = complete.score.copy()
    gaps[600:602] = np.nan
    found = compare(replace(complete, score=gaps), ["auto"])
    [choice] = found.chosen["auto"]
    assert choice.model == usual.model
    assert np.isfinite(found.intervals()["auto"].value)


def test_unknown_measure_raises_an_error_before_a_model_is_chosen(history, monkeypatch):
    monkeypatch.setattr(sys.modules["prowess.lab.compare.training"], "auto", None)
    with pytest.raises(pw.Error, match="no measure named 'logloss'"):
        compare(history, ["auto"], measures=["logloss"])
    with pytest.raises(pw.Error, match="two models are named auto"):
        compare(history, ["auto", pw.auto])


def test_remark_lists_the_three_most_frequent_choices_of_auto():
    def described(*words):
        choices = [RunChoice(str(run), 30, pw.TrueSkill(), (word,)) for run, word in enumerate(words)]
        return verdict._describe_choices(choices)

    assert described("a", "a") == "a"
    assert described("a", "b", "b") == "b (2 of 3 runs); a (1 of 3 runs)"
    assert described(*"abcd").endswith("c (1 of 4 runs); 1 other")
    assert described(*"abcdef").endswith("c (1 of 6 runs); 3 others")
