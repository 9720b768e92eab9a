"""A newcomer's path: how the four systems of Stout, A Manifesto of Skill (2025), react to the same games."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from prowess.history import History
from prowess.history.ragged import Floats
from prowess.lab.interval import Interval
from prowess.lab.report import Claim, Section
from prowess.model.model import Model
from prowess.model.presets import Elo, Glicko, Harkness, TrueSkill

from ..charts import Axis, curves

START = 1500.0
EVENT = 5.0  # number of games that Harkness rates together
AFTER = 10  # the systems are compared after this many games

SYSTEMS: dict[str, Model] = {
    "Harkness": Harkness(period=EVENT),
    "Elo": Elo(),
    "Glicko": Glicko(period=None),
    # TrueSkill is on Elo's scale, so that all systems share one axis.
    "TrueSkill": TrueSkill(mu=START, sigma=350.0, beta=200.0, tau=3.5, draw_probability=0.0),
}


@dataclass(frozen=True, eq=False)
class Newcomers:
    """Newcomers with their true skills, and their games against opponents whose ratings are known."""

    skill: Floats
    history: History
    opponents: dict[str, float]
    known: float

    def paths(self, model: Model) -> Floats:
        """Return every newcomer's rating before the first game and after each game: newcomers × (games + 1)."""
        start = {name: model.rating(rating, self.known) for name, rating in self.opponents.items()}
        fit = model.fit(self.history, start=start, progress=False)
        curves = [[START, *fit.trajectory(f"newcomer {row}")["mu"].to_list()] for row in range(len(self.skill))]
        games = np.arange(len(curves[0]))
        if model.period is not None:  # during an event, the rating after the previous event applies
            games -= games % int(model.period)
        return np.array(curves)[:, games]


def _simulated(skill: Floats, given: dict[str, Any], rng: np.random.Generator) -> Newcomers:
    """Simulate games against opponents of known skill; the probability of a win is Elo's expected score."""
    opponent = rng.normal(START, given["spread"], (len(skill), given["games"]))
    chance = 1.0 / (1.0 + 10.0 ** ((opponent - skill[:, None]) / 400.0))
    won = rng.random(chance.shape) < chance
    matches = [
        {
            # Every opponent plays only once, so that no opponent's known rating changes.
            "teams": [[f"newcomer {row}"], [f"opponent {row} {game}"]],
            "ranks": [1, 2] if won[row, game] else [2, 1],
            "time": game,
        }
        for row, game in np.ndindex(*won.shape)
    ]
    ratings = {f"opponent {row} {game}": float(rating) for (row, game), rating in np.ndenumerate(opponent)}
    return Newcomers(skill, History.from_matches(matches), ratings, given["known"])


def newcomer(published: dict[str, Any], seed: int) -> Section:
    """Return a section on one newcomer, whose games are rated by four systems."""
    import polars as pl

    given = published["newcomer"]
    skill = np.array([float(given["skill"])])
    # Each section has its own random stream, so that a change to one section does not change the other.
    games = _simulated(skill, given, np.random.default_rng([seed, 1]))
    points = [
        {"system": name, "game": game, "rating": float(rating)}
        for name, model in SYSTEMS.items()
        for game, rating in enumerate(games.paths(model)[0])
    ]
    chart = curves(
        pl.DataFrame(points),
        Axis("game", "games played"),
        Axis("rating", "rating (points)"),
        colour="system",
        rule=float(given["skill"]),
        title=f"A newcomer of skill {given['skill']} in her first {given['games']} games",
        subtitle=f"dotted: her skill; all systems rate the same results; Harkness rates events of {EVENT:g} games",
    )
    text = (
        f"A newcomer starts at 1500 and meets players of known skill around 1500 ± {given['spread']}; she wins with the"
        " probability of equation (3). Elo moves in small steps of similar size. Glicko and TrueSkill move in large"
        " steps while the rating is uncertain. Harkness uses only the last event."
    )
    return Section("A newcomer's path", text, None, chart)


def newcomers(published: dict[str, Any], number: int, seed: int) -> Section:
    """Return a section on many newcomers: how far their ratings are from their skills, game by game."""
    import polars as pl

    given, rng = published["newcomer"], np.random.default_rng([seed, 2])
    games = _simulated(rng.normal(START, given["spread"], number), given, rng)
    squares = {name: (games.paths(model) - games.skill[:, None]) ** 2 for name, model in SYSTEMS.items()}
    points = [
        {"system": name, "game": game, "error": sqrt(float(error))}
        for name, square in squares.items()
        for game, error in enumerate(square.mean(axis=0))
    ]
    frame = pl.DataFrame(points)
    shown = (1, 5, AFTER, 20, given["games"])
    rows = [
        {"system": name} | {f"after {game}": round(sqrt(float(square[:, game].mean()))) for game in shown}
        for name, square in squares.items()
    ]
    chart = curves(
        frame,
        Axis("game", "games played"),
        Axis("error", "root mean square error (points)", (0, 350)),
        colour="system",
        title="How soon newcomers' ratings are right",
        subtitle=f"{number} newcomers of skill 1500 ± {given['spread']}",
    )
    text = f"The root mean square error of the ratings of {number} newcomers by number of games, in points."
    return Section("How soon newcomers' ratings are right", text, pl.DataFrame(rows), chart, _claims(squares))


def _claims(squares: dict[str, Floats]) -> tuple[Claim, ...]:
    found = []
    for name in ("Glicko", "TrueSkill"):
        apart = squares["Elo"][:, AFTER] - squares[name][:, AFTER]
        lead = Interval.normal(float(apart.mean()), float(apart.std(ddof=1)) / sqrt(len(apart)))
        errors = [sqrt(float(squares[system][:, AFTER].mean())) for system in ("Elo", name)]
        evidence = f"error after {AFTER} games {errors[0]:.0f} against {errors[1]:.0f} points;"
        evidence += f" difference of the mean squares: {lead.words(0)}"
        found.append(Claim(f"{name} finds a newcomer's skill sooner than Elo", lead.above_zero, evidence))
    return tuple(found)
