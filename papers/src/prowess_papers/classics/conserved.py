"""Is there a finite amount of Elo? Measures how games change the sum of all ratings."""

from __future__ import annotations

from typing import Any

import numpy as np

from prowess.history import History
from prowess.lab.report import Claim, Section
from prowess.model.components.absorb import Fide
from prowess.model.model import Model
from prowess.model.presets import Elo, Glicko

PLAYERS = 48


def created(model: Model, sizes: tuple[int, ...], games: int, seed: int) -> float:
    """Return by how much the sum of all ratings rises in a simulated league of `games` games; negative if it falls.

    Each game has one team for each number in `sizes`, with that many players.

    >>> abs(created(Elo(), (1, 1), 100, 0)) < 1e-6
    True
    """
    rng = np.random.default_rng(seed)
    skill = rng.normal(0.0, 200.0, PLAYERS)
    matches: list[dict[str, Any]] = []
    for _ in range(games):
        players = rng.permutation(PLAYERS)[: sum(sizes)]
        teams = np.split(players, np.cumsum(sizes)[:-1])
        shown = [float(np.mean(skill[team]) + rng.normal(0.0, 200.0)) for team in teams]
        matches.append({"teams": [[f"player {p}" for p in team] for team in teams], "scores": shown})
    fit = model.fit(History.from_matches(matches), progress=False)
    board = fit.leaderboard()
    return float((board["mu"] - model.rating().mu).sum())


def conserved(games: int, seed: int) -> Section:
    """Return a section on how the sum of all ratings changes in simulated leagues."""
    import polars as pl

    cases: dict[str, tuple[Model, tuple[int, ...]]] = {
        "Elo, two players": (Elo(), (1, 1)),
        "Elo, free-for-all of six": (Elo(), (1,) * 6),
        "Elo, three against three": (Elo(), (3, 3)),
        "Elo, two against four": (Elo(), (2, 4)),
        "Elo with FIDE's K, two players": (Elo(k=Fide()), (1, 1)),
        "Glicko, two players": (Glicko(period=None), (1, 1)),
    }
    made = {name: created(model, sizes, games, seed) for name, (model, sizes) in cases.items()}
    # Adding 0.0 turns −0.0 into 0.0.
    rows = [{"system": name, "points created": round(points, 1) + 0.0} for name, points in made.items()]
    same = list(made)[:3]
    uneven, fide = list(made.values())[3:5]
    claims = (
        Claim(
            "There is a finite amount of Elo to be won or lost",
            all(abs(made[name]) < 1e-6 for name in same),
            "with one K for all players, the sum stays the same for two players, free-for-alls and teams of equal size",
        ),
        Claim(
            "There is also a finite amount of Elo with FIDE's adjustments of K, and between teams of different size",
            max(abs(uneven), abs(fide)) < 1e-6,
            f"the sum changes: {uneven:+.0f} points for two against four, {fide:+.0f} with FIDE's K".replace("-", "−"),
        ),
    )
    text = (
        f"How {games:,} games between {PLAYERS} players of different skill, who all start at 1500, change the sum of"
        " all ratings. One player gains what the other loses, as long as both have the same K."
    )
    return Section("Is there a finite amount of Elo?", text, pl.DataFrame(rows), None, claims)
