"""A queue: players and groups that play together, by name or by rating."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..checks import scale
from ..errors import Error
from ..history import name_of
from ..model.quality import check_noise
from ..model.rating import Rating
from .pairing import Item, Player
from .performances import Performances
from .source import Group, Source, group

__all__ = ["Given", "Queue", "queue_of", "waiting_of"]

Floats = NDArray[np.float64]
Given: TypeAlias = "Iterable[Player | Sequence[Player]] | Mapping[str, Rating]"


@dataclass(frozen=True, eq=False)
class Queue:
    """The items of a queue, each with its size; which item a player is in, by name; and how the items perform."""

    items: list[Item]
    size: NDArray[np.int64]
    item: dict[str, int]
    newcomers: tuple[str, ...]
    mean: Floats
    variance: Floats
    noise: Floats

    def __len__(self) -> int:
        """Count the items."""
        return len(self.items)


def queue_of(source: Source, given: Given) -> Queue:
    """Read a queue: who is in it, and how everybody is expected to perform.

    A name that the ladder does not know is that of a newcomer.
    """
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise Error(f"a queue must be a list of players and groups, such as ['ann', ['bob', 'cat']], not {given!r}")
    items = [_item(one, place) for place, one in enumerate(given, 1)]
    teams = [item if isinstance(item, tuple) else (item,) for item in items]
    where = _once(teams)
    named = group(source, given if isinstance(given, Mapping) else list(where))
    rating = dict(zip(named.names, named.ratings, strict=True))
    ratings = [player if isinstance(player, Rating) else rating[player] for team in teams for player in team]
    size = np.array([len(team) for team in teams], np.int64)
    everybody = replace(named, names=[""] * len(ratings), ratings=ratings)
    return Queue(items, size, where, named.newcomers, *_performances(everybody, size))


def _item(given: Any, place: int) -> Item:
    """A player, or the tuple of the players of a group."""
    if isinstance(given, Rating):
        return given
    if isinstance(given, Sequence) and not isinstance(given, str):
        if not len(given):
            raise Error(f"place {place} of the queue is an empty group; a group needs at least one player")
        return tuple(player if isinstance(player, Rating) else name_of(player) for player in given)
    return name_of(given)


def _once(teams: Sequence[tuple[Player, ...]]) -> dict[str, int]:
    """The item in which every name stands."""
    found: dict[str, int] = {}
    for item, team in enumerate(teams):
        for name in team:
            if isinstance(name, str) and name in found:
                raise Error(f"{name} stands twice in the queue, at places {found[name] + 1} and {item + 1}")
            if isinstance(name, str):
                found[name] = item
    return found


def _performances(everybody: Group, size: NDArray[np.int64]) -> tuple[Floats, Floats, Floats]:
    """Mean, variance and noise of every item's performance in a match with one of its size."""
    found = np.empty((3, len(size)))
    first = np.cumsum(size) - size
    for each in np.unique(size).tolist():
        chosen = np.flatnonzero(size == each)
        found[:, chosen] = Performances(everybody, (each, each)).of(first[chosen, None] + np.arange(each))
    check_noise(found[2].min(initial=1.0))
    return found[0], found[1], found[2]


def waiting_of(queue: Queue, waiting: Mapping[str, float] | Sequence[float] | None) -> Floats:
    """How long each item has waited: of a group, its player who has waited longest."""
    found = np.zeros(len(queue))
    if waiting is None:
        return found
    if isinstance(waiting, Mapping):
        for given, time in waiting.items():
            name = name_of(given)
            if name in queue.item:
                found[queue.item[name]] = max(found[queue.item[name]], scale(f"waiting[{name!r}]", time, zero=True))
        return found
    if isinstance(waiting, str) or not isinstance(waiting, (Sequence, np.ndarray)) or len(waiting) != len(queue):
        raise Error(f"waiting must hold a number for each of the {len(queue)} places of the queue, or be a mapping")
    return np.array([scale(f"waiting[{place}]", time, zero=True) for place, time in enumerate(waiting)], np.float64)
