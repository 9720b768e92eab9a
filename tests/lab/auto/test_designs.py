"""Every model that `auto` can build works in all other parts of the package."""

import numpy as np
import pytest

import prowess as pw
from prowess.lab.auto.designs import FAMILIES, Design
from prowess.lab.auto.facts import Facts
from prowess.lab.auto.parameters import Values


@pytest.fixture(scope="module")
def history():
    return pw.simulate(pw.PoissonOD(mu=0, sigma=0.3, beta=0, base_rate=2.0), 120, 8, size=(1, 2)).history


@pytest.mark.parametrize("family", FAMILIES)
def test_models_of_every_family_can_predict_matches_balance_teams_and_pair_players(history, family):
    facts = Facts.of(history, len(history))
    design = Design(family, home="learnt", newcomers=True)
    model = design.build(facts, Values({}).of(design.parameters(facts)))
    ladder = model.fit(history).ladder
    names = list(history.players)[:6]
    prediction = ladder.predict([names[:1], names[1:2]])
    assert prediction.win.sum() + prediction.draw == pytest.approx(1.0, abs=1e-6)
    assert 0.0 < ladder.quality([names[:1], names[1:2]]) <= 1.0
    assert 0.0 < ladder.quality([names[:2], names[2:4], names[4:]]) <= 1.0
    assert len(pw.pair(ladder, names).pairs) == 3
    assert len(pw.balance(ladder, names).teams) == 2
    assert len(pw.next_matches(ladder, count=2)) == 2
    assert np.isfinite(pw.simulate(model, 10, 6).skill).all()


def facts_of(*scores):
    matches = [{"teams": [["ann"], ["bob"]], "scores": list(pair)} for pair in scores]
    return Facts.of(pw.History.from_matches(matches * 10), 10 * len(matches))


def test_scores_that_are_only_results_are_places():
    assert not facts_of((1, 0), (0, 1), (0, 0)).scored
    assert not facts_of((1, 0), (0.5, 0.5)).scored
    assert facts_of((1, 0), (0, 1), (2, 1)).scored


def test_scores_of_seven_and_three_points_are_not_counts():
    """The variance of goals is about their mean; that of points, several of which come at once, is far larger."""
    assert facts_of((0, 0), (3, 1), (1, 2), (2, 0)).counts
    assert not facts_of((7, 3), (28, 10), (14, 0), (0, 17), (24, 21)).counts


def test_skills_cannot_be_tuned_to_grow_from_season_to_season():
    model = pw.TrueSkill().replace(drift=pw.drift.Seasons(pw.drift.Still(), carry=1.2))
    assert model.drift.tunable["carry"].high == 1.0
