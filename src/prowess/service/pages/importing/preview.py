"""What a file would bring into a league: all that the organiser sees before anything is saved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....errors import Error
from ....history import History, show_time
from ....history.data_checks import suspicions
from ....history.names import alike
from ....history.read_context import Findings
from ....store import leagues
from ....store.clock import Clock, show
from ....store.errors import Unavailable
from ....store.leagues import League
from ....store.write.commands import Done, Post
from ....store.write.importing import with_ids
from ....store.write.writer import preview
from ...api.forecasts import current
from ...api.imports import Looked, told
from ...context import Service
from ..web.rating_changes import largest_changes
from .columns import GROUPS, in_words, role_in_words

__all__ = ["looked_at"]

PROBLEMS, NAMES, MATCHES, COLUMNS, VALUES, CELL = 100, 12, 5, 60, 3, 40
TEAMS, MEMBERS = 6, 8  # of a match that is shown

Plain = dict[str, Any]


def looked_at(service: Service, league: str, looked: Looked) -> Plain:
    """What is in a file and what would come of it; `problem` says why nothing can."""
    found, seen = looked.found, _understood(looked)
    if found is None:
        return seen | {"problem": in_words(str(looked.problem))}
    seen |= {"matches": len(found.history), "players": len(np.unique(found.history.player))}
    seen |= {"problems": [told(one) for one in found.problems[:PROBLEMS]], "more_problems": len(found.problems)}
    for one in seen["problems"]:
        one["detail"] = in_words(one["detail"])
    if not len(found.history):
        return seen | {"problem": "the file: it has no match that can be read"}
    seen |= _extent(found.history) | {"sample": _sample(found.history)}
    seen["strange"] = [one.text for one in suspicions(found.history) if one.kind != "single"]
    try:
        return seen | _coming(service, league, found.history)
    except Unavailable:
        raise
    except Error as error:
        return seen | {"problem": in_words(str(error))}


def _understood(looked: Looked) -> Plain:
    """How the file was read: its columns with what each is read as, and the remarks."""
    roles = {} if looked.found is None else looked.found.roles
    names = list(looked.columns)
    shown: list[Plain] = [
        {"name": name, "cells": _first(looked.columns[name]), "role": _role(roles, name)} for name in names[:COLUMNS]
    ]
    asked = {role for _, group in GROUPS for role in group}
    more = [role for role in dict.fromkeys(roles.values()) if role and role not in asked and role[-1:].isdigit()]
    return {
        "columns": shown,
        "more_columns": max(0, len(names) - COLUMNS),
        "names": names[:COLUMNS],
        "known": {role: column for column, role in roles.items() if role},
        "other_roles": more,
        "layout": _layout(looked.found),
        "remarks": [] if looked.found is None else [in_words(line) for line in _remarks(looked.found)],
        "problem": "",
        "problems": [],
        "more_problems": 0,
        "matches": 0,
        "strange": [],
    }


def _role(roles: dict[str, str | None], name: str) -> str | None:
    role = roles.get(name)
    if role == "winner":
        return "the winner" if "loser" in roles.values() else "the result"
    return None if role is None else role_in_words(role)


def _layout(found: Findings | None) -> str:
    """The shape of a file in words."""
    if found is None:
        return ""
    if found.layout is None:
        return "a match in each line"
    _, _, shape = found.layout.shape.partition(", ")
    return shape.replace("row", "line")


def _remarks(found: Findings) -> list[str]:
    """What was taken where there is a choice: all that is said beside the columns."""
    return [str(remark) for remark in found.history.remarks if remark.code not in ("layout", "ignored-columns")]


def _first(cells: Sequence[str]) -> list[str]:
    """The first values of a column, each once and as much of it as one can read."""
    different = list(dict.fromkeys(cell for cell in cells if cell))[:VALUES]
    return [text if len(text) <= CELL else f"{text[:CELL]}…" for text in different]


def _extent(history: History) -> Plain:
    """From when to when the matches are."""
    if history.time is None or history.time_kind is None:
        return {"first": None, "last": None}
    ends = (history.time.min(), history.time.max())
    first, last = (_written(show_time(history.time_kind, history.time_zone, one)) for one in ends)
    return {"first": first, "last": last}


def _written(moment: Any) -> Any:
    return moment if isinstance(moment, float) else moment.isoformat()


def _sample(history: History) -> list[Plain]:
    """Some matches, as they will be recorded: the first and the last ones."""
    size = len(history)
    rows = range(size) if size <= MATCHES else [0, 1, 2, size - 2, size - 1]
    found = []
    for row in rows:
        match: Plain = history[row]
        values: Sequence[float] = match["scores"] if "scores" in match else match["ranks"]
        teams = [
            {"names": names[:MEMBERS], "more": max(0, len(names) - MEMBERS), "value": value}
            for names, value in zip(match["teams"], values, strict=True)
        ]
        time = _written(match["time"]) if "time" in match else None
        more = max(0, len(teams) - TEAMS)
        found.append({"time": time, "teams": teams[:TEAMS], "more": more, "scored": "scores" in match})
    return found


def _coming(service: Service, name: str, history: History) -> Plain:
    """What would come of it: who is new, what is known already, and whose ratings change most."""
    with service.database.reading() as connection:
        league, roll = leagues.find(connection, name), current(service, connection, name).roll
    new = [one for one in history.players if one not in roll]
    near = alike(new, roll.names)
    would = preview(service.database, Post(name, with_ids(history)))
    return {
        "newcomers": len(new),
        "new_names": new[:NAMES],
        "near": [{"new": one, "known": near[one]} for one in list(near)[:NAMES]],
        "repeated": sum(would.repeated),
        "fresh": len(would.repeated) - sum(would.repeated),
        "since": _since(league, would),
        **largest_changes(would, set(new)),
    }


def _since(league: League, would: Done) -> Any:
    """Of matches that belong before others that are there already, the time of the first."""
    times = [time for time, again in zip(would.times, would.repeated, strict=True) if not again]
    late = bool(times) and league.last_time is not None and league.clock != "none" and min(times) < league.last_time
    clock: Clock = league.clock
    return show(clock, min(times)) if late else None
