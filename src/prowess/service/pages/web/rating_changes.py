"""What a change would come to, before it is made: whose ratings move, and which names are new."""

from __future__ import annotations

from collections.abc import Container, Mapping
from itertools import chain
from typing import Any

from sqlalchemy import Connection
from starlette.concurrency import run_in_threadpool

from ....store import leagues
from ....store.leagues import League
from ....store.write.commands import Command, CommandResult
from ....store.write.writer import preview
from ...api.responses import change_payload, most_moved, rating_payloads
from ...context import Service
from .filters import digits

SHOWN = 50  # players
MOST = 10  # players of a change of very many
HINTS = 10  # new names for which others are looked for

Plain = dict[str, Any]


async def preview_changes(service: Service, league: League, act: Command, match: Mapping[str, Any]) -> Plain:
    """Whose ratings an act about a match would change, the largest changes first; nothing is written."""
    would = await run_in_threadpool(preview, service.database, act)
    told = await run_in_threadpool(change_payload, would, league.clock, largest_first=True)
    own, rows = set(chain(*match["teams"])), told["ratings"]
    concerned = sum(one["player"] in own for one in rows)
    return {
        "done": told,
        "same": all(one["repeated"] for one in told["matches"]),
        "changes": [_change(**one) for one in rows[:SHOWN]],
        "more_changes": max(told["changed"] - SHOWN, 0),
        "others": told["changed"] - concerned,
        "places": digits(league.model) + 1,  # as changes may be small
    }


def largest_changes(would: CommandResult, new: Container[str] = ()) -> Plain:
    """The players whose ratings a change would move most, and then the newcomers who would stand highest."""
    old, joined = ([one for one in would.players if (one in new) == joins] for joins in (False, True))
    most = (most_moved(would, old, MOST) + most_moved(would, joined, MOST))[:MOST]
    rows = zip(most, rating_payloads(would.before, most), rating_payloads(would.after, most), strict=True)
    return {"changed": len(would.players), "changes": [_change(*row) for row in rows]}


def _change(player: str, before: Plain | None, after: Plain | None) -> Plain:
    """A rating before and after a change, and by how much what is shown of it moves."""
    moved = None if before is None or after is None else after["shown"] - before["shown"]
    return {"player": player, "before": before, "after": after, "moved": moved}


def new_names(service: Service, connection: Connection, league: League, match: Mapping[str, Any]) -> Plain:
    """The names of a match that are new to its league, with those that may be meant; and whether all of them are."""
    roll = service.standings.of(connection, leagues.find(connection, league.name)).names
    names = list(chain(*match["teams"]))
    new = [name for name in names if name not in roll]
    hints = [{"name": name, "near": roll.near(name, 3)} for name in new[:HINTS]] if len(roll) else []
    return {"new": hints, "more_new": max(len(new) - HINTS, 0), "first": len(roll) == 0}
