"""Explanations agree with a ladder that records match by match, and the rating changes in them add up."""

import numpy as np
import pytest

import prowess as pw
from prowess.model.fit.explain import defies_result, expectation, surprise
from prowess.model.presets import PRESETS, preset
from tests.cli.running import LEAGUE

HISTORY = pw.History.read(LEAGUE)
COUNTS = {"mu": 0, "sigma": 0.3, "beta": 0.1}
SEASONS = pw.drift.Seasons(pw.drift.PerMatch(0.1), gap=10, carry=0.8, season_tau=1.0)
MODELS = {name: preset(name)() if name != "PoissonOD" else pw.PoissonOD(**COUNTS) for name in PRESETS} | {
    "periods": pw.Glicko(period=14),
    "volatile": pw.Glicko2(period=30),
    "elo by weeks": pw.Elo().replace(period=7),
    "seasons": pw.TrueSkill().replace(drift=SEASONS),
    "drift by time": pw.TrueSkill().replace(drift=pw.drift.PerTime(0.1, cap=6)),
    "newcomers": pw.TrueSkill().replace(prior=pw.Newcomers(pw.Normal(25, 5), level_sigma=5, matches=2), drift=SEASONS),
    "home": pw.TrueSkill().replace(home_mu=1, home_sigma=2),
}
LARGE = pw.simulate(pw.TrueSkill(), 60, 30, teams=(2, 6), size=(1, 3), seed=3).history


def ladder_steps(model, history, name):
    """Return a player's ratings before and after each match, from a ladder that records all matches."""
    ladder, found = pw.Ladder(model), []
    for match in history:
        teams, details = (
            match["teams"],
            {key: match[key] for key in ("time", "ranks", "scores", "home") if key in match},
        )
        mine = any(name in team for team in teams)
        before = ladder[name] if name in ladder else ladder.newcomer  # noqa: SIM401, a ladder has no get
        ladder.record(teams, **details)
        if mine:
            found.append((before, ladder[name]))
    return found


@pytest.mark.parametrize("name", MODELS)
def test_rating_changes_in_an_explanation_equal_those_of_a_ladder_and_add_up(name):
    model = MODELS[name]
    fit = model.fit(HISTORY)
    why = fit.explain("Ada")
    rows, steps = why.matches, ladder_steps(model, HISTORY, "Ada")
    assert why.start == steps[0][0]
    assert why.now == fit["Ada"]
    for what, prefix in (("mu", ""), ("shown", "shown_")):
        assert rows[f"{what}_after"].to_list() == pytest.approx([getattr(after, what) for _, after in steps], rel=1e-12)
        whole = rows[f"{prefix}drifted"] + rows[f"{prefix}moved"]
        changes = [getattr(after, what) - getattr(before, what) for before, after in steps]
        assert whole.to_list() == pytest.approx(changes, abs=1e-9)
        assert getattr(why.start, what) + whole.sum() == pytest.approx(getattr(why.now, what), abs=1e-9)
    reverts = name in ("seasons", "newcomers")
    assert bool((rows["drifted"] != 0).any()) == reverts
    if model.absorb.certain:
        assert rows["sigma_after"].null_count() == len(rows)


@pytest.mark.parametrize("name", ["TrueSkill", "seasons", "drift by time"])
def test_explanation_shows_the_rating_that_was_used_to_forecast_the_match(name):
    """In one-on-one matches, the forecast has the mean and variance of the player's rating."""
    model = MODELS[name]
    fit = model.fit(HISTORY)
    rows = fit.explain("Ada").matches
    beta = model.noise
    looked = 0
    for row in rows.iter_rows(named=True):
        teams = HISTORY[row["match"]]["teams"]
        if not all(len(team) == 1 for team in teams):
            continue
        at = HISTORY.match_start[row["match"]] + teams.index(["Ada"])
        assert fit.forecasts.mean[at] == pytest.approx(row["mu_before"], rel=1e-12)
        assert fit.forecasts.variance[at] == pytest.approx(row["sigma_before"] ** 2 + beta**2, rel=1e-12)
        looked += 1
    assert looked > 5


