"""The best players of all time, and the best on a day: what is known now, from all matches."""

from __future__ import annotations

from datetime import date
from typing import Annotated

import numpy as np
from fastapi import APIRouter, Query
from sqlalchemy import Connection
from starlette.requests import Request

from ...store import clock, leagues
from ...store.errors import Unavailable
from ...store.leagues import League
from ...store.read.hindsight import LeagueHindsight
from ...store.read.snapshot import Snapshot
from ..api.dependencies import LARGEST, Read, ServiceDep
from ..api.hindsight import MinMatches, best_payload, hindsight_etag
from ..api.responses import etag_of
from ..api.standings import day_span
from ..background.hindsights import HindsightState
from ..context import Service
from .web.filters import day
from .web.page import OmitEmptyFields, PageContext, Plain, page, wants_data
from .web.templates import page_url

router = APIRouter(include_in_schema=False, route_class=OmitEmptyFields)
SIZE = 50  # players per page
CHARTED = 5  # players whose curves are drawn
YEARS = 60  # links to the ends of years

Page = Annotated[int, Query(ge=1, le=LARGEST // 1000)]
On = Annotated[str | None, Query(max_length=100)]


@page(router, "/leagues/{league}/best", "best.html")
async def best(
    request: Request,
    access: Read,
    service: ServiceDep,
    on: On = None,
    page: Page = 1,
    min_matches: MinMatches = 0,
) -> PageContext:
    """List the players at their best, or the best players on a day, and how they ranked as known then."""
    first, size = page, SIZE
    if request.scope["path"].endswith(".csv"):
        first, size = 1, LARGEST

    def work(connection: Connection) -> PageContext:
        league = leagues.find(connection, access.league)
        span = None if on is None else day_span(league.clock, on, "on")
        if wants_data(request):
            service.hindsights.ready(league)  # raises if there is none
        state = service.hindsights.of(league)
        found = state.hindsight
        extra = _extra(league, state, on, min_matches)
        if found is None:
            data: Plain = {"league": league.name, "players": [], "total": 0, "page": page, "size": SIZE, "next": None}
            return PageContext(data, (), league, extra=extra)
        if span is None:
            data = best_payload(service, connection, league, found, min_matches, first, size)
            views = found.views(service.views(connection, league))
            extra["ids"] = views.ids([row["match"] for row in data["players"][:SIZE]])
        else:
            data = _on_a_day(service, connection, league, found, span, min_matches, first, size)
        following = page + 1 if page * SIZE < data["total"] else None
        data["next"] = following and page_url(
            league.name, "best.json", on=on, min_matches=min_matches or None, page=following
        )
        etag = hindsight_etag(etag_of(league, league.generation, league.revision), state)
        if any(row.get("rank_then", 0) is None for row in data["players"]):
            etag = None  # the ranks may be available next time
        return PageContext(data, data["players"], league, etag, extra=extra)

    return await service.read(work)


def _on_a_day(
    service: Service,
    connection: Connection,
    league: League,
    found: LeagueHindsight,
    span: tuple[float, float],
    min_matches: int,
    page: int,
    size: int,
) -> Plain:
    since, at = span
    snapshot = found.standing_at(league, at, since)
    listed = snapshot.page((page - 1) * size, size, min_matches=min_matches)
    ranks = _ranks_then(service, connection, league, snapshot, at, [row["player"] for row in listed.rows])
    return {
        "league": league.name,
        "revision": found.revision,
        "generation": found.generation,
        "at": clock.show(league.clock, at),
        "page": page,
        "size": size,
        "total": listed.total,
        "players": [row | {"rank_then": rank} for row, rank in zip(listed.rows, ranks, strict=True)],
    }


def _ranks_then(
    service: Service, connection: Connection, league: League, now: Snapshot, at: float, players: list[str]
) -> list[int | None]:
    """Return the ranks of players at a time as known then, among the players whom `now` lists."""
    try:
        then = service.standings.at_time(connection, league, at)
    except Unavailable:  # too many requests for past standings are running
        return [None] * len(players)
    kept = np.zeros(len(then), bool)
    kept[[row for name in now.players if (row := then.names.row(name)) is not None]] = True
    return then.ranks(players, then.ranking.among(kept))


def _extra(league: League, state: HindsightState, on: str | None, min_matches: int) -> Plain:
    history = None if state.hindsight is None else state.hindsight.view.trace.history
    days: list[str] = []
    if league.clock == "utc" and history is not None and history.time is not None and len(history):
        first, last = (str(clock.show("utc", float(history.time[at]))) for at in (0, -1))
        # The last year has not ended, so the last link shows the day of the last match.
        days = [*(f"{year}-12-31" for year in range(int(first[:4]), int(last[:4]))), last[:10]][-YEARS:]
    return {
        "state": state,
        "on": on,
        "on_day": None if on is None else _day_text(on),
        "min_matches": min_matches,
        "days": days,
        "most_charted": CHARTED,
    }


def _day_text(on: str) -> str:
    try:
        return day(date.fromisoformat(on).isoformat())
    except ValueError:
        return on
