"""The list of matches, and the page of one match: what was predicted, what happened, and why each rating moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, pairwise
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from ...model.fit.explain import digits_of
from ...store import leagues
from ...store.errors import NotFound
from ...store.leagues import League
from ..api.dependencies import MatchId, Read, ServiceDep
from ..api.files import Format, export_matches
from ..api.matches import MatchFilterDep, match_payload
from ..api.responses import etag_of
from .web.filters import digits
from .web.match_text import Side, edit_differences, result_sentence, sides_by_place, team_text
from .web.page import PageContext, page, wants_data
from .web.templates import BY_KEY
from .web.urls import OmitEmptyFields, page_url

router = APIRouter(include_in_schema=False, route_class=OmitEmptyFields)
LIMIT = 50  # matches on a page
FEW = 4  # teams of a match that the list names
TEAMS, PLAYERS, REVISIONS = 50, 50, 20  # that the page of a match shows; its data have all
MATCH_ID = Query(alias="id", max_length=500)
OUTCOMES = {1.0: "won", 0.5: "drew", 0.0: "lost"}
Plain = dict[str, Any]


@router.get("/leagues/{league}/export.{format}")
async def download(access: Read, service: ServiceDep, format: Format) -> Response:
    """Return all matches as a file like the API, but to who is signed in by a cookie, so for private leagues, too."""
    response = await export_matches(access, service, format)
    response.headers.update(BY_KEY)
    return response


@page(router, "/leagues/{league}/matches", "matches.html")
async def matches(request: Request, access: Read, service: ServiceDep, which: MatchFilterDep) -> PageContext:
    """List matches, the newest first; those of a player with what was expected of her, and what they moved."""

    def work(connection: Connection) -> PageContext:
        league = leagues.find(connection, access.league)
        fields = vars(which) | {"offset": None}
        try:
            data, status, problem = which.payload(service, connection, league, LIMIT), 200, None
        except NotFound as error:  # of the player, whose name somebody may have misspelt
            if wants_data(request):
                raise
            data = {"league": league.name, "revision": league.revision, "total": 0, "next": None, "matches": []}
            status, problem = 404, str(error)
        following = data["next"] and page_url(league.name, "matches.json", **fields | {"offset": data["next"]})
        return PageContext(
            data | {"next": following, "offset": which.offset},
            [_match_row(match) for match in data["matches"]],
            league,
            etag_of(league, league.generation, league.revision) if status == 200 else None,
            status,
            {
                "fields": fields,
                "problem": problem,
                "limit": LIMIT,
                "results": [result_line(match) for match in data["matches"]],
            },
        )

    return await service.read(work)


def result_line(match: Plain, few: int = FEW) -> Plain:
    """Return the teams of a match from the first to the last, of many only a few.

    >>> line = result_line({"teams": [["ann"], ["bob"]], "scores": [1.0, 3.0]})
    >>> [(team.names, team.place, team.score) for team in line["teams"]], line["drawn"]
    ([(['bob'], 1, 3.0), (['ann'], 2, 1.0)], False)
    """
    teams = sides_by_place(match)
    listed = teams if len(teams) <= few + 1 else teams[:few]
    return {"teams": listed, "more": len(teams) - len(listed), "drawn": teams[0].shared}


def _match_row(match: Plain) -> Plain:
    """A match as a row of a table: all teams in a cell, like their places and scores."""
    return {
        "id": match["id"],
        "time": match["time"],
        "teams": [" + ".join(team) for team in match["teams"]],
        "places": [side.place for side in sorted(sides_by_place(match), key=lambda side: side.team)],
        "scores": match.get("scores", []),
    } | {name: match[name] for name in ("expected", "shown_moved") if name in match}


@page(router, "/leagues/{league}/match", "match.html")
async def match(
    request: Request,
    access: Read,
    service: ServiceDep,
    id: Annotated[MatchId, MATCH_ID],
    done: Literal["", "recorded", "edited", "deleted", "known"] = "",
) -> PageContext:
    """Show one match; `done` is what has just been done to it."""

    def work(connection: Connection) -> PageContext:
        league = leagues.find(connection, access.league)
        data = match_payload(service, connection, league, id, None if wants_data(request) else PLAYERS)
        around = (None, None) if data["deleted"] else service.traces.of(connection, league).neighbours(id)
        extra = _extra(league, data) | {"around": around, "done": done}
        etag = etag_of(league, league.generation, league.revision)
        return PageContext(data, _player_rows(data), league, etag, extra=extra)

    return await service.read(work)


def _player_rows(data: Plain) -> list[Plain]:
    """A row for each player; of a deleted match, only who played."""
    if data["deleted"]:
        sides = sides_by_place(data)
        return [{"player": name, "team": side.team, "place": side.place} for side in sides for name in side.names]
    rows = []
    for player in data["players"]:
        row = {key: value for key, value in player.items() if key not in ("before", "after", "why")}
        for when in ("before", "after"):
            row |= {f"{what}_{when}": value for what, value in player[when].items()}
        rows.append(row | {"why": player["why"]})
    return rows


def _extra(league: League, data: Plain) -> Plain:
    sides, players = sides_by_place(data), data["players"]
    teams = data["teams"]
    first_player = {player["team"]: player for player in reversed(players)}
    shares = dict(zip(chain(*teams), chain(*data["weights"]), strict=True)) if data.get("weights") else {}
    order = {side.team: position for position, side in enumerate(sides)}
    by_place = sorted(players, key=lambda player: order[player["team"]])
    moves = [player["moved"] for player in players if player["moved"] is not None]
    return {
        "sentence": result_sentence(data),
        "wins": [f"{team_text(team)} {'wins' if len(team) == 1 else 'win'}" for team in teams[:2]],
        "first_team": team_text(teams[0]),
        "lead": None if len(sides) > 2 else first_player.get(0, {}).get("expected_lead"),
        "sides": [_side(side, first_player.get(side.team), len(sides)) for side in sides[:TEAMS]],
        "more_sides": max(len(sides) - TEAMS, 0),
        "rated": [_player(player, len(sides), shares.get(player["player"])) for player in by_place[:PLAYERS]],
        "more_rated": max(sum(map(len, teams)) - PLAYERS, 0),
        "places": min(digits_of(moves), digits(league.model) + 1),
        "written": _revisions(data["revisions"])[:REVISIONS],
        "more_written": max(len(data["revisions"]) - REVISIONS, 0),
    }


def _side(side: Side, player: Mapping[str, Any] | None, teams: int) -> Plain:
    share = None if player is None else player["expected"]
    return {"side": side, "place": None if share is None else _expected_place(share, teams), "share": share}


def _expected_place(share: float, teams: int) -> float:
    """The place of who beats a share of the others."""
    return 1 + (1 - share) * (teams - 1)


def _player(player: Plain, teams: int, share: float | None) -> Plain:
    """A player with the result in words, and the share of the match that she played."""
    if teams == 2:
        return player | {"share": share, "outcome": OUTCOMES[player["actual"]], "expected_place": None}
    expected = f"place {_expected_place(player['expected'], teams):.1f}"
    return player | {"share": share, "outcome": f"place {player['place']}", "expected_place": expected}


def _revisions(revisions: Sequence[Plain]) -> list[Plain]:
    """Who wrote what, the last first, and what that changed."""
    rows = [revisions[0] | {"changed": [], "back": False}]
    for old, new in pairwise(revisions):
        changed: list[str] = []
        if old["match"] is not None and new["match"] is not None:
            before, after = ({"time": one["time"]} | one["match"] for one in (old, new))
            changed = edit_differences(before, after)
        rows.append(new | {"changed": changed, "back": old["match"] is None})
    return rows[::-1]
