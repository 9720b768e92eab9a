"""Figure 5 of the 2011 paper (error over a sliding window) and Figure 3 of the 2010 paper (ratio of two errors)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from prowess.history.ragged import Floats
from prowess.lab.charts.theme import COLOURS, INK, apply_look
from prowess.lab.compare import Comparison
from prowess.lab.slices import Mask
from prowess.optional import import_extra

from ..charts import Axis, curves

if TYPE_CHECKING:
    import altair as alt

SIDES = ("lower", "not lower")


def sliding(comparison: Comparison, names: Mapping[str, str], window: int, *, title: str) -> alt.TopLevelMixin:
    """Chart the pair error over a sliding window of tournaments; `names` maps the labels of the chart to models."""
    frame = comparison.over_time(window, "pair_error")
    lines = [
        frame.filter(pl.col("model") == name).select(
            model=pl.lit(label), rated=pl.col("match") + 1, error=(100.0 * pl.col("value")).round(3)
        )
        for label, name in names.items()
    ]
    return curves(
        pl.concat(lines),
        Axis("rated", "tournaments rated"),
        Axis("error", "pair error (%)"),
        colour="model",
        title=title,
        subtitle=f"mean over the last {window} tournaments; lower is better",
        size=(720, 400),
    )


def versus(comparison: Comparison, one: str, other: str, where: Mask, *, title: str, subtitle: str) -> alt.LayerChart:
    """Chart the ratio of two models' place errors for every tournament, with lines at 1 and at the median."""
    altair = import_extra("altair", "Altair", "lab")
    ratio = relative(comparison, one, other, where)
    rows = [
        {"tournament": int(match) + 1, "ratio": round(float(value), 4), "side": SIDES[int(value >= 1)]}
        for match, value in zip(np.flatnonzero(where), ratio, strict=True)
        # If a model made no error in a tournament, the ratio may be undefined.
        if np.isfinite(value)
    ]
    base = altair.Chart(altair.InlineData(values=rows), width=720, height=360)
    across = altair.Scale(domain=[int(np.argmax(where)), len(where) + 1], nice=False)
    side = {"domain": list(SIDES)}
    points = base.mark_point(filled=True, size=70, opacity=0.85).encode(
        x=altair.X("tournament:Q", title="tournament", scale=across, axis=altair.Axis(grid=False)),
        y=altair.Y("ratio:Q", title="relative place error", scale=altair.Scale(zero=False)),
        color=altair.Color("side:N", title=None, scale=altair.Scale(**side, range=list(COLOURS[:2]))),
        shape=altair.Shape("side:N", title=None, scale=altair.Scale(**side, range=["circle", "diamond"])),
        tooltip=["tournament:Q", altair.Tooltip("ratio:Q", format=".3f")],
    )
    chart = altair.layer(*_levels(altair, float(np.nanmedian(ratio))), points)
    finished: alt.LayerChart = apply_look(altair, chart, title, subtitle)
    return finished


def _levels(alt: Any, median: float) -> list[Any]:
    # The labels are on opposite sides of their lines, so that they do not overlap.
    apart = 9 if median < 1 else -9
    found = []
    for at, text, shift in ((1.0, "equal", -apart), (median, f"median {median:.2f}", apart)):
        level = alt.Chart(alt.InlineData(values=[{"at": at, "text": text}]))
        found.append(level.mark_rule(color=INK, strokeWidth=1.5, strokeDash=[5, 4]).encode(y="at:Q"))
        name = level.mark_text(align="left", dx=8, dy=shift, fontSize=14, color=INK)
        found.append(name.encode(y="at:Q", x=alt.value("width"), text="text:N"))
    return found


def relative(comparison: Comparison, one: str, other: str, where: Mask) -> Floats:
    """Return the place error of `one` divided by that of `other` for every tournament; NaN if both are 0."""
    errors = [comparison.tally(name, "place_error", where).values for name in (one, other)]
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = errors[0] / errors[1]
    return found
