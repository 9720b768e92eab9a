"""Score outcomes agree with the paper's equations, dense linear algebra, direct minimisation and sampling."""

import math

import numpy as np
import pytest
from scipy.stats import norm, poisson, skellam

import prowess as pw
from prowess.model.components.outcome import GaussianScore, OffenceDefence, PoissonScore
from tests.oracles import ranks as placed
from tests.oracles import scores as oracle
from tests.oracles.poisson import pmf, win_and_draw
from tests.pure import load

GAUSSIAN = OffenceDefence(GaussianScore(5.0))
POISSON = OffenceDefence(PoissonScore())
BETA = 25 / 6


def model_of(outcome, mu=25, sigma=25 / 3, beta=BETA, **parts):
    return pw.Model(prior=pw.Normal(mu, sigma), noise=beta, outcome=outcome, **parts)


def rating(offence, defence):
    return pw.Rating(offence=pw.Rating(*offence), defence=pw.Rating(*defence))


def board(outcome, means, variances, scores, memory=(), package=pw, noise=1.0):
    """Return the board of a match of single players after the update by its outcome, and the log-evidence."""
    teams, traits = len(scores), len(outcome.traits)
    found = package.Board(teams, teams, traits, memory=len(outcome.remembers))
    outcome.prepare(found)
    for j in range(teams):
        found.start[j + 1], found.score[j] = j + 1, scores[j]
    for k in range(teams * traits):
        found.mean[k], found.variance[k], found.noise[k] = means[k], variances[k], noise
    for k, known in enumerate(memory):
        found.memory[k] = known
    if teams == 2:
        outcome.forecast(found)
    return found, outcome.evidence(found)


def posterior(laid):
    """Return means and variances of all teams and traits after the match."""
    mean, variance, d1, d2, left = (
        np.array(column) for column in (laid.mean, laid.variance, laid.d1, laid.d2, laid.left)
    )
    assert left == pytest.approx(1 + variance * d2, abs=1e-10)
    return mean + variance * d1, variance * left


def random_match(seed, outcome, teams):
    rng = np.random.default_rng(seed)
    cells = teams * len(outcome.traits)
    return rng.normal(0.5, 0.7, cells), 10 ** rng.uniform(-1.5, 0.7, cells), rng.poisson(2, teams).astype(float)


def test_gaussian_offence_and_defence_update_agrees_with_equation_20():
    model = model_of(GAUSSIAN)
    a, b = rating((28, 6), (21, 3)), rating((24, 8), (30, 2))
    [[one], [two]] = model.rate([[a], [b]], scores=[-3, 12.5])  # negative and fractional scores are allowed
    noise = 2 * BETA**2 + 25
    for offence, defence, before, score in ((one, two, (a, b), -3), (two, one, (b, a), 12.5)):
        beliefs = [(r.mu, r.sigma**2) for r in (before[0].offence, before[1].defence)]
        wanted = oracle.equation_20(*beliefs, score, noise)
        for found, (mean, variance) in zip((offence.offence, defence.defence), wanted, strict=True):
            assert (found.mu, found.sigma**2) == pytest.approx((mean, variance), rel=1e-12)


def test_gaussian_score_difference_update_agrees_with_equations_22_and_23():
    model = model_of(GaussianScore(3.0))
    a, b = pw.Rating(28, 6), pw.Rating(24, 8)
    rated = model.rate([[a], [b]], scores=[-2, 7])
    wanted = oracle.equations_22_23((28, 36), (24, 64), (-2, 7), 2 * BETA**2 + 9)
    for [found], (mean, variance) in zip(rated, wanted, strict=True):
        assert (found.mu, found.sigma**2) == pytest.approx((mean, variance), rel=1e-12)


