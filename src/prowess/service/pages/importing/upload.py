"""A file of matches is looked at, and then imported."""

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
from ...api.common import LARGEST, Here, Write
from ...api.imports import Looked, ending_of, look
from ...auth import Access
from ...context import Service
from ..web.csrf import CheckedForm
from ..web.filters import digits
from ..web.page import PageContext
from ..web.templates import render_page
from ..web.urls import page_url
from .columns import FIELDS, GROUPS, choices_of, fields_of, role_in_words
from .preview import looked_at

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
PATH = "/leagues/{league}/import"
LONGEST = 100  # letters of the name of a file
NOTHING: dict[str, Any] = {"seen": None, "file": "", "digest": "", "other": False, "said": {}, "missing": False}
Number = Annotated[int | None, Query(ge=0, le=LARGEST)]


@router.get(PATH)
async def ask(
    request: Request,
    access: Write,
    service: Here,
    imported: Number = None,
    repeated: Number = None,
    founded: bool = False,
) -> Response:
    """A form for a file."""
    notes = {"imported": imported, "repeated": repeated or 0, "founded": founded}
    return await _page(request, service, access, NOTHING | notes)


@router.post(PATH)
async def receive(request: Request, access: Write, service: Here, form: CheckedForm) -> Response:
    """Look at a file; or import it, if it is the one that was looked at, understood in the same way."""
    upload = form.get("file")
    if not isinstance(upload, UploadFile) or not upload.filename:
        return await _page(request, service, access, NOTHING | {"missing": True}, 422)
    name = _named(upload.filename)
    digest, choices, looked = await run_in_threadpool(_read, upload, name, choices_of(form))
    confirmed = form.get("confirm")
    if confirmed == digest and looked.found is not None and len(looked.found.history):
        try:
            return await _imported(service, access, name, looked)
        except Unavailable:
            raise
        except Error:
            pass  # what has changed since is seen in what is shown now
    seen = await run_in_threadpool(looked_at, service, access.league, looked)
    told = {"seen": seen, "file": name, "digest": digest, "said": fields_of(choices)}
    other = confirmed is not None and confirmed != digest
    return await _page(request, service, access, NOTHING | told | {"other": other}, 422 if seen["problem"] else 200)


async def _page(
    request: Request, service: Service, access: Access, told: dict[str, Any], status: int = 200
) -> Response:
    league = await service.read(lambda connection: leagues.find(connection, access.league))
    notes = {"imported": None, "repeated": 0, "founded": False} | told
    more = {"groups": GROUPS, "fields": FIELDS, "in_words": role_in_words, "limit": service.settings.import_limit}
    drawn = more | {"places": digits(league.model)}
    return await run_in_threadpool(
        render_page, request, "import.html", PageContext(notes, league=league, status=status, extra=drawn)
    )


def _named(filename: str) -> str:
    """The name of a file as it is shown and written down."""
    plain = "".join(letter for letter in filename if letter.isprintable())
    return (plain if len(plain) <= LONGEST else f"{plain[:60]}…{plain[-30:]}") or "file"


def _read(upload: UploadFile, name: str, choices: Choices) -> tuple[str, Choices, Looked]:
    """Look at a file; the digest stands for what is in it and how it was understood.

    What was chosen for the file before holds for this one too, but for columns that it has not.
    """
    ending = ending_of(name)
    with TemporaryDirectory(prefix="prowess-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / (f"file.{ending}" if ending else "file")
        with path.open("wb") as file:
            copyfileobj(upload.file, file)
        with path.open("rb") as file:
            content = file_digest(file, "sha256").hexdigest()
        looked = look(path, choices)
        held = {role: one for role, one in (choices.columns or {}).items() if one is None or one in looked.columns}
        if looked.columns and held != (choices.columns or {}):
            choices = replace(choices, columns=held or None)
            looked = look(path, choices)
    return sha256(f"{content} {sorted(fields_of(choices).items())!r}".encode()).hexdigest(), choices, looked


async def _imported(service: Service, access: Access, name: str, looked: Looked) -> Response:
    """Record all that can be read as one change."""
    assert looked.found is not None
    history = await run_in_threadpool(with_ids, looked.found.history)
    what = Post(access.league, history, author=access.author, reason=f"imported from {name}")
    done = await asyncio.wrap_future(service.writer.submit(what))
    again = sum(done.repeated)
    return RedirectResponse(
        page_url(access.league, "import", imported=len(history) - again, repeated=again or None), 303
    )
