"""Lines that can be told apart: a colour and a dash for every name, and no more points than can be seen."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history import History
from .theme import COLOURS, DASHES, LIGHT, Look

CURVES = len(COLOURS) * len(DASHES)  # that can be told apart
POINTS = 500  # a curve shows no more than its pixels, whatever the number of matches


def unique_names(names: Iterable[str], what: str) -> list[str]:
    """The names, each once; as many as can be told apart.

    >>> unique_names(["ann", "bob", "ann"], "players")
    ['ann', 'bob']
    """
    found = list(dict.fromkeys(names))
    if not 1 <= len(found) <= CURVES:
        raise Error(f"a chart shows the curves of 1 to {CURVES} {what}, not of {len(found)}", field=what)
    return found


def line_encoding(
    alt: Any, field: str, names: list[str], order: list[str] | None = None, look: Look = LIGHT
) -> dict[str, Any]:
    """The encoding of lines by a field: colour and dash go by the names, the legend lists them in another order.

    >>> import altair
    >>> line_encoding(altair, "model", ["Elo", "Glicko"], ["Glicko", "Elo"])["color"].to_dict()["scale"]["range"]
    ['#D55E00', '#0072B2']
    """
    order = names if order is None else order
    place = {name: at for at, name in enumerate(names)}
    colours = [look.colours[place[name] % len(COLOURS)] for name in order]
    dashes = [DASHES[place[name] // len(COLOURS)] for name in order]
    legend = _legend(alt, field, look) if look.size is None or len(names) > 1 else None  # a page says whose line it is
    return {
        "color": alt.Color(f"{field}:N", scale=alt.Scale(domain=order, range=colours), legend=legend),
        "strokeDash": alt.StrokeDash(f"{field}:N", scale=alt.Scale(domain=order, range=dashes), legend=legend),
    }


def _legend(alt: Any, field: str, look: Look) -> Any:
    """Who has which line: beside the chart, or below it where there is no room."""
    said = {"title": field, "symbolSize": 260, "labelLimit": 260}
    if look.size is not None:
        said |= {"title": None, "labelLimit": 180}
    if look.narrow:
        said |= {"symbolSize": 160, "labelLimit": 110, "orient": "bottom", "columns": 2}
    return alt.Legend(**said, symbolType="stroke", symbolStrokeWidth=4, symbolOpacity=1)


def thin(count: int) -> NDArray[np.intp]:
    """Which of so many points of a curve to show, the first and the last among them.

    >>> thin(3), len(thin(100_000))
    (array([0, 1, 2]), 500)
    """
    return np.arange(count) if count <= POINTS else np.linspace(0, count - 1, POINTS).round().astype(np.intp)


def axis_value(when: float | date) -> float | str:
    """A time on the axis: without a zone, so that a browser shows the same date everywhere; matches count from 1.

    >>> axis_value(date(2026, 1, 31)), axis_value(0), axis_value(0.5)
    ('2026-01-31T00:00:00', 1, 0.5)
    """
    if isinstance(when, datetime):
        return (when if when.tzinfo is None else when.astimezone(UTC).replace(tzinfo=None)).isoformat()
    if isinstance(when, date):
        return f"{when.isoformat()}T00:00:00"
    return when + 1 if isinstance(when, int) else when


def time_axis(history: History) -> tuple[str, str, str]:
    """The column of a frame that runs along the axis, its kind for Vega-Lite, and what to call it.

    >>> time_axis(History.from_matches([{"teams": [["ann"], ["bob"]]}]))
    ('match', 'Q', 'match number')
    """
    if history.time is None:
        return "match", "Q", "match number"
    if history.time_kind == "number":
        return "time", "Q", "time (as in the history)"
    zone = "" if history.time_zone is None else " (UTC)"
    return "time", "T", "date" if history.time_kind == "date" else f"time{zone}"
