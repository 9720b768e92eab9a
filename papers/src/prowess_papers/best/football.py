"""The two leagues of Guo et al. (2012), evaluated by their protocol and compared with figures from other sources."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from prowess.lab import measures
from prowess.lab.bootstrap import Resampling
from prowess.lab.interval import all_above_zero
from prowess.lab.report import Claim, Section
from prowess.model.model import Model

from ..charts import Axis, curves
from ..scores import authors
from ..scores.curves import Curves, Measurement, System, learning_curves
from ..scores.data import League
from ..scores.published import published
from ..scores.splits import PERCENTS, Split, carried_split, season_split
from .evaluation import Evaluation, RunOptions
from .tuned_models import load_tuned

SEASON_BREAK = 60  # a season ends with a break of more than this many days
NAMES = {
    "information_gain": "information gain (bits)",
    "auc": "AUC, draws as not won",
    "score_mae": "score error (points)",
}
TUNED, BOTH = "tuned", "tuned, both scores"
LAST = 80  # figures are compared at this percentage of training matches
INDEPENDENT = "independent analysis"


def reference() -> dict[str, Any]:
    """Return the figures from other sources, which our figures should equal or beat.

    >>> reference()["afl"]["information_gain"]
    0.141
    """
    return tomllib.loads(Path(__file__).with_name("reference.toml").read_text(encoding="utf-8"))


def league_sections(judged: Evaluation, work: RunOptions) -> list[Section]:
    """Return the sections about a league: curves, a table, claims, and figures from other sources."""
    name, title = judged.of.name, judged.of.title
    league = League(name, judged.reading.history, _seasons(judged))
    percents = (LAST,) if work.small else PERCENTS
    since = int(league.season[judged.start])
    models = {TUNED: _system(judged.found.model)}
    # The tuned models predict only score differences; the models in BOTH predict the scores of both clubs.
    models[BOTH] = _system(load_tuned(f"{name}_scores").model)
    found = _both(league, models, percents, work)
    text = (
        "The protocol is that of Guo et al. (2012): in every season models learn from the first matches and predict "
        "the last 20 %, from which they do not learn. The tuned model also learns from all earlier seasons. The models "
        "of the paper start every season without ratings and follow the authors' released code, which reproduces the "
        f"published figures. Figures are means over the seasons; the model was tuned on the seasons before {since}."
        " Differences in the table are paired over the seasons (95 % intervals by Student's t); differences in the "
        "claims are paired by match and resampled."
    )
    claims = (_beats(judged, league, since, work), _beats(judged, league, league.seasons[0], work))
    chart = _chart(title, found) if len(percents) > 1 else None
    section = Section(f"{title}: at {LAST} % training", text, _rows(name, found), chart, claims)
    later = found.units(np.array(league.seasons) >= since)
    return [section, _figures(judged, {"all seasons": found, f"seasons from {since} on": later}, work)]


def _seasons(judged: Evaluation) -> Any:
    history = judged.reading.history
    assert history.time is not None
    days = history.time.astype("datetime64[us]").astype("datetime64[D]")
    # A season may span two calendar years, so it begins after a long break, not with a year.
    fresh = np.diff(days.astype(np.int64), prepend=days[:1].astype(np.int64)) > SEASON_BREAK
    first = np.maximum.accumulate(np.where(fresh, np.arange(len(days)), 0))
    return days[first].astype("datetime64[Y]").astype(np.int64) + 1970


def _system(model: Model) -> System:
    # As in the published figures, the AUC counts a draw as not won.
    def measured(split: Split) -> Measurement:
        forecasts = split.forecasts(model)
        scores = getattr(forecasts.outcome, "score", None) is not None
        return Measurement(
            measures.information_gain(forecasts).mean(),
            measures.auc(forecasts, drawn="negative"),
            measures.score_error(forecasts).mean() if scores else None,
            measures.log_loss(forecasts).mean() if forecasts.draw.any() else None,
        )

    return measured


def _both(league: League, models: Mapping[str, System], percents: tuple[int, ...], work: RunOptions) -> Curves:
    def learnt(systems: Mapping[str, System], split: Callable[[League, int, int], Split], label: str) -> Curves:
        return learning_curves(
            systems,
            lambda percent, season: split(league, percent, season),
            percents,
            league.seasons,
            label=f"{league.name}, {label}",
            jobs=work.jobs,
            progress=work.progress,
        )

    # The paper's models do not use earlier seasons.
    ours, theirs = (
        learnt(models, carried_split, "tuned"),
        learnt(authors.systems(league.name), season_split, "published"),
    )
    return Curves((*ours.systems, *theirs.systems), percents, np.concatenate([ours.values, theirs.values]))


def _rows(name: str, found: Curves) -> pl.DataFrame:
    points, rows = published(), []
    for measure, said in NAMES.items():
        ours = TUNED if found.has(TUNED, measure) else BOTH
        for system in found.systems:
            point = points.get((name, measure, system, LAST))
            if point is not None:
                rows.append(
                    {
                        "measure": said,
                        "model": system,
                        "published": point.mean,
                        "run again": float(found.mean(system, measure)[-1]),
                        "tuned": float(found.mean(ours, measure)[-1]),
                        "tuned − run again": found.difference(ours, system, measure, [LAST]).words(4),
                    }
                )
    return pl.DataFrame(rows)


def _beats(judged: Evaluation, league: League, since: int, work: RunOptions) -> Claim:
    """Return the claim that the tuned model gains more information than every published model, from `since` on."""
    seasons = [season for season in league.seasons if season >= since]
    ours = _joined(
        [measures.information_gain(carried_split(league, LAST, s).forecasts(judged.found.model)) for s in seasons]
    )
    gaps = {}
    for name, system in authors.systems(league.name).items():
        theirs = [system.gains(system.forecasts(season_split(league, LAST, season))[1]) for season in seasons]
        gaps[name] = Resampling(seed=work.seed).difference(ours, _joined(theirs))
    nearest = min(gaps, key=lambda name: gaps[name].value)
    text = (
        f"{judged.of.title}: at {LAST} % training the tuned model gains more information than every published model, "
        f"in the {len(seasons)} seasons from {since} on"
    )
    tuned = " (some of which it was tuned on)" if since < int(league.season[judged.start]) else ""
    return Claim(
        text + tuned,
        all_above_zero(gaps.values()),
        f"{ours.mean():.4f} bits; the nearest is {nearest}, {gaps[nearest]} bits less",
    )


def _joined(tallies: list[measures.Tally]) -> measures.Tally:
    total, weight = (np.concatenate([getattr(one, side) for one in tallies]) for side in ("total", "weight"))
    return measures.Tally(total, weight)


def _chart(title: str, both: Curves) -> Any:
    frame = both.frame().filter(pl.col("measure") == "information_gain")
    return curves(
        frame,
        Axis("percent", "training matches of a season (%)"),
        Axis("mean", "information gain (bits)"),
        colour="system",
        rule=0.0,
        title=f"{title}: information gain",
        subtitle="means over the seasons; the models of the paper as published",
    )


def _figures(judged: Evaluation, spans: Mapping[str, Curves], work: RunOptions) -> Section:
    name, title = judged.of.name, judged.of.title
    said = reference()[name]
    rows: list[tuple[str, str, float | None, str]] = []
    for measure in ("information_gain", "log_loss"):
        if measure in said:
            label = f"{measure.replace('_', ' ')} at {LAST} % training"
            for k, (where, found) in enumerate(spans.items()):
                ours = f"{found.mean(TUNED, measure)[-1]:.4f} ± {found.error(TUNED, measure)[-1]:.4f}"
                rows.append((f"{label}, {where}", ours, None if k else said[measure], "" if k else INDEPENDENT))
    rows += _prequential(judged, said.get("prequential", {}), work)
    frame = pl.DataFrame(rows, ["figure", "ours", "theirs", "whose"], orient="row")
    text = "± is one standard error over the seasons; intervals in brackets are 95 %. Other figures are as reported."
    return Section(f"{title}: figures from other sources", text, frame)


def _prequential(
    judged: Evaluation, said: Mapping[str, float], work: RunOptions
) -> list[tuple[str, str, float | None, str]]:
    # Each forecast is made before the model learns from the match.
    if not said:
        return []
    tally = measures.log_loss(judged.found.model.fit(judged.reading.history, progress=False).forecasts)
    rows: list[tuple[str, str, float | None, str]] = []
    # Figures from other sources leave out the first season, so they are shown only beside our figure for that span.
    spans = {"after the first season": judged.first, "every match": 0, "matches not tuned on": judged.start}
    for label, start in spans.items():
        part = measures.Tally(tally.total[start:], tally.weight[start:])
        interval = Resampling(seed=work.seed).interval(part)
        ours = f"{interval.value:.4f} ({interval.low:.4f} to {interval.high:.4f})"
        others = said.items() if start == judged.first else [("", None)]
        rows += [(f"log loss, {label}", ours, theirs, whose) for whose, theirs in others]
    return rows
