"""Problems as pages: who looks with a browser gets words, and programs get problem+json as ever."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...errors import MEDIA_TYPE
from .page import PageContext
from .templates import current_url, render_page

KEPT = (b"retry-after", b"allow", b"connection")


class ErrorPages:
    """Middleware: shows problems to browsers as a page; who needs a key to read a page is led to sign in."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through, and change what is sent if it is a problem."""
        if scope["type"] != "http" or not _looks(scope):
            await self.app(scope, receive, send)
            return
        begun: Message | None = None
        parts: list[bytes] = []

        async def readable(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start" and _is_problem(message):
                begun = message
            elif begun is None:
                await send(message)
            else:
                parts.append(message.get("body", b""))
                if not message.get("more_body"):
                    await _page(scope, begun, json.loads(b"".join(parts)))(scope, receive, send)

        await self.app(scope, receive, readable)


def _looks(scope: Scope) -> bool:
    """Whether somebody looks at a page."""
    path: str = scope["path"]
    if path.startswith("/api/") or path.endswith((".json", ".csv", ".svg")):
        return False
    return any(name == b"accept" and b"text/html" in value for name, value in scope["headers"])


def _is_problem(message: Message) -> bool:
    return any(name == b"content-type" and value.startswith(MEDIA_TYPE.encode()) for name, value in message["headers"])


def _page(scope: Scope, begun: Message, problem: dict[str, Any]) -> Response:
    """The page that says what went wrong."""
    request = Request(scope)
    if problem["status"] == 401 and scope["method"] == "GET":
        return RedirectResponse(f"/signin?{urlencode({'next': current_url(scope)})}", 303)
    kept = {name.decode(): value.decode() for name, value in begun["headers"] if name in KEPT}
    return render_page(request, "error.html", PageContext({"problem": problem}, status=problem["status"]), kept)
