"""A player: where she stands, how she came there, and whom she met; or several beside each other."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Annotated, Any

from fastapi import APIRouter, Query
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from ...store import leagues
from ...store.leagues import League
from ...store.read.player_results import rivalries
from ...store.read.standings import Snapshot
from ..api import players
from ..api.common import LARGEST, Here, Read, answer, fresh, tag_of, tagged
from ..context import Service
from ..errors import Problem
from .charts import MOST, named
from .web.filters import day, digits, number
from .web.page import PageContext, page

__all__ = ["likeliest", "router"]

router = APIRouter(include_in_schema=False)
SIZE = 20  # matches on a page
POINTS = 500  # of a curve, where it is told as data
FEW = 10  # opponents and partners that stand there at once

Plain = dict[str, Any]
Names = Annotated[list[str], Query(max_length=100)]
Offset = Annotated[int, Query(ge=0, le=LARGEST)]


@page(router, "/leagues/{league}/player", "player.html")
async def player(request: Request, access: Read, service: Here, name: Names = [], offset: Offset = 0) -> PageContext:  # noqa: B006
    """One player with her matches, or several compared; whoever is not there is said to be so."""
    names, ending = named(name), request.scope["path"].rpartition("player")[2]

    def work(connection: Connection) -> PageContext:
        league = leagues.find(connection, access.league)
        now = service.standings.of(connection, league)
        known, problems = _known(now, names, strict=bool(ending))
        for problem in problems:  # who has no rating may have matches, which then do not count
            problem["unrated"] = problem["name"] in service.chronicles.of(connection, league).view.number
        shown = {
            "problems": problems,
            "known": known,
            "places": digits(league.model),
            "certain": league.model.absorb.certain,
            "size": SIZE,
            "few": FEW,
            "most": MOST,
        }
        tag = tag_of(league, now.generation, now.revision)
        if len(known) != 1:
            told, rows = _several(service, connection, league, now, known, ending)
            return PageContext(told, rows, league, tag, 404 if problems and not known else 200, shown | _compared(told))
        told = players.told(service, connection, league, now, known[0], SIZE, POINTS if ending else 0)
        rows = _matches(service, connection, league, known[0], told, offset, ending)
        if not ending:
            shown |= _moments(service, connection, league, told)
            shown |= {"own": [_row(one) for one in told["matches"]], "total": _total(told), "offset": offset}
        return PageContext(told, rows, league, tag, extra=shown)

    return await service.read(work)


def _known(now: Snapshot, names: list[str], *, strict: bool) -> tuple[list[str], list[Plain]]:
    """Those of some players who are there, and what is wrong with the others; `strict`: which is an error then."""
    problems: list[Plain] = []
    found = []
    for name in names:
        if now.roll.row(name) is not None:
            found.append(name)
        elif strict:
            now.row(name)
        else:
            near = now.roll.near(name) if len(problems) < MOST else []  # which takes a while in a large league
            problems.append({"name": name, "near": next(iter(near), None)})
    if len(found) > MOST and strict:
        raise Problem(422, f"name: at most {MOST} players are compared, not {len(found)}")
    if not names and strict:
        raise Problem(422, "name: say whose page it is to be, as in ?name=ann")
    if len(found) > MOST:
        problems.append({"name": None, "near": None})
    return found[:MOST], problems


def _matches(
    service: Service, connection: Connection, league: League, name: str, told: Plain, offset: int, ending: str
) -> list[Plain]:
    """Put those of her matches from an offset on into what is told; gives all of them, where a table is asked for."""
    chronicle = service.chronicles.of(connection, league)
    if offset:
        told["matches"] = chronicle.matches(name, limit=SIZE, offset=offset).rows
    return [_cells(one) for one in chronicle.matches(name, limit=LARGEST).rows] if ending == ".csv" else []


def _total(told: Plain) -> int:
    """How many matches she has, those that do not count as well."""
    return sum(told[ended] for ended in ("wins", "draws", "losses"))


def _sides(match: Plain) -> Plain:
    """Her team, and all others, of a match."""
    teams, own = match["teams"], match["team"]
    return {
        "own": teams[own],
        "against": list(chain.from_iterable(team for at, team in enumerate(teams) if at != own)),
    }


def _row(match: Plain) -> Plain:
    """A match as the page shows it."""
    teams, scores = match["teams"], match.get("scores")
    said = f"place {match['place']} of {len(teams)}"
    if len(teams) == 2:
        said = {1.0: "Won", 0.5: "Drew"}.get(match["actual"], "Lost")
    points = None
    if scores and len(teams) == 2:
        points = f"{_plain(scores[match['team']])} : {_plain(scores[1 - match['team']])}"
    elif match.get("score") is not None:
        points = _plain(match["score"])
    return match | _sides(match) | {"said": said, "points": points, "duel": len(teams) == 2}


def _plain(score: float) -> str:
    return number(score, 0 if score == round(score) else 1)


def _cells(match: Plain) -> Plain:
    """A match as a row of a table."""
    sides, after = _sides(match), match["after"]
    return {
        "time": match["time"],
        "id": match["id"],
        "team": sides["own"],
        "against": sides["against"],
        "teams": len(match["teams"]),
        "place": match["place"],
        "score": match.get("score"),
        "expected": match["expected"],
        "actual": match["actual"],
        "counts": match["counts"],
        "mu": after["mu"],
        "sigma": after["sigma"],
        "shown": after["shown"],
        "moved": match["moved"],
    }


def _moments(service: Service, connection: Connection, league: League, told: Plain) -> Plain:
    """The best and the worst moment, each with the match that led there, and the curve in words."""
    chronicle, places = service.chronicles.of(connection, league), digits(league.model)
    found = [
        told[which] | {"which": text, "id": chronicle.id(told[which]["match"])}
        for which, text in (("best", "Best"), ("worst", "Worst"))
        if told[which] is not None
    ]
    if not found:
        return {"moments": [], "alt": ""}
    best, worst = (_when(one, league, places) for one in found)
    now = _skill(told["rating"], places)
    return {"moments": found, "alt": f"Skill of {told['player']} over time: now {now}; best {best}, worst {worst}"}


def _when(point: Plain, league: League, places: int) -> str:
    """What was believed at some moment, in words."""
    when = f"in match {point['match']}" if league.clock == "none" else f"on {day(point['time'])}"
    return f"{_skill(point, places)} {when}"


def _skill(belief: Plain, places: int) -> str:
    unsure = "" if belief["sigma"] is None else f" ± {number(belief['sigma'], places)}"
    return f"{number(belief['mu'], places)}{unsure}"


def _several(
    service: Service, connection: Connection, league: League, now: Snapshot, names: list[str], ending: str
) -> tuple[Plain, list[Plain]]:
    """Players beside each other, how they fared against each other; and as a table, their curves."""
    told: Plain = {"league": league.name, "revision": now.revision, "players": [], "pairs": []}
    if not names:
        return told, []
    whole = POINTS if ending == ".json" else 0
    chronicle = service.chronicles.of(connection, league)
    told["players"] = [
        players.told(service, connection, league, now, name, whole and SIZE, whole)
        | ({} if whole else chronicle.record(name))
        for name in names
    ]
    told["pairs"] = rivalries(chronicle.view, names)
    if ending != ".csv":
        return told, []
    return told, [{"player": name} | point for name in names for point in chronicle.curve(name, LARGEST)]


def _compared(told: Plain) -> Plain:
    """What the page of several needs beside what is told: in the order of their ranks, and the chart in words."""
    ordered = sorted(told["players"], key=lambda one: (one["rank"], one["player"]))
    return {
        "ordered": ordered,
        "charted": [one["player"] for one in told["players"] if one["best"] is not None],
        "alt": f"Skill over time of {', '.join(one['player'] for one in ordered)}",
    }


MOST_SUGGESTIONS = 20  # names that are told
AMONG = 200  # of the best players whose names hold what was typed, those that begin with it come first


@router.get("/leagues/{league}/names.json")
async def names(
    request: Request, access: Read, service: Here, search: Annotated[str, Query(max_length=500)] = ""
) -> Response:
    """At most twenty names that hold a text, the likeliest first."""

    def work(connection: Connection) -> Response:
        league = leagues.find(connection, access.league)
        snapshot = service.standings.of(connection, league)
        tag = tag_of(league, snapshot.generation, snapshot.revision)
        return fresh(request, tag) or answer({"names": _names(snapshot, search)}, headers=tagged(tag))

    return await service.read(work)


def _names(snapshot: Snapshot, search: str) -> list[str]:
    """Names that hold a text; among equals, the better player comes first."""
    asked = search.strip()
    found = [row["player"] for row in snapshot.page(0, AMONG if asked else MOST_SUGGESTIONS, search=asked).rows]
    if asked in snapshot.roll and asked not in found:  # so many better players have it in their names
        found.append(asked)
    return likeliest(found, asked)[:MOST_SUGGESTIONS]


def likeliest(names: Iterable[str], asked: str) -> list[str]:
    """Names in the order in which they may be meant: the same, those that begin so, those of which a word does.

    >>> likeliest(["Johanna", "Mary Ann", "Annika", "ann"], "ann")
    ['ann', 'Annika', 'Mary Ann', 'Johanna']
    """
    wanted = asked.casefold()

    def distance(name: str) -> int:
        text = name.casefold()
        return [text == wanted, text.startswith(wanted), f" {wanted}" in text, True].index(True)

    return sorted(names, key=distance)
