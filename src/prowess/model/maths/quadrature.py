"""A grid of nodes for numerical integration over many normal distributions at once.

The grid consists of Gauss–Legendre panels. The panels are narrow near the centres, which are the mean and mean ± margin
of each distribution, and wide elsewhere. A node is a sum `base + offset`, whose base is a nearby centre. To compute the
distance of a node from a mean, subtract the mean from the base before adding the offset, so that a narrow distribution
far from zero keeps its digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

REACH = 10.0  # integrate over this many standard deviations of a performance
FINE = 1.0  # width of a panel, in units of the smallest standard deviation nearby
GRADE = 0.5  # how fast panels may grow with the distance from a narrow distribution
APART = 1e3  # least distance of two bases, in units of the smallest standard deviation
NODES = 16

Floats = NDArray[np.float64]


def grid(means: Floats, deviations: Floats, margins: Floats) -> tuple[Floats, Floats, Floats]:
    """Return bases, offsets and weights of the nodes of a grid for integrals over all the given normal distributions.

    The panels are narrow near each mean, and near the mean plus or minus its margin.

    >>> base, offset, weight = grid(np.array([0.0, 1.0]), np.array([1.0, 1.0]), np.array([0.0, 0.0]))
    >>> round(float(weight @ np.exp(-((base + offset) ** 2) / 2)) ** 2, 10) == round(2 * np.pi, 10)
    True
    """
    centres = np.concatenate([means, means - margins, means + margins])
    widths = np.tile(deviations, 3)
    bases = _bases(np.sort(centres), APART * float(np.min(deviations)))
    halves = [(right - left) / 2 for left, right in pairwise(bases)]
    before = float(np.max(bases[0] - centres + REACH * widths))
    after = float(np.max(centres - bases[-1] + REACH * widths))
    # The maximum of many performances has a steeper distribution.
    fine = widths * FINE / np.sqrt(1.0 + np.log(len(means)))
    panels = np.array(
        [
            (base, *edges)
            for base, left, right in zip(bases, [before, *halves], [*halves, after], strict=True)
            for edges in (
                *((-end, -start) for start, end in _panels(left, centres - base, fine, -1.0)),
                *_panels(right, centres - base, fine, 1.0),
            )
        ]
    )
    at, weight = np.polynomial.legendre.leggauss(NODES)
    half = (panels[:, 2:] - panels[:, 1:2]) / 2
    offsets = (panels[:, 1:2] + half) + half * at
    return np.repeat(panels[:, 0], NODES), offsets.ravel(), (half * weight).ravel()


def _bases(centres: Floats, apart: float) -> list[float]:
    """Choose bases among the sorted centres so that every centre is within `apart` of a base."""
    bases = [float(centres[0])]
    while len(beyond := centres[np.searchsorted(centres, bases[-1] + apart, side="right") :]):
        bases.append(float(beyond[0]))
    return bases


def _panels(length: float, centres: Floats, fine: Floats, side: float) -> Iterator[tuple[float, float]]:
    """Yield panels from a base outwards up to `length`, narrower near the centres."""
    start = 0.0
    while start < length:
        end = start + float(np.min(np.maximum(fine, GRADE * np.abs(side * centres - start)))) / (1.0 + GRADE)
        yield start, min(end, length)
        start = end
