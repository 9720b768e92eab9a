"""Health checks, Prometheus metrics and the audit log."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.responses import Response

from ...store import audit
from ...store.keys import Key
from ..auth import GlobalPermission
from ..concurrency import run_in_threadpool
from ..context import Service, service_of
from ..errors import Problem
from .dependencies import ServiceDep
from .responses import json_response, rfc3339
from .schemas import files as schemas

router = APIRouter()
UncheckedService = Annotated[Service, Depends(service_of)]  # load balancers may add any query string


@router.get("/healthz", tags=["health"], summary="Check that the process is alive")
async def get_health() -> dict[str, str]:
    """Responds as long as the process runs."""
    return {"status": "ok"}


@router.get("/readyz", tags=["health"], summary="Check that requests can be served")
async def get_readiness(service: UncheckedService) -> dict[str, str]:
    """Responds with 200 if the database can be written to; otherwise with 503 and the cause, such as a full disk.

    To find out, the service makes a small write and rolls it back, at most once a second. During shutdown, the response
    is 503 as well.
    """
    if service.closing.is_set():
        raise Problem(503, "the service is shutting down")
    await service.readiness.get("database")
    return {"status": "ready"}


@router.get("/metrics", tags=["health"], summary="Get metrics for Prometheus", response_class=Response)
async def get_metrics(service: UncheckedService, key: Annotated[Key, Depends(GlobalPermission("read"))]) -> Response:
    """Metrics of requests, durations, refusals and commits, summed over all processes of the service.

    You need a key for all leagues. With the setting `metrics_address`, the service also serves the metrics at another
    address, where no key is needed.
    """
    if not service.settings.metrics:
        raise Problem(404, "metrics are disabled; see the setting `metrics`")
    return Response(await run_in_threadpool(service.metrics.export), media_type=CONTENT_TYPE_LATEST)


@router.get("/api/audit", tags=["audit"], summary="Get the audit log", response_model=schemas.AuditLog)
async def list_audit_entries(
    service: ServiceDep,
    key: Annotated[Key, Depends(GlobalPermission("admin"))],
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
    before: Annotated[int | None, Query(ge=1, le=2**63 - 1, description="Only entries with a smaller id.")] = None,
) -> Response:
    """Changes to leagues, models, seasons and keys, newest first. You need an admin key for all leagues."""
    found = await service.read(lambda connection: audit.list_entries(connection, limit, before))
    entries = [vars(entry) | {"at": rfc3339(entry.at)} for entry in found]
    following = f"/api/audit?limit={limit}&before={found[-1].id}" if len(found) == limit else None
    return json_response({"entries": entries, "next": following})
