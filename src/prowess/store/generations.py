"""The models that rate or have rated a league."""

from __future__ import annotations

import json
from dataclasses import dataclass

from sqlalchemy import Connection, select

from .db import schema
from .leagues import League, Preset

__all__ = ["Generation", "listed"]


@dataclass(frozen=True)
class Generation:
    """A model of a league: since which revision, who chose it and why; `made_at` is in seconds since 1970.

    >>> Generation(1, Preset("Elo"), 0, 0.0, "ann", "the first").number
    1
    """

    number: int
    preset: Preset
    revision: int
    made_at: float
    author: str
    reason: str


def listed(connection: Connection, league: League) -> list[Generation]:
    """The models of a league, the first one first."""
    columns = schema.generation.c
    query = select(
        columns.number, columns.preset, columns.revision, columns.made_at, columns.author, columns.reason
    ).where(columns.league_id == league.id)
    rows = connection.execute(query.order_by(columns.number))
    return [Generation(number, Preset(**json.loads(preset)), *rest) for number, preset, *rest in rows]
