"""The chart of skill over time, of one player or of several."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection
from starlette.datastructures import QueryParams

from ...lab.charts.skill import Belief, belief_curves
from ...lab.charts.theme import Look
from ...store.leagues import League
from ..problems import Problem
from ..state import Service
from .charts import drawn

__all__ = ["MOST", "named"]

MOST = 7  # players whose lines can be told apart on a white page
POINTS = {True: 150, False: 400}  # of a curve, by whether the chart is narrow
AXES = {"utc": ("T", "date"), "number": ("Q", "time"), "none": ("Q", "match")}


def named(names: Iterable[str]) -> list[str]:
    """The players of a query, each once.

    >>> named(["ann ", "", "bob", "ann"])
    ['ann', 'bob']
    """
    return list(dict.fromkeys(name.strip() for name in names if name.strip()))


@drawn("curves")
def curves(here: Service, connection: Connection, league: League, asked: QueryParams, look: Look) -> Any:
    """The skill of some players over time."""
    names = named(asked.getlist("name"))
    if not 1 <= len(names) <= MOST:
        raise Problem(422, f"name: a chart shows 1 to {MOST} players, not {len(names)}")
    chronicle = here.chronicles.of(connection, league)
    most = max(POINTS[look.narrow] // len(names), 100)
    found = {name: _curve(chronicle.curve(name, most), league) for name in names}
    shown = {name: curve for name, curve in found.items() if curve}
    if not shown:
        raise Problem(404, f"there is no curve: no match of {', '.join(names)} counts")
    return belief_curves(shown, AXES[league.clock], certain=league.model.absorb.certain, look=look)


def _curve(points: list[dict[str, Any]], league: League) -> list[Belief]:
    """A curve as it is drawn: what was believed last at each moment."""
    field = "match" if league.clock == "none" else "time"
    last = {point[field]: (_place(point[field]), point["mu"], point["sigma"]) for point in points}
    return list(last.values())


def _place(when: str | float) -> str | float:
    """A time on the axis, without its zone: all charts of a league are in that of its clock."""
    return when.removesuffix("Z") if isinstance(when, str) else when
