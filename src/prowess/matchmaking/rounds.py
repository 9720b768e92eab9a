"""Several rounds of a queue: nobody meets the same opponents again, and everybody sits out in turn."""

from __future__ import annotations

from itertools import product
from typing import Any

from ..checks import whole
from .met import Met, meetings
from .pairing import Item, Pairing
from .pairs import pair
from .queue import Given, queue_of
from .source import Source

__all__ = ["rounds"]

AGAIN = 400.0  # meetings of before that one of an earlier round counts as
PATIENCE = 1e-3  # of those who sat out a round: more than anything else that speaks for or against a pair


def rounds(
    source: Source, queue: Given, *, count: int = 1, met: Met = (), repeat: float = 0.25, never: Met = ()
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
    line = queue_of(source, queue)
    names = list(line.item)
    pairs, times = meetings("met", met, {name: number for number, name in enumerate(names)})
    known = {(names[one], names[two]): often for (one, two), often in zip(pairs.tolist(), times.tolist(), strict=True)}
    waiting = dict.fromkeys(names, 0.0)
    found: list[Pairing] = []
    for _ in range(whole("count", count, 1)):
        made = pair(source, queue, waiting=waiting, patience=PATIENCE, met=known, repeat=repeat, never=never)
        for one, two in made.pairs:
            for met_now in product(_names(one), _names(two)):
                known[met_now] = known.get(met_now, 0.0) + AGAIN
        for item in made.left:
            waiting |= {name: waiting[name] + 1.0 for name in _names(item)}
        found.append(made)
    return found


def _names(item: Item) -> list[Any]:
    """The names of an item of the queue; a rating has none, and may meet anybody."""
    players = item if isinstance(item, tuple) else (item,)
    return [player for player in players if isinstance(player, str)]
