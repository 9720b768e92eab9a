"""Facets agree with dense normal beliefs, finite differences, home advantage, and what simulations put in."""

from itertools import permutations

import numpy as np
import pytest

import prowess as pw
from prowess.model.fit.trace import trace
from tests.model.engine.test_blocks import SMALL, breaks, facets, league

PURE = pw.kernel_mode() == "pure"
MATCHES = 60 if PURE else 200
SEEDS = 3 if PURE else 10  # of simulated arenas
WITH_HOME = {
    "TrueSkill": lambda: pw.TrueSkill(),
    "no draws, mean": lambda: pw.TrueSkill(draw_probability=0).replace(team=pw.team.Mean()),
    "weighted": lambda: pw.TrueSkill(margin=0.5).replace(team=pw.team.Weighted((1.0, 0.5) + (0.25,) * 12)),
    "learnt draws": lambda: pw.TrueSkill(draw_probability="learnt").replace(drift=breaks(pw)),
    "certain players": lambda: pw.TrueSkill(sigma=1e-3, beta=0.5, tau=0.0),
    "Gaussian-SD": lambda: pw.GaussianSD(rounding=1.0),
    "Gaussian-OD": lambda: pw.GaussianOD(tau=0.1),
    "Poisson-OD": lambda: pw.PoissonOD(**SMALL, base_rate="learnt"),
    "Logistic": lambda: pw.Glicko(period=None).replace(outcome=pw.outcome.Logistic()),
    "Glicko": lambda: pw.Glicko(period=None),
}


def history(seed=3, two_teams=False, **kind):
    shapes = [(1, 1), (2, 2), (3, 1)] if two_teams else [(1, 1), (2, 2), (3, 1), (1, 1, 1), (2, 2, 2)]
    return league(MATCHES, 15, shapes, seed, **kind)


def bits(ladder, traced):
    state = ladder.state[[ladder.rows[name] for name in sorted(ladder)]]
    return [column.tobytes() for column in (state, traced.before, traced.after, traced.forecasts.log_evidence)]


@pytest.mark.parametrize("name", WITH_HOME)
def test_effect_of_the_home_flag_equals_a_home_advantage_to_the_last_bit(name):
    model, sigma = WITH_HOME[name](), 0.3 * (pw.model.params.skill_sigma(WITH_HOME[name]()))
    found = history()
    for match in found:
        match.pop("weights", None)
        match["context"] = {"home": ["home" if match.get("home") == j else None for j in range(len(match["teams"]))]}
    read = pw.History.from_matches(found)
    ladders = [
        pw.Ladder(model.replace(home=pw.Home(0.1 * sigma, home_sigma=sigma, home_tau=0.01 * sigma))),
        pw.Ladder(model.replace(facets=(pw.facet.Shared("home", sigma, 0.01 * sigma, 0.1 * sigma),))),
    ]
    home, shared = (bits(ladder, trace(ladder, read)) for ladder in ladders)
    assert home == shared
    one, other = (sorted(ladder.effects.select("mu", "sigma").rows()) for ladder in ladders)
    assert one == other
    assert one[0] != pytest.approx((0.1 * sigma, sigma))


def test_facets_without_uncertainty_change_no_number():
    read = pw.History.from_matches(history(facets=True))
    nothing = pw.TrueSkill().replace(facets=facets(pw, "surface", "side", "rest", "experience", sigma=0.0, tau=0.0))
    ladders = [pw.Ladder(pw.TrueSkill()), pw.Ladder(nothing)]
    one, other = (trace(ladder, read) for ladder in ladders)
    names = sorted(ladders[0])
    one_state, other_state = (ladder.state[[ladder.rows[name] for name in names]] for ladder in ladders)
    assert one_state.tobytes() == other_state.tobytes()
    assert one.forecasts.log_evidence.tobytes() == other.forecasts.log_evidence.tobytes()


