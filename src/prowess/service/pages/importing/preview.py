"""The preview of a file: how it is read, what is wrong with it, and what importing it would change."""

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
from ....store.clock import show
from ....store.errors import Unavailable
from ....store.leagues import League
from ....store.write.commands import CommandResult, Post
from ....store.write.importing import with_ids
from ....store.write.writer import preview
from ...api.files import FilePreview, problem_payload
from ...api.forecasts import current_standings
from ...context import Service
from ..web.rating_changes import largest_changes
from .columns import GROUPS, render_error, render_option, role_label

PROBLEMS, NAMES, MATCHES, COLUMNS, VALUES, CELL = 100, 12, 5, 60, 3, 40
TEAMS, MEMBERS = 6, 8  # of a match that is shown

Plain = dict[str, Any]


def preview_file(service: Service, league: str, looked: FilePreview) -> Plain:
    """Return what is in a file and what importing it would change; `problem` says why nothing can be imported."""
    result, shown = looked.found, _reading(looked)
    if result is None:
        assert looked.problem is not None
        return shown | {"problem": render_error(looked.problem)}
    history, problems = result.history, result.problems
    shown |= {"matches": len(history), "players": len(np.unique(history.player)), "more_problems": len(problems)}
    shown["problems"] = [
        problem_payload(one) | {"detail": one.problem.detail(render_option)} for one in problems[:PROBLEMS]
    ]
    if not len(history):
        return shown | {"problem": "the file: it has no match that can be read"}
    shown |= _time_span(history) | {"sample": _sample(history)}
    shown["strange"] = [check.text for check in suspicions(history) if check.kind != "single"]
    try:
        return shown | _effects(service, league, history)
    except Unavailable:
        raise
    except Error as error:
        return shown | {"problem": render_error(error)}


def _reading(looked: FilePreview) -> Plain:
    """How the file was read: the role of each column, and the remarks."""
    result = looked.found
    roles = {} if result is None else result.roles
    names = list(looked.columns)
    asked = {role for _, group in GROUPS for role in group}
    more = [role for role in dict.fromkeys(roles.values()) if role and role not in asked and role[-1:].isdigit()]
    remarks = () if result is None else result.history.remarks
    return {
        "columns": [
            {"name": name, "cells": _first_values(looked.columns[name]), "role": _role(roles, name)}
            for name in names[:COLUMNS]
        ],
        "more_columns": max(0, len(names) - COLUMNS),
        "names": names[:COLUMNS],
        "known": {role: column for column, role in roles.items() if role},
        "other_roles": more,
        "layout": _layout(result),
        "remarks": [one.render(render_option) for one in remarks if one.code not in ("layout", "ignored-columns")],
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
    return None if role is None else role_label(role)


def _layout(result: Findings | None) -> str:
    if result is None:
        return ""
    if result.layout is None:
        return "a match in each line"
    _, _, shape = result.layout.shape.partition(", ")
    return shape.replace("row", "line")


def _first_values(cells: Sequence[str]) -> list[str]:
    """The first values of a column, each once and as much of it as one can read."""
    different = list(dict.fromkeys(cell for cell in cells if cell))[:VALUES]
    return [text if len(text) <= CELL else f"{text[:CELL]}…" for text in different]


def _time_span(history: History) -> Plain:
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
    return [_sample_match(history[row]) for row in rows]


def _sample_match(match: Plain) -> Plain:
    values: Sequence[float] = match["scores"] if "scores" in match else match["ranks"]
    teams = [
        {"names": names[:MEMBERS], "more": max(0, len(names) - MEMBERS), "value": value}
        for names, value in zip(match["teams"], values, strict=True)
    ]
    time = _written(match["time"]) if "time" in match else None
    return {"time": time, "teams": teams[:TEAMS], "more": max(0, len(teams) - TEAMS), "scored": "scores" in match}


def _effects(service: Service, name: str, history: History) -> Plain:
    """What importing would do: who is new, which matches are known already, and whose ratings change most."""
    with service.database.reading() as connection:
        league, index = leagues.find(connection, name), current_standings(service, connection, name).names
    new = [player for player in history.players if player not in index]
    near = alike(new, index.names)
    done = preview(service.database, Post(name, with_ids(history)))
    return {
        "newcomers": len(new),
        "new_names": new[:NAMES],
        "near": [{"new": player, "known": near[player]} for player in list(near)[:NAMES]],
        "repeated": sum(done.repeated),
        "fresh": len(done.repeated) - sum(done.repeated),
        "since": _rerated_since(league, done),
        **largest_changes(done, set(new)),
    }


def _rerated_since(league: League, done: CommandResult) -> Any:
    """The time of the first new match, if it is before others that the league has."""
    times = [time for time, repeated in zip(done.times, done.repeated, strict=True) if not repeated]
    late = bool(times) and league.last_time is not None and league.clock != "none" and min(times) < league.last_time
    return show(league.clock, min(times)) if late else None
