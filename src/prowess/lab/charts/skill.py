"""Skill over time: the curves of some players, with their uncertainty."""

from __future__ import annotations

from collections.abc import Iterable
from math import erf, sqrt
from typing import TYPE_CHECKING, Any

from ...checks import scale
from ...errors import Error
from ...history import name_of
from ..extras import extra
from .series import distinct, series, thinned
from .theme import styled
from .times import place_of, time_axis

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

    from ...model.fit import Fit

__all__ = ["skill_curves"]


def skill_curves(
    fit: Fit,
    players: Iterable[str],
    *,
    band: float = 1.0,
    title: str = "Skill over time",
    width: int = 720,
    height: int = 400,
) -> alt.LayerChart:
    """The skill of some players after each of their matches: a line at μ in a band of μ ± `band` σ.

    A system without uncertainty has no band.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["ann"], ["bob"]]}])
    >>> chart = skill_curves(pw.TrueSkill().fit(history), ["ann", "bob"])
    >>> chart.to_dict()["layer"][1]["encoding"]["y"]["title"]
    'skill μ (rating points)'
    """
    altair = extra("altair", "Altair")
    band = scale("band", band)
    names = distinct(map(name_of, [players] if isinstance(players, str) else players), "players")
    curves = {name: _curve(fit.trajectory(name), name) for name in names}
    time, kind, x_title = time_axis(fit.history)
    data = altair.InlineData(values=[point for name in names for point in _points(curves[name], name, time, band)])
    order = sorted(names, key=lambda name: -curves[name]["mu"][-1])
    shade = min(0.18, 0.9 / len(names))  # many bands on top of each other must not become a wall
    base = altair.Chart(data, width=width, height=height)
    certain = fit.model.absorb.certain
    layers = _layers(altair, base, f"x:{kind}", x_title, shade, series(altair, "player", names, order))
    chart = altair.layer(*layers[certain:])
    subtitle = "line: rating, of a system that does not say how sure it is" if certain else _subtitle(band)
    finished: alt.LayerChart = styled(altair, chart, title, subtitle)
    return finished


def _curve(curve: pl.DataFrame, name: str) -> pl.DataFrame:
    """A curve as it can be seen: the last belief of each moment, and of very many moments some."""
    if not len(curve):
        raise Error(f"{name} has no match in this history, and so no curve")
    if "time" in curve.columns:
        curve = curve.unique("time", keep="last", maintain_order=True)
    return curve[thinned(len(curve))]


def _points(curve: pl.DataFrame, name: str, key: str, band: float) -> list[dict[str, Any]]:
    """The rows of the chart's data."""
    rows = zip(curve[key].to_list(), curve["mu"].to_list(), curve["sigma"].to_list(), strict=True)
    points: list[dict[str, Any]] = [
        {
            "player": name,
            "x": place_of(when),
            "mu": mu,
            "sigma": sigma,
            "low": mu - band * (sigma or 0.0),
            "high": mu + band * (sigma or 0.0),
        }
        for when, mu, sigma in rows
    ]
    points[-1]["last"] = True
    return points


def _layers(alt: Any, base: Any, when: str, x_title: str, shade: float, by: dict[str, Any]) -> list[Any]:
    """Bands, lines, a dot where each line ends, and what a mouse finds; a click on the legend picks a player."""
    picked = alt.selection_point(fields=["player"], bind="legend")
    x = alt.X(when, title=x_title, scale=alt.Scale(zero=False), axis=alt.Axis(grid=False))
    y = alt.Y("mu:Q", title="skill μ (rating points)", scale=alt.Scale(zero=False))

    def faded(full: float, rest: float) -> Any:
        return alt.when(picked).then(alt.value(full)).otherwise(alt.value(rest))

    numbers = [alt.Tooltip(f"{field}:Q", title=sign, format=".2f") for field, sign in (("mu", "μ"), ("sigma", "σ"))]
    found = [alt.Tooltip("player:N"), alt.Tooltip(when, title=x_title), *numbers]
    line = base.mark_line(strokeWidth=2.5, strokeJoin="round").encode(x=x, y=y, opacity=faded(1, 0.15), **by)
    # the dot shows a player of one match, who has no line yet, and who stopped early
    end = base.transform_filter("datum.last").mark_point(filled=True, size=55).encode(x=x, y=y, opacity=faded(1, 0.15))
    return [
        base.mark_area().encode(x=x, y="low:Q", y2="high:Q", color=by["color"], opacity=faded(shade, 0.03)),
        line.add_params(picked),
        end.encode(color=by["color"]),
        base.mark_point(opacity=0, size=80).encode(x=x, y=y, tooltip=found),
    ]


def _subtitle(band: float) -> str:
    times = "" if band == 1 else f"{band:g}"
    share = 100 * erf(band / sqrt(2))
    return f"line: mean μ; band: μ ± {times}σ, which holds the skill with {share:.3g} % probability"