@pytest.mark.parametrize("name", [name for name in WITH_HOME if name not in ("Glicko", "Poisson-OD", "Logistic")])
def test_deviation_of_a_constant_value_acts_like_a_wider_prior_in_the_first_match(name):
    model = WITH_HOME[name]().replace(home=None, tau=0.0) if "draws" not in name else pw.TrueSkill(tau=0.0)
    sigma = model.params["sigma"]
    match = {"teams": [["ann", "bob"], ["cat"]], "scores": [3, 1]}
    deviating = model.replace(facets=(pw.facet.By("surface", sigma=0.7 * sigma),))
    wide = pw.Ladder(model.replace(sigma=sigma * np.hypot(1.0, 0.7)))
    ladder = pw.Ladder(deviating)
    wide.record(**match)
    ladder.record(**match, context={"surface": "clay"})
    for player in ("ann", "bob", "cat"):
        total = ladder.rating(player, surface="clay")
        for one, other in zip(traits_of(total), traits_of(wide[player]), strict=True):
            assert one.mu == pytest.approx(other.mu, rel=1e-12)


def traits_of(rating):
    return [part for part in rating.parts.values() if isinstance(part, pw.Rating)] or [rating]


@pytest.mark.parametrize("kind", ["Shared", "Covariate"])
def test_facet_says_whether_the_values_belong_to_teams_or_players(kind):
    """A value of a team counts once, a value of a player as much as the skill, whatever the other matches have."""

    def rate(per, *contexts):
        facet = getattr(pw.facet, kind)("side", sigma=2.0, per=per)
        matches = [{"teams": [["ann", "bob"], ["cat", "dan"]], "context": {"side": side}} for side in contexts]
        return pw.TrueSkill().replace(facets=(facet,)).fit(pw.History.from_matches(matches))

    team, player, other = [1, 2], [[1, 1], [2, 2]], [[1, 3], [2, 2]]
    assert rate("team", team).effects.equals(rate("team", player).effects)
    assert rate("player", team).effects.equals(rate("player", player).effects)
    assert not rate("team", team).effects.equals(rate("player", team).effects)
    assert rate(None, team).effects.equals(rate("team", team).effects)
    assert rate(None, team, other).effects.equals(rate("player", team, other).effects)
    with pytest.raises(pw.Error, match="match 2: context: the players of a team have different values of 'side'"):
        rate("team", team, other)
    with pytest.raises(pw.Error, match="per must be 'team' or 'player'"):
        rate("match", team)


CONTEXT = {
    "surface": "clay",
    "side": ["blue", "red"],
    "rest": [[1.5, -0.5], [2.0, 0.25]],
    "role": [["tank", "healer"], ["tank", "tank"]],
    "kit": [["new", "new"], ["new", "old"]],
}


def dense(model, prior, weights, noise, difference):
    """Return means and variances of all rows after a score difference, from one joint normal distribution.

    `prior` has the mean and variance of each row, and `weights` its net weight in the difference of the performances.
    """
    mean, variance = np.array(prior, float).T
    total = weights @ (variance * weights) + noise
    gain = variance * weights / total
    return mean + gain * (difference - weights @ mean), variance - gain**2 * total


def test_rows_of_a_match_agree_with_a_dense_normal_distribution():
    parts = (
        pw.facet.By("surface", sigma=2.0, tau=0.3),
        pw.facet.By("rest", sigma=0.5, numeric=True),
        pw.facet.Shared("side", sigma=1.0, mu=0.4),
        pw.facet.Shared("role", sigma=1.2, tau=0.1),
        pw.facet.Covariate("rest", sigma=0.8, mu=-0.2),
        pw.facet.Experience((5.0,), sigma=0.9),
    )
    model = pw.GaussianSD(mu=25.0, sigma=6.0, beta=3.0, tau=0.2, gamma=4.0).replace(facets=parts)
    shares = [[1.0, 0.5], [0.25, 1.0]]
    ladder = pw.Ladder(model)
    context = {name: CONTEXT[name] for name in ("surface", "side", "rest", "role")}
    ladder.record([["ann", "bob"], ["cat", "dan"]], scores=[7, 2], weights=shares, context=context)
    signed = np.array([1.0, 0.5, -0.25, -1.0])
    rest, tank = np.array([1.5, -0.5, 2.0, 0.25]), np.array([1.0, 0.0, 1.0, 1.0])
    rows = [
        *[(25.0, 36.04, weight) for weight in signed],
        *[(0.0, 4.09, weight) for weight in signed],
        *[(0.0, 0.25, weight) for weight in signed * rest],
        *[(0.4, 1.0, 1.0), (0.4, 1.0, -1.0)],
        *[(0.0, 1.45, signed @ tank), (0.0, 1.45, signed @ (1.0 - tank))],
        (-0.2, 0.64, signed @ rest),
        (0.0, 0.81, signed.sum()),
    ]
    prior = [(mean, variance) for mean, variance, _ in rows]
    weights = np.array([weight for *_, weight in rows])
    mean, variance = dense(model, prior, weights, 9.0 * (signed**2).sum() + 16.0, 5.0)
    found = [ladder[name] for name in ("ann", "bob", "cat", "dan")]
    found = [(rating.mu, rating.sigma**2) for rating in found]
    for index in range(len(parts)):
        found += [(cells[0], cells[1]) for cells in ladder.facets[index].beliefs().values()]
    assert [mu for mu, _ in found] == pytest.approx(mean, rel=1e-12)
    assert [var for _, var in found] == pytest.approx(variance, rel=1e-12)


