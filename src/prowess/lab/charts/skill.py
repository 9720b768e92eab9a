"""Skill curves of players over time, with their uncertainty."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from math import erf, sqrt
from typing import TYPE_CHECKING, Any

from ...errors import Error
from ...history import name_of
from ...model.hindsight.hindsight import Hindsight
from ...model.scale import Z95
from ...optional import import_extra
from ...validate import scale
from .theme import LIGHT, Look, apply_look, axis_value, line_encoding, thin, time_axis, unique_names

if TYPE_CHECKING:
    import altair as alt

    from ...model.fit.fit import Fit
    from ...model.scale import Points

KNOWN_THEN, KNOWN_NOW = "known then", "known now"
Belief = tuple[float | str, float, float | None]  # x, μ, and σ if the model has uncertainty


def skill_curves(
    fit: Fit | Hindsight,
    players: Iterable[str],
    *,
    band: float | None = None,
    title: str | None = None,
    width: int = 720,
    height: int = 400,
    look: Look = LIGHT,
) -> alt.LayerChart:
    """Chart players' skills after each of their matches: a line at μ in a band of μ ± `band` σ.

    If the fit has a scale, the chart is in points. By default, the band is the 95 % interval in points, or μ ± σ
    without a scale. A model without uncertainty has no band. With a `Hindsight`, the skills are those at the matches,
    given all matches.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["ann"], ["bob"]]}])
    >>> chart = skill_curves(pw.TrueSkill().fit(history), ["ann", "bob"])
    >>> chart.to_dict()["layer"][1]["encoding"]["y"]["title"]
    'skill μ (rating points)'
    """
    time, kind, x_title = time_axis(fit.history)
    curves = {}
    for name in unique_names(map(name_of, [players] if isinstance(players, str) else players), "players"):
        curves[name] = skill_curve(fit, name, time)
    if title is None:
        title = "Skill over time, in hindsight" if isinstance(fit, Hindsight) else "Skill over time"
    options: dict[str, Any] = {"title": title, "width": width, "height": height, "look": look}
    options |= {"certain": fit.model.absorb.certain, "points": fit.points}
    return belief_curves(curves, (kind, x_title), band=band, **options)


def knowledge_curves(fit: Fit, hindsight: Hindsight, player: str, **options: Any) -> alt.LayerChart:
    """Chart one player's skill twice: as it was known after each match, and as it is known now, from all matches.

    The options are those of `skill_curves`.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["ann"], ["bob"]]}])
    >>> model = pw.TrueSkill()
    >>> chart = knowledge_curves(model.fit(history), model.hindsight(history), "ann")
    >>> chart.to_dict()["title"]["text"]
    'Skill of ann, as known then and now'
    """
    time, kind, x_title = time_axis(fit.history)
    curves = {KNOWN_THEN: skill_curve(fit, player, time), KNOWN_NOW: skill_curve(hindsight, player, time)}
    options = {"title": f"Skill of {player}, as known then and now", "points": fit.points} | options
    return belief_curves(curves, (kind, x_title), **options)


def skill_curve(fit: Fit | Hindsight, name: str, time: str) -> list[Belief]:
    """Return the beliefs about a player after each match or, of a `Hindsight`, at each match given all matches.

    `time` is the column for x, "time" or "match".

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["cat"], ["bob"]]}])
    >>> fits = pw.TrueSkill().fit(history), pw.TrueSkill().hindsight(history)
    >>> [round(mu, 2) for fit in fits for _, mu, _ in skill_curve(fit, "ann", "match")]
    [29.4, 28.47]
    """
    frame = fit.curve(name) if isinstance(fit, Hindsight) else fit.trajectory(name)
    if not len(frame):
        raise Error(f"{name} has no match in this history, so there is no curve", field="players", value=name)
    if "time" in frame.columns:
        # One point per time: several matches at the same time would draw a vertical line.
        frame = frame.unique("time", keep="last", maintain_order=True)
    x, mu, sigma = (frame[thin(len(frame))][column].to_list() for column in (time, "mu", "sigma"))
    return list(zip(map(axis_value, x), mu, sigma, strict=True))


def belief_curves(
    curves: Mapping[str, Sequence[Belief]],
    axis: tuple[str, str],
    *,
    band: float | None = None,
    certain: bool = False,
    points: Points | None = None,
    title: str = "Skill over time",
    width: int = 720,
    height: int = 400,
    look: Look = LIGHT,
    fit_to: Sequence[Belief] = (),
) -> alt.LayerChart:
    """Chart skill curves: `curves` maps players to beliefs (x, μ, σ); `axis` is the Vega-Lite type and the title of x.

    `band` is the half-width of the band in units of σ. The default is 1 σ, or the 95 % interval with `points`, which
    converts skills to rating points. `certain` leaves out the band. If `fit_to` has beliefs, the y axis is scaled to
    fit these beliefs with their bands, and everything outside is clipped.

    >>> chart = belief_curves({"ann": [(1, 25.0, 8.3), (2, 27.0, 7.1)]}, ("Q", "match number"))
    >>> chart.to_dict()["layer"][0]["mark"]["type"]
    'area'
    """
    altair = import_extra("altair", "Altair", "lab")
    width_of_band = (1.0 if points is None else Z95) if band is None else scale("band", band)
    subtitle = _subtitle(width_of_band, certain, points)
    if points is not None:
        curves = {name: _in_points(curve, points, width_of_band) for name, curve in curves.items()}
        fit_to, width_of_band = _in_points(fit_to, points, width_of_band), 1.0
    names = list(curves)
    rows = [row for name in names for row in _rows(curves[name], name, width_of_band)]
    order = sorted(names, key=lambda name: -curves[name][-1][1])
    darkest = 0.9 if look.size is None else 0.5  # many overlapping bands must not add up to one dark area
    shade = min(0.18, darkest / len(names))
    base = altair.Chart(_inline_data(altair, rows, look), width=width, height=height)
    lines = line_encoding(altair, "player", names, order, look)
    layers = _layers(altair, base, axis, shade, lines, look, _y_domain(fit_to, width_of_band), points)
    finished: alt.LayerChart = apply_look(altair, altair.layer(*layers[certain:]), title, subtitle, look)
    return finished


def _subtitle(band: float, certain: bool, points: Points | None) -> str:
    if certain:
        return "line: rating; this model has no uncertainty"
    share = f"{100 * erf(band / sqrt(2)):.3g} %"
    if points is not None:
        return f"line: rating in points; band: {share} interval"
    times = "" if band == 1 else f"{band:g}"
    return f"line: mean μ; band: μ ± {times}σ, which contains the skill with {share} probability"


def _in_points(curve: Sequence[Belief], points: Points, band: float) -> list[Belief]:
    """Return a curve in points, with half the width of the band in place of σ."""
    reach = band * points.factor
    return [(x, points.of(mu), None if sigma is None else reach * sigma) for x, mu, sigma in curve]


def _rows(curve: Sequence[Belief], name: str, band: float) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for x, mu, sigma in curve:
        reach = band * (sigma or 0.0)
        rows.append({"player": name, "x": x, "mu": mu, "sigma": sigma, "low": mu - reach, "high": mu + reach})
    rows[-1]["last"] = True
    return rows


def _inline_data(alt: Any, points: list[dict[str, Any]], look: Look) -> Any:
    if look.size is None:
        return alt.InlineData(values=points)
    # The data is one string, because Altair would validate a list point by point. It is JSON, not CSV: for CSV columns
    # Vega compiles code, which the pages' content security policy forbids.
    rows = [
        {
            name: float(f"{value:.6g}") if isinstance(value, float) and abs(value) < 1e5 else value
            for name, value in point.items()
            if value is not None
        }
        for point in points
    ]
    parse = {"parse": {"x": "date"}} if isinstance(points[0]["x"], str) else {}
    text = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
    return alt.InlineData(values=text, format=alt.JsonDataFormat(type="json", **parse))


def _y_domain(points: Sequence[Belief], band: float) -> dict[str, list[float]]:
    if not points:
        return {}
    low = min(mu - band * (sigma or 0.0) for _, mu, sigma in points)
    high = max(mu + band * (sigma or 0.0) for _, mu, sigma in points)
    margin = 0.05 * (high - low) or 1.0
    return {"domain": [low - margin, high + margin]}


def _layers(
    alt: Any,
    base: Any,
    axis: tuple[str, str],
    shade: float,
    by: dict[str, Any],
    look: Look,
    domain: dict[str, list[float]],
    points: Points | None,
) -> list[Any]:
    # A click on the legend highlights a player.
    picked = alt.selection_point(fields=["player"], bind="legend")
    when, x_title = f"x:{axis[0]}", axis[1]
    dated = look.size is not None and axis[0] == "T"  # dates need no title and have no zero
    scaled: dict[str, Any] = {"title": None} if dated else {"title": x_title, "scale": alt.Scale(zero=False)}
    x = alt.X(when, axis=alt.Axis(grid=False), **scaled)
    skill = "skill" if points is None or points.conservative else "rating"
    full_title = "skill μ (rating points)" if points is None else f"{skill} (points)"
    y_title = full_title if look.size is None else None if look.narrow else skill
    y = alt.Y("mu:Q", title=y_title, scale=alt.Scale(zero=False, **domain))
    clip = bool(domain)

    def faded(full: float, rest: float) -> Any:
        return alt.when(picked).then(alt.value(full)).otherwise(alt.value(rest))

    signs = ("μ", "σ") if look.size is None and points is None else (skill, "±")
    fields = zip(("mu", "sigma"), signs, strict=True)
    digits = 2 if points is None else points.scale.digits
    numbers = [alt.Tooltip(f"{field}:Q", title=sign, format=f".{digits}f") for field, sign in fields]
    tooltip = [alt.Tooltip("player:N"), alt.Tooltip(when, title=x_title), *numbers]
    line = base.mark_line(strokeWidth=2.5, strokeJoin="round", clip=clip).encode(x=x, y=y, opacity=faded(1, 0.15), **by)
    # The dot at the end shows players with a single match, who have no line, and players who stopped early.
    end = base.transform_filter("datum.last").mark_point(filled=True, size=55, clip=clip)
    return [
        base.mark_area(clip=clip).encode(x=x, y="low:Q", y2="high:Q", color=by["color"], opacity=faded(shade, 0.03)),
        line.add_params(picked),
        end.encode(x=x, y=y, opacity=faded(1, 0.15), color=by["color"]),
        base.mark_point(opacity=0, size=80, clip=clip).encode(x=x, y=y, tooltip=tooltip),
    ]
