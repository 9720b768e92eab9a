"""The player page (rating, curve, matches, opponents), the comparison of several players, and name suggestions."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from ...store import leagues
from ...store.leagues import League
from ...store.read.context_table import ContextView
from ...store.read.match_views import head_to_head
from ...store.read.snapshot import Snapshot
from ..api.dependencies import LARGEST, ContextFiltersDep, Read, ServiceDep, column_param
from ..api.hindsight import hindsight_etag
from ..api.responses import etag_headers, etag_of, json_response, not_modified
from ..api.standings import player_payload
from ..background.hindsights import HindsightState
from ..context import Service
from ..errors import Problem
from .charts import MOST, unique_names
from .web.filters import day, figure
from .web.match_context import (
    FIRST_FILTERS,
    add_columns,
    column_label,
    filter_fields,
    list_cells,
    main_columns,
    page_filters,
)
from .web.page import OmitEmptyFields, PageContext, Plain, page
from .web.ratings import RatingFormat

router = APIRouter(include_in_schema=False, route_class=OmitEmptyFields)
SIZE = 20  # matches per page
PATIENCE = 0.3  # seconds to wait for the hindsight of a league, without which the page is nearly complete
POINTS = 500  # maximum number of points of a curve in JSON
FEW = 10  # opponents and partners that are shown initially
SUGGESTED = 20  # maximum number of suggested names in a response
# A search considers this many of the best players whose names contain the text, and sorts them by likelihood.
SEARCHED = 200

Names = Annotated[list[str], Query(max_length=100)]
Offset = Annotated[int, Query(ge=0, le=LARGEST)]


@page(router, "/leagues/{league}/player", "player.html")
async def player(
    request: Request,
    access: Read,
    service: ServiceDep,
    filters: ContextFiltersDep,
    name: Names = [],  # noqa: B006
    offset: Offset = 0,
) -> PageContext:
    """Show one player with matches, or compare several players; unknown names are reported on the page."""
    names, ending = unique_names(name), request.scope["path"].rpartition("player")[2]

    def work(connection: Connection) -> PageContext:
        league = leagues.find(connection, access.league)
        now = service.standings.of(connection, league)
        _redirect_aliases(request, now, names)
        known, problems = _find_players(now, names, strict=bool(ending))
        for problem in problems:  # a player without a rating may have matches that do not count
            problem["unrated"] = problem["name"] in service.traces.of(connection, league).view.number
        extra: Plain = {"problems": problems, "known": known, "size": SIZE, "few": FEW, "most": MOST}
        extra["in_points"] = now.points is not None
        shows_now = bool(known) and ending != ".csv"
        state = extra["state"] = service.hindsights.of(league, PATIENCE) if shows_now else HindsightState(None)
        etag = hindsight_etag(etag_of(league, now.generation, now.revision), state)
        if len(known) != 1:
            data, rows = _compare(service, connection, league, now, known, ending)
            status = 404 if problems and not known else 200
            return PageContext(data, rows, league, etag, status, extra | _comparison_extra(data))
        data = player_payload(service, connection, league, now, known[0], SIZE, POINTS if ending else 0)
        matches = service.views(connection, league)
        if ending == ".json":
            data["hindsight"] = state.hindsight and state.hindsight.curve(matches, known[0], POINTS)
        where = page_filters(request, filters, matches.view.context)
        total = sum(data[outcome] for outcome in ("wins", "draws", "losses"))  # includes matches that do not count
        if offset or where:
            page = matches.matches(known[0], limit=SIZE, offset=offset, where=where)
            data["matches"], total = page.rows, page.total
        if ending:
            listed = matches.matches(known[0], limit=LARGEST, where=where).rows if ending == ".csv" else []
            return PageContext(data, add_columns([*map(_table_row, listed)], listed, known[0]), league, etag)
        extra["deviations"] = RatingFormat.of(now.model, league.settings).effects(data["deviations"])
        extra |= {"own": [_page_row(match) for match in data["matches"]], "total": total, "offset": offset}
        extra |= _context_extra(matches.view.context, data, where)
        return PageContext(data, (), league, etag, extra=extra | _extremes(service, connection, league, data))

    return await service.read(work)


def _redirect_aliases(request: Request, now: Snapshot, names: list[str]) -> None:
    # The redirect is temporary, because a merge can be undone.
    current = [name if name in now.names else now.names.aliases.get(name, name) for name in names]
    if current != names:
        other = [(key, value) for key, value in request.query_params.multi_items() if key != "name"]
        query = urlencode([*(("name", name) for name in dict.fromkeys(current)), *other])
        raise Problem(307, "this player now has another name", headers={"Location": f"{request.scope['path']}?{query}"})


def _find_players(now: Snapshot, names: list[str], *, strict: bool) -> tuple[list[str], list[Plain]]:
    if not names and strict:
        raise Problem(422, "name: give the name of a player, as in ?name=ann")
    known: list[str] = []
    problems: list[Plain] = []
    for name in names:
        if (player := now.names.find(name).name) is not None:
            known += [player] if player not in known else []
        elif strict:
            now.row(name)  # raises NotFound
        else:
            near = now.names.similar(name) if len(problems) < MOST else []  # slow in a large league
            problems.append({"name": name, "near": near})
    if len(known) > MOST:
        if strict:
            raise Problem(422, f"name: at most {MOST} players can be compared, not {len(known)}")
        problems.append({"name": None, "near": []})
    return known[:MOST], problems


def _sides(match: Plain) -> Plain:
    teams, own = match["teams"], match["team"]
    return {"own": teams[own], "against": list(chain(*(team for k, team in enumerate(teams) if k != own)))}


def _page_row(match: Plain) -> Plain:
    teams, scores, score = match["teams"], match.get("scores"), None
    outcome = f"place {match['place']} of {len(teams)}"
    if len(teams) == 2:
        outcome = {1.0: "Won", 0.5: "Drew"}.get(match["actual"], "Lost")
    if scores and len(teams) == 2:
        score = f"{figure(scores[match['team']])} : {figure(scores[1 - match['team']])}"
    elif match.get("score") is not None:
        score = figure(match["score"])
    return match | _sides(match) | {"outcome": outcome, "score_text": score}


def _context_extra(view: ContextView, data: Plain, where: dict[str, list[str]]) -> Plain:
    columns = main_columns(view)
    return {
        "columns": [column_label(column) for column in columns],
        "cells": [list_cells(match, columns, data["player"]) for match in data["matches"]],
        "filters": filter_fields(view, where),
        "first_filters": FIRST_FILTERS,
        "where": {column_param(column): values for column, values in where.items()},
    }


def _table_row(match: Plain) -> Plain:
    sides, after = _sides(match), match["after"]
    return {
        "time": match["time"],
        "id": match["id"],
        "team": sides["own"],
        "against": sides["against"],
        "teams": len(match["teams"]),
        "place": match["place"],
        "score": match.get("score"),
        **{name: match[name] for name in ("expected", "actual", "counts")},
        **after,
        "moved": match["moved"],
        **{name: match[name] for name in ("points_moved",) if name in match},
    }


def _extremes(service: Service, connection: Connection, league: League, data: Plain) -> Plain:
    # The worst rating ignores the first, provisional matches, because ratings of newcomers start low. Ratings in points
    # do not start low, but are uncertain at first, so the best rating ignores these matches, too.
    if data["best"] is None:
        return {"extremes": [], "alt": ""}
    matches, ratings = service.views(connection, league), RatingFormat.of(league.model, league.settings)
    found = matches.extremes(data["player"], league.settings.provisional_matches)
    points = {label: point for label, point in zip(("Best", "Worst"), found, strict=True) if point is not None}
    extremes = [point | {"label": label, "id": matches.ids([point["match"]])[0]} for label, point in points.items()]
    alt = f"Skill of {data['player']} over time: now {ratings.skill(data['rating'])}"
    for label, point in points.items():
        when = f"in match {point['match']}" if league.clock == "none" else f"on {day(point['time'])}"
        alt += f"; {label.lower()} {ratings.skill(point)} {when}"
    return {"extremes": extremes, "alt": alt}


def _compare(
    service: Service, connection: Connection, league: League, now: Snapshot, names: list[str], ending: str
) -> tuple[Plain, list[Plain]]:
    data: Plain = {"league": league.name, "revision": now.revision, "players": [], "pairs": []}
    if not names:
        return data, []
    points, provisional = POINTS if ending == ".json" else 0, league.settings.provisional_matches
    matches = service.views(connection, league)
    data["players"] = [
        player_payload(service, connection, league, now, name, points and SIZE, points)
        | ({} if points else matches.record(name) | {"best": matches.extremes(name, provisional)[0]})
        for name in names
    ]
    data["pairs"] = head_to_head(matches.view, names)
    if ending != ".csv":
        return data, []
    return data, [{"player": name} | point for name in names for point in matches.curve(name, LARGEST)]


def _comparison_extra(data: Plain) -> Plain:
    ordered = sorted(data["players"], key=lambda player: (player["rank"], player["player"]))
    return {
        "ordered": ordered,
        "charted": [player["player"] for player in data["players"] if player["best"] is not None],
        "alt": f"Skill over time of {', '.join(player['player'] for player in ordered)}",
    }


@router.get("/leagues/{league}/names.json")
async def suggest_names(
    request: Request, access: Read, service: ServiceDep, search: Annotated[str, Query(max_length=500)] = ""
) -> Response:
    """Return at most twenty names that contain a text, most likely first."""

    def work(connection: Connection) -> Response:
        league = leagues.find(connection, access.league)
        now, text = service.standings.of(connection, league), search.strip()
        etag = etag_of(league, now.generation, now.revision)
        unchanged = not_modified(request, etag)
        if unchanged is not None:
            return unchanged
        names = [row["player"] for row in now.page(0, SEARCHED if text else SUGGESTED, search=text).rows]
        # The text itself may be the name of a player who ranks below all players found.
        if text in now.names and text not in names:
            names.append(text)
        return json_response({"names": by_likelihood(names, text)[:SUGGESTED]}, headers=etag_headers(etag))

    return await service.read(work)


def by_likelihood(names: Iterable[str], search: str) -> list[str]:
    """Sort names for a search: first exact matches, then names that begin with the text.

    Next come names in which a later word begins with the text, and then all other names.

    >>> by_likelihood(["Johanna", "Mary Ann", "Annika", "ann"], "ann")
    ['ann', 'Annika', 'Mary Ann', 'Johanna']
    """
    wanted = search.casefold()

    def distance(name: str) -> int:
        text = name.casefold()
        return [text == wanted, text.startswith(wanted), f" {wanted}" in text, True].index(True)

    return sorted(names, key=distance)  # stable, so among equally likely names the better player stays first