def test_rows_of_both_teams_agree_with_a_dense_normal_distribution_of_two_scores():
    """Both scores depend on a row that both teams have, so they are correlated."""
    parts = (
        pw.facet.By("surface", sigma=2.0),
        pw.facet.Shared("side", sigma=1.5, mu=0.4),
        pw.facet.Shared("kit", sigma=1.2),
        pw.facet.Covariate("rest", sigma=0.8, mu=-0.2),
        pw.facet.Shared("surface", sigma=0.7, traits=("offence",)),
    )
    model = pw.GaussianOD(mu=2.0, sigma=6.0, beta=3.0, gamma=4.0).replace(facets=parts)
    ladder = pw.Ladder(model)
    context = {name: CONTEXT[name] for name in ("surface", "side", "rest", "kit")}
    shares = [[1.0, 0.5], [0.25, 1.0]]
    ladder.record([["ann", "bob"], ["cat", "dan"]], scores=[7, 2], weights=shares, context=context)
    alpha = np.ravel(shares)
    team, rest = np.array([0, 0, 1, 1]), np.array([1.5, -0.5, 2.0, 0.25])
    new = np.array([1.0, 1.0, 1.0, 0.0])
    in_team = [np.where(team == j, alpha, 0.0) for j in (0, 1)]
    # Every row has a mean, a variance and its weights in the performances of both teams; both traits have such rows.
    rows = [(2.0, 36.0, [part[e] for part in in_team]) for e in range(4)]
    rows += [(0.0, 4.0, [part[e] for part in in_team]) for e in range(4)]
    rows += [(0.4, 2.25, [1.0, 0.0]), (0.4, 2.25, [0.0, 1.0])]
    rows += [(0.0, 1.44, [part @ new for part in in_team]), (0.0, 1.44, [part @ (1.0 - new) for part in in_team])]
    rows += [(-0.2, 0.64, [part @ rest for part in in_team])]
    clay = (0.0, 0.49, [1.0, 1.0])
    mean = np.array([mu for mu, *_ in [*rows, clay]] + [mu for mu, *_ in rows])
    variance = np.array([var for _, var, _ in [*rows, clay]] + [var for _, var, _ in rows])
    offence = np.array([weights for *_, weights in [*rows, clay]]).T
    defence = np.array([weights for *_, weights in rows]).T
    design = np.hstack([offence, -defence[::-1]])  # a score depends on the defence of the other team
    noise = 9.0 * np.array([(part**2).sum() for part in in_team]).sum() + 16.0
    total = design @ np.diag(variance) @ design.T + noise * np.eye(2)
    gain = np.diag(variance) @ design.T @ np.linalg.inv(total)
    wanted = mean + gain @ (np.array([7.0, 2.0]) - design @ mean), variance - np.sum((gain @ total) * gain, axis=1)
    found = [[], []]
    for k, trait in enumerate(("offence", "defence")):
        ratings = [getattr(ladder[name], trait) for name in ("ann", "bob", "cat", "dan")]
        found[k] += [(rating.mu, rating.sigma**2) for rating in ratings]
        for facet in ladder.facets[: len(parts) - k]:
            found[k] += [(cells[2 * k], cells[2 * k + 1]) for cells in facet.beliefs().values()]
    assert [mu for mu, _ in found[0] + found[1]] == pytest.approx(wanted[0], rel=1e-11)
    assert [var for _, var in found[0] + found[1]] == pytest.approx(wanted[1], rel=1e-11)


