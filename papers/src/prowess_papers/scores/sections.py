"""The sections of the report: our curves beside the published curves, corrected and tuned models, and the claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from prowess.lab.report import Claim, Section

from .chart import figure
from .claims import ahead, claims
from .curves import MEASURES, Curves
from .data import TITLES, League
from .published import Deviation, deviations, published
from .tuned import TUNED

NAMES = {
    "information_gain": "information gain (bits)",
    "auc": "AUC",
    "score_mae": "score error",
    "log_loss": "log loss",
}


def authors_sections(curves: Mapping[str, Curves]) -> list[Section]:
    """Return sections with our curves, computed as in the authors' released code, beside the published curves."""
    found = [deviation for data, curve in curves.items() for deviation in deviations(data, curve)]
    text = (
        "These are the four systems of the authors' released code, which differs from the paper (see the README of "
        "this experiment), on the same splits. The paper's Brier score is left out: as published, it uses a normal "
        "density as the probability of a draw, so it is not a valid score."
    )
    chart = figure(curves, "Figure 4 with the authors' released code", published())
    title = "With the authors' released code: distance from the published curves"
    first = Section(title, text, _distances(found), chart)
    return [first, *(_beside(deviation, curves[deviation.data]) for deviation in found)]


def _distances(found: list[Deviation]) -> pl.DataFrame:
    rows = [
        {
            "data": TITLES[deviation.data],
            "measure": NAMES[deviation.measure],
            "points": deviation.points,
            "largest difference": deviation.largest,
            "at": deviation.where,
            "allowed": deviation.allowed,
            "within": None if deviation.allowed is None else "yes" if deviation.largest <= deviation.allowed else "no",
        }
        for deviation in found
    ]
    return pl.DataFrame(rows, schema_overrides={"allowed": pl.Float64, "within": pl.String})


def _beside(deviation: Deviation, curves: Curves) -> Section:
    data, measure = deviation.data, deviation.measure
    theirs = published()
    columns: dict[str, list[float] | list[int] | list[float | None]] = {"training %": list(curves.percents)}
    for system in curves.systems:
        if curves.has(system, measure):
            columns[system] = curves.mean(system, measure).tolist()
            points = [theirs.get((data, measure, system, percent)) for percent in curves.percents]
            if any(points):
                columns[f"{system} published"] = [None if point is None else point.mean for point in points]
    text = f"Largest difference {deviation.largest:.2g} ({deviation.where}), over {deviation.points} published points."
    return Section(f"{TITLES[data]}: {NAMES[measure]}, ours and as published", text, pl.DataFrame(columns))


def right_sections(curves: Mapping[str, Curves]) -> list[Section]:
    """Return sections with the curves of the corrected models."""
    text = (
        "In the corrected models, γ² is the variance of the training scores and is included in the prediction, ε comes "
        "from the share of draws in the training matches, Poisson-OD integrates over the uncertainty of its rates, and "
        "a draw counts as half a win for each side in the information gain. The AUC uses only matches with a winner. "
        "The priors are those of the paper."
    )
    first = Section("The corrected models", text, chart=figure(curves, "Figure 4 with the corrected models"))
    return [first, *(_table(f"{TITLES[data]}: the corrected models", curve) for data, curve in curves.items())]


def _table(
    title: str, curves: Curves, text: str = "Means over the seasons (Halo 2: over random samples) ± standard errors."
) -> Section:
    rows = [
        {"measure": NAMES[measure], "training %": percent}
        | {
            system: f"{curves.mean(system, measure)[at]:.4f} ± {curves.error(system, measure)[at]:.4f}"
            if curves.has(system, measure)
            else None
            for system in curves.systems
        }
        for measure in MEASURES[:3]
        for at, percent in enumerate(curves.percents)
    ]
    return Section(title, text, pl.DataFrame(rows))


