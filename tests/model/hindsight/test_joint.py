"""A joint fit is exact for normal scores, and close to the exact posterior for other results."""

import itertools
import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import prowess as pw
from prowess.model.hindsight.design import Effect
from prowess.model.hindsight.joint import find_pools, fit_joint
from prowess.model.hindsight.merge import merge_matches
from prowess.model.hindsight.sites import _score_matrices
from tests.oracles.dense_ep import dense_ep

STILL = pw.drift.Still()


def model_of(outcome, sigma=8.0, beta=4.0, **parts):
    return pw.Model(prior=pw.Normal(25.0, sigma), noise=beta, outcome=outcome, drift=STILL, **parts)


def league(rng, matches, players, sizes=(1,), teams=2, home=False, scores=True, weights=False, importance=False):
    """Return matches of random teams with random results."""
    found = []
    for _ in range(matches):
        count = teams if isinstance(teams, int) else int(rng.choice(teams))
        size = rng.choice(sizes, count)
        names = [f"p{i}" for i in rng.permutation(players)[: size.sum()]]
        rosters = np.split(names, np.cumsum(size)[:-1])
        match = {"teams": [list(map(str, roster)) for roster in rosters]}
        if scores:
            match["scores"] = rng.normal(0, 10, count).round(2).tolist()
        else:
            match["ranks"] = rng.integers(1, count + 1, count).tolist()
        if home and rng.random() < 0.8:
            match["home"] = int(rng.integers(count))
        if weights:
            match["weights"] = [rng.uniform(0.2, 1.0, len(roster)).round(3).tolist() for roster in rosters]
        if importance:
            match["importance"] = float(rng.choice([0.5, 1.0, 2.0, 3.5]))
        found.append(match)
    return found


def conjugate(design, noise, values, mean, variance, importance=None):
    """Return mean, covariance and log-evidence of x ~ N(mean, variance) given values = design x + N(0, noise).

    A value of importance w counts like w values.
    """
    counts = np.ones(len(values)) if importance is None else np.asarray(importance)
    precision = np.diag(1 / variance) + design.T @ (design * (counts / noise)[:, None])
    covariance = np.linalg.inv(precision)
    beyond = values - design @ mean
    shift = design.T @ (beyond * counts / noise)
    density = -0.5 * counts * (np.log(2 * np.pi * noise) + beyond**2 / noise)
    evidence = density.sum() + 0.5 * shift @ covariance @ shift
    evidence -= 0.5 * (np.linalg.slogdet(precision)[1] + np.log(variance).sum())
    return mean + covariance @ shift, covariance, evidence


def differences(history, matches, gamma=5.0, beta=4.0, home=False):
    """Return the design, the noise and the values of the score differences of two teams; home is the last column."""
    players = {name: i for i, name in enumerate(history.players)}
    design, noise, values = np.zeros((len(matches), len(players) + home)), np.zeros(len(matches)), []
    for i, match in enumerate(matches):
        weights = match.get("weights", [[1.0] * len(team) for team in match["teams"]])
        for sign, team, shares in zip((1, -1), match["teams"], weights, strict=True):
            for name, share in zip(team, shares, strict=True):
                design[i, players[name]] += sign * share
                noise[i] += (share * beta) ** 2
        if home and match.get("home") is not None:
            design[i, -1] = 1 - 2 * match["home"]
        noise[i] += gamma**2
        values.append(match["scores"][0] - match["scores"][1])
    return design, noise, np.array(values)


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("home", [False, True])
def test_score_differences_are_exact(home, weights):
    matches = league(np.random.default_rng(1), 80, 9, sizes=(1, 2, 3), home=home, weights=weights)
    history = pw.History.from_matches(matches)
    extra = {"home": pw.Home(1.0, 3.0)} if home else {}
    joint = fit_joint(model_of(pw.outcome.GaussianScore(5.0), **extra), history, tolerance=1e-10)
    design, noise, values = differences(history, matches, home=home)
    prior = np.r_[np.full(9, 25.0), [1.0] * home], np.r_[np.full(9, 64.0), [9.0] * home]
    mean, covariance, evidence = conjugate(design, noise, values, *prior)
    assert np.r_[joint.mean[:, 0], joint.effect_mean] == pytest.approx(mean, rel=1e-10)
    assert joint.covariance == pytest.approx(covariance, abs=1e-10)
    assert joint.log_evidence == pytest.approx(evidence, abs=1e-8)
    assert joint.effects == ((Effect("home", "", None, "skill"),) if home else ())
    assert joint.converged
    assert joint.sweeps == 2


