"""The import page: upload a file, preview it, choose how to read it, and record its matches."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import file_digest, sha256
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ...errors import Error, Option
from ...history import History, show_time
from ...history.columns.layout import NoLayout
from ...history.data_checks import suspicions
from ...history.names import alike
from ...history.read_context import Findings
from ...history.read_options import Choices
from ...store import leagues
from ...store.clock import show
from ...store.errors import Unavailable
from ...store.leagues import League
from ...store.write.commands import CommandResult, Post
from ...store.write.writer import preview
from ..api.dependencies import LARGEST, ServiceDep, Write
from ..api.files import extension_of, parse_upload, problem_payload
from ..api.forecasts import current_standings
from ..auth import Access
from ..background.uploads import FilePreview
from ..concurrency import run_in_threadpool
from ..context import Service
from .web.csrf import CheckedForm
from .web.page import PageContext, Plain
from .web.rating_changes import largest_changes
from .web.templates import page_url, render_page

router = APIRouter(include_in_schema=False)
PATH = "/leagues/{league}/import"
LONGEST = 100  # characters of a file name
EMPTY: Plain = {
    "imported": None,
    "repeated": 0,
    "founded": False,
    "preview": None,
    "file": "",
    "digest": "",
    "other": False,
    "values": {},
    "missing": False,
}
PROBLEMS, NAMES, MATCHES, COLUMNS, VALUES, CELL = 100, 12, 5, 60, 3, 40  # maximum numbers in a preview
TEAMS, MEMBERS = 6, 8  # maximum numbers shown for a match
Number = Annotated[int | None, Query(ge=0, le=LARGEST)]

ROLES = {  # labels of roles, where the name of the role is not clear enough
    "winner": "winner, or result",
    "winner_score": "winner's score",
    "loser_score": "loser's score",
    "home": "home team",
    "away": "away team",
    "players": "players of a team",
    "rank": "place",
    "duration": "time taken",
    "opponent_score": "opponent's score",
    "weight": "share of play",
    "time": "date or time",
    "clock": "time of day",
    "id": "match id",
    "status": "status of the match",
    "neutral": "neutral venue",
}
GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("One row per match: winner and loser", ("winner", "loser")),
    ("One row per match: home and away", ("home", "away", "home_score", "away_score")),
    ("One row per match: a column for each side", ("team1", "team2", "score1", "score2")),
    ("One row per player or team in a match", ("match", "player", "team", "rank", "score")),
    ("Any layout", ("time", "id")),
)
_SIDE = re.compile(r"(team|player|score|rank)([0-9]{1,2})")
MARKS = ";,/+&|"
COLUMN, NONE = "=", "-"  # in the value of a role field: the prefix of a column's name, and the value for no column


@dataclass(frozen=True)
class Field:
    """A form field about how to read a file: its label, the labels of its options, and their values if these differ."""

    label: str
    options: Mapping[str, str]
    meanings: Mapping[str, Any] | None = None

    @property
    def values(self) -> Mapping[str, Any]:
        """The value of each option."""
        return self.meanings or {option: option for option in self.options}


YES_NO = {"True": True, "False": False}
FIELDS: dict[str, Field] = {
    "day_first": Field("Dates", {"True": "day first: 31/1/2026", "False": "month first: 1/31/2026"}, YES_NO),
    "rosters": Field(
        "Several names in a cell",
        {"whole": "are one name"} | {mark: f"are separated by {mark}" for mark in MARKS},
        {"whole": ""} | {mark: mark for mark in MARKS},
    ),
    "duplicates": Field("Duplicate rows", {"once": "count once", "keep": "count each"}),
    "walkovers": Field("Walkovers", {"skip": "are left out", "count": "count as matches"}),
    "header": Field("The first row", {"True": "has the column names", "False": "is a match"}, YES_NO),
    "decimal": Field("Decimal mark", {".": "point: 2.5", ",": "comma: 2,5"}),
}


def role_label(role: str) -> str:
    """Return the label of a role that a column can have.

    >>> role_label("winner"), role_label("score2"), role_label("teama")
    ('winner, or result', 'score of side 2', 'teama')
    """
    if side := _SIDE.fullmatch(role):
        kinds = {"team": "side", "player": "side", "score": "score of side", "rank": "place of side"}
        return f"{kinds[side[1]]} {side[2]}"
    return ROLES.get(role, role.replace("_", " "))


def parse_choices(form: FormData | Mapping[str, Any]) -> Choices:
    """Return the choices made in a form; empty fields are left to automatic detection.

    >>> parse_choices({"role.winner": "=won", "role.time": "-", "day_first": "False"}).columns
    {'winner': 'won', 'time': None}
    """
    columns: dict[str, str | None] = {}
    for name, value in form.items():
        if name.startswith("role.") and isinstance(value, str) and value:
            columns[name.removeprefix("role.")] = None if value == NONE else value.removeprefix(COLUMN)
    chosen = {name: field.values[str(form[name])] for name, field in FIELDS.items() if form.get(name) in field.values}
    time_format = str(form.get("time_format", "")).strip()
    return Choices(columns=columns or None, time_format=time_format or None, utc=True, **chosen)


def field_values(choices: Choices) -> dict[str, str]:
    """Return the values of the form fields for these choices.

    >>> field_values(Choices(columns={"winner": "won", "time": None}, day_first=False))
    {'role.winner': '=won', 'role.time': '-', 'day_first': 'False', 'time_format': ''}
    """
    columns = choices.columns or {}
    values = {f"role.{role}": NONE if column is None else COLUMN + column for role, column in columns.items()}
    for name, field in FIELDS.items():
        if getattr(choices, name) is not None:
            values[name] = next((text for text, value in field.values.items() if value == getattr(choices, name)), "")
    return values | {"time_format": choices.time_format or ""}


def render_option(option: Option) -> str:
    """Return an option of the library in words, with the labels of the form.

    >>> render_option(Option("day_first", False)), render_option(Option("sheet", "Games"))
    ('“Dates: month first: 1/31/2026”', 'sheet Games')
    """
    name, value = option.name, str(option.value)
    if name == "columns":
        return "“Columns”"
    if name == "time_format":
        return f"“Date format: {value}”"
    if name not in FIELDS:
        return f"{name.replace('_', ' ')} {value}"
    label = FIELDS[name].options.get("whole" if name == "rosters" and not value else value, value)
    return f"“{FIELDS[name].label}: {label}”"


def render_error(error: Error) -> str:
    """Return an error in words, with the labels of the form; it may point to the choice of columns below."""
    return f"{error.reason}: choose them below" if isinstance(error, NoLayout) else error.render(render_option)


@router.get(PATH)
async def upload_form(
    request: Request,
    access: Write,
    service: ServiceDep,
    imported: Number = None,
    repeated: Number = None,
    founded: bool = False,
) -> Response:
    """Show the upload form, and a confirmation after an import or after the creation of a league."""
    done = {"imported": imported, "repeated": repeated or 0, "founded": founded}
    return await _page(request, service, access, done)


@router.post(PATH)
async def receive(request: Request, access: Write, service: ServiceDep, form: CheckedForm) -> Response:
    """Preview a file, or import it if the same file was previewed with the same choices."""
    upload = form.get("file")
    if not isinstance(upload, UploadFile) or not upload.filename:
        return await _page(request, service, access, {"missing": True}, 422)
    name = _display_name(upload.filename)
    digest, choices, file = await _read(request, upload, name, parse_choices(form))
    confirmed = form.get("confirm")
    if confirmed == digest and file.found is not None and len(file.found.history):
        try:
            return await _import(service, access, name, file.found.history)
        except Unavailable:
            raise
        except Error:
            pass  # the league has changed since the preview; the new preview shows why the import fails
    context: Plain = {
        "preview": await run_in_threadpool(preview_file, service, access.league, file),
        "file": name,
        "digest": digest,
        "values": field_values(choices),
        "other": confirmed is not None and confirmed != digest,
    }
    return await _page(request, service, access, context, 422 if context["preview"]["problem"] else 200)


async def _page(request: Request, service: Service, access: Access, context: Plain, status: int = 200) -> Response:
    league = await service.read(lambda connection: leagues.find(connection, access.league))
    form = {"groups": GROUPS, "fields": FIELDS, "role_label": role_label, "limit": service.settings.import_limit}
    page = PageContext(EMPTY | context, league=league, status=status, extra=form)
    return await run_in_threadpool(render_page, request, "import.html", page)


def _display_name(filename: str) -> str:
    printable = "".join(letter for letter in filename if letter.isprintable())
    return (printable if len(printable) <= LONGEST else f"{printable[:60]}…{printable[-30:]}") or "file"


async def _read(request: Request, upload: UploadFile, name: str, choices: Choices) -> tuple[str, Choices, FilePreview]:
    """Read a file; the returned digest identifies its content and the choices.

    Choices made for the previous file are kept, except for columns that this file does not have.
    """
    ending = extension_of(name)
    with TemporaryDirectory(prefix="prowess-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / (f"file.{ending}" if ending else "file")
        content = await run_in_threadpool(_store, upload, path)
        read = await parse_upload(request, path, choices)
        columns = choices.columns or {}
        kept = {role: column for role, column in columns.items() if column is None or column in read.columns}
        if read.columns and kept != columns:
            choices = replace(choices, columns=kept or None)
            read = await parse_upload(request, path, choices)
    return sha256(f"{content} {sorted(field_values(choices).items())!r}".encode()).hexdigest(), choices, read


def _store(upload: UploadFile, path: Path) -> str:
    """Write an upload to a file, and return the digest of its content."""
    with path.open("w+b") as file:
        copyfileobj(upload.file, file)
        file.seek(0)
        return file_digest(file, "sha256").hexdigest()


async def _import(service: Service, access: Access, name: str, history: History) -> Response:
    command = Post(access.league, history, author=access.author, reason=f"imported from {name}")
    done = await asyncio.wrap_future(service.writer.submit(command))
    repeated = sum(done.repeated)
    url = page_url(access.league, "import", imported=len(history) - repeated, repeated=repeated or None)
    return RedirectResponse(url, 303)


def preview_file(service: Service, league: str, file: FilePreview) -> Plain:
    """Return the content of a file and the effects of its import; if it cannot be imported, `problem` says why."""
    result, context = file.found, _columns_and_remarks(file)
    if result is None:
        assert file.problem is not None
        return context | {"problem": render_error(file.problem)}
    history, problems = result.history, result.problems
    context |= {"matches": len(history), "players": len(np.unique(history.player)), "more_problems": file.problem_count}
    context["problems"] = [
        problem_payload(located) | {"detail": located.problem.detail(render_option)} for located in problems[:PROBLEMS]
    ]
    if not len(history):
        return context | {"problem": "the file has no readable matches"}
    context |= _time_span(history) | {"sample": _sample(history)}
    context["warnings"] = [check.text for check in suspicions(history) if check.kind != "single"]
    try:
        return context | _effects(service, league, history)
    except Unavailable:
        raise
    except Error as error:
        return context | {"problem": render_error(error)}


def _columns_and_remarks(file: FilePreview) -> Plain:
    """Return how the file was read: the role of each column, and remarks."""
    result = file.found
    roles = {} if result is None else result.roles
    names = list(file.columns)[:COLUMNS]
    listed = {role for _, group in GROUPS for role in group}
    others = [role for role in dict.fromkeys(roles.values()) if role and role not in listed and role[-1:].isdigit()]
    remarks = () if result is None else result.history.remarks
    return {
        "columns": [
            {"name": name, "cells": _first_values(file.columns[name]), "role": _role(roles, name)} for name in names
        ],
        "more_columns": max(0, len(file.columns) - COLUMNS),
        "names": names,
        "known": {role: column for column, role in roles.items() if role},
        "other_roles": others,
        "layout": "" if result is None else _layout(result),
        "remarks": [
            remark.render(render_option) for remark in remarks if remark.code not in ("layout", "ignored-columns")
        ],
        "problem": "",
        "problems": [],
        "more_problems": 0,
        "matches": 0,
        "warnings": [],
    }


def _role(roles: dict[str, str | None], name: str) -> str | None:
    role = roles.get(name)
    if role == "winner":
        return "winner" if "loser" in roles.values() else "result"
    return None if role is None else role_label(role)


def _layout(result: Findings) -> str:
    if result.layout is None:
        return "one match per line"
    return "one row per match" if result.layout.sides else "one row per player or team in a match"


def _first_values(cells: Sequence[str]) -> list[str]:
    different = list(dict.fromkeys(cell for cell in cells if cell))[:VALUES]
    return [text if len(text) <= CELL else f"{text[:CELL]}…" for text in different]


def _time_span(history: History) -> Plain:
    if history.time is None or history.time_kind is None:
        return {"first": None, "last": None}
    ends = {"first": history.time.min(), "last": history.time.max()}
    return {name: _time_text(show_time(history.time_kind, history.time_zone, time)) for name, time in ends.items()}


def _time_text(time: Any) -> Any:
    return time if isinstance(time, float) else time.isoformat()


def _sample(history: History) -> list[Plain]:
    """Return the first and the last matches of the file, as they will be recorded."""
    size = len(history)
    rows = range(size) if size <= MATCHES else [0, 1, 2, size - 2, size - 1]
    return [_sample_match(history[row]) for row in rows]


def _sample_match(match: Plain) -> Plain:
    values: Sequence[float] = match["scores"] if "scores" in match else match["ranks"]
    teams = [
        {"names": names[:MEMBERS], "more": max(0, len(names) - MEMBERS), "value": value}
        for names, value in zip(match["teams"], values, strict=True)
    ]
    time = _time_text(match["time"]) if "time" in match else None
    return {"time": time, "teams": teams[:TEAMS], "more": max(0, len(teams) - TEAMS), "scored": "scores" in match}


def _effects(service: Service, name: str, history: History) -> Plain:
    """Return the effect of importing: new players, duplicate matches, and the largest rating changes."""
    with service.database.reading() as connection:
        league, index = leagues.find(connection, name), current_standings(service, connection, name).names
    new = [player for player in history.players if player not in index]
    near = alike(new, index.names)
    done = preview(service.database, Post(name, history))
    return {
        "newcomers": len(new),
        "new_names": new[:NAMES],
        "near": [{"new": player, "known": near[player]} for player in list(near)[:NAMES]],
        "repeated": sum(done.repeated),
        "fresh": len(done.repeated) - sum(done.repeated),
        "since": _rerated_since(league, done),
        **largest_changes(done, set(new)),
    }


def _rerated_since(league: League, done: CommandResult) -> Any:
    """Return the time of the first new match if the league has later matches, which are then rated again."""
    times = [time for time, repeated in zip(done.times, done.repeated, strict=True) if not repeated]
    late = bool(times) and league.last_time is not None and league.clock != "none" and min(times) < league.last_time
    return show(league.clock, min(times)) if late else None