def test_update_of_a_three_a_side_match_agrees_with_linear_algebra():
    """The oracle solves one dense system of all players; each player has a separate performance noise."""
    rng = np.random.default_rng(2)
    mu, sigma = rng.normal(9, 3, (2, 3, 2)), rng.uniform(1, 8, (2, 3, 2))
    teams = [[rating(*zip(mu[t, p], sigma[t, p], strict=True)) for p in range(3)] for t in range(2)]
    seen = [11.0, 4.0]
    rated = model_of(GAUSSIAN).rate(teams, scores=seen)
    matrix = np.zeros((2, 2, 3, 2))
    for t in range(2):
        matrix[t, t, :, 0], matrix[t, 1 - t, :, 1] = 1, -1
    noise = (6 * BETA**2 + 25) * np.eye(2)
    mean, variance, _ = oracle.linear(mu.ravel(), sigma.ravel() ** 2, matrix.reshape(2, -1), noise, seen)
    found = [part for team in rated for player in team for part in (player.offence, player.defence)]
    assert [part.mu for part in found] == pytest.approx(mean, rel=1e-12)
    assert [part.sigma**2 for part in found] == pytest.approx(variance, rel=1e-12)


@pytest.mark.parametrize("teams", [2, 3, 4, 9])
def test_update_by_gaussian_scores_of_many_teams_is_exact(teams):
    rng = np.random.default_rng(teams)
    for gamma in (0.03, 2.0, 50.0):
        means, variances = rng.normal(25, 5, 2 * teams), 10 ** rng.uniform(-3, 2, 2 * teams)
        scores = rng.normal(0, 9, teams)
        laid, log_z = board(OffenceDefence(GaussianScore(gamma)), means, variances, scores)
        matrix = oracle.against_the_others(teams)
        mean, variance, evidence = oracle.linear(means, variances, matrix, gamma**2 * np.eye(teams), scores)
        assert laid.converged
        assert posterior(laid)[0] == pytest.approx(mean, rel=1e-11, abs=1e-10)
        assert posterior(laid)[1] == pytest.approx(variance, rel=1e-9)
        assert log_z == pytest.approx(evidence, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("teams", [2, 3, 6])
def test_update_by_score_differences_of_many_teams_is_exact(teams):
    """The model uses only score differences from the first team; each score has half the noise of a difference."""
    rng = np.random.default_rng(teams)
    means, variances, scores = rng.normal(25, 5, teams), 10 ** rng.uniform(-3, 2, teams), rng.normal(1e6, 9, teams)
    laid, log_z = board(GaussianScore(3.0), means, variances, scores)
    contrast = np.hstack([-np.ones((teams - 1, 1)), np.eye(teams - 1)])
    noise = 4.5 * contrast @ contrast.T
    mean, variance, evidence = oracle.linear(means, variances, contrast, noise, contrast @ scores)
    assert posterior(laid)[0] == pytest.approx(mean, rel=1e-9)
    assert posterior(laid)[1] == pytest.approx(variance, rel=1e-10)
    assert log_z == pytest.approx(evidence, rel=1e-9)


@pytest.mark.parametrize("variance", [1e-3, 0.1, 2.0, 40.0, 1e3])
@pytest.mark.parametrize("score", [0, 1, 4, 50, 300])
def test_poisson_posterior_is_the_normal_nearest_in_kl_divergence(variance, score):
    """A general minimiser of KL(q‖p) finds the same normal distribution and the same bound on the evidence."""
    for mean in (-1.0, 1.5, 4.0):
        laid, _ = board(POISSON, [mean, 0.0, 0.0, 0.0], [variance, 0.0, 1.0, 0.0], [score, 0])
        found = posterior(laid)[0][0], posterior(laid)[1][0]
        wanted = oracle.nearest_normal(mean, variance, score)
        bound = PoissonScore().seen(pw.Board(), score, mean, variance)
        assert bound == pytest.approx(-wanted[2], abs=1e-8, rel=1e-9)
        assert found[0] == pytest.approx(wanted[0], abs=2e-6 * math.sqrt(wanted[1]) + 1e-9)
        assert found[1] == pytest.approx(wanted[1], rel=1e-5)


@pytest.mark.parametrize("teams", [3, 5])
def test_poisson_posterior_of_many_teams_is_the_nearest_joint_normal(teams):
    for seed in range(3):
        means, variances, scores = random_match(seed, POISSON, teams)
        laid, log_z = board(POISSON, means, variances, scores)
        mean, variance, bound = oracle.nearest_joint(means, variances, oracle.against_the_others(teams), scores)
        assert laid.converged
        assert posterior(laid)[0] == pytest.approx(mean, abs=1e-8)
        assert posterior(laid)[1] == pytest.approx(variance, rel=1e-8)
        assert log_z == pytest.approx(bound, abs=1e-8)


OUTCOMES = {
    "SD": GaussianScore(1.5),
    "Gaussian": OffenceDefence(GaussianScore(1.5)),
    "Poisson": POISSON,
    "estimated SD": GaussianScore(),
    "estimated OD": OffenceDefence(GaussianScore()),
}
every_outcome = pytest.mark.parametrize("name", OUTCOMES)


@pytest.mark.parametrize("teams", [2, 4])
@every_outcome
def test_d1_and_d2_are_derivatives_of_the_log_evidence(name, teams):
    """For a team's prior mean m and variance v, ∂(log-evidence)/∂m = d1 and ∂(log-evidence)/∂v = (d2 + d1²)/2."""
    outcome = OUTCOMES[name]
    means, variances, scores = random_match(7, outcome, teams)
    memory = [5.0, 2.0, 11.0][: len(outcome.remembers)]
    laid, _ = board(outcome, means, variances, scores, memory)
    for cell in range(len(means)):
        for column, wanted in ((means, laid.d1[cell]), (variances, (laid.d2[cell] + laid.d1[cell] ** 2) / 2)):
            found = []
            for step in (-1e-4, 1e-4):
                column[cell] += step
                found.append(board(outcome, means, variances, scores, memory)[1])
                column[cell] -= step
            assert (found[1] - found[0]) / 2e-4 == pytest.approx(wanted, abs=1e-6)


def test_score_noise_gamma_is_estimated_from_earlier_matches():
    rng = np.random.default_rng(5)
    scores = [rng.normal(50, 12, teams) for teams in (2, 2, 3, 2, 5)]
    matches = [{"teams": [[f"p{j}"] for j in range(len(s))], "scores": s.tolist()} for s in scores]
    seen = np.concatenate(scores[:4])
    od, od_before = (
        model_of(OffenceDefence(GaussianScore())).fit(pw.History.from_matches(m)) for m in (matches, matches[:4])
    )
    known = model_of(OffenceDefence(GaussianScore(float(np.std(seen, ddof=1)))))
    again = known.fit(pw.History.from_matches(matches[4:]), start={p: od_before[p] for p in od_before.ladder})
    for player in again.ladder:
        assert again[player].offence.mu == pytest.approx(od[player].offence.mu, rel=1e-10)
        assert again[player].defence.sigma == pytest.approx(od[player].defence.sigma, rel=1e-10)
    sd = model_of(GaussianScore()).fit(pw.History.from_matches(matches[:2]))
    square = np.mean([(s[0] - s[1]) ** 2 for s in scores[:2]])
    difference = sd.predict([["p0"], ["p1"]]).score_difference
    beliefs = [sd[player].sigma ** 2 + BETA**2 for player in ("p0", "p1")]
    assert difference.sigma**2 == pytest.approx(sum(beliefs) + square, rel=1e-12)


def test_score_noise_gamma_equals_the_performance_noise_before_any_score():
    for outcome, sure in (
        (GaussianScore(), GaussianScore(BETA)),
        (OffenceDefence(GaussianScore()), OffenceDefence(GaussianScore(BETA))),
    ):
        one, other = model_of(outcome), model_of(sure)
        teams = [[one.rating()], [one.rating(mu=28)]]
        assert one.rate(teams, scores=[3, 1]) == other.rate(teams, scores=[3, 1])
        same = [{"teams": [["a"], ["b"]], "scores": [2, 2]}] * 3  # a variance of 0 is not used as an estimate
        assert np.isfinite(one.fit(pw.History.from_matches(same)).forecasts.log_evidence).all()
        with pytest.raises(pw.Error, match="give gamma, or a beta above 0"):
            one.replace(beta=0).rate(teams, scores=[3, 1])


def test_team_order_changes_neither_gamma_nor_ratings():
    """Some matches are listed with their teams reversed."""
    rng = np.random.default_rng(9)
    matches = [{"teams": [["a"], ["b"]], "scores": sorted(rng.integers(0, 9, 2).tolist())} for _ in range(20)]
    mirrored = [
        {key: value[::-1] for key, value in match.items()} if k % 3 else match for k, match in enumerate(matches)
    ]
    for outcome in (GaussianScore(), OffenceDefence(GaussianScore()), POISSON):
        one, other = (model_of(outcome).fit(pw.History.from_matches(m)) for m in (matches, mirrored))
        assert other["a"].mu == pytest.approx(one["a"].mu, rel=1e-12)
        assert other.ladder.memory == pytest.approx(one.ladder.memory, rel=1e-12)


@pytest.mark.parametrize(
    ("outcome", "given", "message"),
    [
        (POISSON, {"scores": [2, 1.5]}, "PoissonScore needs whole scores of at least 0; team 2 has 1.5"),
        (POISSON, {"scores": [-1, 1]}, "PoissonScore needs whole scores of at least 0; team 1 has -1"),
        (POISSON, {}, "PoissonScore needs scores; team 1 has none"),
        (GAUSSIAN, {"ranks": [1, 2]}, "GaussianScore needs scores; team 1 has none"),
        (GaussianScore(), {}, "GaussianScore needs scores; team 1 has none"),
    ],
)
def test_invalid_scores_are_rejected(outcome, given, message):
    model = model_of(outcome)
    with pytest.raises(pw.Error, match=message):
        model.rate([[model.rating()], [model.rating()]], **given)
    ladder = pw.Ladder(model)
    ladder.record([["a"], ["b"]], scores=[2, 1])
    before = ladder.copy()
    with pytest.raises(pw.Error, match=message):
        ladder.record([["a"], ["b"]], **given)
    assert ladder == before
    assert (ladder.memory == before.memory).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: GaussianScore(0), "gamma must be a finite number above 0"),
        (lambda: GaussianScore("guessed"), 'gamma must be a number above 0 or "estimated"'),
        (lambda: PoissonScore("exact"), 'prediction must be "integrated" or "plug-in"'),
        (lambda: OffenceDefence(pw.outcome.Order(margin=1)), "score must be a likelihood of scores"),
        (lambda: model_of(PoissonScore()), "use it inside one"),
    ],
)
def test_invalid_score_components_are_rejected(make, message):
    with pytest.raises(pw.Error, match=message):
        make()


