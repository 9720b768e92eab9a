"""Figure 4 of Guo et al. (2012): a row for every data set, a column for every measure, a line for every system."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

from prowess.lab.charts.theme import COLOURS, apply_look
from prowess.lab.interval import Interval
from prowess.optional import import_extra

from .curves import Curves
from .data import TITLES
from .published import Point

if TYPE_CHECKING:
    import altair as alt

AXES = {"information_gain": "information gain (bits)", "auc": "AUC", "score_mae": "score error (points)"}
SYSTEMS = ("Poisson-OD", "Gaussian-OD", "TrueSkill", "Gaussian-SD")
Published = Mapping[tuple[str, str, str, int], Point]
SHIFT = 1.1  # lines are shifted by this many percent, so that their error bars do not overlap


def figure(
    curves: Mapping[str, Curves],
    title: str,
    theirs: Published | None = None,
    *,
    width: int = 220,
    height: int = 190,
) -> alt.VConcatChart:
    """Chart learning curves with 95 % error bars; published points, if given, are drawn as rings.

    >>> import numpy as np
    >>> chart = figure({"afl": Curves(SYSTEMS, (10, 80), np.ones((4, 2, 3, 4)))}, "Figure 4")
    >>> len(chart.to_dict()["vconcat"][0]["hconcat"])
    3
    """
    altair = import_extra("altair", "Altair", "lab")
    names = list(dict.fromkeys(name for curve in curves.values() for name in curve.systems))
    colour = altair.Color(
        "system:N",
        scale=altair.Scale(domain=names, range=list(COLOURS[: len(names)])),
        legend=altair.Legend(
            title=None, orient="top", symbolType="stroke", symbolStrokeWidth=4, symbolSize=260, symbolOpacity=1
        ),
    )
    rows = [
        altair.hconcat(
            *(
                _panel(altair, data, measure, colour, rings=bool(theirs)).properties(width=width, height=height)
                for measure in AXES
            ),
            spacing=28,
            title=altair.TitleParams(TITLES[data], fontSize=16, offset=10),
        )
        for data in curves
    ]
    legend = "bars: 95 % intervals of the mean over the seasons (Halo 2: over the random samples)"
    finished: alt.VConcatChart = apply_look(
        altair, altair.vconcat(*rows, spacing=24), title, f"{legend}; rings: as published" if theirs else legend
    )
    # The data are added last, because every earlier step would copy all points for every panel.
    every = [_points(data, curve, measure, theirs) for data, curve in curves.items() for measure in AXES]
    finished.datasets = {"points": list(chain.from_iterable(every))}
    return finished


def _points(data: str, curves: Curves, measure: str, theirs: Published | None) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for place, system in enumerate(curves.systems):
        if not curves.has(system, measure):
            continue
        shift = SHIFT * (place - (len(curves.systems) - 1) / 2.0)
        numbers = zip(curves.percents, curves.mean(system, measure), curves.error(system, measure), strict=True)
        for percent, mean, error in numbers:
            row = {"data": data, "measure": measure, "system": system, "percent": percent, "x": percent + shift}
            row |= dict(zip(("mean", "low", "high"), Interval.normal(float(mean), float(error)), strict=True))
            point = (theirs or {}).get((data, measure, system, percent))
            rows.append(row | ({} if point is None else {"published": point.mean}))
    return rows


def _panel(alt: Any, data: str, measure: str, colour: Any, *, rings: bool) -> Any:
    base = alt.Chart(alt.NamedData("points")).transform_filter(
        f"datum.data === '{data}' && datum.measure === '{measure}'"
    )
    x = alt.X(
        "x:Q",
        title="training matches (%)",
        scale=alt.Scale(domain=[5, 85], nice=False),
        axis=alt.Axis(grid=False, values=[20, 40, 60, 80]),
    )

    def y(field: str) -> Any:
        return alt.Y(f"{field}:Q", title=AXES[measure], scale=alt.Scale(zero=False))

    tooltip = [alt.Tooltip("system:N"), alt.Tooltip("percent:Q", title="training %")]
    tooltip += [alt.Tooltip(f"{field}:Q", format=".4f") for field in ("mean", "low", "high")]
    dot = alt.OverlayMarkDef(filled=True, size=26)
    layers = [
        base.mark_rule(strokeWidth=1.5, opacity=0.55).encode(x=x, y=y("low"), y2="high:Q", color=colour),
        base.mark_line(strokeWidth=2.2, point=dot).encode(x=x, y=y("mean"), color=colour, tooltip=tooltip),
    ]
    if rings:
        ring = base.transform_filter("isValid(datum.published)").mark_point(size=80, strokeWidth=1.4)
        layers.append(ring.encode(x=x, y=y("published"), color=colour))
    return alt.layer(*layers)
