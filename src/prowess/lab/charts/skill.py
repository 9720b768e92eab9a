"""Skill over time: the curves of some players, with their uncertainty."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from math import erf, sqrt
from typing import TYPE_CHECKING, Any

from ...errors import Error
from ...history import name_of
from ...optional import import_extra
from ...validate import scale
from .series import axis_value, line_encoding, thin, time_axis, unique_names
from .theme import LIGHT, Look, apply_look

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

    from ...model.fit.fit import Fit

Belief = tuple[float | str, float, float | None]  # where along the axis, μ, and σ if there is one


def skill_curves(
    fit: Fit,
    players: Iterable[str],
    *,
    band: float = 1.0,
    title: str = "Skill over time",
    width: int = 720,
    height: int = 400,
    look: Look = LIGHT,
) -> alt.LayerChart:
    """The skill of some players after each of their matches: a line at μ in a band of μ ± `band` σ.

    A system without uncertainty has no band.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["ann"], ["bob"]]}])
    >>> chart = skill_curves(pw.TrueSkill().fit(history), ["ann", "bob"])
    >>> chart.to_dict()["layer"][1]["encoding"]["y"]["title"]
    'skill μ (rating points)'
    """
    band = scale("band", band)
    names = unique_names(map(name_of, [players] if isinstance(players, str) else players), "players")
    frames = {name: _curve(fit.trajectory(name), name) for name in names}
    time, kind, x_title = time_axis(fit.history)
    curves = {
        name: [*zip(map(axis_value, one[time].to_list()), one["mu"].to_list(), one["sigma"].to_list(), strict=True)]
        for name, one in frames.items()
    }
    certain = fit.model.absorb.certain
    return belief_curves(
        curves, (kind, x_title), band=band, certain=certain, title=title, width=width, height=height, look=look
    )


def belief_curves(
    curves: Mapping[str, Sequence[Belief]],
    axis: tuple[str, str],
    *,
    band: float = 1.0,
    certain: bool = False,
    title: str = "Skill over time",
    width: int = 720,
    height: int = 400,
    look: Look = LIGHT,
    fit_to: Sequence[Belief] = (),
) -> alt.LayerChart:
    """Draw curves (x, μ, σ) by the names of players; `axis` is the kind and the title of x.

    The y axis fits the points of `fit_to`, if there are any, and what lies outside is cut off.

    >>> chart = belief_curves({"ann": [(1, 25.0, 8.3), (2, 27.0, 7.1)]}, ("Q", "match number"))
    >>> chart.to_dict()["layer"][0]["mark"]["type"]
    'area'
    """
    altair = import_extra("altair", "Altair", "lab")
    names = list(curves)
    data = _data(altair, [point for name in names for point in _points(curves[name], name, band)], look)
    order = sorted(names, key=lambda name: -curves[name][-1][1])
    wall = 0.9 if look.size is None else 0.5  # many bands on top of each other must not become one
    shade = min(0.18, wall / len(names))
    base = altair.Chart(data, width=width, height=height)
    lines = line_encoding(altair, "player", names, order, look)
    layers = _layers(altair, base, axis, shade, lines, look, _y_domain(fit_to, band))
    chart = altair.layer(*layers[certain:])
    subtitle = "line: rating, of a system that does not say how sure it is" if certain else _subtitle(band)
    finished: alt.LayerChart = apply_look(altair, chart, title, subtitle, look)
    return finished


def _curve(curve: pl.DataFrame, name: str) -> pl.DataFrame:
    """A curve as it can be seen: the last belief of each moment, and of very many moments some."""
    if not len(curve):
        raise Error(f"{name} has no match in this history, and so no curve", field="players", value=name)
    if "time" in curve.columns:
        curve = curve.unique("time", keep="last", maintain_order=True)
    return curve[thin(len(curve))]


def _points(curve: Sequence[Belief], name: str, band: float) -> list[dict[str, Any]]:
    """The rows of the chart's data."""
    points: list[dict[str, Any]] = [
        {
            "player": name,
            "x": x,
            "mu": mu,
            "sigma": sigma,
            "low": mu - band * (sigma or 0.0),
            "high": mu + band * (sigma or 0.0),
        }
        for x, mu, sigma in curve
    ]
    points[-1]["last"] = True
    return points