def test_gaussian_prediction_of_two_teams_agrees_with_the_closed_form():
    a, b = rating((30, 3), (20, 2)), rating((24, 5), (22, 4))
    found = model_of(GAUSSIAN).predict([[a], [b]])
    spread = math.sqrt(9 + 16 + 25 + 4 + 4 * BETA**2 + 2 * 25)
    assert found.scores == pytest.approx([30 - 22, 24 - 20]) == found.score_means
    assert found.score_difference.mean == 4
    assert found.score_difference.sigma == pytest.approx(spread, rel=1e-14)
    assert found.win[0] == pytest.approx(norm.cdf(4 / spread), abs=1e-15)
    assert found.draw == 0
    assert found.score_difference.cdf(0) == pytest.approx(found.win[1], abs=1e-15)
    own = norm(8, math.sqrt(9 + 16 + 2 * BETA**2 + 25))
    distribution = found.score_distribution
    assert distribution.cdf(0, 3.5) == pytest.approx(own.cdf(3.5), abs=1e-14)
    assert distribution.interval(0, 0.8) == pytest.approx(own.interval(0.8), rel=1e-12)
    for wrong in (lambda: distribution.pmf(0, 3), lambda: distribution.grid(3)):
        with pytest.raises(pw.Error, match="no probabilities of single scores"):
            wrong()


