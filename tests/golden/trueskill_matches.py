"""Write trueskill_matches.jsonl.gz: 5,000 random matches rated by the `trueskill` package (0.4.5, scipy).

    python tests/golden/trueskill_matches.py

The matches have 2 to 12 teams of 1 to 8 players, draws, random priors and settings, and all weights are 1. Each row has
beta, tau, draw_probability, ranks, teams and posterior; the last two list [mu, sigma] of every player, team by team.
Posteriors have 9 decimals. The package stops after ten EP iterations, which is too early for many teams; `peers` lets
it continue. Very improbable outcomes and draws under a tiny draw probability are left out, because the package's
formulas lose their digits there. As a check, a hundred matches are rated again with `backend="scipy"` and, in 50
digits, with `backend="mpmath"`.
"""

import gzip
import json
import random
import sys
from pathlib import Path

import mpmath

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tests.golden.peers import largest_difference, random_match, trueskill_rate

MATCHES = 5_000
TARGET = Path(__file__).with_suffix(".jsonl.gz")


def main() -> None:
    """Rate the matches, check a sample, and write the file."""
    rng = random.Random(2006)
    rows = []
    while len(rows) < MATCHES:
        match = random_match(rng)
        try:
            rows.append((match, trueskill_rate(**match)))
        except FloatingPointError as problem:
            print("left out:", problem)
    check(rows[:: MATCHES // 100])
    text = "".join(line(match, posterior) for match, posterior in rows)
    TARGET.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{TARGET.name}: {len(rows)} matches, {TARGET.stat().st_size} bytes")


def check(rows: list) -> None:
    """Check that the package's named backends give the same results up to rounding."""
    worst = 0.0
    for match, posterior in rows:
        with mpmath.workdps(50):
            for backend in ("scipy", "mpmath"):
                worst = max(worst, largest_difference(trueskill_rate(**match, backend=backend), posterior))
    print(f"largest difference between backends over {len(rows)} matches: {worst:.1e}")
    if worst > 1e-10:
        raise SystemExit("the backends differ by more than rounding")


def line(match: dict, posterior: list) -> str:
    """Return a match and its posterior as one line of JSON."""
    rounded = [[[round(mu, 9), round(sigma, 9)] for mu, sigma in team] for team in posterior]
    return json.dumps(match | {"posterior": rounded}, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    main()
