"""Who has done what."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from ...store import audit as log
from ...store.keys import Key
from ..auth import may_everywhere
from .common import ServiceDep, json_response
from .schemas import files as forms
from .serialize import rfc3339

router = APIRouter(tags=["audit"])


@router.get("/api/audit", summary="The audit log", response_model=forms.Audit)
async def list_audit_entries(
    service: ServiceDep,
    key: Annotated[Key, Depends(may_everywhere("admin"))],
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
    before: Annotated[int | None, Query(ge=1, le=2**63 - 1, description="The id of an entry to go on behind.")] = None,
) -> Response:
    """What was done to leagues, models, seasons and keys, newest first. It needs an admin's key of all leagues."""
    found = await service.read(lambda connection: log.list_entries(connection, limit, before))
    entries: list[dict[str, Any]] = [vars(one) | {"at": rfc3339(one.at)} for one in found]
    following = f"/api/audit?limit={limit}&before={found[-1].id}" if len(found) == limit else None
    return json_response({"entries": entries, "next": following})
