"""What a change would come to, before it is made: whose ratings move, and which names are new."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

from sqlalchemy import Connection
from starlette.concurrency import run_in_threadpool

from ...store import leagues
from ...store.changes import Act
from ...store.leagues import League
from ...store.writer import preview
from ..api.plain import done
from ..state import Service
from .numbers import digits

__all__ = ["changes_of", "names_of"]

SHOWN = 50  # players
HINTS = 10  # new names for which others are looked for


async def changes_of(here: Service, league: League, act: Act, match: Mapping[str, Any]) -> dict[str, Any]:
    """Whose ratings an act about a match would change, the largest changes first; nothing is written."""
    would = await run_in_threadpool(preview, here.database, act)
    told = await run_in_threadpool(done, would, league.clock, largest_first=True)
    own = set(chain(*match["teams"]))
    rows = told["ratings"]
    concerned = sum(one["player"] in own for one in rows)
    moves = [_moved(one) for one in rows]
    return {
        "done": told,
        "same": all(one["repeated"] for one in told["matches"]),
        "changes": [one | {"moved": moved} for one, moved in zip(rows, moves, strict=True)][:SHOWN],
        "more_changes": max(told["changed"] - SHOWN, 0),
        "others": told["changed"] - concerned,
        "places": digits(league.model) + 1,  # as changes may be small
    }


def _moved(change: Mapping[str, Any]) -> float | None:
    before, after = change["before"], change["after"]
    return None if before is None or after is None else after["shown"] - before["shown"]


def names_of(here: Service, connection: Connection, league: League, match: Mapping[str, Any]) -> dict[str, Any]:
    """The names of a match that are new to its league, with those that may be meant; and whether all of them are."""
    roll = here.standings.of(connection, leagues.find(connection, league.name)).roll
    names = list(chain(*match["teams"]))
    new = [name for name in names if roll.row(name) is None]
    hints = [{"name": name, "near": roll.near(name, 3)} for name in new[:HINTS]] if len(roll) else []
    return {"new": [] if len(roll) == 0 else hints, "more_new": max(len(new) - HINTS, 0), "first": len(roll) == 0}
