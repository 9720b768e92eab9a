"""A comparison as a report: the answer, and everything behind it in tables and charts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ...text import capitalise, count, join_words
from ..charts.comparison import calibration_chart, measure_chart, time_chart
from ..charts.series import CURVES, time_axis
from ..report import Report, Section
from .best_model import skills, standings
from .frames import usual_window
from .verdict import FEW, advice, interval_of, matches_of, notes, order, parameters_of, share_of, side_of

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

    from .comparison import Comparison

__all__ = ["measures", "measures_chart", "report"]


def report(comparison: Comparison) -> Report:
    """The whole of it."""
    fit = comparison.fit()
    sections = [
        Section("Which model to use", text="\n\n".join([advice(comparison), *notes(comparison)])),
        replace(measures(comparison), chart=measures_chart(comparison)),
        _differences(comparison),
        *_time(comparison),
        *_calibration(comparison),
        *_pairwise(comparison),
        standings(fit, comparison.best),
        *skills(fit, comparison.best),
        Section("How this was measured", text=_method(comparison)),
    ]
    title = f"{count(len(comparison.models), 'model', 'models')} compared"
    return Report(title, tuple(sections))


def measures(comparison: Comparison) -> Section:
    """All measures of all models, the best of each in bold, those that cannot be told from it with a mark."""
    import polars as pl

    comparison.table()  # all measures at once, with a bar where it takes a while
    models = order(comparison)
    apart = {(row["measure"], row["model"]): row for row in comparison.differences().iter_rows(named=True)}
    columns: dict[str, Any] = {"model": models}
    bold, few = set(), len(comparison) < FEW
    for measure in comparison.measures:
        intervals = comparison.intervals(measure) if comparison.resampled(measure) else {}
        rows = [apart.get((measure.name, name)) for name in models]
        alike = [row is not None and not measure.neutral and (row["within_noise"] or few) for row in rows]
        cells = [str(intervals[name]) if name in intervals else "–" for name in models]
        columns[measure.titled] = [f"{cell}{' ≈' * same}" for cell, same in zip(cells, alike, strict=True)]
        if intervals and len(models) > 1 and not measure.neutral:
            bold.add((models.index(next(iter(intervals))), measure.titled))
    return Section("Measures", _legend(comparison), pl.DataFrame(columns), bold=frozenset(bold))


def _legend(comparison: Comparison) -> str:
    """How to read the table of measures."""
    text = f"In brackets: {share_of(comparison)} intervals."
    if len(comparison.models) > 1:
        text += " The best of each column is bold; ≈ marks those that these matches cannot tell from it."
    for way in ("lower", "higher"):
        sided = [one.title for one in comparison.measures if not one.neutral and side_of(one) == way]
        text += f" {way.title()} is better for {join_words(sided)}." if sided else ""
    return text


def measures_chart(comparison: Comparison, where: ArrayLike | None = None) -> alt.TopLevelMixin:
    """All measures with their intervals, a panel each, the best model on top."""
    table = _best_first(comparison, comparison.table(where))
    titles = {
        measure.name: measure.titled + (f", {side_of(measure)} is better" if not measure.neutral else "")
        for measure in comparison.measures
        if table[measure.name].count()
    }
    many = len(comparison.rows.pick(where))
    models = count(len(table), "model", "models")
    subtitle = f"dot: measure; line: {share_of(comparison)} interval"
    return measure_chart(table, titles, title=f"Measures of {models} over {many:,} matches", subtitle=subtitle)


def _differences(comparison: Comparison) -> Section:
    """Every model against the best, by every measure."""
    import polars as pl

    if len(comparison.models) == 1:
        return Section("Differences", text="There is no other model to compare with.")
    models = order(comparison)
    cells = {(row["measure"], row["model"]): row for row in comparison.differences().iter_rows(named=True)}
    best = {measure: row["baseline"] for (measure, _), row in cells.items()}
    columns: dict[str, Any] = {"model": models}
    for measure in comparison.measures:
        rows = [cells.get((measure.name, name)) for name in models]
        texts = ["–" if row is None else f"{interval_of(row)}{' ≈' * row['within_noise']}" for row in rows]
        columns[measure.titled] = [
            "best" if best.get(measure.name) == n else t for n, t in zip(models, texts, strict=True)
        ]
    bold = {(models.index(name), comparison.measure(measure).titled) for measure, name in best.items()}
    text = (
        "How far each model is from the best one, by each measure, on the same matches. In brackets: "
        f"{share_of(comparison)} intervals of the difference; ≈ within noise: the interval holds 0. Differences are "
        "surer than the measures themselves, because all models met the same matches. The best was chosen by these "
        "same matches, which flatters it a little."
    )
    return Section("Differences", text, pl.DataFrame(columns), bold=frozenset(bold))


def _time(comparison: Comparison) -> list[Section]:
    """The first measure as time goes by."""
    measure, window = comparison.measure(), usual_window(len(comparison))
    if measure.tally is None or window is None:
        return []
    frame = comparison.over_time(window)
    if not len(frame):
        return []
    frame, some = _few(comparison, frame)
    heading = f"{capitalise(measure.title)} over time"
    subtitle = f"mean of the last {window:,} matches; {side_of(measure)} is better{some}"
    axis = time_axis(comparison.history)
    return [Section(heading, chart=time_chart(frame, measure.titled, axis, title=heading, subtitle=subtitle))]


def _calibration(comparison: Comparison) -> list[Section]:
    """What was expected and what happened."""
    if not any(measure.chances for measure in comparison.measures) or not comparison.resampled("calibration_error"):
        return []
    text = "Of what a model called 70 % likely, 70 of 100 should happen: then its dots lie on the grey line."
    subtitle = "dot: a tenth of the forecasts of win, draw and loss; line: ± 2 standard errors"
    frame, some = _few(comparison, comparison.calibration())
    return [Section("Calibration", text, chart=calibration_chart(frame, subtitle=f"{subtitle}{some}"))]


def _pairwise(comparison: Comparison) -> list[Section]:
    """Who was better in how many matches."""
    measure = comparison.measure()
    if measure.tally is None or len(comparison.models) == 1:
        return []
    text = f"In how many matches the model of a row had the better {measure.title} than the model of a column."
    return [Section("Matches won", text, comparison.pairwise())]


def _method(comparison: Comparison) -> str:
    """What was done, and what the intervals mean."""
    done = str(comparison.protocol)
    said = [f"{capitalise(done)}: {matches_of(comparison)}.", str(comparison.resampling)]
    shown = [f"{name}: {_parameters(comparison, name)}" for name in order(comparison)]
    return "\n\n".join([*said, "The parameters of the models. " + "; ".join(shown) + "."])


def _parameters(comparison: Comparison, name: str) -> str:
    """The parameters of a model, those that are numbers with four digits."""
    known = parameters_of(comparison.models[name]).items()
    return ", ".join(f"{key} {value:.4g}" if isinstance(value, float) else f"{key} {value}" for key, value in known)


def _best_first(comparison: Comparison, frame: pl.DataFrame) -> pl.DataFrame:
    """The same rows, those of the best model first."""
    place = {name: k for k, name in enumerate(order(comparison))}
    return frame[np.argsort([place[name] for name in frame["model"]], kind="stable")]


def _few(comparison: Comparison, frame: pl.DataFrame) -> tuple[pl.DataFrame, str]:
    """The rows of the best models, as many as a chart has room for, the best first; and what to say of the others."""
    kept = order(comparison)[:CURVES]
    some = f"; the best {CURVES} of {len(comparison.models)} models" if len(comparison.models) > CURVES else ""
    return _best_first(comparison, frame.filter(frame["model"].is_in(kept))), some
