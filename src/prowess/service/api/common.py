"""What the routes have in common: who asks, of which service, and how answers are written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any
from zlib import crc32

from fastapi import Depends, Header, Query
from fastapi.dependencies.models import Dependant
from pydantic import AfterValidator
from pydantic_core import to_json
from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import Response

from ...store.leagues import League
from ..auth import Access, may
from ..context import Service, service_of
from ..errors import VISIBLE, Problem
from .schemas.common import LONGEST

LARGEST = 2**53  # of numbers in a query: all up to there are exact in JSON


class _Anything(Convertor[str]):
    """A part of a path that may hold anything, line breaks too, which a `path` of the framework may not."""

    regex = "(?s:.*)"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("anything", _Anything())


async def _here(request: Request) -> Service:
    """The service of a request; no text that reaches it holds the character 0, which no database keeps."""
    if "\0" in request.scope["path"]:
        raise Problem(404, "there is nothing whose name holds the character 0")
    if b"%00" in request.scope["query_string"]:
        raise Problem(422, "the query holds the character 0, which cannot be kept: leave it out")
    if request.scope["query_string"] and request.method != "GET":
        _check_query(request)
    return service_of(request)


def _check_query(request: Request) -> None:
    """Refuse what nobody would look at: who asks for a dry run by another name means no real one."""
    known = _parameters(request.scope["route"].dependant)
    for name in request.query_params:
        if name not in known:
            there = f"there are {', '.join(known)}" if known else "there are none"
            detail = f"the query has no parameter of this name; {there}"
            field = name or "query"  # the name of a parameter may be empty
            raise Problem(422, f"{field}: {detail}", errors=[{"field": field, "detail": detail}])


def _parameters(asked: Dependant) -> list[str]:
    """The names that a route knows in its query."""
    own = [one.alias for one in asked.query_params]
    return [*own, *(name for needed in asked.dependencies for name in _parameters(needed))]


ServiceDep = Annotated[Service, Depends(_here)]
Read = Annotated[Access, Depends(may("read"))]
Write = Annotated[Access, Depends(may("write"))]
Admin = Annotated[Access, Depends(may("admin"))]
DryRun = Annotated[bool, Query(description="Change nothing; say who would change by how much, the largest first.")]
Reason = Annotated[str, Query(max_length=LONGEST, description="Why; kept with the change.")]

MatchId = Annotated[str, AfterValidator(str.strip)]  # of an id that is posted the ends are stripped, too

IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=200,
        pattern=VISIBLE,
        description="Matches without ids get this one (`KEY`, or `KEY/1`, `KEY/2`, …), so that sending twice is safe.",
        examples=["5f0c2d7e"],
    ),
]


def json_response(content: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """An answer in JSON, written at once: the framework would look at every value of it.

    >>> json_response({"mu": 25.0}).body
    b'{"mu":25.0}'
    """
    return Response(to_json(content, inf_nan_mode="null"), status, headers, "application/json")


def not_modified(request: Request, tag: str) -> Response | None:
    """The answer to who has this already; None where it must be told. The tag says which state an answer is of."""
    seen = request.headers.get("if-none-match")
    if seen is None or (seen.strip() != "*" and tag not in (one.strip() for one in seen.split(","))):
        return None
    return Response(status_code=304, headers=etag_headers(tag))


def etag_of(league: League, generation: int, revision: int) -> str:
    """The tag of what a league shows at a revision; its title and settings count too, as they change without one."""
    shown = f"{league.settings} {league.public} {league.title!r}".encode()
    return f'W/"{generation}.{revision}.{crc32(shown):x}"'


def extend_etag(tag: str, *more: object) -> str:
    """A tag of what depends on more than the one that is given.

    >>> extend_etag('W/"1.7"', 3, "a")
    'W/"1.7.3.a"'
    """
    return f'{tag[:-1]}.{".".join(map(str, more))}"'


def etag_headers(tag: str) -> dict[str, str]:
    """Headers by which a cache asks again each time, and is told in a line that nothing has changed.

    >>> etag_headers('W/"7"')
    {'ETag': 'W/"7"', 'Cache-Control': 'no-cache'}
    """
    return {"ETag": tag, "Cache-Control": "no-cache"}
