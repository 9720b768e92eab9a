"""Matches as sentences, such as "Ann and Bob beat Cat and Dan 6:3"."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from ..text import join_words
from .ragged import places

if TYPE_CHECKING:
    from .history import History

NAMED = 3  # players of a team named in a sentence
TEAMS = 4  # teams named in a sentence


@dataclass(frozen=True)
class Side:
    """A team of a match with its place and score; `shared` is true if another team has the same place."""

    team: int
    names: Sequence[str]
    place: int
    score: float | None
    shared: bool
    home: bool


def sides_by_place(match: Mapping[str, Any]) -> list[Side]:
    """Return the teams of a match, winner first.

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


def score_text(scores: Sequence[float]) -> str:
    """Format the scores of two teams.

    >>> score_text([6, 3]), score_text([2.5, 1200])
    ('6:3', '2.5:1200')
    """
    return ":".join(f"{score:.0f}" if score == round(score) else f"{score:g}" for score in scores)


def result_sentence(match: Mapping[str, Any], write_scores: Callable[[Sequence[float]], str] = score_text) -> str:
    """Describe the result of a match in a short sentence; `write_scores` formats the scores of two teams.

    >>> result_sentence({"teams": [["ann"], ["bob"]], "scores": [1, 3]})
    'bob beat ann 3:1'
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
        scores = [side.score for side in sides if side.score is not None and np.isfinite(side.score)]
        result = f" {write_scores(scores)}" if len(scores) == 2 else ""
        return f"{teams[0]} {'drew with' if winners == 2 else 'beat'} {teams[1]}{result}"
    first, rest = teams[:winners], teams[winners:]
    result = f"{teams[0]} won" if winners == 1 else f"{team_text(first, TEAMS)} tied for first"
    return f"{result}, ahead of {team_text(rest, TEAMS)}" if rest else result


def describe_matches(history: "History", number: int = 2) -> list[str]:
    """Describe each of the first matches in a sentence, with the home team and the time.

    >>> from .history import History
    >>> doubles = {"teams": [["Ann", "Bob"], ["Cat", "Dan"]], "scores": [6, 3], "home": 0, "time": "2026-04-03"}
    >>> describe_matches(History.from_matches([doubles]))
    ['Ann and Bob beat Cat and Dan 6:3 at home on 2026-04-03']
    """
    return [_describe(history[index]) for index in range(min(number, len(history)))]


def _describe(match: Mapping[str, Any]) -> str:
    first = sides_by_place(match)[0]
    venue = "" if match.get("home") is None else " at home" if first.home else " away"
    time = match.get("time")
    when = "" if time is None else f" on {time}" if isinstance(time, (date, datetime)) else f" at time {time:g}"
    return result_sentence(match) + venue + when