def _data(alt: Any, points: list[dict[str, Any]], look: Look) -> Any:
    """The points; on a page as text, which Altair checks at once and not point by point.

    The text is JSON and no CSV: Vega makes code of the columns of CSV, which the policy of pages forbids.
    """
    if look.size is None:
        return alt.InlineData(values=points)
    rows = [{name: _cell(value) for name, value in point.items() if value is not None} for point in points]
    parse = {"x": "date"} if isinstance(points[0]["x"], str) else {}
    text = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
    return alt.InlineData(values=text, format=alt.JsonDataFormat(type="json", **({"parse": parse} if parse else {})))


def _cell(value: Any) -> Any:
    return float(f"{value:.6g}") if isinstance(value, float) and abs(value) < 1e5 else value


def _y_domain(points: Sequence[Belief], band: float) -> tuple[float, float] | None:
    if not points:
        return None
    low = min(mu - band * (sigma or 0.0) for _, mu, sigma in points)
    high = max(mu + band * (sigma or 0.0) for _, mu, sigma in points)
    margin = 0.05 * (high - low) or 1.0
    return low - margin, high + margin


def _layers(
    alt: Any,
    base: Any,
    axis: tuple[str, str],
    shade: float,
    by: dict[str, Any],
    look: Look,
    domain: tuple[float, float] | None,
) -> list[Any]:
    """Bands, lines, a dot where each line ends, and what a mouse finds; a click on the legend picks a player."""
    picked = alt.selection_point(fields=["player"], bind="legend")
    when, x_title = f"x:{axis[0]}", axis[1]
    dated = look.size is not None and axis[0] == "T"  # dates say what they are, and have no zero
    scaled: dict[str, Any] = {"title": None} if dated else {"title": x_title, "scale": alt.Scale(zero=False)}
    x = alt.X(when, axis=alt.Axis(grid=False), **scaled)
    said = "skill μ (rating points)" if look.size is None else None if look.narrow else "skill"
    clip = domain is not None
    y = alt.Y("mu:Q", title=said, scale=alt.Scale(zero=False, **({"domain": list(domain)} if domain else {})))

    def faded(full: float, rest: float) -> Any:
        return alt.when(picked).then(alt.value(full)).otherwise(alt.value(rest))

    signs = ("μ", "σ") if look.size is None else ("skill", "±")
    numbers = [
        alt.Tooltip(f"{field}:Q", title=sign, format=".2f") for field, sign in zip(("mu", "sigma"), signs, strict=True)
    ]
    found = [alt.Tooltip("player:N"), alt.Tooltip(when, title=x_title), *numbers]
    line = base.mark_line(strokeWidth=2.5, strokeJoin="round", clip=clip).encode(x=x, y=y, opacity=faded(1, 0.15), **by)
    # the dot shows a player of one match, who has no line yet, and who stopped early
    end = base.transform_filter("datum.last").mark_point(filled=True, size=55, clip=clip)
    return [
        base.mark_area(clip=clip).encode(x=x, y="low:Q", y2="high:Q", color=by["color"], opacity=faded(shade, 0.03)),
        line.add_params(picked),
        end.encode(x=x, y=y, opacity=faded(1, 0.15), color=by["color"]),
        base.mark_point(opacity=0, size=80, clip=clip).encode(x=x, y=y, tooltip=found),
    ]


def _subtitle(band: float) -> str:
    times = "" if band == 1 else f"{band:g}"
    share = 100 * erf(band / sqrt(2))
    return f"line: mean μ; band: μ ± {times}σ, which holds the skill with {share:.3g} % probability"
