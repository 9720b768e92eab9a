"""Match predictions, and the fairness of matches."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fastapi import APIRouter
from sqlalchemy import Connection
from starlette.responses import Response

from ...errors import Error
from ...history import name_of
from ...history.name_index import NameIndex
from ...model.prediction import Prediction
from ...model.rating import Rating
from ...store import leagues
from ...store.clock import parse
from ...store.read.snapshot import Snapshot
from ...text import count
from ..context import Service
from .dependencies import Read, ServiceDep
from .responses import json_response
from .schemas import forecasts as schemas

router = APIRouter(tags=["forecasts"])


@router.post("/api/leagues/{league}/predict", summary="Predict a match", response_model=schemas.Prediction)
async def predict_match(asked: schemas.PredictionRequest, access: Read, service: ServiceDep) -> Response:
    """The probability of every result, the expected scores if the model predicts scores, and the match's fairness."""

    def work(connection: Connection) -> dict[str, Any]:
        return forecast_match(current_standings(service, connection, access.league), asked)[1]

    return json_response(await service.read(work, service.predicting))


@router.post("/api/leagues/{league}/quality", summary="Rate the fairness of a match", response_model=schemas.Quality)
async def get_match_quality(asked: schemas.QualityRequest, access: Read, service: ServiceDep) -> Response:
    """Fairness from 0 to 1: the draw probability, divided by that of equal teams whose skills are exactly known."""

    def work(connection: Connection) -> dict[str, Any]:
        now = current_standings(service, connection, access.league)
        teams, newcomers = _with_newcomers(now, asked)
        quality = now.ladder.quality(teams, weights=asked.weights, home=asked.home)
        return with_revision(now, {"quality": quality, "newcomers": newcomers})

    return json_response(await service.read(work, service.predicting))


def forecast_match(now: Snapshot, asked: schemas.PredictionRequest) -> tuple[Prediction, dict[str, Any]]:
    """Return the prediction of a match, both as an object and as plain data.

    The plain data also has the match quality and the new players.
    """
    teams, newcomers = _with_newcomers(now, asked)
    time = None if asked.time is None else now.as_time(parse(now.clock, asked.time))
    prediction = now.ladder.predict(teams, time=time, weights=asked.weights, home=asked.home)
    quality = now.ladder.quality(teams, weights=asked.weights, home=asked.home)
    payload = {"teams": asked.teams} | prediction.to_dict() | {"quality": quality, "newcomers": newcomers}
    return prediction, with_revision(now, payload)


def _with_newcomers(now: Snapshot, asked: schemas.QualityRequest) -> tuple[list[list[str | Rating]], list[str]]:
    """Return the teams, with a default rating in place of each new player's name, and the names of the new players."""
    names = [name for team in asked.teams for name in team]
    if len(names) > schemas.PLAYERS:
        raise Error.in_field("teams", f"a match can have at most {schemas.PLAYERS:,} players here, not {len(names):,}")
    newcomers = find_newcomers(now.names, names, asked.newcomers, "teams")
    new, rating = set(newcomers), now.ladder.newcomer
    return [[rating if name.strip() in new else name for name in team] for team in asked.teams], newcomers


def current_standings(service: Service, connection: Connection, league: str) -> Snapshot:
    """Return the current standings of a league."""
    return service.standings.of(connection, leagues.find(connection, league))


def with_revision(snapshot: Snapshot, payload: dict[str, Any]) -> dict[str, Any]:
    """Add the league and the revision of its standings to a payload."""
    return {"league": snapshot.league, "revision": snapshot.revision} | payload


def find_newcomers(index: NameIndex, names: Iterable[str], allowed: bool, field: str) -> list[str]:
    """Return the names that are new to a league; if there are any and `allowed` is false, raise an `Error`.

    >>> find_newcomers(NameIndex(["ann"]), ["ann", "bob"], True, "teams")
    ['bob']
    >>> find_newcomers(NameIndex(["ann"]), ["anna"], False, "teams")
    Traceback (most recent call last):
    ...
    prowess.Error: teams: no player named 'anna'; did you mean 'ann'? "newcomers": true accepts new players
    """
    stripped: dict[str, None] = {}
    for name in names:
        try:
            key = name_of(name, "a player's name")
        except Error as error:
            raise error.within(f"{field}: ", field=field) from None
        if key in stripped:
            raise Error.in_field(field, f"{key!r} is listed twice; a player can only appear once", value=key)
        stripped[key] = None
    unknown = [name for name in stripped if name not in index]
    if unknown and not allowed:
        hint = index.hint(unknown[0]) or f" among {count(len(index), 'player', 'players')};"
        detail = f'no player named {unknown[0]!r}{hint} "newcomers": true accepts new players'
        raise Error.in_field(field, detail, value=unknown[0])
    return unknown
