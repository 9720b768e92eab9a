"""The document of the API (OpenAPI): what every route may answer, and which need a key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from .. import __version__
from .auth import KEY, READER
from .errors import SCHEMA, problem_responses

DESCRIPTION = """Leagues that live: results come in, ratings, leaderboards and fair matches come out.

Any past match can be edited, deleted or added, and every later rating is then what it would have been.
Changing anything needs a key (`Authorization: Bearer KEY`), reading only where a league is private.
Every error is a problem (RFC 9457) with a readable `detail`; `errors` names the fields at fault.
"""
TAGS = {
    "leagues": "Leagues, their models and their seasons.",
    "matches": "Record matches, correct them, and see what they did.",
    "leaderboard": "Who is best, now or at any past time.",
    "players": "A player's rating, curve, matches and opponents.",
    "forecasts": "What to expect of a match.",
    "matchmaking": "Who should play whom.",
    "files": "Everything of a league as a file, and back.",
    "models": "Rating systems and their parameters.",
    "events": "Changes of ratings as they happen.",
    "audit": "Who has done what.",
    "health": "Whether the service works.",
}
WITH_BODY = ("post", "put", "patch")


def document(app: FastAPI) -> dict[str, Any]:
    """The document of an app, made once."""
    if app.openapi_schema is None:
        found = get_openapi(
            title="prowess",
            version=__version__,
            description=DESCRIPTION,
            routes=_named(app.routes),
            tags=[{"name": name, "description": text} for name, text in TAGS.items()],
        )
        parts = found.setdefault("components", {})
        for operation, method in _operations(found):
            _declare(operation, method)
        schemas = parts.setdefault("schemas", {})
        for ours in ("HTTPValidationError", "ValidationError"):
            schemas.pop(ours, None)  # of the framework, in whose place problems are
        schemas["Problem"] = SCHEMA
        parts.get("securitySchemes", {}).pop(READER, None)
        parts.setdefault("securitySchemes", {})[KEY] = {
            "type": "http",
            "scheme": "bearer",
            "description": "A key that `prowess key create` made.",
        }
        app.openapi_schema = found
    return app.openapi_schema


def _named(routes: Sequence[BaseRoute]) -> Sequence[BaseRoute]:
    """Name operations after the functions that answer them: `listMatches` for `list_matches`."""
    for route in routes:
        if isinstance(route, APIRoute):
            first, *rest = route.name.split("_")
            route.operation_id = first + "".join(map(str.capitalize, rest))
    return routes


def _operations(found: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    for path in found["paths"].values():
        for method, operation in path.items():
            yield operation, method


def _declare(operation: dict[str, Any], method: str) -> None:
    """Say which problems an operation may answer with, beside those that it declares itself."""
    statuses = {429, 500, 503}
    security = operation.get("security", [])
    if security:
        statuses |= {401, 403, 404}
    if {READER: []} in security:
        operation["security"] = [{KEY: []}, {}]  # either with a key or without
        statuses -= {403}
    parameters = operation.get("parameters", [])
    if any(one["in"] == "path" for one in parameters):
        statuses.add(404)
    if parameters or method in WITH_BODY:
        statuses.add(422)
    if method in WITH_BODY:
        statuses |= {400, 413, 415}
    responses = operation["responses"]
    if "HTTPValidationError" in str(responses.get("422", "")):
        del responses["422"]
    for status, declared in problem_responses(*sorted(statuses)).items():
        responses.setdefault(str(status), declared)