def test_left_out_matches_are_exact_for_normal_scores():
    matches = league(np.random.default_rng(2), 25, 6, sizes=(1, 2))
    history = pw.History.from_matches(matches)
    joint = fit_joint(model_of(pw.outcome.GaussianScore(5.0)), history)
    design, noise, values = differences(history, matches)
    for i in range(len(matches)):
        rest = np.arange(len(matches)) != i
        mean, covariance, _ = conjugate(design[rest], noise[rest], values[rest], np.full(6, 25.0), np.full(6, 64.0))
        forecast = stats.norm(design[i] @ mean, np.sqrt(design[i] @ covariance @ design[i] + noise[i]))
        assert joint.left_out.log_evidence[i] == pytest.approx(forecast.logpdf(values[i]), abs=1e-9)
        assert joint.left_out.win[i] == pytest.approx(forecast.sf(0.0), abs=1e-9)
        assert joint.left_out.draw[i] == 0.0


def test_fractional_importance_of_normal_scores_is_exact():
    matches = league(np.random.default_rng(3), 60, 8, importance=True)
    history = pw.History.from_matches(matches)
    joint = fit_joint(model_of(pw.outcome.GaussianScore(5.0)), history)
    importance = [match["importance"] for match in matches]
    # Only the density of the score counts several times, not the noise of the performances.
    expected = conjugate(*differences(history, matches), np.full(8, 25.0), np.full(8, 64.0), importance)
    assert joint.mean[:, 0] == pytest.approx(expected[0], rel=1e-10)
    assert joint.covariance == pytest.approx(expected[1], abs=1e-9)
    assert joint.log_evidence == pytest.approx(expected[2], abs=1e-8)


def test_offence_and_defence_of_two_teams_are_exact():
    matches = league(np.random.default_rng(4), 50, 6, sizes=(1, 2), home=True)
    history = pw.History.from_matches(matches)
    outcome = pw.outcome.OffenceDefence(pw.outcome.GaussianScore(5.0, base_score=2.0))
    joint = fit_joint(model_of(outcome, home=pw.Home(0.5, 2.0)), history, tolerance=1e-10)
    design, noise, values = np.zeros((100, 14)), np.full(100, 25.0), np.zeros(100)
    players = {name: 2 * i for i, name in enumerate(history.players)}
    for i, match in enumerate(matches):
        for side in (0, 1):
            row = 2 * i + side
            values[row] = match["scores"][side] - 2.0
            for name in match["teams"][side]:
                design[row, players[name]] += 1.0
            for name in match["teams"][1 - side]:
                design[row, players[name] + 1] -= 1.0
            noise[row] += 16.0 * sum(map(len, match["teams"]))
            if match.get("home") == side:
                design[row, 12] += 1.0
            if match.get("home") == 1 - side:
                design[row, 13] -= 1.0
    prior = np.r_[np.full(12, 25.0), 0.5, 0.5], np.r_[np.full(12, 64.0), 4.0, 4.0]
    mean, covariance, evidence = conjugate(design, noise, values, *prior)
    assert np.r_[joint.mean.ravel(), joint.effect_mean] == pytest.approx(mean, rel=1e-9)
    assert joint.covariance == pytest.approx(covariance, abs=1e-9)
    assert joint.log_evidence == pytest.approx(evidence, abs=1e-8)


def test_offence_and_defence_of_many_teams_are_exact_without_performance_noise():
    matches = league(np.random.default_rng(9), 30, 6, teams=(3, 4))
    history = pw.History.from_matches(matches)
    outcome = pw.outcome.OffenceDefence(pw.outcome.GaussianScore(5.0))
    joint = fit_joint(model_of(outcome, beta=0.0), history, tolerance=1e-10)
    players = {name: 2 * i for i, name in enumerate(history.players)}
    rows, values = [], []
    for match in matches:
        for side, [name] in enumerate(match["teams"]):
            rows.append(np.zeros(12))
            rows[-1][players[name]] = 1.0
            others = [players[other] + 1 for j, [other] in enumerate(match["teams"]) if j != side]
            rows[-1][others] = -1.0 / len(others)
            values.append(match["scores"][side])
    expected = conjugate(
        np.array(rows), np.full(len(rows), 25.0), np.array(values), np.full(12, 25.0), np.full(12, 64.0)
    )
    assert joint.mean.ravel() == pytest.approx(expected[0], rel=1e-8)
    assert joint.covariance == pytest.approx(expected[1], abs=1e-8)
    assert joint.log_evidence == pytest.approx(expected[2], abs=1e-6)


