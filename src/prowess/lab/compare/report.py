"""A comparison as a report: the answer, and everything behind it in tables and charts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ...text import capitalise, count, join_words
from ..charts.comparison import calibration_chart, measure_chart, time_chart
from ..charts.series import CURVES, time_axis
from ..charts.skill import skill_curves
from ..report import Report, Section
from .frames import default_window
from .verdict import (
    FEW,
    advice,
    better_side,
    confidence_text,
    match_count,
    models_by_rank,
    notes,
    row_interval,
    shown_parameters,
)

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

    from ...model.fit.fit import Fit
    from .comparison import Comparison


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
    models = models_by_rank(comparison)
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
    text = f"In brackets: {confidence_text(comparison)} intervals."
    if len(comparison.models) > 1:
        text += " The best of each column is bold; ≈ marks those that these matches cannot tell from it."
    for way in ("lower", "higher"):
        sided = [one.title for one in comparison.measures if not one.neutral and better_side(one) == way]
        text += f" {way.title()} is better for {join_words(sided)}." if sided else ""
    return text


def measures_chart(comparison: Comparison, where: ArrayLike | None = None) -> alt.TopLevelMixin:
    """All measures with their intervals, a panel each, the best model on top."""
    table = _best_first(comparison, comparison.table(where))
    titles = {
        measure.name: measure.titled + (f", {better_side(measure)} is better" if not measure.neutral else "")
        for measure in comparison.measures
        if table[measure.name].count()
    }
    many = len(comparison.rows.pick(where))
    models = count(len(table), "model", "models")
    subtitle = f"dot: measure; line: {confidence_text(comparison)} interval"
    return measure_chart(table, titles, title=f"Measures of {models} over {many:,} matches", subtitle=subtitle)


def _differences(comparison: Comparison) -> Section:
    """Every model against the best, by every measure."""
    import polars as pl

    if len(comparison.models) == 1:
        return Section("Differences", text="There is no other model to compare with.")
    models = models_by_rank(comparison)
    cells = {(row["measure"], row["model"]): row for row in comparison.differences().iter_rows(named=True)}
    best = {measure: row["baseline"] for (measure, _), row in cells.items()}
    columns: dict[str, Any] = {"model": models}
    for measure in comparison.measures:
        rows = [cells.get((measure.name, name)) for name in models]
        texts = ["–" if row is None else f"{row_interval(row)}{' ≈' * row['within_noise']}" for row in rows]
        columns[measure.titled] = [
            "best" if best.get(measure.name) == n else t for n, t in zip(models, texts, strict=True)
        ]
    bold = {(models.index(name), comparison.measure(measure).titled) for measure, name in best.items()}
    text = (
        "How far each model is from the best one, by each measure, on the same matches. In brackets: "
        f"{confidence_text(comparison)} intervals of the difference; ≈ within noise: the interval holds 0. Differences "
        "are surer than the measures themselves, because all models met the same matches. The best was chosen by these "
        "same matches, which flatters it a little."
    )
    return Section("Differences", text, pl.DataFrame(columns), bold=frozenset(bold))


def _time(comparison: Comparison) -> list[Section]:
    """The first measure as time goes by."""
    measure, window = comparison.measure(), default_window(len(comparison))
    if measure.tally is None or window is None:
        return []
    frame = comparison.over_time(window)
    if not len(frame):
        return []
    frame, some = _best_models(comparison, frame)
    heading = f"{capitalise(measure.title)} over time"
    subtitle = f"mean of the last {window:,} matches; {better_side(measure)} is better{some}"
    axis = time_axis(comparison.history)
    return [Section(heading, chart=time_chart(frame, measure.titled, axis, title=heading, subtitle=subtitle))]


def _calibration(comparison: Comparison) -> list[Section]:
    """What was expected and what happened."""
    if not any(measure.chances for measure in comparison.measures) or not comparison.resampled("calibration_error"):
        return []
    text = "Of what a model called 70 % likely, 70 of 100 should happen: then its dots lie on the grey line."
    subtitle = "dot: a tenth of the forecasts of win, draw and loss; line: ± 2 standard errors"
    frame, some = _best_models(comparison, comparison.calibration())
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
    said = [f"{capitalise(done)}: {match_count(comparison)}.", str(comparison.resampling)]
    shown = [f"{name}: {_parameters(comparison, name)}" for name in models_by_rank(comparison)]
    return "\n\n".join([*said, "The parameters of the models. " + "; ".join(shown) + "."])


def _parameters(comparison: Comparison, name: str) -> str:
    """The parameters of a model, those that are numbers with four digits."""
    known = shown_parameters(comparison.models[name]).items()
    return ", ".join(f"{key} {value:.4g}" if isinstance(value, float) else f"{key} {value}" for key, value in known)


def _best_first(comparison: Comparison, frame: pl.DataFrame) -> pl.DataFrame:
    """The same rows, those of the best model first."""
    place = {name: k for k, name in enumerate(models_by_rank(comparison))}
    return frame[np.argsort([place[name] for name in frame["model"]], kind="stable")]


def _best_models(comparison: Comparison, frame: pl.DataFrame) -> tuple[pl.DataFrame, str]:
    """The rows of the best models, as many as a chart has room for, the best first; and what to say of the others."""
    kept = models_by_rank(comparison)[:CURVES]
    some = f"; the best {CURVES} of {len(comparison.models)} models" if len(comparison.models) > CURVES else ""
    return _best_first(comparison, frame.filter(frame["model"].is_in(kept))), some


TOP = 50  # players in a table
SKILL_CURVES = 6  # players in a chart


def standings(fit: Fit, name: str) -> Section:
    """The best players by the best model, after all matches of the history.

    >>> import prowess as pw
    >>> fit = pw.TrueSkill().fit(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
    >>> standings(fit, "TrueSkill").table.columns
    ['rank', 'player', 'rating', 'μ', 'σ', 'matches']
    """
    board = fit.leaderboard()
    text = f"After all {len(fit.history):,} matches of the history, by {name}."
    if not fit.model.absorb.certain:
        text += f" The rating is μ − {fit.model.caution:g}σ: almost certainly the skill is higher."
    if len(board) > TOP:
        text += f" The best {TOP} of {len(board):,} players."
    return Section("Standings", text, _columns(board.head(TOP)))


def _columns(board: pl.DataFrame) -> pl.DataFrame:
    """The columns of the leaderboard that say something, as they are headed."""
    import polars as pl

    heads = {"rank": "rank", "player": "player", "shown": "rating", "mu": "μ", "sigma": "σ", "matches": "matches"}
    heads["last_seen"] = "last seen"
    kept = {key: head for key, head in heads.items() if board[key].null_count() < len(board)}
    if "sigma" not in kept:  # a system without uncertainty: the rating is all there is
        kept.pop("mu", None)
    return board.select(pl.col(key).alias(head) for key, head in kept.items())


def skills(fit: Fit, name: str) -> list[Section]:
    """The skills of the best players over time.

    >>> import prowess as pw
    >>> fit = pw.TrueSkill().fit(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
    >>> [section.title for section in skills(fit, "TrueSkill")]
    ['Skill over time']
    """
    best = fit.leaderboard()["player"].head(SKILL_CURVES).to_list()
    if not best:
        return []
    title = f"The skill of the best {len(best)}, by {name}"
    return [Section("Skill over time", chart=skill_curves(fit, best, title=title))]
