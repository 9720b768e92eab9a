"""Matches as the journal keeps them: a text of JSON for each, written from columns and read into columns."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..history.history import History
from ..history.matches import from_matches
from ..history.times import show_time

__all__ = ["Clock", "bodies", "body", "history_of"]

Clock = Literal["utc", "number", "none"]
WHOLE = 2.0**53  # below it a float that is whole is written as an integer
LEFT_OUT = ("time", "id")  # which have columns of their own in the journal


def body(match: Mapping[str, Any]) -> str:
    """Write a match in the one way in which the journal has it: what means the same has the same text.

    Blanks around names go, 3.0 is 3, ranks become places, and what follows from the rest is left out: ranks that are
    those of the scores, weights and importance of 1. The time and the id are not part of it.

    >>> body({"teams": [["ann", "bob"], [" cat "]], "scores": [3.0, 1.5], "ranks": [1, 5], "importance": 1})
    '{"teams":[["ann","bob"],["cat"]],"scores":[3,1.5]}'
    >>> body({"teams": [["ann"], ["bob"]]})
    '{"teams":[["ann"],["bob"]],"ranks":[1,2]}'
    """
    plain = {key: value for key, value in match.items() if key not in LEFT_OUT}
    return bodies(from_matches([plain], where=lambda match: "the match"))[0]


def bodies(history: History) -> list[str]:
    """Write all matches of a history, each as `body` does.

    >>> bodies(History.from_matches([{"teams": [["ann"], ["bob"]], "ranks": [4, 4], "home": 1}]))
    ['{"teams":[["ann"],["bob"]],"ranks":[1,1],"home":1}']
    """
    order = ("teams", "ranks", "scores", "weights", "importance", "home")
    return [
        json.dumps({key: _neat(match[key]) for key in order if key in match}, ensure_ascii=False, separators=(",", ":"))
        for match in history
    ]


def _neat(value: Any) -> Any:
    """Numbers that are whole as integers."""
    if isinstance(value, list):
        return [_neat(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < WHOLE else value


def history_of(seq: ArrayLike, time: ArrayLike, ids: Sequence[str], bodies: Sequence[str], clock: Clock) -> History:
    """Make a history of rows of the journal, in any order: its matches stand in the order of (time, seq).

    >>> texts = [body({"teams": [["bob"], ["ann"]]}), body({"teams": [["ann"], ["bob"]], "scores": [2, 2]})]
    >>> history_of([1, 2], [7.0, 5.0], ["x", "y"], texts, "number")[0]
    {'teams': [['ann'], ['bob']], 'scores': [2.0, 2.0], 'time': 5.0, 'id': 'y'}
    """
    moment = np.asarray(time, np.float64)
    matches = []
    for row in np.lexsort((np.asarray(seq), moment)).tolist():
        match = {**json.loads(bodies[row]), "id": ids[row]}
        if clock == "utc":
            match["time"] = show_time("timestamp", "UTC", moment[row])
        elif clock == "number":
            match["time"] = moment[row]
        matches.append(match)
    return from_matches(matches, recognised="the journal of a league")
