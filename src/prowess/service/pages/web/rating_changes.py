"""Previews of a change before it is made: which ratings would change, and which names are new."""

from __future__ import annotations

from collections.abc import Container, Mapping
from itertools import chain
from typing import Any

from sqlalchemy import Connection

from ....store import leagues
from ....store.leagues import League
from ....store.write.commands import Command, CommandResult
from ....store.write.writer import preview
from ...api.responses import change_payload, most_moved, rating_payloads
from ...concurrency import run_in_threadpool
from ...context import Service
from .filters import digits
from .page import Plain

SHOWN = 50  # players
MOST = 10  # players shown if very many change
COMPARED = 100  # new names that are compared with those of all players
HINTS = 10  # new names for which similar names are searched


async def preview_changes(service: Service, league: League, command: Command, match: Mapping[str, Any]) -> Plain:
    """Return the rating changes that a command about a match would cause, largest first; nothing is written."""
    result = await run_in_threadpool(preview, service.database, command)
    done = await run_in_threadpool(change_payload, result, league.clock, largest_first=True)
    players, rows = set(chain(*match["teams"])), done["ratings"]
    return {
        "done": done,
        "same": all(recorded["repeated"] for recorded in done["matches"]),
        "changes": [_change(**row) for row in rows[:SHOWN]],
        "more_changes": max(done["changed"] - SHOWN, 0),
        "others": done["changed"] - sum(row["player"] in players for row in rows),
        "places": digits(league.model) + 1,  # one more digit, because changes may be small
    }


def largest_changes(result: CommandResult, new: Container[str] = ()) -> Plain:
    """Return the players with the largest rating changes, then the `new` players with the highest ratings."""
    known, joining = ([name for name in result.players if (name in new) == joins] for joins in (False, True))
    most = (most_moved(result, known, MOST) + most_moved(result, joining, MOST))[:MOST]
    rows = zip(most, rating_payloads(result.before, most), rating_payloads(result.after, most), strict=True)
    return {"changed": len(result.players), "changes": [_change(*row) for row in rows]}


def _change(player: str, before: Plain | None, after: Plain | None) -> Plain:
    moved = None if before is None or after is None else after["shown"] - before["shown"]
    return {"player": player, "before": before, "after": after, "moved": moved}


def new_names(service: Service, connection: Connection, league: League, match: Mapping[str, Any]) -> Plain:
    """Return the names of a match that are new to its league, with similar known names."""
    names = service.standings.of(connection, leagues.find(connection, league.name)).names
    new = [name for name in dict.fromkeys(chain(*match["teams"])) if name not in names]
    # Names that look like a player come first, so that the page asks about them.
    if len(new) > HINTS:
        doubtful = {name for name in new[:COMPARED] if names.lookalikes(name)}
        new.sort(key=lambda name: name not in doubtful)
    hints = [{"name": name, "near": names.similar(name)} for name in new[:HINTS]] if len(names) else []
    return {"new": hints, "new_names": new, "more_new": max(len(new) - HINTS, 0), "first": len(names) == 0}
