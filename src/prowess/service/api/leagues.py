"""Leagues with their models and seasons: list, create, change, delete and undelete them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query
from sqlalchemy import Connection
from starlette.responses import Response

from ...errors import Error
from ...lab.auto.columns import revealing_columns, revealing_text
from ...model.presets import preset
from ...store import leagues, seasons
from ...store.clock import show
from ...store.journal import journal
from ...store.keys import Key
from ...store.leagues import League, Preset, Settings
from ...store.write.commands import ChangeModel, NewSeason
from ..auth import Access, GlobalPermission, key_of_request, may_see
from ..concurrency import run_in_threadpool
from ..context import Service
from ..errors import problem_responses
from .dependencies import Admin, DryRun, Read, Reason, ServiceDep
from .matches import run_command
from .responses import json_response, rfc3339
from .schemas import leagues as schemas
from .schemas.matches import Posted

router = APIRouter(tags=["leagues"])
LEAGUES, LEAGUE = "/api/leagues", "/api/leagues/{league}"
Show = Literal["active", "archived", "deleted"]
ShowQuery = Annotated[Show, Query(description="Deleted leagues are listed only for their admins.")]


def league_payload(league: League) -> dict[str, Any]:
    """Return a league as plain data."""
    return {
        "name": league.name,
        "title": league.title,
        "clock": league.clock,
        "public": league.public,
        "settings": dict(vars(league.settings)),
        "model": _preset_payload(league.preset),
        "generation": league.generation,
        "revision": league.revision,
        "posted": league.posted,
        "last_time": show(league.clock, league.last_time),
        "created_at": rfc3339(league.created_at),
        "archived": league.archived_at is not None,
        "purge_at": None if league.purge_at is None else rfc3339(round(league.purge_at)),
    }


def generation_payload(generation: leagues.Generation) -> dict[str, Any]:
    """Return a current or earlier model of a league as plain data."""
    return {
        "generation": generation.number,
        "model": _preset_payload(generation.preset),
        "revision": generation.revision,
        "made_at": rfc3339(generation.made_at),
        "author": generation.author,
        "reason": generation.reason,
        "engine_version": generation.engine_version,
    }


def _preset_payload(preset: Preset) -> dict[str, Any]:
    return {"name": preset.name, "parameters": dict(preset.parameters)}


def season_payloads(connection: Connection, league: League) -> list[dict[str, Any]]:
    """Return the seasons of a league as plain data."""
    return [
        {
            "name": season.name,
            "start": show(league.clock, season.start),
            "carry": season.carry,
            "tau": season.tau,
            "revision": season.revision,
        }
        for season in seasons.list_seasons(connection, league)
    ]


def readable_leagues(connection: Connection, key: Key | None) -> dict[Show, list[League]]:
    """Return the public leagues and the leagues that the key may read, grouped by state."""
    readable: dict[Show, list[League]] = {"active": [], "archived": [], "deleted": []}
    for league in leagues.list_leagues(connection):
        if may_see(key, league):
            readable[_state(league)].append(league)
    return readable


def _state(league: League) -> Show:
    return "deleted" if league.purge_at is not None else "archived" if league.archived_at is not None else "active"


def find_preset(name: str, parameters: Mapping[str, Any] | None = None) -> Preset:
    """Return a preset with parameters; an unknown name raises an `Error` about the field `model`."""
    try:
        preset(name)
    except Error as error:
        raise error.within("model: ", field="model") from None
    return Preset(name, parameters or {})


async def change_league(service: Service, access: Access, **changes: Any) -> League:
    """Change a league and return it. A league that is made private is hidden immediately."""
    return await _update(service, access, partial(leagues.change, **changes))


async def delete_or_undelete(service: Service, access: Access, delete: bool) -> League:
    """Delete or undelete a league, and return the league."""
    grace = service.settings.delete_grace
    return await _update(service, access, partial(leagues.delete, grace=grace) if delete else leagues.undelete)


async def _update(service: Service, access: Access, change: Callable[..., League]) -> League:
    def work() -> League:
        with service.database.writing() as connection:
            return change(connection, access.league, author=access.author)

    league = await run_in_threadpool(work)
    # Both names are invalidated, because after a rename each may lead to another league or to none.
    for name in (access.league, league.name):
        service.leagues.invalidate(name)
    return league


@router.get(LEAGUES, summary="List leagues", response_model=schemas.Leagues)
async def list_leagues(
    service: ServiceDep, key: Annotated[Key | None, Depends(key_of_request)], show: ShowQuery = "active"
) -> Response:
    """Public leagues, and private leagues that the key may read."""
    readable = await service.read(lambda connection: readable_leagues(connection, key))
    return json_response({"leagues": [league_payload(league) for league in readable[show]]})


@router.post(
    LEAGUES,
    status_code=201,
    summary="Create a league",
    response_model=schemas.League,
    responses=problem_responses(409),
)
async def create_league(
    asked: schemas.NewLeague, service: ServiceDep, key: Annotated[Key, Depends(GlobalPermission("admin"))]
) -> Response:
    """Create a league with its model and clock. You need an admin key for all leagues."""

    def work() -> League:
        model = None if asked.model is None else find_preset(asked.model.name, asked.model.parameters)
        with service.database.writing() as connection:
            return leagues.create(
                connection,
                asked.name,
                title=asked.title,
                model=model,
                clock=asked.clock,
                public=asked.public,
                settings=Settings(**asked.settings.changes()),
                author=key.name,
            )

    league = await run_in_threadpool(work)
    return json_response(league_payload(league), 201, {"Location": f"/api/leagues/{league.name}"})


@router.get(LEAGUE, summary="Get a league", response_model=schemas.League)
async def get_league(access: Read, service: ServiceDep) -> Response:
    """A league with its model, clock, settings and revision."""
    return json_response(league_payload(await service.read(lambda connection: leagues.find(connection, access.league))))


@router.patch(LEAGUE, summary="Change a league", response_model=schemas.League)
async def update_league(asked: schemas.LeagueUpdate, access: Admin, service: ServiceDep) -> Response:
    """Change the name, title or settings of a league, make it public or private, or archive or unarchive it."""
    changes = {"new_name": asked.name, "title": asked.title, "public": asked.public, "archived": asked.archived}
    league = await change_league(service, access, **changes, settings=asked.settings.changes())
    return json_response(league_payload(league))


@router.delete(LEAGUE, summary="Delete a league", response_model=schemas.League)
async def delete_league(access: Admin, service: ServiceDep) -> Response:
    """Delete a league. Only admins still see a deleted league, and at `purge_at` the league is removed for good."""
    return json_response(league_payload(await delete_or_undelete(service, access, delete=True)))


@router.post(LEAGUE + "/undelete", summary="Undelete a league", response_model=schemas.League)
async def undelete_league(access: Admin, service: ServiceDep) -> Response:
    """Restore a deleted league, exactly as it was, if its data has not been permanently removed yet."""
    return json_response(league_payload(await delete_or_undelete(service, access, delete=False)))


@router.put(LEAGUE + "/model", summary="Change the model", response_model=Posted)
async def change_model(
    asked: schemas.NewModel, access: Admin, service: ServiceDep, dry_run: DryRun = False, reason: Reason = ""
) -> Response:
    """Rate all matches of the league again with another model.

    The old ratings stay available as an earlier generation. If a column that the model names may contain the results,
    `remarks` says so.
    """
    preset = find_preset(asked.name, asked.parameters)
    remarks = await model_remarks(service, access.league, preset)
    command = ChangeModel(access.league, preset, author=access.author, reason=reason)
    return await run_command(service, command, dry_run, more={"remarks": remarks} if remarks else {})


async def model_remarks(service: Service, league: str, preset: Preset) -> list[str]:
    """Return a remark if columns that a model names say more about a league's results than is known before a match."""
    columns = preset.model.forecast_columns
    if not columns:
        return []

    def work(connection: Connection) -> tuple[str, ...]:
        history = journal.history(connection, leagues.find(connection, league))
        return revealing_columns(history, columns) if len(history) else ()

    found = await service.read(work)
    return [revealing_text(found)] if found else []


