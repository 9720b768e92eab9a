"""Simulated Halo games in the format of the real files, which may not be redistributed."""

from __future__ import annotations

from pathlib import Path

import numpy as np

# Teams, players per team, mean points of a player, and points per unit of skill.
MODES = {
    "FreeForAll.csv": (8, 1, 12, 1.0),
    "SmallTeam.csv": (2, 4, 1, 0.12),
    "HeadToHead.csv": (2, 1, 10, 0.6),
    "LargeTeam.csv": (2, 8, 2, 0.1),
}


def games(file: str, number: int, seed: int = 0, players: int = 0) -> list[str]:
    """Return the lines of a file; skills are normally distributed, and some players play much more than others."""
    teams, size, points, worth = MODES[file]
    rng = np.random.default_rng([seed, number, teams, size])
    players = players or max(4 * teams * size, number // 8)
    ids = rng.choice(8_000_000_000_000_000, players, replace=False) + 1_000_000_000_000_000
    skill = rng.normal(0.0, 5.0, players)
    eager = (1.0 + np.arange(players)) ** -0.8
    lines = []
    for game in range(number):
        keys = rng.random(players) ** (1.0 / eager)
        chosen = np.argpartition(-keys, teams * size)[: teams * size]
        shown = skill[chosen] + rng.normal(0.0, 25 / 6, len(chosen))
        score = np.round(points + worth * shown).astype(int)
        when = f"{8 + game // 5000:02d} July 2004 {game // 210 % 24:02d}:{game // 4 % 60:02d}:00"
        for seat, (player, got) in enumerate(zip(chosen, score, strict=True)):
            lines.append(f"{when},{215333 + game},2,10,{ids[player]},{seat // size},{got}\n")
    return lines


def write(folder: Path, number: int = 300, files: tuple[str, ...] = tuple(MODES), seed: int = 0) -> Path:
    """Write a file for every game mode with the given number of games."""
    for file in files:
        (folder / file).write_text("".join(games(file, number, seed)), encoding="utf-8")
    return folder
