"""Everything that goes wrong, as problem+json (RFC 9457): a status, a readable detail, and the fields at fault."""

from __future__ import annotations

import json
import logging
from asyncio import CancelledError
from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from ..errors import Error
from ..store.errors import CommitUnknown, Conflict, NotFound, Unavailable
from .observability import LOGGER

NAME = "^[a-z0-9][a-z0-9-]{0,62}$"
STORABLE = r"^[^\x00]*$"
VISIBLE = "^[!-~]+$"
PATTERNS = {  # what text that must match a pattern may be, in words
    NAME: "it must be of small letters (a to z), digits and hyphens, at most 63, such as 'pub-darts'",
    STORABLE: "it must not hold the character 0",
    VISIBLE: "it must be of letters, digits and signs of ASCII, without blanks",
}

MEDIA_TYPE = "application/problem+json"
LONGEST = 2000  # letters of a detail: messages show what they were given, which can be a whole body
SHOWN = 20  # fields at fault
RETRY = {"Retry-After": "1"}
UNSURE = "the change is written or is not: sent again, it is safe under the id or the idempotency key that it has"
EITHER = ("str", "float")  # the last step to what may be of several kinds, for each of them
UNPARSED = "There was an error parsing the body"  # FastAPI, of a body that is no text, or too deep

SCHEMA: dict[str, Any] = {
    "type": "object",
    "title": "Problem",
    "description": "What went wrong (RFC 9457).",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "example": "about:blank"},
        "title": {"type": "string", "example": "Unprocessable Content"},
        "status": {"type": "integer", "example": 422},
        "detail": {"type": "string", "example": "match 3: 2 ranks for 3 teams: give one for each"},
        "request_id": {"type": "string", "example": "5f0c2d7e9b1a4c38"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "detail"],
                "properties": {
                    "field": {"type": "string", "example": "matches[2].ranks"},
                    "detail": {"type": "string", "example": "2 ranks for 3 teams: give one for each"},
                },
            },
        },
    },
}
_TITLES = {413: "Content Too Large", 422: "Unprocessable Content"}  # RFC 9110; Python has the older names


def title(status: int) -> str:
    """The words for a status.

    >>> title(404), title(422)
    ('Not Found', 'Unprocessable Content')
    """
    return _TITLES.get(status) or HTTPStatus(status).phrase


