"""A queue: players and groups that play together, by name or by rating."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history import History, name_of
from ...history.ragged import owners
from ...model.quality import check_noise
from ...model.rating import Rating
from ...validate import scale
from ..player_pool import Performances, PlayerPool, Source, make_pool

Floats = NDArray[np.float64]
Player: TypeAlias = str | Rating
Item: TypeAlias = "Player | tuple[Player, ...]"
QueueInput: TypeAlias = "Iterable[Player | Sequence[Player]] | Mapping[str, Rating]"


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


def parse_queue(source: Source, given: QueueInput) -> Queue:
    """Read a queue: who is in it, and how everybody is expected to perform.

    A name that the ladder does not know is that of a newcomer.
    """
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise Error(
            f"a queue must be a list of players and groups, such as ['ann', ['bob', 'cat']], not {given!r}",
            field="queue",
            value=given,
        )
    items = [_item(one, place) for place, one in enumerate(given, 1)]
    teams = [item if isinstance(item, tuple) else (item,) for item in items]
    where = _index_names(teams)
    named = make_pool(source, given if isinstance(given, Mapping) else list(where))
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
            raise Error(
                f"place {place} of the queue is an empty group; a group needs at least one player",
                field="queue",
                value=place,
            )
        return tuple(player if isinstance(player, Rating) else name_of(player) for player in given)
    return name_of(given)


def _index_names(teams: Sequence[tuple[Player, ...]]) -> dict[str, int]:
    """The item in which every name stands."""
    found: dict[str, int] = {}
    for item, team in enumerate(teams):
        for name in team:
            if isinstance(name, str) and name in found:
                raise Error(
                    f"{name} stands twice in the queue, at places {found[name] + 1} and {item + 1}",
                    field="queue",
                    value=name,
                )
            if isinstance(name, str):
                found[name] = item
    return found


def _performances(everybody: PlayerPool, size: NDArray[np.int64]) -> tuple[Floats, Floats, Floats]:
    """Mean, variance and noise of every item's performance in a match with one of its size."""
    found = np.empty((3, len(size)))
    first = np.cumsum(size) - size
    for each in np.unique(size).tolist():
        chosen = np.flatnonzero(size == each)
        found[:, chosen] = Performances(everybody, (each, each)).of(first[chosen, None] + np.arange(each))
    check_noise(found[2].min(initial=1.0))
    return found[0], found[1], found[2]


def waiting_times(queue: Queue, waiting: Mapping[str, float] | Sequence[float] | None) -> Floats:
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
        raise Error(
            f"waiting must hold a number for each of the {len(queue)} places of the queue, or be a mapping",
            field="waiting",
            value=waiting,
        )
    return np.array([scale(f"waiting[{place}]", time, zero=True) for place, time in enumerate(waiting)], np.float64)


PastMeetings: TypeAlias = "History | Mapping[tuple[str, str], float] | Iterable[tuple[str, str]]"
MeetingCounts: TypeAlias = tuple[NDArray[np.int64], NDArray[np.float64]]


def count_meetings(what: str, met: PastMeetings, numbers: Mapping[str, int]) -> MeetingCounts:
    """Pairs of different players of a queue, the lower number first, and how often they met; of others nothing is said.

    >>> count_meetings("met", [("ann", "bob"), ("bob", "ann"), ("ann", "zoe")], {"ann": 0, "bob": 1})
    (array([[0, 1]]), array([2.]))
    """
    if isinstance(met, History):
        pairs = _meetings_in_history(met, numbers)
        times = np.ones(len(pairs))
    else:
        pairs, times = _listed_meetings(what, met, numbers)
    pairs = np.sort(pairs, axis=1)
    times, pairs = times[pairs[:, 0] < pairs[:, 1]], pairs[pairs[:, 0] < pairs[:, 1]]
    found, which = np.unique(pairs, axis=0, return_inverse=True)
    return found, np.bincount(which.reshape(-1), times, len(found)).astype(np.float64)


def _listed_meetings(what: str, met: Any, numbers: Mapping[str, int]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The pairs that somebody wrote down, once each or with a number."""
    if isinstance(met, str) or not isinstance(met, Iterable):
        raise Error(f"{what} must hold pairs of names, such as [('ann', 'bob')], not {met!r}", field=what, value=met)
    pairs, times = [], []
    for pair in met:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise Error(
                f"{what} must hold pairs of names, such as ('ann', 'bob'), not {pair!r}", field=what, value=pair
            )
        one, two = name_of(pair[0]), name_of(pair[1])
        often = scale(f"{what}[{one!r}, {two!r}]", met[pair], zero=True) if isinstance(met, Mapping) else 1.0
        if one in numbers and two in numbers:
            pairs.append((numbers[one], numbers[two]))
            times.append(often)
    return np.array(pairs, np.int64).reshape(-1, 2), np.array(times, np.float64)


def _meetings_in_history(history: History, numbers: Mapping[str, int]) -> NDArray[np.int64]:
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