@pytest.mark.parametrize("history", [HISTORY, LARGE], ids=["pairs", "many teams"])
def test_explanation_shows_the_forecast_and_the_result_of_each_match(history):
    from statistics import NormalDist

    fit = pw.TrueSkill().fit(history)
    name = history.players[0]
    forecasts = fit.forecasts.to_frame()
    for row in fit.explain(name).matches.iter_rows(named=True):
        match = history[row["match"]]
        [own] = [index for index, team in enumerate(match["teams"]) if name in team]
        places = history.place[history.match_start[row["match"]] : history.match_start[row["match"] + 1]]
        part = forecasts.filter(match=row["match"])
        if len(places) == 2:
            assert row["expected"] == pytest.approx(part["win"][own] + part["draw"][own] / 2)
        else:
            gaps = [
                NormalDist().cdf((part["mean"][own] - part["mean"][j]) / np.hypot(part["sigma"][own], part["sigma"][j]))
                for j in range(len(places))
                if j != own
            ]
            assert row["expected"] == pytest.approx(np.mean(gaps))
        others = np.delete(places, own)
        assert row["actual"] == np.mean((others > places[own]) + (others == places[own]) / 2)
        assert (row["teams"], row["place"]) == (len(places), places[own])
        assert set(row["partners"]) == set(match["teams"][own]) - {name}
        assert row["opponents"] == [p for index, team in enumerate(match["teams"]) if index != own for p in team]


def test_explanation_of_a_score_model_contains_the_expected_score_difference():
    model = MODELS["PoissonOD"]
    fit = model.fit(HISTORY)
    ladder = model.fit(HISTORY[:390]).ladder
    name = HISTORY[390]["teams"][0][0]
    row = fit.explain(name).matches.filter(match=390).row(0, named=True)
    first, second = ladder.predict(HISTORY[390]["teams"]).scores
    assert row["expected_lead"] == first - second
    assert [row["score"], row["against"]] == HISTORY[390]["scores"]


def test_fit_that_starts_from_a_ladder_explains_only_its_own_matches():
    model = MODELS["periods"]
    first = model.fit(HISTORY[:200])
    later = model.fit(HISTORY[200:], start=first.ladder)
    why, whole = later.explain("Ada"), model.fit(HISTORY).explain("Ada")
    assert (why.newcomer, why.start, why.now) == (False, first["Ada"], whole.now)
    assert why.matches["moved"].to_list() == pytest.approx(whole.matches["moved"].tail(len(why.matches)).to_list())
    assert why.start.shown + (why.matches["shown_moved"] + why.matches["shown_drifted"]).sum() == pytest.approx(
        why.now.shown
    )


def test_explanation_omits_matches_of_importance_zero():
    one = {"teams": [["ann"], ["bob"]]}
    history = pw.History.from_matches([one | {"importance": 0}, one, one | {"importance": 0}])
    why = pw.TrueSkill().fit(history).explain("ann")
    assert why.matches["match"].to_list() == [1]
    start = pw.Ladder(pw.TrueSkill(), {"cat": pw.Rating(30, 4)})
    idle = pw.TrueSkill().fit(history, start=start).explain("cat")
    assert (len(idle.matches), idle.start, idle.now) == (0, pw.Rating(30, 4), pw.Rating(30, 4))
    assert "has no match in this history" in idle.sentences[0]
    with pytest.raises(pw.Error, match="did you mean 'ann'"):
        pw.TrueSkill().fit(history).explain("anne")


