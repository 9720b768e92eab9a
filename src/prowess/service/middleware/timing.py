"""Every request is watched: how long it took and how it was answered is told to the log and to the figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter

from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["Watch", "Watcher", "route_of"]

Watcher = Callable[[Scope, int, float], None]  # of a request, the status of its answer, and the seconds until then
NOWHERE = "-"  # the route of what is at no route
ABORTED = 499  # as proxies call it when who asked has gone before an answer


def route_of(scope: Scope) -> str:
    """The route of a request, with the names of its parameters in the place of their values.

    >>> route_of({"type": "http"})
    '-'
    """
    return getattr(scope.get("route"), "path", NOWHERE)


class Watch:
    """Middleware: measures requests and tells the watchers. It stands around `Headers`, which notes the status."""

    def __init__(self, app: ASGIApp, watchers: Sequence[Watcher]) -> None:
        self.app, self.watchers = app, watchers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through, and tell of it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        state = scope.setdefault("state", {})
        began = perf_counter()
        try:
            await self.app(scope, receive, send)
        finally:
            seconds = perf_counter() - began
            for watcher in self.watchers:
                watcher(scope, state.get("status", ABORTED), seconds)
