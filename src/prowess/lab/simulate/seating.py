"""Filling the open seats of many matches at once with players who are not in the match already."""

from __future__ import annotations

import numpy as np

from ...errors import Error
from .options import Floats, Ints

__all__ = ["fill", "shuffled"]

TRIES = 40  # rounds of drawing for all matches at once; what is then still open is drawn match by match


def fill(rng: np.random.Generator, seat: Ints, match: Ints, weights: Floats) -> None:
    """Draw somebody for every open seat (−1) in proportion to the weights, nobody twice in a match.

    All open seats are drawn at once; who is in the match already is drawn again. That is the same as drawing one after
    another from those who are left.

    >>> seat = np.array([0, -1, -1, 2, -1])
    >>> fill(np.random.default_rng(1), seat, np.array([0, 0, 0, 1, 1]), np.array([1.0, 1.0, 1.0]))
    >>> sorted(seat[:3].tolist())
    [0, 1, 2]
    """
    ladder = np.cumsum(weights)
    ladder /= ladder[-1]
    open_ = np.flatnonzero(seat < 0)
    for _ in range(TRIES):
        if not len(open_):
            return
        seat[open_] = np.searchsorted(ladder, rng.random(len(open_)), side="right")
        open_ = _twice(seat, match, open_, len(weights))
    seat[open_] = -1
    _fill_singly(rng, seat, match, weights, open_)


def _twice(seat: Ints, match: Ints, drawn: Ints, units: int) -> Ints:
    """Of the seats that were just drawn, those of somebody who is in the match already."""
    mixed = np.zeros(int(match.max()) + 1, bool)
    mixed[match[drawn]] = True
    looked = np.flatnonzero(mixed[match])
    new = np.zeros(len(seat), bool)
    new[drawn] = True
    key = match[looked] * units + seat[looked]
    order = np.lexsort((new[looked], key))  # who was there before comes first, and stays
    again = key[order][1:] == key[order][:-1]
    found: Ints = np.sort(looked[order[1:][again]])
    return found


def _fill_singly(rng: np.random.Generator, seat: Ints, match: Ints, weights: Floats, open_: Ints) -> None:
    """Fill the seats of a few matches from those who are left: with exponential waiting times, the first come first."""
    for one in np.unique(match[open_]):
        seats = open_[match[open_] == one]
        waiting = rng.exponential(size=len(weights)) / weights
        there = seat[match == one]
        waiting[there[there >= 0]] = np.inf
        left = np.argsort(waiting)[: len(seats)]
        if len(left) < len(seats) or not np.isfinite(waiting[left]).all():
            raise Error(
                f"match {one + 1} needs {len(there)} players, but the league has not enough: have more players, or "
                "fewer or smaller teams"
            )
        seat[seats] = left


def shuffled(rng: np.random.Generator, chosen: Ints, match: Ints) -> Ints:
    """The same choice for every match in a random order; `match` must be sorted.

    >>> shuffled(np.random.default_rng(1), np.array([1, 2, 3, 4]), np.array([0, 0, 0, 1])).tolist()[3]
    4
    """
    return chosen[np.lexsort((rng.random(len(chosen)), match))]
