"""Import the matches of a file into a league, and export a league's matches to a file."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Annotated, Any, Literal, get_args

from fastapi import APIRouter, Query
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, Response
from starlette.types import Receive, Scope, Send

from ...errors import Error
from ...history.read_context import Findings, Located
from ...history.read_limits import ReadLimits
from ...history.read_options import Choices
from ...store.choices import Chosen
from ...store.exports import ExportSpec, Format
from ...store.write.commands import CommandResult, Post
from ...store.write.writer import preview
from ...text import count
from ..background.child_process import ProcessFailed, ProcessLimits
from ..background.model_choice import IMPORT_SECONDS
from ..background.uploads import TITLE, FilePreview, read_upload
from ..concurrency import run_in_threadpool, unless_disconnected
from ..context import service_of
from ..errors import Problem, problem_responses
from ..exports import ExportedFile
from ..first_import import chosen_payload, is_fresh, record_import
from ..middleware import ABORTED
from .dependencies import DryRun, IdempotencyKey, RawNames, Read, Reason, ServiceDep, Write
from .responses import json_response
from .schemas import files as schemas

router = APIRouter(tags=["files"])

ImportFormat = Literal[
    "csv", "tsv", "txt", "ndjson", "jsonl", "json", "xml", "pgn", "parquet", "xlsx", "xls", "ods",
    "csv.gz", "tsv.gz", "ndjson.gz", "jsonl.gz", "json.gz", "pgn.gz", "pgn.bz2"
]  # fmt: skip
EXTENSIONS: tuple[str, ...] = get_args(ImportFormat)
EXTENSION_BY_MEDIA_TYPE = {
    "text/csv": "csv",
    "text/tab-separated-values": "tsv",
    "text/plain": "txt",
    "application/x-ndjson": "ndjson",
    "application/ndjson": "ndjson",
    "application/jsonl": "ndjson",
    "application/xml": "xml",
    "text/xml": "xml",
    "application/x-chess-pgn": "pgn",
    "application/vnd.chess-pgn": "pgn",
    "application/vnd.ms-excel": "xls",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.apache.parquet": "parquet",
    "application/x-parquet": "parquet",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
}
REMEDY = ("send smaller files, or ask the administrator to raise the limits of imports",)
PATIENCE = 5.0  # limit of elapsed time, as a multiple of the limit of CPU time

EXPORT_MEDIA_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "ndjson": "application/x-ndjson",
}
Layout = Annotated[
    Literal["wide", "long"] | None,
    Query(description="One row per match (wide) or per player (long); by default, the more readable layout."),
]


@router.post(
    "/api/leagues/{league}/import",
    status_code=201,
    summary="Import a file of matches",
    response_model=schemas.Imported,
    response_description="The matches are on disk. If nothing was recorded, the status is 200.",
    responses=problem_responses(409)
    | {
        200: {
            "model": schemas.Imported,
            "description": "Nothing was recorded: this was a dry run, or all matches were recorded before.",
        }
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                media_type: {"schema": {"type": "string", "format": "binary"}, "example": "winner,loser\nann,bob\n"}
                for media_type in ("text/csv", "application/x-ndjson", "application/vnd.apache.parquet")
            },
        }
    },
)
async def import_matches(
    request: Request,
    access: Write,
    service: ServiceDep,
    format: Annotated[
        ImportFormat | None, Query(description="Format of the file, if the Content-Type does not give it.")
    ] = None,
    filename: Annotated[
        str | None, Query(max_length=255, description="File name; its extension gives the format.")
    ] = None,
    columns: Annotated[
        list[str] | None,
        Query(description="Role of a column that is not recognised, as ROLE=COLUMN, such as `winner=won`."),
    ] = None,
    context: Annotated[
        list[str] | None,
        Query(
            description="A column to keep as context of the matches; may be repeated. By default, all columns without "
            "another role are kept; `context=` keeps none."
        ),
    ] = None,
    time_format: Annotated[str | None, Query(max_length=100, examples=["%d.%m.%Y"])] = None,
    day_first: bool | None = None,
    skip_problems: Annotated[bool, Query(description="Skip unreadable rows, and list them in the response.")] = False,
    dry_run: DryRun = False,
    reason: Reason = "",
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Read a file and record its matches as one change: either all of them, or none.

    The layout is detected as on the command line: one row per match or per player, in CSV, TSV, NDJSON, Parquet, PGN, a
    workbook (Excel, OpenDocument), or the export of a tournament or play log. The response says how the columns were
    read; rows that cannot be read are reported by line (422). Matches without an id get an id derived from their
    content, so you can send a file again after matches were added to it.
    """
    extension = import_extension(format, filename, request.headers.get("content-type", ""))
    names = None if context is None else tuple(name for name in context if name)
    roles = _column_roles(columns or [])
    choices = Choices(columns=roles, context=names, time_format=time_format, day_first=day_first, utc=True)
    fresh = await is_fresh(service, access.league)
    folder = Path(mkdtemp(prefix="prowess-"))
    path = folder / f"file.{extension}"
    try:
        with path.open("wb") as file:
            async for part in request.stream():
                file.write(part)
        upload = await parse_upload(request, path, choices, ids=not idempotency_key, choose=fresh)
    finally:
        rmtree(folder, ignore_errors=True)
    found = upload.found
    if found is None:
        assert upload.problem is not None
        raise upload.problem
    if found.problems and not skip_problems:
        raise unreadable(found, upload.problem_count)
    command = Post(access.league, found.history, idempotency_key, author=access.author, reason=reason)
    if dry_run:
        result = await run_in_threadpool(preview, service.database, command)
        return json_response(import_payload(result, found, upload.chosen))
    result, chosen = await record_import(service, command, upload.chosen)
    return json_response(import_payload(result, found, chosen), 200 if all(result.repeated) else 201)


