"""Which field of a request an error is about, by the words of its message."""

from __future__ import annotations

import re

__all__ = ["field_of"]

# The keys of a match, and other words by which messages of the library speak of them.
_WORDS = {
    "team": "teams",
    "player": "teams",
    "players": "teams",
    "name": "teams",
    "rank": "ranks",
    "score": "scores",
    "weight": "weights",
} | {key: key for key in ("teams", "ranks", "scores", "time", "weights", "importance", "home", "id")}
_MATCH = re.compile(r"match (\d+): ")
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
_WORD = re.compile(rf"\b({'|'.join(_WORDS)})\b")
_UNKNOWN = re.compile(r"(?:there is no key|no parameter or part is called) (?:'([^']*)'|\"([^\"]*)\")")
_PLAYER = {  # messages that begin with a player's name
    "weights": re.compile(r" has the weight \S+: a weight is a number from "),
    "teams": re.compile(r" (?:stands|plays|is named) .*(?:: a player plays for one team|twice)"),
}
_FIRST = re.compile(r"`?(\w+)`?(?: must\b|: )")


def field_of(message: str, single: bool = False) -> str | None:
    """The field that a message of the library names; of a `single` match it stands in no list.

    Names of players are in quotes, and are no words of ours.

    >>> field_of("match 3: ranks must be a list of numbers, not 'home'")
    'matches[2].ranks'
    >>> field_of("match 1: 'time' is no name of a player", single=True)
    'teams'
    >>> field_of("beta must be a number above 0, not -1")
    'beta'
    >>> field_of("clock: it is one of utc, number, none, not 'local'")
    'clock'
    """
    where = _MATCH.match(message)
    place = f"matches[{int(where[1]) - 1}]" if where and not single else ""
    rest = message[where.end() :] if where else message
    if unknown := _UNKNOWN.match(rest):
        return _joined(place, unknown[1] or unknown[2])
    for field, pattern in _PLAYER.items():
        if where and pattern.search(rest):
            return _joined(place, field)
    plain = _QUOTED.sub("", rest)
    if first := _FIRST.match(plain):
        return _joined(place, _WORDS.get(first[1], first[1]) if where else first[1])
    named = _WORD.search(plain)
    return _joined(place, _WORDS[named[1]] if named else "") or None


def _joined(path: str, step: str) -> str:
    return f"{path}.{step}" if path and step else path or step
