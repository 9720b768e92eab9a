"""Tuning by evidence finds the parameters of simulated leagues, from afar, and with few fits."""

import numpy as np
import pytest

import prowess as pw

TRUE = pw.TrueSkill(mu=0, sigma=1.0, beta=1.0, tau=0.1, draw_probability=0.1)


def league(matches=4000, players=80):
    return pw.simulate(TRUE, matches, players, seed=3).history


@pytest.mark.parametrize("start", [{"sigma": 4.0, "tau": 0.01}, {"sigma": 0.3, "tau": 0.5}])
def test_prior_and_drift_are_found_from_afar(start):
    tuning = pw.tune(TRUE.replace(**start), league(), by="evidence", parameters=["sigma", "tau"])
    assert 0.7 < tuning.model.params["sigma"] < 1.4
    assert 0.06 < tuning.model.params["tau"] < 0.15
    assert len(tuning.tried) <= 25
    assert tuning.gain.value > 0


def test_parameters_of_the_outcome_are_found_by_differences():
    tuning = pw.tune(
        TRUE.replace(beta=3.0, draw_probability=0.3), league(), by="evidence", parameters=["beta", "draw_probability"]
    )
    assert 0.7 < tuning.model.params["beta"] < 1.4
    assert 0.07 < tuning.model.params["draw_probability"] < 0.14


def test_both_starts_reach_the_same_evidence():
    history = league(1500, 40)
    ends = []
    for sigma in (0.4, 3.0):
        tuning = pw.tune(TRUE.replace(sigma=sigma), history, by="evidence", parameters=["sigma", "tau"])
        ends.append(min(trial.loss for trial in tuning.tried))
    assert np.ptp(ends) * 0.6 * len(history) < 0.1


def test_systems_without_evidence_and_unknown_criteria_are_refused():
    history = league(300, 20)
    with pytest.raises(pw.Error, match="cannot use a whole history"):
        pw.tune(pw.Elo(), history, by="evidence")
    with pytest.raises(pw.Error, match='by must be "forecasts" or "evidence", not \'luck\''):
        pw.tune(TRUE, history, by="luck")
    with pytest.raises(pw.Error, match="studies by evidence are not stored"):
        pw.tune(TRUE, history, by="evidence", storage="study.db")
