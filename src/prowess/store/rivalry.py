"""How some players of a league fared against each other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from ..history.encounters import Encounters, rivals
from .course import View

__all__ = ["rivalries"]


def rivalries(view: View, players: Sequence[str]) -> list[dict[str, Any]]:
    """Of each two players, in how many matches they met, and how often the first was ahead, level and behind.

    >>> from prowess import History, TrueSkill
    >>> from prowess.store.course import Course
    >>> course = Course(TrueSkill(), None, ())
    >>> course.extend(History.from_matches([{"teams": [["ann"], ["bob"]]}]), [1])
    >>> rivalries(course.view, ["bob", "ann"])
    [{'player': 'bob', 'opponent': 'ann', 'matches': 1, 'wins': 0, 'draws': 0, 'losses': 1}]
    """
    places = {name: view.places(view.entries(name)) for name in players}
    found = []
    for one, other in combinations(players, 2):
        counts = rivals(view.passage.history, places[one], places[other])
        found.append({"player": one, "opponent": other} | dict(zip(Encounters._fields[1:], counts, strict=True)))
    return found
