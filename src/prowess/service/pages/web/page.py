"""A page is a function that gives plain data: a template shows it, `.json` is the data, `.csv` its main table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ....store.leagues import League
from ...api.common import answer, fresh, tag_with, tagged
from ...context import of
from .templates import BY_KEY, POLICY, edition, rendered

__all__ = ["Shown", "page", "wants_data"]

Page = TypeVar("Page", bound=Callable[..., Awaitable["Shown"]])


@dataclass(frozen=True)
class Shown:
    """What a page shows: plain data, the rows of its main table, and what only the template needs.

    `tag` says which state it is of (see `tag_of`): who has it already is told so in a line.

    >>> Shown({"league": "darts"}, rows=[{"player": "ann"}]).status
    200
    """

    told: Mapping[str, Any]
    rows: Sequence[Mapping[str, Any]] = ()
    league: League | None = None
    tag: str | None = None
    status: int = 200
    drawn: Mapping[str, Any] = field(default_factory=dict)


def page(router: APIRouter, path: str, template: str) -> Callable[[Page], Page]:
    """Show what a function gives at three addresses: `path` by a template, and beside it `path.json` and `path.csv`.

    The function takes the `request`, and whatever else a route may depend on.

    >>> router = APIRouter()
    >>> @page(router, "/hello", "hello.html")
    ... async def hello(request: Request) -> Shown:
    ...     return Shown({"who": "ann"})
    >>> [route.path for route in router.routes]
    ['/hello.json', '/hello.csv', '/hello']
    """

    def shown(show: Page) -> Page:
        def at(ending: str, write: Callable[[Request, Shown], Response]) -> None:
            @wraps(show)
            async def route(**asked: Any) -> Response:
                if ending == ".csv":
                    async with of(asked["request"]).tables.turn():
                        return await told(**asked)
                return await told(**asked)

            async def told(request: Request, **asked: Any) -> Response:
                found = await show(request=request, **asked)
                known = fresh(request, _tag(request, found)) if found.tag else None
                if known is None:
                    return await run_in_threadpool(write, request, found)
                # Browsers put the headers of a 304 in the place of those they have.
                known.headers.update(BY_KEY if ending else POLICY)
                return known

            route.__annotations__ = {**show.__annotations__, "return": Response}
            router.add_api_route(path + ending, route, include_in_schema=False, response_model=None)

        at(".json", lambda request, found: answer(found.told, found.status, _headers(request, found)))
        at(".csv", _table)
        at("", lambda request, found: _page(request, template, found))
        return show

    return shown


def _page(request: Request, template: str, found: Shown) -> Response:
    """The page itself; who looks at one may look at a chart next, of which the first is drawn ahead."""
    of(request).warming.looked_at()
    return rendered(request, template, found, _headers(request, found))


def wants_data(request: Request) -> bool:
    """Whether the data of a page are asked for, and not the page, which can show what is wrong itself.

    >>> wants_data(Request({"type": "http", "path": "/leagues.csv"}))
    True
    """
    path: str = request.scope["path"]
    return path.endswith((".json", ".csv"))


def _tag(request: Request, found: Shown) -> str:
    """The tag of a page: it is another one for who is signed in, and after the templates have changed."""
    key = request.scope["state"].get("key")
    return tag_with(found.tag, key.id if key else 0, edition()) if found.tag else ""


def _headers(request: Request, found: Shown) -> dict[str, str]:
    return BY_KEY | (tagged(_tag(request, found)) if found.tag else {})


def _table(request: Request, found: Shown) -> Response:
    """The main table of a page as CSV; a list in a cell is written with semicolons."""
    import polars as pl

    rows = [{name: _cell(value) for name, value in row.items()} for row in found.rows]
    body = pl.DataFrame(rows, infer_schema_length=None).write_csv() if rows else "\n"
    name = request.scope["path"].removesuffix(".csv").strip("/").replace("/", "-").removeprefix("leagues-")
    headers = _headers(request, found) | {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return Response(body, found.status, headers, "text/csv")


def _cell(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return "; ".join(str(_cell(one)) for one in value)
    return value