def problem_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The declaration that a route may answer with problems, for its `responses`.

    >>> list(problem_responses(404, 409))
    [404, 409]
    """
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": title(status), "content": content} for status in statuses}


class Problem(HTTPException):
    """A refusal: its status, why, and the fields at fault.

    >>> Problem(403, "this key may only read").status_code
    403
    """

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        errors: Sequence[Mapping[str, str]] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(status, detail, dict(headers or {}))
        self.errors = list(errors)


def problem_response(
    scope: Scope, status: int, detail: str, errors: Sequence[Mapping[str, str]] = (), headers: Any = None
) -> Response:
    """The answer that says what went wrong."""
    body: dict[str, Any] = {"type": "about:blank", "title": title(status), "status": status, "detail": _short(detail)}
    request = scope.get("state", {}).get("request_id")
    if request:
        body["request_id"] = request
    if errors:
        body["errors"] = [{name: _short(text) for name, text in one.items()} for one in errors[:SHOWN]]
    # Only ASCII: a name that came as half a surrogate pair cannot be written otherwise.
    return Response(json.dumps(body), status, headers, MEDIA_TYPE)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"


def error_response(request: Request, error: Exception) -> Response:
    """The answer to a request in which an error was raised."""
    scope = request.scope
    if isinstance(error, RequestValidationError):
        return _invalid(scope, error)
    if isinstance(error, HTTPException):
        if error.status_code == 405:
            error.headers = {"Allow": _allowed(scope)}
        return problem_response(
            scope, error.status_code, _detail(scope, error), getattr(error, "errors", ()), error.headers
        )
    if isinstance(error, Unavailable):
        # What the database said may tell of our insides: it is for the log.
        logging.getLogger(LOGGER).warning("request %s: %s", scope.get("state", {}).get("request_id", ""), error)
        known = UNSURE if isinstance(error, CommitUnknown) else "nothing was changed, try again"
        return problem_response(scope, 503, f"{error.summary}; {known}", headers=RETRY)
    if isinstance(error, (NotFound, Conflict)):
        return problem_response(scope, 404 if isinstance(error, NotFound) else 409, str(error))
    assert isinstance(error, Error)
    field = field_path(error, single=scope.get("state", {}).get("single", False))
    return problem_response(scope, 422, str(error), [{"field": field, "detail": str(error)}] if field else [])


def field_path(error: Error, single: bool = False) -> str | None:
    """Return the path of the field that an error is about, None if it names none; a `single` match is in no list.

    >>> error = Error("ranks must be a list of numbers", field="ranks", match=2)
    >>> field_path(error), field_path(error, single=True)
    ('matches[2].ranks', 'ranks')
    """
    match: list[str | int] = [] if error.match is None or single else ["matches", error.match]
    return path_of([*match, *([error.field] if error.field else [])]) or None


def path_of(location: Iterable[str | int]) -> str:
    """Write the steps that lead to a field as a path.

    >>> path_of(["matches", 2, "ranks"])
    'matches[2].ranks'
    """
    path = ""
    for step in location:
        path += f"[{step}]" if isinstance(step, int) else f".{step}" if path and step else step
    return path


def _detail(scope: Scope, error: HTTPException) -> str:
    """What a refusal says; where the framework has only the name of the status, more than that."""
    detail = str(error.detail)
    if error.status_code == 404 and detail == "Not Found":
        return f"there is nothing at {scope['path']}"
    if error.status_code == 405:
        return f"{scope['method']} is not possible at {scope['path']}; possible: {(error.headers or {})['Allow']}"
    return "the body is no JSON that can be read" if detail == UNPARSED else detail


def _allowed(scope: Scope) -> str:
    """The methods of a path; the framework knows only those of the first route that it finds there."""
    there = [
        route for route in scope["app"].routes if isinstance(route, Route) and route.path_regex.match(scope["path"])
    ]
    methods = {method for route in there for method in route.methods or ()}
    return ", ".join(sorted(methods | {"HEAD"} if "GET" in methods else methods))


def _invalid(scope: Scope, error: RequestValidationError) -> Response:
    """The answer to a request that is not as the document of the API says."""
    found = [dict(one) for one in error.errors()]
    broken = next((one for one in found if one["type"] == "json_invalid"), None)
    if broken is not None:
        reason, place = broken.get("ctx", {}).get("error", broken["msg"]), broken["loc"][-1]
        return problem_response(scope, 400, f"the body is no valid JSON: {reason} at character {place}")
    said: dict[str, list[str]] = {}
    for one in found:
        place = one["loc"][1:-1] if one["loc"][-1] in EITHER else one["loc"][1:]
        said.setdefault(path_of(place) or str(one["loc"][0]), []).append(_explain(one))
    errors = [{"field": field, "detail": " or ".join(dict.fromkeys(details))} for field, details in said.items()]
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return problem_response(scope, 422, f"{errors[0]['field']}: {errors[0]['detail']}{more}", errors)


def _explain(error: Mapping[str, Any]) -> str:
    """What is wrong with a field; of a pattern, what it means."""
    return PATTERNS.get(error.get("ctx", {}).get("pattern", ""), str(error["msg"]))


def register_handlers(app: FastAPI) -> None:
    """Let an app answer with problems."""

    async def handle(request: Request, error: Exception) -> Response:
        return error_response(request, error)

    for kind in (HTTPException, RequestValidationError, Error):
        app.add_exception_handler(kind, handle)


class CatchErrors:
    """Middleware: what nobody caught is logged with its traceback, and answered without telling of our insides.

    It stands within `Headers`, which notes the status: whether anything was sent.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through; answer if it raises before anything was sent."""
        try:
            await self.app(scope, receive, send)
        except CancelledError:  # at the end of the service, of what took longer than its patience
            if "status" in scope.get("state", {}):
                raise
            await problem_response(scope, 503, f"the service ends; {UNSURE}", headers=RETRY)(scope, receive, send)
        except ClientDisconnect:
            await problem_response(scope, 400, "the body did not come to its end")(scope, receive, send)
        except Exception as error:
            response = _unhandled(scope, error)
            if response is None:
                raise
            await response(scope, receive, send)


def _unhandled(scope: Scope, error: Exception) -> Response | None:
    """The answer to what nobody caught; None if there is one already, or nobody to answer to."""
    state = scope.get("state", {})
    if scope["type"] != "http" or "status" in state:
        return None
    if isinstance(error, (HTTPException, Error)):
        return error_response(Request(scope), error)
    logging.getLogger(LOGGER).error("error in request %s", state.get("request_id", ""), exc_info=error)
    return problem_response(scope, 500, "an error of the service; its log has more, under this request id")
