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
