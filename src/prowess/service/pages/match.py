"""A match: what was predicted, what happened, and why each rating moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, pairwise
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from sqlalchemy import Connection
from starlette.requests import Request

from ...model.fit.explanation import digits_of
from ...store import leagues
from ...store.leagues import League
from ..api.common import Here, MatchId, Read, tag_of
from ..api.matches import told_of
from .web.filters import digits
from .web.match_text import Side, edit_differences, result_sentence, sides_by_place, team_text
from .web.page import PageContext, page, wants_data

__all__ = ["MATCH_ID", "router"]

router = APIRouter(include_in_schema=False)
MATCH_ID = Query(alias="id", max_length=500)
TEAMS, PLAYERS, REVISIONS = 50, 50, 20  # that are shown; the data beside the page have all
ENDED = {1.0: "won", 0.5: "drew", 0.0: "lost"}
Plain = dict[str, Any]


@page(router, "/leagues/{league}/match", "match.html")
async def match(
    request: Request,
    access: Read,
    service: Here,
    id: Annotated[MatchId, MATCH_ID],
    done: Literal["", "recorded", "edited", "deleted", "known"] = "",
) -> PageContext:
    """One match with all it did; `done` is what whoever comes here has just done to it."""

    def work(connection: Connection) -> PageContext:
        league = leagues.find(connection, access.league)
        told = told_of(service, connection, league, id, None if wants_data(request) else PLAYERS)
        around = (None, None) if told["deleted"] else service.chronicles.of(connection, league).around(id)
        drawn = _drawn(league, told) | {"around": around, "done": done}
        tag = tag_of(league, league.generation, league.revision)
        return PageContext(told, _rows(told), league, tag, extra=drawn)

    return await service.read(work)


def _rows(told: Plain) -> list[Plain]:
    """A row for each player; of a match that was taken out, only who played."""
    if told["deleted"]:
        return [
            {"player": one, "team": side.team, "place": side.place}
            for side in sides_by_place(told)
            for one in side.names
        ]
    rows = []
    for one in told["players"]:
        flat = {key: value for key, value in one.items() if key not in ("before", "after", "why")}
        for when in ("before", "after"):
            flat |= {f"{what}_{when}": value for what, value in one[when].items()}
        rows.append(flat | {"why": one["why"]})
    return rows


def _drawn(league: League, told: Plain) -> Plain:
    """What the page says beside the data."""
    found, players = sides_by_place(told), told["players"]
    expected = {one["team"]: one for one in reversed(players)}  # the first player of each team
    share = dict(zip(chain(*told["teams"]), chain(*told["weights"]), strict=True)) if told.get("weights") else {}
    return {
        "said": result_sentence(told),
        "wins": [f"{team_text(one)} {'wins' if len(one) == 1 else 'win'}" for one in told["teams"][:2]],
        "teamed": team_text(told["teams"][0]),
        "lead": None if len(found) > 2 else _lead(players),
        "sides": [_side(side, expected.get(side.team), len(found)) for side in found[:TEAMS]],
        "more_sides": max(len(found) - TEAMS, 0),
        "rated": [_rated(one, len(found), share.get(one["player"])) for one in _in_order(found, players)[:PLAYERS]],
        "more_rated": max(sum(map(len, told["teams"])) - PLAYERS, 0),
        "places": min(
            digits_of([one["moved"] for one in players if one["moved"] is not None]), digits(league.model) + 1
        ),
        "certain": league.model.absorb.certain,
        "written": _written(told["revisions"])[:REVISIONS],
        "more_written": max(len(told["revisions"]) - REVISIONS, 0),
    }


def _in_order(found: Sequence[Side], players: Sequence[Plain]) -> list[Plain]:
    """The players in the order of the places of their teams."""
    at = {side.team: number for number, side in enumerate(found)}
    return sorted(players, key=lambda one: at[one["team"]])


def _side(side: Side, expected: Mapping[str, Any] | None, teams: int) -> Plain:
    """A team, with the place that was expected of it."""
    share = None if expected is None else expected["expected"]
    return {"side": side, "place": None if share is None else _place(share, teams), "share": share}


def _place(share: float, teams: int) -> float:
    """The place of who beats a share of the others."""
    return 1 + (1 - share) * (teams - 1)


def _lead(players: Sequence[Plain]) -> float | None:
    """By how much the first team was expected to outscore the other, where the model says so."""
    return next((one.get("expected_lead") for one in players if one["team"] == 0), None)


def _rated(one: Plain, teams: int, share: float | None) -> Plain:
    """A player of the match, with its result as people say it, and the share of the match that she played."""
    one = one | {"share": share}
    if teams > 2:
        return one | {"ended": f"place {one['place']}", "awaited": f"place {_place(one['expected'], teams):.1f}"}
    return one | {"ended": ENDED[one["actual"]], "awaited": None}


def _written(revisions: Sequence[Plain]) -> list[Plain]:
    """Who wrote what, the last first, and what that changed."""
    found = [revisions[0] | {"changed": []}]
    for old, new in pairwise(revisions):
        was = {"time": old["time"]} | (old["match"] or {})
        now = {"time": new["time"]} | (new["match"] or {})
        gone = old["match"] is None or new["match"] is None
        found.append(new | {"changed": [] if gone else edit_differences(was, now), "back": old["match"] is None})
    return [{"back": False} | one for one in reversed(found)]
