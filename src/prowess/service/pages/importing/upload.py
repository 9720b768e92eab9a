"""The import page: upload a file, preview it, choose how to read it, and record its matches."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from hashlib import file_digest, sha256
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import Annotated

from fastapi import APIRouter, Query
from sqlalchemy import Connection
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ....errors import Error
from ....history.columns.roles.headers import split_columns
from ....history.read_options import Choices
from ....store import leagues
from ....store.choices import FIRST
from ....store.errors import Unavailable
from ....store.write.commands import AddAlias, Post
from ...api.aliases import tell_apart
from ...api.dependencies import LARGEST, ServiceDep, Write
from ...api.files import extension_of, parse_upload
from ...auth import Access
from ...background.uploads import FilePreview
from ...concurrency import run_in_threadpool
from ...context import Service
from ...first_import import is_fresh, record_import
from ..web.csrf import CheckedForm
from ..web.page import PageContext, Plain
from ..web.templates import page_url, render_page
from .mapper import apply_answer_text, field_values, mapper_context, parse_choices, role_label
from .preview import preview_file

router = APIRouter(include_in_schema=False)
PATH = "/leagues/{league}/import"
LONGEST = 100  # maximum length of a displayed file name, in characters
LIVE_SIZE = 2 * 1024 * 1024  # maximum bytes of a file that the page sends again after every change of a choice
EMPTY: Plain = {
    "imported": None,
    "repeated": 0,
    "founded": False,
    "chosen": [],
    "choosing": False,
    "preview": None,
    "mapper": None,
    "file": "",
    "digest": "",
    "other": False,
    "missing": False,
    "fault": "",
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
    chosen: bool = False,
) -> Response:
    """Show the upload form, and a confirmation after an import or after the creation of a league."""
    done: Plain = {"imported": imported, "repeated": repeated or 0, "founded": founded}
    if chosen:
        done["chosen"] = await service.read(lambda connection: _explanation(service, connection, access.league))
    return await _page(request, service, access, done)


@router.post(PATH)
async def receive(request: Request, access: Write, service: ServiceDep, form: CheckedForm) -> Response:
    """Preview a file, or import it if the same file was previewed with the same choices."""
    upload = form.get("file")
    if not isinstance(upload, UploadFile) or not upload.filename:
        return await _page(request, service, access, {"missing": True}, 422)
    name = _display_name(upload.filename)
    choices = Choices(utc=True) if "detect" in form else parse_choices(form)
    if isinstance(answer := form.get("answer"), str):
        choices = apply_answer_text(choices, answer)
    fault = await _decide(service, access, form)
    confirmed, fresh = form.get("confirm"), await is_fresh(service, access.league)
    digest, choices, file = await _read(request, upload, name, choices, choose=fresh and confirmed is not None)
    if confirmed == digest and file.found is not None and len(file.found.history):
        try:
            return await _import(service, access, name, file)
        except Unavailable:
            raise
        except Error:
            pass  # the league has changed since the preview; the new preview shows why the import fails
    context: Plain = {
        "preview": await run_in_threadpool(preview_file, service, access.league, file),
        "mapper": mapper_context(file, choices, str(form.get("detected", ""))),
        "file": name,
        "digest": digest,
        "other": confirmed is not None and confirmed != digest,
        "fault": fault,
        "choosing": fresh and file.found is not None and len(file.found.history) >= FIRST,
    }
    return await _page(request, service, access, context, 422 if context["preview"]["problem"] else 200)


def _explanation(service: Service, connection: Connection, name: str) -> list[str]:
    answer = service.analyses.choice(connection, leagues.find(connection, name)).data
    return [] if answer is None else list(answer["lines"])


async def _decide(service: Service, access: Access, form: FormData) -> str:
    """Record an admin's decision whether two similar names are one player; return an error message, or ""."""
    for decision in ("same", "different"):
        value = form.get(decision)
        if not isinstance(value, str) or access.key is None or not access.key.may("admin", access.league_id):
            continue
        try:
            alias, player = map(str, json.loads(value))
            if decision == "different":
                await tell_apart(service, access, [alias, player])
            else:
                command = AddAlias(access.league, alias, player, newcomer=True, author=access.author)
                await asyncio.wrap_future(service.writer.submit(command))
        except Unavailable:
            raise
        except Error as error:
            return str(error)
        except (ValueError, TypeError):  # not a value of our own buttons
            return "click one of the buttons on the page"
    return ""


async def _page(request: Request, service: Service, access: Access, context: Plain, status: int = 200) -> Response:
    league = await service.read(lambda connection: leagues.find(connection, access.league))
    limits = {"limit": service.settings.import_limit, "live_size": LIVE_SIZE}
    page = PageContext(EMPTY | context, league=league, status=status, extra=limits | {"role_label": role_label})
    return await run_in_threadpool(render_page, request, "import.html", page)


def _display_name(filename: str) -> str:
    printable = "".join(letter for letter in filename if letter.isprintable())
    return (printable if len(printable) <= LONGEST else f"{printable[:60]}…{printable[-30:]}") or "file"


async def _read(
    request: Request, upload: UploadFile, name: str, choices: Choices, choose: bool
) -> tuple[str, Choices, FilePreview]:
    """Read a file; return a digest of its content and the choices, the choices, and the preview.

    The returned choices omit columns and sheets that the file does not have, which were chosen for the previous file.
    With `choose`, a model is chosen for the matches.
    """
    ending = extension_of(name)
    with TemporaryDirectory(prefix="prowess-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / (f"file.{ending}" if ending else "file")
        content = await run_in_threadpool(_store, upload, path)
        read = await parse_upload(request, path, choices, ask=True, choose=choose)
        if read.problem is not None and read.problem.field == "sheet":
            choices = replace(choices, sheet=None)
            read = await parse_upload(request, path, choices, ask=True, choose=choose)
        for columns in _fitting_columns(choices, read):
            choices = replace(choices, columns=columns or None)
            read = await parse_upload(request, path, choices, ask=True, choose=choose)
            if read.found is not None:
                break
    how = (sorted((choices.columns or {}).items()), sorted(field_values(choices).items()))
    return sha256(f"{content} {how!r}".encode()).hexdigest(), choices, read


def _fitting_columns(choices: Choices, read: FilePreview) -> list[dict[str, str | None]]:
    """Return the column mappings to try if the file lacks some chosen columns; no mapping if it has them all.

    The first mapping has all but the missing columns, and the second is empty.
    """
    columns = choices.columns or {}
    kept = {
        role: column
        for role, column in columns.items()
        if column is None or set(split_columns(column, read.columns)) <= read.columns.keys()
    }
    return [kept, {}] if read.columns and kept != columns else []


def _store(upload: UploadFile, path: Path) -> str:
    with path.open("w+b") as file:
        copyfileobj(upload.file, file)
        file.seek(0)
        return file_digest(file, "sha256").hexdigest()


async def _import(service: Service, access: Access, name: str, file: FilePreview) -> Response:
    assert file.found is not None
    history = file.found.history
    command = Post(access.league, history, author=access.author, reason=f"imported from {name}")
    done, chosen = await record_import(service, command, file.chosen)
    repeated = sum(done.repeated)
    query = {"imported": len(history) - repeated, "repeated": repeated or None, "chosen": chosen is not None or None}
    return RedirectResponse(page_url(access.league, "import", **query), 303)
