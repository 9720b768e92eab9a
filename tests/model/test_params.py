"""Every component declares its tunable parameters, and results determine those that are tuned by default."""

import dataclasses

import numpy as np
import pytest

import prowess as pw
from prowess.model.params import Range, fields_of, identified, ranges
from prowess.model.presets import PRESETS
from prowess.model.registry import BASES, COMPONENTS

# Parameters in units of skill: doubling all of them together changes no forecast.
LENGTHS = {"mu", "sigma", "beta", "tau", "margin", "c", "cap", "k", "step", "scale", "span"}
LENGTHS |= {"season_tau", "level_sigma", "level_tau"}

EXAMPLES = {
    "Normal": pw.Normal(25.0, 8.0),
    "Point": pw.Point(1500.0),
    "Step": pw.absorb.Step(32.0),
    "PerMatch": pw.drift.PerMatch(0.1),
    "PerTime": pw.drift.PerTime(0.1, cap=8.0),
    "PerPeriod": pw.drift.PerPeriod(30.0),
    "Seasons": pw.drift.Seasons(pw.drift.PerMatch(0.1)),
    "Newcomers": COMPONENTS["Newcomers"](pw.Normal(25.0, 8.0)),
    "Weighted": pw.team.Weighted((1.0, 0.5)),
    "Affine": pw.team.Affine(lambda means: ([1.0 for _ in means], 0.0)),
    "LeaderBonus": pw.team.LeaderBonus(pw.team.FullSquad()),
    "Order": pw.outcome.Order(draw_probability=0.1),
    "Places": pw.outcome.Places(margin=1.0),
    "PlacesML": pw.outcome.PlacesML(margin=1.0),
    "Duel": pw.outcome.Duel(pw.outcome.Logistic()),
    "OffenceDefence": pw.outcome.OffenceDefence(pw.outcome.GaussianScore(5.0)),
    "GaussianScore": pw.outcome.GaussianScore(5.0),
    "Fixed": COMPONENTS["Fixed"](1.0),
    "FromDraws": COMPONENTS["FromDraws"](0.1),
    "TwoValued": pw.outcome.TwoValued(tied=1.0, untied=0.1),
    "By": pw.facet.By("surface"),
    "Shared": pw.facet.Shared("side"),
    "Covariate": pw.facet.Covariate("length"),
    "Points": pw.statistic.Points("kills", eta=0.5),
    "Counts": pw.statistic.Counts("goals", eta=0.5),
    "Times": pw.statistic.Times("lap", eta=0.5),
    "Quit": pw.statistic.Quit("left"),
}


def example(name):
    return EXAMPLES[name] if name in EXAMPLES else COMPONENTS[name]()


MODELS = {name: make() for name, make in PRESETS.items()} | {
    "with a home": pw.TrueSkill().replace(home=pw.Home(1.0, home_sigma=2.0)),
    "Elo with a home": pw.Elo().replace(home=pw.Home(50.0)),
    "no gradient": pw.GaussianElo().replace(home=pw.Home(50.0)),
    "small scores": pw.PoissonOD(mu=0, sigma=0.3, beta=0.1, tau=0.01),
    "noise of scores": pw.GaussianOD(gamma=5.0),
    "two margins": pw.TSa(margin=pw.outcome.TwoValued(tied=30.0, untied=0.0)),
    "in time": pw.TrueSkill().replace(drift=pw.drift.PerTime(0.01)),
    "seasons and newcomers": pw.TrueSkill().replace(
        drift=pw.drift.Seasons(pw.drift.PerMatch(0.1)), prior=COMPONENTS["Newcomers"](pw.Normal(25.0, 8.0))
    ),
    "large squads": pw.TS2(size=15),
    "one is a squad": pw.TS2(size=1),
    "two taus": pw.Glicko2().replace(drift=pw.drift.PerMatch(5.0)),
    "far from the usual": pw.TrueSkill(mu=1e6, beta=1e3, tau=0.0, draw_probability=0.0),
}