def test_score_difference_model_does_not_predict_scores():
    model = model_of(GaussianScore(3.0))
    found = model.predict([[pw.Rating(30, 3)], [pw.Rating(24, 5)]])
    assert found.scores is found.score_means is found.score_distribution is None
    assert found.score_difference.mean == 6
    assert found.score_difference.sigma == pytest.approx(math.sqrt(9 + 25 + 2 * BETA**2 + 9), rel=1e-14)
    assert found.win[0] == pytest.approx(1 - found.score_difference.cdf(0), abs=1e-15)
    plain = pw.TrueSkill().predict([[pw.Rating(30, 3)], [pw.Rating(24, 5)]])
    assert plain.scores is plain.score_means is plain.score_distribution is plain.score_difference is None


@pytest.mark.parametrize("teams", [3, 5])
@pytest.mark.parametrize("name", ["Gaussian", "Poisson", "plug-in"])
def test_place_probabilities_of_many_teams_agree_with_sampling(name, teams):
    """The prediction itself samples Poisson counts, so two samples are compared."""
    outcome = OffenceDefence(PoissonScore("plug-in")) if name == "plug-in" else OUTCOMES[name]
    means, variances, _ = random_match(3, outcome, teams)
    laid, _ = board(outcome, means, variances, [0.0] * teams)
    found = outcome.predict(laid)
    draw = (lambda rng, x: rng.normal(x, 1.5)) if name == "Gaussian" else (lambda rng, x: rng.poisson(np.exp(x)))
    ranks = oracle.sampled_ranks(means, 0 * variances if name == "plug-in" else variances, draw)
    sampled = placed.rank_probabilities(ranks)
    error = np.sqrt(np.maximum(sampled * (1 - sampled), 1e-5) * (1 / 400_000 + 1 / 200_000))
    assert (np.abs(found.ranks - sampled) < 4.5 * error).all()
    assert found.ranks.sum(axis=1) == pytest.approx(1, abs=1e-12)
    win, shared = placed.win_and_draw(ranks)
    assert found.win == pytest.approx(win, abs=8e-3)
    assert found.draw == pytest.approx(shared, abs=8e-3)
    assert found.win.sum() + found.draw == pytest.approx(1, abs=1e-12)


