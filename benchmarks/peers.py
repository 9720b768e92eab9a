"""Other rating packages, called as their users call them: ratings in a dictionary, one match after another."""

from collections.abc import Callable
from importlib import import_module

import numpy as np
import trueskill
from openskill.models import PlackettLuce

# The packages that `make test` does not install, with their modules.
OPTIONAL = {
    "evalica": "evalica",
    "glicko2": "glicko2",
    "kickscore": "kickscore",
    "riix": "riix",
    "trueskillthroughtime": "trueskillthroughtime",
    "whole-history-rating": "whr",
}


def installed(package: str) -> bool:
    """Return whether an optional package is installed; the table says so if it is not."""
    try:
        import_module(OPTIONAL[package])
    except ModuleNotFoundError as error:
        if error.name != OPTIONAL[package]:
            raise
        return False
    return True


def play(rosters: np.ndarray, newcomer: Callable[[], object], rate: Callable) -> dict:
    """Rate the matches in order, and return the final ratings; the winning team of a match is listed first."""
    ratings: dict[int, object] = {}
    for teams in rosters.tolist():
        before = [[ratings[player] if player in ratings else newcomer() for player in team] for team in teams]
        for team, rated in zip(teams, rate(before), strict=True):
            ratings.update(zip(team, rated, strict=True))
    return ratings


def play_trueskill(rosters: np.ndarray) -> dict:
    """Rate the matches with `trueskill.rate` and its default backend."""
    return play(rosters, trueskill.Rating, trueskill.rate)


def play_openskill(rosters: np.ndarray) -> dict:
    """Rate the matches with openskill's Plackett-Luce model."""
    model = PlackettLuce()
    return play(rosters, model.rating, model.rate)
