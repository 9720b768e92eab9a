"""Every model can be described as a preset with parameters, and that description gives the same model again."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import prowess as pw
from prowess.lab.auto.designs import FAMILIES, Design
from prowess.lab.auto.facts import Facts
from prowess.model.presets import BUILT_IN
from prowess.store import presets
from prowess.store.leagues import Preset
from prowess.store.presets import preset_of

OTHERS = {
    "drift by time": {"drift": "time"},
    "no drift": {"drift": "none"},
    "seasons": {"seasons": "60:0.7"},
    "learnt home advantage": {"home_advantage": "learnt"},
    "fixed home advantage": {"home_advantage": 3},
    "learnt newcomer level": {"newcomer_level": "learnt"},
    "mean of players": {"team": pw.team.Mean(), "mu": 20.0},
    "full squads": {"team": pw.team.FullSquad(4)},
    "caution and beta": {"caution": 0, "beta": 2.5},
    "several options": {"drift": "time", "seasons": 30, "home_advantage": "learnt", "newcomer_level": "learnt"},
}


def stored(preset):
    """Return a preset as it is read from the database."""
    return Preset(**json.loads(preset.to_json()))


@pytest.mark.parametrize("name", BUILT_IN)
def test_unchanged_preset_is_described_by_its_name_alone(name):
    found = preset_of(BUILT_IN[name]())
    assert (found.name, found.parameters) == ("TS2" if name == "TS2b" else name, {})


@pytest.mark.parametrize("change", OTHERS)
@pytest.mark.parametrize("name", ["TrueSkill", "TS2", "TS3", "PoissonOD", "GaussianSD", "GaussianOD"])
def test_composed_model_is_read_back_from_the_database_unchanged(name, change, monkeypatch):
    model = pw.compose(BUILT_IN[name](), **OTHERS[change])
    found = preset_of(model)
    assert found.name == name
    assert stored(found).model == model
    # If no parameters describe the differences, all components are stored as plain data.
    monkeypatch.setattr(presets, "_differences", lambda model, usual: {})
    assert stored(preset_of(model)).model == model


def test_changed_preset_is_described_by_its_name_and_the_changed_parameters():
    model = pw.TrueSkill(beta=3.0, tau=0.5, draw_probability=0.25).replace(home_mu=1.0)
    assert preset_of(model).parameters == {"draw_probability": 0.25, "tau": 0.5, "beta": 3.0, "home_mu": 1.0}


def test_changed_components_are_described_by_the_options_of_compose():
    model = pw.Glicko(period=None).replace(drift=pw.drift.PerMatch(20))
    assert preset_of(model) == Preset("Glicko", {"drift": "match", "tau": 20.0, "period": None})
    model = pw.TrueSkill(draw_probability="learnt", beta=9.0).replace(draw_memory=200.0)
    assert preset_of(model) == Preset("TrueSkill", {"draw_probability": "learnt", "draw_memory": 200.0, "beta": 9.0})
    model = pw.PoissonOD().replace(drift=pw.drift.Seasons(pw.drift.PerMatch(0.0), 45.5, 0.71, 0.2))
    assert preset_of(model) == Preset("PoissonOD", {"seasons": "45.5:0.71", "season_tau": 0.2})


def test_preset_with_an_invalid_component_raises_an_error():
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


FACTS = Facts(True, 2.0, 2, False, 0.25, True, True, True, 1.0, 1.3, 1.2, 1.7, 7.0, 365.25, 60.0, (("rest", 2.5),))
COLUMNS = ("surface", "rest", "Best of", "home", "level", "season", "draw", "tau")  # some clash with other parameters
KINDS = st.tuples(st.sampled_from(["by", "slope", "shared", "covariate"]), st.sampled_from(COLUMNS))
DESIGNS = st.builds(
    Design,
    family=st.sampled_from(sorted(FAMILIES)),
    drift=st.sampled_from(["match", "time"]),
    home=st.sampled_from(["none", "fixed", "learnt"]),
    draws=st.sampled_from(["given", "learnt"]),
    newcomers=st.booleans(),
    seasons=st.sampled_from([None, 60.0]),
    team=st.sampled_from(["sum", "mean", "squad"]),
    facets=st.lists(KINDS, unique=True, max_size=4).map(tuple),
)


@settings(max_examples=150, deadline=None)
@given(DESIGNS, st.data())
def test_every_model_that_auto_can_choose_is_read_back_from_the_database_unchanged(design, data):
    values = {
        parameter.name: data.draw(st.floats(parameter.low, parameter.high), label=parameter.name)
        for parameter in design.parameters(FACTS)
    }
    model = design.build(FACTS, values)
    found = preset_of(model)
    assert stored(found).model == model
    assert len(found.parameters.get("facets", [])) == len(design.facets)


def test_facets_are_described_beside_the_preset_of_the_model_without_them():
    plain = pw.TrueSkill(beta=3.0)
    model = plain.replace(facets=(pw.facet.By("surface", sigma=2.0), pw.facet.Experience((10,), sigma=1.0)))
    found = preset_of(model)
    assert (found.name, found.parameters["beta"], len(found.parameters)) == ("TrueSkill", 3.0, 2)
    assert [spec["is"] for spec in found.parameters["facets"]] == ["By", "Experience"]
    assert stored(found).model == model


def test_statistics_are_described_beside_the_preset_of_the_model_without_them():
    kills = pw.statistic.Points("kills", per=("mode", "map"), eta=0.5)
    model = pw.TrueSkill(beta=3.0).replace(statistics=(kills, pw.statistic.Quit("left", margin=1.0)))
    for one in (model, model.replace(facets=(pw.facet.By("mode"),))):
        found = preset_of(one)
        assert [spec["is"] for spec in found.parameters["statistics"]] == ["Points", "Quit"]
        assert stored(found).model == one
