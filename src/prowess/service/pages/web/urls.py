"""The addresses of pages: names of players and ids of matches go into the query, where they may hold anything."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any
from urllib.parse import parse_qsl, urlencode

from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response


def page_url(league: str, page: str, /, **query: Any) -> str:
    """The address of a page of a league; what is None, False or empty is left out of its query, lists repeat.

    >>> page_url("darts", "player", name=["ann & co", "bob"]), page_url("darts", "standings", search="", at=0)
    ('/leagues/darts/player?name=ann+%26+co&name=bob', '/leagues/darts/standings?at=0')
    """
    said = {name: _written(value) for name, value in query.items() if value or (value == 0 and value is not False)}
    return f"/leagues/{league}/{page}" + (f"?{urlencode(said, doseq=True)}" if said else "")


def _written(value: Any) -> Any:
    return "true" if value is True else value


class OmitEmptyFields(APIRoute):
    """A route that does not see the empty fields of a query; a router takes it as its `route_class`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler of all requests to the route."""
        handle = super().get_route_handler()

        async def handler(request: Request) -> Response:
            request.scope["query_string"] = without_empty_fields(request.scope["query_string"])
            return await handle(Request(request.scope, request.receive))

        return handler


def without_empty_fields(query: bytes) -> bytes:
    """A query without its empty fields.

    >>> without_empty_fields(b"search=&page=2&at="), without_empty_fields(b"search=a%26b")
    (b'page=2', b'search=a%26b')
    """
    if b"=&" not in query + b"&":
        return query
    return urlencode(parse_qsl(query.decode("latin-1"))).encode()