@pytest.mark.parametrize("name", COMPONENTS)
def test_components_declare_ranges_only_for_their_own_parameters(name):
    declared = example(name).tunable
    assert set(declared) <= {field.name for field in dataclasses.fields(COMPONENTS[name])}
    assert all(isinstance(span, Range) for span in declared.values())


@pytest.mark.parametrize("name", COMPONENTS)
def test_every_numeric_parameter_declares_whether_it_is_tunable(name):
    """If this test fails for a new numeric parameter, declare a range for it, or add it to this list."""
    numbers = {key for key, value in fields_of(example(name)).items() if type(value) is float}
    # The start of a learnt effect is soon forgotten.
    forgotten = {"mu"} if isinstance(example(name), pw.facet.Facet) else set()
    assert numbers - set(example(name).tunable) <= {"tolerance", "gap", "home_sigma", "home_tau"} | forgotten


@pytest.mark.parametrize("base", BASES.values())
def test_custom_component_need_not_declare_parameter_ranges(base):
    assert base.tunable == {} == pw.Margin.tunable == pw.absorb.Rule.tunable


@pytest.mark.parametrize("name", MODELS)
def test_parameter_ranges_include_the_current_value_and_have_valid_ends(name):
    model = MODELS[name]
    assert identified(model)
    for parameter, span in model.tunable.items():
        present = model.params[parameter]
        assert span.low <= present <= span.high or (span.log and present == 0)
        for end in (span.low, span.high):
            assert model.replace(**{parameter: end}).params[parameter] == end


def test_tunable_parameters_are_numeric_and_can_be_replaced_by_name():
    assert "gamma" not in pw.GaussianOD().tunable
    assert "gamma" in MODELS["noise of scores"].tunable
    assert "k" not in pw.Elo(k=pw.absorb.Fide()).tunable
    assert {"tied", "untied", "fraction"} < set(MODELS["two margins"].tunable)
    assert {"drift_tau", "absorb_tau"} < set(MODELS["two taus"].tunable)
    assert "cap" not in MODELS["in time"].tunable  # infinite, so not tunable
    assert "beta" not in pw.Glicko().tunable  # the logistic outcome contains all the noise
    assert "period" not in pw.Glicko(period=None).tunable
    homely = {name: [key for key in MODELS[name].tunable if key.startswith("home")] for name in MODELS}
    assert homely["with a home"] == ["home_sigma", "home_tau"]  # it is learnt
    assert homely["Elo with a home"] == homely["no gradient"] == ["home_mu"]


def test_parameter_range_scales_with_the_skills():
    span = Range(0.1, 10, log=True, unit="sigma")
    assert span.at(1.0, sigma=2.0) == Range(0.2, 20, log=True)
    assert span.at(5.0, sigma=0.0) == Range(0.5, 50, log=True)
    assert span.at(100.0, sigma=2.0) == Range(0.2, 100.0, log=True)
    assert pw.Elo().replace(home=pw.Home()).tunable["home_mu"] == Range(-400, 400)
    assert pw.GaussianElo(beta=100).tunable["beta"].high == 1000
    assert pw.PoissonOD().tunable["tau"].high == pytest.approx(0.1)  # log-rates do not scale with sigma
    assert [Range(2, 50, log=True).value(share) for share in (0, 0.5, 1)] == pytest.approx([2, 10, 50])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"low": 1, "high": 1}, "from a lower to a higher"),
        ({"low": 0, "high": 1, "log": True}, "above 0"),
        ({"low": 0, "high": float("inf")}, "finite"),
        ({"low": 0, "high": 1, "unit": "inch"}, "a range needs `unit`, one of "),
    ],
)
def test_invalid_parameter_ranges_are_rejected(wrong, message):
    with pytest.raises(pw.Error, match=message):
        Range(**wrong)


