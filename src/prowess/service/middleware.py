"""ASGI middleware: timing, headers, HEAD, uncaught errors, body size and rate limits, a fast path for posts."""

from __future__ import annotations

import logging
import re
from asyncio import CancelledError
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from math import ceil
from os import urandom
from time import monotonic, perf_counter
from typing import Any
from weakref import WeakValueDictionary

from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import Error
from .concurrency import CLIENT, ClientThreads
from .connections import client_network
from .errors import OUTCOME_UNKNOWN, RETRY, Problem, error_response, problem_response
from .observability import LOGGER, Observer

ABORTED = 499  # the status that proxies log when the client disconnects before the response
REQUEST_ID = re.compile(rb"[\w.:/+=-]{1,64}", re.ASCII)  # request ids from clients that are safe to log
HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
DEFAULT_HEADERS = [
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),  # pages set their own policy
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
]
HSTS = (b"strict-transport-security", b"max-age=31536000")
EXEMPT = frozenset({"/healthz", "/readyz"})  # health checks are never limited, and need no key
MIN_CAPACITY = 1000
TOO_MUCH = {"requests": "too many requests", "cpu_time": "your requests took too much CPU time"}
IMPORT = re.compile(r"(/api)?/leagues/[^/]*/import")  # uploads, which have a limit of their own


class RequestTiming:
    """Measures the duration of every request and reports it to the observers; `Headers` records the status."""

    def __init__(self, app: ASGIApp, observers: Sequence[Observer]) -> None:
        self.app, self.observers = app, observers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and report it when it has finished."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        state = scope.setdefault("state", {})
        start = perf_counter()
        try:
            await self.app(scope, receive, send)
        finally:
            seconds = perf_counter() - start
            for observer in self.observers:
                observer(scope, state.get("status", ABORTED), seconds)


class Headers:
    """Gives every request an id, unless the client has sent one, and sets the security headers of the response.

    The middleware records the status in `request.state`, so that other middleware need not wrap `send`.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = next((value for name, value in scope["headers"] if name == b"x-request-id"), b"")
        if not REQUEST_ID.fullmatch(request_id):
            request_id = urandom(8).hex().encode()
        state = scope.setdefault("state", {})
        state["request_id"] = request_id.decode()

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                state["status"] = message["status"]
                headers = [*message["headers"], *HEADERS, (b"x-request-id", request_id)]
                names = {name for name, _ in headers}
                headers += [header for header in DEFAULT_HEADERS if header[0] not in names]
                if scope.get("scheme") == "https":
                    headers.append(HSTS)
                message["headers"] = headers
            await send(message)

        await self.app(scope, receive, send_with_headers)


class HeadSupport:
    """Handles HEAD as GET and drops the body of the response."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; a HEAD request is passed on as a GET request."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return
        get, ended = {**scope, "method": "GET"}, False

        async def send_without_body(message: Message) -> None:
            nonlocal ended
            if message["type"] != "http.response.body":
                await send(message)
                return
            if not ended:
                ended = True
                await send({"type": "http.response.body"})
            if message.get("more_body"):
                raise OSError("the client stopped reading")  # an endless stream stops as if the client had disconnected

        try:
            await self.app(get, receive, send_without_body)
        except (OSError, ClientDisconnect):
            if not ended:
                raise
        finally:
            if "route" in get:  # the log shows the route
                scope["route"] = get["route"]


class CatchErrors:
    """Logs uncaught errors with their traceback, and responds without revealing internals.

    This middleware must run inside `Headers`, because the status that `Headers` records shows whether a response has
    begun.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; if it raises an exception before a response has begun, respond with a problem."""
        try:
            await self.app(scope, receive, send)
        except (CancelledError, Exception) as error:
            if scope["type"] == "http" and "status" not in scope["state"]:
                await _uncaught(scope, error)(scope, receive, send)
            elif not isinstance(error, ClientDisconnect):  # no response is possible to a client that has disconnected
                raise


