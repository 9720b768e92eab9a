"""Write kickscore_leagues.jsonl.gz: small leagues fitted by expectation propagation of the package `kickscore` (0.2.0).

    python -m tests.golden.kickscore_leagues

Each row has kind, variance (of a skill at the first match), drift (the variance of its changes per unit of time), noise
(the variance of the result, given the skills), margin, matches, curves and log_evidence. The curves list [time, mu,
sigma] of every player, one row for each match, and for counts of every player's offence and defence. The package's
Wiener process begins at a time t0, which is here the time of a player's first match; without drift, a skill has the
kernel `Constant`. Its default tolerance stops early, so it runs until the evidence of no match changes.
"""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

try:
    import kickscore
except ModuleNotFoundError:  # only `make golden` needs the package; the tests read the file
    kickscore = None

TARGET = Path(__file__).with_suffix(".jsonl.gz")
VARIANCE, MARGIN = 1.4, 0.3
# The kind of result, the size of the teams, the numbers of matches and players, and the drift.
LEAGUES = {
    "probit": ("probit", 1, 60, 8, 0.05),
    "probit, teams of two": ("probit", 2, 50, 9, 0.05),
    "probit with draws": ("ternary", 1, 60, 8, 0.05),
    "probit without drift": ("probit", 1, 60, 8, 0.0),
    "score differences": ("difference", 1, 60, 8, 0.05),
    "score differences, teams of two": ("difference", 2, 50, 9, 0.05),
    "score differences without drift": ("difference", 1, 60, 8, 0.0),
    "logit": ("logit", 1, 60, 8, 0.05),
    "counts": ("count", 1, 60, 8, 0.01),
}
NOISE = {"difference": 2.25, "logit": 0.0, "count": 0.0}  # probit has 1


def main() -> None:
    """Fit the leagues, and write the file."""
    rng = random.Random(2019)
    rows = [fit(name, rng, *league) for name, league in LEAGUES.items()]
    text = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)
    TARGET.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{TARGET.name}: {len(rows)} leagues, {TARGET.stat().st_size} bytes")


def fit(name: str, rng: random.Random, kind: str, size: int, count: int, players: int, drift: float) -> dict:
    """Return a random league and what the package makes of it."""
    noise, variance = NOISE.get(kind, 1.0), 0.2 if kind == "count" else VARIANCE
    matches = random_matches(rng, kind, size, count, players)
    model = new_model(kind, noise)
    for match in matches:
        for player in (player for team in match["teams"] for player in team):
            for item in (player, f"{player} defence") if kind == "count" else (player,):
                if item not in model.item:
                    kernel = kickscore.kernel.Wiener(drift, match["time"], variance)
                    model.add_item(item, kernel if drift else kickscore.kernel.Constant(variance))
        observe(model, kind, match)
    # Half steps: the package visits all matches at once, and whole steps of some leagues never settle.
    if not model.fit(lr=0.5, tol=1e-12, max_iter=2000):
        raise SystemExit(f"{name}: the package has not converged")
    curves = {}
    for item in sorted(model.item):
        times, means, variances = (column.tolist() for column in model.item[item].scores)
        curves[item] = [[t, m, v**0.5] for t, m, v in zip(times, means, variances, strict=True)]
    print(f"{name}: log-evidence {model.log_likelihood:.6f}")
    settings = {"kind": kind, "variance": variance, "drift": drift, "noise": noise, "margin": MARGIN}
    return {"name": name, **settings, "matches": matches, "curves": curves, "log_evidence": model.log_likelihood}


def new_model(kind: str, noise: float) -> kickscore.model.Model:
    """Return an empty model for a kind of results."""
    if kind == "ternary":
        return kickscore.TernaryModel(MARGIN, obs_type="probit")
    if kind == "difference":
        return kickscore.DifferenceModel(noise)
    return kickscore.CountModel() if kind == "count" else kickscore.BinaryModel(obs_type=kind)


def observe(model: kickscore.model.Model, kind: str, match: dict) -> None:
    """Add a match to a model."""
    (first, second), (score, other), time = match["teams"], match["scores"], match["time"]
    if kind == "difference":
        model.observe(first, second, diff=score - other, t=time)
    elif kind == "count":
        model.observe(first, [f"{player} defence" for player in second], count=score, t=time)
        model.observe(second, [f"{player} defence" for player in first], count=other, t=time)
    else:
        winners, losers = (first, second) if score >= other else (second, first)
        model.observe(winners, losers, t=time, **({"tie": score == other} if kind == "ternary" else {}))


def random_matches(rng: random.Random, kind: str, size: int, count: int, players: int) -> list[dict]:
    """Return matches of random teams in the order of their times, some of which are equal."""
    skill = [rng.gauss(0, 1) for _ in range(players)]
    matches, now = [], 0
    for _ in range(count):
        listed = rng.sample(range(players), 2 * size)
        teams = [listed[:size], listed[size:]]
        scores = [max(0, round(1.5 + sum(rng.gauss(skill[player], 1) for player in team))) for team in teams]
        if kind in ("probit", "logit") and scores[0] == scores[1]:
            scores[rng.randrange(2)] += 1
        now += rng.choice([0, 0, 1, 2, 5])
        match = {"teams": [[f"p{player}" for player in team] for team in teams], "scores": scores, "time": float(now)}
        matches.append(match)
    return matches


if __name__ == "__main__":
    main()
