"""How much a caller may send, and how often: limits of bodies and of rates."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from ipaddress import ip_network
from math import ceil
from time import monotonic
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import Problem

EXEMPT = frozenset({"/healthz", "/readyz", "/metrics"})  # those who watch the service are never turned away
SITE = 64  # bits of an IPv6 address that belong to one site, which has all addresses below them
ROOM = 1000
IMPORT = re.compile(r"(/api)?/leagues/[^/]*/import")  # to which files go


class Buckets:
    """A token bucket for each name: `rate` a second, and `burst` at once.

    Kept is one number a name, the time at which its bucket will be full again (the generic cell rate algorithm).

    >>> buckets = Buckets(rate=1, burst=2)
    >>> [buckets.take("ann", now) for now in (0.0, 0.0, 0.0, 1.0)]
    [0.0, 0.0, 1.0, 0.0]
    """

    def __init__(self, rate: float, burst: int) -> None:
        self._step = 1.0 / rate
        self._most = burst * self._step
        self._full: dict[Any, float] = {}
        self._room = ROOM

    def take(self, name: Any, now: float) -> float:
        """Take a token; gives 0, or the seconds until there will be one."""
        full = max(self._full.get(name, now), now) + self._step
        wait = full - now - self._most
        if wait > 1e-9:
            return wait
        self._full[name] = full
        if len(self._full) > self._room:
            self._full = {name: full for name, full in self._full.items() if full > now}
            self._room = max(ROOM, 2 * len(self._full))  # so that a look at all costs little for each
        return 0.0


@lru_cache(maxsize=4096)
def site(host: str) -> str:
    """Whom an address stands for: itself, or for IPv6 the network of its site.

    >>> site("192.0.2.1"), site("2001:db8::1:2:3:4") == site("2001:db8::9")
    ('192.0.2.1', True)
    """
    try:
        return str(ip_network(f"{host}/{SITE}", strict=False)) if ":" in host else host
    except ValueError:
        return host


class RateLimit:
    """Middleware: so many requests a second for a key, or for an address where no known key is given.

    `key_id` finds the id of a key by the headers of a request; keys that were never looked up count for the address, so
    that guessing keys is no way around the limit.
    """

    def __init__(
        self,
        app: ASGIApp,
        addresses: Buckets | None,
        keys: Buckets | None,
        key_id: Callable[[Any], int | None],
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.app, self.addresses, self.keys, self.key_id, self.clock = app, addresses, keys, key_id, clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through, or say when to come again."""
        if scope["type"] == "http" and scope["path"] not in EXEMPT:
            key = self.key_id(scope["headers"])
            buckets = self.addresses if key is None else self.keys
            if buckets is not None:
                client = scope.get("client")
                wait = buckets.take(site(client[0]) if key is None and client else key, self.clock())
                if wait:
                    raise Problem(
                        429, f"too many requests: come again in {wait:.2g} s", headers={"Retry-After": str(ceil(wait))}
                    )
        await self.app(scope, receive, send)


class BodyLimit:
    """Middleware: bodies of so many bytes at most, refused before more than that is read; imports may be larger.

    Compressed ones are refused: how large they are is known too late.
    """

    def __init__(self, app: ASGIApp, most: int, most_import: int) -> None:
        self.app, self.most, self.most_import = app, most, most_import

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through, or refuse it."""
        if scope["type"] == "http" and scope["method"] not in ("GET", "HEAD"):
            _check_plain(scope)
            most = self.most_import if IMPORT.fullmatch(scope["path"]) else self.most
            if most:
                receive = _limited(scope, receive, most)
        await self.app(scope, receive, send)


def _check_plain(scope: Scope) -> None:
    for name, value in scope["headers"]:
        if name == b"content-encoding" and value.lower() not in (b"", b"identity"):
            told = f"the body must come uncompressed, without Content-Encoding: {value.decode('latin-1')}"
            raise Problem(415, told, headers={"Accept-Encoding": "identity", "Connection": "close"})


def _limited(scope: Scope, receive: Receive, most: int) -> Receive:
    """Let no more than so many bytes be read: the server keeps who says how many there are to what she says."""
    for name, value in scope["headers"]:
        if name == b"content-length":
            if not value.isdigit() or int(value) > most:
                raise _too_large(most)
            return receive
    read = 0

    async def counted() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > most:
            raise _too_large(most)
        return message

    return counted


def _too_large(most: int) -> Problem:
    # The rest of the body is not waited for.
    return Problem(413, f"the body is larger than the limit of {most} bytes", headers={"Connection": "close"})
