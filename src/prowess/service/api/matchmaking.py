"""Fair teams, pairings from a queue, and suggested matches."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from sqlalchemy import Connection
from starlette.responses import Response

from ...errors import Error
from ...matchmaking.balancing.balance import Balance, balance
from ...matchmaking.next_match.next_match import next_matches
from ...matchmaking.pairing.pair import pair
from ...store.read.snapshot import Snapshot
from ...text import count
from .dependencies import Read, ServiceDep
from .forecasts import ResolvedNames, current_standings, resolve_names, with_revision
from .responses import json_response
from .schemas import forecasts as schemas

router = APIRouter(tags=["matchmaking"])
MAX_WORK = 1_000  # cost limit of a request, about three seconds; a match of two players costs 4


@router.post("/api/leagues/{league}/balance", summary="Make fair teams", response_model=schemas.Balance)
async def balance_teams(asked: schemas.BalanceRequest, access: Read, service: ServiceDep) -> Response:
    """Split up to 200 players into teams for the fairest possible match, and predict its result."""

    def work(connection: Connection) -> dict[str, Any]:
        now = current_standings(service, connection, access.league)
        balance, names = balance_players(now, asked)
        return with_revision(now, balance.to_dict() | names.payload())

    return json_response(await service.read(work, service.matching))


@router.post("/api/leagues/{league}/pair", summary="Pair a queue", response_model=schemas.Pairing)
async def pair_queue(asked: schemas.PairingRequest, access: Read, service: ServiceDep) -> Response:
    """Pair up to 5,000 players or groups: as many pairs as possible, and as fair as possible."""

    def work(connection: Connection) -> dict[str, Any]:
        now = current_standings(service, connection, access.league)
        names = [name for item in asked.queue for name in ([item] if isinstance(item, str) else item)]
        found = resolve_names(now.names, names, asked, "queue")
        pairing = pair(
            now.ladder,
            [found([item])[0] if isinstance(item, str) else found(item) for item in asked.queue],
            waiting=dict(zip(found(asked.waiting), asked.waiting.values(), strict=True)),
            patience=asked.patience,
            met=[(one, other) for one, other in (found(pair) for pair in asked.met)],
            repeat=asked.repeat,
            never=[(one, other) for one, other in (found(pair) for pair in asked.never)],
            least=asked.least,
            uneven=asked.uneven,
            context=asked.context,
        )
        return with_revision(now, pairing.to_dict() | found.payload())

    return json_response(await service.read(work, service.matching))


@router.post("/api/leagues/{league}/next", summary="Suggest matches", response_model=schemas.SuggestedMatches)
async def suggest_matches(asked: schemas.NextRequest, access: Read, service: ServiceDep) -> Response:
    """The most informative matches: those whose results would make the ratings most certain.

    The larger the teams and the more of them, the fewer matches can be requested at once. In a league with more than
    5,000 players, the request must list the available players.
    """

    def work(connection: Connection) -> dict[str, Any]:
        now = current_standings(service, connection, access.league)
        names = resolve_names(now.names, asked.players or (), asked, "players")
        _check_work(asked, len(now))
        found = next_matches(
            now.ladder,
            players=None if asked.players is None else names(asked.players),
            count=asked.count,
            teams=asked.teams,
            size=asked.size,
            each=asked.each,
            context=asked.context,
            progress=False,
        )
        matches = [match.to_dict() for match in found]
        payload = {"matches": matches, "exact": found.exact, "newcomers": list(found.newcomers)}
        return with_revision(now, payload | names.payload())

    return json_response(await service.read(work, service.matching))


def balance_players(now: Snapshot, asked: schemas.BalanceRequest) -> tuple[Balance, ResolvedNames]:
    """Return the fairest teams for the players in a request, and the players whom the given names mean."""
    names = resolve_names(now.names, asked.players, asked, "players")
    fairest = balance(
        now.ladder,
        names(asked.players),
        teams=asked.teams if asked.sizes is None else len(asked.sizes),
        sizes=asked.sizes,
        together=names.groups(asked.together),
        apart=names.groups(asked.apart),
        seed=asked.seed,
        context=asked.context,
    )
    return fairest, names


def _check_work(asked: schemas.NextRequest, players: int) -> None:
    # The time grows with the number of teams and with the number of pairs of players.
    if asked.players is None and players > schemas.QUEUE:
        detail = f"the league has {players:,} players; list the available players, at most {schemas.QUEUE:,}"
        raise Error.in_field("players", detail)
    most = MAX_WORK // ((asked.teams * asked.size) ** 2 * (asked.teams - 1))
    match = f"of {asked.teams} teams of {asked.size}"
    if not most:
        raise Error.in_field("teams", f"matches {match} are too large to be suggested here")
    if asked.count > most:
        raise Error.in_field("count", f"at most {count(most, 'match', 'matches')} {match} can be suggested at once")
