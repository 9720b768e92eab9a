"""Write through_time.jsonl.gz: small leagues fitted by the `trueskillthroughtime` package (1.1.0), with corrections.

    python -m tests.golden.through_time

Each row has mu, sigma, beta, gamma, draw_probability, matches, curves and log_evidence. A match has teams, ranks (the
lowest is best) and a time; without times, the drift is that of one unit between two matches of a player. The curves
list [time, mu, sigma] of every player. `log_evidence` is what the package calls so: the sum over all matches of the
log-probability of the result given all other matches. Rows of more than two teams have none, because the package then
multiplies probabilities from the first round of messages inside a match, which are not those at convergence.

The package is corrected in four respects, each of which would otherwise be the largest difference by far:

- Its `erfc` is a rational approximation with an error of 1e-7; `math.erfc` replaces it.
- With three or more teams, `likelihood_teams` returns t[o[e]] where the inverse of the permutation o is meant, so that
  results such as 2nd, 1st, 3rd send messages to the wrong teams.
- With three or more teams, it stops after ten rounds of messages inside a match; here it runs until they are constant.
- By default it stops after 30 iterations; here it runs until nothing moves by more than rounding.
"""

import gzip
import inspect
import json
import math
import random
from pathlib import Path

try:
    import trueskillthroughtime as ttt
except ModuleNotFoundError:  # only `make golden` needs the package; the tests read the file
    ttt = None

TARGET = Path(__file__).with_suffix(".jsonl.gz")
ROUNDS = 2000
CORRECTIONS = {
    "gr_tuple(step,1e-6) and (i < 10)": "gr_tuple(step,1e-13) and (i < 200)",
    "t[o[e]].likelihood": "t[o.index(e)].likelihood",
}
# The sizes of the teams, the numbers of matches and players, the draw probability, and whether matches have times.
LEAGUES = {
    "two players": ((1, 1), 60, 8, 0.0, True),
    "two players, draws": ((1, 1), 60, 8, 0.25, True),
    "two players, without times": ((1, 1), 40, 6, 0.1, False),
    "teams of two, draws": ((2, 2), 50, 9, 0.2, True),
    "one against two": ((1, 2), 40, 7, 0.1, True),
    "three players": ((1, 1, 1), 30, 7, 0.0, True),
    "four players, draws": ((1, 1, 1, 1), 25, 8, 0.3, True),
    "three teams of two, draws": ((2, 2, 2), 20, 9, 0.2, True),
}


def correct_package() -> None:
    """Replace the parts of the package that are wrong or stop too early."""
    ttt.erfc = math.erfc
    source = inspect.cleandoc("\n" + inspect.getsource(ttt.Game.likelihood_teams))
    for wrong, right in CORRECTIONS.items():
        if source.count(wrong) != 1:
            raise SystemExit(f"another version of the package? {wrong} was not found once")
        source = source.replace(wrong, right)
    namespace: dict = {}
    exec(source, vars(ttt), namespace)
    ttt.Game.likelihood_teams = namespace["likelihood_teams"]


def main() -> None:
    """Fit the leagues, and write the file."""
    correct_package()
    rng = random.Random(2008)
    rows = [fit(name, rng, *league) for name, league in LEAGUES.items()]
    text = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)
    TARGET.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{TARGET.name}: {len(rows)} leagues, {TARGET.stat().st_size} bytes")


def fit(name: str, rng: random.Random, sizes: tuple, count: int, players: int, draws: float, timed: bool) -> dict:
    """Return a random league and what the package makes of it."""
    settings = {"mu": 25.0, "sigma": 8.0, "beta": 4.0, "gamma": 1.5}
    matches = random_matches(rng, sizes, count, players, draws, timed)
    history = ttt.History(
        [match["teams"] for match in matches],
        [[-rank for rank in match["ranks"]] for match in matches],
        [match["time"] for match in matches] if timed else [],
        p_draw=draws,
        **settings,
    )
    step, rounds = history.convergence(epsilon=1e-13, iterations=ROUNDS, verbose=False)
    print(f"{name}: {rounds} iterations, the last one moved by {max(step):.1e}")
    if max(step) > 1e-11:
        raise SystemExit("the package has not converged")
    curves = {
        player: [[time, belief.mu, belief.sigma] for time, belief in curve]
        for player, curve in sorted(history.learning_curves().items())
    }
    row = {"name": name, **settings, "draw_probability": draws, "matches": matches, "curves": curves}
    return row | {"log_evidence": history.log_evidence() if len(sizes) == 2 else None}


def random_matches(rng: random.Random, sizes: tuple, count: int, players: int, draws: float, timed: bool) -> list[dict]:
    """Return matches of random teams; of those with times, several take place at the same time."""
    skill = [rng.gauss(25, 5) for _ in range(players)]
    matches, now = [], 0
    for _ in range(count):
        listed = rng.sample(range(players), sum(sizes))
        teams = [[listed.pop() for _ in range(size)] for size in sizes]
        level = [sum(rng.gauss(skill[player], 4) for player in team) / len(team) for team in teams]
        ranks = [sum(other > own for other in level) + 1 for own in level]
        for team in range(1, len(sizes)):
            if rng.random() < draws:
                ranks[team] = ranks[team - 1]
        match = {"teams": [[f"p{player}" for player in team] for team in teams], "ranks": ranks}
        if timed:
            now += rng.choice([0, 0, 1, 2, 5])
            match["time"] = float(now)
        matches.append(match)
    return matches


if __name__ == "__main__":
    main()