@router.get(LEAGUE + "/generations", summary="List the models of a league", response_model=schemas.Generations)
async def list_generations(access: Read, service: ServiceDep) -> Response:
    """Current and earlier models of a league; `leaderboard?generation=` shows the ratings by an earlier model."""

    def work(connection: Connection) -> list[dict[str, Any]]:
        generations = leagues.list_generations(connection, leagues.find(connection, access.league))
        return [generation_payload(generation) for generation in generations]

    return json_response({"league": access.league, "generations": await service.read(work)})


@router.get(LEAGUE + "/seasons", summary="List the seasons of a league", response_model=schemas.Seasons)
async def list_seasons(access: Read, service: ServiceDep) -> Response:
    """The seasons of a league; `leaderboard?season=` shows the standings at the end of a season."""

    def work(connection: Connection) -> list[dict[str, Any]]:
        return season_payloads(connection, leagues.find(connection, access.league))

    return json_response({"league": access.league, "seasons": await service.read(work)})


@router.post(LEAGUE + "/seasons", status_code=201, summary="Start a season", response_model=Posted)
async def create_season(
    asked: schemas.NewSeason, access: Admin, service: ServiceDep, dry_run: DryRun = False
) -> Response:
    """Start a season: every rating moves part of the way back towards a new player's rating."""
    command = NewSeason(
        access.league,
        asked.name,
        asked.start,
        asked.carry,
        asked.tau,
        author=access.author,
        reason=asked.reason,
    )
    return await run_command(service, command, dry_run, 201)