def test_forecast_is_that_of_the_dense_distribution():
    parts = (pw.facet.By("surface", sigma=2.0), pw.facet.Shared("kit", sigma=1.5, mu=1.0))
    ladder = pw.Ladder(pw.GaussianSD(sigma=6.0, beta=3.0, gamma=4.0).replace(facets=parts))
    for name in ("ann", "bob", "cat", "dan"):
        ladder._enter(name, pw.Rating(25.0, 6.0))
    context = {"surface": "clay", "kit": CONTEXT["kit"]}
    predicted = ladder.predict([["ann", "bob"], ["cat", "dan"]], context=context)
    # Both teams have the new kit: two players here and one there, so one new kit counts for the first team.
    assert predicted.mean[0] - predicted.mean[1] == pytest.approx(1.0 - 1.0)
    assert sum(predicted.sigma**2) == pytest.approx(4 * (36 + 9 + 4) + 2 * 1.5**2)


@pytest.mark.parametrize("name", ["TrueSkill", "no draws, mean", "Gaussian-SD", "learnt draws"])
@pytest.mark.parametrize("teams", [2, 3])
def test_updates_are_the_derivatives_of_the_log_evidence(name, teams):
    """A mean moves by σ² ∂log Z/∂μ; with two teams, a variance by σ⁴ ∂²log Z/∂μ²."""
    model = WITH_HOME[name]()
    sigma = model.params["sigma"]
    sides = [["blue"] * 2, ["red"] * 2, ["blue", "green"]][:teams]
    numbers = [[0.5, -1.0], [2.0, 0.1], [1.0, 0.3]][:teams]
    found = {"teams": [["ann", "bob"], ["cat", "dan"], ["eve", "fay"]][:teams], "scores": [3, 1, 2][:teams]}
    found["context"] = {"side": sides, "rest": numbers, "surface": "clay"}

    def rows(side, rest):
        return (
            pw.facet.Shared("side", sigma=0.02 * sigma, mu=side),
            pw.facet.Covariate("rest", sigma=0.02 * sigma, mu=rest),
            pw.facet.By("surface", sigma=0.1 * sigma),
        )

    def evidence(side, rest):
        return model.replace(facets=rows(side, rest)).fit(pw.History.from_matches([found])).log_evidence

    step = 0.01 * sigma
    ladder = pw.Ladder(model.replace(facets=rows(0.0, 0.3)))
    ladder.record(**found)
    for index, shift in ((1, (0.0, 1.0)), (0, (1.0, 0.0))):
        low, middle, high = (evidence(k * step * shift[0], 0.3 + k * step * shift[1]) for k in (-1, 0, 1))
        slope, curve = (high - low) / (2 * step), (high - 2 * middle + low) / step**2
        moves = [cells[0] - (0.3 if index else 0.0) for cells in ladder.facets[index].beliefs().values()]
        variance = ladder.model.facets[index].sigma ** 2
        assert sum(moves) / variance == pytest.approx(slope, rel=2e-3, abs=1e-6 / sigma)
        if index and teams == 2:
            [cells] = ladder.facets[index].beliefs().values()
            assert (cells[1] - variance) / variance**2 == pytest.approx(curve, rel=2e-2)


def means(ladder):
    return {name: traits_of(ladder[name])[0].mu for name in ladder}


@pytest.mark.parametrize("model", [pw.TrueSkill(), pw.GaussianOD(tau=0.1)], ids=["TrueSkill", "Gaussian-OD"])
def test_swapping_teams_renaming_values_and_the_order_of_facets_change_nothing(model):
    kinds = ("surface", "side", "rest")
    found = [match | {"weights": None} for match in history(two_teams=True, facets=True) if len(match["teams"]) == 2]
    plain = pw.Ladder(model.replace(facets=facets(pw, *kinds)))
    swapped, renamed = (pw.Ladder(plain.model) for _ in range(2))
    others = [pw.Ladder(model.replace(facets=facets(pw, *order))) for order in permutations(kinds)]
    for match in found:
        context = match["context"]
        for ladder in (plain, *others):
            ladder.record(**match)
        renamed.record(**match | {"context": context | {"surface": context["surface"] and context["surface"] + "!"}})
        turned = {key: value[::-1] if isinstance(value, list) else value for key, value in context.items()}
        again = {"teams": match["teams"][::-1], "scores": match["scores"][::-1], "context": turned}
        again |= {"home": 1 - match["home"]} if "home" in match else {}
        swapped.record(**{key: match[key] for key in ("importance", "time")}, **again)
    for ladder in (swapped, renamed, *others):
        assert means(ladder) == pytest.approx(means(plain), rel=1e-9)


