"""Standings: who is best, now or at any time, and how everybody moves."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from sqlalchemy import Connection
from starlette.requests import Request

from ...store import clock, leagues, seasons
from ...store.errors import Unavailable
from ...store.journal import journal
from ...store.leagues import League
from ...store.read.changes import ranks_gained, week_before
from ...store.read.match_views import recent_form
from ...store.read.snapshot import Snapshot
from ..api.dependencies import LARGEST, Read, ServiceDep
from ..api.responses import etag_of
from ..api.standings import StandingsFilter, StandingsFilterDep
from ..context import Service
from .web.filters import day, digits
from .web.page import PageContext, page
from .web.urls import OmitEmptyFields, page_url

router = APIRouter(include_in_schema=False, route_class=OmitEmptyFields)
SIZE = 50  # players on a page
SHOW: dict[str, dict[str, Any]] = {
    "active": {"active": True},
    "provisional": {"provisional": True},
    "established": {"provisional": False},
}
WIDE = 2.0  # deviations on each side of a bar, for models without caution
FIELDS = (*vars(StandingsFilter()), "show")
LETTERS = {"win": "W", "draw": "D", "loss": "L"}

Plain = dict[str, Any]
Page = Annotated[int, Query(ge=1, le=LARGEST // 1000)]
Show = Annotated[Literal["active", "provisional", "established"] | None, Query()]


@page(router, "/leagues/{league}/standings", "standings.html")
async def standings(
    request: Request, access: Read, service: ServiceDep, who: StandingsFilterDep, page: Page = 1, show: Show = None
) -> PageContext:
    """List the players from best to worst, with their moves and recent results; as a table, all of them."""
    whole = request.scope["path"].endswith(".csv")

    def work(connection: Connection) -> PageContext:
        league = leagues.find(connection, access.league)
        query = replace(who, **SHOW[show]) if show else who
        snapshot = query.standings(service, connection, league)
        data = query.payload(snapshot, 1, max(1, len(snapshot))) if whole else query.payload(snapshot, page, SIZE)
        rows: list[Plain] = data["players"]
        since = _add_moves(service, connection, league, who, snapshot, rows)
        fields = who.query_params | {"show": show}
        following = data["next"] and page_url(league.name, "standings.json", **fields, page=data["next"])
        return PageContext(
            data | {"since": since, "next": following},
            [row | {"form": _letters(row["form"])} for row in rows] if whole else (),
            league,
            etag_of(league, snapshot.generation, snapshot.revision),
            extra={
                "fields": dict.fromkeys(FIELDS) | fields,
                "since_day": _day_text(since),
                "bars": _bars(snapshot, rows),
                **_past(connection, league, who, snapshot),
            },
        )

    return await service.read(work)


def _add_moves(
    service: Service,
    connection: Connection,
    league: League,
    who: StandingsFilter,
    snapshot: Snapshot,
    rows: list[Plain],
) -> str | float | None:
    """Add to each row the ranks gained within a week, and the recent results; returns since when, if that is known."""
    players, current = [row["player"] for row in rows], who.revision is None and who.generation is None
    moves: list[int | None] = [None] * len(rows)
    results: list[list[Plain]] = [[] for _ in rows]
    since: str | float | None = None
    if current:
        time = week_before(snapshot)
        before = None if time is None else _standings_at(service, connection, league, time)
        if before:
            moves = ranks_gained(before, players, [row["rank"] for row in rows])
            when = clock.show(snapshot.clock, time)
            since = when[:10] if isinstance(when, str) else when
        if rows:
            view = service.traces.of(connection, league).view
            upto = None if who.at is None and who.season is None else view.count_until(snapshot.last)
            results = recent_form(view, players, [row["matches"] for row in rows], upto)
    for row, change, form in zip(rows, moves, results, strict=True):
        row |= {"change": change, "form": form}
    return since


def _standings_at(service: Service, connection: Connection, league: League, time: float) -> Snapshot | None:
    """The standings at a time; None where too many requests for the past run just now."""
    try:
        return service.standings.at_time(connection, league, time)
    except Unavailable:
        return None


def _day_text(time: str | float | None) -> str:
    try:
        return day(time)
    except ValueError:  # a time of the query that is written in another way
        return str(time)


def _letters(form: list[Plain]) -> str:
    """Recent results in a cell: a letter for each match of two teams, places for others."""
    return " ".join(
        LETTERS[match["result"]] if match["teams"] <= 2 else f"{match['place']}/{match['teams']}" for match in form
    )


def _bars(snapshot: Snapshot, rows: list[Plain]) -> list[tuple[float, float, float]]:
    """Where the bar of each rating begins, has its middle and ends, on a scale of 0 to 100 that the page shares."""
    wide = snapshot.model.caution or WIDE
    ends = [(row["mu"] - wide * (row["sigma"] or 0.0), row["mu"] + wide * (row["sigma"] or 0.0)) for row in rows]
    low, high = min((start for start, _ in ends), default=0.0), max((end for _, end in ends), default=0.0)
    scale = 100.0 / (high - low) if high > low else 0.0
    return [
        (scale * (first - low), scale * (row["mu"] - low), scale * (last - low))
        for row, (first, last) in zip(rows, ends, strict=True)
    ]


def _ended_seasons(connection: Connection, league: League) -> list[tuple[str, str | float | None, str | None]]:
    """What is over, with the time or season to ask for: the matches before all seasons, and seasons but the last."""
    begun = seasons.list_seasons(connection, league)
    last = journal.last_time(connection, league, begun[0].start) if begun else None
    ended: list[tuple[str, str | float | None, str | None]] = []
    if last is not None:
        time = clock.show(league.clock, last)
        day_before = isinstance(time, str) and time[:10] < str(clock.show(league.clock, begun[0].start))[:10]
        ended = [(f"before {begun[0].name}", str(time)[:10] if day_before else time, None)]
    return [*ended, *((season.name, None, season.name) for season in begun[:-1])]


def _past(connection: Connection, league: League, who: StandingsFilter, snapshot: Snapshot) -> Plain:
    """Which other standings there are, and how those that are shown were made."""
    models, model = leagues.list_generations(connection, league), snapshot.model
    return {
        "ended": _ended_seasons(connection, league),
        "models": [(generation.number, generation.preset.name) for generation in models],
        "model": models[snapshot.generation - 1].preset.name,
        "certain": model.absorb.certain,
        "places": digits(model),
        "wide": model.caution or WIDE,
        "cautious": model.caution > 0,
        "at_day": _day_text(who.at),
        "today": str(clock.show(league.clock, league.last_time) or "")[:10],
        "formed": who.revision is None and who.generation is None,
        "now": all(getattr(who, name) is None for name in ("at", "season", "generation", "revision")),
    }
