"""Random leagues of players with true skills, as rosters for other packages and as a history for prowess."""

from dataclasses import dataclass

import numpy as np
import polars as pl

import prowess as pw

MU, SIGMA, BETA = 25.0, 25 / 3, 25 / 6


def scaled(count: int, scale: float, least: int = 100) -> int:
    """Return a size at this scale; tables always name the size at a scale of 1."""
    return max(least, int(count * scale))


@dataclass(frozen=True)
class Workload:
    """A number of matches between `teams` teams of `size` players each."""

    name: str
    matches: int
    players: int
    teams: int = 2
    size: int = 1

    def rosters(self, seed: int = 0) -> np.ndarray:
        """Return distinct player numbers as an array [match, team, member]; the winning team is listed first."""
        rng = np.random.default_rng(seed)
        shape = (self.matches, self.teams * self.size)
        if shape[1] ** 2 > 4 * self.players:  # redrawing until nobody is drawn twice would take too long
            flat = rng.permuted(np.tile(np.arange(self.players), (self.matches, 1)), axis=1)[:, : shape[1]]
        else:
            flat = _distinct(rng, self.players, shape)
        roster = flat.reshape(self.matches, self.teams, self.size)
        skill = rng.normal(MU, SIGMA, self.players)
        performance = (skill[roster] + rng.normal(0, BETA, roster.shape)).sum(axis=2)
        order = np.argsort(-performance, axis=1)
        return np.take_along_axis(roster, order[:, :, None], axis=1)


def _distinct(rng: np.random.Generator, players: int, shape: tuple[int, int]) -> np.ndarray:
    """Return rows of distinct player numbers; a row with a repetition is redrawn."""
    flat = rng.integers(0, players, shape)
    while True:
        ranked = np.sort(flat, axis=1)
        again = (ranked[:, 1:] == ranked[:, :-1]).any(axis=1)
        if not again.any():
            return flat
        flat[again] = rng.integers(0, players, (int(again.sum()), shape[1]))


def frame(rosters: np.ndarray) -> pl.DataFrame:
    """Return a frame with one row per match (winner, loser) for 1v1, or one row per player for larger matches."""
    matches, teams, size = rosters.shape
    if (teams, size) == (2, 1):
        return pl.DataFrame({"winner": rosters[:, 0, 0], "loser": rosters[:, 1, 0]})
    team = np.tile(np.repeat(np.arange(1, teams + 1), size), matches)
    match = np.repeat(np.arange(matches), teams * size)
    return pl.DataFrame({"match": match, "team": team, "player": rosters.ravel(), "place": team})


def history(rosters: np.ndarray) -> pw.History:
    return pw.History.from_frame(frame(rosters))
