"""A value, and the interval in which it lies."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["Interval"]


class Interval(NamedTuple):
    """A value, and the interval in which it lies; NaN at both ends where there is too little to tell.

    >>> print(Interval(0.6571, 0.6410, 0.6719))
    0.657 (0.641 to 0.672)
    """

    value: float
    low: float
    high: float

    @property
    def within_noise(self) -> bool:
        """Whether 0 lies in the interval of a difference, or nothing can be told: it may be chance.

        >>> Interval(0.01, -0.01, 0.03).within_noise, Interval(0.02, 0.01, 0.03).within_noise
        (True, False)
        """
        return not (self.low > 0 or self.high < 0)

    def __str__(self) -> str:
        """The digits that the interval allows."""
        if np.isnan(self.low):
            return f"{self.value:.4g}"
        digits = self.digits
        return f"{self.value:.{digits}f} ({self.low:.{digits}f} to {self.high:.{digits}f})"

    @property
    def digits(self) -> int:
        """How many decimals to show: two digits of the interval's width.

        >>> Interval(0.6571, 0.6410, 0.6719).digits
        3
        """
        width = self.high - self.low
        return 4 if not width > 0 else int(np.clip(1 - np.floor(np.log10(width)), 0, 7))
