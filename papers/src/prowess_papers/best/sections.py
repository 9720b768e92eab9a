"""The results for a data set as sections of a report: a table, claims and charts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from prowess.history import show_time
from prowess.lab.charts.comparison import calibration_chart, measure_chart, time_chart
from prowess.lab.compare import Comparison
from prowess.lab.compare.fairness import FAIR
from prowess.lab.interval import Interval, all_above_zero
from prowess.lab.measures.registry import Measure
from prowess.lab.report import Claim, Section

from ..paper import load_published
from .evaluation import TUNED, Evaluation

if TYPE_CHECKING:
    import altair as alt


def judged_sections(judged: Evaluation) -> list[Section]:
    """Return sections with the comparison on later matches, the effect of each component, and the measure over time."""
    comparison, title = judged.comparison, judged.of.title
    claims = tuple(beats(judged, measure) for measure in comparison.measures[:2])
    if any(name.endswith(FAIR) for name in comparison.models):
        claims += (beats(judged, comparison.measures[0], fair=True),)
    # This is the only data set for which a pair error has been published.
    if judged.of.name == "chgk":
        claims += (_below_published(judged),)
    found = [Section(title, _text(judged), _table(comparison), _measures(judged), claims)]
    if judged.parts is not None:
        text = (
            "The tuned model and copies of it, each without one of its parts; the other parameters are the same and "
            "were not tuned again. In brackets: 95 % intervals; differences are paired."
        )
        found.append(Section(f"{title}: the effect of each part", text, _table(judged.parts)))
    found.append(Section(f"{title}: over time", chart=_over_time(judged)))
    if judged.of.name == "premier_league":
        found.append(Section(f"{title}: calibration", chart=_calibration(judged)))
    return found


def beats(judged: Evaluation, measure: Measure, fair: bool = False) -> Claim:
    """Return the claim that the tuned model is better than every untuned model.

    The untuned models have the constants of their papers, or with `fair` the constants set from the training matches.
    The claim holds if all intervals of the tuned model's gains lie above 0.
    """
    comparison = judged.comparison
    gaps = {name: gap for name, gap in _gaps(comparison, measure).items() if name.endswith(FAIR) == fair}
    nearest = min(gaps, key=lambda name: gaps[name].value)
    others = "every untuned model with fair constants" if fair else "every untuned model"
    text = (
        f"{judged.of.title}: by {measure.title}, the tuned model beats {others} on {len(comparison):,} "
        f"{judged.of.unit} that it was not tuned on"
    )
    unit = f" {measure.unit}" if measure.unit else ""
    near = f"the nearest of {len(gaps)} is {nearest}, {gaps[nearest]}{unit} worse"
    open_ = [name for name, gap in gaps.items() if not gap.low > 0]
    missed = f"; the interval is not above 0 for {', '.join(open_)}" if open_ else ""
    return Claim(text, all_above_zero(gaps.values()), near + missed)


def _below_published(judged: Evaluation) -> Claim:
    # The lowest published error was measured on other tournaments.
    printed = load_published("tournaments")["icml2011"]
    span = printed["error"]["last"].index(300)
    name = min(printed["models"], key=lambda model: printed["error"][model][span])
    theirs = printed["error"][name][span]
    ours = judged.comparison.intervals("pair_error")[TUNED].times(100)
    text = f"{judged.of.title}: the tuned model errs in fewer pairs than {name} in Nikolenko, Sirotkin (2011), Table 2"
    # The published error has no interval, so only our error is uncertain.
    holds = all_above_zero([Interval(theirs - ours.value, theirs - ours.high, theirs - ours.low)])
    said = f"{ours.value:.1f} % ({ours.low:.1f} to {ours.high:.1f}) against {theirs} %"
    return Claim(text, holds, f"{said}, over the last 300 tournaments of each; the paper's have rosters")


def _gaps(comparison: Comparison, measure: Measure) -> dict[str, Interval]:
    # A gap is positive if the other model is worse than the tuned model; gaps are paired by match.
    found = comparison.resampled(measure)
    tuned = found[TUNED]
    others = {name: one for name, one in found.items() if name != TUNED}
    return {name: tuned.less(one) if measure.higher else one.less(tuned) for name, one in others.items()}


def _text(judged: Evaluation) -> str:
    history, of, found = judged.history, judged.of, judged.found
    comparison = judged.comparison
    whole = len(judged.reading.history)
    when = f"number {judged.start + 1:,}"
    if history.time is not None and history.time_kind is not None:
        when = str(show_time(history.time_kind, history.time_zone, history.time[judged.start]))
    tuned = f"{judged.start - judged.first:,} {of.unit} after the first {judged.first:,}"
    values = ", ".join(f"{name} {value:.4g}" for name, value in sorted(_numbers(judged).items()))
    cut = "" if whole == len(history) else f" Only the first {len(history):,} of {whole:,} {of.unit} were used."
    return (
        f"{whole:,} {of.unit}. {judged.reading.notes}{cut}\n\n"
        f"Models were tuned on {tuned} ({found.trials} trials for each candidate), and evaluated on the "
        f"{len(comparison):,} {of.unit} from {when} on; each forecast was made before the model learnt the result.\n\n"
        f"The tuned model: {found.candidate} ({values}). "
        "In brackets: 95 % intervals; differences from the tuned model are paired."
    )


def _numbers(judged: Evaluation) -> dict[str, float]:
    # Parameters that do not change forecasts, or are fixed by convention, are left out.
    skipped = ("caution", "tolerance", "sweeps", "mu", "cap")
    params = judged.found.model.params.items()
    return {n: float(v) for n, v in params if isinstance(v, (int, float)) and n not in skipped}


def _table(comparison: Comparison) -> pl.DataFrame:
    order = list(comparison.intervals())
    order += [name for name in comparison.models if name not in order]
    first = comparison.measures[0]
    columns: dict[str, list[str]] = {"model": order}
    for measure in comparison.measures:
        found = comparison.intervals(measure)
        columns[measure.titled] = [str(found[name]) if name in found else "" for name in order]
        if measure is first:
            gaps = _gaps(comparison, measure)
            columns["worse than tuned by"] = [str(gaps[name]) if name in gaps else "" for name in order]
    return pl.DataFrame(columns)


def _measures(judged: Evaluation) -> alt.TopLevelMixin:
    comparison = judged.comparison
    order = list(comparison.intervals())
    table = comparison.table()
    table = table[[table["model"].to_list().index(name) for name in order]]
    titles = {
        measure.name: f"{measure.titled}, {'higher' if measure.higher else 'lower'} is better"
        for measure in comparison.measures[:2]
    }
    title = f"{judged.of.title}: tuned against untuned"
    subtitle = f"{len(comparison):,} {judged.of.unit} that were not tuned on; dot: measure; line: 95 % interval"
    return measure_chart(table, titles, title=title, subtitle=subtitle)


def _over_time(judged: Evaluation) -> alt.TopLevelMixin:
    # The chart shows only the tuned model and the best untuned models, because many lines would be unreadable.
    comparison, of = judged.comparison, judged.of
    measure = comparison.measures[0]
    # The tuned model comes first, even if it is not among the best.
    shown = list(dict.fromkeys([TUNED, *list(comparison.intervals())[:5]]))[:5]
    # A small run has fewer matches than the usual window.
    window = min(of.window, len(comparison) // 2)
    frame = comparison.over_time(window).filter(pl.col("model").is_in(shown))
    place = {name: k for k, name in enumerate(shown)}
    frame = frame.sort(pl.col("model").replace_strict(place), maintain_order=True)
    axis = ("match", "Q", f"number of {of.unit}")
    if judged.history.time_kind == "date":
        years = sorted({when.year for when in frame["time"]})
        axis = ("time", "T", "date" if len(years) > 1 else f"date in {years[0]}")
    way = "higher" if measure.higher else "lower"
    title = f"{of.title}: {measure.title} over time"
    subtitle = f"mean of the last {window:,} {of.unit} that were not tuned on; {way} is better"
    return time_chart(frame, measure.titled, axis, title=title, subtitle=subtitle)


def _calibration(judged: Evaluation) -> alt.TopLevelMixin:
    comparison = judged.comparison
    shown = list(dict.fromkeys([TUNED, *list(comparison.intervals())]))[:3]
    frame = comparison.calibration()
    frames = [frame.filter(pl.col("model") == name) for name in shown]
    subtitle = "dot: a tenth of the forecasts of win, draw and loss; line: ± 2 standard errors"
    return calibration_chart(pl.concat(frames), title=f"{judged.of.title}: calibration", subtitle=subtitle)
