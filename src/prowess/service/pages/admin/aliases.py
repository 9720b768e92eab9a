"""The page on which an admin renames and merges players, manages aliases, and decides about similar names."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Query
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ....errors import Error
from ....model.scale import Points
from ....store import leagues
from ....store.clock import show
from ....store.errors import NameConflict, Unavailable
from ....store.leagues import League, storable
from ....store.write.commands import AddAlias, Command, CommandResult, RemoveAlias, Rename, UndoRename
from ....store.write.posts import LONGEST
from ....store.write.writer import preview
from ...api.aliases import alias_payloads, change_payloads, similar_players, tell_apart
from ...api.dependencies import LARGEST, Admin, ServiceDep
from ...auth import Access
from ...concurrency import run_in_threadpool
from ...context import Service
from ..web.csrf import CheckedForm
from ..web.forms import form_texts
from ..web.page import OmitEmptyFields, PageContext, Plain, page
from ..web.rating_changes import current_points, largest_changes
from ..web.templates import page_url, render_page

router = APIRouter(include_in_schema=False, route_class=OmitEmptyFields)
PATH = "/leagues/{league}/aliases"
PAIRS, MATCHES, CHANGES = 50, 10, 50  # maximum numbers on the page
FIELDS = {"player": "", "name": "", "alias": "", "of": "", "reason": "", "undo": ""}
DONE = ("renamed", "undone", "added", "removed", "apart")
Text = Annotated[str, Query(max_length=LONGEST)]


@page(router, PATH, "aliases.html")
async def show_aliases(
    request: Request,
    access: Admin,
    service: ServiceDep,
    player: Text = "",
    name: Text = "",
    undo: Annotated[int | None, Query(ge=0, le=LARGEST)] = None,
    done: str = "",
) -> PageContext:
    """Show the aliases, recent changes and similar players.

    If the query has two names or a change to undo, show a preview.
    """
    fields = {"player": player, "name": name, "undo": "" if undo is None else str(undo)}
    return await _page(service, access, fields, done=done if done in DONE else "")


@router.post(PATH)
async def change_aliases(request: Request, access: Admin, service: ServiceDep, form: CheckedForm) -> Response:
    """Rename or merge players, undo a rename or merge, add or remove an alias, or mark two players as different."""
    fields = FIELDS | form_texts(form)
    try:
        done = await _change(service, access, fields)
    except Unavailable:
        raise
    except Error as error:
        context = await _page(service, access, fields, error)
        return render_page(request, "aliases.html", context)
    return RedirectResponse(page_url(access.league, "aliases", done=done), 303)


async def _change(service: Service, access: Access, fields: Mapping[str, str]) -> str:
    what = fields.get("what", "")
    about: dict[str, Any] = {"author": access.author, "reason": _reason(fields)}
    command: Command
    if what == "apart":
        await tell_apart(service, access, [fields["player"], fields["name"]])
        return what
    if what == "undo":
        command, done = UndoRename(access.league, _whole(fields["undo"]) or 0, **about), "undone"
    elif what == "add":
        command, done = AddAlias(access.league, fields["alias"], fields["of"], **about), "added"
    elif what == "remove":
        command, done = RemoveAlias(access.league, fields["alias"], **about), "removed"
    else:
        # The revision of the preview: if matches have changed since, the rename is refused.
        seen = _whole(fields.get("seen", ""))
        command, done = Rename(access.league, fields["player"], fields["name"], seen=seen, **about), "renamed"
    await asyncio.wrap_future(service.writer.submit(command))
    return done


def _reason(fields: Mapping[str, str]) -> str:
    reason = fields["reason"].strip()
    if not storable(reason, LONGEST):
        raise Error.in_field("reason", f"the reason must be text of at most {LONGEST} characters")
    return reason


def _whole(text: str) -> int | None:
    # A longer number would overflow the integers of a database.
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else None


async def _page(
    service: Service, access: Access, fields: Mapping[str, str], error: Error | None = None, done: str = ""
) -> PageContext:
    # The page has a preview if the fields contain two names or a change to undo.
    def work(connection: Connection) -> tuple[League, str, Plain]:
        league = leagues.find(connection, access.league)
        pairs = similar_players(service, connection, league)
        names, typed = service.standings.of(connection, league).names, fields.get("player", "").strip()
        # `resolve` would replace an alias with its player, but an alias cannot be renamed.
        player = typed if typed in names.aliases else names.resolve(typed)
        return (
            league,
            player,
            {
                "league": league.name,
                "revision": league.revision,
                "aliases": alias_payloads(connection, league),
                "changes": change_payloads(connection, league)[:CHANGES],
                "similar": [{"alias": alias, "player": player} for alias, player in pairs[:PAIRS]],
            },
        )

    league, player, data = await service.read(work, service.comparing)
    fields = {**fields, "player": player}
    command, planned = _previewed(access, fields), None
    if command is not None and error is None:
        try:
            result = await run_in_threadpool(preview, service.database, command)
            points = await service.read(lambda connection: current_points(service, connection, league.name))
            planned = await run_in_threadpool(_preview_context, league, result, points)
        except Unavailable:
            raise
        except Error as refused:
            error = refused
    extra: dict[str, Any] = {
        "fields": FIELDS | dict(fields),
        "faults": {} if error is None else {error.field or "": error.detail()},
        "conflicts": _matches(error.matches) if isinstance(error, NameConflict) else [],
        "planned": planned,
        "undoing": isinstance(command, UndoRename),
        "done": done,
    }
    return PageContext(data, data["aliases"], league, status=200 if error is None else 422, extra=extra)


def _previewed(access: Access, fields: Mapping[str, str]) -> Command | None:
    undo = _whole(fields.get("undo", ""))
    if undo is not None:
        return UndoRename(access.league, undo)
    if fields.get("player", "").strip() and fields.get("name", "").strip():
        return Rename(access.league, fields["player"], fields["name"])
    return None


def _preview_context(league: League, result: CommandResult, points: Points | None) -> Plain:
    times = [show(league.clock, time) for time in result.times[:MATCHES]]
    about = {
        "names": dict(result.aliases),
        "merged": result.merged,
        "repeated": not result.ids,
        "total": len(result.ids),
    }
    matches = _matches(list(zip(result.ids[:MATCHES], times, strict=True)))
    return about | {"revision": result.revision, "matches": matches} | largest_changes(result, points=points)


def _matches(matches: list[tuple[str, Any]]) -> list[Plain]:
    return [{"id": id, "time": time} for id, time in matches[:MATCHES]]
