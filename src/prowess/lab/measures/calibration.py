"""Calibration: whether what was called 70 % happens in 70 of 100 matches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...errors import Error
from ...model.forecasts import Forecasts
from .probabilities import two_teams
from .tally import Floats, Where

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Calibration", "calibration"]


@dataclass(frozen=True, eq=False)
class Calibration:
    """Forecasts in bins: how many, what was expected of them on average, and what came of them.

    >>> import numpy as np
    >>> found = Calibration(np.array([10.0, 30.0]), np.array([0.2, 0.7]), np.array([0.3, 0.7]))
    >>> round(found.error, 3)
    0.025
    """

    count: Floats
    expected: Floats
    happened: Floats

    @property
    def error(self) -> float:
        """The expected calibration error: the mean distance of expected and happened, by the number of forecasts."""
        return float((self.count * np.abs(self.expected - self.happened)).sum() / self.count.sum())

    def to_frame(self) -> pl.DataFrame:
        """A Polars frame: count, expected, happened, and the standard error of happened.

        >>> import numpy as np
        >>> Calibration(np.array([100.0]), np.array([0.5]), np.array([0.6])).to_frame()["stderr"].round(3)[0]
        0.05
        """
        import polars as pl

        stderr = np.sqrt(self.expected * (1.0 - self.expected) / self.count)
        return pl.DataFrame(
            {"count": self.count, "expected": self.expected, "happened": self.happened, "stderr": stderr}
        )


def calibration(forecasts: Forecasts, where: Where = None, *, bins: int = 10) -> Calibration:
    """Compare the probabilities of win, draw and loss of two teams with how often each came true.

    Every match adds its three forecasts, except those that are 0; the bins hold equally many of them.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 4)
    >>> calibration(pw.TrueSkill(draw_probability=0).fit(history).forecasts, bins=2).to_frame()["happened"].to_list()
    [0.0, 0.8]
    """
    if bins < 1:
        raise Error(f"calibration needs at least one bin, not {bins}")
    match, result = two_teams(forecasts)
    chosen = np.zeros(len(forecasts), bool)
    chosen[slice(None) if where is None else where] = True
    lost = ~result.won & ~result.drawn
    p = np.concatenate([side[chosen[match]] for side in (result.win, result.draw, result.loss)])
    seen = np.concatenate([side[chosen[match]] for side in (result.won, result.drawn, lost)])
    p, seen = p[p > 0], seen[p > 0].astype(np.float64)
    if not len(p):
        raise Error("none of these matches has two teams: there is nothing to calibrate")
    edges = np.unique(np.quantile(p, np.linspace(0, 1, bins + 1)[1:-1]))
    at = np.searchsorted(edges, p, side="right")
    count = np.bincount(at, minlength=len(edges) + 1).astype(np.float64)
    kept = count > 0
    expected, happened = (np.bincount(at, column, minlength=len(count))[kept] / count[kept] for column in (p, seen))
    return Calibration(count[kept], expected, happened)
