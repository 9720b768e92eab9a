"""Authentication and permissions: keys in the `Authorization` header or a cookie, with a scope in one league or all.

Without access, a private league returns 404.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NoReturn

from fastapi import Request
from fastapi.openapi.models import HTTPBearer
from fastapi.security.base import SecurityBase
from starlette import types

from ..store.errors import NotFound, Unavailable
from ..store.keys import Key, Scope
from .concurrency import TtlCache
from .context import service_of
from .errors import Problem
from .middleware import EXEMPT

KEY, READER = "key", "reader"  # security schemes in OpenAPI: a key is required, or only for private leagues
COOKIE = "prowess_key"
LONGEST = 200  # characters; ours are shorter, and every secret that is sent is cached for a while
HOW_TO_SEND = "send `Authorization: Bearer KEY`; `prowess key create` creates a key"

Headers = Iterable[tuple[bytes, bytes]]


@dataclass(frozen=True)
class Access:
    """The league that a request may use, and the request's key; None for public reading without a key."""

    league: str
    league_id: int
    key: Key | None

    @property
    def author(self) -> str:
        """The name recorded with changes."""
        return self.key.name if self.key else ""


def bearer_secret(headers: Headers) -> str | None:
    """Return the secret in the `Authorization` header; empty if it cannot be one of ours, None without the header.

    >>> bearer_secret([(b"authorization", b"Bearer abc")]), bearer_secret([(b"authorization", b"Basic abc")])
    ('abc', '')
    """
    for name, value in headers:
        if name == b"authorization":
            kind, _, secret = value.decode("latin-1").partition(" ")
            return secret.strip() if kind.lower() == "bearer" and len(secret) <= LONGEST else ""
    return None


def cookie_secret(headers: Headers) -> str | None:
    """Return the secret in the login cookie.

    Parsed by hand, in linear time: other services on the host may set cookies of any content.

    >>> cookie_secret([(b"cookie", b'other={"a": 1}; prowess_key=pw_abc')]), cookie_secret([])
    ('pw_abc', None)
    """
    for name, value in headers:
        if name == b"cookie":
            for pair in value.split(b";"):
                key, _, secret = pair.partition(b"=")
                if key.strip() == COOKIE.encode():
                    return secret.strip().decode("latin-1")
    return None


def drop_foreign_cookies(headers: Headers) -> list[tuple[bytes, bytes]]:
    """Remove cookies of other services, which the framework would parse in more than linear time.

    >>> drop_foreign_cookies([(b"host", b"a"), (b"cookie", b'x="; prowess_key=pw_abc')])
    [(b'host', b'a'), (b'cookie', b'prowess_key=pw_abc')]
    """
    secret = cookie_secret(headers)
    ours = [(b"cookie", f"{COOKIE}={secret}".encode("latin-1"))] if secret and len(secret) <= LONGEST else []
    return [*(header for header in headers if header[0] != b"cookie"), *ours]


def peek_key_id(keys: TtlCache[Key | None], headers: Headers) -> int | None:
    """Return the id of a request's key if it is cached: rate limits must not wait for the database."""
    secret = bearer_secret(headers)
    key = keys.peek(secret) if secret else None
    return key.id if key else None


class Identify:
    """Middleware that looks up the key of a request and stores it in `request.state`."""

    def __init__(self, app: types.ASGIApp, keys: TtlCache[Key | None]) -> None:
        self.app, self.keys = app, keys

    async def __call__(self, scope: types.Scope, receive: types.Receive, send: types.Send) -> None:
        """Store the key, None if it is unknown, and pass the request on."""
        if any(name == b"cookie" for name, _ in scope.get("headers", ())):
            scope["headers"] = drop_foreign_cookies(scope["headers"])
        if scope["type"] == "http" and scope["path"] not in EXEMPT:
            await _identify(scope, self.keys)
        await self.app(scope, receive, send)


async def _identify(scope: types.Scope, keys: TtlCache[Key | None]) -> None:
    secret = bearer_secret(scope["headers"])
    if secret is not None:
        scope["state"]["key"] = await keys.get(secret) if secret else None
    elif not scope["path"].startswith("/api/"):  # the API ignores cookies: other sites can make browsers send them
        secret = cookie_secret(scope["headers"])
        key = await keys.get(secret) if secret else None
        if key is not None and key.revoked_at is None:
            scope["state"]["key"] = key


async def key_of_request(request: Request) -> Key | None:
    """Return the key of a request, None without one; raises 401 for an unknown key."""
    state = request.scope["state"]
    key: Key | None = state.get("key")
    if key is None and "key" in state:
        _unauthorized("this key is unknown or revoked")
    return key


class LeaguePermission(SecurityBase):
    """A dependency of a league's routes: checks that the key has `scope` and returns the `Access`.

    >>> LeaguePermission("read").scheme_name, LeaguePermission("admin").scheme_name
    ('reader', 'key')
    """

    model = HTTPBearer(description="A key made by `prowess key create`.")

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.scheme_name = READER if scope == "read" else KEY

    async def __call__(self, request: Request) -> Access:
        """Return the access, or raise a `Problem`."""
        key = await key_of_request(request)
        if key is None and self.scope != "read":
            _unauthorized("this needs a key")
        name = request.path_params["league"]
        try:
            league = await service_of(request).leagues.get(name)
        except NotFound:
            raise _not_found(name) from None
        if key is not None and key.may(self.scope, league.id):
            return Access(name, league.id, key)
        if not league.public and (key is None or not key.may("read", league.id)):
            raise _not_found(name)
        if self.scope == "read":
            return Access(name, league.id, key)
        raise _forbidden(key, self.scope, f"in league {name!r}")


class GlobalPermission(SecurityBase):
    """A dependency of routes outside leagues: checks for a key for all leagues with `scope`, and returns it."""

    model = LeaguePermission.model
    scheme_name = KEY

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    async def __call__(self, request: Request) -> Key:
        """Return the key, or raise a `Problem`."""
        key = await key_of_request(request)
        if key is None:
            _unauthorized("this needs a key")
        if not key.may(self.scope, None):
            raise _forbidden(key, self.scope, "in all leagues")
        return key


async def may_still_read(request: Request) -> bool:
    """Return whether a long-running reader still has access: its key may be revoked, or the league made private."""
    try:
        await _identify(request.scope, service_of(request).keys)
        await LeaguePermission("read")(request)
    except Problem:
        return False
    except Unavailable:
        pass  # while the database is down there are no changes to leak
    return True


def _unauthorized(reason: str) -> NoReturn:
    raise Problem(401, f"{reason}: {HOW_TO_SEND}", headers={"WWW-Authenticate": "Bearer"})


def _not_found(league: str) -> Problem:
    return Problem(404, f"no league named {league!r}, or it is private and needs a key that may read it")


def _forbidden(key: Key | None, scope: Scope, where: str) -> Problem:
    has = f"this key has the scope {key.scope!r}" if key else "no key was sent"
    limited = " in one league" if key and key.league_id is not None else ""
    return Problem(403, f"this needs a key with the scope {scope!r} {where}; {has}{limited}")
