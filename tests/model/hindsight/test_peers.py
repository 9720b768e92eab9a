"""A hindsight agrees with other packages that fit skills through time; the scripts in tests/golden say how they ran."""

import gzip
import json
from math import sqrt
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
