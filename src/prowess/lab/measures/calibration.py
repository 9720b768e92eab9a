"""Calibration: whether what was called 70 % happens in 70 of 100 matches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...model.fit.forecasts import Forecasts
from ...validate import whole
from .probabilities import Result, two_teams
from .tally import Floats, Where

if TYPE_CHECKING:
    import polars as pl

DECIDE = 100_000  # forecasts that decide where the bins lie


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

    Every match adds its three forecasts; draws are left out where none was given a chance and none came. The bins hold
    about equally many forecasts; equal ones stay together.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 4)
    >>> calibration(pw.TrueSkill(draw_probability=0).fit(history).forecasts, bins=2).to_frame()["happened"].to_list()
    [0.0, 0.8]
    """
    _, p, seen = pool_forecasts(forecasts, where)
    edges = bin_edges(p, bins)
    at = assign_bins(p, edges)
    count, expected, happened = (np.bincount(at, column, len(edges) + 1) for column in (np.ones(len(p)), p, seen))
    return make_calibration(count.astype(np.float64), expected.astype(np.float64), happened.astype(np.float64))


def pool_forecasts(
    forecasts: Forecasts, where: Where = None, draws: bool | None = None
) -> tuple[NDArray[np.intp], Floats, Floats]:
    """Every forecast of win, loss and draw: its match, the probability, and whether it came true (1 or 0).

    `draws`: whether draws are among them; None: if one was given a chance, or came.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])
    >>> pool_forecasts(pw.Elo().fit(history).forecasts)
    (array([0, 0]), array([0.5, 0.5]), array([1., 0.]))
    """
    match, result = two_teams(forecasts, where)
    sides = [(result.win, result.won), (result.loss, ~result.won & ~result.drawn)]
    if has_draws(result) if draws is None else draws:
        sides.append((result.draw, result.drawn))
    p, seen = (np.concatenate(columns) for columns in zip(*sides, strict=True))
    return np.tile(match, len(sides)), p, seen.astype(np.float64)


def has_draws(result: Result) -> bool:
    """Whether a draw was given a chance anywhere, or came.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])
    >>> has_draws(two_teams(pw.Elo().fit(history).forecasts)[1])
    False
    """
    return bool(result.draw.any() or result.drawn.any())


def bin_edges(p: Floats, bins: int) -> Floats:
    """What lies between bins that hold equally many forecasts; of very many forecasts, evenly picked ones decide.

    >>> import numpy as np
    >>> bin_edges(np.array([0.1, 0.2, 0.6, 0.7]), 2)
    array([0.4])
    """
    whole("bins", bins, 1)
    if not len(p):
        raise Error("none of these matches has two teams: there is nothing to calibrate")
    return np.unique(np.quantile(p[:: 1 + len(p) // DECIDE], np.linspace(0, 1, bins + 1)[1:-1]))


def assign_bins(p: Floats, edges: Floats) -> NDArray[np.intp]:
    """The bin of every forecast; the edges are few, and looking at each is faster than a search.

    >>> import numpy as np
    >>> assign_bins(np.array([0.3, 0.4, 0.5]), np.array([0.4]))
    array([0, 1, 1])
    """
    at: NDArray[np.intp] = np.zeros(len(p), np.intp)
    for edge in edges:
        at += p >= edge
    return at


def make_calibration(count: Floats, expected: Floats, happened: Floats) -> Calibration:
    """The calibration of bins of which the sums are known.

    >>> import numpy as np
    >>> make_calibration(np.array([10.0, 0.0]), np.array([2.0, 0.0]), np.array([3.0, 0.0])).happened
    array([0.3])
    """
    kept = count > 0
    return Calibration(count[kept], expected[kept] / count[kept], happened[kept] / count[kept])
