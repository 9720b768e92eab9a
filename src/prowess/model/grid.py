"""A grid for integrals over many normal distributions at once.

It is fine where any of them has its bulk or its margins and coarse elsewhere, with Gauss–Legendre nodes in each panel.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["grid"]

REACH = 10.0  # standard deviations beyond which a performance is not looked for
FINE = 1.0  # width of a panel, in the smallest standard deviation that matters there
GRADE = 0.5  # how fast panels may grow with the distance from what needs fine ones
NODES = 16


def grid(
    means: NDArray[np.float64], deviations: NDArray[np.float64], margins: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Nodes and weights on which every team's integral is exact to rounding.

    >>> nodes, weights = grid(np.array([0.0, 1.0]), np.array([1.0, 1.0]), np.array([0.0, 0.0]))
    >>> round(float(weights @ np.exp(-nodes * nodes / 2)) ** 2, 10) == round(2 * np.pi, 10)
    True
    """
    centres = np.concatenate([means, means - margins, means + margins])
    widths = np.tile(deviations, 3)
    x = float(np.min(centres - REACH * widths))
    end = float(np.max(centres + REACH * widths))
    fine = FINE / np.sqrt(1.0 + np.log(len(means)))  # the best of many has a steeper distribution than one
    edges = [x]
    while x < end:
        x += float(np.min(np.maximum(fine * widths, GRADE * np.abs(x - centres)))) / (1.0 + GRADE)
        edges.append(x)
    at, weight = np.polynomial.legendre.leggauss(NODES)
    half = np.diff(edges)[:, None] / 2
    middle = (np.array(edges[:-1]) + np.array(edges[1:]))[:, None] / 2
    return (middle + half * at).ravel(), (half * weight).ravel()
