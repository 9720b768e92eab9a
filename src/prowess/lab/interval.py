"""Values with their intervals, and quantiles of Student's t distribution."""

from __future__ import annotations

from collections.abc import Iterable
from math import hypot, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

NORMAL = 1.959963984540054  # the 97.5 % quantile of the normal distribution
# Quantiles of Student's t for few degrees of freedom, where the series in `t_quantile` is inaccurate.
SMALL_T = (float("inf"), 12.706, 4.3027, 3.1824, 2.7764)


class Interval(NamedTuple):
    """A value with its interval; both ends are NaN if there are too few data.

    >>> print(Interval(0.6571, 0.6410, 0.6719))
    0.657 (0.641 to 0.672)
    """

    value: float
    low: float
    high: float

    @classmethod
    def normal(cls, value: float, error: float) -> Interval:
        """Return a value with its 95 % interval, from its standard error, assuming a normal distribution.

        >>> print(Interval.normal(2.0, 0.5))
        2.0 (1.0 to 3.0)
        """
        return cls(value, value - NORMAL * error, value + NORMAL * error)

    @classmethod
    def student(cls, values: ArrayLike) -> Interval:
        """Return the mean of a few values with its 95 % interval, by Student's t.

        >>> print(Interval.student([1.0, 2.0, 3.0]).words(4))
        +2.0000 (−0.4842 to +4.4842)
        """
        numbers = np.asarray(values, np.float64)
        mean = float(numbers.mean())
        spread = float(numbers.std(ddof=1)) / sqrt(len(numbers)) if len(numbers) > 1 else 1.0
        reach = t_quantile(len(numbers) - 1) * spread
        return cls(mean, mean - reach, mean + reach)

    @property
    def within_noise(self) -> bool:
        """True if a difference may be due to chance, because its interval contains 0 or is unknown.

        >>> Interval(0.01, -0.01, 0.03).within_noise, Interval(0.02, 0.01, 0.03).within_noise
        (True, False)
        """
        return not (self.low > 0 or self.high < 0)

    @property
    def above_zero(self) -> bool | None:
        """True if a difference is above 0, False if it is below 0, None if it is within noise.

        >>> Interval(0.02, 0.01, 0.03).above_zero, Interval(0.01, -0.01, 0.03).above_zero
        (True, None)
        """
        return None if self.within_noise else self.value > 0.0

    def apart(self, other: Interval) -> Interval:
        """Return this value minus an independent value, with its interval. Both intervals must be symmetric.

        >>> Interval(5.0, 2.0, 8.0).apart(Interval(3.0, -1.0, 7.0))
        Interval(value=2.0, low=-3.0, high=7.0)
        """
        # The variances of independent values add up.
        reach = hypot(self.high - self.value, other.high - other.value)
        value = self.value - other.value
        return Interval(value, value - reach, value + reach)

    def times(self, factor: float) -> Interval:
        """Scale the value and its interval, for example by 100 for percent.

        >>> Interval(0.5, 0.25, 0.625).times(-100)
        Interval(value=-50.0, low=-62.5, high=-25.0)
        """
        low, high = sorted((factor * self.low, factor * self.high))
        return Interval(factor * self.value, low, high)

    def words(self, digits: int = 2, unit: str = "") -> str:
        """Format a difference and its interval with plus and minus signs.

        >>> Interval(1.316, -0.92, 1.71).words(1, "points")
        '+1.3 (−0.9 to +1.7) points'
        """
        if np.isnan(self.value):
            return "not measured"
        value, low, high = (f"{end:+.{digits}f}".replace("-", "−") for end in self)
        return f"{value} ({low} to {high}){unit and f' {unit}'}"

    def __str__(self) -> str:
        """Format the value and interval with the digits that the interval justifies."""
        # Without an interval, the number of significant digits is unknown.
        if np.isnan(self.low):
            return f"{self.value:.4g}"
        value, low, high = (f"{number:.{self.digits}f}" for number in self)
        return f"{value} ({low} to {high})"

    @property
    def digits(self) -> int:
        """The number of decimals to show, so that the interval's width has two significant digits.

        >>> Interval(0.6571, 0.6410, 0.6719).digits
        3
        """
        width = self.high - self.low
        return 4 if not width > 0 else int(np.clip(1 - np.floor(np.log10(width)), 0, 7))


def all_above_zero(differences: Iterable[Interval]) -> bool | None:
    """Return True if all intervals are above 0, False if any is at or below 0, and None if neither is certain.

    >>> sure, open_, none = Interval(2, 1, 3), Interval(1, -1, 3), Interval(0, 0, 0)
    >>> all_above_zero([sure, sure]), all_above_zero([sure, open_]), all_above_zero([sure, open_, none])
    (True, None, False)
    """
    intervals = list(differences)
    # One interval at or below 0 decides, whatever the others are.
    if any(interval.high <= 0.0 for interval in intervals):
        return False
    return True if all(interval.low > 0.0 for interval in intervals) else None


def t_quantile(freedom: int) -> float:
    """Return Student's 97.5 % t quantile to within 3e-4: Abramowitz, Stegun (1964), table 26.10 and equation 26.7.5.

    >>> round(t_quantile(1), 3), round(t_quantile(10), 3), round(t_quantile(13), 3)
    (12.706, 2.228, 2.16)
    """
    if freedom < len(SMALL_T):
        return SMALL_T[freedom]
    z, v = NORMAL, float(freedom)
    terms = (
        (z**3 + z) / 4.0,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96.0,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384.0,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160.0,
    )
    return z + sum(term / v ** (power + 1) for power, term in enumerate(terms))
