"""Pairing a queue: who plays whom, so that as many as possible play and their matches are as fair as possible."""

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
    """Who plays whom: the pairs, the strongest first, the quality of each, and who is left over.

    `pairs` and `left` hold the items of the queue, names or ratings, groups as tuples; `places` says for each pair
    where in the queue its two stand, counted from 0. `newcomers` are the names that the ladder does not know: they
    were paired as somebody who joins now.

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
        """Say how many pairs there are, how fair they are on average, and how many had no partner."""
        fair = f" of quality {self.quality.mean():.2f}" if self.pairs else ""
        return f"Pairing({count(len(self.pairs), 'pair', 'pairs')}{fair}, {len(self.left)} left over)"

    def __len__(self) -> int:
        """Count the pairs."""
        return len(self.pairs)

    @property
    def total(self) -> float:
        """The sum of the qualities: of all pairings that leave as few over, the largest, but for what else was asked.

        >>> import prowess as pw
        >>> model = pw.TrueSkill()
        >>> round(pw.pair(model, [model.rating(30, 1), model.rating(29, 1)]).total, 2)
        0.96
        """
        return float(self.quality.sum())

    def to_frame(self) -> pl.DataFrame:
        """The pairs as a Polars frame: first, second, quality. A rating without a name is shown by its place.

        >>> import prowess as pw
        >>> model = pw.TrueSkill()
        >>> pw.pair(model, ["ann", "bob", model.rating(), model.rating(50, 1)]).to_frame().rows()[1][:2]
        ('ann', 'bob')
        """
        import polars as pl

        shown = [[_item_text(pair[k], at[k]) for k in (0, 1)] for pair, at in zip(self.pairs, self.places, strict=True)]
        names = pl.DataFrame(shown, schema={"first": pl.String, "second": pl.String}, orient="row")
        return names.with_columns(pl.Series("quality", self.quality, pl.Float64))

    def to_dict(self) -> dict[str, Any]:
        """The pairs, each with its quality, and who is left over, as plain data; every item is a list of names.

        A rating without a name is shown by its place.

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


def _item_text(item: Item, place: int) -> str:
    """An item in a table."""
    return ", ".join(_item_names(item, place))


def _item_names(item: Item, place: int) -> list[str]:
    """The players of an item of the queue."""
    players = item if isinstance(item, tuple) else (item,)
    return [player if isinstance(player, str) else f"#{place + 1}" for player in players]


Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

FAR = 1e6  # no waiting and no number of meetings counts more than so many whole qualities


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
) -> Pairing:
    """Pair the players of a queue: as many as possible, and of all such pairings the one of the largest total quality.

    An item of the queue is a player, by name or as a rating, or a list of players who play together; groups are paired
    with groups of their size, unless `uneven` is set. `source` is the ladder or the fit that knows the names, and who
    is unknown to it is paired as a newcomer; or a model, for ratings, which may also be given by name in a mapping.

    `waiting` says how long each has waited, by name or in the order of the queue. A wait longer by one `patience`
    (60 suits seconds) counts as much as a whole quality when somebody must be left over, and halves the `least`
    quality that a player accepts; both of a pair must accept it. Without `least`, everybody is paired who can be.

    `met` says who has met lately: pairs of names, a mapping from pairs to how often, or a `History`. Each time makes a
    pair less worth by `repeat`. The pairs of `never` are not made at all.

    The pairing is the best of all, not only of those that were looked at: maximum-weight matching (Edmonds, 1965), with
    a proof by duals. Qualities that differ by less than 1e-7 count as equal; then the nearer players are paired.

    >>> import prowess as pw
    >>> model = pw.TrueSkill()
    >>> skills = {"ann": 34, "bob": 21, "cat": 33, "dan": 22, "eve": 28}
    >>> ladder = pw.Ladder(model, {name: model.rating(mu, 1.5) for name, mu in skills.items()})
    >>> pw.pair(ladder, list(skills)).pairs
    [('ann', 'cat'), ('bob', 'dan')]
    >>> pw.pair(ladder, list(skills), waiting={"eve": 300}, met=[("ann", "cat")] * 3).pairs
    [('cat', 'eve'), ('bob', 'dan')]
    """
    line = parse_queue(source, queue)
    patience = scale("patience", patience)
    hurry = np.minimum(waiting_times(line, waiting) / patience, FAR)
    lowest = scale("least", least, zero=True) * np.exp2(-hurry)
    pairs, cost = _pair_costs(line, met, never, scale("repeat", repeat, zero=True))
    found = [np.empty((0, 2), np.int32)]
    quality = [np.empty(0)]
    for size in [None] if uneven else np.unique(line.size):
        chosen = np.flatnonzero(line.size > 0 if size is None else line.size == size)
        columns = line.mean, line.variance, line.noise, hurry - hurry[chosen].min(initial=FAR), lowest
        some, fair = _pair_items(chosen, columns, pairs, cost)
        found.append(some)
        quality.append(fair)
    return _make_pairing(line, np.concatenate(found), np.concatenate(quality))


