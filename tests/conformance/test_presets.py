"""Tests of every preset. A new preset is tested as soon as it is in `PRESETS`."""

from __future__ import annotations

import copy
import inspect
import math
import pickle

import numpy as np
import pytest

import prowess as pw
from prowess.model.presets import PRESETS
from tests.pure import load

from .leagues import details, duels, history, matches

SCORES = {"GaussianOD", "GaussianSD", "PoissonOD"}
SKILLS = {"mu", "sigma", "beta", "tau"}
PLACES = SKILLS | {"margin", "leader_bonus"}
NAMES = {
    "Harkness": {"mu", "step"},
    "Elo": {"mu", "k", "scale"},
    "GaussianElo": {"mu", "alpha", "beta"},
    "Glicko": {"mu", "sigma", "c", "period"},
    "Glicko2": {"mu", "sigma", "volatility", "tau", "period"},
    "TrueSkill": SKILLS | {"draw_probability"},
    "TSa": SKILLS | {"draw_probability"},
    "TSb": SKILLS | {"draw_probability"},
    "TS2": PLACES | {"size", "discount"},
    "TS2a": PLACES,
    "TS2b": PLACES | {"size", "discount"},
    "TS2c": PLACES | {"size", "discount"},
    "TS3": PLACES | {"size", "discount"},
    "GaussianOD": SKILLS | {"gamma", "unscored"},
    "GaussianSD": SKILLS | {"gamma", "unscored"},
    "PoissonOD": SKILLS | {"prediction", "unscored"},
}

# Parameters that are off (None) by default, so `params` leaves them out.
OFF = {"GaussianOD": {"rounding", "base_score"}, "GaussianSD": {"rounding"}, "PoissonOD": {"base_rate"}}

presets = pytest.mark.parametrize("name", PRESETS)


def test_every_preset_is_public_and_listed():
    assert set(PRESETS) == set(NAMES)
    assert all(getattr(pw, name) is PRESETS[name] for name in PRESETS)
    assert set(PRESETS) <= set(pw.__all__)


@presets
def test_params_and_replace_use_the_parameter_names_of_the_preset(name):
    model = PRESETS[name]()
    signature = set(inspect.signature(PRESETS[name]).parameters)
    either = OFF.get(name, set()) | ({"margin"} if "draw_probability" in NAMES[name] else set())
    assert NAMES[name] | either | ({"period"} if name == "Harkness" else set()) == signature
    assert NAMES[name] <= set(model.params)
    for parameter, value in model.params.items():
        assert model.replace(**{parameter: value}) == model
    for parameter in OFF.get(name, set()):
        assert model.replace(**{parameter: 2.0}) == PRESETS[name](**{parameter: 2.0}) != model
    for parameter in NAMES[name] & {"mu", "sigma", "beta", "k", "step", "c", "volatility", "alpha", "scale"}:
        changed = model.replace(**{parameter: 7.5})
        assert changed.params[parameter] == 7.5
        assert changed == PRESETS[name](**{parameter: 7.5})


@presets
def test_model_is_hashable_comparable_and_picklable(name):
    model = PRESETS[name]()
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), pw.Model.from_dict(model.to_dict())):
        assert again == model
        assert hash(again) == hash(model)
        assert repr(again) == repr(model)
    rating = model.rating()
    assert pickle.loads(pickle.dumps(rating)) == rating == eval(repr(rating), {"Rating": pw.Rating})


@presets
def test_rating_a_match_does_not_change_its_input(name):
    model = PRESETS[name]()
    a, b, c = model.rating(), model.rating(mu=model.rating().mu * 1.1), model.rating()
    teams, before = [[a, b], [c]], [[copy.deepcopy(a), copy.deepcopy(b)], [copy.deepcopy(c)]]
    rated = model.rate(teams, scores=[3, 1])
    assert teams == before
    assert rated == model.rate(teams, scores=[3, 1])
    assert [len(team) for team in rated] == [2, 1]
    assert model.rate(teams, scores=[3, 1], importance=0) == teams


@presets
def test_resuming_a_fit_or_ladder_gives_the_same_ratings_as_one_fit(name, tmp_path):
    model, found = PRESETS[name](), matches()
    whole = model.fit(history(found))
    half = model.fit(history(found[:50]))
    assert model.fit(history(found[50:]), start=half.ladder).ladder == whole.ladder
    ladder = pw.Ladder(model)
    for match in found[:80]:
        rated = ladder.record(match["teams"], time=match["time"], **details(match))
        if match["importance"]:
            assert rated == [[ladder[player] for player in team] for team in match["teams"]]
    ladder.save(tmp_path / "league.prowess")
    ladder = pw.Ladder.load(tmp_path / "league.prowess")
    for match in found[80:]:
        ladder.record(match["teams"], time=match["time"], **details(match))
    assert ladder == whole.ladder


