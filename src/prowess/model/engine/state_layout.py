"""The layout of a player's row in a ladder's state: which number is in which cell."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class StateLayout:
    """The cells of a player's row. All numbers of a player are in one row, so that a match reads one place in memory.

    A row begins with the belief: mean and variance of each trait, in turn. If the first mean is NaN, the player has no
    matches. The next cells are the time of the last match (NaN if unknown), the number of matches, and the model's
    extra columns. Models with rating periods add the sums over the open period: g₁ of every trait, g₂ of every trait,
    and the number of games (0 if no period is open). The last cell is the number of periods that had passed since the
    player's previous match when the open period began.

    >>> layout = StateLayout(("offence", "defence"), extras=("volatility",))
    >>> layout.width, layout.columns[layout.last_seen], layout.columns[layout.means]
    (7, 'last seen', ['offence mean', 'defence mean'])
    """

    traits: tuple[str, ...]
    extras: tuple[str, ...] = ()
    periods: bool = False

    @property
    def belief(self) -> int:
        """The number of cells of the belief."""
        return 2 * len(self.traits)

    @cached_property
    def means(self) -> slice:
        """The slice of the means of all traits."""
        return slice(0, self.belief, 2)

    @cached_property
    def variances(self) -> slice:
        """The slice of the variances of all traits."""
        return slice(1, self.belief, 2)

    @cached_property
    def last_seen(self) -> int:
        """The cell with the time of the last match."""
        return self.belief

    @cached_property
    def matches(self) -> int:
        """The cell with the number of matches."""
        return self.belief + 1

    @property
    def first_extra(self) -> int:
        """The first cell of the extra columns."""
        return self.belief + 2

    @property
    def pending(self) -> int:
        """The first cell of the open rating period."""
        return self.first_extra + len(self.extras)

    @property
    def games(self) -> int:
        """The cell with the number of games in the open rating period, in models with periods."""
        return self.pending + self.belief

    @property
    def passed(self) -> int:
        """The cell with the number of periods between the player's previous match and the open period."""
        return self.games + 1

    @cached_property
    def width(self) -> int:
        """The number of cells in a row."""
        return self.passed + 1 if self.periods else self.pending

    @property
    def columns(self) -> list[str]:
        """The names of all cells, as in a saved ladder."""
        belief = [f"{trait} {what}" for trait in self.traits for what in ("mean", "variance")]
        pending = [*(f"{trait} {what}" for what in ("g1", "g2") for trait in self.traits), "games", "periods passed"]
        return [*belief, "last seen", "matches", *self.extras, *(pending if self.periods else ())]
