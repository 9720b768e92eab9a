"""What pairing a queue gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...model.rating import Rating
from ...text import count

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Item", "Pairing", "Player"]

Player: TypeAlias = str | Rating
Item: TypeAlias = "Player | tuple[Player, ...]"


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

        shown = [[_shown(pair[k], at[k]) for k in (0, 1)] for pair, at in zip(self.pairs, self.places, strict=True)]
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
            {"teams": [_names(item, place) for item, place in zip(pair, at, strict=True)], "quality": quality}
            for pair, at, quality in zip(self.pairs, self.places.tolist(), self.quality.tolist(), strict=True)
        ]
        alone = sorted(set(range(2 * len(self) + len(self.left))).difference(self.places.flatten().tolist()))
        left = [_names(item, place) for item, place in zip(self.left, alone, strict=True)]
        return {"pairs": pairs, "left": left, "newcomers": list(self.newcomers)}


def _shown(item: Item, place: int) -> str:
    """An item in a table."""
    return ", ".join(_names(item, place))


def _names(item: Item, place: int) -> list[str]:
    """The players of an item of the queue."""
    players = item if isinstance(item, tuple) else (item,)
    return [player if isinstance(player, str) else f"#{place + 1}" for player in players]
