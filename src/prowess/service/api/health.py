"""Whether the service works, for those who watch it: load balancers, and Prometheus."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from prometheus_client import CONTENT_TYPE_LATEST
from sqlalchemy import text
from starlette.responses import Response

from ..context import Service, service
from ..errors import Problem

router = APIRouter(tags=["health"])
Here = Annotated[Service, Depends(service)]


@router.get("/healthz", summary="Whether the process is alive")
async def get_health() -> dict[str, str]:
    """Answers as long as the process does."""
    return {"status": "ok"}


@router.get("/readyz", summary="Whether requests can be served")
async def get_readiness(service: Here) -> dict[str, str]:
    """Answers if the database does, and if its tables are as they must be; not while the service is ending."""
    if service.closing.is_set():
        raise Problem(503, "the service is ending")
    await service.read(lambda connection: connection.execute(text("SELECT count(*) FROM league WHERE id < 0")).scalar())
    return {"status": "ready"}


@router.get("/metrics", summary="Figures for Prometheus", response_class=Response)
def get_metrics(service: Here) -> Response:
    """Requests by route and status, their times, and what the store does; of all processes of this machine together."""
    if not service.settings.metrics:
        raise Problem(404, "the figures are switched off: see the setting `metrics`")
    return Response(service.metrics.export(), media_type=CONTENT_TYPE_LATEST)