def test_scores_of_many_teams_are_exact():
    matches = league(np.random.default_rng(5), 30, 9, sizes=(1, 2), teams=(3, 4, 5))
    history = pw.History.from_matches(matches)
    joint = fit_joint(model_of(pw.outcome.GaussianScore(5.0)), history, tolerance=1e-10)
    # The level of each match is one more unknown, with a prior that is nearly flat.
    design, noise, values = [], [], []
    players = {name: i for i, name in enumerate(history.players)}
    for i, match in enumerate(matches):
        for team, score in zip(match["teams"], match["scores"], strict=True):
            row = np.zeros(9 + len(matches))
            row[[players[name] for name in team]] = 1.0
            row[9 + i] = 1.0
            design.append(row)
            noise.append(16.0 * len(team) + 12.5)
            values.append(score)
    prior = np.r_[np.full(9, 25.0), np.zeros(len(matches))], np.r_[np.full(9, 64.0), np.full(len(matches), 1e8)]
    mean, covariance, _ = conjugate(np.array(design), np.array(noise), np.array(values), *prior)
    assert joint.mean[:, 0] == pytest.approx(mean[:9], abs=1e-4)
    assert joint.covariance == pytest.approx(covariance[:9, :9], abs=1e-4)
    assert joint.sweeps == 2


def test_evidence_of_many_scores_does_not_depend_on_the_order_of_the_matches_they_come_in():
    # By the chain rule, the online pass gives the exact evidence where every player plays once.
    matches = league(np.random.default_rng(6), 1, 5, teams=5)
    matches += [{"teams": [["q"], ["r"], ["s"]], "scores": [1.0, 5.0, 2.0]}]
    history = pw.History.from_matches(matches)
    model = model_of(pw.outcome.GaussianScore(5.0))
    assert fit_joint(model, history).log_evidence == pytest.approx(model.fit(history).log_evidence, abs=1e-9)


def test_shared_effects_and_covariates_are_exact():
    rng = np.random.default_rng(7)
    matches = league(rng, 60, 7, sizes=(1, 2))
    for match in matches:
        match["context"] = {
            "side": rng.permutation(["blue", "red"]).tolist(),
            "length": [rng.normal(0, 1, len(team)).round(3).tolist() for team in match["teams"]],
            "map": str(rng.choice(["a", "b"])),
        }
    history = pw.History.from_matches(matches)
    facets = (
        pw.facet.Shared("side", sigma=2.0, mu=1.0),
        pw.facet.Covariate("length", sigma=1.5),
        pw.facet.By("map", sigma=3.0),
    )
    joint = fit_joint(model_of(pw.outcome.GaussianScore(5.0), facets=facets), history, tolerance=1e-10)
    skills, noise, values = differences(history, matches)
    row_of = {(effect.facet, effect.value, effect.player): 7 + i for i, effect in enumerate(joint.effects)}
    design = np.zeros((60, 7 + len(row_of)))
    design[:, :7] = skills
    for i, match in enumerate(matches):
        context = match["context"]
        for j, sign in enumerate((1, -1)):
            design[i, row_of["side", context["side"][j], None]] += sign
            design[i, row_of["length", "", None]] += sign * sum(context["length"][j])
            for name in match["teams"][j]:
                design[i, row_of["map", context["map"], name]] += sign
    prior_mean = np.r_[np.full(7, 25.0), [1.0 if effect.facet == "side" else 0.0 for effect in joint.effects]]
    scale = {"side": 2.0, "length": 1.5, "map": 3.0}
    variance = np.r_[np.full(7, 64.0), [scale[effect.facet] ** 2 for effect in joint.effects]]
    mean, covariance, evidence = conjugate(design, noise, values, prior_mean, variance)
    assert np.r_[joint.mean[:, 0], joint.effect_mean] == pytest.approx(mean, rel=1e-9, abs=1e-9)
    assert joint.covariance == pytest.approx(covariance, abs=1e-9)
    assert joint.log_evidence == pytest.approx(evidence, abs=1e-8)


