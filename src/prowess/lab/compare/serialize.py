"""A comparison as plain data that can be kept: the answer in words, the measures, and the points of its charts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..charts.series import axis_value, time_axis
from ..interval import Interval
from . import verdict
from .frames import default_window

if TYPE_CHECKING:
    from .comparison import Comparison

Plain = dict[str, Any]


def page_payload(comparison: Comparison, baseline: str) -> Plain:
    """All that a page tells of a comparison, with the differences of all models to one of them.

    >>> import prowess as pw
    >>> found = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo", "glicko"])
    >>> outlined = page_payload(found, "Elo")
    >>> outlined["best"], [row["model"] for row in outlined["models"]], outlined["differences"][0]["model"]
    ('Glicko', ['Glicko', 'Elo'], 'Glicko')
    """
    best = comparison.best  # an error, where nothing can be told
    rows = {row["model"]: row for row in comparison.table().iter_rows(named=True)}
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
        "measures": _measures(comparison),
        "models": [_described_model(comparison, rows[name]) for name in verdict.models_by_rank(comparison)],
        "differences": [_difference(comparison, row) for row in comparison.differences(baseline).to_dicts()],
        "calibration": _calibration(comparison),
        "over_time": _over_time(comparison),
    }


def _described_model(comparison: Comparison, row: Plain) -> Plain:
    """The same with each measure in words."""
    model = _model(comparison, row)
    for measure in comparison.measures:
        cell = model[measure.name]
        ends = (np.nan if cell[end] is None else cell[end] for end in ("value", "low", "high"))
        cell["text"] = "" if cell["value"] is None else str(Interval(*ends))
        cell["meaning"] = verdict.meaning(measure.name, cell["value"])
    return model


def _difference(comparison: Comparison, row: Plain) -> Plain:
    """A difference to the baseline, and whether it is for the better: unknown, where it is within noise."""
    measure = comparison.measure(row["measure"])
    better = None if row["within_noise"] or measure.neutral else (row["difference"] > 0) == measure.higher
    return row | {"better": better, "text": str(verdict.row_interval(row)).replace("-", "−")}


def _calibration(comparison: Comparison) -> list[Plain]:
    """The bins of all models, the best first; none where there are no matches of two teams."""
    if not any(one.chances for one in comparison.measures) or not comparison.resampled("calibration_error"):
        return []
    rows = comparison.calibration().to_dicts()
    place = {name: k for k, name in enumerate(verdict.models_by_rank(comparison))}
    return sorted(rows, key=lambda row: place[row["model"]])


def _over_time(comparison: Comparison) -> Plain | None:
    """The first measure as time goes by; None where the matches are too few."""
    measure, window = comparison.measure(), default_window(len(comparison))
    frame = comparison.over_time(window) if measure.tally is not None and window is not None else None
    if frame is None or not len(frame):
        return None
    axis = time_axis(comparison.history)
    rows = zip(frame["model"].to_list(), frame[axis[0]].to_list(), frame["value"].to_list(), strict=True)
    points = [
        {"model": model, axis[0]: when if axis[0] == "match" else axis_value(when), "value": value}
        for model, when, value in rows
    ]
    return {
        "measure": measure.titled,
        "better": verdict.better_side(measure),
        "window": window,
        "axis": list(axis),
        "points": points,
    }


def to_plain(comparison: Comparison) -> Plain:
    """The answer as plain data."""
    return {
        "best": comparison.best,
        "answer": verdict.advice(comparison),
        "sureness": comparison.sureness,
        "matches": len(comparison),
        "protocol": str(comparison.protocol),
        "confidence": comparison.resampling.confidence,
        "measures": _measures(comparison),
        "models": [_model(comparison, row) for row in comparison.table().iter_rows(named=True)],
        "differences": comparison.differences().to_dicts(),
    }


def _measures(comparison: Comparison) -> list[Plain]:
    return [
        {"name": one.name, "title": one.titled, "better": None if one.neutral else verdict.better_side(one)}
        for one in comparison.measures
    ]


def _model(comparison: Comparison, row: Plain) -> Plain:
    """A model with its parameters and measures, from a row of `Comparison.table`."""
    cells: Plain = {"model": row["model"], "parameters": verdict.shown_parameters(comparison.models[row["model"]])}
    for one in comparison.measures:
        cells[one.name] = {"value": row[one.name], "low": row[f"{one.name}_low"], "high": row[f"{one.name}_high"]}
    return cells
