"""Errors as responses in problem+json (RFC 9457): a status, a readable detail, and the fields at fault."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi import HTTPException as FastApiError
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Scope

from ..errors import Error
from ..history.read_limits import LimitExceeded
from ..store.errors import CommitUnknown, Conflict, NotFound, Renamed, Unavailable
from .observability import LOGGER

NAME = "^[a-z0-9][a-z0-9-]{0,62}$"
STORABLE = r"^[^\x00]*$"
VISIBLE = "^[!-~]+$"
PATTERNS = {  # descriptions that messages show instead of a regular expression
    NAME: "use at most 63 lowercase letters (a to z), digits and hyphens, such as 'pub-darts'",
    STORABLE: "it must not contain the NUL character",
    VISIBLE: "use visible ASCII characters only, without spaces",
}

MEDIA_TYPE = "application/problem+json"
MAX_DETAIL = 2000  # characters; messages quote their input, which can be as long as a whole body
MAX_FIELDS = 20
RETRY = {"Retry-After": "1"}
OUTCOME_UNKNOWN = "the change may or may not be stored; repeating it with the same id or idempotency key is safe"
UNION_STEPS = ("str", "float")  # types that Pydantic tried in a union: it adds them at the end of the error's location

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
        "suggestions": {
            "type": "object",
            "description": "For each unknown name: the players whom it may mean, most likely first.",
            "additionalProperties": {"type": "array", "items": {"type": "string"}},
            "example": {"Jhon": ["John"]},
        },
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
_TITLES = {413: "Content Too Large", 422: "Unprocessable Content"}  # names from RFC 9110; Python still has older names


def title(status: int) -> str:
    """Return the reason phrase of a status.

    >>> title(404), title(422)
    ('Not Found', 'Unprocessable Content')
    """
    return _TITLES.get(status) or HTTPStatus(status).phrase


def problem_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the `responses` argument for a route that can respond with problems of these statuses.

    >>> list(problem_responses(404, 409))
    [404, 409]
    """
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": title(status), "content": content} for status in statuses}


