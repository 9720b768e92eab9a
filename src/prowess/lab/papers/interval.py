"""How sure a measure is: its mean over the matches, or the difference of two, with a 95 % interval."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from ..measures.tally import Floats, Tally, Where

__all__ = ["Interval", "difference", "mean"]

NORMAL_95 = 1.959964  # standard errors on each side


@dataclass(frozen=True)
class Interval:
    """A figure, and its standard error when matches are drawn anew.

    >>> Interval(2.0, 0.5)
    Interval(value=2.0, error=0.5)
    >>> Interval(2.0, 0.5).above_zero, Interval(0.1, 0.5).above_zero
    (True, None)
    """

    value: float
    error: float

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval.

        >>> round(Interval(2.0, 0.5).low, 2)
        1.02
        """
        return self.value - NORMAL_95 * self.error

    @property
    def high(self) -> float:
        """The upper end of the 95 % interval.

        >>> round(Interval(2.0, 0.5).high, 2)
        2.98
        """
        return self.value + NORMAL_95 * self.error

    @property
    def above_zero(self) -> bool | None:
        """Whether the figure is above 0; None where the interval holds 0, and it cannot be told.

        >>> Interval(-2.0, 0.5).above_zero
        False
        """
        return self.value > 0.0 if self.low > 0.0 or self.high < 0.0 else None

    def times(self, factor: float) -> Interval:
        """The same in other units: percent are times 100.

        >>> Interval(0.5, 0.1).times(100)
        Interval(value=50.0, error=10.0)
        """
        return Interval(factor * self.value, abs(factor) * self.error)

    def words(self, digits: int = 2, unit: str = "") -> str:
        """The figure and its interval, as a reader wants them.

        >>> Interval(1.316, 0.2).words()
        '+1.32 (+0.92 to +1.71)'
        """
        if self.value != self.value:
            return "not measured"
        unit = f" {unit}" if unit else ""
        said = f"{self.value:+.{digits}f} ({self.low:+.{digits}f} to {self.high:+.{digits}f}){unit}"
        return said.replace("-", "−")


def mean(tally: Tally, where: Where = None) -> Interval:
    """The mean of a measure over some matches.

    >>> found = mean(Tally(np.array([0.0, 1.0, 1.0, 0.0]), np.ones(4)))
    >>> found.value, round(found.error, 3)
    (0.5, 0.25)
    """
    return Interval(tally.mean(where), sqrt(float(np.sum(_influence(tally, where) ** 2))))


def difference(one: Tally, other: Tally, where: Where = None, against: Where = None) -> Interval:
    """By how much the mean of a measure is above that of another; the second may be over other matches (`against`).

    A match that counts in both moves both, which the interval takes into account.

    >>> both = Tally(np.array([0.0, 1.0, 1.0, 0.0]), np.ones(4))
    >>> difference(both, both)
    Interval(value=0.0, error=0.0)
    """
    against = where if against is None else against
    apart = _influence(one, where) - _influence(other, against)
    return Interval(one.mean(where) - other.mean(against), sqrt(float(np.sum(apart**2))))


def _influence(tally: Tally, where: Where) -> Floats:
    """By how much each match moves the ratio of the two sums: (total − mean·weight)/Σ weight, its linear part."""
    chosen = np.zeros(len(tally))
    chosen[slice(None) if where is None else where] = 1.0
    moved: Floats = chosen * (tally.total - tally.mean(where) * tally.weight) / float(tally.weight @ chosen)
    return moved
