"""Charts of a comparison: measures with intervals, a measure over time, and calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

from ...optional import import_extra
from .theme import LIGHT, Look, apply_look, axis_value, line_encoding, unique_names

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

NARROW_LABELS = 110  # pixels for model names on a narrow chart


def measure_chart(
    table: pl.DataFrame, titles: Mapping[str, str], *, title: str, subtitle: str, look: Look = LIGHT
) -> alt.ConcatChart:
    """Chart every measure in its own panel: each model's value as a dot, its interval as a line.

    `table` has a column model, and columns x, x_low and x_high for every measure x; `titles` maps measures to titles.

    >>> import polars as pl
    >>> table = pl.DataFrame({"model": ["Elo"], "brier": [0.5], "brier_low": [0.4], "brier_high": [0.6]})
    >>> chart = measure_chart(table, {"brier": "Brier score"}, title="Elo", subtitle="95 % intervals")
    >>> chart.to_dict()["concat"][0]["layer"][0]["encoding"]["x"]["title"]
    'Brier score'
    """
    altair = import_extra("altair", "Altair", "lab")
    columns = look.columns(2)
    width = look.panel(300, columns, NARROW_LABELS + 20 if look.narrow else 240)
    panels = [_panel(altair, table, name, text, width, look) for name, text in titles.items()]
    chart = altair.concat(*panels, columns=columns, spacing=36)
    finished: alt.ConcatChart = apply_look(altair, chart, title, subtitle, look)
    return finished


def _panel(alt: Any, table: pl.DataFrame, measure: str, title: str, width: int, look: Look) -> Any:
    # The value of a model far from the others is written at the edge, so that the scale stays fine for the others.
    cells = table.select("model", measure, f"{measure}_low", f"{measure}_high").drop_nulls(measure).rows()
    rows = [
        {"model": name, "value": value, "low": value if low is None else low, "high": value if high is None else high}
        for name, value, low, high in cells
    ]
    near = _near({row["model"]: row["value"] for row in rows}, [row["high"] - row["low"] for row in rows])
    low = min(row["low"] for row in rows if row["model"] in near)
    high = max(row["high"] for row in rows if row["model"] in near)
    pad = 0.06 * (high - low) or 0.01 * abs(high) or 0.01
    scale = alt.Scale(domain=[low - pad, high + pad], nice=False)
    x, start = (alt.X(field, title=title, scale=scale, axis=alt.Axis(tickCount=4)) for field in ("value:Q", "low:Q"))
    names, limit = [row["model"] for row in rows], NARROW_LABELS if look.narrow else 180
    # Letters may be wider in the browser than estimated here.
    extent = {} if look.size is None else {"minExtent": min(limit, 9 * max(map(len, names)))}
    axis = alt.Axis(labelLimit=limit, domain=False, ticks=False, **extent)
    model = alt.Y("model:N", sort=names, title=None, axis=axis)
    tooltip = [alt.Tooltip("model:N"), *(alt.Tooltip(f"{key}:Q", format=".5g") for key in ("value", "low", "high"))]
    size = {"width": width, "height": max(90, 30 * len(names))}
    inside = alt.Chart(alt.InlineData(values=[row for row in rows if row["model"] in near]), **size)
    line = inside.mark_rule(strokeWidth=3, color=look.colours[0], opacity=0.55)
    dot = inside.mark_point(filled=True, size=95, color=look.colours[0], opacity=1)
    layers = [
        line.encode(x=start, x2="high:Q", y=model, tooltip=tooltip),
        dot.encode(x=x, y=model, tooltip=tooltip),
    ]
    for beyond, sign in ((True, "{} ▸"), (False, "◂ {}")):
        far = [row for row in rows if row["model"] not in near and (row["value"] > high) == beyond]
        texts = [{"model": row["model"], "text": sign.format(f"{row['value']:.3g}")} for row in far]
        if far:
            align, dx, side = ("right", -4, width) if beyond else ("left", 4, 0)
            base = alt.Chart(alt.InlineData(values=texts), **size)
            text = base.mark_text(align=align, fontSize=13, color=look.colours[0], dx=dx)
            layers.append(text.encode(x=alt.value(side), y=model, text="text:N"))
    return alt.layer(*layers)


def _near(values: Mapping[str, float], widths: Sequence[float]) -> set[str]:
    middle = median(values.values())
    reach = max(20 * median(abs(value - middle) for value in values.values()), 5 * median(widths))
    return {name for name, value in values.items() if len(values) < 3 or abs(value - middle) <= reach}


def time_chart(
    frame: pl.DataFrame, measure: str, axis: tuple[str, str, str], *, title: str, subtitle: str, look: Look = LIGHT
) -> alt.Chart:
    """Chart a measure over time, with a line per model; `axis` is the time column, its Vega-Lite type and its title.

    `frame` has the columns model and value, and the time column. `measure` is the title of the y axis.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"model": ["Elo"] * 2, "match": [0, 1], "value": [0.5, 0.4]})
    >>> chart = time_chart(frame, "pair error", ("match", "Q", "match number"), title="Over time", subtitle="")
    >>> chart.to_dict()["encoding"]["y"]["title"]
    'pair error'
    """
    altair = import_extra("altair", "Altair", "lab")
    column, kind, x_title = axis
    frame = frame.unique(["model", column], keep="last", maintain_order=True)  # the last match of each day
    names = unique_names(frame["model"].to_list(), "models")
    curves = {name: frame.filter(frame["model"] == name)["value"].to_list() for name in names}
    heights = [max(curve) - min(curve) for curve in curves.values()]
    near = _near({name: median(curve) for name, curve in curves.items()}, heights)
    low, high = min(min(curves[name]) for name in near), max(max(curves[name]) for name in near)
    pad = 0.05 * (high - low) or 0.01
    rows = [
        {"model": model, "x": axis_value(when), "value": value}
        for model, when, value in frame.select("model", column, "value").iter_rows()
    ]
    # An axis of times has no zero, and Vega would warn.
    scaled = {} if kind == "T" else {"scale": altair.Scale(zero=False)}
    chart = (
        altair.Chart(altair.InlineData(values=rows), width=720, height=380)
        .mark_line(strokeWidth=2.2, strokeJoin="round", clip=True)
        .encode(
            x=altair.X(f"x:{kind}", title=x_title, axis=altair.Axis(grid=False), **scaled),
            y=altair.Y("value:Q", title=measure, scale=altair.Scale(domain=[low - pad, high + pad], nice=False)),
            tooltip=["model:N", altair.Tooltip(f"x:{kind}", title=x_title), altair.Tooltip("value:Q", format=".4g")],
            **line_encoding(altair, "model", names, look=look),
        )
    )
    far = [name for name in names if name not in near]
    outside = f"; off the chart: {', '.join(far)}" if far else ""
    finished: alt.Chart = apply_look(altair, chart, title, subtitle + outside, look)
    return finished


def calibration_chart(
    frame: pl.DataFrame, *, title: str = "Calibration", subtitle: str = "", look: Look = LIGHT
) -> alt.ConcatChart:
    """Chart observed against expected frequencies, a panel per model; correct forecasts lie on the grey line.

    `frame` has columns model, expected, happened, stderr and count.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"model": ["Elo"], "expected": [0.5], "happened": [0.6], "stderr": [0.05], "count": [100]})
    >>> len(calibration_chart(frame).to_dict()["concat"])
    1
    """
    altair = import_extra("altair", "Altair", "lab")
    names = frame["model"].unique(maintain_order=True).to_list()
    columns = look.columns(3)
    width = min(look.panel(220, columns, 100), 260)
    panels = [_calibration_panel(altair, frame.filter(frame["model"] == name), name, width, look) for name in names]
    chart = altair.concat(*panels, columns=columns, spacing=30)
    finished: alt.ConcatChart = apply_look(altair, chart, title, subtitle, look)
    return finished


def _calibration_panel(alt: Any, frame: pl.DataFrame, name: str, width: int, look: Look) -> Any:
    rows = [
        {"expected": p, "happened": share, "low": max(share - 2 * se, 0.0), "high": min(share + 2 * se, 1.0), "n": n}
        for p, share, se, n in frame.select("expected", "happened", "stderr", "count").rows()
    ]
    whole = alt.Scale(domain=[0, 1])
    ticks = alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1])
    x = alt.X("expected:Q", title="expected", scale=whole, axis=ticks)
    y = alt.Y("happened:Q", title="happened", scale=whole, axis=ticks)
    size = {"width": width, "height": width}
    right = alt.Chart(alt.InlineData(values=[{"expected": 0, "happened": 0}, {"expected": 1, "happened": 1}]), **size)
    base = alt.Chart(alt.InlineData(values=rows), **size)
    tooltip = [alt.Tooltip("expected:Q", format=".1%"), alt.Tooltip("happened:Q", format=".1%"), alt.Tooltip("n:Q")]
    return alt.layer(
        right.mark_line(color=look.middle, strokeWidth=1.5).encode(x=x, y=y),
        base.mark_rule(color=look.colours[0], strokeWidth=2, opacity=0.6).encode(x=x, y=alt.Y("low:Q"), y2="high:Q"),
        base.mark_line(color=look.colours[0], strokeWidth=1.5, opacity=0.6).encode(x=x, y=y),
        base.mark_point(color=look.colours[0], filled=True, size=45, opacity=1).encode(x=x, y=y, tooltip=tooltip),
    ).properties(title=alt.TitleParams(name, fontSize=look.type, anchor="middle", color=look.ink, offset=6))