class Problem(HTTPException):
    """An error that rejects a request with a status, a readable detail, and the fields at fault.

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


def field_problem(field: str, detail: str) -> Problem:
    """Return the problem (422) for one invalid field."""
    return Problem(422, f"{field}: {detail}", errors=[{"field": field, "detail": detail}])


def validation_problem(
    errors: Iterable[Mapping[str, Any]], place: Sequence[str | int] = (), prefix: str = ""
) -> Problem:
    """Return the problem for Pydantic's errors about a body, or about the part of the body at `place`.

    The status is 400 if the body is not valid JSON, else 422. Each message begins with `prefix`.

    >>> error = {"type": "missing", "loc": ("teams",), "msg": "Field required"}
    >>> validation_problem([error], ["matches", 2]).detail
    'matches[2].teams: Field required'
    """
    details: dict[str, list[str]] = {}
    for error in errors:
        if error["type"] == "json_invalid":
            return Problem(400, f"{prefix}the body is not valid JSON: {error['ctx']['error']}")
        path = [*place, *error["loc"]]
        if path and path[-1] in UNION_STEPS:
            path.pop()
        detail = PATTERNS.get(error.get("ctx", {}).get("pattern", ""), str(error["msg"]))
        details.setdefault(path_of(path) or "body", []).append(detail)
    fields = [
        {"field": field, "detail": prefix + " or ".join(dict.fromkeys(messages))} for field, messages in details.items()
    ]
    more = f" (and {len(fields) - 1} more)" if len(fields) > 1 else ""
    return Problem(422, f"{fields[0]['field']}: {fields[0]['detail']}{more}", errors=fields)


def problem_response(
    scope: Scope,
    status: int,
    detail: str,
    errors: Sequence[Mapping[str, str]] = (),
    headers: Any = None,
    suggestions: Mapping[str, Sequence[str]] | None = None,
) -> Response:
    """Return a problem as a response: a page for browsers, JSON for everything else."""
    problem: dict[str, Any] = {
        "type": "about:blank",
        "title": title(status),
        "status": status,
        "detail": _truncate(detail),
    }
    request_id = scope.get("state", {}).get("request_id")
    if request_id:
        problem["request_id"] = request_id
    if errors:
        problem["errors"] = [{name: _truncate(text) for name, text in error.items()} for error in errors[:MAX_FIELDS]]
    if suggestions:
        problem["suggestions"] = {name: list(similar) for name, similar in suggestions.items()}
    if _wants_page(scope):
        page: Response = scope["app"].state.problem_page(Request(scope), problem, headers or {})
        return page
    # The JSON is ASCII, because lone surrogates in a name cannot be encoded as UTF-8.
    return Response(json.dumps(problem), status, headers, MEDIA_TYPE)


def _wants_page(scope: Scope) -> bool:
    path = scope["path"]
    if path.startswith("/api/") or path.endswith((".json", ".csv", ".svg")):
        return False
    return any(name == b"accept" and b"text/html" in value for name, value in scope["headers"])


def _truncate(text: str) -> str:
    return text if len(text) <= MAX_DETAIL else text[:MAX_DETAIL] + "…"


def error_response(request: Request, error: Exception) -> Response:
    """Return the response to a request that raised an error."""
    scope = request.scope
    if isinstance(error, RequestValidationError):
        error = _request_problem(error)
    if isinstance(error, HTTPException):
        if error.status_code == 405:
            error.headers = {"Allow": _allowed_methods(scope)}
        return problem_response(
            scope, error.status_code, _detail(scope, error), getattr(error, "errors", ()), error.headers
        )
    if isinstance(error, Unavailable):
        # The message of the database may reveal internals, so only the log shows it.
        logging.getLogger(LOGGER).warning("request %s: %s", scope.get("state", {}).get("request_id", ""), error)
        outcome = OUTCOME_UNKNOWN if isinstance(error, CommitUnknown) else "nothing was changed, try again"
        return problem_response(scope, 503, f"{error.summary}; {outcome}", headers=RETRY)
    if isinstance(error, Renamed) and (location := _renamed_url(scope, error)):
        return problem_response(scope, 308, str(error), headers={"Location": location})
    if isinstance(error, (NotFound, Conflict)):
        status = 404 if isinstance(error, NotFound) else 409
        return problem_response(scope, status, str(error), suggestions=error.suggestions)
    assert isinstance(error, Error)
    if isinstance(error, LimitExceeded):
        return problem_response(scope, 413, str(error))
    field = field_path(error, single=scope.get("state", {}).get("single", False))
    fields = [{"field": field, "detail": str(error)}] if field else []
    return problem_response(scope, 422, str(error), fields, suggestions=error.suggestions)


def _renamed_url(scope: Scope, error: Renamed) -> str | None:
    """Return the URL of a request with the new name of a renamed league; None if the old name is not in its path.

    >>> _renamed_url({"path": "/api/leagues/darts/players/a b", "query_string": b"x=1"}, Renamed("darts", "pub"))
    '/api/leagues/pub/players/a%20b?x=1'
    """
    path = scope.get("raw_path", b"").decode("latin-1") or quote(scope["path"])
    begin, found, rest = path.partition(f"/leagues/{error.old}")
    if not found or begin not in ("", "/api"):
        return None
    query = scope["query_string"].decode("latin-1")
    return f"{begin}/leagues/{error.new}{rest}" + (f"?{query}" if query else "")


def _request_problem(error: RequestValidationError) -> Problem:
    # The locations of FastAPI's errors begin with "body", "query" or similar, which is not part of the field's path.
    errors = error.errors()
    for one in errors:
        if one["type"] == "json_invalid":
            reason = f"{one['ctx']['error']} at character {one['loc'][-1]}"
            return validation_problem([{"type": "json_invalid", "ctx": {"error": reason}}])
    return validation_problem([{**one, "loc": one["loc"][1:] or one["loc"]} for one in errors])


def _detail(scope: Scope, error: HTTPException) -> str:
    # The framework's own messages only repeat the name of the status.
    if isinstance(error, Problem):
        return error.detail
    path = scope["path"]
    if error.status_code == 404:
        return f"Not found: {path}" + (". See /openapi.json" if path.startswith("/api") else "")
    if error.status_code == 405:
        return f"{scope['method']} is not allowed for {path}; allowed: {(error.headers or {})['Allow']}"
    if isinstance(error, FastApiError):  # raised for bodies that are not text, or nested too deeply
        return "the body cannot be read as JSON"
    return str(error.detail)


def _allowed_methods(scope: Scope) -> str:
    # The framework reports only the methods of the first route that matches the path.
    routes = [route for route in scope["app"].routes if isinstance(route, Route)]
    methods = {method for route in routes if route.path_regex.match(scope["path"]) for method in route.methods or ()}
    return ", ".join(sorted(methods | {"HEAD"} if "GET" in methods else methods))


def field_path(error: Error, single: bool = False) -> str | None:
    """Return the path of the field that an error is about; None if the error names no field.

    With `single`, the path omits `matches[i]`.

    >>> error = Error("ranks must be a list of numbers", field="ranks", match=2)
    >>> field_path(error), field_path(error, single=True)
    ('matches[2].ranks', 'ranks')
    """
    match: list[str | int] = [] if error.match is None or single else ["matches", error.match]
    return path_of([*match, *([error.field] if error.field else [])]) or None


def path_of(location: Iterable[str | int]) -> str:
    """Format the location of a field as a path.

    >>> path_of(["matches", 2, "ranks"])
    'matches[2].ranks'
    """
    path = ""
    for step in location:
        path += f"[{step}]" if isinstance(step, int) else f".{step}" if path and step else step
    return path


def register_handlers(app: FastAPI) -> None:
    """Register the handlers that turn errors of an app into problem responses."""

    async def handle(request: Request, error: Exception) -> Response:
        return error_response(request, error)

    for kind in (HTTPException, RequestValidationError, Error):
        app.add_exception_handler(kind, handle)
