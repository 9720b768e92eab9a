"""Anonymised players: erase a name, list the aliases, and drop the hash of an erased name."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from sqlalchemy import Connection
from starlette.responses import Response

from ...store import leagues
from ...store.errors import Unavailable
from ...store.write import erasure
from ...store.write.erasure import Erasure
from ..auth import Access
from ..concurrency import run_in_threadpool
from ..context import Service
from ..errors import problem_responses
from .dependencies import Admin, ServiceDep
from .responses import json_response, rfc3339
from .schemas import erasures as schemas

router = APIRouter(tags=["players"])
ERASURES = "/api/leagues/{league}/erasures"


def erasure_payload(one: Erasure) -> dict[str, Any]:
    """Return an anonymised player as plain data.

    >>> erasure_payload(Erasure("anonymous-1", 7, 0.0, True, False))["player"]
    'anonymous-1'
    """
    return {
        "player": one.alias,
        "revision": one.revision,
        "made_at": rfc3339(one.made_at),
        "hash_kept": one.hash_kept,
        "scrub_due": one.scrub_due,
    }


def erasure_payloads(connection: Connection, league: str) -> list[dict[str, Any]]:
    """Return the anonymised players of a league as plain data, oldest first."""
    found = erasure.list_erasures(connection, leagues.find(connection, league))
    return [erasure_payload(one) for one in found]


async def anonymise(service: Service, access: Access, player: str, reason: str, keep_hash: bool) -> Erasure:
    """Anonymise a player, and scrub the name from the database.

    If open readers block the scrubbing, a background thread tries again later.
    """

    def work() -> Erasure:
        made = erasure.anonymise(
            service.database,
            access.league,
            player,
            author=access.author,
            reason=reason,
            keep_hash=keep_hash,
            # Only an admin of all leagues may change data outside of this league.
            all_leagues=access.key is not None and access.key.league_id is None,
        )
        # Delete finished exports, because they still contain the name.
        with service.database.reading() as connection:
            service.exports.folder.forget(leagues.find(connection, access.league).id)
        # The cached pairs of similar names may contain the name, too.
        service.similar.drop(access.league_id)
        return _scrubbed(service, made)

    return await run_in_threadpool(work)


async def drop_hash(service: Service, access: Access, alias: str) -> Erasure:
    """Drop the hash of an anonymised player's name, and scrub it from the database."""

    def work() -> Erasure:
        return _scrubbed(service, erasure.drop_hash(service.database, access.league, alias, author=access.author))

    return await run_in_threadpool(work)


def _scrubbed(service: Service, made: Erasure) -> Erasure:
    try:
        return made.scrubbed(erasure.scrub(service.database))
    except Unavailable:  # the name is already erased, and the background thread will scrub again
        return made


@router.post(
    "/api/leagues/{league}/players/{player:anything}/anonymise",
    summary="Anonymise a player",
    response_model=schemas.Erasure,
    responses=problem_responses(409),
)
async def anonymise_player(
    player: str, access: Admin, service: ServiceDep, asked: schemas.Anonymise | None = None
) -> Response:
    """Replace a player's name with an alias, such as `anonymous-1`, in all data of the league.

    Anonymising cannot be undone.

    The name disappears from all versions of all matches, from the audit log, standings, exports and later backups. No
    rating changes. Unless `keep_hash` is false, the service keeps a salted hash of the name. With the hash, the
    service replaces the name with the alias if it is posted or imported again.
    """
    asked = asked or schemas.Anonymise()
    return json_response(erasure_payload(await anonymise(service, access, player, asked.reason, asked.keep_hash)))


@router.get(ERASURES, summary="List anonymised players", response_model=schemas.Erasures)
async def list_erasures(access: Admin, service: ServiceDep) -> Response:
    """Anonymised players of a league, oldest first."""
    found = await service.read(lambda connection: erasure_payloads(connection, access.league))
    return json_response({"league": access.league, "erasures": found})


@router.delete(ERASURES + "/{alias}/hash", summary="Drop the hash of a name", response_model=schemas.Erasure)
async def drop_name_hash(alias: str, access: Admin, service: ServiceDep) -> Response:
    """Drop the salted hash of an anonymised player's name. If the name is posted again, it becomes a new player."""
    return json_response(erasure_payload(await drop_hash(service, access, alias)))
