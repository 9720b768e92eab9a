"""Fingerprints: whether two runs, perhaps on two machines and in two years, look at the same matches and model."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import Error
from ...history import History

if TYPE_CHECKING:
    from ...model.model import Model

__all__ = ["of_history", "of_model", "short", "title"]

COLUMNS = ("match_start", "team_start", "place", "score", "time", "weight", "importance", "home")


def short(*parts: str) -> str:
    """A short name for what was said.

    >>> short("a", "b") == short("a", "b") != short("ab")
    True
    """
    return sha256("\0".join(parts).encode()).hexdigest()[:16]


def of_history(history: History) -> str:
    """A name for what was played and by whom, whatever the numbers by which a history knows its players.

    >>> matches = [{"teams": [["ann"], ["bob"]]}, {"teams": [["cat"], ["bob"]]}]
    >>> one, other = (of_history(History.from_matches(some)) for some in (matches, matches[::-1]))
    >>> one == of_history(History.from_matches(matches)) != other
    True
    """
    known, first, number = np.unique(history.player, return_index=True, return_inverse=True)
    order = np.argsort(first)  # the players as they appear
    rank = np.empty(len(known), np.int64)
    rank[order] = np.arange(len(known))
    found = sha256(json.dumps([history.time_kind, history.time_zone]).encode())
    found.update("\0".join(history.players[player] for player in known[order]).encode("utf-8", "surrogatepass"))
    for name, column in [("player", rank[number]), *((name, getattr(history, name)) for name in COLUMNS)]:
        if column is not None:
            found.update(f"{name} {len(column)}".encode())
            found.update(np.ascontiguousarray(column, "<f8").data)
    return found.hexdigest()[:16]


def of_model(model: Model) -> str:
    """A name for a model and all its parameters; parts of your own go by what they print.

    >>> import prowess as pw
    >>> of_model(pw.Elo()) == of_model(pw.Elo(k=32)) != of_model(pw.Elo(k=20))
    True
    """
    try:
        plain = json.loads(json.dumps(model.to_dict()), parse_int=float)  # 32 is 32.0
        return short(json.dumps(plain, sort_keys=True))
    except Error:
        return short(title(model))


def title(thing: Any) -> str:
    """What a thing is called in a file: a function by its module and name, anything else by what it prints.

    >>> title(title)
    'prowess.lab.tune.fingerprint.title'
    """
    name = getattr(thing, "__qualname__", "")
    return f"{thing.__module__}.{name}" if name else re.sub(r" at 0x[0-9A-Fa-f]+", "", repr(thing))
