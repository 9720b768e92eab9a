"""Matches: record, correct, delete and look up."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from math import inf, nextafter
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Depends, Query
from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection, RowMapping
from starlette.requests import Request
from starlette.responses import Response

from ...errors import Error
from ...history import name_of
from ...store import leagues
from ...store.clock import parse, show
from ...store.errors import NotFound, Unavailable
from ...store.journal import journal
from ...store.leagues import League
from ...store.write.commands import Command, CommandResult, Delete, Edit, Post
from ...store.write.writer import preview
from ..auth import Access, LeaguePermission
from ..concurrency import run_in_threadpool
from ..context import Service, service_of
from ..errors import Problem, field_problem, problem_responses, validation_problem
from .dependencies import (
    CONTEXT_PARAMETERS,
    LARGEST,
    ContextFiltersDep,
    DryRun,
    IdempotencyKey,
    MatchId,
    Read,
    Reason,
    ServiceDep,
    Write,
    check_query,
    column_param,
)
from .responses import NOT_MODIFIED, cached_json, change_payload, etag_of, extend_etag, json_response, rfc3339
from .schemas import matches as schemas

router = APIRouter(tags=["matches"])
MATCHES = "/api/leagues/{league}/matches"
MATCH = MATCHES + "/{id:anything}"
MAY_WRITE = LeaguePermission("write")
MAX_MATCHES = 10_000  # maximum number of matches in one request
# In a league with more players, new names are not compared with known names, because the index takes seconds to build.
MAX_PLAYERS = 300_000
MAX_COMPARED = 100  # maximum number of new names compared with known names; each takes about 1 ms in a large league
LARGE_BODY, MANY_PLAYERS = 50_000, 500  # bytes and players; larger requests are handled in a thread

NDJSON = ("application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines")
JSON = ("application/json", "text/json", "")

Strict = Annotated[bool, Query(description="Refuse new names that look like the name of an existing player.")]

_ONE: TypeAdapter[Any] = TypeAdapter(schemas.Match)
_LIST: TypeAdapter[Any] = TypeAdapter(list[schemas.Match])
_OBJECT: TypeAdapter[Any] = TypeAdapter(schemas.Matches)
_BEGINNING = re.compile(rb'\s*(\[|\{\s*"matches"\s*:)?')

# FastAPI does not parse these bodies, so their schemas are added to the OpenAPI document here.
_SCHEMA = _ONE.json_schema()
_LIST_SCHEMA = {"type": "array", "items": _SCHEMA, "minItems": 1, "maxItems": MAX_MATCHES, "title": "Matches"}
_OBJECT_SCHEMA = {
    "type": "object",
    "properties": {"matches": _LIST_SCHEMA},
    "required": ["matches"],
    "additionalProperties": False,
}
MATCH_BODY = {"requestBody": {"required": True, "content": {"application/json": {"schema": _SCHEMA}}}}
MATCHES_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {"anyOf": [_SCHEMA, _LIST_SCHEMA, _OBJECT_SCHEMA]},
                "examples": {
                    "one": {"summary": "One match", "value": _SCHEMA["examples"][0]},
                    "several": {"summary": "Several", "value": {"matches": _SCHEMA["examples"]}},
                },
            },
            NDJSON[0]: {
                "schema": {"type": "string", "description": "One match per line."},
                "example": '{"teams": [["ann"], ["bob"]]}\n{"teams": [["bob"], ["cat"]], "scores": [2, 2]}\n',
            },
        },
    }
}


def read_match(content_type: str, body: bytes) -> dict[str, Any]:
    """Parse a JSON body with one match.

    >>> read_match("application/json", b'{"teams": [["ann"], ["bob"]]}')
    {'teams': [['ann'], ['bob']]}
    """
    if _media_type(content_type) not in JSON:
        raise _unsupported(content_type, JSON[0])
    try:
        match: dict[str, Any] = _ONE.validate_json(body)
    except ValidationError as error:
        raise _invalid(error) from None
    return match


def read_matches(content_type: str, body: bytes) -> tuple[list[dict[str, Any]], bool]:
    """Parse a body of matches; also return whether the body is a single match that is not in a list.

    >>> read_matches("application/json", b'[{"teams": [["ann"], ["bob"]]}]')
    ([{'teams': [['ann'], ['bob']]}], False)
    >>> read_matches("application/x-ndjson", b'{"teams": [["ann"], ["bob"]]}')
    ([{'teams': [['ann'], ['bob']]}], False)
    """
    media_type = _media_type(content_type)
    if media_type in NDJSON:
        return _check_count(_read_lines(body)), False
    if media_type not in JSON:
        raise _unsupported(content_type, f"{JSON[0]} or {NDJSON[0]}")
    beginning = _BEGINNING.match(body)
    kind = beginning[1] if beginning else None
    try:
        if kind is None:
            return [_ONE.validate_json(body)], True
        matches = _LIST.validate_json(body) if kind == b"[" else _OBJECT.validate_json(body)["matches"]
    except ValidationError as error:
        raise _invalid(error, ["matches"] if kind == b"[" else []) from None
    return _check_count(matches), False


def _read_lines(body: bytes) -> list[dict[str, Any]]:
    matches: list[dict[str, Any]] = []
    for number, line in enumerate(body.split(b"\n"), 1):
        if not line or line.isspace():
            continue
        if len(matches) == MAX_MATCHES:  # checked here, so that the rest is not parsed
            raise _too_many(f"more than {MAX_MATCHES:,}")
        try:
            matches.append(_ONE.validate_json(line))
        except ValidationError as error:
            raise _invalid(error, ["matches", len(matches)], f"line {number}: ") from None
    return matches


def _check_count(matches: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if len(matches) > MAX_MATCHES:
        raise _too_many(f"{len(matches):,}")
    if not matches:
        raise field_problem("matches", "the list is empty; send at least one match")
    return matches


def _too_many(found: str) -> Problem:
    limit = f"at most {MAX_MATCHES:,} matches can be sent at once, not {found}"
    return Problem(413, f"{limit}; send several requests, or import a file")


def _invalid(error: ValidationError, place: Sequence[str | int] = (), prefix: str = "") -> Problem:
    return validation_problem(error.errors(include_url=False, include_input=False), place, prefix)


def _media_type(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def _unsupported(content_type: str, supported: str) -> Problem:
    return Problem(415, f"unsupported Content-Type {content_type!r}; send {supported}")


async def run_command(
    service: Service, command: Command, dry_run: bool, status: int = 200, more: Mapping[str, Any] | None = None
) -> Response:
    """Execute a command, or preview it in a dry run; respond with the changed ratings, and with `more` fields.

    The response has the given `status`; in a dry run, or if all matches were recorded before, it has 200.
    """
    league = await service.leagues.get(command.league)
    if dry_run:
        planned = await run_in_threadpool(preview, service.database, command)
        warnings = await _name_warnings(service, planned) | dict(more or {})
        payload = await run_in_threadpool(change_payload, planned, league.clock, largest_first=True)
        return json_response(payload | warnings)
    result = await asyncio.wrap_future(service.writer.submit(command))
    code = 200 if result.repeated and all(result.repeated) else status
    warnings = await _name_warnings(service, result) | dict(more or {})
    # A large response is built in a thread, because building it would block the event loop.
    if len(result.players) < MANY_PLAYERS:
        return json_response(change_payload(result, league.clock) | warnings, code)
    return await run_in_threadpool(lambda: json_response(change_payload(result, league.clock) | warnings, code))


async def _name_warnings(service: Service, result: CommandResult) -> dict[str, Any]:
    before = result.before
    new = [] if before is None or before is result.after else [name for name in result.own if name not in before.rows]
    if not new:
        return {}

    def work(connection: Connection) -> list[dict[str, Any]]:
        names = service.standings.of(connection, leagues.find(connection, result.league)).names
        if len(names) > MAX_PLAYERS:
            return []
        return [
            {"name": name, "similar": similar, "detail": f"{name!r} is a new player, but looks like {similar[0]!r}"}
            for name in new[:MAX_COMPARED]
            if (similar := names.lookalikes(name))
        ]

    # The matches are already recorded, so the request must not fail, even if the database is busy or the league was
    # renamed or deleted.
    with suppress(Unavailable, NotFound):
        return {"warnings": warnings} if (warnings := await service.read(work)) else {}
    return {}


async def _refuse_lookalikes(service: Service, league: str, matches: Sequence[Mapping[str, Any]]) -> None:
    def work(connection: Connection) -> None:
        names = service.standings.of(connection, leagues.find(connection, league)).names
        for number, match in enumerate(matches):
            for team, listed in enumerate(match["teams"]):
                for given in listed:
                    name = name_of(given)
                    known = name in names or name in names.aliases
                    if not known and (similar := names.lookalikes(name)):
                        text = f"{name!r} is not a player, but looks like {similar[0]!r}; strict=false accepts the name"
                        error = Error(text, field="teams", team=team, value=name, suggestions={name: similar})
                        raise error.within(f"match {number + 1}: ", match=number)

    await service.read(work)


@router.post(
    MATCHES,
    status_code=201,
    summary="Record one or more matches",
    response_model=schemas.Posted,
    response_description="The matches are on disk. If all of them were recorded before, the status is 200.",
    responses=problem_responses(409)
    | {
        200: {
            "model": schemas.Posted,
            "description": "Nothing was recorded: this was a dry run, or all matches were recorded before.",
        }
    },
    openapi_extra=MATCHES_BODY,
)
async def create_match(
    request: Request,
    access: Write,
    service: ServiceDep,
    dry_run: DryRun = False,
    reason: Reason = "",
    idempotency_key: IdempotencyKey = None,
    strict: Strict = False,
) -> Response:
    """Record one match, a list of matches, or one match per line (NDJSON).

    A request can have at most 10,000 matches. Either all matches are recorded, or none.

    A match that was played before other recorded matches is rated at its own time, and all later ratings are corrected.
    A match whose id already exists is not recorded again; if its content differs, the response is 409 Conflict.

    Names are recorded as sent, and a new name creates a new player. If the new name looks like the name of another
    player, `warnings` has an entry for it; with `strict`, the request is refused.
    """
    content_type, body = request.headers.get("content-type", ""), await request.body()
    if len(body) < LARGE_BODY:
        matches, single = read_matches(content_type, body)
    else:
        matches, single = await run_in_threadpool(read_matches, content_type, body)
    request.scope["state"]["single"] = single
    if strict:
        await _refuse_lookalikes(service, access.league, matches)
    command = Post(access.league, matches, idempotency_key, author=access.author, reason=reason)
    return await run_command(service, command, dry_run, 201)


async def create_match_fast(request: Request) -> Response:
    """Record the matches of a request without query parameters, for `middleware.FastPost`."""
    return await create_match(request, await MAY_WRITE(request), service_of(request))


@router.put(MATCH, summary="Correct a match", response_model=schemas.Posted, openapi_extra=MATCH_BODY)
async def replace_match(
    request: Request,
    id: MatchId,
    access: Write,
    service: ServiceDep,
    dry_run: DryRun = False,
    reason: Reason = "",
    strict: Strict = False,
) -> Response:
    """Replace a match. All later ratings become what they would have been with the new version."""
    request.scope["state"]["single"] = True
    match = read_match(request.headers.get("content-type", ""), await request.body())
    given = match.pop("id", None)
    if given is not None and str(given).strip() != id:
        raise Error.in_field("id", f"a match keeps its id: leave `id` out, or send {id!r}", value=given)
    if strict:
        await _refuse_lookalikes(service, access.league, [match])
    return await run_command(service, Edit(access.league, id, match, author=access.author, reason=reason), dry_run)


@router.delete(MATCH, summary="Delete a match", response_model=schemas.Posted)
async def delete_match(
    id: MatchId, access: Write, service: ServiceDep, dry_run: DryRun = False, reason: Reason = ""
) -> Response:
    """Delete a match. All later ratings become what they would have been without the match.

    The id of a deleted match cannot be used again.
    """
    return await run_command(service, Delete(access.league, id, author=access.author, reason=reason), dry_run)


Before = Annotated[str | None, Query(max_length=100, description="Only matches before this time.")]
After = Annotated[str | None, Query(max_length=100, description="Only matches at this time or later.")]
Offset = Annotated[int, Query(ge=0, le=LARGEST)]


@dataclass(frozen=True)
class MatchFilter:
    """Query parameters that choose matches."""

    context: ContextFiltersDep
    player: Annotated[str | None, Query(max_length=500, description="Only matches of this player.")] = None
    before: Before = None
    after: After = None
    offset: Offset = 0

    def payload(self, service: Service, connection: Connection, league: League, limit: int) -> dict[str, Any]:
        """Return up to `limit` matches as plain data; `next` is the offset of the next matches, or None."""
        since = -inf if self.after is None else parse(league.clock, self.after, "after")
        until = inf
        if self.before is not None:
            before = parse(league.clock, self.before, "before")
            # UTC times are whole microseconds, so the last time before `before` is one microsecond earlier.
            until = before - 1.0 if league.clock == "utc" else nextafter(before, -inf)
        views = service.views(connection, league)
        found = views.matches(
            self.player_name(service, connection, league), since, until, limit, self.offset, self.context
        )
        following = self.offset + limit
        return {
            "league": league.name,
            "revision": league.revision,
            "total": found.total,
            "next": following if following < found.total else None,
            "matches": found.rows,
        }

    @property
    def params(self) -> dict[str, Any]:
        """All parameters by name; a parameter that is not given is None."""
        own = {name: value for name, value in vars(self).items() if name != "context"}
        return own | {column_param(column): values for column, values in self.context.items()}

    def player_name(self, service: Service, connection: Connection, league: League) -> str | None:
        """Return the exact name of the player in the query; None if the query has no player."""
        if self.player is None:
            return None
        # A player whose matches do not count has no rating, and so is not in the standings.
        if (name := self.player.strip()) in service.traces.of(connection, league).view.number:
            return name
        return service.standings.of(connection, league).names.resolve(name)

    def query(self, **more: Any) -> str:
        """Return the parameters as a query string, with `more` added; parameters that are None are left out."""
        params = {name: value for name, value in self.params.items() if name not in more} | more
        return urlencode({name: value for name, value in params.items() if value is not None}, doseq=True)


MatchFilterDep = Annotated[MatchFilter, Depends()]


Limit = Annotated[int, Query(ge=1, le=1_000)]


@router.get(
    MATCHES,
    summary="List matches, newest first",
    response_model=schemas.MatchList,
    responses=NOT_MODIFIED,
    openapi_extra=CONTEXT_PARAMETERS,
)
async def list_matches(
    request: Request, access: Read, service: ServiceDep, filters: MatchFilterDep, limit: Limit = 100
) -> Response:
    """Matches as they were posted. With `player`, each match also has that player's predicted result and rating change.

    Any other parameter is the name of a context column: `surface=clay` returns the matches on clay. If the column has a
    value for each team or player, one team or player must have the value; with `player`, it must be that player or the
    player's team.
    """
    return await _matches_response(request, access, service, filters, limit, "matches")


@router.get(
    "/api/leagues/{league}/players/{player:anything}/matches",
    tags=["players"],
    summary="List a player's matches, newest first",
    response_model=schemas.MatchList,
    responses=NOT_MODIFIED,
    openapi_extra=CONTEXT_PARAMETERS,
)
async def list_player_matches(
    request: Request,
    player: str,
    access: Read,
    service: ServiceDep,
    context: ContextFiltersDep,
    before: Before = None,
    after: After = None,
    offset: Offset = 0,
    limit: Limit = 100,
) -> Response:
    """Matches of a player with the predicted result and the rating change.

    Any other parameter is the name of a context column: `surface=clay` returns the matches on clay.
    """
    filters = MatchFilter(context, player, before, after, offset)
    return await _matches_response(
        request, access, service, filters, limit, f"players/{quote(player, safe='')}/matches"
    )


async def _matches_response(
    request: Request, access: Access, service: Service, filters: MatchFilter, limit: int, path: str
) -> Response:
    check_query(request, [column_param(column) for column in filters.context])  # the views check the columns

    def work(connection: Connection) -> Response:
        league = leagues.find(connection, access.league)

        def content() -> dict[str, Any]:
            body = filters.payload(service, connection, league, limit)
            if body["next"]:
                own = {"player": None} if path != "matches" else {}
                query = filters.query(**own, limit=limit, offset=body["next"])
                body["next"] = f"/api/leagues/{league.name}/{path}?{query}"
            return body

        return cached_json(request, etag_of(league, league.generation, league.revision), content)

    return await service.read(work)


@router.get(MATCH, summary="Get a match and its effects", response_model=schemas.MatchDetails, responses=NOT_MODIFIED)
async def get_match(request: Request, id: MatchId, access: Read, service: ServiceDep) -> Response:
    """A match with its forecast, the rating changes and their reasons, and who recorded or corrected it and when.

    Players who are no longer in the match are shown only if the request has a key for the league. Otherwise, the
    response omits the teams of a deleted match, and earlier versions with other players.
    """

    def work(connection: Connection) -> Response:
        league = leagues.find(connection, access.league)
        journal.get(connection, league, id)  # an unknown match is 404, never 304
        # Requests with a key for the league see more than others, so the two versions need different ETags.
        tag = extend_etag(etag_of(league, league.generation, league.revision), "member" if access.member else "public")
        payload = partial(match_payload, service, connection, league, id, access.member)
        return cached_json(request, tag, payload)

    return await service.read(work)


def match_payload(
    service: Service, connection: Connection, league: League, id: str, member: bool, most: int | None = None
) -> dict[str, Any]:
    """Return a match with at most `most` of its players; a deleted match is returned as it last was, without ratings.

    Only a `member` sees players who are no longer in the match, because the match was deleted or they were replaced.
    """
    revisions = journal.revisions(connection, league, id)
    last = revisions[-1]
    payload: dict[str, Any] = {"league": league.name, "deleted": last["body"] is None, "stamped": last["stamped"]}
    if last["body"] is None:
        match = last_match(league, revisions)
        payload |= match if member else {"id": match["id"], "time": match["time"], "teams": []}
        payload |= {"counts": False, "forecast": None, "players": []}
    else:
        payload |= service.views(connection, league).match(id, most)
    players = None if member else _players(last)
    return payload | {"revisions": [_revision_payload(league, row, players) for row in revisions]}


def last_match(league: League, revisions: Sequence[RowMapping]) -> dict[str, Any]:
    """Return a match as it was last written, even if it has been deleted since."""
    row = next(row for row in reversed(revisions) if row["body"] is not None)
    return {"id": row["id"], "time": show(league.clock, row["time"])} | _content(row)


def _content(row: RowMapping) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(row["body"])
    return content | ({"context": json.loads(row["context"])} if row["context"] else {})


def _players(row: RowMapping) -> set[str]:
    return set() if row["body"] is None else {name for team in json.loads(row["body"])["teams"] for name in team}


def _revision_payload(league: League, row: RowMapping, players: set[str] | None) -> dict[str, Any]:
    # The content is hidden if the version has players who are not in `players`.
    hidden = row["body"] is None or (players is not None and not _players(row) <= players)
    return {
        "revision": row["revision"],
        "kind": row["kind"],
        "time": show(league.clock, row["time"]),
        "match": None if hidden else _content(row),
        "author": row["author"],
        "reason": row["reason"],
        "written_at": rfc3339(row["written_at"]),
    }