def test_explanation_sentences_agree_with_the_numbers():
    matches = [{"teams": [["ann"], ["bob"]], "time": day} for day in range(9)]
    matches += [{"teams": [["bob", "dan"], ["ann", "eve"]], "time": 9}]
    way, won, lost, form, sure = pw.TrueSkill().fit(pw.History.from_matches(matches)).explain("ann").sentences
    assert way.endswith("after 10 matches: 9 won, 1 lost.")
    assert won.startswith("Biggest gain: at 0 against bob, μ +4.40 (won, 50 % expected)")
    assert lost.startswith("Biggest loss: at 9 against bob and dan, μ −")
    assert "Last 10 matches: 9 points, " in form
    assert sure.startswith("With 95 % probability, true skill is within ±")


def test_explanation_says_how_much_went_to_the_skill_and_how_much_to_each_deviation():
    clay, grass = {"surface": "clay"}, {"surface": "grass"}
    matches = [{"teams": [["ann"], ["bob"]], "context": clay}, {"teams": [["bob"], ["ann"]], "context": grass}] * 3
    matches.append({"teams": [["ann"], ["bob"]]})
    model = pw.TrueSkill(tau=0.0).replace(facets=(pw.facet.By("surface", sigma=4.0),))
    fit = model.fit(pw.History.from_matches(matches))
    why = fit.explain("ann")
    assert why.player == "ann"
    assert why.sentences[0].startswith("ann started at 0.00")
    assert not model.fit(fit.history, fit.ladder).explain("ann").newcomer
    assert why.matches["at_surface"].to_list() == ["clay", "grass"] * 3 + [None]
    assert why.matches["moved_at_surface"].to_list()[-1] is None
    for surface in ("clay", "grass"):
        moved = why.matches.filter(at_surface=surface)["moved_at_surface"].sum()
        deviation = fit.deviations.filter(player="ann", value=surface)["mu"][0]
        assert moved == pytest.approx(deviation)
    [sentence] = [text for text in why.sentences if "clay" in text]
    assert sentence.startswith("The matches changed the skill by μ ")
    # The variances of skill and deviation divide a change between them.
    first = why.matches.row(0, named=True)
    assert first["moved_at_surface"] / first["moved"] == pytest.approx(16.0 / (25 / 3) ** 2)
    told = fit.account(0).sentences[0]
    assert told == "ann won against bob (48 % chance): +4.02 (and +0.93 at surface clay), giving 29.02."


def test_narrow_win_of_a_favourite_is_a_surprise_that_defies_the_result() -> None:
    """Ann has won five matches by five goals, so a win by one is four fewer than expected, and costs her skill."""
    matches = [{"teams": [["ann"], ["bob"]], "scores": [5, 0]}] * 5 + [{"teams": [["ann"], ["bob"]], "scores": [1, 0]}]
    fit = pw.GaussianSD(beta=0.1, gamma=1.0).fit(pw.History.from_matches(matches))
    rows = fit.explain("ann").matches.to_dicts()
    assert [defies_result(row) for row in rows] == [False] * 5 + [True]
    assert surprise(rows[-1]) == pytest.approx(1 - rows[-1]["expected_lead"])
    assert expectation(rows[-1]) == f"expected to win by {rows[-1]['expected_lead']:.1f}".removesuffix(".0")
    loser = fit.explain("bob").matches.to_dicts()[-1]
    assert defies_result(loser)
    assert surprise(loser) == pytest.approx(-surprise(rows[-1]))  # type: ignore[operator]
    assert expectation(loser).startswith("expected to lose by ")


def test_surprise_without_scores_is_the_share_of_opponents_beaten_more_than_expected() -> None:
    fit = pw.TrueSkill(draw_probability=0).fit(pw.History.from_matches([{"teams": [["ann"], ["bob"], ["cat"]]}]))
    rows = [fit.explain(name).matches.row(0, named=True) for name in ("ann", "bob", "cat")]
    assert [surprise(row) for row in rows] == pytest.approx([0.5, 0.0, -0.5])
    assert [expectation(row) for row in rows] == ["expected place 2.0"] * 3
    assert not any(map(defies_result, rows))
    assert surprise({"actual": 1.0, "expected": float("nan")}) is None
