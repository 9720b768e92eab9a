"""The parameters that the automatic choice tunes: their ranges, and the values that are usual in other leagues."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Literal

import numpy as np

from ...history.ragged import Floats

Transform = Literal["log", "logit", "plain"]


@dataclass(frozen=True)
class Parameter:
    """A number to tune, with a normal prior on a transformed scale.

    The scale is "log" for positive numbers, "logit" for shares, or "plain" for any numbers. `usual` is the median in
    other leagues, and `spread` is the standard deviation of the transformed value in other leagues. The value always
    stays between `low` and `high`.

    >>> tau = Parameter("tau", usual=0.1, spread=1.0, low=0.001, high=1.0)
    >>> round(tau.value(tau.point(0.2)), 6), tau.value(-99.0)
    (0.2, 0.001)
    """

    name: str
    usual: float
    spread: float
    low: float
    high: float
    transform: Transform = "log"

    def point(self, value: float) -> float:
        """Return the transformed value.

        >>> Parameter("carry", 0.5, 1.0, 0.0, 1.0, "logit").point(0.5)
        0.0
        """
        if self.transform == "plain":
            return value
        return log(value) if self.transform == "log" else log(value / (1.0 - value))

    def value(self, point: float) -> float:
        """Return the parameter's value for a transformed value.

        >>> Parameter("carry", 0.5, 1.0, 0.0, 1.0, "logit").value(0.0)
        0.5
        """
        value = point
        if self.transform == "log":
            value = exp(min(point, 700.0))
        elif self.transform == "logit":
            value = 1.0 / (1.0 + exp(-max(point, -700.0)))
        return min(max(value, self.low), self.high)

    def at_edge(self, value: float) -> bool:
        """Return whether a value is within 1 % of an end of the range, on the transformed scale.

        >>> tau = Parameter("tau", 0.1, 1.0, 0.001, 1.0)
        >>> tau.at_edge(0.97), tau.at_edge(0.9)
        (True, False)
        """
        low, high = self.point(self.low), self.point(self.high)
        margin = 0.01 * (high - low)
        return not low + margin < self.point(value) < high - margin


@dataclass(frozen=True)
class Values:
    """Transformed values of several parameters, by name; a missing parameter has its usual value.

    >>> tau = Parameter("tau", 0.5, 1.0, 0.001, 1.0)
    >>> round(Values({}).of([tau])["tau"], 6)
    0.5
    """

    points: dict[str, float]

    def array(self, parameters: Sequence[Parameter]) -> Floats:
        """Return the transformed values in the order of the parameters.

        >>> Values({"tau": -1.0}).array([Parameter("tau", 0.5, 1.0, 0.001, 1.0)])
        array([-1.])
        """
        return np.array([self.points.get(one.name, one.point(one.usual)) for one in parameters], np.float64)

    def of(self, parameters: Sequence[Parameter]) -> dict[str, float]:
        """Return the values of the parameters by name.

        >>> Values({"tau": 0.0}).of([Parameter("tau", 0.5, 1.0, 0.001, 1.0)])
        {'tau': 1.0}
        """
        points = self.array(parameters).tolist()
        return {one.name: one.value(point) for one, point in zip(parameters, points, strict=True)}

    def moved(self, parameters: Sequence[Parameter], points: Floats) -> Values:
        """Return these values with new transformed values of some parameters.

        >>> Values({"beta": 1.0}).moved([Parameter("tau", 0.5, 1.0, 0.001, 1.0)], np.array([2.0])).points
        {'beta': 1.0, 'tau': 2.0}
        """
        names = [one.name for one in parameters]
        return Values({**self.points, **dict(zip(names, points.tolist(), strict=True))})