@presets
def test_every_preset_gives_identical_ratings_compiled_and_uncompiled(name):
    """The uncompiled package is loaded beside the compiled one and rates the same league."""
    found = matches(count=60)
    results = []
    for package in (pw, load()):
        model = getattr(package, name)()
        fit = model.fit(package.History.from_matches(found))
        pair = fit.predict([["p1"], ["p2", "p3"]])
        results.append([fit.ladder.state[: len(fit.ladder)], fit.forecasts.mean, fit.forecasts.win,
                        fit.forecasts.log_evidence, pair.win])  # fmt: skip
    for compiled, pure in zip(*results, strict=True):
        np.testing.assert_array_equal(compiled, pure)


@presets
def test_rate_gives_the_same_ratings_as_a_fit_of_one_match(name):
    """This holds for matches without times, where skills drift once per match."""
    model = PRESETS[name]()
    rated = model.rate([[model.rating()], [model.rating()]], scores=[2, 1])
    fit = model.fit(history([{"teams": [["a"], ["b"]], "scores": [2, 1]}]))
    assert [[fit["a"]], [fit["b"]]] == rated


@presets
def test_player_names_and_team_order_do_not_change_ratings(name):
    model, found = PRESETS[name](), matches(count=40)
    fit = model.fit(history(found))
    other = [match | {"teams": [[f"x{player}" for player in team] for team in match["teams"]]} for match in found]
    renamed = model.fit(history(other))
    assert all(renamed[f"x{player}"] == fit[player] for player in fit.ladder)
    pair = [[model.rating(mu=model.rating().mu * 1.02)], [model.rating(), model.rating()]]
    for scores in ([2, 1], [1, 1], [0, 3]):
        one, two = model.rate(pair, scores=scores), model.rate(pair[::-1], scores=scores[::-1])
        for first, second in zip([*one[0], *one[1]], [*two[1], *two[0]], strict=True):
            assert close(first, second)


def close(one, other, rel=1e-9):
    mine, theirs = ([r.mu, r.sigma or 0.0, *(p if isinstance(p, float) else p.mu for p in r.parts.values())]
                    for r in (one, other))  # fmt: skip
    return mine == pytest.approx(theirs, rel=rel, abs=1e-9)


@presets
def test_rating_of_a_winner_never_falls(name):
    """The winner's mean never falls and the loser's never rises; in score models, more points never lower the mean."""
    model = PRESETS[name]()
    rng = np.random.default_rng(7)
    newcomer = model.rating()
    scale = newcomer.sigma or 100.0
    for _ in range(40):
        if "OD" in name:
            teams = [[model.rating(mu=25 + rng.normal())], [model.rating(mu=25 + rng.normal())]]
        else:
            teams = [[model.rating(mu=newcomer.mu + scale * rng.normal(0, 0.5))] for _ in range(2)]
        if name in SCORES:
            means = [model.rate(teams, scores=[points, 2])[0][0].mu for points in (0, 1, 2, 5, 40)]
            assert means == sorted(means)
        elif name == "Harkness":  # the new rating ignores the old one, so beating a weak player can lower it
            [[winner], [loser]] = model.rate(teams)
            assert (winner.mu, loser.mu) == pytest.approx((teams[1][0].mu + 50, teams[0][0].mu - 50))
        else:
            [[winner], [loser]] = model.rate(teams)
            assert winner.mu >= teams[0][0].mu
            assert loser.mu <= teams[1][0].mu


@presets
def test_uncertainty_stays_positive_and_is_reduced_by_matches(name):
    model = PRESETS[name]()
    fit = model.fit(history(matches()))
    board = fit.leaderboard()
    if model.absorb.certain:
        assert board["sigma"].null_count() == len(board)
        assert fit["p1"].sigma is None
        return
    assert board["sigma"].min() > 0
    still = model.replace(drift=pw.drift.Still())
    if not isinstance(model.absorb, pw.absorb.Volatile):
        a, b = still.rating(), still.rating()
        assert all(team[0].sigma <= a.sigma for team in still.rate([[a], [b]], scores=[1, 1]))


@presets
def test_forecasts_are_probabilities(name):
    model = PRESETS[name]()
    fit = model.fit(history(matches()))
    forecasts = fit.forecasts
    pairs = np.diff(fit.history.match_start) == 2
    win, draw = forecasts.win[pairs], forecasts.draw[pairs]
    assert ((win >= 0) & (draw >= 0) & (win + draw <= 1 + 1e-12)).all()
    assert np.isnan(forecasts.win[~pairs]).all()
    assert np.isfinite(forecasts.mean).all()
    assert np.isfinite(forecasts.log_evidence).all()
    assert forecasts.to_frame().height == fit.history.teams


@presets
@pytest.mark.parametrize("teams", [[["p1"], ["p2"]], [["p1", "p2"], ["p3"]], [["p1"], ["p2", "p3"], ["p4"], ["p5"]]])
def test_predictions_sum_to_one(name, teams):
    fit = PRESETS[name]().fit(history(matches()))
    found = fit.predict(teams)
    assert found.win.sum() + found.draw == pytest.approx(1, abs=1e-9)
    assert (found.win >= 0).all()
    assert found.ranks.sum(axis=1) == pytest.approx(1, abs=1e-9)
    assert (found.ranks >= -1e-12).all()
    turned = fit.predict(teams[::-1])
    assert turned.win[::-1] == pytest.approx(found.win, abs=5e-3 if name == "PoissonOD" and len(teams) > 2 else 1e-9)
    assert 0 <= fit.quality(teams) <= 1


