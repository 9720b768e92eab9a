"""A comparison in words, and as a report: which model to use, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..catalogue import Measure
from ..charts.comparison import calibration_chart, measure_chart, time_chart
from ..charts.series import CURVES
from ..charts.times import time_axis
from ..interval import Interval
from ..report import Report, Section
from ..words import listed

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

    from .comparison import Comparison

__all__ = ["headline", "measures_chart", "report"]


def headline(comparison: Comparison) -> str:
    """The answer in one sentence."""
    measure, best = comparison.measure(), comparison.best
    interval = comparison.intervals()[best]
    known = "" if np.isnan(interval.low) else f" ({_share(comparison)} interval {_ends(interval)})"
    value = f"{_value(interval)}{f' {measure.unit}' if measure.unit else ''}{known}"
    over = f"over {_matches(comparison)}"
    if len(comparison.models) == 1:
        return f"{best} has {_article(measure.title)} {measure.title} of {value} {over}."
    return f"{best} has the {_way(measure)} {measure.title} of {len(comparison.models)} models {over}: {value}."


def verdict(comparison: Comparison) -> str:
    """How sure the answer is."""
    if len(comparison.models) == 1:
        return ""
    rest = comparison.differences(comparison.best).filter(measure=comparison.measure().name)
    alike, worse = (rest.filter(within_noise=noise)["model"].to_list() for noise in (True, False))
    parts = []
    if worse:
        parts.append(f"It is better than {listed(worse)} beyond noise.")
    if alike and rest["low"].count() < len(rest):
        parts.append(f"These matches are too few to tell it from {listed(alike)}.")
    elif alike:
        parts.append(f"These matches cannot tell it from {listed(alike)}: the difference is within noise.")
    if not np.isnan(comparison.sureness):
        draws = f"{comparison.resampling.draws:,} resampled histories"
        parts.append(f"It was the best in {100 * comparison.sureness:.3g} % of {draws}.")
    return " ".join(parts)


def notes(comparison: Comparison) -> list[str]:
    """What to know before the answer is believed."""
    found = []
    others = comparison.differences(comparison.best).filter(within_noise=False)
    for measure in comparison.measures[1:]:
        if measure.neutral:
            continue
        sign = 1.0 if measure.higher else -1.0
        rows = others.filter(measure=measure.name).iter_rows(named=True)
        better = [row["model"] for row in rows if sign * row["difference"] > 0]
        if better:
            found.append(f"By {measure.title}, {listed(better)} did better than {comparison.best}, beyond noise.")
    start, place = comparison.rows.results.match_start, comparison.rows.results.place
    two = start[:-1][np.diff(start) == 2]
    drawn = float(np.mean(place[two] == place[two + 1])) if len(two) else 0.0
    never = [name for name, scored in comparison.scored.items() if not scored.draw.ndim and scored.draw == 0]
    if drawn > 0 and never and comparison.measure().name == "log_loss":
        found.append(
            f"{listed(never)} never expected a draw, and {100 * drawn:.3g} % of the matches were drawn. Log loss and "
            "calibration count that as an error; information gain and pair error do not."
        )
    return found


def report(comparison: Comparison) -> Report:
    """The whole of it."""
    sections = [
        Section("Which model to use", text="\n\n".join([_advice(comparison), *notes(comparison)])),
        _measures(comparison),
        _differences(comparison),
        *_time(comparison),
        *_calibration(comparison),
        *_pairwise(comparison),
        Section("How this was measured", text=_method(comparison)),
    ]
    title = f"{len(comparison.models)} model{'s' * (len(comparison.models) > 1)} compared"
    return Report(title, tuple(sections))


def _advice(comparison: Comparison) -> str:
    use = f"Use {comparison.best}. " if len(comparison.models) > 1 else ""
    return f"{use}{headline(comparison)} {verdict(comparison)}".strip()


def _measures(comparison: Comparison) -> Section:
    """All measures of all models, the best of each in bold, and a chart of them."""
    import polars as pl

    order = _order(comparison)
    columns: dict[str, Any] = {"model": order}
    bold = set()
    for measure in comparison.measures:
        intervals = comparison.intervals(measure) if comparison.resampled(measure) else {}
        columns[measure.titled] = [str(intervals[name]) if name in intervals else "–" for name in order]
        if intervals and len(order) > 1 and not measure.neutral:
            bold.add((order.index(next(iter(intervals))), measure.titled))
    sided = [measure for measure in comparison.measures if not measure.neutral]
    text = f"In brackets: {_share(comparison)} intervals. The best of each column is bold."
    for way in ("lower", "higher"):
        if some := [measure.title for measure in sided if _side(measure) == way]:
            text += f" {way.title()} is better for {listed(some)}."
    return Section("Measures", text, pl.DataFrame(columns), measures_chart(comparison), bold=frozenset(bold))


def measures_chart(comparison: Comparison, where: ArrayLike | None = None) -> alt.TopLevelMixin:
    """All measures with their intervals, a panel each, the best model on top."""
    table = comparison.table(where)
    table = _best_first(comparison, table)
    titles = {
        measure.name: measure.titled + (f", {_side(measure)} is better" if not measure.neutral else "")
        for measure in comparison.measures
        if table[measure.name].count()
    }
    many = len(comparison.rows.pick(where))
    models = f"{len(table)} model{'s' * (len(table) > 1)}"
    subtitle = f"dot: measure; line: {_share(comparison)} interval"
    return measure_chart(table, titles, title=f"Measures of {models} over {many:,} matches", subtitle=subtitle)


def _differences(comparison: Comparison) -> Section:
    """Every model against the best, by every measure."""
    import polars as pl

    if len(comparison.models) == 1:
        return Section("Differences", text="There is no other model to compare with.")
    order = _order(comparison)
    cells = {(row["measure"], row["model"]): row for row in comparison.differences().iter_rows(named=True)}
    best = {measure: row["baseline"] for (measure, _), row in cells.items()}
    columns: dict[str, Any] = {"model": order}
    for measure in comparison.measures:
        rows = [cells.get((measure.name, name)) for name in order]
        texts = ["–" if row is None else f"{_interval(row)}{' ≈' * row['within_noise']}" for row in rows]
        columns[measure.titled] = [
            "best" if best.get(measure.name) == n else t for n, t in zip(order, texts, strict=True)
        ]
    bold = {(order.index(name), comparison.measure(measure).titled) for measure, name in best.items()}
    text = (
        "How far each model is from the best one, by each measure, on the same matches. In brackets: "
        f"{_share(comparison)} intervals of the difference; ≈ within noise: the interval holds 0. Differences are "
        "surer than the measures themselves, because all models met the same matches. The best was chosen by these "
        "same matches, which flatters it a little."
    )
    return Section("Differences", text, pl.DataFrame(columns), bold=frozenset(bold))


def _time(comparison: Comparison) -> list[Section]:
    """The first measure as time goes by."""
    measure, many = comparison.measure(), len(comparison)
    if measure.tally is None or many < 20:
        return []
    window = min(max(50, many // 20), many // 2)
    frame = comparison.over_time(window)
    if not len(frame):
        return []
    frame, some = _few(comparison, frame)
    heading = f"{measure.title[0].upper()}{measure.title[1:]} over time"
    subtitle = f"mean of the last {window:,} matches; {_side(measure)} is better{some}"
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
    return f"{done[0].upper()}{done[1:]}: {_matches(comparison)}.\n\n{comparison.resampling}"


def _order(comparison: Comparison) -> list[str]:
    """The models, the best by the first measure first; then those that it cannot be told of."""
    known = list(comparison.intervals())
    return known + [name for name in comparison.models if name not in known]


def _best_first(comparison: Comparison, frame: pl.DataFrame) -> pl.DataFrame:
    """The same rows, those of the best model first."""
    place = {name: k for k, name in enumerate(_order(comparison))}
    return frame[np.argsort([place[name] for name in frame["model"]], kind="stable")]


def _few(comparison: Comparison, frame: pl.DataFrame) -> tuple[pl.DataFrame, str]:
    """The rows of the best models, as many as a chart has room for, the best first; and what to say of the others."""
    kept = _order(comparison)[:CURVES]
    some = f"; the best {CURVES} of {len(comparison.models)} models" if len(comparison.models) > CURVES else ""
    return _best_first(comparison, frame.filter(frame["model"].is_in(kept))), some


def _interval(row: dict[str, Any]) -> Interval:
    return Interval(*(np.nan if row[key] is None else row[key] for key in ("difference", "low", "high")))


def _share(comparison: Comparison) -> str:
    return f"{100 * comparison.resampling.confidence:g} %"


def _value(interval: Interval) -> str:
    return str(interval).partition(" (")[0]


def _ends(interval: Interval) -> str:
    return str(interval).partition(" (")[2].rstrip(")")


def _matches(comparison: Comparison) -> str:
    many = len(comparison)
    return f"{many:,} match{'es' * (many != 1)}"


def _way(measure: Measure) -> str:
    return "highest" if measure.higher else "lowest"


def _side(measure: Measure) -> str:
    return "higher" if measure.higher else "lower"


def _article(word: str) -> str:
    return "an" if word[0].lower() in "aeiou" else "a"
