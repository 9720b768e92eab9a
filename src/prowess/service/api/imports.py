"""A file of matches, all of it recorded at once or nothing of it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Annotated, Any, Literal, get_args

from fastapi import APIRouter, Query
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ...errors import Error
from ...history.read_context import Findings, Located, Table
from ...history.read_options import Choices
from ...history.readers import from_table
from ...history.reading.byte_source import open_source
from ...history.reading.sniff import load_source
from ...store.write.commands import CommandResult, Post
from ...store.write.importing import with_ids
from ...store.write.writer import preview
from ...text import count
from ..errors import Problem, problem_responses
from .common import DryRun, IdempotencyKey, Reason, ServiceDep, Write, json_response
from .schemas import files as forms

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
TITLE = "the file"  # as messages call it: where it lay here is nobody's business
SAMPLE = 20  # rows of which the cells are kept to be shown


@dataclass(frozen=True)
class FilePreview:
    """What is in a file: its columns with their first cells, and what was found; or why nothing can be found.

    >>> FilePreview({}, None, Error("the file: it is empty")).found is None
    True
    """

    columns: dict[str, list[str]]
    found: Findings | None
    problem: Error | None = None


@router.post(
    "/api/leagues/{league}/import",
    status_code=201,
    summary="Import a file of matches",
    response_model=forms.Imported,
    response_description="Recorded, durably; 200 for a dry run, or if all of it had been recorded before.",
    responses=problem_responses(409) | {200: {"model": forms.Imported, "description": "Nothing new, or a dry run."}},
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
async def import_matches(
    request: Request,
    access: Write,
    service: ServiceDep,
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
    reason: Reason = "",
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Read a file of matches and record all of them as one change, or none.

    Its layout is recognised as the command line does: a row per match or per player, in CSV, TSV, NDJSON, Parquet or a
    workbook. The answer says how it was understood; what cannot be read is told by line (422). Matches without ids get
    some that are made of what they say, so that the same file may be sent again when it has grown.
    """
    ending = format_of(format, filename, request.headers.get("content-type", ""))
    choices = Choices(columns=_columns(columns or []), time_format=time_format, day_first=day_first, utc=True)
    folder = Path(mkdtemp(prefix="prowess-"))
    path = folder / f"file.{ending}"
    try:
        with path.open("wb") as file:
            async for part in request.stream():
                file.write(part)
        looked = await run_in_threadpool(read_upload, path, choices)
    finally:
        rmtree(folder, ignore_errors=True)
    found = looked.found
    if found is None:
        assert looked.problem is not None
        raise looked.problem
    if found.problems and not skip_problems:
        raise unreadable(found)
    matches = found.history if idempotency_key else await run_in_threadpool(with_ids, found.history)
    what = Post(access.league, matches, idempotency_key, author=access.author, reason=reason)
    if dry_run:
        return json_response(import_payload(await run_in_threadpool(preview, service.database, what), found))
    did = await asyncio.wrap_future(service.writer.submit(what))
    return json_response(import_payload(did, found), 200 if all(did.repeated) else 201)


def _columns(said: list[str]) -> dict[str, str | None] | None:
    """Roles and their columns; "role=" is a role that no column has."""
    pairs: dict[str, str | None] = {}
    for one in said:
        role, equals, column = one.partition("=")
        if not equals or not role.strip():
            raise Error.in_field("columns", f"{one!r} must be ROLE=COLUMN, such as winner=won", value=one)
        pairs[role.strip()] = column or None
    return pairs or None


def extension_of(filename: str) -> str | None:
    """The ending by which a file is known to be read, if it has one.

    >>> extension_of("Games.CSV.gz"), extension_of("games.exe")
    ('csv.gz', None)
    """
    return next((one for one in sorted(NAMES, key=len) if filename.lower().endswith(f".{one}")), None)


def format_of(format: str | None, filename: str | None, media: str) -> str:
    """What kind of file it is, by what was said of it.

    >>> format_of(None, None, "text/csv; charset=utf-8"), format_of(None, "games.parquet", "")
    ('csv', 'parquet')
    """
    if format is not None:
        return format
    if filename is not None:
        found = extension_of(filename)
        if found is None:
            endings = ", ".join(f".{one}" for one in NAMES)
            raise Error.in_field("filename", f"{filename!r} must end in {endings}", value=filename)
        return found
    plain = media.partition(";")[0].strip().lower()
    if plain not in KINDS:
        raise Problem(415, f"say what the file is: by `?format=csv`, or by a Content-Type of {', '.join(KINDS)}")
    return KINDS[plain]


def read_upload(path: Path, choices: Choices) -> FilePreview:
    """Look at a file, as the command line does."""
    columns: dict[str, list[str]] = {}
    try:
        opened = load_source(open_source(path, TITLE), choices)
        if isinstance(opened, Table):
            head = opened.frame.head(SAMPLE)
            columns = {one.name: ["" if cell is None else str(cell) for cell in one] for one in head.iter_columns()}
        return FilePreview(columns, from_table(opened) if isinstance(opened, Table) else opened)
    except Error as error:
        return FilePreview(columns, None, error)


def unreadable(found: Findings) -> Problem:
    """The answer to a file that cannot be read as a whole."""
    first, rest = found.problems[0], len(found.problems) - 1
    more = f" (and {count(rest, 'more problem', 'more problems')})" if rest else ""
    errors = [{"field": one.where, "detail": str(one.problem)} for one in found.problems[:SHOWN]]
    return Problem(422, f"{first}{more}; `skip_problems=true` leaves out what cannot be read", errors=errors)


def problem_payload(one: Located) -> dict[str, str | None]:
    """A problem of a file as plain data."""
    value = one.problem.value
    written = None if value is None else str(value)
    return {"where": one.where, "column": one.problem.column, "value": written, "detail": one.problem.detail()}


def import_payload(done: CommandResult, found: Findings) -> dict[str, Any]:
    """What was found in a file, and what came of it."""
    return {
        "league": done.league,
        "revision": done.revision,
        "matches": len(found.history),
        "repeated": sum(done.repeated),
        "players": len(done.players),
        "recognised": found.history.recognised.splitlines(),
        "columns": found.roles,
        "problems": [problem_payload(one) for one in found.problems[:SHOWN]],
    }