def _uncaught(scope: Scope, error: CancelledError | Exception) -> Response:
    if isinstance(error, CancelledError):  # at shutdown, when a request takes longer than the setting `patience`
        return problem_response(scope, 503, f"the service is shutting down; {OUTCOME_UNKNOWN}", headers=RETRY)
    if isinstance(error, ClientDisconnect):
        return problem_response(scope, 400, "the body is incomplete")
    if isinstance(error, (HTTPException, Error)):
        return error_response(Request(scope), error)
    request_id = scope["state"].get("request_id", "")
    logging.getLogger(LOGGER).error("error in request %s", request_id, exc_info=error)
    return problem_response(scope, 500, "internal error; the log has details under this request id")


class BodyLimit:
    """Limits the size of request bodies, and never reads beyond the limit.

    The limit is lower for requests without a key, and higher for imports.

    This middleware must run inside `auth.Identify`. Compressed bodies are rejected, because their real size is not
    known in advance.
    """

    def __init__(
        self, app: ASGIApp, most: int, most_import: int, most_anonymous: int, count_refusal: Callable[[str], None]
    ) -> None:
        self.app, self.most, self.most_import, self.most_anonymous = app, most, most_import, most_anonymous
        self.count_refusal = count_refusal

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] == "http" and scope["method"] not in ("GET", "HEAD"):
            receive = self._limited(scope, receive)
        await self.app(scope, receive, send)

    def _limited(self, scope: Scope, receive: Receive) -> Receive:
        length = None
        for name, value in scope["headers"]:
            if name == b"content-length":
                length = value
            elif name == b"content-encoding" and value.lower() not in (b"", b"identity"):
                detail = f"send the body uncompressed, without Content-Encoding: {value.decode('latin-1')}"
                raise Problem(415, detail, headers={"Accept-Encoding": "identity", "Connection": "close"})
        most = self._most(scope)
        if not most:
            return receive
        if length is not None:
            if not length.isdigit() or int(length) > most:
                raise self._too_large(scope, most)
            return receive  # the server enforces the Content-Length
        read = 0

        async def receive_limited() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > most:
                raise self._too_large(scope, most)
            return message

        return receive_limited

    def _most(self, scope: Scope) -> int:
        state = scope["state"]
        if state.get("key") is None:
            return self.most_anonymous
        if "connection" in state:
            state["connection"].keep()
        return self.most_import if IMPORT.fullmatch(scope["path"]) else self.most

    def _too_large(self, scope: Scope, most: int) -> Problem:
        self.count_refusal("large_body")
        whose = " without a valid key" if scope["state"].get("key") is None else ""
        detail = f"the body is larger than the limit of {most} bytes{whose}"
        # Close the connection, because the rest of the body is not read.
        return Problem(413, detail, headers={"Connection": "close"})


class Buckets:
    """A token bucket per name, refilled with `rate` tokens a second up to `burst`.

    Each bucket is one number, the time at which it will be full again (the generic cell rate algorithm).

    >>> buckets = Buckets(rate=1, burst=2)
    >>> [buckets.take("ann", now) for now in (0.0, 0.0, 0.0, 1.0)]
    [0.0, 0.0, 1.0, 0.0]
    """

    def __init__(self, rate: float, burst: float) -> None:
        self._step = 1.0 / rate
        self._most = burst * self._step
        self._full: dict[Any, float] = {}
        self._capacity = MIN_CAPACITY

    def take(self, name: Any, now: float, tokens: float = 1.0) -> float:
        """Take tokens and return 0; if there are too few tokens, return the seconds until enough are available."""
        full = max(self._full.get(name, now), now) + tokens * self._step
        wait = full - now - self._most
        if wait > 1e-9:
            return wait
        self._store(name, full, now)
        return 0.0

    def charge(self, name: Any, now: float, tokens: float) -> None:
        """Take tokens for work that is already done, even if there are not enough tokens."""
        self._store(name, max(self._full.get(name, now), now) + tokens * self._step, now)

    def _store(self, name: Any, full: float, now: float) -> None:
        self._full[name] = full
        if len(self._full) > self._capacity:
            self._full = {name: full for name, full in self._full.items() if full > now}
            # The capacity is doubled, so that the amortised cost of this cleanup stays constant.
            self._capacity = max(MIN_CAPACITY, 2 * len(self._full))


