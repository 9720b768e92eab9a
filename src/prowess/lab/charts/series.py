"""Lines that can be told apart: a colour and a dash for every name, and no more points than can be seen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from .theme import COLOURS, DASHES, LIGHT, Look

__all__ = ["CURVES", "distinct", "series", "thinned"]

CURVES = len(COLOURS) * len(DASHES)  # that can be told apart
POINTS = 500  # a curve shows no more than its pixels, whatever the number of matches


def distinct(names: Iterable[str], what: str) -> list[str]:
    """The names, each once; as many as can be told apart.

    >>> distinct(["ann", "bob", "ann"], "players")
    ['ann', 'bob']
    """
    found = list(dict.fromkeys(names))
    if not 1 <= len(found) <= CURVES:
        raise Error(f"a chart shows the curves of 1 to {CURVES} {what}, not of {len(found)}")
    return found


def series(
    alt: Any, field: str, names: list[str], order: list[str] | None = None, look: Look = LIGHT
) -> dict[str, Any]:
    """The encoding of lines by a field: colour and dash go by the names, the legend lists them in another order.

    >>> import altair
    >>> series(altair, "model", ["Elo", "Glicko"], ["Glicko", "Elo"])["color"].to_dict()["scale"]["range"]
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


def thinned(count: int) -> NDArray[np.intp]:
    """Which of so many points of a curve to show, the first and the last among them.

    >>> thinned(3), len(thinned(100_000))
    (array([0, 1, 2]), 500)
    """
    return np.arange(count) if count <= POINTS else np.linspace(0, count - 1, POINTS).round().astype(np.intp)