def test_place_probabilities_by_score_differences_agree_with_sampling():
    found = model_of(GaussianScore(6.0)).predict([[pw.Rating(mu, 4)] for mu in (25, 30, 22)])
    ranks = placed.sampled_ranks([25, 30, 22], [16 + BETA**2 + 18] * 3, 0.0)
    assert found.ranks == pytest.approx(placed.rank_probabilities(ranks), abs=6e-3)


def test_poisson_prediction_integrates_over_the_rates_by_default():
    """The paper's plug-in rates are overconfident."""
    model = model_of(POISSON, mu=0.4, sigma=0.5, beta=0.2)
    a, b = rating((0.9, 0.3), (0.2, 0.4)), model.rating()
    found = model.predict([[a], [b]])
    first, second = (0.9 - 0.4, 0.09 + 0.25 + 0.08), (0.4 - 0.2, 0.25 + 0.16 + 0.08)
    win, draw = win_and_draw(first, second)
    assert (found.win[0], found.draw) == pytest.approx((win, draw), abs=1e-8)
    assert found.win.sum() + found.draw == pytest.approx(1, abs=1e-14)
    distribution, exact = found.score_distribution, pmf(np.arange(60), *first)
    assert distribution.pmf(0, 9) == pytest.approx(exact[:10], abs=1e-9)
    assert distribution.cdf(0, 3.7) == pytest.approx(exact[:4].sum(), abs=1e-9)
    assert distribution.cdf(0, -1) == 0
    assert distribution.quantile(0, 0.9) == np.searchsorted(np.cumsum(exact), 0.9)
    halves = [np.cumsum(pmf(np.arange(60), *team)) for team in (first, second)]
    assert found.scores.tolist() == [np.searchsorted(half, 0.5) for half in halves]
    assert found.score_means == pytest.approx([exact @ np.arange(60), math.exp(0.2 + 0.245)], rel=1e-6)
    grid = distribution.grid(25)
    assert (np.tril(grid, -1).sum(), np.trace(grid)) == pytest.approx((win, draw), abs=1e-4)
    plugged = model.replace(prediction="plug-in").predict([[a], [b]])
    sure = skellam(math.exp(0.5), math.exp(0.2))
    assert (plugged.win[0], plugged.draw) == pytest.approx((sure.sf(0), sure.pmf(0)), abs=1e-10)
    assert plugged.score_distribution.pmf(1, 5) == pytest.approx(poisson.pmf(np.arange(6), math.exp(0.2)), abs=1e-12)
    assert plugged.ranks[0] == pytest.approx([1 - sure.cdf(-1), sure.cdf(-1)], abs=1e-10)


