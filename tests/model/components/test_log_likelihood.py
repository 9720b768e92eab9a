"""An outcome from a log-likelihood gives what compiled outcomes, SciPy's integrals and random numbers give."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import logistic, norm, t

import prowess as pw
from prowess.lab import Calendar, simulate
from prowess.lab.simulate.coverage import covered
from prowess.model.components.log_likelihood import FromLogLikelihood


@dataclass(frozen=True)
class Normal(FromLogLikelihood):
    gamma: float = 3.0

    def log_likelihood(self, lead, difference):
        return -0.5 * ((lead - difference) / self.gamma) ** 2 - np.log(self.gamma * np.sqrt(2.0 * np.pi))


@dataclass(frozen=True)
class Heavy(FromLogLikelihood):
    """Student noise with 4 degrees of freedom."""

    gamma: float = 3.0

    def log_likelihood(self, lead, difference):
        return -2.5 * np.log1p(((lead - difference) / self.gamma) ** 2 / 4) - np.log(self.gamma * 8 / 3)


@dataclass(frozen=True)
class Goals(FromLogLikelihood):
    """A difference with logistic noise, rounded to a whole number."""

    leads = "integers"

    def log_likelihood(self, lead, difference):
        high, low = (1.0 / (1.0 + np.exp(-(lead - difference + half) / 1.2)) for half in (0.5, -0.5))
        return np.log(high - low)


@dataclass(frozen=True)
class Probit(FromLogLikelihood):
    """TrueSkill without performance noise in the model, and with that noise and the margin in the likelihood."""

    leads = "places"
    noise: float = 6.0
    epsilon: float = 0.7

    def log_likelihood(self, lead, difference):
        lost, won = (norm.cdf((sign * self.epsilon - difference) / self.noise) for sign in (-1, 1))
        return np.log(np.select([lead > 0, lead < 0], [1.0 - won, lost], won - lost))


def league(matches=300, players=12, seed=1, draws=True):
    rng = np.random.default_rng(seed)
    found = []
    for day in range(matches):
        one, other = rng.choice(players, 2, replace=False)
        scores = rng.integers(0, 6, 2).tolist()
        if scores[0] != scores[1] or draws:
            found.append({"teams": [[f"p{one}"], [f"p{other}"]], "scores": scores, "time": float(day), "home": day % 2})
    return pw.History.from_matches(found)


def assert_same(one, other, history, abs_error):
    fits = [model.fit(history) for model in (one, other)]
    assert fits[1].log_evidence == pytest.approx(fits[0].log_evidence, rel=1e-10)
    for name in history.players:
        assert (fits[1][name].mu, fits[1][name].sigma) == pytest.approx((fits[0][name].mu, fits[0][name].sigma))
    for column in ("win", "draw"):
        chances = [getattr(fit.forecasts, column) for fit in fits]
        assert chances[1] == pytest.approx(chances[0], abs=abs_error)


@pytest.mark.parametrize("gamma", [3.0, 1e-3, 300.0], ids=["usual", "sharp", "wide"])
def test_normal_density_equals_the_compiled_outcome(gamma):
    model = pw.GaussianSD(gamma=gamma).replace(home=pw.Home(0.5, 1.0))
    assert_same(model, model.replace(outcome=Normal(gamma)), league(draws=False), 1e-8)


def test_normal_noise_of_places_equals_trueskill():
    history = league()
    model = pw.TrueSkill(beta=6.0 / 2**0.5, margin=0.7)
    assert_same(model, model.replace(beta=0.0, outcome=Probit()), history, 1e-7)


@pytest.mark.parametrize("scores", [[3, 0], [30, 0], [0, 20]])
@pytest.mark.parametrize("outcome", [Heavy(), Heavy(0.05)], ids=["usual", "sharp"])
def test_student_noise_equals_integrals_by_scipy(outcome, scores):
    model = pw.TrueSkill(tau=0, beta=4.0).replace(outcome=outcome)
    teams = [[pw.Rating(27.0, 3.0)], [pw.Rating(22.0, 1.5)]]
    mean, sigma, lead = 5.0, (9.0 + 2.25 + 32.0) ** 0.5, scores[0] - scores[1]

    def density(d, power):
        return (d - mean) ** power * norm.pdf(d, mean, sigma) * t.pdf((lead - d) / outcome.gamma, 4) / outcome.gamma

    places = sorted({mean, lead, 0.5 * (mean + lead), lead - 20 * outcome.gamma, lead + 20 * outcome.gamma})
    ends = min(mean - 12 * sigma, lead - 400.0), max(mean + 12 * sigma, lead + 400.0)
    total, first, second = (
        quad(density, *ends, args=(power,), points=places, epsabs=0, epsrel=1e-11, limit=2000)[0] for power in range(3)
    )
    shift, spread = first / total, second / total - (first / total) ** 2
    (ann,), (bob,) = model.rate(teams, scores=scores)
    assert ann.mu == pytest.approx(27.0 + 9.0 / sigma**2 * shift, rel=1e-5)
    assert bob.mu == pytest.approx(22.0 - 2.25 / sigma**2 * shift, rel=1e-5)
    left = 9.0 - (9.0 / sigma**2) ** 2 * (sigma**2 - spread)
    assert ann.sigma == pytest.approx(min(left, 9.0) ** 0.5, rel=1e-4)  # a match never makes a rating less certain
    chances = quad(lambda d: norm.pdf(d, mean, sigma) * t.cdf(d / outcome.gamma, 4), *ends, points=[0, mean], limit=900)
    assert model.predict(teams).win[0] == pytest.approx(chances[0], abs=2e-8)


def test_96_nodes_give_the_results_of_48(monkeypatch):
    rng = np.random.default_rng(2)
    lead, mean = rng.normal(0.0, 15.0, (2, 200))
    for outcome in (Heavy(), Goals()):
        lead = np.rint(lead / 4.0)
        few, many = (outcome._posterior(lead, mean / 5.0, np.full(200, 9.0), count) for count in (48, 96))
        assert np.stack(few) == pytest.approx(np.stack(many), rel=1e-4, abs=1e-5)


def test_integer_leads_equal_integrals_by_scipy():
    model = pw.TrueSkill(sigma=2.0, beta=1.0, tau=0).replace(outcome=Goals())
    found = model.predict([[model.rating()], [model.rating()]])

    def drawn(d):
        return norm.pdf(d, 0.0, 10**0.5) * (logistic.cdf(0.5 - d, scale=1.2) - logistic.cdf(-0.5 - d, scale=1.2))

    assert found.draw == pytest.approx(quad(drawn, -30, 30, points=[0])[0], abs=1e-8)
    assert found.win == pytest.approx(np.full(2, 0.5 - 0.5 * found.draw))


def test_blocks_and_single_matches_give_the_same_bits():
    history, model = league(), pw.TrueSkill().replace(outcome=Heavy())
    ladder = pw.Ladder(model)
    for match in history:
        ladder.record(match["teams"], scores=match["scores"], time=match["time"], home=match["home"])
    fit = model.fit(history)
    assert all(fit[name] == ladder[name] for name in history.players)


def test_hindsight_refits_and_explanations_work():
    history, model = league(), pw.TrueSkill(tau=0).replace(outcome=Heavy())
    dense, hindsight = model.hindsight(history, joint=True), model.hindsight(history, tolerance=1e-9)
    for name in history.players:
        assert hindsight[name].mu == pytest.approx(dense[name].mu, abs=1e-3)
    gaussian = pw.GaussianSD(gamma=3.0, tau=0)
    both = [model.hindsight(history) for model in (gaussian, gaussian.replace(outcome=Normal()))]
    assert both[1].log_evidence == pytest.approx(both[0].log_evidence, rel=1e-9)
    assert "p0" in str(model.fit(history).explain("p0"))


def test_simulated_leagues_are_covered_by_intervals():
    outcomes = {"heavy": Heavy(6.0), "probit": Probit()}
    for outcome in outcomes.values():
        model = pw.TrueSkill(tau=0).replace(outcome=outcome)
        league = simulate(model, 3000, 400, seed=1, teams=2, calendar=Calendar(0, matches=200))
        share = covered(league, model.fit(league.history, progress=False), [0.9])["covered"][0]
        assert share == pytest.approx(0.9, abs=0.05)


def test_simulated_leads_have_their_distribution():
    rng = np.random.default_rng(3)
    leads = np.concatenate([Heavy().draw_leads(np.full(1000, 2.0), rng) for _ in range(20)])
    assert np.quantile(leads, [0.1, 0.5, 0.9]) == pytest.approx(2.0 + 3.0 * t.ppf([0.1, 0.5, 0.9], 4), abs=0.2)
    goals = Goals().draw_leads(np.full(4000, 0.5), rng)
    assert goals.mean() == pytest.approx(0.5, abs=0.15)
    assert np.array_equal(goals, np.rint(goals))


def test_tuning_matchmaking_and_comparing_work():
    history, model = league(), pw.TrueSkill().replace(outcome=Heavy())
    tuned = pw.tune(model, history, parameters=["beta"], trials=4, progress=False).model
    assert tuned.outcome == Heavy()
    ladder = pw.Ladder(model, {f"p{k}": pw.Rating(20 + k, 2) for k in range(6)})
    assert len(pw.pair(ladder, [f"p{k}" for k in range(6)])) == 3
    assert 0.0 < model.quality([[pw.Rating(25, 1)], [pw.Rating(25, 1)]]) <= 1.0
    assert pw.compare(history, {"heavy": model, "elo": pw.Elo()}, progress=False).best in ("heavy", "elo")


@dataclass(frozen=True)
class Unnormalised(FromLogLikelihood):
    def log_likelihood(self, lead, difference):
        return -0.5 * (lead - difference) ** 2


@dataclass(frozen=True)
class Impossible(FromLogLikelihood):
    leads = "places"

    def log_likelihood(self, lead, difference):
        return np.where(lead == 0, -np.inf, np.log(0.5)) + 0.0 * difference


class Nothing(FromLogLikelihood):
    pass


def test_known_performances_are_rated():
    model = pw.TrueSkill(tau=0.0).replace(outcome=Heavy(), beta=0.0)
    teams = [[pw.Rating(25.0, 0.0)], [pw.Rating(22.0, 0.0)]]
    assert model.rate(teams, scores=[5, 1]) == teams
    assert model.predict(teams).win[0] == pytest.approx(t.cdf(1.0, 4), abs=1e-6)


def test_errors_say_what_is_wrong():
    teams = [[pw.Rating(25, 8)], [pw.Rating(25, 8)]]

    def rate(outcome, **result):
        return pw.TrueSkill().replace(outcome=outcome).rate(teams, **result)

    with pytest.raises(pw.Error, match=r"must add up to 1; those of Unnormalised.* 2\.50663 at a difference"):
        rate(Unnormalised(), scores=[1, 0])
    with pytest.raises(pw.Error, match="not finite for a lead of 0"):
        rate(Impossible(), ranks=[1, 1])
    with pytest.raises(pw.Error, match="needs the scores of both teams"):
        rate(Heavy(), ranks=[1, 2])
    with pytest.raises(pw.Error, match="needs a method log_likelihood"):
        rate(Nothing(), scores=[1, 0])
    with pytest.raises(pw.Error, match="compares two teams, but the match has 3"):
        pw.TrueSkill().replace(outcome=Heavy()).rate([*teams, teams[0]], scores=[1, 2, 3])
