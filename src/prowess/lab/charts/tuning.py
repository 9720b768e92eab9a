"""The chart of a tuning run: the loss of every trial, and how the loss depends on each parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...optional import import_extra
from .theme import LIGHT, Look, apply_look

if TYPE_CHECKING:
    from ..tune import Tuning

WIDTH, HEIGHT, COLUMNS = 720, 260, 3
AXIS = 84  # pixels for a panel's axis and spacing
# The axes end at these quantiles of the losses. If they included the worst trials, the others would look like one line.
MOST, NEARLY_ALL = 0.7, 0.95


def tuning_chart(tuning: Tuning, look: Look = LIGHT) -> Any:
    """Chart the loss of every trial and the lowest loss so far, and below that the loss against each parameter.

    >>> import prowess as pw
    >>> chart = tuning_chart(pw.tune(pw.Elo(), pw.simulate(pw.Glicko(), 200, 10).history, trials=3))
    >>> chart.to_dict()["vconcat"][0]["layer"][0]["encoding"]["x"]["title"]
    'trial'
    """
    alt = import_extra("altair", "Altair", "lab")
    frame = tuning.trials()
    shown = frame.drop_nulls("loss")
    most, nearly_all = np.quantile([*shown["loss"], tuning.loss[0]], [MOST, NEARLY_ALL]).tolist()
    best, worst = tuning.loss[1], max(most, min(tuning.loss[0], nearly_all))
    high = worst + (padding := 0.05 * (worst - best) or 0.01)
    title = f"{'less ' if tuning.measure.higher else ''}{tuning.measure.titled}"
    axis = {"scale": alt.Scale(domain=[best - padding, high], nice=False), "title": title}
    rows = shown.filter(shown["loss"] <= high).to_dicts()
    data = alt.InlineData(values=rows)
    best_so_far = alt.InlineData(values=frame.filter(frame["best"] <= high).select("trial", "best").to_dicts())
    columns = look.columns(COLUMNS)
    slices = [
        _slice(alt, data, axis | {"title": None} if index % columns else axis, tuning, name, look)
        for index, name in enumerate(tuning.space)
    ]
    below = alt.concat(*slices, columns=min(columns, len(slices)), spacing=24)
    chart = alt.vconcat(_progress(alt, data, best_so_far, axis, look), below, spacing=28)
    hidden = len(frame) - len(rows)
    left_out = f"; {hidden} failed or are worse than shown" if hidden else ""
    subtitle = [
        f"points: the loss of each trial on the training span{left_out}; line: the best so far",
        f"on {tuning.matches[2]:,} later matches the gain is {tuning.judged}",
    ]
    return apply_look(alt, chart, "Tuning", subtitle, look)


def _progress(alt: Any, data: Any, best: Any, axis: dict[str, Any], look: Look) -> Any:
    x = alt.X("trial:Q", title="trial", axis=alt.Axis(grid=False, tickMinStep=1))
    base = alt.Chart(data, width=look.panel(WIDTH, 1, AXIS), height=HEIGHT)
    points = base.mark_point(filled=True, size=45, opacity=0.55)
    tooltip = ["trial:Q", alt.Tooltip("loss:Q", format=".5f")]
    line = alt.Chart(best).mark_line(interpolate="step-after", strokeWidth=2.5, color=look.colours[1])
    return alt.layer(
        points.encode(x=x, y=alt.Y("loss:Q", **axis), color=alt.value(look.colours[0]), tooltip=tooltip),
        line.encode(x=x, y=alt.Y("best:Q", **axis)),
    )


def _slice(alt: Any, data: Any, axis: dict[str, Any], tuning: Tuning, name: str, look: Look) -> Any:
    span = tuning.space[name]
    scale = alt.Scale(type="log" if span.log else "linear", domain=[span.low, span.high], nice=False)
    x = alt.X(f"{name}:Q", title=name, scale=scale, axis=alt.Axis(grid=False, tickCount=3, format="~g"))
    width = look.panel((WIDTH - (COLUMNS - 1) * AXIS) // COLUMNS, look.columns(COLUMNS), AXIS)
    points = alt.Chart(data, width=width, height=180).mark_point(filled=True, size=30, opacity=0.55)
    values = {"before": float(tuning.before.params[name]), "after": float(tuning.model.params[name])}
    lines = [{"x": max(value, span.low) if span.log else value, "which": which} for which, value in values.items()]
    colour = alt.Color(
        "which:N",
        title="parameter",
        scale=alt.Scale(domain=["before", "after"], range=[look.ink, look.colours[1]]),
        legend=alt.Legend(orient="bottom", titleOrient="left", symbolType="stroke", symbolStrokeWidth=4),
    )
    marks = alt.Chart(alt.InlineData(values=lines)).mark_rule(strokeWidth=2)
    dash = alt.StrokeDash("which:N", scale=alt.Scale(domain=["before", "after"], range=[[5, 4], [1, 0]]), legend=None)
    return alt.layer(
        points.encode(x=x, y=alt.Y("loss:Q", **axis), color=alt.value(look.colours[0])),
        marks.encode(x=alt.X("x:Q", scale=scale, title=name), color=colour, strokeDash=dash),
    )
