"""How a match ended: its teams in the order of their places, its result in words, and what an edit changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....history.ragged import places
from ....text import join_words
from .filters import day, figure

NAMED = 3  # players of a team named in a sentence
TEAMS = 4  # teams that are named, and numbers that are listed
LABELS = {
    "teams": "players",
    "ranks": "places",
    "scores": "scores",
    "time": "time",
    "home": "home team",
    "importance": "importance",
    "weights": "shares of play",
}


@dataclass(frozen=True)
class Side:
    """A team of a match with its place and score; `shared` if other teams have the same place."""

    team: int
    names: Sequence[str]
    place: int
    score: float | None
    shared: bool
    home: bool


def sides_by_place(match: Mapping[str, Any]) -> list[Side]:
    """Return the teams of a recorded match, winner first.

    >>> [side.names for side in sides_by_place({"teams": [["ann"], ["bob"]], "scores": [1, 3]})]
    [['bob'], ['ann']]
    >>> sides_by_place({"teams": [["ann"], ["bob"]], "scores": [1, 1]})[0].shared
    True
    """
    teams, ranks, scores = match["teams"], match.get("ranks"), match.get("scores")
    order = ranks if ranks is not None else range(len(teams)) if scores is None else [-score for score in scores]
    place = places(np.array([0, len(teams)]), np.array(order, np.float64)).tolist()
    count = Counter(place)
    sides = [
        Side(k, names, place[k], None if scores is None else scores[k], count[place[k]] > 1, match.get("home") == k)
        for k, names in enumerate(teams)
    ]
    return sorted(sides, key=lambda side: side.place)


def team_text(names: Sequence[str], most: int = NAMED) -> str:
    """Name a team in a sentence; for a large team, name only some players.

    >>> team_text(["ann"]), team_text(["ann", "bob", "cat"]), team_text(["ann", "bob", "cat", "dan", "eve"])
    ('ann', 'ann, bob and cat', 'ann, bob and 3 others')
    """
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} others"
    return join_words(names)


def result_sentence(match: Mapping[str, Any]) -> str:
    """Say in a few words how a match ended.

    >>> result_sentence({"teams": [["ann"], ["bob"]], "scores": [1, 3]})
    'bob beat ann 3 : 1'
    >>> result_sentence({"teams": [["ann", "dan"], ["bob"]], "ranks": [1, 1]})
    'ann and dan drew with bob'
    >>> result_sentence({"teams": [["ann"], ["bob"], ["cat"]], "ranks": [2, 1, 2]})
    'bob won, ahead of ann and cat'
    >>> result_sentence({"teams": [["ann"], ["bob"], ["cat"]], "ranks": [1, 1, 2]})
    'ann and bob tied for first, ahead of cat'
    """
    sides = sides_by_place(match)
    teams = [team_text(side.names) for side in sides]
    winners = sum(side.place == sides[0].place for side in sides)
    if len(sides) == 2:
        scores = "" if sides[0].score is None else f" {' : '.join(figure(side.score or 0.0) for side in sides)}"
        return f"{teams[0]} {'drew with' if winners == 2 else 'beat'} {teams[1]}{scores}"
    first, rest = teams[:winners], teams[winners:]
    result = f"{teams[0]} won" if winners == 1 else f"{team_text(first, TEAMS)} tied for first"
    return f"{result}, ahead of {team_text(rest, TEAMS)}" if rest else result


def edit_differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Say what an edit changed in a match.

    >>> edit_differences({"scores": [3, 1], "time": 1.0}, {"scores": [3, 2], "time": 1.0, "home": 0})
    ['scores 3 : 1 → 3 : 2', 'home team – → team 1']
    """
    differences = []
    for key, label in LABELS.items():
        before, after = old.get(key), new.get(key)
        if before != after:
            long = key == "weights" or (key == "teams" and not 0 < max(len(before or ()), len(after or ())) <= TEAMS)
            differences.append(label if long else f"{label} {_value(key, before)} → {_value(key, after)}")
    return differences


def _value(key: str, value: Any) -> str:
    if value is None:
        return "1" if key == "importance" else "–"
    if key == "teams":
        return " against ".join(map(team_text, value))
    if key == "time":
        return day(value)
    if key == "home":
        return f"team {value + 1}"
    if isinstance(value, list):
        return " : ".join(map(figure, value[:TEAMS])) + (" …" if len(value) > TEAMS else "")
    return figure(value)
