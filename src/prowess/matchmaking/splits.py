"""All splits of a group into teams, where they are few enough to compare them all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .rules import Rules

__all__ = ["all_splits"]

Splits = NDArray[np.int8]

CELLS = 2_000_000  # splits times players: 20 in two teams, 15 in three, 14 in pairs


def all_splits(rules: Rules, cells: int = CELLS) -> Splits | None:
    """The team of every player in every split that keeps the rules, a row for each; None where they are too many.

    Units are dealt out one after the other, in all ways at once. Teams of one size have no order: of those that are
    still empty only the first is dealt to, so that no split comes twice.

    >>> all_splits(Rules((2, 2)))
    array([[0, 0, 1, 1],
           [0, 1, 0, 1],
           [0, 1, 1, 0]], dtype=int8)
    """
    if len(rules.sizes) > 127:
        return None
    most = cells // sum(rules.sizes)
    dealt = np.empty((1, 0), np.int8)
    room = np.array([rules.sizes])
    for unit, members in enumerate(rules.units):
        known = [foe for foe in rules.foes[unit] if foe < unit]
        parts, rooms = [], []
        for team, size in enumerate(rules.sizes):
            may = room[:, team] >= len(members)
            may &= (dealt[:, known] != team).all(axis=1)
            if rules.twins[team] >= 0:
                may &= room[:, rules.twins[team]] < size
            parts.append(np.column_stack([dealt[may], np.full(int(may.sum()), team, np.int8)]))
            rooms.append(room[may])
            rooms[-1][:, team] -= len(members)
        if sum(map(len, parts)) > most:
            return None
        dealt, room = np.concatenate(parts), np.concatenate(rooms)
    found: Splits = dealt[:, rules.unit_of]
    return found[np.lexsort(found.T[::-1])]
