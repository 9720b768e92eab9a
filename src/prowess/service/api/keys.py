"""Routes with which admins create, list, rotate and revoke keys, for all leagues or for their own league.

A league's admin manages only the keys of that league. An admin key that expires cannot create or rotate a key that
would work longer than itself.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path
from starlette.responses import Response

from ...errors import Error
from ...store import keys
from ...store.errors import NotFound
from ...store.keys import Key, Scope
from ..auth import Access, GlobalPermission
from ..concurrency import run_in_threadpool
from ..context import Service
from ..errors import Problem, problem_responses
from .dependencies import LARGEST, Admin, ServiceDep
from .responses import json_response, rfc3339
from .schemas import keys as schemas

router = APIRouter(tags=["keys"])
KEYS, LEAGUE_KEYS = "/api/keys", "/api/leagues/{league}/keys"
GlobalAdmin = Annotated[Key, Depends(GlobalPermission("admin"))]
KeyId = Annotated[int, Path(ge=1, le=LARGEST)]
ROTATION = schemas.Rotation()
CONFLICT = problem_responses(409)


def key_payload(key: Key, secret: str | None = None) -> dict[str, Any]:
    """Return a key as plain data; pass its `secret` only after the key is created or rotated."""
    times = {"created_at": key.created_at, "expires_at": key.expires_at, "used_at": key.used_at}
    times |= {"revoked_at": key.revoked_at, "old_secret_until": key.old_until}
    payload = {"id": key.id, "name": key.name, "scope": key.scope, "league": key.league, "live": key.live}
    payload |= {name: None if at is None else rfc3339(round(at)) for name, at in times.items()}
    return payload | ({} if secret is None else {"secret": secret})


async def list_payloads(service: Service, league_id: int | None = None) -> list[dict[str, Any]]:
    """Return the keys of a league, or all keys, as plain data."""
    if league_id is None:
        found = await service.read(lambda connection: keys.list_keys(connection))
    else:
        found = await service.read(lambda connection: keys.keys_of(connection, league_id))
    return [key_payload(key) for key in found]


async def create(
    service: Service, admin: Key, name: str, scope: Scope, expires: str, league: str | None
) -> dict[str, Any]:
    """Create a key on behalf of an admin; return it with its secret."""
    expires_at = keys.parse_expiry(expires)
    # Otherwise, an admin key that expires could create a successor that never expires.
    if admin.expires_at is not None and (expires_at is None or expires_at > admin.expires_at):
        text = f"your own key expires at {rfc3339(round(admin.expires_at))}: choose that time or an earlier one"
        raise Error.in_field("expires", text, value=expires)

    def work() -> dict[str, Any]:
        with service.database.writing() as connection:
            made = keys.create(connection, name, scope, league, expires_at=expires_at, author=admin.name)
            return key_payload(*made)

    return await run_in_threadpool(work)


async def rotate(service: Service, admin: Key, id: int, grace: str, league_id: int | None = None) -> dict[str, Any]:
    """Rotate a key on behalf of an admin; return it with its new secret.

    With `league_id`, only keys of this league can be rotated.
    """
    seconds = keys.parse_duration(grace, "grace")

    def work() -> dict[str, Any]:
        with service.database.writing() as connection:
            key = _reachable(keys.get(connection, id), league_id)
            # Rotating reveals the secret, so a key that expires must not rotate a key that works longer.
            if key.live and key.id != admin.id and key.outlives(admin):
                raise Problem(403, "this key works longer than your own: ask an admin whose key does not expire")
            return key_payload(*keys.rotate(connection, id, seconds, author=admin.name))

    return await run_in_threadpool(work)


async def revoke(service: Service, admin: Key, id: int, league_id: int | None = None) -> dict[str, Any]:
    """Revoke a key on behalf of an admin, and return it.

    With `league_id`, only keys of this league can be revoked. The last admin key for all leagues is never revoked.
    """

    def work() -> dict[str, Any]:
        with service.database.writing() as connection:
            _reachable(keys.get(connection, id), league_id)
            return key_payload(keys.revoke(connection, id, author=admin.name, keep_admin=True))

    return await run_in_threadpool(work)


def _reachable(key: Key, league_id: int | None) -> Key:
    if league_id is not None and key.league_id != league_id:
        # 404, not 403: the admin of a league must not learn which other keys exist.
        raise NotFound(f"key {key.id} not found", field="id", value=key.id)
    return key


def admin_of(access: Access) -> Key:
    """Return the key of a request that needs an admin key."""
    assert access.key is not None
    return access.key


@router.get(KEYS, summary="List all keys", response_model=schemas.Keys)
async def list_keys(service: ServiceDep, admin: GlobalAdmin) -> Response:
    """All keys of the service. All routes of `/api/keys` need an admin key for all leagues."""
    return json_response({"keys": await list_payloads(service)})


@router.post(KEYS, status_code=201, summary="Create a key", response_model=schemas.KeyWithSecret)
async def create_key(asked: schemas.NewKey, service: ServiceDep, admin: GlobalAdmin) -> Response:
    """Create a key for one league or for all leagues. Only this response contains its secret."""
    made = await create(service, admin, asked.name, asked.scope, asked.expires, asked.league)
    return json_response(made, 201)


@router.delete(KEYS + "/{id}", summary="Revoke a key", response_model=schemas.Key, responses=CONFLICT)
async def revoke_key(id: KeyId, service: ServiceDep, admin: GlobalAdmin) -> Response:
    """Revoke a key for good; it stops working within a second.

    The last admin key for all leagues cannot be revoked (409).
    """
    return json_response(await revoke(service, admin, id))


@router.post(KEYS + "/{id}/rotate", summary="Rotate a key", response_model=schemas.KeyWithSecret, responses=CONFLICT)
async def rotate_key(
    id: KeyId, service: ServiceDep, admin: GlobalAdmin, asked: schemas.Rotation = ROTATION
) -> Response:
    """Give a key a new secret, which only this response contains. The old secret keeps working for a grace period."""
    return json_response(await rotate(service, admin, id, asked.grace))


@router.get(LEAGUE_KEYS, summary="List the keys of a league", response_model=schemas.Keys)
async def list_league_keys(service: ServiceDep, access: Admin) -> Response:
    """Keys that are limited to this league. You need an admin key for the league."""
    return json_response({"keys": await list_payloads(service, access.league_id)})


@router.post(LEAGUE_KEYS, status_code=201, summary="Create a key of a league", response_model=schemas.KeyWithSecret)
async def create_league_key(asked: schemas.NewLeagueKey, service: ServiceDep, access: Admin) -> Response:
    """Create a key for this league. Only this response contains its secret."""
    admin = admin_of(access)
    return json_response(await create(service, admin, asked.name, asked.scope, asked.expires, access.league), 201)


@router.delete(
    LEAGUE_KEYS + "/{id}", summary="Revoke a key of a league", response_model=schemas.Key, responses=CONFLICT
)
async def revoke_league_key(id: KeyId, service: ServiceDep, access: Admin) -> Response:
    """Revoke a key of this league for good; it stops working within a second."""
    return json_response(await revoke(service, admin_of(access), id, access.league_id))


@router.post(
    LEAGUE_KEYS + "/{id}/rotate",
    summary="Rotate a key of a league",
    response_model=schemas.KeyWithSecret,
    responses=CONFLICT,
)
async def rotate_league_key(
    id: KeyId, service: ServiceDep, access: Admin, asked: schemas.Rotation = ROTATION
) -> Response:
    """Give a key of this league a new secret, which only this response contains.

    The old secret keeps working for a grace period.
    """
    return json_response(await rotate(service, admin_of(access), id, asked.grace, access.league_id))
