"""Match predictions, and the fairness of matches."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from fastapi import APIRouter
from sqlalchemy import Connection
from starlette.responses import Response

from ...errors import Error
from ...history import name_of
from ...history.names.index import NameIndex
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
SUGGESTED = 3  # unknown names for which similar names are searched; few, because a search is slow


@router.post("/api/leagues/{league}/predict", summary="Predict a match", response_model=schemas.Prediction)
async def predict_match(asked: schemas.PredictionRequest, access: Read, service: ServiceDep) -> Response:
    """The probability of every result, the expected scores if the model predicts scores, and the match's fairness."""

    def work(connection: Connection) -> dict[str, Any]:
        return forecast_match(current_standings(service, connection, access.league), asked)[1]

    return json_response(await service.read(work, service.predicting))


@router.post("/api/leagues/{league}/quality", summary="Rate the fairness of a match", response_model=schemas.Quality)
async def get_match_quality(asked: schemas.QualityRequest, access: Read, service: ServiceDep) -> Response:
    """Fairness from 0 to 1: the draw probability, relative to that of equal teams whose skills are known exactly."""

    def work(connection: Connection) -> dict[str, Any]:
        now = current_standings(service, connection, access.league)
        _, rated, names = _resolve_teams(now, asked)
        quality = now.ladder.quality(rated, weights=asked.weights, home=asked.home, context=asked.context)
        return with_revision(now, {"quality": quality, "newcomers": names.newcomers} | names.payload())

    return json_response(await service.read(work, service.predicting))


def forecast_match(now: Snapshot, asked: schemas.PredictionRequest) -> tuple[Prediction, dict[str, Any]]:
    """Return the prediction of a match, both as an object and as plain data.

    The plain data also has the match quality and the new players.
    """
    teams, rated, names = _resolve_teams(now, asked)
    time = None if asked.time is None else now.as_time(parse(now.clock, asked.time))
    ladder = now.ladder_of(name for team in teams for name in team) if now.model.facets else now.ladder
    weights, home = asked.weights, asked.home
    prediction = ladder.predict(rated, time=time, weights=weights, home=home, context=asked.context)
    quality = ladder.quality(rated, weights=weights, home=home, context=asked.context)
    payload = {"teams": teams} | prediction.to_dict() | {"quality": quality, "newcomers": names.newcomers}
    return prediction, with_revision(now, payload | names.payload())


def _resolve_teams(
    now: Snapshot, asked: schemas.QualityRequest
) -> tuple[list[list[str]], list[list[str | Rating]], ResolvedNames]:
    """Return the teams as player names, the teams with a rating in place of each new player, and the resolved names."""
    names = [name for team in asked.teams for name in team]
    if len(names) > schemas.PLAYERS:
        raise Error.in_field("teams", f"a match can have at most {schemas.PLAYERS:,} players here, not {len(names):,}")
    resolved = resolve_names(now.names, names, asked, "teams")
    new, rating = set(resolved.newcomers), now.ladder.newcomer
    teams = [resolved(team) for team in asked.teams]
    return teams, [[rating if name in new else name for name in team] for team in teams], resolved


def current_standings(service: Service, connection: Connection, league: str) -> Snapshot:
    """Return the current standings of a league."""
    return service.standings.of(connection, leagues.find(connection, league))


def with_revision(snapshot: Snapshot, payload: dict[str, Any]) -> dict[str, Any]:
    """Add the league and the revision of its standings to a payload."""
    return {"league": snapshot.league, "revision": snapshot.revision} | payload


class ResolvedNames(NamedTuple):
    """The players whom the names in a request mean, and the names of new players.

    `players` maps every name to a player; a new name is mapped to itself.
    """

    players: dict[str, str]
    newcomers: list[str]

    def __call__(self, names: Iterable[str]) -> list[str]:
        """Return the players for some names of the request; an unlisted name is returned unchanged."""
        return [self.players.get(name.strip(), name.strip()) for name in names]

    def groups(self, groups: Iterable[Iterable[str]]) -> list[list[str]]:
        """Return the players for groups of names; a name need not be spelt as in the list of players."""
        listed = NameIndex(list(dict.fromkeys(self.players.values())))
        return [[name if name in listed else listed.resolve(name) for name in self(group)] for group in groups]

    def payload(self) -> dict[str, Any]:
        """Return the part of a response that maps inexact names to their players; empty if all names are exact."""
        resolved = {name: player for name, player in self.players.items() if name != player}
        return {"resolved": resolved} if resolved else {}


def resolve_names(index: NameIndex, names: Iterable[str], asked: schemas.NamesRequest, field: str) -> ResolvedNames:
    """Find the players whom the names in a request mean.

    A new name raises an `Error`, unless the request allows newcomers.

    >>> allowed, not_allowed = schemas.NamesRequest(newcomers=True), schemas.NamesRequest()
    >>> resolve_names(NameIndex(["Ánn"]), ["ann", "bob"], allowed, "teams")
    ResolvedNames(players={'ann': 'Ánn', 'bob': 'bob'}, newcomers=['bob'])
    >>> resolve_names(NameIndex(["ann"]), ["anna"], not_allowed, "teams")
    Traceback (most recent call last):
    ...
    prowess.Error: teams: no player named 'anna'; did you mean 'ann'? "newcomers": true accepts new players
    """
    players: dict[str, str] = {}
    listed: dict[str, str] = {}  # the name under which each player is listed
    newcomers: list[str] = []
    for name in names:
        try:
            key = name_of(name, "a player's name")
        except Error as error:
            raise error.within(f"{field}: ", field=field) from None
        known = key in index
        player = key if known or asked.exact_names else index.resolve(key)
        if player in listed:
            also = "" if listed[player] == key else f", also as {listed[player]!r}"
            raise Error.in_field(field, f"{key!r} is listed twice{also}; a player can only appear once", value=key)
        players[key], listed[player] = player, key
        newcomers += [key] if player == key and not known else []
    if newcomers and not asked.newcomers:
        suggestions = {name: index.similar(name) for name in newcomers[:SUGGESTED]}
        first = newcomers[0]
        hint = f"; did you mean {' or '.join(map(repr, suggestions[first]))}?" if suggestions[first] else ""
        hint = hint or f" among {count(len(index), 'player', 'players')};"
        detail = f'no player named {first!r}{hint} "newcomers": true accepts new players'
        raise Error.in_field(field, detail, value=first, suggestions=suggestions)
    return ResolvedNames(players, newcomers)