def test_forecast_uses_the_context_of_its_match_and_nothing_later():
    found = history(facets=True)
    model = pw.TrueSkill().replace(facets=facets(pw, "surface", "side", "rest", "experience"))
    whole = model.fit(pw.History.from_matches(found)).forecasts
    for number in (20, 41):
        changed = [dict(match) for match in found]
        changed[number]["context"] = found[number]["context"] | {"surface": "moon", "side": None, "rest": None}
        again = model.fit(pw.History.from_matches(changed)).forecasts
        first = pw.History.from_matches(found).match_start[number]
        assert again.mean[:first].tobytes() == whole.mean[:first].tobytes()
        assert again.mean[first] != whole.mean[first]
        result = [dict(match) for match in found]
        result[number]["scores"] = [score + (j == 0) * 9 for j, score in enumerate(result[number]["scores"])]
        again = model.fit(pw.History.from_matches(result)).forecasts
        assert again.mean[: first + 2].tobytes() == whole.mean[: first + 2].tobytes()


def votes(seed, count):
    """Return skills, mean lengths and votes of a simulated arena, in which length has a weight of 0.4."""
    rng = np.random.default_rng(seed)
    skill, length = rng.normal(0.0, 0.5, 30), rng.normal(0.0, 0.8, 30)
    pairs = np.array([rng.choice(30, 2, replace=False) for _ in range(count)])
    answers = length[pairs] + rng.normal(0.0, 0.6, pairs.shape)
    winner = (skill[pairs] + 0.4 * answers + rng.normal(0.0, 1.0, pairs.shape)).argmax(axis=1)
    found = [
        {"teams": [[f"{a}"], [f"{b}"]], "ranks": [1 + w, 2 - w], "context": {"length": lengths.tolist()}}
        for (a, b), w, lengths in zip(pairs, winner, answers, strict=True)
    ]
    return skill, length, pw.History.from_matches(found)


def test_weight_of_length_in_a_simulated_arena_is_recovered():
    """FACETS.md: errors of 0.29 without and 0.11 with the covariate; 0.379 ± 0.039 for the true weight of 0.4."""
    model = pw.Model(prior=pw.Normal(0.0, 0.5), noise=1.0, outcome=pw.outcome.Order(draw_probability=0))
    controlled = model.replace(facets=(pw.facet.Covariate("length", sigma=1.0),))
    results = []
    for seed in range(SEEDS):
        skill, length, read = votes(seed, 5000)
        row = []
        for fit in (model.fit(read), controlled.fit(read)):
            error = np.array([fit[f"{name}"].mu for name in range(30)]) - skill
            error -= error.mean()
            row += [np.sqrt(np.mean(error**2)), np.corrcoef(error, length)[0, 1]]
        results.append([*row, fit.effects["mu"][0]])
    plain_error, plain_bias, error, bias, weight = np.mean(results, axis=0)
    assert plain_error == pytest.approx(0.29, abs=0.04)
    assert error == pytest.approx(0.11, abs=0.02)
    assert plain_bias > 0.9
    assert abs(bias) < 0.5
    # The deviation of the weight is that of the page, and so is its small bias.
    assert weight == pytest.approx(0.4, abs=3 * 0.039 / np.sqrt(SEEDS) + 0.021)


def test_deviations_of_two_simulated_modes_are_recovered():
    rng = np.random.default_rng(1)
    skill, deviation = rng.normal(0.0, 1.0, 40), rng.normal(0.0, 0.6, (40, 2))
    found = []
    for _ in range(5000):
        pair, mode = rng.choice(40, 2, replace=False), rng.integers(2)
        winner = int((skill[pair] + deviation[pair, mode] + rng.normal(0.0, 1.0, 2)).argmax())
        teams = [[f"{pair[winner]}"], [f"{pair[1 - winner]}"]]
        found.append({"teams": teams, "context": {"mode": ["duel", "race"][mode]}})
    model = pw.Model(prior=pw.Normal(0.0, 1.0), noise=1.0, outcome=pw.outcome.Order(draw_probability=0))
    fit = model.replace(facets=(pw.facet.By("mode", sigma=0.6),)).fit(pw.History.from_matches(found))
    for index, mode in enumerate(("duel", "race")):
        rated = np.array([fit.rating(f"{name}", mode=mode).mu for name in range(40)])
        error = rated - skill - deviation[:, index]
        assert np.std(error) < 0.25
    gap = np.array([fit.rating(f"{n}", mode="duel").mu - fit.rating(f"{n}", mode="race").mu for n in range(40)])
    assert np.corrcoef(gap, deviation[:, 0] - deviation[:, 1])[0, 1] > 0.9


