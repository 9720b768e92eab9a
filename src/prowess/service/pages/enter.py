"""Pages to enter, edit and delete a match, with a preview of the rating changes."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Annotated, Any
from uuid import uuid4

from fastapi import APIRouter, Query
from sqlalchemy import Connection
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ...errors import Error
from ...history.names.index import NameIndex
from ...history.sentences import sides_by_place
from ...store import leagues
from ...store.clock import show
from ...store.errors import Conflict, NotFound, Unavailable
from ...store.journal import journal
from ...store.leagues import League, storable
from ...store.write.commands import Command, Delete, Edit, Post
from ..api.dependencies import MatchId, ServiceDep, Write
from ..api.matches import last_match
from ..api.schemas.common import LONGEST
from ..auth import Access
from ..background.analysis_requests import SMALL
from ..context import Service
from ..errors import Problem
from .match_form import MOST, MatchFields, error_text, fields_of_match, invalid_fields, parse_match, read_fields
from .matches import MATCH_ID
from .web.csrf import CheckedForm
from .web.match_text import result_sentence
from .web.page import PageContext, Plain
from .web.rating_changes import COMPARED, new_names, preview_changes
from .web.templates import page_url, render_page

router = APIRouter(include_in_schema=False)
ONCE = re.compile("[0-9a-f]{32}")
REVISION = re.compile("[0-9]{1,15}")
USUAL = 8  # a new form has as many teams as the last match, but at most this many


@dataclass(frozen=True)
class MatchForm:
    """The state of a form: its league, its fields, and the match that it edits, if any."""

    league: League
    author: str
    fields: MatchFields
    old: Mapping[str, Any] | None = None
    deleted: bool = False

    def match(self) -> Plain:
        """Return the match that the fields describe."""
        return parse_match(self.fields, self.league.clock, self.old)

    def command(self) -> Command:
        """Return the command that records or edits the match."""
        name, reason = self.league.name, self.fields.reason.strip()
        if self.old is None:
            return Post(name, [self.match()], self.fields.once, author=self.author, reason=reason)
        revision = int(self.fields.seen)
        return Edit(name, self.old["id"], self.match(), seen=revision, author=self.author, reason=reason)


@router.get("/leagues/{league}/enter")
async def enter(
    request: Request,
    access: Write,
    service: ServiceDep,
    teams: Annotated[int | None, Query(ge=2, le=MOST)] = None,
    team: Annotated[list[str] | None, Query()] = None,
) -> Response:
    """Show a form for a new result of `teams` teams (by default, as many as in the last match).

    Each `team` prefills the names of a team, one per line.
    """

    def work(connection: Connection) -> MatchForm:
        league = leagues.find(connection, access.league)
        last = service.traces.of(connection, league).matches(limit=1).rows
        names = [text.replace("\r\n", "\n") for text in (team or [])[:MOST]]
        count = teams or max(2, len(names), min(len(last[0]["teams"]), USUAL) if last else 2)
        by = "scores" if last and last[0].get("scores") else "first" if count == 2 else "places"
        rows = (*names, *[""] * (count - len(names)))
        # `once` becomes the match's idempotency key, so that a double click records the match only once.
        return MatchForm(league, access.author, MatchFields(rows, by=by, once=uuid4().hex))

    return _form_page(request, await service.read(work))


@router.post("/leagues/{league}/enter")
async def submit_entry(request: Request, access: Write, service: ServiceDep, form: CheckedForm) -> Response:
    """Add a team to the form for a new result, preview the result, or record it."""
    fields = read_fields(form)
    if not ONCE.fullmatch(fields.once):
        raise Problem(422, "this form is incomplete; reload the page and enter the result again")
    league = await service.leagues.get(access.league)
    return await _handle_button(request, service, MatchForm(league, access.author, fields), form)


@router.get("/leagues/{league}/edit")
async def edit(request: Request, access: Write, service: ServiceDep, id: Annotated[MatchId, MATCH_ID]) -> Response:
    """Show the form for a recorded or deleted match."""
    return _form_page(request, await service.read(lambda connection: _match_form(connection, access, id, None)))


@router.post("/leagues/{league}/edit")
async def submit_edit(request: Request, access: Write, service: ServiceDep, form: CheckedForm) -> Response:
    """Add a team to the form for a recorded match, preview the edit, or save it."""
    fields = read_fields(form)
    _check_revision(fields.seen)
    state = await service.read(lambda connection: _match_form(connection, access, fields.id.strip(), fields))
    return await _handle_button(request, service, state, form)


def _check_revision(seen: str) -> None:
    if not REVISION.fullmatch(seen):
        raise Problem(422, "this form is incomplete; open it again from the match page")


def _match_form(connection: Connection, access: Access, id: str, fields: MatchFields | None) -> MatchForm:
    league = leagues.find(connection, access.league)
    revisions = journal.revisions(connection, league, id)
    old = last_match(league, revisions)
    if fields is None:
        fields = replace(fields_of_match(old, league.clock), id=id, seen=str(revisions[-1]["revision"]))
    return MatchForm(league, access.author, fields, old, revisions[-1]["body"] is None)


async def _handle_button(request: Request, service: Service, form: MatchForm, sent: FormData) -> Response:
    # If the action fails, the form shows the error and keeps all input.
    button = sent.get("do")
    if button == "team":
        more = replace(form.fields, teams=(*form.fields.teams, "")[:MOST])
        return _form_page(request, replace(form, fields=more))
    if button == "back":
        return _form_page(request, form)
    try:
        corrected = await _find_players(service, _correct_name(form, sent.get("meant")))
        if button == "record" and not await _has_open_names(service, corrected, sent.getlist("new")):
            return await _record(service, corrected)
        return await _preview(request, service, corrected)
    except (NotFound, Unavailable):  # not a fault of the form: the error page is shown
        raise
    except Error as error:
        return _form_page(request, form, error)


async def _find_players(service: Service, form: MatchForm) -> MatchForm:
    # Names that the match already has stay as they are.
    names = await service.read(lambda connection: _names(service, connection, form))
    return form if form.fields.whole else replace(form, fields=form.fields.with_players(names))


async def _has_open_names(service: Service, form: MatchForm, confirmed: Sequence[Any]) -> bool:
    """Return whether a new name looks like the name of a player, and the user has not confirmed it."""
    match = form.match()

    def work(connection: Connection) -> bool:
        names = _names(service, connection, form)
        new = [name for name in chain(*match["teams"]) if name not in names and name not in confirmed]
        return any(map(names.lookalikes, new[:COMPARED]))

    return await service.read(work)


def _names(service: Service, connection: Connection, form: MatchForm) -> NameIndex:
    # Players of the edited match may have no rating, so they are added to the index of names.
    names = service.standings.of(connection, leagues.find(connection, form.league.name)).names
    before = [] if form.old is None else dict.fromkeys(chain(*form.old["teams"]))
    return names.extended([name for name in before if name not in names])


def _correct_name(form: MatchForm, meant: Any) -> MatchForm:
    try:
        old, new = map(str, json.loads(meant))
    except (TypeError, ValueError, RecursionError):
        return form
    return replace(form, fields=form.fields.rename_player(old, new))


async def _preview(request: Request, service: Service, form: MatchForm) -> Response:
    match, league = form.match(), form.league
    changes = await preview_changes(service, league, form.command(), match)
    names = await service.read(lambda connection: new_names(service, connection, league, match))
    context = {
        "form": form,
        "fields": form.fields,
        "match": match,
        "sentence": result_sentence(match),
        "sides": [{"side": side} for side in sides_by_place(match)[:MOST]],
        "more_sides": max(len(match["teams"]) - MOST, 0),
        "at": changes["done"]["matches"][0]["time"] if "time" in match or form.old is not None else None,
    }
    return render_page(request, "enter_preview.html", PageContext(context | changes | names, league=league))


async def _record(service: Service, form: MatchForm) -> Response:
    done = await asyncio.wrap_future(service.writer.submit(form.command()))
    action = "known" if all(done.repeated) else "recorded" if form.old is None else "edited"
    return RedirectResponse(page_url(form.league.name, "match", id=done.ids[0], done=action), 303)


def _form_page(request: Request, form: MatchForm, error: Error | None = None) -> Response:
    league, fields = form.league, form.fields
    conflicting = None
    if isinstance(error, Conflict):
        conflicting = page_url(league.name, "match", id=fields.once if form.old is None else fields.id)
    context = {
        "form": form,
        "fields": fields,
        "problem": "" if error is None else error_text(error, fields),
        "invalid": [] if error is None else invalid_fields(error, fields),
        "conflicting": conflicting,
        "last": show(league.clock, league.last_time),
        "most": MOST,
    }
    status = 200 if error is None else 409 if conflicting else 422
    return render_page(request, "enter.html", PageContext(context, league=league, status=status))


@router.get("/leagues/{league}/delete")
async def confirm_deletion(
    request: Request, access: Write, service: ServiceDep, id: Annotated[MatchId, MATCH_ID], look: bool = False
) -> Response:
    """Ask for confirmation and preview the rating changes.

    In a large league, the preview is shown only if `look` is set.
    """
    return await _deletion_page(request, service, access, id, look=look)


@router.post("/leagues/{league}/delete")
async def delete(request: Request, access: Write, service: ServiceDep, form: CheckedForm) -> Response:
    """Delete a match, unless it was changed since the page was shown."""
    id, reason, seen = (str(form.get(name, "")).strip() for name in ("id", "reason", "seen"))
    _check_revision(seen)
    if not storable(reason, LONGEST):
        problem = f"The reason must be text of at most {LONGEST} characters"
        return await _deletion_page(request, service, access, id, reason, problem)
    command = Delete(access.league, id, seen=int(seen), author=access.author, reason=reason)
    try:
        await asyncio.wrap_future(service.writer.submit(command))
    except Conflict as error:
        problem = f"{error}. This is the match as it is now."
        return await _deletion_page(request, service, access, id, reason, problem, 409)
    return RedirectResponse(page_url(access.league, "match", id=id, done="deleted"), 303)


async def _deletion_page(
    request: Request,
    service: Service,
    access: Access,
    id: str,
    reason: str = "",
    problem: str = "",
    status: int = 422,
    look: bool = False,
) -> Response:
    def work(connection: Connection) -> tuple[League, Plain, Any]:
        league = leagues.find(connection, access.league)
        revisions = journal.revisions(connection, league, id)
        return league, last_match(league, revisions), revisions[-1]

    league, match, last = await service.read(work)
    if last["body"] is None:
        return RedirectResponse(page_url(league.name, "match", id=id, done="deleted"), 303)
    changes: Plain = {"changes": None}
    if look or league.posted <= SMALL:
        changes = await preview_changes(service, league, Delete(league.name, id), match)
    context = {"match": match, "sentence": result_sentence(match), "seen": last["revision"], "reason": reason}
    page = PageContext(context | {"problem": problem} | changes, league=league, status=status if problem else 200)
    return render_page(request, "delete.html", page)
