"""A comparison as plain data that can be kept: the answer in words, the measures, and the points of its charts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..charts.series import place_of, time_axis
from ..interval import Interval
from . import verdict
from .frames import usual_window
from .verdict import meaning

if TYPE_CHECKING:
    from .comparison import Comparison

__all__ = ["outline"]

Plain = dict[str, Any]


def outline(comparison: Comparison, baseline: str) -> Plain:
    """All that a page tells of a comparison, with the differences of all models to one of them.

    >>> import prowess as pw
    >>> found = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo", "glicko"])
    >>> told = outline(found, "Elo")
    >>> told["best"], [row["model"] for row in told["models"]], told["differences"][0]["model"]
    ('Glicko', ['Glicko', 'Elo'], 'Glicko')
    """
    best = comparison.best  # an error, where nothing can be told
    measures = [
        {"name": one.name, "title": one.titled, "better": None if one.neutral else verdict.side_of(one)}
        for one in comparison.measures
    ]
    told = {row["model"]: row for row in comparison.table().iter_rows(named=True)}
    sure = comparison.sureness
    return {
        "best": best,
        "headline": verdict.headline(comparison),
        "verdict": verdict.verdict(comparison),
        "notes": verdict.notes(comparison),
        "sureness": None if np.isnan(sure) else sure,
        "matches": len(comparison),
        "confidence": comparison.resampling.confidence,
        "method": str(comparison.resampling),
        "measures": measures,
        "models": [_model(comparison, told[name]) for name in verdict.order(comparison)],
        "differences": [_difference(comparison, row) for row in comparison.differences(baseline).to_dicts()],
        "calibration": _calibration(comparison),
        "over_time": _over_time(comparison),
    }


def _model(comparison: Comparison, row: Plain) -> Plain:
    """A model with its parameters and measures."""
    found: Plain = {"model": row["model"], "parameters": verdict.parameters_of(comparison.models[row["model"]])}
    for measure in comparison.measures:
        value, low, high = (row[measure.name + ending] for ending in ("", "_low", "_high"))
        known = "" if value is None else str(Interval(*(np.nan if one is None else one for one in (value, low, high))))
        said = {"text": known, "meaning": meaning(measure.name, value)}
        found[measure.name] = {"value": value, "low": low, "high": high} | said
    return found


def _difference(comparison: Comparison, row: Plain) -> Plain:
    """A difference to the baseline, and whether it is for the better: unknown, where it is within noise."""
    measure = comparison.measure(row["measure"])
    better = None if row["within_noise"] or measure.neutral else (row["difference"] > 0) == measure.higher
    return row | {"better": better, "text": str(verdict.interval_of(row)).replace("-", "−")}


def _calibration(comparison: Comparison) -> list[Plain]:
    """The bins of all models, the best first; none where there are no matches of two teams."""
    if not any(one.chances for one in comparison.measures) or not comparison.resampled("calibration_error"):
        return []
    rows = comparison.calibration().to_dicts()
    place = {name: k for k, name in enumerate(verdict.order(comparison))}
    return sorted(rows, key=lambda row: place[row["model"]])


def _over_time(comparison: Comparison) -> Plain | None:
    """The first measure as time goes by; None where the matches are too few."""
    measure, window = comparison.measure(), usual_window(len(comparison))
    frame = comparison.over_time(window) if measure.tally is not None and window is not None else None
    if frame is None or not len(frame):
        return None
    axis = time_axis(comparison.history)
    rows = zip(frame["model"].to_list(), frame[axis[0]].to_list(), frame["value"].to_list(), strict=True)
    points = [
        {"model": model, axis[0]: when if axis[0] == "match" else place_of(when), "value": value}
        for model, when, value in rows
    ]
    return {
        "measure": measure.titled,
        "better": verdict.side_of(measure),
        "window": window,
        "axis": list(axis),
        "points": points,
    }