def test_experience_counts_earlier_matches():
    matches = [{"teams": [["a"], ["b"]], "scores": [3, 0]}, {"teams": [["c"], ["a"]], "scores": [1, 0]}]
    history = pw.History.from_matches(matches)
    facets = (pw.facet.Experience((2.0,), sigma=3.0),)
    joint = fit_joint(model_of(pw.outcome.GaussianScore(5.0), facets=facets), history)
    design = np.array([[1, -1, 0, 0], [-1, 0, 1, 1 - np.exp(-0.5)]])
    values, variance = np.array([3.0, 1.0]), np.array([64.0] * 3 + [9.0])
    mean, _, evidence = conjugate(design, np.full(2, 57.0), values, np.array([25.0] * 3 + [0.0]), variance)
    assert np.r_[joint.mean[:, 0], joint.effect_mean] == pytest.approx(mean, rel=1e-10)
    assert joint.log_evidence == pytest.approx(evidence, abs=1e-10)


# --- results that are not normal ------------------------------------------------------------------------------------


def order_factors(history, matches, epsilon):
    """Return the factors of `dense_ep`: the unknowns are the skills and the noise of each team's performance."""
    players = {name: i for i, name in enumerate(history.players)}
    teams = sum(len(match["teams"]) for match in matches)
    factors, first = [], len(players)
    for match in matches:
        order = sorted(range(len(match["teams"])), key=lambda j: match["ranks"][j])
        for better, worse in itertools.pairwise(order):
            row = np.zeros(len(players) + teams)
            for sign, j in ((1.0, better), (-1.0, worse)):
                row[[players[name] for name in match["teams"][j]]] = sign
                row[first + j] = sign
            drawn = match["ranks"][better] == match["ranks"][worse]
            factors.append((row, -epsilon, epsilon) if drawn else (row, epsilon, np.inf))
        first += len(match["teams"])
    return factors


def exact_ep(history, matches, epsilon, sigma=8.0, beta=4.0):
    """Return the fixed point of EP with a site for every comparison of two performances."""
    noise = [len(team) * beta**2 for match in matches for team in match["teams"]]
    means = np.r_[np.full(len(history.players), 25.0), np.zeros(len(noise))]
    variances = np.r_[np.full(len(history.players), sigma**2), noise]
    return dense_ep(means, variances, order_factors(history, matches, epsilon))


def test_two_teams_equal_ep_with_dense_matrices():
    matches = league(np.random.default_rng(8), 14, 5, sizes=(1, 2), scores=False)
    history = pw.History.from_matches(matches)
    joint = fit_joint(model_of(pw.outcome.Order(margin=2.0)), history, tolerance=1e-12)
    expected = exact_ep(history, matches, 2.0)
    assert joint.mean[:, 0] == pytest.approx(expected.means[:5], abs=1e-7)
    assert joint.sigma[:, 0] ** 2 == pytest.approx(expected.variances[:5], abs=1e-6)
    assert joint.log_evidence == pytest.approx(expected.log_z, abs=1e-7)


def test_small_league_is_close_to_the_exact_posterior():
    wins = [(0, 1), (0, 1), (1, 2), (2, 0), (1, 2), (0, 2), (1, 0)]
    names = ["a", "b", "c"]
    history = pw.History.from_matches([{"teams": [[names[i]], [names[j]]]} for i, j in wins])
    model = pw.TrueSkill(mu=0.0, sigma=1.0, beta=1.0, tau=0.0, draw_probability=0.0)
    joint = fit_joint(model, history)
    node, weight = np.polynomial.hermite_e.hermegauss(60)
    skills = np.stack(np.meshgrid(node, node, node, indexing="ij"), -1).reshape(-1, 3)
    mass = np.prod(np.stack(np.meshgrid(weight, weight, weight, indexing="ij"), -1).reshape(-1, 3), 1)
    mass /= (2 * np.pi) ** 1.5
    for i, j in wins:
        mass = mass * stats.norm.cdf((skills[:, i] - skills[:, j]) / np.sqrt(2))
    mean = mass @ skills / mass.sum()
    sigma = np.sqrt(mass @ (skills - mean) ** 2 / mass.sum())
    rows = np.array([np.eye(3)[i] - np.eye(3)[j] for i, j in wins])
    covariance = rows @ rows.T + 2 * np.eye(len(wins))
    exact = stats.multivariate_normal(np.zeros(len(wins)), covariance, seed=1).cdf(np.zeros(len(wins)))
    assert np.log(mass.sum()) == pytest.approx(np.log(exact), abs=1e-3)
    assert joint.mean[:, 0] == pytest.approx(mean, abs=0.003)
    assert joint.sigma[:, 0] == pytest.approx(sigma, abs=0.003)
    assert joint.log_evidence == pytest.approx(np.log(mass.sum()), abs=0.02)