def with_facets(*parts):
    return pw.TrueSkill().replace(facets=parts)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pw.Elo().replace(facets=(pw.facet.By("surface"),)), "only given offsets"),
        (lambda: pw.Harkness().replace(facets=(pw.facet.Shared("side"),)), "only given offsets"),
        (lambda: pw.Glicko().replace(facets=(pw.facet.By("surface"),)), "not by rating periods; set period=None"),
        (lambda: pw.Glicko2(period=None).replace(facets=(pw.facet.By("surface"),)), "Moment or Newton"),
        (lambda: with_facets(pw.facet.By("a"), pw.facet.By("a")), "given twice"),
        (lambda: with_facets("surface"), r"such as \(By\('surface'\),\), not 'surface'"),
        (lambda: with_facets(pw.facet.By("a", traits=("offence",))), "no trait 'offence'; choose from skill"),
        (lambda: pw.facet.By("  "), "column must be the name of a column"),
        (lambda: pw.facet.By(None), "column must be the name of a column"),
        (lambda: pw.facet.By("a", sigma=-1), "sigma must be"),
        (lambda: pw.facet.Shared("a", mu=float("nan")), "mu must be"),
        (lambda: pw.facet.By("a", traits=3), "traits must be names"),
        (lambda: pw.facet.Experience((10, 10)), "different numbers of matches"),
        (lambda: pw.facet.Experience((0,)), "scales must be"),
    ],
)
def test_facets_that_do_not_fit_raise_one_clear_error(make, message):
    with pytest.raises(pw.Error, match=message):
        make()


def test_facet_of_a_column_needs_its_name():
    for kind in (pw.facet.By, pw.facet.Shared, pw.facet.Covariate):
        with pytest.raises(TypeError, match="column"):
            kind()
    assert pw.facet.Experience().column == "experience"


def contexts_of(*contexts):
    return pw.History.from_matches([{"teams": [["ann"], ["bob"]], "context": context} for context in contexts])


@pytest.mark.parametrize(
    ("facet", "contexts", "message", "match"),
    [
        (pw.facet.By("surface"), [{"round": "final"}], "no column 'surface'; the matches have the column round", None),
        (pw.facet.By("surface"), [{}], "the matches have no further columns", None),
        (pw.facet.Shared("mode"), [{"mode": "duel"}], "'mode' is the same for both sides", None),
        (pw.facet.Covariate("rest"), [{"rest": 3}], "'rest' is the same for both sides", None),
        (pw.facet.Covariate("rest"), [{"rest": ["3", "2"]}, {"rest": ["4", "two"]}], "match 2: 'rest' is 'two'", 1),
        (pw.facet.By("rest", numeric=True), [{"rest": "long"}], "match 1: 'rest' is 'long', but a number", 0),
    ],
)
def test_context_that_does_not_fit_the_facets_raises_one_clear_error(facet, contexts, message, match):
    with pytest.raises(pw.Error, match=message) as caught:
        with_facets(facet).fit(contexts_of(*contexts))
    assert caught.value.match == match


def test_failed_match_changes_no_row():
    ladder = pw.Ladder(with_facets(pw.facet.By("surface"), pw.facet.Shared("side"), pw.facet.Covariate("rest")))
    good = {"surface": "clay", "side": ["red", "blue"], "rest": [1, 2]}
    ladder.record([["ann"], ["bob"]], context=good)
    before = ladder.copy()
    for wrong in ({"surface": ["clay"]}, {"rest": ["a", "b"]}, {"surfaces": "clay"}, {"side": "red"}, "clay"):
        with pytest.raises(pw.Error):
            ladder.record([["ann"], ["cat"]], context=wrong)
    with pytest.raises(pw.Error):
        ladder.predict([["ann"], ["bob"]], context={"colour": "red"})
    ladder.record([["ann"], ["new"]], importance=0, context={"surface": "grass"})
    assert ladder == before
    assert [len(rows) for rows in ladder.facets] == [len(rows) for rows in before.facets]


