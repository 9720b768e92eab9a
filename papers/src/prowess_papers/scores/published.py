"""The published curves, from the authors' result matrices behind their Figure 4, and our distances from the curves."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from .curves import MEASURES, Curves

# The largest distances allowed. Our AFL file and the authors' file come from different sources; in a fifth of the rows,
# the order or the home team differs. Halo 2 depends on random samples, so it has no limit.
TOLERANCES = {
    ("premier_league", "information_gain"): 0.001,
    ("premier_league", "auc"): 0.001,
    ("premier_league", "score_mae"): 0.001,
    ("afl", "information_gain"): 0.025,
    ("afl", "auc"): 0.015,
}


class Point(NamedTuple):
    """A published mean, over seasons or over random samples, with its standard error."""

    mean: float
    stderr: float


class Deviation(NamedTuple):
    """The largest distance between our points and the published points, for one data set and one measure.

    `points` is the number of compared points, `where` is the system and percentage with the largest distance, and
    `allowed` is the tolerance, if there is one.
    """

    data: str
    measure: str
    points: int
    largest: float
    where: str
    allowed: float | None


def published() -> dict[tuple[str, str, str, int], Point]:
    """Return the published points by data set, measure, system and percentage of training matches.

    >>> published()["afl", "information_gain", "TrueSkill", 80]
    Point(mean=0.07152, stderr=0.04033)
    """
    import polars as pl

    rows = pl.read_csv(Path(__file__).with_name("published.csv")).iter_rows()
    return {(data, measure, system, percent): Point(*point) for data, measure, system, percent, *point in rows}


def deviations(data: str, curves: Curves) -> list[Deviation]:
    """Return how far curves are from the published curves of a data set, for every measure.

    >>> import numpy as np
    >>> deviations("afl", Curves(("TrueSkill",), (80,), np.zeros((1, 1, 2, 4))))[0].largest
    0.07152
    """
    points, found = published(), []
    for measure in MEASURES:
        gaps = [
            (abs(mean - points[data, measure, system, percent].mean), f"{system}, {percent} %")
            for system in curves.systems
            for percent, mean in zip(curves.percents, curves.mean(system, measure), strict=True)
            if (data, measure, system, percent) in points
        ]
        if gaps:
            largest, where = max(gaps)
            allowed = TOLERANCES.get((data, measure))
            found.append(Deviation(data, measure, len(gaps), float(largest), where, allowed))
    return found
