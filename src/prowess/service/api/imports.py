"""A file of matches, all of it recorded at once or nothing of it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ...errors import Error
from ...history.choices import Choices
from ...store.changes import Post
from ...store.importing import with_ids
from ...store.writer import preview
from ..problems import answers
from .common import DryRun, Here, IdempotencyKey, Why, Write, answer
from .received import Format, kind_of, look, plain, refused
from .schemas import files as forms

__all__ = ["router"]

router = APIRouter(tags=["files"])


@router.post(
    "/api/leagues/{league}/import",
    status_code=201,
    summary="Import a file of matches",
    response_model=forms.Imported,
    response_description="Recorded, durably; 200 for a dry run, or if all of it had been recorded before.",
    responses=answers(409) | {200: {"model": forms.Imported, "description": "Nothing new, or a dry run."}},
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                kind: {"schema": {"type": "string", "format": "binary"}, "example": "winner,loser\nann,bob\n"}
                for kind in ("text/csv", "application/x-ndjson", "application/vnd.apache.parquet")
            },
        }
    },
)
async def import_(
    request: Request,
    access: Write,
    here: Here,
    format: Annotated[
        Format | None, Query(description="What the file is, if its Content-Type does not say it.")
    ] = None,
    filename: Annotated[str | None, Query(max_length=255, description="Or its name.")] = None,
    columns: Annotated[
        list[str] | None, Query(description="Which column is what, where it is not recognised: `winner=won`.")
    ] = None,
    time_format: Annotated[str | None, Query(max_length=100, examples=["%d.%m.%Y"])] = None,
    day_first: bool | None = None,
    skip_problems: Annotated[bool, Query(description="Leave out what cannot be read, and say so.")] = False,
    dry_run: DryRun = False,
    reason: Why = "",
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Read a file of matches and record all of them as one change, or none.

    Its layout is recognised as the command line does: a row per match or per player, in CSV, TSV, NDJSON, Parquet or a
    workbook. The answer says how it was understood; what cannot be read is told by line (422). Matches without ids get
    some that are made of what they say, so that the same file may be sent again when it has grown.
    """
    ending = kind_of(format, filename, request.headers.get("content-type", ""))
    choices = Choices(columns=_columns(columns or []), time_format=time_format, day_first=day_first, utc=True)
    folder = Path(mkdtemp(prefix="prowess-"))
    path = folder / f"file.{ending}"
    try:
        with path.open("wb") as file:
            async for part in request.stream():
                file.write(part)
        looked = await run_in_threadpool(look, path, choices)
    finally:
        rmtree(folder, ignore_errors=True)
    found = looked.found
    if found is None:
        raise Error(looked.problem)
    if found.problems and not skip_problems:
        raise refused(found)
    matches = found.history if idempotency_key else await run_in_threadpool(with_ids, found.history)
    what = Post(access.league, matches, idempotency_key, author=access.author, reason=reason)
    if dry_run:
        return answer(plain(await run_in_threadpool(preview, here.database, what), found))
    did = await asyncio.wrap_future(here.writer.submit(what))
    return answer(plain(did, found), 200 if all(did.repeated) else 201)


def _columns(said: list[str]) -> dict[str, str | None] | None:
    """Roles and their columns; "role=" is a role that no column has."""
    pairs: dict[str, str | None] = {}
    for one in said:
        role, equals, column = one.partition("=")
        if not equals or not role.strip():
            raise Error(f"columns: {one!r} must be ROLE=COLUMN, such as winner=won")
        pairs[role.strip()] = column or None
    return pairs or None
