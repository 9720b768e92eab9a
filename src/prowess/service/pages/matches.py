"""The list of matches, and the page of one match: its forecast, its result, and why each rating changed."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, pairwise
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from ...history.sentences import sides_by_place, team_text
from ...model.fit.explain import digits_of
from ...model.scale import Scale
from ...store import leagues
from ...store.errors import NotFound
from ...store.exports import Format
from ..api.dependencies import MatchId, RawNames, Read, ServiceDep
from ..api.files import export_matches
from ..api.matches import MatchFilterDep, match_payload
from ..api.responses import etag_of
from .web.filters import NONE
from .web.match_context import (
    FIRST_FILTERS,
    add_columns,
    column_label,
    column_labels,
    filter_fields,
    list_cells,
    main_columns,
    match_details,
    page_filters,
    value_text,
)
from .web.match_text import edit_differences, result_sentence
from .web.page import OmitEmptyFields, PageContext, Plain, page, wants_data
from .web.templates import BY_KEY, page_url

router = APIRouter(include_in_schema=False, route_class=OmitEmptyFields)
LIMIT = 50  # matches per page
FEW = 4  # maximum number of teams that the list shows for a match
TEAMS, PLAYERS, REVISIONS = 50, 50, 20  # limits for the page of a match; its JSON includes all players
STATISTIC_PREFIX = "statistics."  # of the columns of a CSV file
MATCH_ID = Query(alias="id", max_length=500)


@router.get("/leagues/{league}/export.{format}")
async def download(
    request: Request, access: Read, service: ServiceDep, format: Format, raw_names: RawNames = False
) -> Response:
    """Return all matches as a file.

    Unlike the API, this route accepts the login cookie, so that downloads work for private leagues.
    """
    response = await export_matches(request, access, service, format, raw_names=raw_names)
    response.headers.update(BY_KEY)
    return response


@page(router, "/leagues/{league}/matches", "matches.html")
async def matches(request: Request, access: Read, service: ServiceDep, asked: MatchFilterDep) -> PageContext:
    """List matches, newest first; the matches of one player also have the predicted result and the rating change."""

    def work(connection: Connection) -> PageContext:
        league = leagues.find(connection, access.league)
        context = service.traces.of(connection, league).view.context
        which = replace(asked, context=page_filters(request, asked.context, context))
        fields = which.params | {"offset": None}
        try:
            data, status, problem = which.payload(service, connection, league, LIMIT), 200, None
        except NotFound as error:  # the name of the player may be misspelt
            if wants_data(request):
                raise
            data = {"league": league.name, "revision": league.revision, "total": 0, "next": None, "matches": []}
            status, problem = 404, str(error)
        following = data["next"] and page_url(league.name, "matches.json", **fields | {"offset": data["next"]})
        results = [result_line(match) for match in data["matches"]]
        player = which.player_name(service, connection, league)
        columns = main_columns(context, of_match=player is None)
        extra = {
            "fields": fields,
            "problem": problem,
            "limit": LIMIT,
            "results": results,
            "columns": [column_label(column) for column in columns],
            "cells": [list_cells(match, columns, player) for match in data["matches"]],
            "filters": filter_fields(context, which.context),
            "first_filters": FIRST_FILTERS,
        }
        return PageContext(
            data | {"next": following, "offset": which.offset},
            add_columns([_match_row(match) for match in data["matches"]], data["matches"], player),
            league,
            etag_of(league, league.generation, league.revision) if status == 200 else None,
            status,
            extra,
        )

    return await service.read(work)


def result_line(match: Plain) -> Plain:
    """Return the teams to show, from first to last, how many more there are, and whether first place is shared.

    >>> line = result_line({"teams": [["ann"], ["bob"]], "scores": [1.0, 3.0]})
    >>> [(team.names, team.place, team.score) for team in line["teams"]], line["drawn"]
    ([(['bob'], 1, 3.0), (['ann'], 2, 1.0)], False)
    """
    teams = sides_by_place(match)
    listed = teams if len(teams) <= FEW + 1 else teams[:FEW]
    return {"teams": listed, "more": len(teams) - len(listed), "drawn": teams[0].shared}


def _match_row(match: Plain) -> Plain:
    return {
        "id": match["id"],
        "time": match["time"],
        "teams": [" + ".join(team) for team in match["teams"]],
        "places": [side.place for side in sorted(sides_by_place(match), key=lambda side: side.team)],
        "scores": match.get("scores", []),
    } | {name: match[name] for name in ("expected", "shown_moved", "points_moved") if name in match}


@page(router, "/leagues/{league}/match", "match.html")
async def match(
    request: Request,
    access: Read,
    service: ServiceDep,
    id: Annotated[MatchId, MATCH_ID],
    done: Literal["", "recorded", "edited", "deleted", "known"] = "",
) -> PageContext:
    """Show one match; `done` is the action just performed on it."""

    def work(connection: Connection) -> PageContext:
        league = leagues.find(connection, access.league)
        data = match_payload(service, connection, league, id, access.member, None if wants_data(request) else PLAYERS)
        around = (None, None) if data["deleted"] else service.traces.of(connection, league).neighbours(id)
        extra = _extra(data, league.settings.scale) | {"around": around, "done": done}
        etag = etag_of(league, league.generation, league.revision)
        return PageContext(data, _player_rows(data), league, etag, extra=extra)

    return await service.read(work)


def _player_rows(data: Plain) -> list[Plain]:
    # The rows of a deleted match have only names and places.
    if data["deleted"]:
        sides = sides_by_place(data) if data["teams"] else []
        return [{"player": name, "team": side.team, "place": side.place} for side in sides for name in side.names]
    rows = []
    for player in data["players"]:
        row = {key: value for key, value in player.items() if key not in ("before", "after", "why", "statistics")}
        row |= {f"{STATISTIC_PREFIX}{name}": value for name, value in player.get("statistics", {}).items()}
        for when in ("before", "after"):
            row |= {f"{name}_{when}": value for name, value in player[when].items()}
        rows.append(row | {"why": player["why"]})
    return rows


def _extra(data: Plain, scale: Scale | None) -> Plain:
    players, teams = data["players"], data["teams"]
    sides = sides_by_place(data) if teams else []  # empty if the match is deleted and the visitor has no key
    order = {side.team: position for position, side in enumerate(sides)}
    first_players = {player["team"]: player for player in reversed(players)}
    shares = dict(zip(chain(*teams), chain(*data["weights"]), strict=True)) if data.get("weights") else {}
    rated = [
        player | {"share": shares.get(player["player"])}
        for player in sorted(players, key=lambda player: order[player["team"]])[:PLAYERS]
    ]
    moves = [player.get("points_moved", player["moved"]) for player in players]
    in_points = any("points_moved" in player for player in players)
    leader = first_players.get(sides[0].team, {}) if len(sides) == 2 else {}
    box_score = _box_score(rated)
    # A statistic is shown in the box score, not once more in the details.
    context = {name: value for name, value in data.get("context", {}).items() if name not in box_score.get("names", ())}
    return {
        "details": match_details(data | {"context": context}),
        "box_score": box_score,
        "sentence": result_sentence(data) if teams else "Deleted match",
        "pair": [{"team": side.team, "name": team_text(side.names)} for side in sides[:2]],
        "lead": leader.get("expected_lead"),
        "sides": [
            {"side": side, "expected_place": _expected_place(first_players.get(side.team), len(sides))}
            for side in sides[:TEAMS]
        ],
        "more_sides": max(len(sides) - TEAMS, 0),
        "rated": rated,
        "more_rated": max(sum(map(len, teams)) - PLAYERS, 0),
        "in_points": in_points,
        # The table shows as many digits as the sentences that explain the changes.
        "move_places": digits_of([moved for moved in moves if moved is not None], scale=scale if in_points else None),
        "written": _revisions(data["revisions"])[:REVISIONS],
        "more_written": max(len(data["revisions"]) - REVISIONS, 0),
    }


def _box_score(players: list[Plain]) -> Plain:
    """Return the statistics of players, and the parts of their rating changes; {} if the model has no statistics.

    >>> ann = {"player": "ann", "moved": 3.0, "statistics": {"kills": 9.0}, "moved_by_statistics": 1.0}
    >>> box_score = _box_score([ann])
    >>> box_score["labels"], box_score["rows"]
    (['Kills'], [{'player': 'ann', 'cells': ['9'], 'result': 2.0, 'statistics': 1.0}])
    """
    names = list(dict.fromkeys(chain.from_iterable(player.get("statistics", ()) for player in players)))
    if not names:
        return {}
    labels = column_labels(names)
    rows = []
    for player in players:
        told = player.get("points_moved_by_statistics", player.get("moved_by_statistics"))
        moved = player.get("points_moved", player["moved"])
        result = None if told is None or moved is None else moved - told
        cells = [value_text(player["statistics"].get(name)) or NONE for name in names]
        rows.append({"player": player["player"], "cells": cells, "result": result, "statistics": told})
    return {"names": names, "labels": [labels[name] for name in names], "rows": rows}


def _expected_place(player: Plain | None, teams: int) -> float | None:
    return None if player is None or player["expected"] is None else 1 + (1 - player["expected"]) * (teams - 1)


def _revisions(revisions: list[Plain]) -> list[Plain]:
    rows = [revisions[0] | {"changed": [], "back": False}]
    for old, new in pairwise(revisions):
        changed: list[str] = []
        if old["match"] is not None and new["match"] is not None:
            before, after = ({"time": revision["time"]} | revision["match"] for revision in (old, new))
            changed = edit_differences(before, after)
        rows.append(new | {"changed": changed, "back": old["kind"] == "delete"})
    return rows[::-1]