def _column_roles(pairs: list[str]) -> dict[str, str | None] | None:
    # `role=` means that no column has the role.
    roles: dict[str, str | None] = {}
    for pair in pairs:
        role, equals, column = pair.partition("=")
        if not equals or not role.strip():
            raise Error.in_field("columns", f"{pair!r} must be ROLE=COLUMN, such as winner=won", value=pair)
        roles[role.strip()] = column or None
    return roles or None


def extension_of(filename: str) -> str | None:
    """Return the extension of a file that can be imported, else None.

    >>> extension_of("Games.CSV.gz"), extension_of("games.exe")
    ('csv.gz', None)
    """
    return next((one for one in sorted(EXTENSIONS, key=len) if filename.lower().endswith(f".{one}")), None)


def import_extension(format: str | None, filename: str | None, content_type: str) -> str:
    """Return the extension that determines how an uploaded file is read.

    It is the given format, or follows from the file name or, without a file name, from the Content-Type.

    >>> import_extension(None, None, "text/csv; charset=utf-8"), import_extension(None, "games.parquet", "")
    ('csv', 'parquet')
    """
    if format is not None:
        return format
    if filename is not None:
        extension = extension_of(filename)
        if extension is None:
            allowed = ", ".join(f".{one}" for one in EXTENSIONS)
            raise Error.in_field("filename", f"{filename!r} must end in {allowed}", value=filename)
        return extension
    media_type = content_type.partition(";")[0].strip().lower()
    if media_type not in EXTENSION_BY_MEDIA_TYPE:
        allowed = ", ".join(EXTENSION_BY_MEDIA_TYPE)
        raise Problem(415, f"unknown file format: add `?format=csv`, or send one of these Content-Types: {allowed}")
    return EXTENSION_BY_MEDIA_TYPE[media_type]