@pytest.mark.parametrize(
    ("mean", "sigma"), [(0.0, 13.0), (4.5, 0.3), (-5.0, 1.0), (20.0, 0.0), (690.0, 5.0), (1e4, 1.0)]
)
def test_score_quantiles_agree_with_the_distribution(mean, sigma):
    from prowess.model.score_distribution import CountScores

    found = CountScores(np.array([mean, mean]), np.array([sigma, sigma]))
    low, high = found.interval(0, 0.9)
    assert 0 <= low <= found.medians[0] <= high < 1.1e304
    if high < 1e304:
        assert found.cdf(0, high) >= 0.95 - 1e-9
        assert low == 0 or found.cdf(0, low) >= 0.05 - 1e-9
        assert high == 0 or found.cdf(0, high - max(1.0, 1e-8 * high)) <= 0.95 + 1e-6
    assert np.isfinite(found.means).all()
    with pytest.raises(pw.Error, match="q must lie between 0 and 1"):
        found.quantile(0, 1.0)
    with pytest.raises(pw.Error, match="team must be the index"):
        found.cdf(2, 1.0)


def test_poisson_win_and_draw_probabilities_of_a_fit_are_computed_on_demand():
    """One call computes `win` and `draw` of all matches from the stored means and variances."""
    matches = [{"teams": [["a"], ["b"]], "scores": [3, 1]}, {"teams": [["b"], ["c"]], "scores": [0, 0]}]
    model = model_of(POISSON, mu=0.4, sigma=0.5, beta=0.2)
    fit = model.fit(pw.History.from_matches(matches))
    win, draw = np.empty(2), np.empty(2)
    assert model.outcome.later
    model.outcome.chances(np.ravel(fit.forecasts.mean), np.ravel(fit.forecasts.variance), win, draw)
    said = model.fit(pw.History.from_matches(matches[:1])).ladder.predict([["b"], [model.rating()]])
    assert (win[1], draw[1]) == (said.win[0], said.draw)


@pytest.mark.parametrize("teams", [2, 3, 4])
@every_outcome
def test_finite_priors_and_scores_give_a_finite_update(name, teams):
    outcome = OUTCOMES[name]
    cells = teams * len(outcome.traits)
    rng = np.random.default_rng(teams)
    for trial in range(40):
        means = rng.choice([-1e30, -1e3, -1.0, 0.0, 2.0, 1e3, 1e30], cells) * (1.0 if trial % 2 else 1e-6)
        variances = rng.choice([1e-60, 1e-9, 1.0, 1e6, 1e60], cells)
        scores = rng.choice([0.0, 1.0, 7.0, 1e6, 1e30], teams)
        memory = [3.0, 1.0, 1.0][: len(outcome.remembers)]
        laid, log_z = board(outcome, means, variances, scores, memory)
        assert math.isfinite(log_z)
        assert np.isfinite([*laid.d1, *laid.d2]).all()
        assert all(0 <= left <= 1 for left in laid.left)
        if teams == 2 and name != "Poisson":
            assert 0 <= laid.win <= 1
            assert laid.win + laid.draw + laid.loss == 1
        if teams == 2 or trial % 20 == 0:
            found = outcome.predict(laid)
            assert np.isfinite(found.win).all()
            assert found.win.sum() + found.draw == pytest.approx(1, abs=1e-9)


