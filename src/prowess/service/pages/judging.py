"""Charts of how well models predict: calibration, the error as time goes by, and measures beside each other.

An answer that was made in the background is asked for by its number (`of`), as it may be of another revision than the
league is at; that of a small league is of the league as it is.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection
from starlette.datastructures import QueryParams

from ...lab.charts.comparison import calibration_chart, measure_chart, time_chart
from ...lab.charts.theme import Look
from ...store.leagues import League
from ..problems import Problem
from ..state import Service
from .charts import drawn

__all__ = ["calibration", "errors", "measures", "room"]

FEW = 6  # models with a panel each
AXIS, TITLE = 64, 26  # pixels that panels need beside what they show

Plain = dict[str, Any]


def room(told: Plain) -> dict[str, tuple[int, int]]:
    """How high the charts of an answer are, on a wide page and on a phone.

    >>> room({"models": [{"brier": {"value": 0.2}}] * 2, "measures": [{"name": "brier"}]})["measures"]
    (154, 154)
    """
    models = len(told["models"])
    panel = max(90, 30 * models) + AXIS
    panels = max(1, len(_measures(told)))
    curves = min(models, FEW)
    wide = -(-curves // 3) * (250 + AXIS + TITLE)
    return {
        "measures": (panel, panels * panel + (panels - 1) * 36),
        "calibration": (wide, curves * (224 + AXIS + TITLE)),
        "errors": (300, 260 + 28 * models),
    }


def _measures(told: Plain) -> list[Plain]:
    """The measures on a chart: the one to decide by, and the one that everybody understands, where there are any."""
    some = [one for k, one in enumerate(told["measures"]) if k == 0 or one["name"] == "pair_error"]
    return [one for one in some if any(row[one["name"]]["value"] is not None for row in told["models"])]


def _told(here: Service, connection: Connection, league: League, asked: QueryParams) -> Plain:
    """The answer that a chart is of."""
    of = asked.get("of")
    known = [here.analyst.figures(connection, league), here.analyst.comparison(connection, league)]
    for found in known if of else known[:1]:
        if found.told is not None and (of is None or str(found.told.get("id")) == of):
            return found.told
    raise Problem(404, "there is no such answer, or it was replaced by a newer one: see the page of the models")


@drawn("calibration")
def calibration(here: Service, connection: Connection, league: League, asked: QueryParams, look: Look) -> Any:
    """What happened against what was expected."""
    import polars as pl

    told = _told(here, connection, league, asked)
    if not told["calibration"]:
        raise Problem(404, "there is no calibration: it is of matches of two teams")
    kept = [row["model"] for row in told["models"]][:FEW]
    return calibration_chart(pl.DataFrame([row for row in told["calibration"] if row["model"] in kept]), look=look)


@drawn("errors")
def errors(here: Service, connection: Connection, league: League, asked: QueryParams, look: Look) -> Any:
    """The error as time goes by."""
    import polars as pl

    curve = _told(here, connection, league, asked)["over_time"]
    if curve is None:
        raise Problem(404, "there are too few matches to tell how the error went")
    column, kind, title = curve["axis"]
    frame = pl.DataFrame(curve["points"], infer_schema_length=None)
    return time_chart(frame, curve["measure"], (column, kind, title), title="", subtitle="", look=look)


@drawn("measures")
def measures(here: Service, connection: Connection, league: League, asked: QueryParams, look: Look) -> Any:
    """The first measures of all models, with their intervals."""
    import polars as pl

    told = _told(here, connection, league, asked)
    some = _measures(told)
    if not some:
        raise Problem(404, "there is no measure: no match says anything of how well a model predicts")
    ends = {"": "value", "_low": "low", "_high": "high"}
    rows = [
        {"model": row["model"]}
        | {f"{one['name']}{end}": row[one["name"]][key] for one in some for end, key in ends.items()}
        for row in told["models"]
    ]
    ways = {one["name"]: "" if look.narrow else f", {one['better']} is better" for one in some}
    titles = {one["name"]: one["title"] + ways[one["name"]] for one in some}
    return measure_chart(pl.DataFrame(rows, infer_schema_length=None), titles, title="", subtitle="", look=look)
