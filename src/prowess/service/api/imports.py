"""A file of matches, all of it recorded at once or nothing of it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Annotated, Any, Literal, get_args

from fastapi import APIRouter, Query
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ...counts import count
from ...errors import Error
from ...history import History
from ...history.findings import Findings
from ...store.changes import Done, Post
from ...store.importing import with_ids
from ...store.writer import preview
from ..problems import Problem, answers
from .common import DryRun, Here, IdempotencyKey, Why, Write, answer
from .schemas import files as forms

__all__ = ["router"]

router = APIRouter(tags=["files"])
Format = Literal["csv", "tsv", "txt", "ndjson", "jsonl", "parquet", "xlsx", "csv.gz", "tsv.gz", "ndjson.gz", "jsonl.gz"]
KINDS = {
    "text/csv": "csv",
    "text/tab-separated-values": "tsv",
    "text/plain": "txt",
    "application/x-ndjson": "ndjson",
    "application/ndjson": "ndjson",
    "application/jsonl": "ndjson",
    "application/vnd.apache.parquet": "parquet",
    "application/x-parquet": "parquet",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
}
NAMES: tuple[str, ...] = get_args(Format)
SHOWN = 1_000  # problems


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
    ending = _ending(format, filename, request.headers.get("content-type", ""))
    folder = Path(mkdtemp(prefix="prowess-"))
    path = folder / f"file.{ending}"
    reading: Any = {"columns": _columns(columns or []), "time_format": time_format, "day_first": day_first, "utc": True}
    try:
        with path.open("wb") as file:
            async for part in request.stream():
                file.write(part)
        found = await run_in_threadpool(_read, path, reading)
    finally:
        rmtree(folder, ignore_errors=True)
    if found.problems and not skip_problems:
        raise _refused(found)
    matches = found.history if idempotency_key else await run_in_threadpool(with_ids, found.history)
    what = Post(access.league, matches, idempotency_key, author=access.author, reason=reason)
    if dry_run:
        return answer(_plain(await run_in_threadpool(preview, here.database, what), found))
    did = await asyncio.wrap_future(here.writer.submit(what))
    return answer(_plain(did, found), 200 if all(did.repeated) else 201)


def _ending(format: str | None, filename: str | None, kind: str) -> str:
    """What kind of file it is, by what was said of it."""
    if format is not None:
        return format
    if filename is not None:
        found = next((one for one in sorted(NAMES, key=len) if filename.lower().endswith(f".{one}")), None)
        if found is None:
            raise Error(f"filename: {filename!r} must end in {', '.join(f'.{one}' for one in NAMES)}")
        return found
    media = kind.partition(";")[0].strip().lower()
    if media not in KINDS:
        raise Problem(415, f"say what the file is: by `?format=csv`, or by a Content-Type of {', '.join(KINDS)}")
    return KINDS[media]


def _columns(said: list[str]) -> dict[str, str | None] | None:
    """Roles and their columns; "role=" is a role that no column has."""
    pairs: dict[str, str | None] = {}
    for one in said:
        role, equals, column = one.partition("=")
        if not equals or not role.strip():
            raise Error(f"columns: {one!r} must be ROLE=COLUMN, such as winner=won")
        pairs[role.strip()] = column or None
    return pairs or None


def _read(path: Path, reading: Any) -> Findings:
    """Read a file; where it lay here is nobody's business."""
    try:
        return History.check(path, **reading)
    except Error as error:
        raise Error(str(error).replace(str(path), "the file")) from None


def _refused(found: Findings) -> Problem:
    """The answer to a file that cannot be read as a whole."""
    first, rest = found.problems[0], len(found.problems) - 1
    more = f" (and {count(rest, 'more problem', 'more problems')})" if rest else ""
    errors = [{"field": one.where, "detail": str(one.problem)} for one in found.problems[:SHOWN]]
    return Problem(422, f"{first}{more}; `skip_problems=true` leaves out what cannot be read", errors=errors)


def _plain(done: Done, found: Findings) -> dict[str, Any]:
    """What was found in a file, and what came of it."""
    return {
        "league": done.league,
        "revision": done.revision,
        "matches": len(found.history),
        "repeated": sum(done.repeated),
        "players": len(done.players),
        "recognised": found.history.recognised.splitlines(),
        "columns": found.roles,
        "problems": [
            {
                "where": one.where,
                "column": one.problem.column,
                "value": None if one.problem.value is None else str(one.problem.value),
                "detail": one.problem.right,
            }
            for one in found.problems[:SHOWN]
        ],
    }
