"""The preview of a file: how the file is read, its first matches as sentences, and the effects of importing it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ....errors import Error
from ....history import History, show_time
from ....history.data_checks import SPELLING, Suspicion, suspicions
from ....history.names.index import NameIndex
from ....history.names.spelling import alike
from ....history.read_context import Findings, few_rows
from ....history.sentences import describe_matches
from ....store import aliases, leagues
from ....store.clock import show
from ....store.errors import Unavailable
from ....store.leagues import League
from ....store.read.snapshot import points_on
from ....store.write.commands import CommandResult, Post
from ....store.write.writer import preview
from ...api.files import problem_payload
from ...api.forecasts import current_standings
from ...background.uploads import FilePreview
from ...context import Service
from ..web.page import Plain
from ..web.rating_changes import largest_changes
from .mapper import COLUMNS, render_error, render_option, role_label

PROBLEMS, NAMES, MATCHES, VALUES, CELL = 100, 12, 5, 3, 40  # maximum numbers in a preview
# Codes of remarks that are left out, because the form already shows their content.
ON_THE_FORM = ("layout", "ignored-columns", SPELLING)
EMPTY: Plain = {
    "problem": "",
    "sentences": [],
    "remarks": [],
    "matches": 0,
    "problems": [],
    "more_problems": 0,
    "unusable_rows": 0,
    "rows": 0,
    "few": True,
    "warnings": [],
}


def preview_file(service: Service, league: str, file: FilePreview) -> Plain:
    """Return the content of a file and the effects of its import; if it cannot be imported, `problem` says why."""
    result, context = file.found, EMPTY | _columns(file)
    if result is None:
        assert file.problem is not None
        return context | {"problem": render_error(file.problem)}
    context |= _remarks_and_problems(file, result)
    history = result.history
    if not len(history):
        return context | {"problem": "the file has no readable matches"}
    context |= _time_span(history) | {"sentences": describe_matches(history, MATCHES)}
    context |= {"matches": len(history), "players": len(np.unique(history.player))}
    checks = [check for check in suspicions(history) if check.kind != "single"]
    context["warnings"] = [check.text for check in checks]
    try:
        return context | _effects(service, league, history, checks)
    except Unavailable:
        raise
    except Error as error:
        return context | {"problem": render_error(error)}


def _columns(file: FilePreview) -> Plain:
    roles = {} if file.found is None else file.found.roles
    levels: Mapping[str, str] = {} if file.found is None else file.found.context
    return {
        "columns": [
            {"name": name, "cells": _first_values(file.columns[name]), "role": _role(roles, name, levels)}
            for name in list(file.columns)[:COLUMNS]
        ],
        "more_columns": max(0, len(file.columns) - COLUMNS),
        "layout": "" if file.found is None else _layout(file.found),
    }


def _remarks_and_problems(file: FilePreview, result: Findings) -> Plain:
    # A few unusable rows are skipped by default.
    remarks = [remark for remark in result.history.remarks if remark.code not in ON_THE_FORM]
    return {
        "remarks": [remark.render(render_option) for remark in remarks],
        "problems": [
            problem_payload(located) | {"detail": located.problem.detail(render_option)}
            for located in result.problems[:PROBLEMS]
        ],
        "more_problems": file.problem_count,
        "unusable_rows": file.unusable_rows,
        "rows": result.rows,
        "few": file.unusable_rows <= few_rows(result.rows),
    }


def _role(roles: Mapping[str, str | None], name: str, levels: Mapping[str, str]) -> str | None:
    role = roles.get(name)
    if role is None and name in levels:
        return f"context of the {levels[name]}"
    if role == "winner":
        return "winner" if "loser" in roles.values() else "result"
    return None if role is None else role_label(role)


def _layout(result: Findings) -> str:
    if result.layout is None:
        return "one match per line"
    return "one row per match" if result.layout.sides else "one row per player or team in a match"


def _first_values(cells: Sequence[str]) -> list[str]:
    different = list(dict.fromkeys(cell for cell in cells if cell))[:VALUES]
    return [text if len(text) <= CELL else f"{text[:CELL]}…" for text in different]


def _time_span(history: History) -> Plain:
    if history.time is None or history.time_kind is None:
        return {"first": None, "last": None}
    ends = {"first": history.time.min(), "last": history.time.max()}
    return {name: _time_text(show_time(history.time_kind, history.time_zone, time)) for name, time in ends.items()}


def _time_text(time: Any) -> Any:
    return time if isinstance(time, float) else time.isoformat()


def _effects(service: Service, name: str, history: History, checks: Sequence[Suspicion]) -> Plain:
    with service.database.reading() as connection:
        league, index = leagues.find(connection, name), current_standings(service, connection, name).names
        distinct, points = aliases.list_distinct(connection, league), service.points(connection, league)
    new = [player for player in history.players if player not in index and player not in index.aliases]
    near = dict(_undecided(alike(new, index.names).items(), index, distinct))
    warnings = [check for check in checks if not check.aliases or any(_undecided(check.aliases, index, distinct))]
    pairs = [pair for check in checks for pair in _undecided(check.aliases, index, distinct) if pair[0] not in near]
    done = preview(service.database, Post(name, history))
    # In an empty league, the model has not learnt anything about scores yet.
    if not len(index) and done.after is not None:
        points = points_on(done.after, league.settings)
    return {
        "newcomers": len(new),
        "new_names": new[:NAMES],
        "near": [{"new": player, "known": near[player]} for player in list(near)[:NAMES]],
        "pairs": [{"alias": alias, "player": player, "known": alias in index} for alias, player in pairs[:NAMES]],
        "aliases": dict(list(done.aliases.items())[:NAMES]),
        "warnings": [check.text for check in warnings],
        "repeated": sum(done.repeated),
        "fresh": len(done.repeated) - sum(done.repeated),
        "since": _rerated_since(league, done),
        **largest_changes(done, set(new), points),
    }


def _undecided(
    pairs: Iterable[tuple[str, str]], index: NameIndex, distinct: set[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    # Aliases of one player, and names marked as different players, are already decided.
    for alias, player in pairs:
        same = index.aliases.get(alias, alias) == index.aliases.get(player, player)
        if not same and (min(alias, player), max(alias, player)) not in distinct:
            yield alias, player


def _rerated_since(league: League, done: CommandResult) -> Any:
    # Matches of the league after the first new match are rated again. None means that there are no such matches.
    times = [time for time, repeated in zip(done.times, done.repeated, strict=True) if not repeated]
    late = bool(times) and league.last_time is not None and league.clock != "none" and min(times) < league.last_time
    return show(league.clock, min(times)) if late else None