def test_missing_values_leave_their_rows_out():
    ladder, plain = pw.Ladder(with_facets(pw.facet.By("surface"), pw.facet.Shared("side"))), pw.Ladder(pw.TrueSkill())
    for context in (None, {}, {"surface": None}, {"side": [None, None]}, {"surface": "  "}):
        ladder.record([["ann"], ["bob"]], context=context)
        plain.record([["ann"], ["bob"]])
        assert ladder["ann"] == plain["ann"]
    assert not len(ladder.deviations)
    assert not len(ladder.effects)


def test_ladder_with_facets_is_saved_and_loaded_without_loss(tmp_path):
    found = history(facets=True)
    kinds = ("surface", "slope", "side", "role", "experience")
    ladder = pw.TrueSkill().replace(facets=facets(pw, *kinds)).learn(pw.History.from_matches(found))
    ladder.save(tmp_path / "league.prowess")
    loaded = pw.Ladder.load(tmp_path / "league.prowess")
    assert loaded == ladder
    later = [match | {"time": match["time"] + 1e4} for match in found[:20]]
    for match in later:
        ladder.record(**match)
        loaded.record(**match)
    assert loaded == ladder
    text = (tmp_path / "league.prowess").read_text()
    (tmp_path / "bad.prowess").write_text(text.replace('"blue"', '"blue", "odd"'))
    with pytest.raises(pw.Error, match="damaged"):
        pw.Ladder.load(tmp_path / "bad.prowess")


def test_frames_and_ratings_show_what_was_learnt():
    found = history(facets=True)
    model = pw.GaussianOD().replace(facets=(*facets(pw, "surface"), pw.facet.Shared("side", traits=("offence",))))
    fit = model.fit(pw.History.from_matches(found), scale=(1500, 400))
    assert fit.deviations.columns == [
        *("facet", "player", "value", "trait", "mu", "sigma", "matches", "points", "points_sigma")
    ]
    assert set(fit.deviations["trait"]) == {"offence", "defence"}
    assert fit.effects["trait"].unique().to_list() == ["offence"]
    name = fit.deviations["player"][0]
    total, skill = fit.rating(name, surface="clay"), fit[name]
    own = fit.deviations.filter(player=name, value="clay", trait="offence")
    assert total.offence.mu == pytest.approx(skill.offence.mu + own["mu"][0])
    assert total.offence.sigma**2 == pytest.approx(skill.offence.sigma**2 + own["sigma"][0] ** 2)
    board = fit.leaderboard(surface="clay")
    assert board.filter(player=name)["mu"][0] == pytest.approx(total.mu)
    with pytest.raises(pw.Error, match="no match has the surface 'caly'; there are"):
        fit.leaderboard(surface="caly")
    with pytest.raises(pw.Error, match="unknown context 'surfaces'; did you mean 'surface'"):
        fit.rating(name, surfaces="clay")


def test_parameters_of_facets_have_names_and_can_be_tuned():
    parts = (pw.facet.By("Best of"), pw.facet.By("side"), pw.facet.Shared("side", mu=1.0, sigma=0.0))
    model = with_facets(*parts)
    names = [name for name in model.params if "side" in name or "best" in name]
    assert names == [
        *("best_of_sigma", "best_of_tau", "by_side_sigma", "by_side_tau"),
        *("shared_side_sigma", "shared_side_tau", "shared_side_mu"),
    ]
    assert {"best_of_sigma", "by_side_tau", "shared_side_mu"} <= set(model.tunable)
    assert "shared_side_sigma" not in model.tunable
    assert model.replace(best_of_sigma=0.5).facets[0].sigma == 0.5
    assert model.tunable["best_of_sigma"].low == pytest.approx(0.001 * 25 / 3)
    assert model.tunable["best_of_sigma"].high == pytest.approx(25)
    assert pw.Model.from_dict(model.to_dict()) == model
    assert "facets" not in pw.TrueSkill().to_dict()


