"""The other packages as their users call them: ratings in a dictionary, one match after the other."""

from collections.abc import Callable

import numpy as np
import trueskill
from openskill.models import PlackettLuce


def play(rosters: np.ndarray, newcomer: Callable[[], object], rate: Callable) -> dict:
    """Rate the matches in order, the winning team being listed first; the ratings at the end."""
    ratings: dict[int, object] = {}
    for teams in rosters.tolist():
        before = [[ratings[player] if player in ratings else newcomer() for player in team] for team in teams]
        for team, rated in zip(teams, rate(before), strict=True):
            ratings.update(zip(team, rated, strict=True))
    return ratings


def play_trueskill(rosters: np.ndarray) -> dict:
    """Rate the matches with `trueskill.rate`, default backend."""
    return play(rosters, trueskill.Rating, trueskill.rate)


def play_openskill(rosters: np.ndarray) -> dict:
    """Rate the matches with openskill's Plackett-Luce."""
    model = PlackettLuce()
    return play(rosters, model.rating, model.rate)