def league(scores):
    """Return 120 matches between eight players at different times, with draws or with scores."""
    rng = np.random.default_rng(3)
    matches = []
    for time in range(120):
        one, other = rng.choice(8, 2, replace=False)
        result = (rng.poisson([1 + one / 4, 1 + other / 4])).tolist()
        told = {"scores": result} if scores else {"ranks": [-result[0], -result[1]]}
        matches.append({"teams": [[f"p{one}"], [f"p{other}"]], "time": float(time + 100 * (time > 60)), **told})
    return pw.History.from_matches(matches)


@pytest.mark.parametrize("name", [*PRESETS, "seasons and newcomers"])
def test_parameter_changes_declared_to_have_no_effect_leave_forecasts_unchanged(name):
    """Shifting the initial mean or doubling all scales changes no forecast, unless the outcome depends on the scale."""
    model = MODELS[name]
    history = league(scores="scale" not in model.outcome.blind)

    def forecasts(changed):
        found = changed.fit(history).forecasts
        return np.stack([found.win, found.draw])

    before = forecasts(model)
    assert "origin" in model.outcome.blind
    np.testing.assert_allclose(forecasts(model.replace(mu=model.params["mu"] * 1.1)), before, atol=2e-6)
    doubled = {key: 2 * value for key, value in model.params.items() if key in LENGTHS and isinstance(value, float)}
    if name == "Glicko2":
        del doubled["tau"]  # tau of the volatility is not in units of skill
    after = forecasts(model.replace(**doubled))
    if "scale" in model.outcome.blind:
        np.testing.assert_allclose(after, before, atol=2e-6)
    else:
        assert np.abs(after - before).max() > 1e-3


def test_identified_parameters_omit_those_that_results_cannot_determine():
    assert set(pw.TrueSkill().tunable) - set(identified(pw.TrueSkill())) == {"mu", "sigma"}
    assert set(pw.Glicko().tunable) - set(identified(pw.Glicko())) == {"mu", "scale"}
    assert set(pw.GaussianElo().tunable) - set(identified(pw.GaussianElo())) == {"mu", "beta"}
    assert set(pw.PoissonOD().tunable) - set(identified(pw.PoissonOD())) == {"mu"}
    assert list(ranges(pw.team.LeaderBonus(pw.team.FullSquad()))) == ["leader_bonus", "discount"]


def test_columns_whose_names_give_the_same_key_have_parameters_and_trace_columns_of_their_own():
    statistics = pw.statistic.Points("First serves", gamma=1.0), pw.statistic.Points("first_serves", gamma=2.0)
    facets = pw.facet.By("Map", sigma=3.0), pw.facet.By("map", sigma=4.0), pw.facet.By("map", numeric=True, sigma=0.5)
    model = pw.TrueSkill().replace(facets=facets, statistics=statistics)
    gammas = {name: value for name, value in model.params.items() if name.endswith("gamma")}
    assert gammas == {"points_first_serves_gamma": 1.0, "points_first_serves_2_gamma": 2.0}
    sigmas = {name: value for name, value in model.params.items() if name.endswith("map_sigma") or "map_2" in name}
    assert sigmas == {"by_map_sigma": 3.0, "by_map_2_sigma": 4.0, "by_map_2_tau": 0.0, "slope_map_sigma": 0.5}
    assert model.replace(points_first_serves_2_gamma=5.0).statistics[1].gamma == 5.0
    context = {"Map": "old", "map": 1}
    match = {"teams": [["ann"], ["bob"]], "context": context, "statistics": {"First serves": [[9], [4]]}}
    match["statistics"]["first_serves"] = [[7], [8]]
    rows = model.fit(pw.History.from_matches([match] * 3)).explain("ann").matches.rows(named=True)
    assert (rows[0]["statistic_points_first_serves"], rows[0]["statistic_points_first_serves_2"]) == (9.0, 7.0)
    assert (rows[0]["at_by_map"], rows[0]["at_by_map_2"], rows[0]["at_slope_map"]) == ("old", "1", "1")


def test_keys_of_different_columns_stay_short():
    model = pw.TrueSkill().replace(statistics=(pw.statistic.Points("kills"), pw.statistic.Points("deaths")))
    assert {"kills_gamma", "deaths_gamma"} <= model.params.keys()
