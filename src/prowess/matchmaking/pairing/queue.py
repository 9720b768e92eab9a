"""The queue to pair: players and groups, by name or by rating, their waiting times and past meetings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history import History, name_of
from ...history.ragged import owners, starts
from ...model.quality import check_noise
from ...model.rating import Rating
from ...validate import invalid, scale
from ..player_pool import Performances, PlayerPool, Source, make_pool, ratings_of

Floats = NDArray[np.float64]
Player: TypeAlias = str | Rating
Item: TypeAlias = "Player | tuple[Player, ...]"
QueueInput: TypeAlias = "Iterable[Player | Sequence[Player]] | Mapping[str, Rating]"


@dataclass(frozen=True, eq=False)
class Queue:
    """The items of a queue with their sizes and performances; `item` maps players' names to indices of items."""

    items: list[Item]
    size: NDArray[np.int64]
    item: dict[str, int]
    newcomers: tuple[str, ...]
    mean: Floats
    variance: Floats
    noise: Floats
    everybody: PlayerPool  # all players, item by item

    def __len__(self) -> int:
        return len(self.items)

    def qualities(self, pairs: NDArray[np.int32], estimates: Floats) -> Floats:
        """Return the quality of each pair of items; the estimates ignore what the ratings of players share."""
        if self.everybody.is_exact:
            return estimates
        start = starts(self.size)
        players = [list(range(start[item], start[item + 1])) for item in range(len(self))]
        return np.array([self.everybody.quality([players[item] for item in pair]) for pair in pairs], np.float64)


def parse_queue(source: Source, queue: QueueInput, context: Mapping[str, Any] | None = None) -> Queue:
    """Read a queue and compute the performances of its items in a context; unknown names are rated as newcomers."""
    if isinstance(queue, str) or not isinstance(queue, Iterable):
        must = "be a list of players and groups, such as ['ann', ['bob', 'cat']]"
        raise invalid("a queue", must, queue, field="queue")
    items = [_item(entry, place) for place, entry in enumerate(queue, 1)]
    teams = [item if isinstance(item, tuple) else (item,) for item in items]
    where = _index_names(teams)
    named = make_pool(source, queue if isinstance(queue, Mapping) else list(where), context)
    rating = dict(zip(named.names, named.ratings, strict=True))
    given = [player for team in teams for player in team if isinstance(player, Rating)]
    unnamed = iter(ratings_of(named.ladder, given, context))
    ratings = [next(unnamed) if isinstance(player, Rating) else rating[player] for team in teams for player in team]
    size = np.array([len(team) for team in teams], np.int64)
    source_of = dict(zip(named.names, named.known, strict=True))
    known = [player if isinstance(player, Rating) else source_of[player] for team in teams for player in team]
    # Items given as ratings have no names.
    everybody = replace(named, names=[""] * len(ratings), ratings=ratings, known=known)
    return Queue(items, size, where, named.newcomers, *_performances(everybody, size), everybody)


def _item(entry: Any, place: int) -> Item:
    if isinstance(entry, Rating):
        return entry
    if isinstance(entry, Sequence) and not isinstance(entry, str):
        if not len(entry):
            message = f"place {place} of the queue is an empty group; a group needs at least one player"
            raise Error(message, field="queue", value=place)
        return tuple(player if isinstance(player, Rating) else name_of(player) for player in entry)
    return name_of(entry)


def _index_names(teams: Sequence[tuple[Player, ...]]) -> dict[str, int]:
    where: dict[str, int] = {}
    for item, team in enumerate(teams):
        for name in team:
            if isinstance(name, str):
                if name in where:
                    message = f"{name} is listed twice in the queue, at places {where[name] + 1} and {item + 1}"
                    raise Error(message, field="queue", value=name)
                where[name] = item
    return where