def _pair_costs(
    queue: Queue, met: PastMeetings, never: PastMeetings, repeat: float
) -> tuple[NDArray[np.int64], Floats]:
    """What is known against pairs of items: groups have met as often as those two of their players who did most."""
    item = np.array(list(queue.item.values()), np.int64)
    numbers = {name: number for number, name in enumerate(queue.item)}
    pairs, times = count_meetings("met", met, numbers)
    barred, _ = count_meetings("never", never, numbers)
    pairs = np.sort(item[np.concatenate([pairs, barred])], axis=1)
    cost = np.concatenate([np.minimum(times * repeat, FAR), np.full(len(barred), np.inf)])
    order = np.lexsort((-cost, pairs[:, 1], pairs[:, 0]))
    pairs, cost = pairs[order], cost[order]
    first = np.append(True, (pairs[1:] != pairs[:-1]).any(axis=1))[: len(pairs)] & (pairs[:, 0] < pairs[:, 1])
    return pairs[first], cost[first]


def _pair_items(
    chosen: NDArray[np.intp], columns: tuple[Floats, ...], pairs: NDArray[np.int64], cost: Floats
) -> tuple[Ints, Floats]:
    """The best pairs of some items of the queue, and their qualities."""
    mean = columns[0]
    order = chosen[np.argsort(mean[chosen], kind="stable")]
    rank = np.full(len(mean), -1, np.int64)
    rank[order] = np.arange(len(order))
    ends = np.sort(rank[pairs], axis=1)
    ends, cost = ends[ends[:, 0] >= 0], cost[ends[:, 0] >= 0]
    by_first = np.lexsort((ends[:, 1], ends[:, 0]))
    start = starts(np.bincount(ends[:, 0], minlength=len(order)))
    known = start, ends[by_first, 1].astype(np.int32), cost[by_first]
    found, quality = best_pairs(tuple(np.ascontiguousarray(column[order]) for column in columns), known)
    return order[found].astype(np.int32), quality


def _make_pairing(queue: Queue, found: Ints, quality: Floats) -> Pairing:
    """The pairs by the items of the queue, the strongest first."""
    found = np.sort(found, axis=1)
    order = np.lexsort((found[:, 0], -queue.mean[found].sum(axis=1)))
    found, quality = found[order], quality[order]
    alone = np.ones(len(queue), bool)
    alone[found] = False
    items: Any = queue.items
    pairs = [(items[one], items[two]) for one, two in found]
    return Pairing(pairs, quality, [items[one] for one in np.flatnonzero(alone)], queue.newcomers, found)


EARLIER_ROUND = 400.0  # meetings of before that one of an earlier round counts as
PATIENCE = 1e-3  # of those who sat out a round: more than anything else that speaks for or against a pair


def rounds(
    source: Source,
    queue: QueueInput,
    *,
    count: int = 1,
    met: PastMeetings = (),
    repeat: float = 0.25,
    never: PastMeetings = (),
) -> list[Pairing]:
    """Pair a queue for some rounds, as `pair` does, each round with what the ones before it have made of it.

    Who met in an earlier round meets again only where as many could not play otherwise, and who sat out plays before
    others sit out a second time. The rest is as in `pair`.

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
    line = parse_queue(source, queue)
    names = list(line.item)
    pairs, times = count_meetings("met", met, {name: number for number, name in enumerate(names)})
    known = {(names[one], names[two]): often for (one, two), often in zip(pairs.tolist(), times.tolist(), strict=True)}
    waiting = dict.fromkeys(names, 0.0)
    found: list[Pairing] = []
    for _ in range(whole("count", count, 1)):
        made = pair(source, queue, waiting=waiting, patience=PATIENCE, met=known, repeat=repeat, never=never)
        for one, two in made.pairs:
            for met_now in product(_player_names(one), _player_names(two)):
                known[met_now] = known.get(met_now, 0.0) + EARLIER_ROUND
        for item in made.left:
            waiting |= {name: waiting[name] + 1.0 for name in _player_names(item)}
        found.append(made)
    return found


def _player_names(item: Item) -> list[Any]:
    """The names of an item of the queue; a rating has none, and may meet anybody."""
    players = item if isinstance(item, tuple) else (item,)
    return [player for player in players if isinstance(player, str)]
