"""HEAD: what GET would answer, without its body; those who watch a service ask like this."""

from __future__ import annotations

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Heads"]


class Heads:
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