@pytest.mark.parametrize("teams", [3, 4])
def test_many_teams_are_close_to_ep_with_dense_matrices(teams):
    rng = np.random.default_rng(teams)
    matches = league(rng, 12, 6, teams=teams, scores=False)
    for match in matches:
        match["ranks"] = rng.permutation(teams).tolist()
    history = pw.History.from_matches(matches)
    joint = fit_joint(model_of(pw.outcome.Order(margin=1.0)), history)
    expected = exact_ep(history, matches, 1.0)
    # With three teams, the Hessian of a match has as many numbers as the outcome tells, so nothing is neglected.
    means, sigmas, evidence = (1e-7, 1e-7, 1e-7) if teams == 3 else (0.01, 0.01, 0.001)
    assert joint.mean[:, 0] == pytest.approx(expected.means[:6], abs=means)
    assert joint.sigma[:, 0] == pytest.approx(np.sqrt(expected.variances[:6]), abs=sigmas)
    assert joint.log_evidence == pytest.approx(expected.log_z, abs=evidence)


VOTES = pw.TrueSkill(mu=0.0, sigma=1.0, beta=1.0, tau=0.0, draw_probability=0.39)


def test_votes_between_language_models(data):
    import polars as pl

    frame = pl.read_csv(data / "llm_comparisons.csv").select("left", "right", "winner")
    ranks = {"left": [1, 2], "right": [2, 1], "tie": [1, 1]}
    history = pw.History.from_matches([{"teams": [[a], [b]], "ranks": ranks[c]} for a, b, c in frame.iter_rows()])
    model = VOTES.replace(draw_probability=float((frame["winner"] == "tie").mean()))
    joint = fit_joint(model, history, tolerance=1e-10)
    assert len(merge_matches(history, model).history) == 2181
    assert joint.sweeps == 8
    assert joint.log_evidence == pytest.approx(-9152.97, abs=0.01)  # HINDSIGHT.md, section 7


# --- what must not matter -------------------------------------------------------------------------------------------

PART = {  # a model of each kind, and how many teams its matches have
    "order": (model_of(pw.outcome.Order(draw_probability=0.3)), 2),
    "order of many": (model_of(pw.outcome.Order(margin=2.0)), (2, 3, 5)),
    "places": (pw.TS2a(mu=25.0, sigma=8.0, beta=4.0, margin=2.0), (2, 4)),
    "spread margin": (pw.TS2b(mu=25.0, sigma=8.0, beta=4.0), (2, 4)),
    "differences": (model_of(pw.outcome.GaussianScore()), (2, 3)),
    "scores": (model_of(pw.outcome.OffenceDefence(pw.outcome.GaussianScore(5.0))), (2, 3)),
    "some scores": (model_of(pw.outcome.OffenceDefence(pw.outcome.GaussianScore(5.0, unscored="order"))), (2, 3)),
    "counts": (pw.PoissonOD(mu=0.0, sigma=0.5, beta=0.2, tau=0.0).replace(base_rate="learnt"), (2, 3)),
    "learnt draws": (model_of(pw.outcome.Order(draw_probability="learnt")), 2),
    "leader": (model_of(pw.outcome.Order(margin=2.0), team=pw.team.LeaderBonus(pw.team.Sum())), 2),
    "home": (model_of(pw.outcome.Order(margin=2.0), home=pw.Home(1.0, 2.0)), (2, 3)),
}


def matches_for(name, count=60, seed=11):
    model, teams = PART[name]
    rng = np.random.default_rng(seed)
    matches = league(rng, count, 8, sizes=(1, 2) if teams == 2 else (1,), teams=teams, home=name == "home")
    for match in matches:
        match["scores"] = rng.poisson(2.0, len(match["teams"])).astype(float).tolist()
        if name == "some scores" and rng.random() < 0.3:
            match["ranks"] = [1 + sum(b > a for b in match["scores"]) for a in match["scores"]]
            del match["scores"]
    return model, matches


