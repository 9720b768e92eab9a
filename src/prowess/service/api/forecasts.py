"""What to expect of a match."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fastapi import APIRouter
from sqlalchemy import Connection
from starlette.responses import Response

from ...errors import Error
from ...history import name_of
from ...history.times import DAY, parse_time
from ...model.prediction import Prediction
from ...model.rating import Rating
from ...store import leagues
from ...store.clock import Clock, parse
from ...store.read.name_index import NameIndex
from ...store.read.snapshot import Snapshot
from ...text import count
from ..context import Service
from .dependencies import Read, ServiceDep
from .responses import json_response
from .schemas import forecasts as forms

router = APIRouter(tags=["forecasts"])


@router.post("/api/leagues/{league}/predict", summary="Predict a match", response_model=forms.Prediction)
async def predict_match(asked: forms.PredictionAsked, access: Read, service: ServiceDep) -> Response:
    """Who wins, who finishes where, with which scores, and how fair it is."""

    def work(connection: Connection) -> dict[str, Any]:
        return forecast_match(current_standings(service, connection, access.league), asked)[1]

    return json_response(await service.read(work, service.predicting))


@router.post("/api/leagues/{league}/quality", summary="How fair a match would be", response_model=forms.Quality)
async def get_match_quality(asked: forms.QualityAsked, access: Read, service: ServiceDep) -> Response:
    """How fair a match would be: its draw probability relative to that of equal and certain teams, 0 to 1."""

    def work(connection: Connection) -> dict[str, Any]:
        now = current_standings(service, connection, access.league)
        teams, newcomers = _with_newcomers(now, asked)
        found = now.ladder.quality(teams, weights=asked.weights, home=asked.home)
        return with_revision(now, {"quality": found, "newcomers": newcomers})

    return json_response(await service.read(work, service.predicting))


def forecast_match(now: Snapshot, asked: forms.PredictionAsked) -> tuple[Prediction, dict[str, Any]]:
    """What is expected of a match, and the same as plain data, with its quality and who is new to the league."""
    teams, newcomers = _with_newcomers(now, asked)
    time = None if asked.time is None else now.as_time(parse(now.clock, asked.time))
    found = now.ladder.predict(teams, time=time, weights=asked.weights, home=asked.home)
    quality = now.ladder.quality(teams, weights=asked.weights, home=asked.home)
    told = {"teams": asked.teams} | found.to_dict() | {"quality": quality, "newcomers": newcomers}
    return found, with_revision(now, told)


def _with_newcomers(now: Snapshot, asked: forms.QualityAsked) -> tuple[list[list[str | Rating]], list[str]]:
    """The teams, with ratings in the place of newcomers' names."""
    names = [name for team in asked.teams for name in team]
    if len(names) > forms.PLAYERS:
        raise Error.in_field(
            "teams", f"at most {forms.PLAYERS:,} players can be looked at in a match, not {len(names):,}"
        )
    unknown = find_newcomers(now.names, names, asked.newcomers, "teams")
    new, newcomer = set(unknown), now.ladder.newcomer
    return [[newcomer if name.strip() in new else name for name in team] for team in asked.teams], unknown


def current_standings(service: Service, connection: Connection, league: str) -> Snapshot:
    """The standings of a league as they are now."""
    return service.standings.of(connection, leagues.find(connection, league))


def with_revision(snapshot: Snapshot, told: dict[str, Any]) -> dict[str, Any]:
    """An answer with the league and the revision that it is by."""
    return {"league": snapshot.league, "revision": snapshot.revision} | told


def end_of_day(clock: Clock, given: str) -> float:
    """A time up to which something is asked for: a date stands for the whole day.

    >>> end_of_day("utc", "1970-01-01"), end_of_day("number", "7")
    (86399999999.0, 7.0)
    """
    number = parse(clock, given, "at")
    whole = clock == "utc" and parse_time(given)[0] == "date"
    return number + DAY - 1 if whole else number


def find_newcomers(roll: NameIndex, names: Iterable[str], welcome: bool, field: str) -> list[str]:
    """Those of some names that a league does not know; where they are not welcome, that is an error.

    >>> find_newcomers(NameIndex(["ann"]), ["ann", "bob"], True, "teams")
    ['bob']
    >>> find_newcomers(NameIndex(["ann"]), ["anna"], False, "teams")
    Traceback (most recent call last):
    ...
    prowess.Error: teams: no player is called 'anna'; did you mean 'ann'? "newcomers": true takes unknown names
    """
    asked: dict[str, None] = {}
    for name in names:
        try:
            key = name_of(name, "a player's name")
        except Error as error:
            raise error.within(f"{field}: ", field=field) from None
        if key in asked:
            raise Error.in_field(field, f"{key!r} is named twice; everybody plays once", value=key)
        asked[key] = None
    unknown = [name for name in asked if name not in roll]
    if unknown and not welcome:
        hint = roll.hint(unknown[0]) or f"; there are {count(len(roll), 'player', 'players')}."
        raise Error.in_field(
            field, f'no player is called {unknown[0]!r}{hint} "newcomers": true takes unknown names', value=unknown[0]
        )
    return unknown
