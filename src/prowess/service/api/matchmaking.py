"""Who should play whom."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from sqlalchemy import Connection
from starlette.responses import Response

from ...errors import Error
from ...matchmaking.balancing.balance import Balance
from ...matchmaking.balancing.balance import balance as split
from ...matchmaking.next_match.next_match import next_matches
from ...matchmaking.pairing.pair import pair as paired
from ...store.read.snapshot import Snapshot
from ...text import count
from .dependencies import Read, ServiceDep
from .forecasts import current_standings, find_newcomers, with_revision
from .responses import json_response
from .schemas import forecasts as forms

router = APIRouter(tags=["matchmaking"])
WORK = 1_000  # of which a match of two takes 4: about three seconds


@router.post("/api/leagues/{league}/balance", summary="Make fair teams", response_model=forms.Balance)
async def balance_teams(asked: forms.BalanceAsked, access: Read, service: ServiceDep) -> Response:
    """Split at most 200 players into the teams whose match is as fair as can be, and say what is expected of it."""

    def work(connection: Connection) -> dict[str, Any]:
        now = current_standings(service, connection, access.league)
        return with_revision(now, balance_players(now, asked).to_dict())

    return json_response(await service.read(work, service.matching))


@router.post("/api/leagues/{league}/pair", summary="Pair a queue", response_model=forms.Pairing)
async def pair_queue(asked: forms.PairAsked, access: Read, service: ServiceDep) -> Response:
    """Pair at most 5,000 players or groups: as many as possible, and as fairly as possible."""

    def work(connection: Connection) -> dict[str, Any]:
        now = current_standings(service, connection, access.league)
        names = [name for item in asked.queue for name in ([item] if isinstance(item, str) else item)]
        find_newcomers(now.names, names, asked.newcomers, "queue")
        found = paired(
            now.ladder,
            asked.queue,
            waiting=asked.waiting,
            patience=asked.patience,
            met=[(one, other) for one, other in asked.met],
            repeat=asked.repeat,
            never=[(one, other) for one, other in asked.never],
            least=asked.least,
            uneven=asked.uneven,
        )
        return with_revision(now, found.to_dict())

    return json_response(await service.read(work, service.matching))


@router.post("/api/leagues/{league}/next", summary="The most telling matches", response_model=forms.Next)
async def suggest_matches(asked: forms.NextAsked, access: Read, service: ServiceDep) -> Response:
    """The matches whose results would tell most of how good the players are: what to play next.

    Of larger teams, and of more teams, fewer matches can be asked for at once; of more than 5,000 players, only where
    they are named.
    """

    def work(connection: Connection) -> dict[str, Any]:
        now = current_standings(service, connection, access.league)
        find_newcomers(now.names, asked.players or (), asked.newcomers, "players")
        _check_work(asked, len(now))
        found = next_matches(
            now.ladder,
            players=asked.players,
            count=asked.count,
            teams=asked.teams,
            size=asked.size,
            each=asked.each,
            progress=False,
        )
        told = {"matches": [one.to_dict() for one in found], "exact": found.exact, "newcomers": list(found.newcomers)}
        return with_revision(now, told)

    return json_response(await service.read(work, service.matching))


def balance_players(now: Snapshot, asked: forms.BalanceAsked) -> Balance:
    """The fairest teams of some players."""
    find_newcomers(now.names, asked.players, asked.newcomers, "players")
    return split(
        now.ladder,
        asked.players,
        teams=asked.teams if asked.sizes is None else len(asked.sizes),
        sizes=asked.sizes,
        together=asked.together,
        apart=asked.apart,
        seed=asked.seed,
    )


def _check_work(asked: forms.NextAsked, players: int) -> None:
    """Refuse what would take long: the time grows with the pairs of players in a match, and with its teams."""
    if asked.players is None and players > forms.QUEUE:
        there = f"the league has {players:,}: name those who are there, at most {forms.QUEUE:,}"
        raise Error.in_field("players", there)
    most = WORK // ((asked.teams * asked.size) ** 2 * (asked.teams - 1))
    match = f"of {asked.teams} teams of {asked.size}"
    if not most:
        raise Error.in_field("teams", f"a match {match} is too large to be looked for here")
    if asked.count > most:
        few = f"at most {count(most, 'match', 'matches')} {match} can be looked for at once"
        raise Error.in_field("count", few)