def assert_same(joint, other, matches=True, tolerance=1e-9):
    """Assert that two fits agree, also if they have numbered the players differently."""
    traits = joint.mean.shape[1]
    rows = [other.row(name, trait) for name in joint.players for trait in range(traits)]
    rows += list(range(len(rows), len(joint.covariance)))
    scale = joint.sigma.max()
    assert joint.mean.ravel() == pytest.approx(other.mean.ravel()[rows[: joint.mean.size]], abs=tolerance * scale)
    assert joint.covariance == pytest.approx(other.covariance[np.ix_(rows, rows)], abs=tolerance * scale**2)
    assert joint.effect_mean == pytest.approx(other.effect_mean, abs=tolerance * scale)
    assert joint.log_evidence == pytest.approx(other.log_evidence, abs=1e-7)
    if matches:
        assert joint.left_out.log_evidence == pytest.approx(other.left_out.log_evidence, abs=1e-7)
        assert joint.left_out.win == pytest.approx(other.left_out.win, abs=1e-8, nan_ok=True)
        assert joint.left_out.draw == pytest.approx(other.left_out.draw, abs=1e-8, nan_ok=True)


def fit(model, matches, **options):
    return fit_joint(model, pw.History.from_matches(matches), tolerance=1e-12, **options)


@pytest.mark.parametrize("name", PART)
def test_merging_changes_nothing(name):
    model, matches = matches_for(name, 20)
    again = matches * 3 + [_turned(match) for match in matches]
    joint, other = fit(model, again), fit(model, again, merge=False)
    assert joint.converged
    assert_same(joint, other, tolerance=1e-10)


def _turned(match):
    """Return the same match with its teams and players listed in the reverse order."""
    turned = {key: match[key][::-1] for key in ("scores", "ranks") if key in match}
    if len(match["teams"]) > 2 or "home" in match:  # the order of tied teams matters
        return match
    return match | {"teams": [team[::-1] for team in match["teams"][::-1]]} | turned


@pytest.mark.parametrize("name", [name for name in PART if name not in ("spread margin", "leader", "learnt draws")])
def test_order_of_matches_and_teams_does_not_matter(name):
    model, matches = matches_for(name)
    order = np.random.default_rng(1).permutation(len(matches))
    assert_same(fit(model, matches), fit(model, [_turned(matches[i]) for i in order]), matches=False)


@pytest.mark.parametrize("name", ["order", "order of many", "places", "scores", "home"])
def test_importance_two_is_the_match_listed_twice(name):
    model, matches = matches_for(name, 20)
    double = [match | {"importance": 2.0} for match in matches]
    assert_same(fit(model, double), fit(model, [match for match in matches for _ in range(2)]), matches=False)


@pytest.mark.parametrize("name", ["order", "order of many", "places", "scores", "home"])
def test_importance_zero_is_an_absent_match(name):
    model, matches = matches_for(name, 20)
    lists = [match | {"importance": float(i % 2)} for i, match in enumerate(matches)]
    joint = fit(model, lists)
    assert_same(fit(model, matches[1::2]), joint, matches=False)


def test_importance_zero_is_forecast_from_all_matches():
    model, matches = matches_for("order", 30)
    joint = fit(model, [matches[0] | {"importance": 0.0}, *matches[1:]])
    expected = fit(model, matches)
    # Leaving a match out changes the sites of the others a little, so the numbers are not quite the same.
    assert joint.left_out.win[0] == pytest.approx(expected.left_out.win[0], abs=1e-3)


def test_low_importances_are_merged_only_with_their_like():
    model, matches = matches_for("order", 10)
    lists = [match | {"importance": weight} for match in matches for weight in (0.5, 0.5, 0.25, 1.0, 3.0)]
    assert len(merge_matches(pw.History.from_matches(lists), model).history) == 30
    assert_same(fit(model, lists), fit(model, lists, merge=False), tolerance=1e-10)


def test_single_match_equals_the_online_fit():
    for teams in (2, 5):
        names = [[f"p{j}"] for j in range(teams)]
        history = pw.History.from_matches([{"teams": names, "ranks": list(range(teams))}])
        model = model_of(pw.outcome.Order(margin=1.0))
        joint, online = fit_joint(model, history), model.fit(history)
        assert joint.mean[:, 0] == pytest.approx([online[name].mu for [name] in names], abs=0.2 if teams > 3 else 1e-9)
        assert joint.left_out.log_evidence == pytest.approx(online.forecasts.log_evidence, abs=1e-9)
        assert joint.log_evidence == pytest.approx(online.log_evidence, abs=1e-9)


