"""`pair` and `rounds`: pair a queue so that as many players as possible play, in matches as fair as possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...history.ragged import starts
from ...text import count
from ...validate import scale, whole
from ..player_pool import Source
from .exact import best_pairs
from .queue import Item, PastMeetings, Queue, QueueInput, count_meetings, parse_queue, waiting_times

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False, repr=False)
class Pairing:
    """The pairs of a queue (the strongest first), the quality of each pair, and the items left over.

    `pairs` and `left` hold items of the queue: names or ratings, or tuples of names or ratings for groups. `places` has
    the positions of both items of each pair in the queue, counted from 0. `newcomers` are the names that the ladder
    does not know; these players are rated as newcomers.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 1), "bob": pw.Rating(20, 1), "cat": pw.Rating(29, 1)})
    >>> pairing = pw.pair(ladder, ["ann", "bob", "cat"])
    >>> pairing
    Pairing(1 pair of quality 0.96, 1 left over)
    >>> pairing.pairs, pairing.left, pairing.newcomers
    ([('ann', 'cat')], ['bob'], ())
    """

    pairs: list[tuple[Item, Item]]
    quality: NDArray[np.float64]
    left: list[Item]
    newcomers: tuple[str, ...]
    places: NDArray[np.int32] = field(default_factory=lambda: np.empty((0, 2), np.int32))

    def __repr__(self) -> str:
        """Show the number of pairs, their average quality, and the number of items left over."""
        fair = f" of quality {self.quality.mean():.2f}" if self.pairs else ""
        return f"Pairing({count(len(self.pairs), 'pair', 'pairs')}{fair}, {len(self.left)} left over)"

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def total(self) -> float:
        """The sum of the qualities. It is the largest possible if `waiting`, `met`, `never` and `least` were not given.

        >>> import prowess as pw
        >>> model = pw.TrueSkill()
        >>> round(pw.pair(model, [model.rating(30, 1), model.rating(29, 1)]).total, 2)
        0.96
        """
        return float(self.quality.sum())

    def to_frame(self) -> pl.DataFrame:
        """Return the pairs as a Polars frame: first, second, quality.

        A rating without a name is shown by its position in the queue.

        >>> import prowess as pw
        >>> model = pw.TrueSkill()
        >>> pw.pair(model, ["ann", "bob", model.rating(), model.rating(50, 1)]).to_frame().rows()[1][:2]
        ('ann', 'bob')
        """
        import polars as pl

        rows = [
            [", ".join(_item_names(item, place)) for item, place in zip(pair, at, strict=True)]
            for pair, at in zip(self.pairs, self.places, strict=True)
        ]
        names = pl.DataFrame(rows, schema={"first": pl.String, "second": pl.String}, orient="row")
        return names.with_columns(pl.Series("quality", self.quality, pl.Float64))

    def to_dict(self) -> dict[str, Any]:
        """Return the pairs with their quality and the items left over as plain data; an item is a list of names.

        A rating without a name is shown by its position in the queue.

        >>> import prowess as pw
        >>> pw.pair(pw.Elo(), ["ann", "bob", "cat"]).to_dict()["left"]
        [['cat']]
        """
        pairs = [
            {"teams": [_item_names(item, place) for item, place in zip(pair, at, strict=True)], "quality": quality}
            for pair, at, quality in zip(self.pairs, self.places.tolist(), self.quality.tolist(), strict=True)
        ]
        alone = sorted(set(range(2 * len(self) + len(self.left))).difference(self.places.flatten().tolist()))
        left = [_item_names(item, place) for item, place in zip(self.left, alone, strict=True)]
        return {"pairs": pairs, "left": left, "newcomers": list(self.newcomers)}


def _item_names(item: Item, place: int) -> list[str]:
    players = item if isinstance(item, tuple) else (item,)
    return [player if isinstance(player, str) else f"#{place + 1}" for player in players]


Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

FAR = 1e6  # largest effect of waiting and of meetings, in units of quality


def pair(
    source: Source,
    queue: QueueInput,
    *,
    waiting: Mapping[str, float] | Sequence[float] | None = None,
    patience: float = 60.0,
    met: PastMeetings = (),
    repeat: float = 0.25,
    never: PastMeetings = (),
    least: float = 0.0,
    uneven: bool = False,
    context: Mapping[str, Any] | None = None,
) -> Pairing:
    """Pair as many players of a queue as possible, so that the total quality of the matches is highest.

    An item of the queue is a player (a name or a rating), or a list of players who play together. Groups are paired
    with groups of the same size, unless `uneven` is set. `source` is the ladder or the fit that has the named players;
    unknown names are rated as newcomers. If the queue holds ratings, `source` is a model, and the queue may be a
    mapping from names to ratings.

    `waiting` is how long each item has waited, by name or in the order of the queue. If someone must be left over, one
    `patience` of additional waiting counts as much as a quality of 1; the default of 60 suits waiting times in seconds.
    Each `patience` of waiting also halves `least`, the lowest evenness that a player accepts. Evenness is quality
    divided by the quality that the match would have if both sides were equally strong: it is 1 for two newcomers, whose
    quality is low because little is known about them. Both sides of a pair must accept its evenness. Without `least`,
    as many players as possible are paired.

    `met` lists recent meetings: pairs of names, a mapping from pairs to their number of meetings, or a `History`. Each
    meeting lowers the value of a pair by `repeat`. Pairs that are listed in `never` are not made.

    `context` has values of the columns of the model's facets, such as {"mode": "1v1"}: qualities are those of matches
    at these values, as in `Ladder.quality`.

    The pairing is proven to be the best of all possible pairings (maximum-weight matching; Edmonds, 1965). Qualities
    that differ by less than 1e-7 count as equal; among equal qualities, players of more similar strength are paired.

    >>> import prowess as pw
    >>> model = pw.TrueSkill()
    >>> skills = {"ann": 34, "bob": 21, "cat": 33, "dan": 22, "eve": 28}
    >>> ladder = pw.Ladder(model, {name: model.rating(mu, 1.5) for name, mu in skills.items()})
    >>> pw.pair(ladder, list(skills)).pairs
    [('ann', 'cat'), ('bob', 'dan')]
    >>> pw.pair(ladder, list(skills), waiting={"eve": 300}, met=[("ann", "cat")] * 3).pairs
    [('cat', 'eve'), ('bob', 'dan')]
    """
    line = parse_queue(source, queue, context)
    patience = scale("patience", patience)
    hurry = np.minimum(waiting_times(line, waiting) / patience, FAR)
    # The evenness of a pair is exp(−½ gap²/variance).
    with np.errstate(divide="ignore"):
        widest = 2.0 * np.log(2.0) * hurry - 2.0 * np.log(scale("least", least, zero=True))
    pairs, cost = _pair_costs(line, met, never, scale("repeat", repeat, zero=True))
    paired = [np.empty((0, 2), np.int32)]
    quality = [np.empty(0)]
    for size in [None] if uneven else np.unique(line.size):
        # Groups of different sizes cannot meet, so each size is a smaller problem of its own.
        chosen = np.flatnonzero(line.size > 0 if size is None else line.size == size)
        # Only differences of waiting times matter: subtracting the shortest keeps the weights small.
        columns = line.mean, line.variance, line.noise, hurry - hurry[chosen].min(initial=FAR), widest
        new_pairs, new_quality = _pair_items(chosen, columns, pairs, cost)
        paired.append(new_pairs)
        quality.append(new_quality)
    found = np.concatenate(paired)
    return _make_pairing(line, found, line.qualities(found, np.concatenate(quality)))


def _pair_costs(
    queue: Queue, met: PastMeetings, never: PastMeetings, repeat: float
) -> tuple[NDArray[np.int64], Floats]:
    # The cost of pairing two groups is the largest cost between any two of their players.
    item = np.array(list(queue.item.values()), np.int64)
    numbers = {name: number for number, name in enumerate(queue.item)}
    pairs, times = count_meetings("met", met, numbers)
    barred, _ = count_meetings("never", never, numbers)
    pairs = np.sort(item[np.concatenate([pairs, barred])], axis=1)
    cost = np.concatenate([np.minimum(times * repeat, FAR), np.full(len(barred), np.inf)])
    # Sorted so that the largest cost of each pair comes first; only the first is kept.
    order = np.lexsort((-cost, pairs[:, 1], pairs[:, 0]))
    pairs, cost = pairs[order], cost[order]
    first = np.append(True, (pairs[1:] != pairs[:-1]).any(axis=1))[: len(pairs)] & (pairs[:, 0] < pairs[:, 1])
    return pairs[first], cost[first]


def _pair_items(
    chosen: NDArray[np.intp], columns: tuple[Floats, ...], pairs: NDArray[np.int64], cost: Floats
) -> tuple[Ints, Floats]:
    mean = columns[0]
    order = chosen[np.argsort(mean[chosen], kind="stable")]
    rank = np.full(len(mean), -1, np.int64)
    rank[order] = np.arange(len(order))
    ends = np.sort(rank[pairs], axis=1)
    ends, cost = ends[ends[:, 0] >= 0], cost[ends[:, 0] >= 0]
    by_first = np.lexsort((ends[:, 1], ends[:, 0]))
    start = starts(np.bincount(ends[:, 0], minlength=len(order)))
    costs = start, ends[by_first, 1].astype(np.int32), cost[by_first]
    best, quality = best_pairs(tuple(np.ascontiguousarray(column[order]) for column in columns), costs)
    return order[best].astype(np.int32), quality


def _make_pairing(queue: Queue, places: Ints, quality: Floats) -> Pairing:
    places = np.sort(places, axis=1)
    order = np.lexsort((places[:, 0], -queue.mean[places].sum(axis=1)))
    places, quality = places[order], quality[order]
    alone = np.ones(len(queue), bool)
    alone[places] = False
    items: Any = queue.items
    pairs = [(items[one], items[two]) for one, two in places]
    return Pairing(pairs, quality, [items[place] for place in np.flatnonzero(alone)], queue.newcomers, places)


EARLIER_ROUND = 400.0  # a meeting in an earlier round counts as this many ordinary meetings
PATIENCE = 1e-3  # so short that having sat out one round outweighs everything else


def rounds(
    source: Source,
    queue: QueueInput,
    *,
    count: int = 1,
    met: PastMeetings = (),
    repeat: float = 0.25,
    never: PastMeetings = (),
    context: Mapping[str, Any] | None = None,
) -> list[Pairing]:
    """Pair a queue for several rounds, each as `pair` does.

    Pairs of earlier rounds are repeated only if fewer players could play otherwise. An item sits out a second time only
    after all others have sat out once. `count` is the number of rounds; all other arguments are those of `pair`.

    >>> import prowess as pw
    >>> model = pw.TrueSkill()
    >>> skills = {"ann": 34, "bob": 21, "cat": 33, "dan": 22, "eve": 28}
    >>> ladder = pw.Ladder(model, {name: model.rating(mu, 1.5) for name, mu in skills.items()})
    >>> for pairing in rounds(ladder, list(skills), count=3):
    ...     print(pairing.pairs, pairing.left)
    [('ann', 'cat'), ('bob', 'dan')] ['eve']
    [('cat', 'eve'), ('ann', 'dan')] ['bob']
    [('ann', 'eve'), ('bob', 'cat')] ['dan']
    """
    line = parse_queue(source, queue, context)
    names = list(line.item)
    pairs, times = count_meetings("met", met, {name: number for number, name in enumerate(names)})
    meetings = {(names[a], names[b]): often for (a, b), often in zip(pairs.tolist(), times.tolist(), strict=True)}
    waiting = dict.fromkeys(names, 0.0)
    pairings: list[Pairing] = []
    for _ in range(whole("count", count, 1)):
        weights: Any = {"waiting": waiting, "patience": PATIENCE, "met": meetings, "repeat": repeat, "never": never}
        pairing = pair(source, queue, **weights, context=context)
        # Every player of one group counts as having met every player of the other group.
        for one, two in pairing.pairs:
            for names_met in product(_player_names(one), _player_names(two)):
                meetings[names_met] = meetings.get(names_met, 0.0) + EARLIER_ROUND
        for item in pairing.left:
            waiting |= {name: waiting[name] + 1.0 for name in _player_names(item)}
        pairings.append(pairing)
    return pairings


def _player_names(item: Item) -> list[Any]:
    # A rating has no name, so its meetings are not counted.
    players = item if isinstance(item, tuple) else (item,)
    return [player for player in players if isinstance(player, str)]
