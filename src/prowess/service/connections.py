"""Connection limits of a process: number of connections, size and duration of requests, number of event streams."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from ipaddress import ip_network
from typing import Any

from starlette.types import Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from .errors import Problem, problem_response
from .settings import Settings

IPV6_SITE = 64  # prefix length of a site's network; all addresses in it count as one client
RESERVED_FILES = 128  # file descriptors that are not connections: the database, imported files, the log
MAX_HEADERS = 100
MIN_BODY_RATE = 1024  # bytes per second that a body must reach after `body_timeout`
WRITE_TIMEOUT = 30.0  # seconds that a client may leave a response unread
# Bytes of a body that are still read after the response, so that the client can finish and read the response.
DISCARDED = 16 * 1024 * 1024
SWEEP = 1.0  # seconds between two checks for connections that are too slow

LATER = {"Retry-After": "10"}

IDLE, HEAD, BODY = range(3)  # the part of a request that the client is sending


@lru_cache(maxsize=4096)
def client_network(host: str) -> str:
    """Return the address to which limits apply: an IPv4 address, or the network of an IPv6 address.

    >>> client_network("192.0.2.1"), client_network("2001:db8::1:2:3:4") == client_network("2001:db8::9")
    ('192.0.2.1', True)
    """
    try:
        return str(ip_network(f"{host}/{IPV6_SITE}", strict=False)) if ":" in host else host
    except ValueError:
        return host


def open_file_limit() -> int | None:
    """Return how many files this process may open, None if the system sets no limit."""
    try:
        import resource
    except ImportError:  # on Windows
        return None
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return None if soft == resource.RLIM_INFINITY else soft


class ConnectionTable:
    """All open connections of a process.

    When there are too many connections, the oldest connection without a complete request is closed. The closed
    connections are idle, or belong to attackers who send their requests as slowly as they can. A connection whose
    request is being handled is never closed.
    """

    def __init__(self, settings: Settings, count_refusal: Callable[[str], None]) -> None:
        self.settings, self.count_refusal = settings, count_refusal
        files = open_file_limit()
        room = [] if files is None else [max(files // 2, files - RESERVED_FILES)]
        self.most = min([settings.connection_limit or float("inf"), *room])
        no_app: Any = None
        self._proxies = ProxyHeadersMiddleware(no_app, list(settings.forwarded)).trusted_hosts
        self._open: dict[HttpProtocol, None] = {}
        self._per_network: Counter[str] = Counter()
        self._waiting: OrderedDict[HttpProtocol, None] = OrderedDict()  # oldest first
        self._sweeping = False

    def network(self, client: tuple[str, int] | None) -> str | None:
        """Return the network of a client, because all connections from a network share a limit.

        Return None for a trusted proxy, which forwards the requests of many clients.
        """
        return None if client is None or client[0] in self._proxies else client_network(client[0])

    def admit(self, connection: HttpProtocol) -> bool:
        """Add a connection and return True; if there are too many, close another connection first.

        If no other connection can be closed, refuse the new connection and return False.
        """
        network, most = connection.network, self.settings.address_connections
        if network is not None and most and self._per_network[network] >= most and not self._drop_oldest(network):
            detail = "too many connections from this address; close some of them, or try again later"
            connection.refuse(503, detail, "address_connections")
            return False
        if len(self._open) >= self.most and not self._drop_oldest():
            connection.refuse(503, "too many connections", "connections")
            return False
        self._open[connection] = self._waiting[connection] = None
        if network is not None:
            self._per_network[network] += 1
        if not self._sweeping:
            self._sweeping = True
            connection.loop.call_later(SWEEP, self._sweep, connection.loop)
        return True

    def forget(self, connection: HttpProtocol) -> None:
        """Remove a connection that was closed."""
        if connection not in self._open:
            return
        del self._open[connection]
        self._waiting.pop(connection, None)
        if connection.network is not None:
            self._per_network[connection.network] -= 1
            if not self._per_network[connection.network]:
                del self._per_network[connection.network]

    def wait(self, connection: HttpProtocol) -> None:
        """Mark a connection as waiting for a request. A waiting connection may be closed to make room for others."""
        if connection in self._open:
            self._waiting[connection] = None

    def hold(self, connection: HttpProtocol) -> None:
        """Mark a connection as handling a request.

        Until the request is done, the connection is not closed to make room for others.
        """
        self._waiting.pop(connection, None)

    def _drop_oldest(self, network: str | None = None) -> bool:
        for connection in self._waiting:
            if network is None or connection.network == network:
                detail = "too many connections; this one was closed, because it had not sent a complete request"
                connection.refuse(503, detail, "incomplete_request")
                return True
        return False

    def _sweep(self, loop: asyncio.AbstractEventLoop) -> None:
        now = loop.time()
        for connection in list(self._open):
            connection.check_time(now)
        self._sweeping = bool(self._open)
        if self._sweeping:
            loop.call_later(SWEEP, self._sweep, loop)


class HttpProtocol(HttpToolsProtocol):
    """Uvicorn's protocol, with limits on the headers, on the time that a request takes to arrive, and on connections.

    The `ConnectionTable` comes from the state that the app's lifespan yields.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.table: ConnectionTable = self.app_state["connections"]
        self.settings = self.table.settings
        self.network: str | None = None
        self.reading = IDLE
        self.since = 0.0  # when the headers or the body began to arrive
        self.body_bytes = 0
        self.steps = 0  # number of parts of the request that the parser has recognised
        self.bytes_since_step = 0
        self.unread_since: float | None = None  # when the client stopped reading the response

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Admit the connection, or close it."""
        super().connection_made(transport)
        self.network, self.since = self.table.network(self.client), self.loop.time()
        self.table.admit(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self.table.forget(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse the data, and reject endless headers and trailers.

        The parser copies a header each time another part of it arrives, so a long header would take quadratic time.
        """
        steps, most = self.steps, self.settings.header_limit
        super().data_received(data)
        self.bytes_since_step = self.bytes_since_step + len(data) if self.steps == steps else 0
        if most and self.bytes_since_step > most:
            self.refuse(431, self._headers_too_large, "large_headers")

    def on_message_begin(self) -> None:
        """Start timing the arrival of the headers."""
        super().on_message_begin()
        self.scope["state"]["connection"] = self
        self.reading, self.since = HEAD, self.loop.time()
        self.steps += 1

    def on_headers_complete(self) -> None:
        """Handle the request, unless its headers are too large."""
        self.reading, self.since = BODY, self.loop.time()
        self.steps += 1
        self.body_bytes = 0
        most = self.settings.header_limit
        if most:
            size = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
            if size > most or len(self.headers) > MAX_HEADERS:
                self.app = self._respond_headers_too_large
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Receive a part of the body; parts that arrive after the response are discarded, up to a limit."""
        self.steps += 1
        self.body_bytes += len(body)
        if self.cycle.response_complete and self.body_bytes > DISCARDED:
            self.transport.abort()
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Make sure that the connection is not closed to make room for others while its request is being handled."""
        self.reading = IDLE
        super().on_message_complete()
        if not self.cycle.response_complete:
            self.table.hold(self)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        if not self.pipeline:
            self.table.wait(self)

    def pause_writing(self) -> None:
        """Start timing how long the client does not read its response."""
        super().pause_writing()
        self.unread_since = self.loop.time()

    def resume_writing(self) -> None:
        """Stop the timing that `pause_writing` started."""
        super().resume_writing()
        self.unread_since = None

    def keep(self) -> None:
        """Make sure that the connection is not closed to make room for others, because its client has a key."""
        self.table.hold(self)

    def check_time(self, now: float) -> None:
        """Close the connection if a request takes too long to arrive, or if the client does not read its response."""
        elapsed = now - self.since
        new = self.reading == IDLE and self.cycle is None
        if self.unread_since is not None and now - self.unread_since > WRITE_TIMEOUT:
            self.table.count_refusal("unread_response")
            self.transport.abort()
        elif self.reading == HEAD or new:
            if elapsed > (self.settings.header_timeout or float("inf")):
                self.refuse(408, "the headers took too long to arrive", "slow_headers")
        elif self.reading == BODY:
            if self.flow.read_paused:  # the service is slow, not the client
                self.since = now
            elif elapsed > (self.settings.body_timeout or float("inf")) + self.body_bytes / MIN_BODY_RATE:
                self.refuse(408, "the body took too long to arrive", "slow_body")

    def refuse(self, status: int, detail: str, reason: str) -> None:
        """Close the connection; if the client is waiting for a response, send the problem first."""
        self.table.count_refusal(reason)
        self.table.forget(self)
        if self._awaits_response:
            self.transport.write(_raw_problem(status, detail))
        self.transport.close()

    @property
    def _awaits_response(self) -> bool:
        # A client that has just connected also counts as waiting for a response.
        if self.reading == BODY:
            return not self.cycle.response_started
        return self.cycle is None or (self.reading == HEAD and self.cycle.response_complete)

    async def _respond_headers_too_large(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.table.count_refusal("large_headers")
        response = problem_response(scope, 431, self._headers_too_large, headers={"Connection": "close"})
        await response(scope, receive, send)

    @property
    def _headers_too_large(self) -> str:
        return f"the headers are larger than the limit of {self.settings.header_limit} bytes or {MAX_HEADERS} headers"


def _raw_problem(status: int, detail: str) -> bytes:
    response = problem_response({"path": "", "headers": ()}, status, detail, headers={"Connection": "close"})
    lines = [b"%b: %b\r\n" % header for header in response.raw_headers]
    return b"".join([STATUS_LINE[status], *lines, b"\r\n", bytes(response.body)])


class StreamLimit:
    """Limits the open event streams of each client, and of all clients without a key together.

    >>> streams = StreamLimit(each=1, each_key=2, anonymous=10, count_refusal=print)
    >>> with streams.hold("192.0.2.1", None), streams.hold("192.0.2.1", None):
    ...     pass
    Traceback (most recent call last):
    ...
    prowess.service.errors.Problem: 429: too many event streams from one address; close one of the 1, or use a key
    """

    def __init__(self, each: int, each_key: int, anonymous: float, count_refusal: Callable[[str], None]) -> None:
        self._each, self._each_key, self._anonymous = each, each_key, anonymous
        self._count_refusal = count_refusal
        # Number of streams by address or key; the entry for None counts all streams without a key.
        self._held: Counter[str | int | None] = Counter()

    @contextmanager
    def hold(self, address: str, key: int | None) -> Iterator[None]:
        """Count a stream as open during a `with` block; raise a 429 or 503 problem if there are too many streams."""
        names = [client_network(address), None] if key is None else [key]
        problem = self._problem(*names)
        if problem is not None:
            self._count_refusal("event_streams")
            raise problem
        self._held.update(names)
        try:
            yield
        finally:
            self._held.subtract(names)
            self._held += Counter()  # removes entries that are zero

    def _problem(self, name: str | int | None, *_: object) -> Problem | None:
        held, has_key = self._held[name], isinstance(name, int)
        each = self._each_key if has_key else self._each
        if each and held >= each:
            whose, advice = ("with one key", "") if has_key else ("from one address", ", or use a key")
            return Problem(429, f"too many event streams {whose}; close one of the {held}{advice}", headers=LATER)
        if not has_key and self._held[None] >= self._anonymous:
            return Problem(503, "too many event streams; try again later, or use a key", headers=LATER)
        return None