def _performances(everybody: PlayerPool, size: NDArray[np.int64]) -> tuple[Floats, Floats, Floats]:
    """Return mean, variance and noise of every item's performance in a match against an item of its own size."""
    columns = np.empty((3, len(size)))
    first = np.cumsum(size) - size
    for each in np.unique(size).tolist():
        chosen = np.flatnonzero(size == each)
        columns[:, chosen] = Performances(everybody, (each, each)).of(first[chosen, None] + np.arange(each))
    check_noise(columns[2].min(initial=1.0))
    return columns[0], columns[1], columns[2]


def waiting_times(queue: Queue, waiting: Mapping[str, float] | Sequence[float] | None) -> Floats:
    """Return how long each item has waited. A group has waited as long as the player with the longest wait."""
    times = np.zeros(len(queue))
    if waiting is None:
        return times
    if isinstance(waiting, Mapping):
        for label, time in waiting.items():
            name = name_of(label)
            # Waiting times of players who are not in the queue are ignored.
            if name in queue.item:
                times[queue.item[name]] = max(times[queue.item[name]], scale(f"waiting[{name!r}]", time, zero=True))
        return times
    if isinstance(waiting, str) or not isinstance(waiting, (Sequence, np.ndarray)) or len(waiting) != len(queue):
        must = f"waiting must be a mapping, or have a number for each of the {len(queue)} items of the queue"
        raise Error(must, field="waiting", value=waiting)
    return np.array([scale(f"waiting[{place}]", time, zero=True) for place, time in enumerate(waiting)], np.float64)


PastMeetings: TypeAlias = "History | Mapping[tuple[str, str], float] | Iterable[tuple[str, str]]"
MeetingCounts: TypeAlias = tuple[NDArray[np.int64], NDArray[np.float64]]


def count_meetings(what: str, met: PastMeetings, numbers: Mapping[str, int]) -> MeetingCounts:
    """Return the pairs of players of a queue who have met, the lower number first, and how often they met.

    `numbers` maps the names of the players in the queue to their numbers. `what` is the name of the argument in error
    messages.

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
    distinct, which = np.unique(pairs, axis=0, return_inverse=True)
    return distinct, np.bincount(which.reshape(-1), times, len(distinct)).astype(np.float64)


def _listed_meetings(what: str, met: Any, numbers: Mapping[str, int]) -> MeetingCounts:
    if isinstance(met, str) or not isinstance(met, Iterable):
        raise invalid(what, "hold pairs of names, such as [('ann', 'bob')]", met)
    pairs, times = [], []
    for pair in met:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise invalid(what, "hold pairs of names, such as ('ann', 'bob')", pair)
        one, two = name_of(pair[0]), name_of(pair[1])
        often = scale(f"{what}[{one!r}, {two!r}]", met[pair], zero=True) if isinstance(met, Mapping) else 1.0
        # Meetings of players who are not in the queue do not matter.
        if one in numbers and two in numbers:
            pairs.append((numbers[one], numbers[two]))
            times.append(often)
    return np.array(pairs, np.int64).reshape(-1, 2), np.array(times, np.float64)


def _meetings_in_history(history: History, numbers: Mapping[str, int]) -> NDArray[np.int64]:
    # A pair is listed once for every match in which the two were opponents.
    number = np.array([numbers.get(name, -1) for name in history.players], np.int64)
    here = np.flatnonzero(number[history.player] >= 0) if len(number) else np.empty(0, np.int64)
    team = owners(history.team_start)[here]
    match = owners(history.match_start)[team]
    player = number[history.player[here]] if len(here) else here
    pairs = [np.empty((0, 2), np.int64)]
    entry, step = np.arange(len(here)), 1
    while len(entry):  # compare each entry with the one `step` places later in the same match
        entry = entry[entry + step < len(here)]
        entry = entry[match[entry] == match[entry + step]]
        against = entry[team[entry] != team[entry + step]]
        pairs.append(np.stack([player[against], player[against + step]], axis=1))
        step += 1
    return np.concatenate(pairs)
