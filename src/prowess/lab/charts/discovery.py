"""Charts of a discovery: what each column gains, and the effects that were found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...optional import import_extra
from .theme import LIGHT, Look, apply_look

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

REACH = 1.96  # half the width of a 95 % interval, in standard deviations


def gain_chart(table: pl.DataFrame, look: Look = LIGHT) -> alt.LayerChart:
    """Chart the gain of every finding as a dot with its interval; those that were kept are dark.

    >>> import polars as pl
    >>> table = pl.DataFrame({"what": ["surface"], "gain": [0.006], "low": [0.004], "high": [0.008], "kept": [True]})
    >>> gain_chart(table).to_dict()["title"]["text"]
    'What each column gains'
    """
    columns = ("what", "gain", "low", "high", "kept")
    names = ("label", "value", "low", "high", "kept")
    rows = [dict(zip(names, row, strict=True)) for row in table.select(columns).rows()]
    subtitle = "Nats of log loss on later matches, with intervals; dark: part of the model"
    return _intervals(rows, "Gain (nats a match)", "What each column gains", subtitle, look)


def effect_chart(effects: pl.DataFrame, name: str, look: Look = LIGHT) -> alt.LayerChart:
    """Chart the effects of the values of a column, as `Fit.effects` has them, with 95 % intervals.

    >>> import polars as pl
    >>> effects = pl.DataFrame({"value": ["white"], "mu": [1.0], "sigma": [0.2]})
    >>> effect_chart(effects, "colour").to_dict()["title"]["text"]
    'Effects of colour'
    """
    rows = [
        {"label": value or name, "value": mu, "low": mu - REACH * (sigma or 0.0), "high": mu + REACH * (sigma or 0.0)}
        | {"kept": True}
        for value, mu, sigma in effects.select("value", "mu", "sigma").rows()
    ]
    return _intervals(rows, "Effect on a performance", f"Effects of {name}", "95 % intervals", look)


def _intervals(rows: list[dict[str, Any]], axis: str, title: str, subtitle: str, look: Look) -> alt.LayerChart:
    altair = import_extra("altair", "Altair", "lab")
    names = [row["label"] for row in rows]
    base = altair.Chart(altair.InlineData(values=rows), width=460, height=max(90, 28 * len(rows)))
    label = altair.Y("label:N", sort=names, title=None, axis=altair.Axis(labelLimit=180, domain=False, ticks=False))
    shade = altair.condition("datum.kept", altair.value(1.0), altair.value(0.35))
    numbers = (altair.Tooltip(f"{key}:Q", format=".4f") for key in ("value", "low", "high"))
    tooltip = [altair.Tooltip("label:N"), *numbers]
    zero = altair.Chart(altair.InlineData(values=[{"x": 0.0}])).mark_rule(color=look.faint).encode(x="x:Q")
    line = base.mark_rule(strokeWidth=3, color=look.colours[0]).encode(
        x=altair.X("low:Q", title=axis), x2="high:Q", y=label, opacity=shade, tooltip=tooltip
    )
    dot = base.mark_point(filled=True, size=95, color=look.colours[0]).encode(
        x="value:Q", y=label, opacity=shade, tooltip=tooltip
    )
    chart: alt.LayerChart = apply_look(altair, altair.layer(zero, line, dot), title, subtitle, look)
    return chart