@presets
def test_forecasts_in_a_fit_equal_predictions_of_the_ladder(name):
    """The recorded forecast equals `predict` with the ratings before the match."""
    model, found = PRESETS[name](), duels(count=40)
    whole = model.fit(history(found))
    for index in (0, 10, 39):
        before = model.fit(history(found[:index]))
        teams = [[before[n] if n in before.ladder else model.rating() for n in team] for team in found[index]["teams"]]
        said = before.ladder.predict(teams)
        assert said.win[0] == pytest.approx(whole.forecasts.win[index], abs=1e-12)
        assert said.draw == pytest.approx(whole.forecasts.draw[index], abs=1e-12)


@presets
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.rate([[], [m.rating()]]), "team 1 is empty"),
        (lambda m: m.rate([[m.rating()]]), "at least two teams"),
        (
            lambda m: m.rate(["ann", "bob"]),
            r"team 1 must be a list of ratings, such as \[model.rating.*; pw.Ladder keeps",
        ),
        (lambda m: m.quality([[m.rating()], "bob"]), r"team 2 must be a list of ratings, .*; pw.Ladder keeps"),
        (lambda m: m.rate([[m.rating()], ["bob"]]), "player 1 of team 2 must be a Rating, .*; pw.Ladder keeps"),
        (lambda m: m.rate([[m.rating()], [m.rating()]], scores=[1, math.nan]), "scores"),
        (lambda m: m.rate([[m.rating()], [m.rating()]], ranks=[1]), "ranks"),
        (lambda m: m.rate([[m.rating()], [m.rating()]], scores=[1, 2], home=2), "home"),
        (lambda m: m.replace(nothing=3), "unknown parameter 'nothing'"),
        (lambda m: m.predict([[m.rating()], []]), "team 2 is empty"),
    ],
)
def test_error_names_the_invalid_team_player_or_argument(name, call, message):
    with pytest.raises(pw.Error, match=message):
        call(PRESETS[name]())


@presets
def test_invalid_match_leaves_the_ladder_unchanged(name):
    ladder = pw.Ladder(PRESETS[name]())
    ladder.record([["a"], ["b"]], scores=[2, 1], time=1.0)
    before = ladder.copy()
    for wrong in ({"scores": [1]}, {"scores": [1, math.inf]}, {"scores": [1, 2], "home": 5}):
        with pytest.raises(pw.Error):
            ladder.record([["a"], ["c"]], time=2.0, **wrong)
        assert ladder == before


@presets
def test_finite_input_gives_finite_ratings_with_every_preset(name):
    model = PRESETS[name]()
    values = [-1e6, -1.0, 0.0, 1e-6, 3.0, 1e6]
    for a in values:
        for sigma in (1e-6, 1.0, 1e6):
            first, second = model.rating(mu=a, sigma=sigma), model.rating(mu=-a / 3, sigma=1.0)
            for scores in ([0, 0], [1, 0], [0, 300]):
                rated = model.rate([[first], [second]], scores=scores)
                assert all(math.isfinite(x) for team in rated for r in team for x in (r.mu, r.sigma or 0.0, r.shown))
            said = model.predict([[first], [second]])
            assert np.isfinite(said.win).all()
            assert said.win.sum() + said.draw == pytest.approx(1, abs=1e-9)


@presets
def test_many_teams_of_unequal_size_can_be_rated(name):
    model = PRESETS[name]()
    teams = [[model.rating() for _ in range(1 + j % 7)] for j in range(60)]
    rated = model.rate(teams, scores=[60 - j // 3 for j in range(60)])
    assert all(math.isfinite(rating.mu) for team in rated for rating in team)


@presets
def test_preset_docstring_has_an_example_and_the_year_of_its_source(name):
    text = inspect.getdoc(PRESETS[name]) or ""
    years = {"Harkness": "2025", "Elo": "2025", "GaussianElo": "2006", "Glicko": "1999", "Glicko2": "2001"}
    years |= {"TrueSkill": "2006", "TS3": "2010"} | dict.fromkeys(SCORES, "2012")
    assert ">>>" in text
    assert years.get(name, "2011") in text


@presets
def test_equal_players_share_a_rank_after_a_tie(name):
    """Equal players stay equal after a tie of all players; rounding errors of EP do not separate them.

    TrueSkill compares each tied team with its neighbours in the list, so its ratings may differ if many teams tie.
    """
    chained = isinstance(PRESETS[name]().outcome, pw.outcome.Order)
    for count in (2,) if chained else (2, 4, 31):
        match = {"teams": [[f"p{player}"] for player in range(count)], "scores": [3] * count}
        fit = PRESETS[name]().fit(history([match]))
        assert fit.leaderboard()["rank"].to_list() == [1] * count
