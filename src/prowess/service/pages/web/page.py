"""The `page` decorator: serve the data that a function returns as HTML (with a template), JSON and CSV."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from ....store.leagues import League
from ...api.responses import csv_text, etag_headers, extend_etag, json_response, not_modified
from ...concurrency import run_in_threadpool
from ...context import service_of
from ...settings import TRUE
from .templates import BY_KEY, POLICY, render_page, templates_version

Plain = dict[str, Any]
View = TypeVar("View", bound=Callable[..., Awaitable["PageContext"]])
Writer = Callable[[Request, "PageContext", dict[str, str]], Response]


@dataclass(frozen=True)
class PageContext:
    """The content of a page: plain data, the rows of its main table, and `extra` values that only the template needs.

    `etag` identifies the state that the page shows (see `etag_of`). A browser that already has this state gets 304 Not
    Modified.

    >>> PageContext({"league": "darts"}, rows=[{"player": "ann"}]).status
    200
    """

    data: Mapping[str, Any]
    rows: Sequence[Mapping[str, Any]] = ()
    league: League | None = None
    etag: str | None = None
    status: int = 200
    extra: Mapping[str, Any] = field(default_factory=dict)


def page(router: APIRouter, path: str, template: str) -> Callable[[View], View]:
    """Serve the context that a function returns: as HTML at `path`, as JSON at `path.json`, as CSV at `path.csv`.

    The function takes the `request`, and any other parameters and dependencies of a route.

    >>> router = APIRouter()
    >>> @page(router, "/hello", "hello.html")
    ... async def hello(request: Request) -> PageContext:
    ...     return PageContext({"who": "ann"})
    >>> [route.path for route in router.routes]
    ['/hello.json', '/hello.csv', '/hello']
    """

    def html(request: Request, context: PageContext, headers: dict[str, str]) -> Response:
        service_of(request).prewarmer.warm_charts()  # the next page that a visitor opens often has a chart
        return render_page(request, template, context, headers)

    def add(view: View) -> View:
        for ending, write in ((".json", _json), (".csv", _csv), ("", html)):
            _add_route(router, path + ending, view, write)
        return view

    return add


def wants_data(request: Request) -> bool:
    """Return whether the request is for JSON or CSV; only the HTML page can show errors itself.

    >>> wants_data(Request({"type": "http", "path": "/leagues.csv"}))
    True
    """
    path: str = request.scope["path"]
    return path.endswith((".json", ".csv"))


def _add_route(router: APIRouter, path: str, view: View, write: Writer) -> None:
    @wraps(view)
    async def route(request: Request, **arguments: Any) -> Response:
        # Few CSV requests run at once, because tables may have very many rows.
        async with service_of(request).tables.slot() if path.endswith(".csv") else nullcontext():
            context = await view(request=request, **arguments)
            if not context.etag:
                return await run_in_threadpool(write, request, context, BY_KEY)
            # The page also depends on the key, and on the version of the templates.
            key = request.scope["state"].get("key")
            etag = extend_etag(context.etag, key.id if key else 0, templates_version())
            unchanged = not_modified(request, etag)
            if unchanged is None:
                return await run_in_threadpool(write, request, context, BY_KEY | etag_headers(etag))
            # A 304 needs the same headers, because browsers replace the stored headers with them.
            unchanged.headers.update(BY_KEY if wants_data(request) else POLICY)
            return unchanged

    route.__annotations__ = {**view.__annotations__, "return": Response}
    router.add_api_route(path, route, include_in_schema=False, response_model=None)


def _json(request: Request, context: PageContext, headers: dict[str, str]) -> Response:
    return json_response(context.data, context.status, headers)


def _csv(request: Request, context: PageContext, headers: dict[str, str]) -> Response:
    name = request.scope["path"].removesuffix(".csv").strip("/").replace("/", "-").removeprefix("leagues-")
    headers = headers | {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    raw_names = request.query_params.get("raw_names", "").lower() in TRUE
    return Response(csv_text(context.rows, raw_names=raw_names), context.status, headers, "text/csv")


class OmitEmptyFields(APIRoute):
    """A route class that drops empty query fields, which HTML forms send, before the view sees them."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler, wrapped to drop empty query fields."""
        handle = super().get_route_handler()

        async def handler(request: Request) -> Response:
            query = request.scope["query_string"]
            if b"=&" in query + b"&":
                request.scope["query_string"] = urlencode(parse_qsl(query.decode("latin-1"))).encode()
            return await handle(Request(request.scope, request.receive))

        return handler
