"""A comparison as a report of tables and charts, as plain data for JSON, and as the payload of a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ...text import capitalise, count, join_words
from ..charts.comparison import calibration_chart, measure_chart, time_chart
from ..charts.skill import skill_curves
from ..charts.theme import MAX_CURVES, axis_value, time_axis
from ..interval import Interval
from ..report import Report, Section
from . import verdict
from .verdict import FEW, confidence_text, models_by_rank, row_interval, shown_parameters

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

    from ...model.fit.fit import Fit
    from ...model.hindsight.hindsight import Hindsight
    from .comparison import Comparison
    from .training import RunChoice

Plain = dict[str, Any]
TOP = 50  # number of players in a table
SKILL_CURVES = 6  # number of players in a chart


def make_report(comparison: Comparison) -> Report:
    """Build the report that `Comparison.report` returns."""
    # After a refit, ratings are those in hindsight.
    model = comparison.models[comparison.best]
    fit = model.hindsight(comparison.history) if comparison.best in comparison.refits else comparison.fit()
    sections = [
        Section("Which model to use", text="\n\n".join([verdict.advice(comparison), *verdict.remarks(comparison)])),
        replace(measures(comparison), chart=measures_chart(comparison)),
        _differences(comparison),
        *_time(comparison),
        *_calibration(comparison),
        *_pairwise(comparison),
        *_choices(comparison),
        standings(fit, comparison.best),
        *skills(fit, comparison.best),
        Section("How this was measured", text=_method(comparison)),
    ]
    return Report(f"{count(len(comparison.models), 'model', 'models')} compared", tuple(sections))


def measures(comparison: Comparison) -> Section:
    """Return a table of all measures; the best value is bold, and values within noise of the best are marked with ≈."""
    comparison.table()  # this call computes all measures at once, with a progress bar
    texts, best, few = {}, {}, len(comparison) < FEW
    rows = {(row["measure"], row["model"]): row for row in comparison.differences().iter_rows(named=True)}
    for measure in comparison.measures:
        intervals = comparison.intervals(measure) if comparison.resampled(measure) else {}
        if intervals and len(comparison.models) > 1 and not measure.neutral:
            best[measure.name] = next(iter(intervals))
        for name, interval in intervals.items():
            row = rows.get((measure.name, name))
            # With few matches the intervals are too narrow, so every model counts as within noise.
            alike = row is not None and not measure.neutral and (row["within_noise"] or few)
            texts[measure.name, name] = f"{interval}{' ≈' * alike}"
    return _measure_table(comparison, "Measures", _legend(comparison), texts, best)


def _measure_table(
    comparison: Comparison, title: str, text: str, cells: Mapping[tuple[str, str], str], best: Mapping[str, str]
) -> Section:
    import polars as pl

    models = models_by_rank(comparison)
    columns: dict[str, Any] = {"model": models}
    for measure in comparison.measures:
        columns[measure.titled] = [cells.get((measure.name, name), "–") for name in models]
    bold = frozenset((models.index(name), comparison.measure(measure).titled) for measure, name in best.items())
    return Section(title, text, pl.DataFrame(columns), bold=bold)


def _legend(comparison: Comparison) -> str:
    text = f"In brackets: {confidence_text(comparison)} intervals."
    if len(comparison.models) > 1:
        text += " The best value of each column is bold; ≈ marks values that are within noise of the best."
    for direction in ("lower", "higher"):
        titles = [own.title for own in comparison.measures if not own.neutral and own.better == direction]
        text += f" {direction.title()} is better for {join_words(titles)}." if titles else ""
    return text


def measures_chart(comparison: Comparison, where: ArrayLike | None = None) -> alt.TopLevelMixin:
    """Chart every measure with its intervals in its own panel, the best model on top."""
    table = _best_first(comparison, comparison.table(where))
    titles = {
        measure.name: measure.titled + (f", {measure.better} is better" if not measure.neutral else "")
        for measure in comparison.measures
        if table[measure.name].count()
    }
    models, matches = count(len(table), "model", "models"), len(comparison.rows.pick(where))
    subtitle = f"dot: measure; line: {confidence_text(comparison)} interval"
    return measure_chart(table, titles, title=f"Measures of {models} over {matches:,} matches", subtitle=subtitle)


def _differences(comparison: Comparison) -> Section:
    if len(comparison.models) == 1:
        return Section("Differences", text="There is no other model to compare with.")
    texts, best = {}, {}
    for row in comparison.differences().iter_rows(named=True):
        texts[row["measure"], row["model"]] = f"{row_interval(row)}{' ≈' * row['within_noise']}"
        texts[row["measure"], row["baseline"]] = "best"
        best[row["measure"]] = row["baseline"]
    text = (
        "How far each model is from the best model, by each measure, on the same matches. In brackets: "
        f"{confidence_text(comparison)} intervals of the difference; ≈ means within noise: the interval contains 0. "
        "Differences are more certain than the measures themselves, because all models had the same matches. The best "
        "model was chosen on the same matches, which makes it look a little better than it is."
    )
    return _measure_table(comparison, "Differences", text, texts, best)


def _over_time(comparison: Comparison) -> tuple[pl.DataFrame, int] | None:
    # The result is None if there are too few matches.
    matches = len(comparison)
    if comparison.measure().tally is None or matches < 20:
        return None
    window = min(max(50, matches // 20), matches // 2)
    frame = comparison.over_time(window)
    return (frame, window) if len(frame) else None


def _time(comparison: Comparison) -> list[Section]:
    measure, series = comparison.measure(), _over_time(comparison)
    if series is None:
        return []
    frame, shown = _best_models(comparison, series[0])
    title = f"{capitalise(measure.title)} over time"
    subtitle = f"mean of the last {series[1]:,} matches; {measure.better} is better{shown}"
    axis = time_axis(comparison.history)
    return [Section(title, chart=time_chart(frame, measure.titled, axis, title=title, subtitle=subtitle))]


def _has_calibration(comparison: Comparison) -> bool:
    return any(own.chances for own in comparison.measures) and bool(comparison.resampled("calibration_error"))


def _calibration(comparison: Comparison) -> list[Section]:
    if not _has_calibration(comparison):
        return []
    text = (
        "Of the events to which a model gives a chance of 70 %, 70 of 100 should happen. If they do, the model's dots "
        "lie on the grey line."
    )
    subtitle = "dot: a tenth of the forecasts of win, draw and loss; line: ± 2 standard errors"
    frame, shown = _best_models(comparison, comparison.calibration())
    return [Section("Calibration", text, chart=calibration_chart(frame, subtitle=f"{subtitle}{shown}"))]


def _pairwise(comparison: Comparison) -> list[Section]:
    measure = comparison.measure()
    if measure.tally is None or len(comparison.models) == 1:
        return []
    text = f"The number of matches in which the model of the row had a better {measure.title} than that of the column."
    return [Section("Matches won", text, comparison.pairwise())]


def _choices(comparison: Comparison) -> list[Section]:
    if not comparison.chosen:
        return []
    import polars as pl

    text = "These models were set up separately for every run, using only matches that the run does not score."
    rows = [
        (name, own.run, own.matches, capitalise(join_words(own.parts)), " ".join(own.remarks))
        for name, choices in comparison.chosen.items()
        for own in choices
    ]
    heads = ["model", "run", "training matches", "set up as", "remarks"]
    return [Section("Set up from training matches", text, pl.DataFrame(rows, schema=heads, orient="row"))]


def _method(comparison: Comparison) -> str:
    models = []
    for name in models_by_rank(comparison):
        values = shown_parameters(comparison.models[name]).items()
        texts = (f"{key} {value:.4g}" if isinstance(value, float) else f"{key} {value}" for key, value in values)
        models.append(f"{name}: {', '.join(texts)}")
    protocol = f"{capitalise(str(comparison.protocol))}: {verdict.match_count(comparison)}."
    parameters = f"The parameters of the models. {'; '.join(models)}."
    return "\n\n".join([protocol, str(comparison.resampling), parameters])


def _best_first(comparison: Comparison, frame: pl.DataFrame) -> pl.DataFrame:
    place = {name: rank for rank, name in enumerate(models_by_rank(comparison))}
    return frame[np.argsort([place[name] for name in frame["model"]], kind="stable")]


def _best_models(comparison: Comparison, frame: pl.DataFrame) -> tuple[pl.DataFrame, str]:
    """Return the rows of the best models, as many as a chart can show, and a remark if some are left out."""
    kept, models = models_by_rank(comparison)[:MAX_CURVES], len(comparison.models)
    shown = f"; the best {MAX_CURVES} of {models} models" if models > MAX_CURVES else ""
    return _best_first(comparison, frame.filter(frame["model"].is_in(kept))), shown


def standings(fit: Fit | Hindsight, name: str) -> Section:
    """Return a section with a table of the best players after all matches; `name` is the name of the fitted model.

    >>> import prowess as pw
    >>> fit = pw.TrueSkill().fit(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
    >>> standings(fit, "TrueSkill").table.columns
    ['rank', 'player', 'rating', 'μ', 'σ', 'matches']
    """
    import polars as pl

    board = fit.leaderboard(ranking="conservative")
    text = f"After all {len(fit.history):,} matches of the history, by {name}."
    if not fit.model.absorb.certain:
        text += f" The rating is μ − {fit.model.caution:g}σ: true skill is almost certainly higher than this."
    if len(board) > TOP:
        text += f" The best {TOP} of {len(board):,} players."
    heads = {"rank": "rank", "player": "player", "shown": "rating", "mu": "μ", "sigma": "σ", "matches": "matches"}
    heads["last_seen"] = "last seen"
    top = board.head(TOP)
    # A column without any value is left out.
    kept = {key: head for key, head in heads.items() if top[key].null_count() < len(top)}
    if "sigma" not in kept:  # without uncertainty, the rating is μ
        kept.pop("mu", None)
    return Section("Standings", text, top.select(pl.col(key).alias(head) for key, head in kept.items()))


def skills(fit: Fit | Hindsight, name: str) -> list[Section]:
    """Return a list of one section with the skill curves of the best players; without players, an empty list.

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


def to_plain(comparison: Comparison) -> Plain:
    """Return the comparison as plain data for JSON."""
    home = comparison.home_gain
    return {
        "best": comparison.best,
        "answer": verdict.advice(comparison),
        "notes": verdict.remarks(comparison),
        "sureness": comparison.sureness,
        "matches": len(comparison),
        "protocol": str(comparison.protocol),
        "confidence": comparison.resampling.confidence,
        "measures": _plain_measures(comparison),
        "models": [_plain_model(comparison, row) for row in comparison.table().iter_rows(named=True)],
        "differences": comparison.differences().to_dicts(),
        "chosen": [_plain_choice(name, own) for name, choices in comparison.chosen.items() for own in choices],
        "home_gain": home and {"model": home.model, "measure": comparison.measure().name, **home.gain._asdict()},
    }


def page_payload(comparison: Comparison, baseline: str) -> Plain:
    """Return the data for a comparison's page, with every model's difference from a baseline model.

    >>> import prowess as pw
    >>> comparison = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo", "glicko"])
    >>> payload = page_payload(comparison, "Elo")
    >>> payload["best"], [row["model"] for row in payload["models"]], payload["differences"][0]["model"]
    ('Glicko', ['Glicko', 'Elo'], 'Glicko')
    """
    best = comparison.best  # raises an Error if nothing can be measured
    rows = {row["model"]: _plain_model(comparison, row) for row in comparison.table().iter_rows(named=True)}
    for row in rows.values():
        for measure in comparison.measures:
            cell = row[measure.name]
            # The table has null where an interval has NaN.
            ends = (np.nan if cell[end] is None else cell[end] for end in ("value", "low", "high"))
            cell["text"] = "" if cell["value"] is None else str(Interval(*ends))
            cell["meaning"] = verdict.meaning(measure.name, cell["value"])
    calibration = _best_first(comparison, comparison.calibration()).to_dicts() if _has_calibration(comparison) else []
    return {
        "best": best,
        "headline": verdict.headline(comparison),
        "verdict": verdict.verdict(comparison),
        "notes": verdict.notes(comparison),
        "sureness": None if np.isnan(comparison.sureness) else comparison.sureness,
        "matches": len(comparison),
        "confidence": comparison.resampling.confidence,
        "method": str(comparison.resampling),
        "measures": _plain_measures(comparison),
        "models": [rows[name] for name in models_by_rank(comparison)],
        "differences": [_plain_difference(comparison, row) for row in comparison.differences(baseline).to_dicts()],
        "calibration": calibration,
        "over_time": _plain_over_time(comparison),
    }


def _plain_measures(comparison: Comparison) -> list[Plain]:
    return [
        {"name": measure.name, "title": measure.titled, "better": None if measure.neutral else measure.better}
        for measure in comparison.measures
    ]


def _plain_model(comparison: Comparison, row: Plain) -> Plain:
    cells: Plain = {"model": row["model"], "parameters": shown_parameters(comparison.models[row["model"]])}
    for name in (measure.name for measure in comparison.measures):
        cells[name] = {"value": row[name], "low": row[f"{name}_low"], "high": row[f"{name}_high"]}
    return cells


def _plain_choice(name: str, choice: RunChoice) -> Plain:
    words = {"parts": list(choice.parts), "remarks": list(choice.remarks)}
    return {"model": name, "run": choice.run, "matches": choice.matches, **words, "chosen": choice.model.to_dict()}


def _plain_difference(comparison: Comparison, row: Plain) -> Plain:
    """Add to a row of differences its `text`, and `better`: whether it is an improvement (None if within noise)."""
    measure = comparison.measure(row["measure"])
    better = None if row["within_noise"] or measure.neutral else (row["difference"] > 0) == measure.higher
    return row | {"better": better, "text": str(row_interval(row)).replace("-", "−")}


def _plain_over_time(comparison: Comparison) -> Plain | None:
    measure, series = comparison.measure(), _over_time(comparison)
    if series is None:
        return None
    frame, window = series
    axis = time_axis(comparison.history)
    points = [
        {"model": model, axis[0]: when if axis[0] == "match" else axis_value(when), "value": value}
        for model, when, value in frame.select("model", axis[0], "value").iter_rows()
    ]
    payload = {"measure": measure.titled, "better": measure.better, "window": window}
    return payload | {"axis": list(axis), "points": points}
