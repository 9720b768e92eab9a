"""Everything of a league as a file."""

from __future__ import annotations

from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from sqlalchemy import Connection
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from ...store import leagues
from ...store.journal import journal
from .common import Read, ServiceDep

router = APIRouter(tags=["files"])
Format = Literal["csv", "parquet", "ndjson"]
MEDIA = {
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "ndjson": "application/x-ndjson",
}
ENDINGS = {"ndjson": "jsonl"}  # by which a history knows it
Layout = Annotated[
    Literal["wide", "long"] | None,
    Query(description="A row per match or a row per player; without it, as is easier to read."),
]


@router.get(
    "/api/leagues/{league}/export.{format}",
    summary="All matches as a file",
    response_class=Response,
    responses={
        200: {
            "description": "The matches, in the order of the league.",
            "content": {kind.partition(";")[0]: {"schema": {"type": "string"}} for kind in MEDIA.values()},
        }
    },
)
async def export_matches(access: Read, service: ServiceDep, format: Format, layout: Layout = None) -> Response:
    """All matches of a league as CSV, Parquet or NDJSON, with their ids, as they are now.

    Imported into an empty league with the same clock, the file gives the same matches in the same order.
    """
    folder = Path(mkdtemp(prefix="prowess-"))
    path = folder / f"{access.league}.{ENDINGS.get(format, format)}"

    def work(connection: Connection) -> int:
        league = leagues.find(connection, access.league)
        journal.history(connection, league).write(path, layout)
        return league.revision

    try:
        revision = await service.read(work)
    except BaseException:
        rmtree(folder, ignore_errors=True)
        raise
    return FileResponse(
        path,
        media_type=MEDIA[format],
        filename=f"{access.league}-{revision}.{format}",
        headers={"Cache-Control": "no-cache", "X-Revision": str(revision)},
        background=BackgroundTask(rmtree, folder, ignore_errors=True),
    )
