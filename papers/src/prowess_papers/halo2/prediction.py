"""The share of pairs predicted in the wrong order, on all games and on the closest games.

This is the table in section 4.1 of the TrueSkill paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from prowess.lab.charts.theme import COLOURS, apply_look
from prowess.lab.interval import Interval
from prowess.lab.measures import Tally
from prowess.lab.report import Claim, Section
from prowess.optional import import_extra

from ..statistics import difference_interval
from .mode import SYSTEMS, Mode

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

WHICH = ("full", "challenged")
RULES = (
    "Games are rated in the order of the file. All pairs of teams whose scores differ count, pooled over the games. The"
    " team with the higher sum of means is predicted to finish ahead; a prediction tie counts as wrong. Challenged:"
    " each system picks the fifth of the games that it expects to be closest, and the other system predicts them."
    " Intervals are 95 %, over games. A claim is decided only if it has the same verdict when a prediction tie counts"
    " as half wrong."
)


def prediction(modes: Sequence[Mode], published: dict[str, Any]) -> Section:
    """Return a section with our errors beside the published errors (the better system is bold), and the claims."""
    import polars as pl

    rows: list[dict[str, Any]] = []
    claims, bold = [], set()
    for mode in modes:
        for which in WHICH:
            ours, lead = _errors(mode, which, published["challenge"]["share"])
            theirs = published["mode"][mode.name][which]
            bold.add((len(rows), f"{SYSTEMS[int(np.argmin(ours))]}: ours"))
            bold.add((len(rows), f"{SYSTEMS[int(np.argmin(theirs))]}: published"))
            rows.append({"mode": mode.name, "games": which} | _cells(ours, theirs) | {"Elo − TrueSkill": lead.words()})
            _, fair = _errors(mode, which, published["challenge"]["share"], ties=0.5)
            claims.append(_claim(mode.name, which, theirs, lead, fair))
    frame = pl.DataFrame(rows)
    return Section("Prediction error, in percent", RULES, frame, _chart(frame), tuple(claims), frozenset(bold))


def _errors(mode: Mode, which: str, share: float, ties: float = 1.0) -> tuple[list[float], Interval]:
    """Return the errors of Elo and TrueSkill in percent, and Elo's error minus TrueSkill's with its interval."""
    elo, trueskill = (mode.errors(system, ties=ties) for system in SYSTEMS)
    picked: tuple[Any, Any] = (None, None)
    if which == "challenged":
        # Each system predicts the games that the other system has picked.
        picked = mode.closest("TrueSkill", share), mode.closest("Elo", share)
    if not all(measured(tally, where) for tally, where in zip((elo, trueskill), picked, strict=True)):
        return [float("nan")] * 2, Interval.normal(float("nan"), 0.0)
    ours = [100 * elo.mean(picked[0]), 100 * trueskill.mean(picked[1])]
    return ours, difference_interval(elo, trueskill, *picked).times(100)


def measured(tally: Tally, where: NDArray[np.bool_] | None) -> bool:
    """Return whether any pair counts in the selected games.

    >>> measured(Tally(np.zeros(2), np.array([0.0, 1.0])), np.array([True, False]))
    False
    """
    return bool((tally.weight if where is None else tally.weight[where]).any())


def _cells(ours: Sequence[float], theirs: Sequence[float]) -> dict[str, float]:
    """Return the numbers of a row: each system's error, ours and published."""
    return {
        f"{system}: {whose}": round(figures[i], 2)
        for i, system in enumerate(SYSTEMS)
        for whose, figures in (("ours", ours), ("published", theirs))
    }


def _claim(mode: str, which: str, theirs: Sequence[float], lead: Interval, fair: Interval) -> Claim:
    # `fair` counts prediction ties as half wrong.
    better, worse = SYSTEMS if theirs[0] < theirs[1] else SYSTEMS[::-1]
    games = {"full": "all games", "challenged": "the games that the other system expects to be closest"}[which]
    one, other = (found.times(1 if better == "TrueSkill" else -1).above_zero for found in (lead, fair))
    # The paper does not say how prediction ties count. If the verdict depends on it, the claim is undecided.
    holds = one if one == other else None
    gap = theirs[0] - theirs[1]
    published = f"{gap:+.2f}".replace("-", "−")
    evidence = f"Elo − TrueSkill: {lead.words(unit='percentage points')}; published: {published}"
    evidence += f"; with prediction ties as half wrong: {fair.words()}"
    return Claim(f"{mode}, {games}: {better} predicts better than {worse}", holds, evidence)


def _chart(frame: pl.DataFrame) -> alt.TopLevelMixin:
    altair: Any = import_extra("altair", "Altair", "lab")
    kinds = [f"{system}, {whose}" for system in SYSTEMS for whose in ("ours", "published")]
    inks = [colour for colour in COLOURS[: len(SYSTEMS)] for _ in range(2)]
    values = [
        {"row": f"{row['mode']}, {row['games']}", "figure": kind, "error": row[kind.replace(",", ":")]}
        for row in frame.to_dicts()
        for kind in kinds
    ]
    order = list(dict.fromkeys(value["row"] for value in values))

    def by_kind(channel: Any, marks: list[str]) -> Any:
        return channel("figure:N", title=None, sort=kinds, scale=altair.Scale(domain=kinds, range=marks))

    hollow = [ink if kind.endswith("ours") else "white" for ink, kind in zip(inks, kinds, strict=True)]
    chart = (
        altair.Chart(altair.InlineData(values=values), width=560, height=46 * len(order))
        .mark_point(size=150, strokeWidth=2.5, opacity=1)
        .encode(
            x=altair.X("error:Q", title="pairs in the wrong order (%)", scale=altair.Scale(zero=False, padding=20)),
            y=altair.Y("row:N", title=None, sort=order, axis=altair.Axis(grid=True, labelLimit=260)),
            yOffset=altair.YOffset("figure:N", sort=kinds),
            stroke=by_kind(altair.Stroke, inks),
            fill=by_kind(altair.Fill, hollow),
            shape=by_kind(altair.Shape, ["circle", "diamond"] * len(SYSTEMS)),
            tooltip=["row:N", "figure:N", altair.Tooltip("error:Q", format=".2f")],
        )
    )
    return cast("alt.TopLevelMixin", apply_look(altair, chart, "Prediction error", "further left is better"))
