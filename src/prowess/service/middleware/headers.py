"""Headers of every answer: an id of the request, and what browsers must not do with it."""

from __future__ import annotations

import re
from os import urandom

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

GIVEN = re.compile(rb"[\w.:/+=-]{1,64}", re.ASCII)  # what is taken over as an id of a request
ALWAYS = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
UNLESS_SET = [
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),  # pages have their own
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
]
SECURE = (b"strict-transport-security", b"max-age=31536000")


class Headers:
    """Middleware: gives a request its id, that of the caller if she sent one, and sets the headers of its answer.

    It notes the status in `request.state`, so that one look at what is sent is enough for all middleware.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = next((value for name, value in scope["headers"] if name == b"x-request-id"), b"")
        if not GIVEN.fullmatch(request):
            request = urandom(8).hex().encode()
        state = scope.setdefault("state", {})
        state["request_id"] = request.decode()

        async def headed(message: Message) -> None:
            if message["type"] == "http.response.start":
                state["status"] = message["status"]
                headers = [*message["headers"], *ALWAYS, (b"x-request-id", request)]
                names = {name for name, _ in headers}
                headers += [one for one in UNLESS_SET if one[0] not in names]
                if scope.get("scheme") == "https":
                    headers.append(SECURE)
                message["headers"] = headers
            await send(message)

        await self.app(scope, receive, headed)


class HeadSupport:
    """Middleware: routes are asked as by GET where the method is HEAD, and what they answer goes without its body."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through, as a GET if it is a HEAD."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return
        asked, ended = {**scope, "method": "GET"}, False

        async def bare(message: Message) -> None:
            nonlocal ended
            if message["type"] != "http.response.body":
                await send(message)
                return
            if not ended:
                ended = True
                await send({"type": "http.response.body"})
            if message.get("more_body"):
                raise OSError("nobody reads on")  # what may have no end, such as events, stops as if she had gone

        try:
            await self.app(asked, receive, bare)
        except (OSError, ClientDisconnect):
            if not ended:
                raise
        finally:
            if "route" in asked:  # for the log
                scope["route"] = asked["route"]
