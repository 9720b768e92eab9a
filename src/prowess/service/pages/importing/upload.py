"""The upload of a file of matches, which is previewed, and then imported."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from hashlib import file_digest, sha256
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ....errors import Error
from ....history.read_options import Choices
from ....store import leagues
from ....store.errors import Unavailable
from ....store.write.commands import Post
from ....store.write.importing import with_ids
from ...api.dependencies import LARGEST, ServiceDep, Write
from ...api.files import FilePreview, extension_of, read_upload
from ...auth import Access
from ...context import Service
from ..web.csrf import CheckedForm
from ..web.page import PageContext
from ..web.templates import render_page
from ..web.urls import page_url
from .columns import FIELDS, GROUPS, field_values, parse_choices, role_label
from .preview import preview_file

router = APIRouter(include_in_schema=False)
PATH = "/leagues/{league}/import"
LONGEST = 100  # letters of the name of a file
EMPTY: dict[str, Any] = {
    "imported": None,
    "repeated": 0,
    "founded": False,  # what has just been done
    "preview": None,
    "file": "",
    "digest": "",
    "other": False,
    "values": {},
    "missing": False,
}
Number = Annotated[int | None, Query(ge=0, le=LARGEST)]


@router.get(PATH)
async def upload_form(
    request: Request,
    access: Write,
    service: ServiceDep,
    imported: Number = None,
    repeated: Number = None,
    founded: bool = False,
) -> Response:
    """Show the form for a file."""
    notes = {"imported": imported, "repeated": repeated or 0, "founded": founded}
    return await _page(request, service, access, notes)


@router.post(PATH)
async def receive(request: Request, access: Write, service: ServiceDep, form: CheckedForm) -> Response:
    """Preview a file; or import it, if it is the one that was previewed, read in the same way."""
    upload = form.get("file")
    if not isinstance(upload, UploadFile) or not upload.filename:
        return await _page(request, service, access, {"missing": True}, 422)
    name = _display_name(upload.filename)
    digest, choices, looked = await run_in_threadpool(_read, upload, name, parse_choices(form))
    confirmed = form.get("confirm")
    if confirmed == digest and looked.found is not None and len(looked.found.history):
        try:
            return await _import(service, access, name, looked)
        except Unavailable:
            raise
        except Error:
            pass  # the league has changed since, and the new preview shows it
    preview = await run_in_threadpool(preview_file, service, access.league, looked)
    context: dict[str, Any] = {"preview": preview, "file": name, "digest": digest, "values": field_values(choices)}
    context["other"] = confirmed is not None and confirmed != digest
    return await _page(request, service, access, context, 422 if preview["problem"] else 200)


async def _page(
    request: Request, service: Service, access: Access, context: dict[str, Any], status: int = 200
) -> Response:
    league = await service.read(lambda connection: leagues.find(connection, access.league))
    form = {"groups": GROUPS, "fields": FIELDS, "role_label": role_label, "limit": service.settings.import_limit}
    page = PageContext(EMPTY | context, league=league, status=status, extra=form)
    return await run_in_threadpool(render_page, request, "import.html", page)


def _display_name(filename: str) -> str:
    plain = "".join(letter for letter in filename if letter.isprintable())
    return (plain if len(plain) <= LONGEST else f"{plain[:60]}…{plain[-30:]}") or "file"


def _read(upload: UploadFile, name: str, choices: Choices) -> tuple[str, Choices, FilePreview]:
    """Read a file; the digest identifies its content and how it was read.

    Choices made for the previous file are kept for this one, except for columns that it does not have.
    """
    ending = extension_of(name)
    with TemporaryDirectory(prefix="prowess-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / (f"file.{ending}" if ending else "file")
        with path.open("wb") as file:
            copyfileobj(upload.file, file)
        with path.open("rb") as file:
            content = file_digest(file, "sha256").hexdigest()
        looked = read_upload(path, choices)
        asked = choices.columns or {}
        kept = {role: column for role, column in asked.items() if column is None or column in looked.columns}
        if looked.columns and kept != asked:
            choices = replace(choices, columns=kept or None)
            looked = read_upload(path, choices)
    return sha256(f"{content} {sorted(field_values(choices).items())!r}".encode()).hexdigest(), choices, looked


async def _import(service: Service, access: Access, name: str, looked: FilePreview) -> Response:
    """Record all that can be read as one change."""
    assert looked.found is not None
    history = await run_in_threadpool(with_ids, looked.found.history)
    command = Post(access.league, history, author=access.author, reason=f"imported from {name}")
    done = await asyncio.wrap_future(service.writer.submit(command))
    repeated = sum(done.repeated)
    url = page_url(access.league, "import", imported=len(history) - repeated, repeated=repeated or None)
    return RedirectResponse(url, 303)
