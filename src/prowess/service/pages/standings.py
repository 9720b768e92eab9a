"""Standings: the players from best to worst, now or at an earlier time, with rank changes and recent results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from sqlalchemy import Connection
from starlette.requests import Request

from ...errors import Error
from ...model.scale import Z95
from ...store import clock, leagues, seasons
from ...store.errors import Unavailable
from ...store.journal import journal
from ...store.leagues import League
from ...store.read.changes import ranks_gained, week_before
from ...store.read.match_views import recent_form
from ...store.read.snapshot import Snapshot
from ..api.dependencies import COLUMN_PREFIX, LARGEST, Read, ServiceDep
from ..api.responses import etag_of
from ..api.standings import StandingsFilter, StandingsFilterDep
from ..context import Service
from .web.filters import day
from .web.match_context import column_label
from .web.page import OmitEmptyFields, PageContext, Plain, page
from .web.ratings import RatingFormat
from .web.templates import page_url

router = APIRouter(include_in_schema=False, route_class=OmitEmptyFields)
SIZE = 50  # players per page
SHOW: dict[str, dict[str, Any]] = {
    "active": {"active": True},
    "all": {"active": False, "all": True},
    "provisional": {"provisional": True},
    "established": {"provisional": False},
}
WIDE = 2.0  # half width of a bar in standard deviations, for models whose caution is 0
FIELDS = (*(name for name in vars(StandingsFilter({})) if name != "context"), "show")
LETTERS = {"win": "W", "draw": "D", "loss": "L"}

Page = Annotated[int, Query(ge=1, le=LARGEST // 1000)]
Show = Annotated[Literal["active", "all", "provisional", "established"] | None, Query()]


@page(router, "/leagues/{league}/standings", "standings.html")
async def standings(
    request: Request, access: Read, service: ServiceDep, who: StandingsFilterDep, page: Page = 1, show: Show = None
) -> PageContext:
    """List players with their rank changes and recent results: active players page by page, or all players as CSV."""
    path = request.scope["path"]
    whole, data_only = path.endswith(".csv"), path.endswith((".csv", ".json"))

    def work(connection: Connection) -> PageContext:
        league = leagues.find(connection, access.league)
        query = replace(who, **SHOW[show]) if show else who
        if query.active is None:
            query = replace(query, active=not data_only)
        snapshot = query.standings(service, connection, league)
        data = query.payload(snapshot, 1, max(1, len(snapshot))) if whole else query.payload(snapshot, page, SIZE)
        rows: list[Plain] = data["players"]
        since = _add_changes(service, connection, league, query, snapshot, rows)
        values = who.for_model(snapshot.model).context
        fields = who.for_model(snapshot.model).query_params | {"show": show}
        following = data["next"] and page_url(league.name, "standings.json", **fields, page=data["next"])
        return PageContext(
            data | {"since": since, "next": following},
            [row | {"form": _letters(row["form"])} for row in rows] if whole else (),
            league,
            etag_of(league, snapshot.generation, snapshot.revision),
            extra={
                "fields": dict.fromkeys(FIELDS) | fields,
                "values": values,
                "columns": _columns(snapshot, values),
                "all_url": page_url(league.name, "standings", **fields | {"show": "all"}),
                "absent": 0 if snapshot.listed is None else int((~snapshot.listed).sum()),
                "hidden": replace(query, active=False).page(snapshot, 0, 0).total - data["total"],
                "since_day": _day_text(since),
                "bars": _bars(snapshot, rows),
                **_past(connection, league, who, snapshot),
            },
        )

    return await service.read(work)


def _add_changes(
    service: Service,
    connection: Connection,
    league: League,
    who: StandingsFilter,
    snapshot: Snapshot,
    rows: list[Plain],
) -> str | float | None:
    """Add the ranks gained in the last week and the recent results to each row.

    Return the start of that week; None if the rank changes are not known.
    """
    players = [row["player"] for row in rows]
    changes: list[int | None] = [None] * len(rows)
    results: list[list[Plain]] = [[] for _ in rows]
    since: str | float | None = None
    if who.revision is None and who.generation is None:
        time = week_before(snapshot)
        try:
            before = None if time is None else who.at_values(service.standings.at_time(connection, league, time))
        except (Unavailable, Error):
            # Too many requests for past standings are running, or no match had the value of the context yet: show the
            # page without rank changes.
            before = None
        if before:
            changes = ranks_gained(before, players, [row["rank"] for row in rows], snapshot if who.active else None)
            when = clock.show(snapshot.clock, time)
            since = when[:10] if isinstance(when, str) else when
        if rows:
            view = service.traces.of(connection, league).view
            upto = None if who.at is None and who.season is None else view.count_until(snapshot.last)
            results = recent_form(view, players, snapshot.played(players), upto)
    for row, change, form in zip(rows, changes, results, strict=True):
        row |= {"change": change, "form": form}
    return since


def _columns(snapshot: Snapshot, values: Mapping[str, str]) -> list[Plain]:
    """Return the context columns by which players differ, with the values that a visitor can choose."""
    personal = {facet.column for facet in snapshot.model.facets if facet.personal}
    return [
        {"param": param, "label": column_label(column), "values": known, "chosen": values.get(param, "")}
        for column, known in snapshot.facet_values.items()
        if column in personal and known and (param := f"{COLUMN_PREFIX}{column}")
    ]


def _day_text(time: str | float | None) -> str:
    try:
        return day(time)
    except ValueError:  # the time in the query has another format
        return str(time)


def _letters(form: list[Plain]) -> str:
    return " ".join(
        LETTERS[match["result"]] if match["teams"] <= 2 else f"{match['place']}/{match['teams']}" for match in form
    )


def _bars(snapshot: Snapshot, rows: list[Plain]) -> list[tuple[float, float, float]]:
    """Return the start, middle and end of each rating's bar, on a scale of 0 to 100 that all rows share."""
    wide = Z95 if snapshot.points is not None else snapshot.model.caution or WIDE
    spreads = [wide * (row["sigma"] or 0.0) for row in rows]
    bars = [(row["mu"] - spread, row["mu"], row["mu"] + spread) for row, spread in zip(rows, spreads, strict=True)]
    low, high = min((bar[0] for bar in bars), default=0.0), max((bar[2] for bar in bars), default=0.0)
    scale = 100.0 / (high - low) if high > low else 0.0
    return [(scale * (start - low), scale * (middle - low), scale * (end - low)) for start, middle, end in bars]


