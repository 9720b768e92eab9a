"""The OpenAPI document: the problems that each route can return, and which routes need a key."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from .. import __version__
from .auth import KEY, READER, LeaguePermission
from .errors import MEDIA_TYPE, SCHEMA, problem_responses

DESCRIPTION = """Live leagues: post results, and get ratings, leaderboards and fair matches.

Any past match can be edited, deleted or added; all later ratings are then computed again.
Changes need a key (`Authorization: Bearer KEY`); reading needs one only for private leagues.
Every error is a problem (RFC 9457) with a readable `detail`; `errors` lists the fields at fault.
"""
TAGS = {
    "leagues": "Leagues, their models and their seasons.",
    "keys": "Keys, for all leagues or for one.",
    "matches": "Record and correct matches, and see their effects.",
    "leaderboard": "Standings, now or at any past time.",
    "players": "A player's rating, rating curve, matches and opponents.",
    "forecasts": "Match predictions.",
    "matchmaking": "Fair teams, pairings and suggested matches.",
    "files": "Import and export all matches of a league.",
    "models": "Rating systems and their parameters.",
    "events": "Rating changes as they happen.",
    "audit": "The log of administrative changes.",
    "health": "Health checks and metrics.",
}
WITH_BODY = ("post", "put", "patch")
RENAMED = {
    "description": "The league was renamed.",
    "headers": {
        "Location": {
            "description": "The URL of the same request with the new name of the league.",
            "schema": {"type": "string"},
        }
    },
    "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
}


def document(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document of an app; it is built only once."""
    if app.openapi_schema is None:
        for route in app.routes:
            if isinstance(route, APIRoute):  # operations are named after functions: `listMatches` for `list_matches`
                first, *rest = route.name.split("_")
                route.operation_id = first + "".join(map(str.capitalize, rest))
        schema = get_openapi(
            title="prowess",
            version=__version__,
            description=DESCRIPTION,
            routes=app.routes,
            tags=[{"name": name, "description": text} for name, text in TAGS.items()],
        )
        for path, methods in schema["paths"].items():
            for method, operation in methods.items():
                _declare_problems(operation, method, path)
                if "{league}" in path:
                    operation["responses"]["308"] = RENAMED
        components = schema.setdefault("components", {})
        schemas = components.setdefault("schemas", {})
        for name in ("HTTPValidationError", "ValidationError"):  # FastAPI's own error schema, which problems replace
            schemas.pop(name, None)
        schemas["Problem"] = SCHEMA
        security = components.setdefault("securitySchemes", {})
        security.pop(READER, None)
        security[KEY] = {"type": "http", "scheme": "bearer", "description": LeaguePermission.model.description}
        app.openapi_schema = schema
    return app.openapi_schema


def _declare_problems(operation: dict[str, Any], method: str, path: str) -> None:
    statuses = {429, 500, 503}
    security, parameters = operation.get("security", []), operation.get("parameters", [])
    if security:
        statuses |= {401, 403, 404}
    if {READER: []} in security:
        operation["security"] = [{KEY: []}, {}]  # with a key or without
        statuses -= {403}
    if any(parameter["in"] == "path" for parameter in parameters):
        statuses.add(404)
    if path.startswith("/api/") or method != "get":  # unknown query parameters are rejected
        statuses.add(422)
    if method in WITH_BODY:
        statuses |= {400, 413, 415}
    if {KEY: []} in security and method != "get":
        statuses.add(409)  # the league is archived or deleted
    responses = operation["responses"]
    if "HTTPValidationError" in str(responses.get("422", "")):
        del responses["422"]
    for status, declared in problem_responses(*sorted(statuses)).items():
        responses.setdefault(str(status), declared)
