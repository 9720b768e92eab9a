"""The way of requests that come thousands of times a second.

The framework's way to a route, with its parameters and dependencies, costs more than everything else of a small
request. Those that are plain go past it, to the same function: what is checked and answered is the same.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ...errors import Error
from ..errors import answer

__all__ = ["Lean"]


class Lean:
    """Middleware: requests of a league's route without a query or an idempotency key are answered by `quick`."""

    def __init__(self, app: ASGIApp, route: APIRoute, quick: Callable[[Request], Awaitable[Response]]) -> None:
        self.app, self.route, self.quick = app, route, quick
        self.methods = route.methods or set()
        self.path = re.compile(route.path.replace("{league}", "(?P<league>[a-z0-9-]+)"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a plain request, and let all others through."""
        found = self.path.fullmatch(scope["path"]) if self._is_plain(scope) else None
        if found is None:
            await self.app(scope, receive, send)
            return
        scope["path_params"], scope["route"] = found.groupdict(), self.route
        request = Request(scope, receive)
        try:
            response = await self.quick(request)
        except (HTTPException, RequestValidationError, Error) as error:
            response = answer(request, error)
        await response(scope, receive, send)

    def _is_plain(self, scope: Scope) -> bool:
        return (
            scope["type"] == "http"
            and scope["method"] in self.methods
            and not scope["query_string"]
            and all(name != b"idempotency-key" for name, _ in scope["headers"])
        )
