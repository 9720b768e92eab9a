"""One match as most are given: made without the columns that pay only for many."""

from typing import Any

import numpy as np

from ..errors import Remark
from ..validate import LARGEST
from .history import History

__all__ = ["single"]

_KEYS = frozenset(("teams", "ranks", "scores"))
_NUMBERS = frozenset((int, float))
_MATCH = np.array([0, 2], np.int32)


def single(match: Any, remarks: tuple[Remark, ...]) -> History | None:
    """The history of a match between two teams of plain text and numbers; None where it needs a closer look.

    >>> single({"teams": [["ann"], ["bob", "cat"]], "scores": [1, 3]}, ())
    History(1 match, 3 players, scores)
    >>> single({"teams": [["ann"], ["ann"]]}, ()) is None
    True
    """
    if type(match) is not dict or not match.keys() <= _KEYS:
        return None
    teams, ranks, scores = match.get("teams"), match.get("ranks"), match.get("scores")
    if type(teams) is not list or len(teams) != 2 or (ranks is not None and scores is not None):
        return None
    one, other = teams
    if type(one) is not list or type(other) is not list or not one or not other:
        return None
    players = (*one, *other)
    plain = all(type(name) is str and name.isascii() and name and name == name.strip() for name in players)
    if not plain or len(set(players)) < len(players):
        return None
    said = ranks if scores is None else scores
    if said is not None and not _are_numbers(said):
        return None
    first, second = (1, 2) if said is None else said
    if scores is not None:
        first, second = -first, -second
    return History(
        match_start=_MATCH,
        team_start=np.array([0, len(one), len(players)], np.int32),
        player=np.arange(len(players), dtype=np.int32),
        place=np.array([1 + (second < first), 1 + (first < second)], np.int32),
        score=None if scores is None else np.array(scores, np.float64),
        time=None,
        time_kind=None,
        time_zone=None,
        weight=None,
        importance=None,
        home=None,
        ids=None,
        players=players,
        remarks=remarks,
    )


def _are_numbers(said: Any) -> bool:
    """Tell whether something is two numbers that can be; NaN is none."""
    return (
        type(said) is list
        and len(said) == 2
        and all(type(number) in _NUMBERS and -LARGEST <= number <= LARGEST for number in said)
    )