async def parse_upload(
    request: Request, path: Path, choices: Choices, *, ids: bool = True, ask: bool = False, choose: bool = False
) -> FilePreview:
    """Read an uploaded file in a child process within limits; stop the child if the client disconnects.

    `ids` and `ask` have the same meaning as in `read_upload`. With `choose`, the child also chooses a model for the
    matches.
    """
    service = service_of(request)
    settings = service.settings
    limits = ReadLimits(rows=settings.import_rows or inf, unpacked=settings.import_unpacked or inf, remedy=REMEDY)
    process = ProcessLimits(settings.import_memory, settings.import_time, PATIENCE * settings.import_time)
    limited = replace(choices, limits=limits)
    # Choosing a model may take only a part of the time limit for reading a file.
    seconds = min(IMPORT_SECONDS, settings.import_time / 4 or inf) if choose else 0.0

    async def work() -> FilePreview:
        # Few files are read at once, because each child may use as much memory as the settings allow.
        async with service.importing.slot():
            return await service.children.run(process, read_upload, path, limited, ids, ask, seconds)

    try:
        upload = await unless_disconnected(request.receive, work())
    except ProcessFailed as error:
        return FilePreview({}, None, Error(f"{TITLE} cannot be read: {error}; ", *REMEDY))
    if upload is None:
        raise ClientDisconnect
    return upload


def unreadable(found: Findings, number: int) -> Problem:
    """Return the problem response that lists the unreadable rows of a file.

    `number` is the number of all unreadable rows; `found` may list fewer.
    """
    first, rest = found.problems[0], number - 1
    more = f" (and {count(rest, 'more problem', 'more problems')})" if rest else ""
    errors = [{"field": one.where, "detail": str(one.problem)} for one in found.problems]
    return Problem(422, f"{first}{more}; use `skip_problems=true` to skip these rows", errors=errors)


def problem_payload(one: Located) -> dict[str, str | None]:
    """Return a problem found in a file as plain data."""
    value = None if one.problem.value is None else str(one.problem.value)
    return {"where": one.where, "column": one.problem.column, "value": value, "detail": one.problem.detail()}


def import_payload(result: CommandResult, found: Findings, chosen: Chosen | None = None) -> dict[str, Any]:
    """Return how a file was read, the effects of its import, and the model chosen for it, if any, as plain data."""
    payload: dict[str, Any] = {
        "league": result.league,
        "revision": result.revision,
        "matches": len(found.history),
        "repeated": sum(result.repeated),
        "players": len(result.players),
        "recognised": found.history.recognised.splitlines(),
        "columns": found.roles,
        "problems": [problem_payload(one) for one in found.problems],
    }
    payload |= {"aliases": dict(result.aliases)} if result.aliases else {}
    return payload if chosen is None else payload | {"chosen": chosen_payload(chosen)}


@router.get(
    "/api/leagues/{league}/export.{format}",
    summary="Export all matches as a file",
    response_class=Response,
    responses={
        200: {
            "description": "The matches in chronological order.",
            "content": {kind.partition(";")[0]: {"schema": {"type": "string"}} for kind in EXPORT_MEDIA_TYPES.values()},
        },
        **problem_responses(503),
    },
)
async def export_matches(
    request: Request,
    access: Read,
    service: ServiceDep,
    format: Format,
    layout: Layout = None,
    raw_names: RawNames = False,
) -> Response:
    """The current matches of a league with their ids, as CSV, Parquet or NDJSON.

    If you import the file into an empty league with the same clock, you get the same matches in the same order.
    """
    # Only CSV escapes names, so in other formats both values of `raw_names` share one file.
    spec = ExportSpec(format, None if format == "ndjson" else layout, raw_names and format == "csv")
    exported = await unless_disconnected(request.receive, service.exports.get(access.league, spec))
    return Response(status_code=ABORTED) if exported is None else Download(exported, access.league, format)


class Download(FileResponse):
    """Sends an exported file, stops when the client disconnects, and deletes the file."""

    def __init__(self, file: ExportedFile, league: str, format: Format) -> None:
        headers = {"Cache-Control": "no-cache", "X-Revision": str(file.revision)}
        name = f"{league}-{file.revision}.{format}"
        super().__init__(file.path, media_type=EXPORT_MEDIA_TYPES[format], filename=name, headers=headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the file."""
        try:
            await unless_disconnected(receive, super().__call__(scope, receive, send))
        finally:
            # The path is this download's own link, so other downloads of the same export are not affected.
            Path(self.path).unlink(missing_ok=True)
