"""A hindsight agrees with other packages that fit skills through time; the scripts in tests/golden say how they ran."""

import gzip
import json
from math import hypot, log, sqrt
from operator import lt
from pathlib import Path

import pytest

import prowess as pw

GOLDEN = Path(__file__).parents[2] / "golden"
FINE = {"tolerance": 1e-12, "sweeps": 2000}


def rows(name):
    lines = gzip.decompress((GOLDEN / name).read_bytes()).decode().splitlines()
    return [pytest.param(row, id=row["name"]) for row in map(json.loads, lines)]


def curves(hindsight, timed):
    """Return [time, mu, sigma] of every player as the packages list them: one row for each time, or for each match."""
    found = {}
    for name in hindsight.ladder.names:
        curve = hindsight.curve(name)
        times = curve["time"] if timed else range(len(curve))
        by_time = {time: [time, mu, sigma] for time, mu, sigma in zip(times, curve["mu"], curve["sigma"], strict=True)}
        found[name] = list(by_time.values())
    return found


def largest_differences(found, expected):
    """Return the largest difference of a mean and that of a standard deviation."""
    assert found.keys() == expected.keys()
    pairs = [pair for name in expected for pair in zip(found[name], expected[name], strict=True)]
    return (max(abs(one[column] - other[column]) for one, other in pairs) for column in (1, 2))


@pytest.mark.parametrize("row", rows("through_time.jsonl.gz"))
def test_skills_agree_with_trueskill_through_time(row):
    timed, gamma = "time" in row["matches"][0], row["gamma"]
    drift = pw.drift.PerTime(gamma) if timed else pw.drift.PerMatch(gamma)
    # PerMatch also widens the belief before the first match of a player; the package does not.
    sigma = row["sigma"] if timed else sqrt(row["sigma"] ** 2 - gamma**2)
    model = pw.TrueSkill(mu=row["mu"], sigma=sigma, beta=row["beta"], tau=0, draw_probability=row["draw_probability"])
    hindsight = model.replace(drift=drift).hindsight(pw.History.from_matches(row["matches"]), **FINE)
    mu, sigma = largest_differences(curves(hindsight, timed), row["curves"])
    assert mu < 1e-9
    assert sigma < (1e-12 if len(row["matches"][0]["teams"]) == 2 else 1e-10)
    if row["log_evidence"] is not None:
        assert hindsight.left_out.log_evidence.sum() == pytest.approx(row["log_evidence"], abs=1e-9)


# The largest differences of means, standard deviations and the log-evidence. Its logit is a sum of five normal
# distribution functions, ours is exact. For counts, it takes the moments of each match by quadrature, where
# PoissonScore takes the closest normal distribution in the other direction of the divergence.
LIMITS = {"logit": (1e-3, 1e-3, 1e-3), "count": (0.002, 0.01, 0.2)}


def kickscore_model(row):
    """Return the model with the settings of a row; the noise of a result is divided among the players."""
    gamma, players = 0.5, sum(map(len, row["matches"][0]["teams"]))
    outcome = {
        "probit": pw.outcome.Order(draw_probability=0.0),
        "ternary": pw.outcome.Order(margin=row["margin"]),
        "difference": pw.outcome.GaussianScore(gamma),
        "logit": pw.outcome.Logit(log(10.0)),
        "count": pw.outcome.OffenceDefence(pw.outcome.PoissonScore()),
    }[row["kind"]]
    noise = row["noise"] - gamma**2 if row["kind"] == "difference" else row["noise"]
    prior, drift = pw.Normal(0.0, sqrt(row["variance"])), pw.drift.PerTime(sqrt(row["drift"]))
    return pw.Model(prior=prior, noise=sqrt(noise / players), outcome=outcome, drift=drift)


def with_defence(curves):
    """Return the curves of offence plus defence, whose beliefs are independent."""
    found = {}
    for name, offence in curves.items():
        if not name.endswith(" defence"):
            pairs = zip(offence, curves[f"{name} defence"], strict=True)
            found[name] = [[time, mu + other, hypot(sigma, spread)] for (time, mu, sigma), (_, other, spread) in pairs]
    return found


@pytest.mark.parametrize("row", rows("kickscore_leagues.jsonl.gz"))
def test_skills_agree_with_kickscore(row):
    hindsight = kickscore_model(row).hindsight(pw.History.from_matches(row["matches"]), **FINE)
    found = {name: hindsight.curve(name).select("time", "mu", "sigma").rows() for name in hindsight.ladder.names}
    expected = with_defence(row["curves"]) if row["kind"] == "count" else row["curves"]
    differences = *largest_differences(found, expected), abs(hindsight.log_evidence - row["log_evidence"])
    assert all(map(lt, differences, LIMITS.get(row["kind"], (1e-8, 1e-8, 1e-9))))


def test_offence_and_defence_agree_with_kickscore():
    [row] = [row.values[0] for row in rows("kickscore_leagues.jsonl.gz") if row.values[0]["kind"] == "count"]
    hindsight = kickscore_model(row).hindsight(pw.History.from_matches(row["matches"]), **FINE)
    for name in hindsight.ladder.names:
        for trait, item in (("offence", name), ("defence", f"{name} defence")):
            expected = [mu for _, mu, _ in row["curves"][item]]
            assert hindsight.curve(name)[trait].to_list() == pytest.approx(expected, abs=0.002)
