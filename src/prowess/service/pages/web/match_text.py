"""The result of a match in words, and the differences that an edit makes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....history import sentences
from ....history.sentences import TEAMS, team_text
from .filters import day, figure
from .match_context import column_label, value_text

LABELS = {
    "teams": "players",
    "ranks": "places",
    "scores": "scores",
    "time": "time",
    "home": "home team",
    "importance": "importance",
    "weights": "playing time",
}


def result_sentence(match: Mapping[str, Any]) -> str:
    """Describe the result of a match in a short sentence, with scores as the pages write them.

    >>> result_sentence({"teams": [["ann"], ["bob"]], "scores": [1, 3]})
    'bob beat ann 3 : 1'
    """
    return sentences.result_sentence(match, lambda scores: " : ".join(map(figure, scores)))


def edit_differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Describe what an edit changed in a match.

    >>> edit_differences({"scores": [3, 1], "time": 1.0}, {"scores": [3, 2], "time": 1.0, "home": 0})
    ['scores 3 : 1 → 3 : 2', 'home team – → team 1']
    """
    differences = []
    for key, label in LABELS.items():
        before, after = old.get(key), new.get(key)
        if before != after:
            long = key == "weights" or (key == "teams" and not 0 < max(len(before or ()), len(after or ())) <= TEAMS)
            differences.append(label if long else f"{label} {_value(key, before)} → {_value(key, after)}")
    return differences + _context_differences(old.get("context") or {}, new.get("context") or {})


def _context_differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    return [
        f"{column_label(name)} {value_text(old.get(name)) or '–'} → {value_text(new.get(name)) or '–'}"
        for name in dict.fromkeys([*old, *new])
        if old.get(name) != new.get(name)
    ]


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
