"""Every model can be described as a preset with parameters, and that description gives the same model again."""

import json

import pytest

import prowess as pw
from prowess.model.presets import BUILT_IN
from prowess.store import presets
from prowess.store.leagues import Preset
from prowess.store.presets import preset_of

OTHERS = {
    "drift": {"drift": "time"},
    "no drift": {"drift": "none"},
    "seasons": {"seasons": "60:0.7"},
    "home": {"home_advantage": "learnt"},
    "given home": {"home_advantage": 3},
    "newcomers": {"newcomer_level": "learnt"},
    "mean": {"team": pw.team.Mean(), "mu": 20.0},
    "team": {"team": pw.team.FullSquad(4)},
    "caution": {"caution": 0, "beta": 2.5},
    "all": {"drift": "time", "seasons": 30, "home_advantage": "learnt", "newcomer_level": "learnt"},
}


def stored(preset):
    """Return a preset as it is read from the database."""
    return Preset(**json.loads(preset.to_json()))


@pytest.mark.parametrize("name", BUILT_IN)
def test_preset_of_finds_the_name_of_an_unchanged_preset(name):
    found = preset_of(BUILT_IN[name]())
    assert (found.name, found.parameters) == ("TS2" if name == "TS2b" else name, {})


@pytest.mark.parametrize("change", OTHERS)
@pytest.mark.parametrize("name", ["TrueSkill", "TS2", "TS3", "PoissonOD", "GaussianSD", "GaussianOD"])
def test_composed_models_survive_the_database(name, change, monkeypatch):
    model = pw.compose(BUILT_IN[name](), **OTHERS[change])
    found = preset_of(model)
    assert found.name == name
    assert stored(found).model == model
    monkeypatch.setattr(presets, "_differences", lambda model, usual: {})  # as if no parameter had a name
    assert stored(preset_of(model)).model == model


def test_preset_of_lists_the_parameters_that_differ_from_the_preset():
    model = pw.TrueSkill(beta=3.0, tau=0.5, draw_probability=0.25).replace(home_mu=1.0)
    assert preset_of(model).parameters == {"draw_probability": 0.25, "tau": 0.5, "beta": 3.0, "home_mu": 1.0}


def test_components_that_have_a_word_are_named_by_it():
    model = pw.Glicko(period=None).replace(drift=pw.drift.PerMatch(20))
    assert preset_of(model) == Preset("Glicko", {"drift": "match", "tau": 20.0, "period": None})
    model = pw.TrueSkill(draw_probability="learnt", beta=9.0).replace(draw_memory=200.0)
    assert preset_of(model) == Preset("TrueSkill", {"draw_probability": "learnt", "draw_memory": 200.0, "beta": 9.0})
    model = pw.PoissonOD().replace(drift=pw.drift.Seasons(pw.drift.PerMatch(0.0), 45.5, 0.71, 0.2))
    assert preset_of(model) == Preset("PoissonOD", {"seasons": "45.5:0.71", "season_tau": 0.2})


def test_invalid_components_are_errors():
    for parameters in (
        {"drift": {"is": "Normal", "mu": 0, "sigma": 1}},
        {"drift": {"is": "Nothing"}},
        {"drift": {"is": ["PerTime"]}},
        {"drift": {"is": "PerTime", "speed": 3}},
        {"drift": {"is": "PerTime", "tau": {"is": "Sum"}}},
        {"drift": {}},
        {"beta": {"is": "Sum"}},
        {"home": {"is": "Sum"}},
    ):
        with pytest.raises(pw.Error):
            _ = Preset("TrueSkill", parameters).model
