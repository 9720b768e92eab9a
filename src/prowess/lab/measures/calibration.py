"""Calibration: whether events with a forecast probability of 70 % happen 70 times in 100."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history.ragged import Floats
from ...model.fit.forecasts import Forecasts
from ...validate import whole
from .probabilities import Result, two_teams
from .tally import Where

if TYPE_CHECKING:
    import polars as pl

BIN_SAMPLE = 100_000  # size of the sample of forecasts that determines the bin edges


@dataclass(frozen=True, eq=False)
class Calibration:
    """Bins of forecasts: the number of forecasts, their mean probability, and the share that came true.

    >>> import numpy as np
    >>> calibration = Calibration(np.array([10.0, 30.0]), np.array([0.2, 0.7]), np.array([0.3, 0.7]))
    >>> round(calibration.error, 3)
    0.025
    """

    count: Floats
    expected: Floats
    happened: Floats

    @classmethod
    def from_sums(cls, count: Floats, expected: Floats, happened: Floats) -> Calibration:
        """Build a calibration from sums over the forecasts of each bin; empty bins are left out.

        >>> import numpy as np
        >>> Calibration.from_sums(np.array([10.0, 0.0]), np.array([2.0, 0.0]), np.array([3.0, 0.0])).happened
        array([0.3])
        """
        kept = count > 0
        return cls(count[kept], expected[kept] / count[kept], happened[kept] / count[kept])

    @property
    def error(self) -> float:
        """The expected calibration error: the mean distance between expected and observed, weighted by bin size."""
        return float((self.count * np.abs(self.expected - self.happened)).sum() / self.count.sum())

    def to_frame(self) -> pl.DataFrame:
        """Return a Polars frame with the columns count, expected, happened and stderr (the error of happened).

        >>> import numpy as np
        >>> Calibration(np.array([100.0]), np.array([0.5]), np.array([0.6])).to_frame()["stderr"].round(3)[0]
        0.05
        """
        import polars as pl

        stderr = np.sqrt(self.expected * (1.0 - self.expected) / self.count)
        columns = {"count": self.count, "expected": self.expected, "happened": self.happened, "stderr": stderr}
        return pl.DataFrame(columns)


def calibration(forecasts: Forecasts, where: Where = None, *, bins: int = 10) -> Calibration:
    """Compare the forecast win, draw and loss probabilities of two teams with the observed frequencies.

    Every match adds its three forecasts; draws are left out if none was expected and none happened. All bins have about
    the same number of forecasts; equal forecasts share a bin.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 4)
    >>> calibration(pw.TrueSkill(draw_probability=0).fit(history).forecasts, bins=2).to_frame()["happened"].to_list()
    [0.0, 0.8]
    """
    _, p, happened = pool_forecasts(forecasts, where)
    edges = bin_edges(p, bins)
    index = assign_bins(p, edges)
    sums = (np.bincount(index, column, len(edges) + 1) for column in (np.ones(len(p)), p, happened))
    return Calibration.from_sums(*(column.astype(np.float64) for column in sums))


def pool_forecasts(
    forecasts: Forecasts, where: Where = None, draws: bool | None = None
) -> tuple[NDArray[np.intp], Floats, Floats]:
    """Return every forecast of win, loss and draw: its match, the probability, and whether it came true (1 or 0).

    `draws`: whether to include draws; None includes them if a draw was expected or happened.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])
    >>> pool_forecasts(pw.Elo().fit(history).forecasts)
    (array([0, 0]), array([0.5, 0.5]), array([1., 0.]))
    """
    match, result = two_teams(forecasts, where)
    # If there are no draws, a bin full of draw probabilities of 0 would look perfectly calibrated.
    sides = result.sides[: 3 if (has_draws(result) if draws is None else draws) else 2]
    p, happened = (np.concatenate(columns) for columns in zip(*sides, strict=True))
    return np.tile(match, len(sides)), p, happened.astype(np.float64)


def has_draws(result: Result) -> bool:
    """Return whether any match was drawn, or was expected to be drawn with a positive probability.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])
    >>> has_draws(two_teams(pw.Elo().fit(history).forecasts)[1])
    False
    """
    return bool(result.draw.any() or result.drawn.any())


def bin_edges(p: Floats, bins: int) -> Floats:
    """Return the edges between bins with equal numbers of forecasts; of very many forecasts, a sample is used.

    >>> import numpy as np
    >>> bin_edges(np.array([0.1, 0.2, 0.6, 0.7]), 2)
    array([0.4])
    """
    whole("bins", bins, 1)
    if not len(p):
        raise Error("calibration needs matches of exactly two teams, and there are none here")
    # Many forecasts may be equal, and equal edges would give empty bins.
    return np.unique(np.quantile(p[:: 1 + len(p) // BIN_SAMPLE], np.linspace(0, 1, bins + 1)[1:-1]))


def assign_bins(p: Floats, edges: Floats) -> NDArray[np.intp]:
    """Return the index of every forecast's bin; `edges` are the probabilities that separate the bins.

    >>> import numpy as np
    >>> assign_bins(np.array([0.3, 0.4, 0.5]), np.array([0.4]))
    array([0, 1, 1])
    """
    index: NDArray[np.intp] = np.zeros(len(p), np.intp)
    for edge in edges:  # there are few edges, so this is faster than a binary search
        index += p >= edge
    return index
