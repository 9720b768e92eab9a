"""How a match ended, in the order in which people read it, and in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....history.ragged import places
from ....text import join_words
from .filters import day, figure

NAMED = 3  # players of a team who are named in a sentence
TEAMS = 4  # teams that are, and numbers
WORDS = {
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
    """A team of a match: where it stands in it, and what it scored; `shared` if others have the same place.

    >>> sides_by_place({"teams": [["ann"], ["bob"]], "scores": [1, 1]})[0].shared
    True
    """

    team: int
    names: Sequence[str]
    place: int
    score: float | None
    shared: bool
    home: bool


def sides_by_place(match: Mapping[str, Any]) -> list[Side]:
    """The teams of a match as it is recorded, the winner first.

    >>> [one.names for one in sides_by_place({"teams": [["ann"], ["bob"]], "scores": [1, 3]})]
    [['bob'], ['ann']]
    """
    teams, ranks, scores = match["teams"], match.get("ranks"), match.get("scores")
    order = ranks if ranks is not None else range(len(teams)) if scores is None else [-one for one in scores]
    place = places(np.array([0, len(teams)]), np.array(order, np.float64)).tolist()
    alike = Counter(place)
    found = [
        Side(
            k,
            names,
            place[k],
            None if scores is None else scores[k],
            alike[place[k]] > 1,
            match.get("home") == k,
        )
        for k, names in enumerate(teams)
    ]
    return sorted(found, key=lambda one: one.place)


def team_text(names: Sequence[str], most: int = NAMED) -> str:
    """A team in a sentence; of a large one, some names.

    >>> team_text(["ann"]), team_text(["ann", "bob", "cat"]), team_text(["ann", "bob", "cat", "dan", "eve"])
    ('ann', 'ann, bob and cat', 'ann, bob and 3 others')
    """
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} others"
    return join_words(names)


def result_sentence(match: Mapping[str, Any]) -> str:
    """How a match ended, in a few words.

    >>> result_sentence({"teams": [["ann"], ["bob"]], "scores": [1, 3]})
    'bob beat ann 3 : 1'
    >>> result_sentence({"teams": [["ann", "dan"], ["bob"]], "ranks": [1, 1]})
    'ann and dan drew with bob'
    >>> result_sentence({"teams": [["ann"], ["bob"], ["cat"]], "ranks": [2, 1, 2]})
    'bob won, ahead of ann and cat'
    >>> result_sentence({"teams": [["ann"], ["bob"], ["cat"]], "ranks": [1, 1, 2]})
    'ann and bob share the first place, ahead of cat'
    """
    found = sides_by_place(match)
    teams = [team_text(one.names) for one in found]
    won = [one for one in found if one.place == found[0].place]
    if len(found) == 2:
        scores = "" if found[0].score is None else f" {' : '.join(figure(one.score or 0.0) for one in found)}"
        return f"{teams[0]} {'drew with' if len(won) == 2 else 'beat'} {teams[1]}{scores}"
    first, rest = teams[: len(won)], teams[len(won) :]
    said = f"{teams[0]} won" if len(won) == 1 else f"{team_text(first, TEAMS)} share the first place"
    return f"{said}, ahead of {team_text(rest, TEAMS)}" if rest else said


def edit_differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """What an edit of a match has changed, in words.

    >>> edit_differences({"scores": [3, 1], "time": 1.0}, {"scores": [3, 2], "time": 1.0, "home": 0})
    ['scores 3 : 1 → 3 : 2', 'home team – → team 1']
    """
    changed = [key for key in WORDS if old.get(key) != new.get(key)]
    return [WORDS[key] + _change(key, old.get(key), new.get(key)) for key in changed]


def _change(key: str, old: Any, new: Any) -> str:
    if key == "weights":
        return ""
    if key == "teams" and (old is None or new is None or max(len(old), len(new)) > TEAMS):
        return ""
    return f" {_value(key, old)} → {_value(key, new)}"


def _value(key: str, value: Any) -> str:
    if value is None:
        return "1" if key == "importance" else "–"
    if key == "teams":
        return " against ".join(team_text(one) for one in value)
    if key == "time":
        return day(value)
    if key == "home":
        return f"team {value + 1}"
    if isinstance(value, list):
        return " : ".join(map(figure, value[:TEAMS])) + (" …" if len(value) > TEAMS else "")
    return figure(value)
