"""Who has met whom, by the numbers of players in a queue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..checks import scale
from ..errors import Error
from ..history import History, name_of
from ..history.ragged import owners

__all__ = ["Meetings", "Met", "meetings"]

Met: TypeAlias = "History | Mapping[tuple[str, str], float] | Iterable[tuple[str, str]]"
Meetings: TypeAlias = tuple[NDArray[np.int64], NDArray[np.float64]]


def meetings(what: str, met: Met, numbers: Mapping[str, int]) -> Meetings:
    """Pairs of different players of a queue, the lower number first, and how often they met; of others nothing is said.

    >>> meetings("met", [("ann", "bob"), ("bob", "ann"), ("ann", "zoe")], {"ann": 0, "bob": 1})
    (array([[0, 1]]), array([2.]))
    """
    if isinstance(met, History):
        pairs = _opponents(met, numbers)
        times = np.ones(len(pairs))
    else:
        pairs, times = _listed(what, met, numbers)
    pairs = np.sort(pairs, axis=1)
    times, pairs = times[pairs[:, 0] < pairs[:, 1]], pairs[pairs[:, 0] < pairs[:, 1]]
    found, which = np.unique(pairs, axis=0, return_inverse=True)
    return found, np.bincount(which.reshape(-1), times, len(found)).astype(np.float64)


def _listed(what: str, met: Any, numbers: Mapping[str, int]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The pairs that somebody wrote down, once each or with a number."""
    if isinstance(met, str) or not isinstance(met, Iterable):
        raise Error(f"{what} must hold pairs of names, such as [('ann', 'bob')], not {met!r}")
    pairs, times = [], []
    for pair in met:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise Error(f"{what} must hold pairs of names, such as ('ann', 'bob'), not {pair!r}")
        one, two = name_of(pair[0]), name_of(pair[1])
        often = scale(f"{what}[{one!r}, {two!r}]", met[pair], zero=True) if isinstance(met, Mapping) else 1.0
        if one in numbers and two in numbers:
            pairs.append((numbers[one], numbers[two]))
            times.append(often)
    return np.array(pairs, np.int64).reshape(-1, 2), np.array(times, np.float64)


def _opponents(history: History, numbers: Mapping[str, int]) -> NDArray[np.int64]:
    """The pairs of players who were in different teams of a match, once for every match."""
    number = np.array([numbers.get(name, -1) for name in history.players], np.int64)
    here = np.flatnonzero(number[history.player] >= 0) if len(number) else np.empty(0, np.int64)
    team = owners(history.team_start)[here]
    match = owners(history.match_start)[team]
    player = number[history.player[here]] if len(here) else here
    found = [np.empty((0, 2), np.int64)]
    entry, step = np.arange(len(here)), 1
    while len(entry):  # those of whose match there is another entry so many places further on
        entry = entry[entry + step < len(here)]
        entry = entry[match[entry] == match[entry + step]]
        against = entry[team[entry] != team[entry + step]]
        found.append(np.stack([player[against], player[against + step]], axis=1))
        step += 1
    return np.concatenate(found)