def test_pools_that_never_met_do_not_inform_each_other():
    rng = np.random.default_rng(3)
    matches = league(rng, 20, 5, scores=False)
    others = [{**match, "teams": [[f"q{name}" for name in team] for team in match["teams"]]} for match in matches]
    joint, alone = fit(VOTES, [*matches, *others]), fit(VOTES, matches)
    size = len(alone.players)
    assert joint.pools.tolist() == [0] * size + [1] * size
    assert joint.covariance[:size, size:] == pytest.approx(0.0, abs=1e-15)
    assert joint.covariance[:size, :size] == pytest.approx(alone.covariance, abs=1e-10)
    assert joint.log_evidence == pytest.approx(2 * alone.log_evidence, abs=1e-8)
    mean, covariance = joint.relative()
    assert [mean[:size].sum(), mean[size:].sum()] == pytest.approx([0.0, 0.0], abs=1e-12)
    assert covariance.sum(1) == pytest.approx(0.0, abs=1e-12)


def test_pools_are_connected_through_long_chains():
    matches = [{"teams": [[f"p{i}"], [f"p{i + 1}"]]} for i in range(0, 98, 1) if i != 50]
    pools = find_pools(pw.History.from_matches(matches[::-1]))
    assert sorted(np.bincount(pools).tolist()) == [48, 51]


def test_empty_history():
    joint = fit_joint(VOTES, pw.History.from_matches([]))
    assert joint.log_evidence == 0.0
    assert joint.mean.shape == (0, 1)
    assert len(joint.left_out) == 0


@pytest.mark.parametrize("sigma", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("beta", [0.0, 1e-4, 1.0, 1e6])
@pytest.mark.parametrize("margin", [0.0, 1e-9, 1.0, 1e9])
def test_extreme_parameters_give_finite_results(sigma, beta, margin):
    rng = np.random.default_rng(1)
    for teams in (2, 4):
        matches = league(rng, 40, 6, teams=teams, scores=False)
        model = model_of(pw.outcome.Order(margin=margin), sigma=sigma, beta=beta)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # some of these do not converge
            joint = fit_joint(model, pw.History.from_matches(matches), sweeps=30)
        assert np.isfinite(joint.mean).all()
        assert np.isfinite(joint.covariance).all()
        assert np.isfinite(joint.left_out.log_evidence).all()
        assert np.isfinite(joint.log_evidence)
        assert (joint.sigma <= sigma * (1 + 1e-9)).all()


@pytest.mark.parametrize("variance", [0.0, 5e-324, 1.0, 1e300])
@pytest.mark.parametrize("pull", [0.0, 5e-324, 1e-310, 1.0, 1e300])
def test_sites_of_many_teams_are_finite_for_every_pull(pull, variance):
    pulls = np.array([[pull, 0.5, 0.25], [pull, pull, pull]])
    assert np.isfinite(_score_matrices(pulls, np.full((2, 3), variance), np.zeros((2, 3)))).all()


def test_sites_of_many_teams_keep_their_digits_if_one_score_is_far_more_precise():
    weights = [Fraction(2) ** 60, Fraction(1), Fraction(1, 4)]
    total = sum(weights)
    expected = [[float((i == j) * w - w * v / total) for j, v in enumerate(weights)] for i, w in enumerate(weights)]
    found = _score_matrices(np.array([[4.0, 1.0, 0.25]]), np.zeros((1, 3)), np.array([[2.0**-60, 0.5, 0.5]]))
    assert found[0] == pytest.approx(np.array(expected), rel=1e-12)


def test_upset_of_a_thousand_wins():
    matches = [{"teams": [["a"], ["b"]], "importance": 1e6}, {"teams": [["b"], ["a"]]}]
    joint = fit_joint(VOTES, pw.History.from_matches(matches))
    assert np.isfinite(joint.covariance).all()
    assert joint.mean[0, 0] > 2.0 > -2.0 > joint.mean[1, 0]


# --- models and histories that do not suit --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "field"),
    [
        (pw.Elo(), "absorb"),
        (pw.Glicko(), "absorb"),
        (pw.Glicko2(), "absorb"),
        (pw.Harkness(), "absorb"),
        (pw.TS2c(), "absorb"),
        (pw.TrueSkill(), "drift"),
        (pw.TrueSkill(tau=0).replace(drift=pw.drift.Seasons(STILL, carry=0.5)), "drift"),
        (VOTES.replace(home=pw.Home(0.0, 1.0, 0.1)), "home_tau"),
        (VOTES.replace(facets=(pw.facet.Experience(tau=0.1),)), "facets"),
        (VOTES.replace(prior=pw.Newcomers(pw.Normal(0, 1))), "prior"),
    ],
)
def test_unsuitable_models_are_refused_with_advice(model, field):
    with pytest.raises(pw.Error, match=r"; (use|set|TrueSkill)") as caught:
        fit_joint(model, pw.History.from_matches([{"teams": [["a"], ["b"]]}]))
    assert caught.value.field == field