def _ended_seasons(connection: Connection, league: League) -> list[tuple[str, str | float | None, str | None]]:
    # The first link shows the standings before the first season; the other links show the end of each past season.
    begun = seasons.list_seasons(connection, league)
    last = journal.last_time(connection, league, begun[0].start) if begun else None
    ended: list[tuple[str, str | float | None, str | None]] = []
    if last is not None:
        time = clock.show(league.clock, last)
        day_before = isinstance(time, str) and time[:10] < str(clock.show(league.clock, begun[0].start))[:10]
        ended = [(f"before {begun[0].name}", str(time)[:10] if day_before else time, None)]
    return [*ended, *((season.name, None, season.name) for season in begun[:-1])]


def _past(connection: Connection, league: League, who: StandingsFilter, snapshot: Snapshot) -> Plain:
    generations, model = leagues.list_generations(connection, league), snapshot.model
    rederived = leagues.rederived(generations)
    return {
        "ended": _ended_seasons(connection, league),
        "models": [(each.number, each.preset.name) for each in generations if each.number not in rederived],
        "rederived": rederived,
        "model": generations[snapshot.generation - 1].preset.name,
        "certain": model.absorb.certain,
        "in_points": snapshot.points is not None,
        "ratings": RatingFormat.of(model, league.settings),
        "wide": model.caution or WIDE,
        "caution": model.caution,
        "at_day": _day_text(who.at),
        "today": str(clock.show(league.clock, league.last_time) or "")[:10],
        "formed": who.revision is None and who.generation is None,
        "now": all(getattr(who, name) is None for name in ("at", "season", "generation", "revision")),
    }
