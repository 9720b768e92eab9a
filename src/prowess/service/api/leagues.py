"""Leagues: founded, changed, with other models and new seasons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from sqlalchemy import Connection
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from ...errors import Error
from ...model.presets import preset
from ...store import leagues, seasons
from ...store.clock import show
from ...store.keys import Key
from ...store.leagues import League, Preset, Settings
from ...store.write.commands import ChangeModel, NewSeason
from ..auth import Access, GlobalPermission, key_of_request
from ..context import Service
from ..errors import problem_responses
from .dependencies import Admin, DryRun, Read, Reason, ServiceDep
from .matches import run_command
from .responses import json_response, rfc3339
from .schemas import leagues as forms
from .schemas.matches import Posted

router = APIRouter(tags=["leagues"])
LEAGUES, LEAGUE = "/api/leagues", "/api/leagues/{league}"


def league_payload(league: League) -> dict[str, Any]:
    """A league as it is shown."""
    return {
        "name": league.name,
        "title": league.title,
        "clock": league.clock,
        "public": league.public,
        "settings": dict(vars(league.settings)),
        "model": _chosen(league.preset),
        "generation": league.generation,
        "revision": league.revision,
        "posted": league.posted,
        "last_time": show(league.clock, league.last_time),
        "created_at": rfc3339(league.created_at),
    }


def readable_leagues(connection: Connection, key: Key | None) -> list[League]:
    """The leagues that a key may read, or everybody."""
    return [
        one for one in leagues.list_leagues(connection) if one.public or (key is not None and key.may("read", one.id))
    ]


def _chosen(preset: Preset) -> dict[str, Any]:
    return {"name": preset.name, "parameters": dict(preset.parameters)}


def generation_payload(one: leagues.Generation) -> dict[str, Any]:
    """A model that rates or has rated a league, as it is shown."""
    return {"generation": one.number, "model": _chosen(one.preset), "revision": one.revision} | {
        "made_at": rfc3339(one.made_at),
        "author": one.author,
        "reason": one.reason,
    }


def find_preset(name: str, parameters: Mapping[str, Any] | None = None) -> Preset:
    """The model of a name; one that there is not is an error of the field `model`."""
    try:
        preset(name)
    except Error as error:
        raise error.within("model: ", field="model") from None
    return Preset(name, parameters or {})


async def change_league(service: Service, access: Access, **what: Any) -> League:
    """A league after it was changed; who may no longer read it shall not from now on."""

    def work() -> League:
        with service.database.writing() as connection:
            return leagues.change(connection, access.league, author=access.author, **what)

    league = await run_in_threadpool(work)
    service.leagues.invalidate(access.league)
    return league


def season_payloads(connection: Connection, league: League) -> list[dict[str, Any]]:
    """The seasons of a league as plain data."""
    return [
        {"name": one.name, "start": show(league.clock, one.start), "carry": one.carry, "tau": one.tau}
        | {"revision": one.revision}
        for one in seasons.list_seasons(connection, league)
    ]


@router.get(LEAGUES, summary="All leagues", response_model=forms.Leagues)
async def list_leagues(service: ServiceDep, key: Annotated[Key | None, Depends(key_of_request)]) -> Response:
    """The leagues that are public, and those that the key may read."""
    shown = await service.read(lambda connection: readable_leagues(connection, key))
    return json_response({"leagues": [league_payload(one) for one in shown]})


@router.post(
    LEAGUES,
    status_code=201,
    summary="Found a league",
    response_model=forms.League,
    responses=problem_responses(409),
)
async def create_league(
    asked: forms.LeagueAsked, service: ServiceDep, key: Annotated[Key, Depends(GlobalPermission("admin"))]
) -> Response:
    """Found a league with a model and a clock of its own. It needs an admin's key that is of no single league."""

    def work() -> League:
        preset = find_preset(asked.model.name, asked.model.parameters)
        with service.database.writing() as connection:
            return leagues.create(
                connection,
                asked.name,
                title=asked.title,
                model=preset,
                clock=asked.clock,
                public=asked.public,
                settings=Settings(**asked.settings.model_dump(exclude_none=True)),
                author=key.name,
            )

    made = await run_in_threadpool(work)
    return json_response(league_payload(made), 201, {"Location": f"/api/leagues/{made.name}"})


@router.get(LEAGUE, summary="A league", response_model=forms.League)
async def get_league(access: Read, service: ServiceDep) -> Response:
    """A league: its model, its clock, how many changes were made to it."""
    return json_response(league_payload(await service.read(lambda connection: leagues.find(connection, access.league))))


@router.patch(LEAGUE, summary="Change a league", response_model=forms.League)
async def update_league(asked: forms.LeagueChanged, access: Admin, service: ServiceDep) -> Response:
    """Change the title of a league, who may read it, or who counts as provisional or inactive."""
    settings = asked.settings.model_dump(exclude_none=True)
    return json_response(
        league_payload(await change_league(service, access, title=asked.title, public=asked.public, settings=settings))
    )


@router.put(LEAGUE + "/model", summary="Choose another model", response_model=Posted)
async def change_model(
    asked: forms.ModelAsked, access: Admin, service: ServiceDep, dry_run: DryRun = False, reason: Reason = ""
) -> Response:
    """Rate all matches of the league anew by another model; the old ratings stay, as an earlier generation."""
    preset = find_preset(asked.name, asked.parameters)
    return await run_command(service, ChangeModel(access.league, preset, author=access.author, reason=reason), dry_run)


@router.get(LEAGUE + "/generations", summary="The models of a league", response_model=forms.Generations)
async def list_generations(access: Read, service: ServiceDep) -> Response:
    """The models that rate or have rated a league; `leaderboard?generation=` shows the ratings of an earlier one."""

    def work(connection: Connection) -> list[leagues.Generation]:
        return leagues.list_generations(connection, leagues.find(connection, access.league))

    return json_response(
        {"league": access.league, "generations": [generation_payload(one) for one in await service.read(work)]}
    )


@router.get(LEAGUE + "/seasons", summary="The seasons of a league", response_model=forms.Seasons)
async def list_seasons(access: Read, service: ServiceDep) -> Response:
    """The seasons of a league; `leaderboard?season=` shows how one ended."""

    def work(connection: Connection) -> list[dict[str, Any]]:
        return season_payloads(connection, leagues.find(connection, access.league))

    return json_response({"league": access.league, "seasons": await service.read(work)})


@router.post(LEAGUE + "/seasons", status_code=201, summary="Begin a season", response_model=Posted)
async def create_season(
    asked: forms.SeasonAsked, access: Admin, service: ServiceDep, dry_run: DryRun = False
) -> Response:
    """Begin a season: every skill goes some way back to that of newcomers, and later matches are rated from there."""
    what = NewSeason(
        access.league,
        asked.name,
        asked.start,
        asked.carry,
        asked.tau,
        author=access.author,
        reason=asked.reason,
    )
    return await run_command(service, what, dry_run, 201)
