"""Breaks at given times, such as the seasons of a league, in fits of whole histories."""

import numpy as np
import pytest

import prowess as pw
from prowess.model.engine.breaks import Breaks
from prowess.model.hindsight.hindsight import Hindsight
from prowess.model.hindsight.smoother import Smoother

from .test_hindsight import FINE, largest_error, league, read, scores_model

CARRY, TAU = 0.7, 1.5


def seasons_of(count, rng=None, players=5):
    """Return matches of three seasons, in each of which everybody plays, and the times at which the seasons begin."""
    rng = rng or np.random.default_rng(31)
    matches = []
    for season in range(3):
        matches += [match | {"time": 100.0 * season + k} for k, match in enumerate(league(rng, count, players))]
    return matches, [100.0, 200.0]


def breaks_of(model, times, carry=CARRY, tau=TAU):
    centre = model.replace(drift=pw.drift.Seasons(pw.drift.Still())).pipeline.board(1, 1).centre
    return Breaks(times, [carry] * len(times), [tau] * len(times), list(centre))


def fitted(model, history, breaks, tolerance=1e-10) -> Hindsight:
    smoother = Smoother(pw.Ladder(model), history, breaks)
    return Hindsight(smoother, smoother.run(tolerance, 500, False))


MODELS = {
    "per match": pw.TrueSkill(),
    "per time": pw.TrueSkill().replace(drift=pw.drift.PerTime(0.3)),
    "limited": pw.TrueSkill().replace(drift=pw.drift.PerTime(1.0, cap=6.0)),
    "two traits": scores_model(2, 0.3),
    "newcomers": pw.TrueSkill().replace(prior=pw.Newcomers(pw.Normal(25.0, 8.0), level_sigma=3.0, matches=3)),
}


@pytest.mark.parametrize("name", MODELS)
def test_breaks_after_which_everybody_plays_are_those_of_seasons(name):
    matches, starts = seasons_of(12)
    model, history = MODELS[name], read(matches)
    ours = fitted(model, history, breaks_of(model, starts))
    seasons = pw.drift.Seasons(model.drift, gap=50.0, carry=CARRY, season_tau=TAU)
    theirs = fitted(model.replace(drift=seasons), history, None)
    for player in ours.ladder.names:
        one, other = ours.curve(player), theirs.curve(player)
        assert one["mu"].to_numpy() == pytest.approx(other["mu"].to_numpy(), abs=1e-7)
        assert one["sigma"].to_numpy() == pytest.approx(other["sigma"].to_numpy(), rel=1e-7)
    assert ours.log_evidence == pytest.approx(theirs.log_evidence, abs=1e-6)
    # Parameters of the prior: those of the drift have other names within seasons.
    assert ours.gradient.get("sigma", 0.0) == pytest.approx(theirs.gradient.get("sigma", 0.0), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("name", MODELS)
def test_the_first_pass_is_that_of_a_ladder_with_new_seasons(name):
    matches, starts = seasons_of(12)
    matches = [match for match in matches if "p0" not in str(match["teams"]) or not 100 <= match["time"] < 200]
    model, history = MODELS[name], read(matches)
    smoother = Smoother(pw.Ladder(model), history, breaks_of(model, starts))
    smoother.forward(online=True)
    ladder = pw.Ladder(model)
    for start, end in ((0.0, 100.0), (100.0, 200.0), (200.0, 300.0)):
        if start:
            ladder.new_season(CARRY, TAU)
        for match in matches:
            if start <= match["time"] < end:
                ladder.record(match["teams"], scores=match["scores"], time=match["time"])
    for player in ladder.names:
        assert smoother.ladder[player].mu == pytest.approx(ladder[player].mu, rel=1e-12)
        assert smoother.ladder[player].sigma == pytest.approx(ladder[player].sigma, rel=1e-12)


@pytest.mark.parametrize("name", ["per time", "two traits"])
def test_a_curve_across_a_break_is_that_of_a_match_without_importance(name):
    matches, starts = seasons_of(8)
    model = MODELS[name].replace(drift=pw.drift.PerTime(0.3))
    breaks = breaks_of(model, starts)
    curves = fitted(model, read(matches), breaks)._read.skills
    for time in (60.0, 150.0, 200.0, 250.0, 350.0):
        ghost = {"teams": [["p0"], ["p1"]], "scores": [1, 0], "time": time, "importance": 0.0}
        history = read(sorted([ghost, *matches], key=lambda match: match["time"]))
        visit = 2 * np.flatnonzero(history.importance == 0.0)[:1]
        expected = fitted(model, history, breaks)._read.skills.at_visits(visit)
        found = curves.at(np.array([history.players.index("p0")]), np.array([time]))
        assert np.stack(found) == pytest.approx(np.stack(expected), abs=1e-7)


@pytest.mark.parametrize("name", MODELS)
def test_revisions_across_breaks_agree_with_new_fits(name, monkeypatch):
    monkeypatch.setattr("prowess.model.hindsight.revision.FEW", 0)
    matches, starts = seasons_of(20, players=8)
    model = MODELS[name]
    breaks = breaks_of(model, starts)
    hindsight = fitted(model, read(matches), breaks)
    changed = matches[25] | {"scores": matches[25]["scores"][::-1]}
    revised = hindsight.replace(25, changed, tolerance=1e-4)
    expected = fitted(model, read([*matches[:25], changed, *matches[26:]]), breaks, FINE["tolerance"])
    assert largest_error(revised, expected) < 5e-3


def test_breaks_are_combined():
    breaks = Breaks([10.0, 20.0, 30.0], [0.5, 0.8, 1.0], [1.0, 2.0, 3.0], [25.0])
    kept, added = breaks.between(np.array([0.0, 10.0, 9.0, np.nan, 40.0]), np.array([35.0, 20.0, 10.0, np.nan, 0.0]))
    assert kept.tolist() == pytest.approx([0.4, 0.8, 0.5, 1.0, 1.0])
    assert added.tolist() == pytest.approx([0.64 + 4.0 + 9.0, 4.0, 1.0, 0.0, 0.0])
