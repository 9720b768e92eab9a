"""Matches: recorded, corrected, taken out, and what each of them did."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nextafter
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query
from sqlalchemy import Connection, RowMapping
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ...errors import Error
from ...store import leagues
from ...store.clock import parse, show
from ...store.journal import journal
from ...store.leagues import League
from ...store.write.commands import Command, Delete, Edit, Post
from ...store.write.writer import preview
from ..auth import may
from ..context import Service, service_of
from ..errors import problem_responses
from .common import (
    LARGEST,
    DryRun,
    IdempotencyKey,
    MatchId,
    Read,
    Reason,
    ServiceDep,
    Write,
    etag_headers,
    etag_of,
    json_response,
    not_modified,
)
from .payloads import ONE, SEVERAL, match_of, matches_of
from .schemas import matches as forms
from .serialize import change_payload, rfc3339

router = APIRouter(tags=["matches"])
WRITE = may("write")
MATCHES = "/api/leagues/{league}/matches"
MATCH = MATCHES + "/{id:anything}"
LARGE, MANY = 50_000, 500  # bytes of a body, and players of an answer, that others shall not have to wait for


async def run_command(service: Service, what: Command, dry_run: bool, status: int = 200) -> Response:
    """Do something to a league, and say what came of it; or say what would come of it."""
    league = await service.leagues.get(what.league)
    if dry_run:
        would = await run_in_threadpool(preview, service.database, what)
        return json_response(await run_in_threadpool(change_payload, would, league.clock, largest_first=True))
    did = await asyncio.wrap_future(service.writer.submit(what))
    code = 200 if did.repeated and all(did.repeated) else status
    if len(did.players) < MANY:
        return json_response(change_payload(did, league.clock), code)
    return await run_in_threadpool(lambda: json_response(change_payload(did, league.clock), code))


@router.post(
    MATCHES,
    status_code=201,
    summary="Record a match, or many",
    response_model=forms.Posted,
    response_description="Recorded, durably; 200 if all of it had been recorded before.",
    responses=problem_responses(409) | {200: {"model": forms.Posted, "description": "Nothing new, or a dry run."}},
    openapi_extra=SEVERAL,
)
async def create_match(
    request: Request,
    access: Write,
    service: ServiceDep,
    dry_run: DryRun = False,
    reason: Reason = "",
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Record one match, a list of them or one a line (NDJSON), at most 10,000; all of them or none.

    A match with an earlier time than others is rated where it belongs, and all later ratings are corrected. A match
    whose id is known already is not recorded again; if it differs from what is known, that is a conflict (409).
    """
    kind, body = request.headers.get("content-type", ""), await request.body()
    found, single = matches_of(kind, body) if len(body) < LARGE else await run_in_threadpool(matches_of, kind, body)
    request.scope["state"]["single"] = single
    what = Post(access.league, found, idempotency_key, author=access.author, reason=reason)
    return await run_command(service, what, dry_run, 201)


async def create_match_fast(request: Request) -> Response:
    """Do the same without parameters, which is how games post: see `middleware.fast_post`."""
    return await create_match(request, await WRITE(request), service_of(request))


@router.put(
    MATCH,
    summary="Correct a match",
    response_model=forms.Posted,
    openapi_extra=ONE,
)
async def replace_match(
    request: Request, id: MatchId, access: Write, service: ServiceDep, dry_run: DryRun = False, reason: Reason = ""
) -> Response:
    """Put another match in the place of one; every later rating is then what it would have been."""
    request.scope["state"]["single"] = True
    match = match_of(request.headers.get("content-type", ""), await request.body())
    given = match.pop("id", None)
    if given is not None and str(given).strip() != id:
        raise Error.in_field("id", f"a match keeps its id: leave it out, or give {id!r}", value=given)
    return await run_command(service, Edit(access.league, id, match, author=access.author, reason=reason), dry_run)


@router.delete(MATCH, summary="Take a match out", response_model=forms.Posted)
async def delete_match(
    id: MatchId, access: Write, service: ServiceDep, dry_run: DryRun = False, reason: Reason = ""
) -> Response:
    """Take a match out; every later rating is then what it would have been. Its id stays taken."""
    return await run_command(service, Delete(access.league, id, author=access.author, reason=reason), dry_run)