@every_outcome
def test_score_outcomes_give_identical_results_compiled_and_uncompiled(name):
    rng = np.random.default_rng(1)
    package = load()
    outcome = OUTCOMES[name]
    score = getattr(outcome, "score", outcome)
    twin = getattr(package.outcome, type(score).__name__)(*(() if score == PoissonScore() else (score.gamma,)))
    twin = package.outcome.OffenceDefence(twin) if len(outcome.traits) == 2 else twin
    memory = [5.0, 2.0, 11.0][: len(outcome.remembers)]
    for trial in range(60):
        teams = 2 + trial % 3
        cells = teams * len(outcome.traits)
        means = rng.normal(1, 10 ** rng.uniform(-1, 3), cells)
        variances, scores = 10 ** rng.uniform(-9, 6, cells), np.floor(10 ** rng.uniform(-1, 5, teams))
        found = []
        for pack, part in ((pw, outcome), (package, twin)):
            laid, log_z = board(part, means, variances, scores, memory, pack)
            columns = (laid.d1, laid.d2, laid.left, laid.memory, [log_z, laid.win, laid.draw])
            found.append(np.concatenate([np.array(column) for column in columns]))
            if trial < 9 and (teams == 2 or name != "Poisson"):
                found[-1] = np.concatenate([found[-1], part.predict(laid).win])
        assert found[0].tobytes() == found[1].tobytes()


def test_score_components_have_named_parameters():
    model = model_of(GAUSSIAN)
    assert model.params["gamma"] == 5.0
    assert model.replace(gamma=3.0).outcome == OffenceDefence(GaussianScore(3.0))
    assert model_of(POISSON).replace(prediction="plug-in").outcome.score.prediction == "plug-in"


def test_score_components_compare_by_value():
    for outcome in OUTCOMES.values():
        assert pw.Model.from_dict(model_of(outcome).to_dict()) == model_of(outcome)


def test_score_models_work_with_drift_home_advantage_and_any_team_function():
    """No paper describes Poisson scores in combination with drift, home advantage, team averages and several teams."""
    rng = np.random.default_rng(4)
    truth = rng.normal(0, 0.5, (12, 2))
    matches = []
    for time in range(400):
        names = rng.permutation(12)
        sides = [names[:2], names[2:5]] if time % 2 else [names[:1], names[1:3], names[3:6]]
        skills = np.array([truth[side].mean(axis=0) for side in sides])
        others = (skills[:, 1].sum() - skills[:, 1]) / (len(sides) - 1)
        rates = np.exp(1.0 + skills[:, 0] - others + 0.3 * (np.arange(len(sides)) == 0))
        teams = [[f"p{name}" for name in side] for side in sides]
        matches.append({"teams": teams, "scores": rng.poisson(rates).tolist(), "time": float(time), "home": 0})
    for outcome in (POISSON, OffenceDefence(GaussianScore())):
        counts = outcome is POISSON
        prior = {"mu": 0.5, "sigma": 0.6, "beta": 0.1} if counts else {"mu": 2.0, "sigma": 2.0, "beta": 0.5}
        parts = {"team": pw.team.Mean(), "drift": pw.drift.PerTime(0.001), "home": pw.Home(0.0, home_sigma=0.5)}
        fit = model_of(outcome, **prior, **parts).fit(pw.History.from_matches(matches))
        found = np.array([[fit[f"p{k}"].offence.mu, fit[f"p{k}"].defence.mu] for k in range(12)])
        assert np.corrcoef(found[:, 0], truth[:, 0])[0, 1] > 0.8
        assert np.corrcoef(found[:, 1], truth[:, 1])[0, 1] > 0.6
        assert fit.unconverged == []
