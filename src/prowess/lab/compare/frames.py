"""Frames of a comparison: the table, differences, matches won, measures over time and by labels, calibration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import Error
from ...history import show_time
from ...progress import steps
from ...validate import number
from ..charts.series import thin
from ..measures import Tally
from ..measures.aggregate import GROUPED, MOST, Groups, calibration_bins
from ..measures.registry import Measure
from ..protocols import label_codes

if TYPE_CHECKING:
    import polars as pl

    from .comparison import Comparison


def table(comparison: Comparison, where: ArrayLike | None) -> pl.DataFrame:
    """Every measure of every model with its interval."""
    import polars as pl

    columns: dict[str, Any] = {"model": list(comparison.models)}
    view = comparison.view(where)
    for index in steps(range(len(comparison.measures)), "measuring"):
        measure = comparison.measures[index]
        found = {name: one.interval for name, one in comparison.found(measure, view).items()}
        for k, ending in enumerate(("", "_low", "_high")):
            cells = [found[name][k] if name in found else None for name in comparison.models]
            columns[measure.name + ending] = pl.Series(cells, dtype=pl.Float64).fill_nan(None)
    return pl.DataFrame(columns)


def differences(comparison: Comparison, baseline: str | None, where: ArrayLike | None) -> pl.DataFrame:
    """How far every model is from the baseline, or from the best by each measure."""
    import polars as pl

    if baseline is not None:
        comparison.known(baseline)
    view, rows = comparison.view(where), []
    for measure in comparison.measures:
        found = comparison.found(measure, view)
        base = baseline or (measure.best({name: one.value for name, one in found.items()}) if found else "")
        for name in found:
            if name != base and base in found:
                apart = found[name].less(found[base])
                rows.append((measure.name, name, base, *apart, apart.within_noise))
    kinds: dict[str, Any] = dict.fromkeys(("measure", "model", "baseline"), pl.String)
    kinds |= dict.fromkeys(("difference", "low", "high"), pl.Float64) | {"within_noise": pl.Boolean}
    return pl.DataFrame(rows, schema=kinds, orient="row").fill_nan(None)


def pairwise(comparison: Comparison, measure: Measure, where: ArrayLike | None) -> pl.DataFrame:
    """In how many matches one model was better than another."""
    import polars as pl

    names = [name for name, model in comparison.models.items() if measure.fits(model)]
    columns = [comparison.tally(name, measure, where).values for name in names]
    sign = -1.0 if measure.higher else 1.0
    counts = [[int(np.count_nonzero(sign * one < sign * other)) for one in columns] for other in columns]
    return pl.DataFrame({"model": names} | dict(zip(names, counts, strict=True)))


def over_time(comparison: Comparison, window: int, measure: Measure) -> pl.DataFrame:
    """A measure over a sliding window of the scored matches, in the order of time."""
    import polars as pl

    if number("window", window) != int(window) or not 1 <= window <= len(comparison):
        raise Error(
            f"a window has 1 to {len(comparison)} matches, as many as were scored, not {window!r}",
            field="window",
            value=window,
        )
    rows = comparison.rows
    order = np.argsort(rows.match, kind="stable")
    history, frames = rows.history, []
    for name, model in comparison.models.items():
        if not measure.fits(model):
            continue
        tally = comparison.tally(name, measure)
        values = Tally(tally.total[order], tally.weight[order]).window(int(window))
        told = np.flatnonzero(~np.isnan(values))
        at = told[thin(len(told))]
        match = rows.match[order[at]]
        columns: dict[str, Any] = {"model": np.full(len(at), name), "match": match}
        if history.time is not None and history.time_kind is not None:
            columns["time"] = [show_time(history.time_kind, history.time_zone, when) for when in history.time[match]]
        frames.append(pl.DataFrame(columns | {"value": values[at]}))
    return pl.concat(frames)


def default_window(matches: int) -> int | None:
    """Over how many matches an error is told as time goes by; None where so few say nothing.

    >>> default_window(10_000), default_window(40), default_window(5)
    (500, 20, None)
    """
    return None if matches < 20 else min(max(50, matches // 20), matches // 2)


def by(comparison: Comparison, labels: ArrayLike | None) -> pl.DataFrame:
    """The measures of every model for every label."""
    import polars as pl

    rows = comparison.rows
    if labels is None:
        code, names = rows.run, list(rows.labels)
    else:
        number_of, names = label_codes(rows.history, labels)
        code = number_of[rows.match]
    groups = Groups(code, len(names))
    count = np.bincount(code, minlength=len(names))
    frames = []
    for name in comparison.models:
        columns: dict[str, Any] = {"label": names, "model": np.full(len(names), name), "matches": count}
        for measure in comparison.measures:
            columns[measure.name] = pl.Series(_values(comparison, name, measure, groups), nan_to_null=True)
        frames.append(pl.DataFrame(columns))
    return pl.concat(frames).filter(pl.col("matches") > 0)


def _values(comparison: Comparison, name: str, measure: Measure, groups: Groups) -> Any:
    """A measure of a model in every group of rows; NaN where it cannot be told."""
    if not measure.fits(comparison.models[name]):
        return np.full(groups.number, np.nan)
    rows, scored = comparison.rows, comparison.scored[name]
    if measure.tally is not None:
        sums = rows.sums(scored, measure, np.arange(len(rows)), groups)
        return sums.combine(sums.parts)
    grouped = GROUPED.get(measure.sums)
    if grouped is not None and np.bincount(groups.of).max() <= MOST:
        return grouped(rows.parts(scored, np.arange(len(rows))), groups)
    values = np.full(groups.number, np.nan)
    order = np.argsort(groups.of, kind="stable")
    ends = np.cumsum(np.bincount(groups.of, minlength=groups.number))[:-1]
    for group, picked in enumerate(np.split(order, ends)):
        if len(picked):
            values[group] = rows.sums(scored, measure, picked, Groups(np.zeros(len(picked), np.intp), 1)).value
    return values


def calibration(comparison: Comparison, where: ArrayLike | None) -> pl.DataFrame:
    """The bins of every model."""
    import polars as pl

    measure = comparison.measure("calibration_error")
    frames = []
    for name, found in comparison.resampled(measure, where).items():
        frame = calibration_bins(found.sums).to_frame()
        frames.append(frame.select(pl.lit(name).alias("model"), pl.all()))
    if not frames:
        raise Error("none of these matches has two teams: there is nothing to calibrate")
    return pl.concat(frames)
