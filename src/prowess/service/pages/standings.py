"""Standings: who is best, now or at any time, and how everybody moves."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from sqlalchemy import Connection
from starlette.requests import Request

from ...store import clock, generations, leagues, seasons
from ...store.errors import Unavailable
from ...store.journal import journal
from ...store.leagues import League
from ...store.read.player_results import forms
from ...store.read.rank_changes import changes, week_before
from ...store.read.snapshot import Snapshot
from ..api.common import LARGEST, Here, Read, tag_of
from ..api.leaderboard import Asked, Who
from ..context import Service
from .web.filters import day, digits
from .web.page import PageContext, page
from .web.urls import OmitEmptyFields, page_url

__all__ = ["router"]

router = APIRouter(include_in_schema=False, route_class=OmitEmptyFields)
SIZE = 50  # players on a page
SHOW: dict[str, dict[str, Any]] = {
    "active": {"active": True},
    "provisional": {"provisional": True},
    "established": {"provisional": False},
}
MANY = 2.0  # deviations on each side of a bar where what is shown leaves none out
SAID = (*vars(Asked()), "show")
LETTERS = {"win": "W", "draw": "D", "loss": "L"}

Plain = dict[str, Any]
Page = Annotated[int, Query(ge=1, le=LARGEST // 1000)]
Show = Annotated[Literal["active", "provisional", "established"] | None, Query()]


@page(router, "/leagues/{league}/standings", "standings.html")
async def standings(
    request: Request, access: Read, service: Here, who: Who, page: Page = 1, show: Show = None
) -> PageContext:
    """The players from best to worst, with how they moved and how they played lately; as a table, all of them."""
    whole = request.scope["path"].endswith(".csv")

    def work(connection: Connection) -> PageContext:
        league = leagues.find(connection, access.league)
        asked = replace(who, **SHOW[show]) if show else who
        snapshot = asked.standings(service, connection, league)
        told = asked.told(snapshot, 1, max(1, len(snapshot))) if whole else asked.told(snapshot, page, SIZE)
        since = _moved(service, connection, league, who, snapshot, told["players"])
        said = who.said | {"show": show}
        following = told["next"] and page_url(league.name, "standings.json", **said, page=told["next"])
        return PageContext(
            told | {"since": since, "next": following},
            [row | {"form": _letters(row["form"])} for row in told["players"]] if whole else (),
            league,
            tag_of(league, snapshot.generation, snapshot.revision),
            extra={
                "said": dict.fromkeys(SAID) | said,
                "since_day": _worded(since),
                "bars": _bars(snapshot, told["players"]),
                "places": digits(snapshot.model),
            }
            | _past(connection, league, who, snapshot),
        )

    return await service.read(work)


def _moved(
    service: Service, connection: Connection, league: League, who: Asked, snapshot: Snapshot, rows: list[Plain]
) -> str | float | None:
    """Write into rows by how many ranks each rose within a week, and her form; gives since when, if that is known."""
    players, of_now = [row["player"] for row in rows], who.revision is None and who.generation is None
    before, since = _before(service, connection, league, snapshot) if of_now else None, None
    moves: list[int | None] = [None] * len(rows)
    if before is not None:
        moves = changes(before, players, [row["rank"] for row in rows])
        since = _day(snapshot)
    lately: list[list[Plain]] = [[] for _ in rows]
    if of_now and rows:
        view = service.chronicles.of(connection, league).view
        upto = None if who.at is None and who.season is None else view.upto(snapshot.last)
        lately = forms(view, players, [row["matches"] for row in rows], upto)
    for row, change, form in zip(rows, moves, lately, strict=True):
        row |= {"change": change, "form": form}
    return since


def _before(service: Service, connection: Connection, league: League, snapshot: Snapshot) -> Snapshot | None:
    """The standings a week before; None where nobody had played, or where too many ask for the past just now."""
    time = week_before(snapshot)
    if time is None:
        return None
    try:
        return service.standings.at_time(connection, league, time) or None
    except Unavailable:
        return None


def _day(snapshot: Snapshot) -> str | float | None:
    """The day, or the number, with which the ranks are compared, as the address of its standings has it."""
    time = week_before(snapshot)
    shown = clock.show(snapshot.clock, time)
    return shown[:10] if isinstance(shown, str) else shown


def _worded(time: str | float | None) -> str:
    """A day that somebody asked for, as people write it; or else as she wrote it."""
    try:
        return day(time)
    except ValueError:
        return str(time)


def _letters(form: list[Plain]) -> str:
    """A form in a cell: a letter for each match of two teams, places for others."""
    return " ".join(LETTERS[one["result"]] if one["teams"] <= 2 else f"{one['place']}/{one['teams']}" for one in form)


def _bars(snapshot: Snapshot, rows: list[Plain]) -> list[tuple[float, float, float]]:
    """The ratings of a page as parts of 100: where the band begins, its middle and where it ends, on a common scale."""
    wide = snapshot.model.caution or MANY
    ends = [(row["mu"] - wide * (row["sigma"] or 0.0), row["mu"] + wide * (row["sigma"] or 0.0)) for row in rows]
    low, high = min((one for one, _ in ends), default=0.0), max((one for _, one in ends), default=0.0)
    scale = 100.0 / (high - low) if high > low else 0.0
    return [
        (scale * (first - low), scale * (row["mu"] - low), scale * (last - low))
        for row, (first, last) in zip(rows, ends, strict=True)
    ]


def _ended(connection: Connection, league: League) -> list[tuple[str, str | float | None, str | None]]:
    """What is over, with the time or season to ask for: the matches before all seasons, and seasons but the last."""
    begun = seasons.listed(connection, league)
    last = journal.last_time(connection, league, begun[0].start) if begun else None
    first: list[tuple[str, str | float | None, str | None]] = []
    if last is not None:
        time = clock.show(league.clock, last)
        day_before = isinstance(time, str) and time[:10] < str(clock.show(league.clock, begun[0].start))[:10]
        first = [(f"before {begun[0].name}", str(time)[:10] if day_before else time, None)]
    return [*first, *((one.name, None, one.name) for one in begun[:-1])]


def _past(connection: Connection, league: League, who: Asked, snapshot: Snapshot) -> Plain:
    """Which other standings there are, and the last day of those that are shown."""
    models = generations.listed(connection, league)
    return {
        "ended": _ended(connection, league),
        "models": [(one.number, one.preset.name) for one in models],
        "model": models[snapshot.generation - 1].preset.name,
        "certain": snapshot.model.absorb.certain,
        "wide": snapshot.model.caution or MANY,
        "at_day": _worded(who.at),
        "today": str(clock.show(league.clock, league.last_time) or "")[:10],
        "formed": who.revision is None and who.generation is None,
        "cautious": snapshot.model.caution > 0,
        "now": all(getattr(who, name) is None for name in ("at", "season", "generation", "revision")),
    }
