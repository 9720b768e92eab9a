"""Matches: recorded, corrected, taken out, and what each of them did."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ...errors import Error
from ...store.changes import Act, Delete, Edit, Post
from ...store.writer import preview
from ..problems import answers
from ..security import may
from ..state import Service, of
from .bodies import ONE, SEVERAL, match_of, matches_of
from .common import DryRun, Here, IdempotencyKey, MatchId, Why, Write, answer
from .plain import done
from .schemas import matches as forms

__all__ = ["act", "post_plainly", "router"]

router = APIRouter(tags=["matches"])
WRITE = may("write")
MATCHES = "/api/leagues/{league}/matches"
MATCH = MATCHES + "/{id:anything}"
LARGE, MANY = 50_000, 500  # bytes of a body, and players of an answer, that others shall not have to wait for


async def act(here: Service, what: Act, dry_run: bool, status: int = 200) -> Response:
    """Do something to a league, and say what came of it; or say what would come of it."""
    league = await here.leagues.get(what.league)
    if dry_run:
        would = await run_in_threadpool(preview, here.database, what)
        return answer(await run_in_threadpool(done, would, league.clock, largest_first=True))
    did = await asyncio.wrap_future(here.writer.submit(what))
    code = 200 if did.repeated and all(did.repeated) else status
    if len(did.players) < MANY:
        return answer(done(did, league.clock), code)
    return await run_in_threadpool(lambda: answer(done(did, league.clock), code))


@router.post(
    MATCHES,
    status_code=201,
    summary="Record a match, or many",
    response_model=forms.Posted,
    response_description="Recorded, durably; 200 if all of it had been recorded before.",
    responses=answers(409) | {200: {"model": forms.Posted, "description": "Nothing new, or a dry run."}},
    openapi_extra=SEVERAL,
)
async def post(
    request: Request,
    access: Write,
    here: Here,
    dry_run: DryRun = False,
    reason: Why = "",
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
    return await act(here, what, dry_run, 201)


async def post_plainly(request: Request) -> Response:
    """The same without parameters, which is how games post: see `lean`."""
    return await post(request, await WRITE(request), of(request))


@router.put(
    MATCH,
    summary="Correct a match",
    response_model=forms.Posted,
    openapi_extra=ONE,
)
async def put(
    request: Request, id: MatchId, access: Write, here: Here, dry_run: DryRun = False, reason: Why = ""
) -> Response:
    """Put another match in the place of one; every later rating is then what it would have been."""
    request.scope["state"]["single"] = True
    match = match_of(request.headers.get("content-type", ""), await request.body())
    given = match.pop("id", None)
    if given is not None and str(given).strip() != id:
        raise Error(f"id: a match keeps its id: leave it out, or give {id!r}")
    return await act(here, Edit(access.league, id, match, author=access.author, reason=reason), dry_run)


@router.delete(MATCH, summary="Take a match out", response_model=forms.Posted)
async def delete(id: MatchId, access: Write, here: Here, dry_run: DryRun = False, reason: Why = "") -> Response:
    """Take a match out; every later rating is then what it would have been. Its id stays taken."""
    return await act(here, Delete(access.league, id, author=access.author, reason=reason), dry_run)