def test_parts_of_a_history_without_values_are_rated_but_unknown_columns_are_errors():
    matches = [
        {"teams": [["ann"], ["bob"]], "time": k, "context": {"surface": "clay"} if k > 5 else {}} for k in range(9)
    ]
    found = pw.History.from_matches(matches)
    model = with_facets(pw.facet.By("surface", sigma=3.0))
    assert model.learn(found[6:], model.learn(found[:6])) == model.learn(found)
    assert model.fit_stream([found[:3], found[3:]]).ladder == model.learn(found)
    assert pw.standings(model, found, period="5").ladder == model.learn(found)
    with pytest.raises(pw.Error, match="no column 'surfaces'; the matches have the column surface"):
        with_facets(pw.facet.By("surfaces")).fit_stream([found[:3], found[3:]])
    with pytest.raises(pw.Error, match="no column 'surfaces'"):
        with_facets(pw.facet.By("surfaces")).learn(found[:3])


def test_quality_of_a_match_uses_its_context_and_no_drift():
    model = pw.TrueSkill(tau=1.0).replace(
        facets=(pw.facet.By("surface", sigma=3.0, tau=0.5), pw.facet.Shared("side", sigma=2.0))
    )
    ladder = pw.Ladder(model)
    for winner, loser, surface in (("ann", "bob", "clay"), ("bob", "ann", "grass")) * 5:
        ladder.record([[winner], [loser]], context={"surface": surface, "side": ["blue", "red"]})
    teams = [["ann"], ["bob"]]
    on_clay = [[ladder.rating("ann", surface="clay")], [ladder.rating("bob", surface="clay")]]
    assert ladder.quality(teams, context={"surface": "clay"}) == pytest.approx(model.quality(on_clay), rel=1e-12)
    blue, red = ladder.rating("ann", side="blue"), ladder.rating("bob", side="red")
    by_side = ladder.quality(teams, context={"side": ["blue", "red"]})
    assert by_side == pytest.approx(model.quality([[blue], [red]]), rel=1e-12)
    assert ladder.quality(teams, context={}) == ladder.quality(teams)
    with pytest.raises(pw.Error, match="unknown context 'mode'"):
        ladder.quality(teams, context={"mode": "x"})


def test_leaderboard_at_a_value_has_the_ratings_of_many_players():
    names = [f"player {number}" for number in range(30)]
    matches = [
        {
            "teams": [[names[k % 30]], [names[(7 * k + 1) % 30]]],
            "context": {"surface": "abc"[k % 3], "side": ["x", "y"]},
        }
        for k in range(90)
        if k % 30 != (7 * k + 1) % 30
    ]
    model = pw.TrueSkill().replace(facets=(pw.facet.By("surface"), pw.facet.Shared("side")))
    ladder = model.learn(pw.History.from_matches(matches))
    rows = ladder.leaderboard(surface="a", side="x").to_dicts()
    assert len(rows) == 20  # the others have not played there
    for row in rows:
        rating = ladder.rating(row["player"], surface="a", side="x")
        assert (row["mu"], row["sigma"]) == (rating.mu, pytest.approx(rating.sigma, rel=1e-14))


@pytest.mark.parametrize("model", [pw.TrueSkill(), pw.Elo(), pw.GaussianOD()])
def test_effects_list_a_given_offset_once_for_each_trait_if_it_is_not_zero(model, tmp_path):
    given = pw.facet.Shared("side", mu=2.0, sigma=0.0), pw.facet.Covariate("rest", mu=-0.5, sigma=0.0)
    zero = pw.facet.Shared("map", sigma=0.0), pw.facet.Experience((10,), sigma=0.0)
    context = {"side": ["blue", "red"], "rest": [3, 1], "map": ["old", "new"]}
    ladder = pw.Ladder(model.replace(facets=(*given, *zero)))
    ladder.record([["ann"], ["bob"]], scores=[2, 1], context=context)
    traits = len(ladder.layout.traits)
    columns = "facet", "value", "mu", "sigma", "matches"
    rows = [("side", "", 2.0, 0.0, None)] * traits + [("rest", "", -0.5, 0.0, None)] * traits
    assert ladder.effects.select(columns).rows() == rows
    ladder.save(tmp_path / "x.prowess")
    assert pw.Ladder.load(tmp_path / "x.prowess").effects.select(columns).rows() == rows