class ClientLimits:
    """The limits on requests, CPU time and threads of each client.

    The app has one such object for clients with a key, and another one for clients without a key.
    """

    def __init__(self, requests: Buckets | None, cpu: Buckets | None, threads: int) -> None:
        self.requests, self.cpu, self.at_once = requests, cpu, threads
        self._threads: WeakValueDictionary[Any, ClientThreads] = WeakValueDictionary()

    def check(self, name: Any, now: float) -> tuple[float, str]:
        """Count a request; return the seconds that the client must wait (0 if it may proceed), and the reason."""
        # CPU time is only known after the work, so a client must wait once it has used more than its share.
        wait = self.cpu.take(name, now, 0.0) if self.cpu else 0.0
        if wait:
            return wait, "cpu_time"
        return (self.requests.take(name, now) if self.requests else 0.0), "requests"

    def threads(self, name: Any, clock: Callable[[], float]) -> ClientThreads:
        """Return the threads of a client, which all its current requests share."""
        threads = self._threads.get(name)
        if threads is None:
            threads = self._threads[name] = ClientThreads(self.at_once, partial(self._charge, name, clock))
        return threads

    def _charge(self, name: Any, clock: Callable[[], float], seconds: float) -> None:
        if self.cpu:
            self.cpu.charge(name, clock(), seconds)


class RateLimit:
    """Limits the requests and the CPU time of each client.

    A client is identified by its key or, if it has no key, by its address.

    `key_id` returns the id of a request's key, or None if the key is not cached. Without a cached key, a request counts
    towards the limit of its address, so a client cannot avoid the limit by guessing keys.
    """

    def __init__(
        self,
        app: ASGIApp,
        addresses: ClientLimits,
        keys: ClientLimits,
        key_id: Callable[[Any], int | None],
        count_refusal: Callable[[str], None],
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.app, self.addresses, self.keys, self.key_id, self.clock = app, addresses, keys, key_id, clock
        self.count_refusal = count_refusal

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or respond with 429 and the time to wait."""
        if scope["type"] != "http" or scope["path"] in EXEMPT:
            await self.app(scope, receive, send)
            return
        key, client = self.key_id(scope["headers"]), scope.get("client")
        limits = self.addresses if key is None else self.keys
        name = client_network(client[0]) if key is None and client else key
        wait, reason = limits.check(name, self.clock())
        if wait:
            self.count_refusal(reason)
            detail = f"{TOO_MUCH[reason]}; try again in {wait:.2g} s"
            raise Problem(429, detail, headers={"Retry-After": str(ceil(wait))})
        token = CLIENT.set(limits.threads(name, self.clock))
        try:
            await self.app(scope, receive, send)
        finally:
            CLIENT.reset(token)


class FastPost:
    """Handles simple POST requests to a route by calling `handle` directly, bypassing FastAPI.

    A request is simple if it has no query string and no idempotency key.
    """

    # Why there is a second path: with 32 posts under way (SQLite, commits shared), a post costs 530 µs of CPU time by
    # this path and 770 µs through FastAPI's routing and dependencies. Measured in process, at the ASGI interface, best
    # of 8 runs of 320 posts each, on one core.

    def __init__(self, app: ASGIApp, route: APIRoute, handle: Callable[[Request], Awaitable[Response]]) -> None:
        self.app, self.route, self.handle = app, route, handle
        self.methods = route.methods or set()
        self.path = re.compile(route.path.replace("{league}", "(?P<league>[a-z0-9-]+)"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a simple request, and pass all other requests on."""
        match = self.path.fullmatch(scope["path"]) if self._is_plain(scope) else None
        if match is None:
            await self.app(scope, receive, send)
            return
        scope["path_params"], scope["route"] = match.groupdict(), self.route
        request = Request(scope, receive)
        try:
            response = await self.handle(request)
        except (HTTPException, RequestValidationError, Error) as error:
            response = error_response(request, error)
        await response(scope, receive, send)

    def _is_plain(self, scope: Scope) -> bool:
        return (
            scope["type"] == "http"
            and scope["method"] in self.methods
            and not scope["query_string"]
            and all(name != b"idempotency-key" for name, _ in scope["headers"])
        )