@dataclass(frozen=True)
class MatchFilter:
    """Which matches are asked for."""

    player: Annotated[str | None, Query(max_length=500, description="Only hers.")] = None
    before: Annotated[str | None, Query(max_length=100, description="Only those before this time.")] = None
    after: Annotated[str | None, Query(max_length=100, description="Only those at this time or later.")] = None
    offset: Annotated[int, Query(ge=0, le=LARGEST)] = 0

    def payload(self, service: Service, connection: Connection, league: League, limit: int) -> dict[str, Any]:
        """So many of them as plain data; `next` is where the next ones begin, which becomes their address."""
        since = -inf if self.after is None else parse(league.clock, self.after, "after")
        until = inf if self.before is None else _just_before(league, self.before)
        player = None if self.player is None else self.player.strip()
        found = service.traces.of(connection, league).matches(player, since, until, limit, self.offset)
        following = self.offset + limit
        return {
            "league": league.name,
            "revision": league.revision,
            "total": found.total,
            "next": following if following < found.total else None,
            "matches": found.rows,
        }

    def query(self, **more: Any) -> str:
        """The same as a query, with more; what is not said is left out."""
        said = {name: value for name, value in vars(self).items() if name not in more} | more
        return urlencode({name: value for name, value in said.items() if value is not None})


MatchFilterDep = Annotated[MatchFilter, Depends()]


@router.get(
    MATCHES,
    summary="The matches, newest first",
    response_model=forms.Page,
    responses={304: {"description": "Nothing has changed."}},
)
async def list_matches(
    request: Request,
    access: Read,
    service: ServiceDep,
    which: MatchFilterDep,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
) -> Response:
    """The matches as they were posted; those of a player also say what was expected of her, and what they moved."""

    def work(connection: Connection) -> Response:
        league = leagues.find(connection, access.league)
        tag = etag_of(league, league.generation, league.revision)
        known = not_modified(request, tag)
        if known is not None:
            return known
        told = which.payload(service, connection, league, limit)
        if told["next"]:
            told["next"] = f"/api/leagues/{league.name}/matches?{which.query(limit=limit, offset=told['next'])}"
        return json_response(told, headers=etag_headers(tag))

    return await service.read(work)


def _just_before(league: League, time: str) -> float:
    """The last time before another: a microsecond before, or the next smaller number."""
    found = parse(league.clock, time, "before")
    return found - 1.0 if league.clock == "utc" else nextafter(found, -inf)


@router.get(
    MATCH,
    summary="A match, and what it did",
    response_model=forms.Shown,
    responses={304: {"description": "Nothing has changed."}},
)
async def get_match(request: Request, id: MatchId, access: Read, service: ServiceDep) -> Response:
    """A match: what it did to everybody and why, what was expected of it, and who wrote what of it when."""

    def work(connection: Connection) -> Response:
        league = leagues.find(connection, access.league)
        journal.get(connection, league, id)  # of what never was there is no state that somebody has already
        tag = etag_of(league, league.generation, league.revision)
        return not_modified(request, tag) or json_response(
            match_payload(service, connection, league, id), headers=etag_headers(tag)
        )

    return await service.read(work)


def match_payload(
    service: Service, connection: Connection, league: League, id: str, most: int | None = None
) -> dict[str, Any]:
    """All there is to tell of a match, or of so many of its players; of one that was taken out, what it was."""
    written = journal.revisions(connection, league, id)
    last = written[-1]
    told: dict[str, Any] = {"league": league.name, "deleted": last["body"] is None, "stamped": last["stamped"]}
    if last["body"] is None:
        told |= last_match(league, written)
        told |= {"counts": False, "forecast": None, "players": []}
    else:
        told |= service.traces.of(connection, league).match(id, most)
    return told | {"revisions": [_revision(league, row) for row in written]}


def last_match(league: League, written: Sequence[RowMapping]) -> dict[str, Any]:
    """A match as it was last written; that somebody took it out is another matter."""
    was = next(one for one in reversed(written) if one["body"] is not None)
    body: dict[str, Any] = json.loads(was["body"])
    return {"id": was["id"], "time": show(league.clock, was["time"])} | body


def _revision(league: League, row: Any) -> dict[str, Any]:
    """What somebody wrote of a match."""
    body = row["body"]
    return {
        "revision": row["revision"],
        "kind": row["kind"],
        "time": show(league.clock, row["time"]),
        "match": None if body is None else json.loads(body),
        "author": row["author"],
        "reason": row["reason"],
        "written_at": rfc3339(row["written_at"]),
    }