def test_too_many_players_are_refused():
    history = pw.History.from_matches([{"teams": [[f"p{i}"], [f"p{i + 1}"]]} for i in range(2000)])
    with pytest.raises(pw.Error, match=r"up to 2,000 players, but there are 2,001; use joint=False"):
        fit_joint(VOTES, history)


def test_unknown_player_gets_a_suggestion():
    joint = fit_joint(VOTES, pw.History.from_matches([{"teams": [["anna"], ["bob"]]}]))
    with pytest.raises(pw.Error, match="did you mean 'anna'"):
        joint.row("ana")


def test_missing_convergence_is_reported():
    model, matches = matches_for("order")
    with pytest.warns(UserWarning, match="did not converge in 2 sweeps"):
        joint = fit_joint(model, pw.History.from_matches(matches), sweeps=2)
    assert not joint.converged
    assert joint.moved > 1e-8


# --- coverage -------------------------------------------------------------------------------------------------------


def play(rng, players, matches, teams=2):
    """Return the true skills of a simulated league and its matches, of single players, with ties."""
    skills = rng.normal(0.0, 1.0, players)
    epsilon = stats.norm.ppf((1 + 0.39) / 2) * np.sqrt(2)
    found = []
    for _ in range(matches):
        chosen = rng.permutation(players)[:teams]
        performance = skills[chosen] + rng.normal(0.0, 1.0, teams)
        if teams == 2 and abs(performance[0] - performance[1]) <= epsilon:
            ranks = [1, 1]
        else:
            ranks = (-performance).argsort().argsort().tolist()
        found.append({"teams": [[f"p{i}"] for i in chosen], "ranks": ranks})
    return skills, found


@pytest.mark.long
@pytest.mark.parametrize(("players", "matches", "teams"), [(12, 60, 2), (30, 1500, 2), (12, 20, 6)])
def test_intervals_cover_the_truth_in_95_of_100_leagues(players, matches, teams):
    rng = np.random.default_rng(players + matches)
    model = VOTES if teams == 2 else VOTES.replace(outcome=pw.outcome.Order(draw_probability=0.0))
    inside: dict[str, list[float]] = {"difference": [], "relative": [], "skill": []}
    for _ in range(400):
        skills, results = play(rng, players, matches, teams)
        joint = fit_joint(model, pw.History.from_matches(results))
        truth = skills[[int(name[1:]) for name in joint.players]]
        mean, covariance = joint.relative()
        errors = (mean - (truth - truth.mean())) / np.sqrt(np.diagonal(covariance))
        i, j = np.triu_indices(len(truth), 1)
        full, skill = joint.covariance, joint.mean[:, 0]
        spread = np.sqrt(full[i, i] - 2 * full[i, j] + full[j, j])
        inside["difference"].append(np.mean(np.abs((skill - truth)[i] - (skill - truth)[j]) < 1.96 * spread))
        inside["relative"].append(np.mean(np.abs(errors) < 1.96))
        inside["skill"].append(np.mean(np.abs(skill - truth) < 1.96 * joint.sigma[:, 0]))
    coverage = {name: float(np.mean(share)) for name, share in inside.items()}
    print(players, matches, teams, coverage)
    assert coverage == pytest.approx(dict.fromkeys(coverage, 0.95), abs=0.01)


def test_limited_drifts_move_skills():
    model = pw.TrueSkill().replace(drift=pw.drift.PerTime(2.0, cap=0.5))
    with pytest.raises(pw.Error, match="drift"):
        model.hindsight(pw.History.from_matches([{"teams": [["a"], ["b"]]}]), joint=True)
