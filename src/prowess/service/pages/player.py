"""The page of a player: rating, curve, matches and opponents; or of several players beside each other."""

from __future__ import annotations

from itertools import chain
from typing import Annotated, Any

from fastapi import APIRouter, Query
from sqlalchemy import Connection
from starlette.requests import Request

from ...store import leagues
from ...store.leagues import League
from ...store.read.match_views import head_to_head
from ...store.read.standings import Snapshot
from ..api.dependencies import LARGEST, Read, ServiceDep
from ..api.responses import etag_of
from ..api.standings import player_payload
from ..context import Service
from ..errors import Problem
from .charts import MOST, unique_names
from .web.filters import day, digits, number
from .web.page import PageContext, page

router = APIRouter(include_in_schema=False)
SIZE = 20  # matches on a page
POINTS = 500  # of a curve in JSON
FEW = 10  # opponents and partners that are shown at once

Plain = dict[str, Any]
Names = Annotated[list[str], Query(max_length=100)]
Offset = Annotated[int, Query(ge=0, le=LARGEST)]


@page(router, "/leagues/{league}/player", "player.html")
async def player(
    request: Request,
    access: Read,
    service: ServiceDep,
    name: Names = [],  # noqa: B006
    offset: Offset = 0,
) -> PageContext:
    """Show one player with her matches, or several compared; the page says which names are unknown."""
    names, ending = unique_names(name), request.scope["path"].rpartition("player")[2]

    def work(connection: Connection) -> PageContext:
        league = leagues.find(connection, access.league)
        now = service.standings.of(connection, league)
        known, problems = _find_players(now, names, strict=bool(ending))
        for problem in problems:  # who has no rating may have matches, which then do not count
            problem["unrated"] = problem["name"] in service.traces.of(connection, league).view.number
        extra: Plain = {"problems": problems, "known": known, "size": SIZE, "few": FEW, "most": MOST}
        etag = etag_of(league, now.generation, now.revision)
        if len(known) != 1:
            data, rows = _compare(service, connection, league, now, known, ending)
            status = 404 if problems and not known else 200
            return PageContext(data, rows, league, etag, status, extra | _comparison_extra(data))
        data = player_payload(service, connection, league, now, known[0], SIZE, POINTS if ending else 0)
        matches = service.traces.of(connection, league)
        if offset:
            data["matches"] = matches.matches(known[0], limit=SIZE, offset=offset).rows
        if ending:
            rows = [_table_row(match) for match in matches.matches(known[0], limit=LARGEST).rows if ending == ".csv"]
            return PageContext(data, rows, league, etag)
        total = sum(data[outcome] for outcome in ("wins", "draws", "losses"))  # also those that do not count
        extra |= {"own": [_page_row(match) for match in data["matches"]], "total": total, "offset": offset}
        return PageContext(data, (), league, etag, extra=extra | _moments(service, connection, league, data))

    return await service.read(work)


def _find_players(now: Snapshot, names: list[str], *, strict: bool) -> tuple[list[str], list[Plain]]:
    """Return the names that are known, and what is wrong with the others, which is an error if `strict`."""
    if not names and strict:
        raise Problem(422, "name: say whose page it is to be, as in ?name=ann")
    known: list[str] = []
    problems: list[Plain] = []
    for name in names:
        if now.names.row(name) is not None:
            known.append(name)
        elif strict:
            now.row(name)  # which raises
        else:
            near = now.names.near(name) if len(problems) < MOST else []  # which takes a while in a large league
            problems.append({"name": name, "near": next(iter(near), None)})
    if len(known) > MOST:
        if strict:
            raise Problem(422, f"name: at most {MOST} players are compared, not {len(known)}")
        problems.append({"name": None, "near": None})
    return known[:MOST], problems


def _sides(match: Plain) -> Plain:
    teams, own = match["teams"], match["team"]
    return {"own": teams[own], "against": list(chain(*(team for k, team in enumerate(teams) if k != own)))}


def _page_row(match: Plain) -> Plain:
    """A match as the page shows it."""
    teams, scores = match["teams"], match.get("scores")
    duel = len(teams) == 2
    outcome = f"place {match['place']} of {len(teams)}"
    if duel:
        outcome = {1.0: "Won", 0.5: "Drew"}.get(match["actual"], "Lost")
    points = None
    if scores and duel:
        points = f"{_score(scores[match['team']])} : {_score(scores[1 - match['team']])}"
    elif match.get("score") is not None:
        points = _score(match["score"])
    return match | _sides(match) | {"outcome": outcome, "points": points}


def _score(score: float) -> str:
    return number(score, 0 if score == round(score) else 1)


def _table_row(match: Plain) -> Plain:
    """A match as a row of the CSV table."""
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
        **{name: after[name] for name in ("mu", "sigma", "shown")},
        "moved": match["moved"],
    }


def _moments(service: Service, connection: Connection, league: League, data: Plain) -> Plain:
    """The best and the worst rating, each with its match, and the alternative text of the chart."""
    matches, places = service.traces.of(connection, league), digits(league.model)
    moments = [
        data[which] | {"which": text, "id": matches.id(data[which]["match"])}
        for which, text in (("best", "Best"), ("worst", "Worst"))
        if data[which] is not None
    ]
    if not moments:
        return {"moments": [], "alt": ""}

    def text(point: Plain) -> str:
        when = f"in match {point['match']}" if league.clock == "none" else f"on {day(point['time'])}"
        return f"{_skill(point, places)} {when}"

    best, worst = map(text, moments)
    now = _skill(data["rating"], places)
    return {"moments": moments, "alt": f"Skill of {data['player']} over time: now {now}; best {best}, worst {worst}"}


def _skill(rating: Plain, places: int) -> str:
    sigma = "" if rating["sigma"] is None else f" ± {number(rating['sigma'], places)}"
    return f"{number(rating['mu'], places)}{sigma}"


def _compare(
    service: Service, connection: Connection, league: League, now: Snapshot, names: list[str], ending: str
) -> tuple[Plain, list[Plain]]:
    """Several players with their results against each other; and as rows of CSV, their curves."""
    data: Plain = {"league": league.name, "revision": now.revision, "players": [], "pairs": []}
    if not names:
        return data, []
    points = POINTS if ending == ".json" else 0
    matches = service.traces.of(connection, league)
    data["players"] = [
        player_payload(service, connection, league, now, name, points and SIZE, points)
        | ({} if points else matches.record(name))
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