def tuned_sections(
    leagues: Sequence[League], tuned: Mapping[str, Curves], right: Mapping[str, Curves]
) -> list[Section]:
    """Return sections that compare the tuned with the corrected models, on later seasons and on all seasons."""
    seen = {league.name: np.array(league.seasons) < TUNED[league.name].since for league in leagues}
    unseen = {data: tuned[data].units(~units) for data, units in seen.items()}
    untuned = {data: right[data].units(~units) for data, units in seen.items()}
    text = (
        "These models learn a home advantage, drift over time, and carry skills from season to season. They were tuned "
        "on the seasons before "
        + ", ".join(f"{TUNED[data].since} ({TITLES[data]})" for data in tuned)
        + ", and are compared on the later seasons, which were not used for tuning."
    )
    chart = figure(unseen, "Tuned, with home advantage and carry-over: seasons that were not tuned on")
    # The best system is chosen on the seasons used for tuning, because a choice on later seasons would favour it there.
    best = {data: _best(tuned[data].units(units)) for data, units in seen.items()}
    gains = tuple(_gain(data, best[data], unseen[data], untuned[data]) for data in tuned)
    found = [Section("Tuned models", text, chart=chart, claims=gains)]
    for data, curves in unseen.items():
        found.append(_table(f"{TITLES[data]}: tuned models, {TUNED[data].since} and later", curves))
        text = (
            f"Values at {curves.percents[-1]} % training. The published means are over all seasons; the published AUC "
            "counts draws as not won, so it cannot be compared."
        )
        table = _summary(data, curves, untuned[data], tuned[data])
        found.append(Section(f"{TITLES[data]}: tuned, corrected and published", text, table))
    return found


def _best(curves: Curves) -> str:
    # Pass only the seasons used for tuning; otherwise, the choice would use the results that it is judged by.
    return max(curves.systems, key=lambda system: float(curves.mean(system, "information_gain").mean()))


def _gain(data: str, best: str, tuned: Curves, right: Curves) -> Claim:
    """Return the claim that a tuned model beats every corrected model, at the largest share of training matches.

    The models are compared by information gain.
    """
    label, percent = f"tuned {best}", tuned.percents[-1]
    values = np.concatenate([tuned.values[[tuned.systems.index(best)]], right.values])
    # All systems are in one set of curves, so that the differences are paired by season.
    both = Curves((label, *right.systems), tuned.percents, values)
    verdict = ahead(both, "information_gain", [(label, other) for other in right.systems], [percent])
    text = f"{TITLES[data]}: at {percent} % training, {label}, the best in earlier seasons, beats every untuned model"
    return Claim(text, *verdict)


def _summary(data: str, tuned: Curves, right: Curves, everywhere: Curves) -> pl.DataFrame:
    theirs = published()
    rows = [
        {
            "measure": NAMES[measure],
            "system": system,
            f"tuned, {TUNED[data].since} on": _last(tuned, system, measure),
            f"corrected, {TUNED[data].since} on": _last(right, system, measure),
            "tuned, all seasons": _last(everywhere, system, measure),
            # The published AUC counts draws as not won, so it cannot be compared.
            "published": point.mean if point is not None and measure != "auc" else None,
        }
        for measure in MEASURES
        for system in tuned.systems
        if tuned.has(system, measure)
        for point in [theirs.get((data, measure, system, tuned.percents[-1]))]
    ]
    return pl.DataFrame(rows, schema_overrides={"published": pl.Float64})


def _last(curves: Curves, system: str, measure: str) -> float | None:
    return float(curves.mean(system, measure)[-1]) if curves.has(system, measure) else None


def claim_sections(authors: Mapping[str, Curves], right: Mapping[str, Curves]) -> list[Section]:
    """Return the paper's claims, judged with the authors' released code and with the corrected models."""
    text = (
        "A claim that one system is better holds if the whole 95 % interval of every mean difference lies above 0, and "
        "does not hold if one whole interval lies at or below 0. Intervals are by Student's t, paired over the "
        "seasons. For Halo 2, they are paired over random samples from one set of matches, so they apply only to those "
        "matches."
    )
    return [
        Section("The paper's claims, with the authors' released code", text, claims=claims(authors)),
        Section("The paper's claims, with the corrected models", text, claims=claims(right)),
    ]
