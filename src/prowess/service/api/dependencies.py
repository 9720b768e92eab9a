"""Dependencies and parameters that routes share: the service, permissions, dry runs, idempotency keys."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated

from fastapi import Depends, Header, Query
from fastapi.dependencies.models import Dependant
from pydantic import AfterValidator
from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request

from ..auth import Access, LeaguePermission
from ..context import Service, service_of
from ..errors import VISIBLE, Problem, field_problem
from .schemas.common import LONGEST

LARGEST = 2**53  # largest integer in a query, because JSON numbers are exact only up to here


class _Anything(Convertor[str]):
    """A converter for path parameters that matches any text. Unlike Starlette's `path`, it also matches line breaks."""

    regex = "(?s:.*)"

    def convert(self, value: str) -> str:
        return value

    to_string = convert


register_url_convertor("anything", _Anything())


async def checked_service(request: Request) -> Service:
    """Return the service, or raise a `Problem` if the path or the query cannot be right."""
    # NUL characters are rejected, because PostgreSQL cannot store them.
    if "\0" in request.scope["path"]:
        raise Problem(404, "Not found: names cannot contain the NUL character")
    if b"%00" in request.scope["query_string"]:
        raise Problem(422, "the query contains a NUL character, which cannot be stored; remove it")
    if request.scope["query_string"] and not _takes_columns(request):
        check_query(request)
    return service_of(request)


def check_query(request: Request, columns: Collection[str] = ()) -> None:
    """Raise a problem (422) for a query parameter that a route of the API does not have; pages ignore such parameters.

    `columns` are the parameters for context columns that the route takes; each may also have the prefix.
    """
    # A misspelt `dry_run` must not be ignored, because the request would then write. Neither must a misspelt filter,
    # because the response would then have everything.
    if not request.scope["path"].startswith("/api/"):
        return
    names = list(dict.fromkeys([*_query_names(request.scope["route"].dependant), *columns]))
    for name in request.query_params:
        if name not in names and not (name.startswith(COLUMN_PREFIX) and name.removeprefix(COLUMN_PREFIX) in columns):
            allowed = f"allowed: {', '.join(names)}" if names else "this route takes no query parameters"
            raise field_problem(name or "query", f"unknown query parameter; {allowed}")


def _takes_columns(request: Request) -> bool:
    # These routes check the query themselves, because only they know the columns of the league.
    parameters = (request.scope["route"].openapi_extra or {}).get("parameters", ())
    return any(parameter["name"] == CONTEXT_PARAMETER["name"] for parameter in parameters)


def _query_names(dependant: Dependant) -> list[str]:
    own = [parameter.alias for parameter in dependant.query_params]
    return [*own, *(name for inner in dependant.dependencies for name in _query_names(inner))]


# Query parameters that have another meaning in lists of matches. To filter by a context column with one of these names,
# use a prefix: `context.limit=…`.
RESERVED = {"active", "after", "before", "context", "cursor", "done", "limit", "name", "offset", "order", "page"}
RESERVED |= {"player", "raw_names", "revision", "search", "size"}
COLUMN_PREFIX = "context."


def context_filters(request: Request) -> dict[str, list[str]]:
    """Return the accepted values of each context column, from the query parameters that select matches by context.

    >>> query = b"surface=clay&surface=grass&limit=5&context.limit=3"
    >>> context_filters(Request({"type": "http", "query_string": query}))
    {'surface': ['clay', 'grass'], 'limit': ['3']}
    """
    filters: dict[str, list[str]] = {}
    for name, value in request.query_params.multi_items():
        column = name.removeprefix(COLUMN_PREFIX)
        if column != name or name not in RESERVED:
            filters.setdefault(column, []).append(value.strip())
    return filters


def column_param(column: str) -> str:
    """Return the name of the query parameter that selects matches by a context column.

    >>> column_param("surface"), column_param("limit")
    ('surface', 'context.limit')
    """
    prefixed = column in RESERVED or column.startswith(COLUMN_PREFIX)
    return COLUMN_PREFIX + column if prefixed else column


ContextFiltersDep = Annotated[dict[str, list[str]], Depends(context_filters)]
# OpenAPI describes parameters with any name as the members of an object.
CONTEXT_PARAMETER = {
    "name": "context",
    "in": "query",
    "required": False,
    "style": "form",
    "explode": True,
    "description": "Only matches with this value in a context column, such as `surface=clay`. Repeat the parameter to "
    "accept several values; an empty value accepts matches without a value. `context.surface=clay` means the same. Use "
    "this form for columns that have the name of another parameter.",
    "schema": {"type": "object", "additionalProperties": {"type": "string"}},
    "example": {"surface": "clay"},
}
CONTEXT_PARAMETERS = {"parameters": [CONTEXT_PARAMETER]}
ServiceDep = Annotated[Service, Depends(checked_service)]
Read = Annotated[Access, Depends(LeaguePermission("read"))]
Write = Annotated[Access, Depends(LeaguePermission("write"))]
Admin = Annotated[Access, Depends(LeaguePermission("admin"))]
DryRun = Annotated[bool, Query(description="Preview the rating changes, largest first, and save nothing.")]
RawNames = Annotated[
    bool, Query(description="Do not escape text in CSV, even if a spreadsheet would run it as a formula.")
]
Reason = Annotated[str, Query(max_length=LONGEST, description="Reason for the change; it is stored with the change.")]
MatchId = Annotated[str, AfterValidator(str.strip)]  # surrounding spaces are removed, as they are from ids in bodies
IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=200,
        pattern=VISIBLE,
        description="Matches without an id get ids derived from this key (`KEY`, or `KEY/1`, `KEY/2`, …), so that a "
        "request can safely be repeated.",
        examples=["5f0c2d7e"],
    ),
]
