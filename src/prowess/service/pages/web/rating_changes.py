"""Previews of a change before it is made: which ratings would change, and which names are new."""

from __future__ import annotations

from collections.abc import Container, Mapping
from itertools import chain
from typing import Any

from sqlalchemy import Connection

from ....model.scale import Points
from ....store import leagues
from ....store.leagues import League
from ....store.write.commands import Command, CommandResult
from ....store.write.writer import preview
from ...api.responses import change_payload, most_moved, rating_payloads
from ...concurrency import run_in_threadpool
from ...context import Service
from .page import Plain

SHOWN = 50  # maximum number of players in the preview of a match
MOST = 10  # maximum number of players in the preview of other changes
COMPARED = 100  # maximum number of new names that are compared with the names of all players
HINTS = 10  # maximum number of new names for which similar names are searched


async def preview_changes(service: Service, league: League, command: Command, match: Mapping[str, Any]) -> Plain:
    """Return the rating changes that a command about a match would cause, largest first, and how many there are.

    Nothing is written.
    """
    result = await run_in_threadpool(preview, service.database, command)
    points = await service.read(lambda connection: current_points(service, connection, league.name))
    done = await run_in_threadpool(change_payload, result, league.clock, largest_first=True, points=points)
    players, rows = set(chain(*match["teams"])), done["ratings"]
    return {
        "done": done,
        "same": all(recorded["repeated"] for recorded in done["matches"]),
        "changes": rows[:SHOWN],
        "more_changes": max(done["changed"] - SHOWN, 0),
        "others": done["changed"] - sum(row["player"] in players for row in rows),
    }


def current_points(service: Service, connection: Connection, league: str) -> Points | None:
    """Return the conversion of a league's skills to points; None if it has no scale, or its model has no points."""
    return service.points(connection, leagues.find(connection, league))


def largest_changes(result: CommandResult, new: Container[str] = (), points: Points | None = None) -> Plain:
    """Return how many ratings change, and a few players: first those with the largest changes, then `new` players.

    With `points`, changes are compared by μ, and ratings are also given in points.
    """
    known, joining = ([name for name in result.players if (name in new) == joins] for joins in (False, True))
    of_mean = points is not None
    most = (most_moved(result, known, MOST, of_mean) + most_moved(result, joining, MOST, of_mean))[:MOST]
    ratings = (rating_payloads(ladder, most, points) for ladder in (result.before, result.after))
    rows = [dict(zip(("player", "before", "after"), row, strict=True)) for row in zip(most, *ratings, strict=True)]
    return {"changed": len(result.players), "changes": rows}


def new_names(service: Service, connection: Connection, league: League, match: Mapping[str, Any]) -> Plain:
    """Return the names of a match that are new to its league; the first few have similar known names."""
    names = service.standings.of(connection, leagues.find(connection, league.name)).names
    new = [name for name in dict.fromkeys(chain(*match["teams"])) if name not in names]
    # Names that look like the name of a player come first, so that the page asks about them.
    if len(new) > HINTS:
        doubtful = {name for name in new[:COMPARED] if names.lookalikes(name)}
        new.sort(key=lambda name: name not in doubtful)
    hints = [{"name": name, "near": names.similar(name)} for name in new[:HINTS]] if len(names) else []
    return {"new": hints, "new_names": new, "more_new": max(len(new) - HINTS, 0), "first": len(names) == 0}
