"""Charts of a tuning: how the loss fell from trial to trial, and how it depends on each parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...optional import import_extra
from .theme import LIGHT, Look, apply_look

if TYPE_CHECKING:
    from ..tune import Tuning

WIDTH, HEIGHT, COLUMNS = 720, 260, 3
BESIDE = 84  # pixels at the side of a panel, for its axis
MOST, NEARLY_ALL = 0.7, 0.95  # the share of trials that is shown: beside the worst, all others would lie in one line


def tuning_chart(tuning: Tuning, look: Look = LIGHT) -> Any:
    """The loss of every trial and the best so far; below it, the loss against each parameter.

    >>> import prowess as pw
    >>> chart = tuning_chart(pw.tune(pw.Elo(), pw.simulate(pw.Glicko(), 200, 10).history, trials=3))
    >>> chart.to_dict()["vconcat"][0]["layer"][0]["encoding"]["x"]["title"]
    'trial'
    """
    alt = import_extra("altair", "Altair", "lab")
    frame = tuning.trials()
    shown = frame.drop_nulls("loss")
    most, nearly_all = np.quantile([*shown["loss"], tuning.loss[0]], [MOST, NEARLY_ALL]).tolist()
    low, high = _padded(tuning.loss[1], max(most, min(tuning.loss[0], nearly_all)))
    axis = {"scale": alt.Scale(domain=[low, high], nice=False), "title": _titled(tuning)}
    rows = shown.filter(shown["loss"] <= high).to_dicts()
    data = alt.InlineData(values=rows)
    best = alt.InlineData(values=frame.filter(frame["best"] <= high).select("trial", "best").to_dicts())
    columns = look.columns(COLUMNS)
    untitled = axis | {"title": None}
    slices = [
        _slice(alt, data, untitled if at % columns else axis, tuning, name, look)
        for at, name in enumerate(tuning.space)
    ]
    below = alt.concat(*slices, columns=min(columns, len(slices)), spacing=24)
    chart = alt.vconcat(_progress(alt, data, best, axis, look), below, spacing=28)
    return apply_look(alt, chart, "Tuning", _subtitle(tuning, len(frame) - len(rows)), look)


def _padded(low: float, high: float) -> list[float]:
    """An axis from the best loss to the worst that is shown, with some room for the points at its ends."""
    room = 0.05 * (high - low) or 0.01
    return [low - room, high + room]


def _progress(alt: Any, data: Any, best: Any, axis: dict[str, Any], look: Look) -> Any:
    """Every trial a point; the best so far a line."""
    x = alt.X("trial:Q", title="trial", axis=alt.Axis(grid=False, tickMinStep=1))
    points = alt.Chart(data, width=look.panel(WIDTH, 1, BESIDE), height=HEIGHT).mark_point(
        filled=True, size=45, opacity=0.55
    )
    found = ["trial:Q", alt.Tooltip("loss:Q", format=".5f")]
    line = alt.Chart(best).mark_line(interpolate="step-after", strokeWidth=2.5, color=look.colours[1])
    return alt.layer(
        points.encode(x=x, y=alt.Y("loss:Q", **axis), color=alt.value(look.colours[0]), tooltip=found),
        line.encode(x=x, y=alt.Y("best:Q", **axis)),
    )


def _slice(alt: Any, data: Any, axis: dict[str, Any], tuning: Tuning, name: str, look: Look) -> Any:
    """The loss against one parameter, whatever the others were; lines at its old and its new value."""
    span = tuning.space[name]
    scale = alt.Scale(type="log" if span.log else "linear", domain=[span.low, span.high], nice=False)
    x = alt.X(f"{name}:Q", title=name, scale=scale, axis=alt.Axis(grid=False, tickCount=3, format="~g"))
    width = look.panel((WIDTH - (COLUMNS - 1) * BESIDE) // COLUMNS, look.columns(COLUMNS), BESIDE)
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


def _subtitle(tuning: Tuning, hidden: int) -> list[str]:
    """What the picture shows, and what came of it."""
    left = f"; {hidden} failed or are worse than shown" if hidden else ""
    lines = [f"points: trials, each by its loss on the training span{left}; line: the best so far"]
    return [*lines, f"on {tuning.matches[2]:,} later matches the gain is {tuning.judged}"]


def _titled(tuning: Tuning) -> str:
    return f"{'less ' if tuning.measure.higher else ''}{tuning.measure.titled}"
