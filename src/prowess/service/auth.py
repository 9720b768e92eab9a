"""Who may do what: keys in the `Authorization` header, scopes, and rights in one league or in all.

A private league looks to who may not read it as if it were not there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

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

KEY, READER = "key", "reader"  # schemes of the API's document: a key is needed, or only for private leagues
CHALLENGE = {"WWW-Authenticate": "Bearer"}
HOW = "send `Authorization: Bearer KEY`; `prowess key create` makes a key"


@dataclass(frozen=True)
class Access:
    """What a request may touch: a league, and by which key; none where reading is public."""

    league: str
    league_id: int
    key: Key | None

    @property
    def author(self) -> str:
        """The name under which changes are written down."""
        return self.key.name if self.key else ""


def bearer_secret(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """The secret of the `Authorization` header: empty if it cannot be one of ours, None without the header.

    >>> bearer_secret([(b"authorization", b"Bearer abc")]), bearer_secret([(b"authorization", b"Basic abc")])
    ('abc', '')
    """
    for name, value in headers:
        if name == b"authorization":
            kind, _, secret = value.decode("latin-1").partition(" ")
            return secret.strip() if kind.lower() == "bearer" and len(secret) <= LONGEST else ""
    return None


def peek_key_id(keys: TtlCache[Key | None], headers: Iterable[tuple[bytes, bytes]]) -> int | None:
    """Return the id of a request's key if it was looked up before: rate limits must not wait for the database."""
    secret = bearer_secret(headers)
    key = keys.peek(secret) if secret else None
    return key.id if key else None


class Identify:
    """Middleware: finds the key of a request and notes it in `request.state`."""

    def __init__(self, app: types.ASGIApp, keys: TtlCache[Key | None]) -> None:
        self.app, self.keys = app, keys

    async def __call__(self, scope: types.Scope, receive: types.Receive, send: types.Send) -> None:
        """Note the key, None if it is unknown, and let the request through, without the cookies of others."""
        if any(name == b"cookie" for name, _ in scope.get("headers", ())):
            scope["headers"] = drop_foreign_cookies(scope["headers"])
        if scope["type"] == "http" and scope["path"] not in EXEMPT:
            await _identify(scope, self.keys)
        await self.app(scope, receive, send)


async def _identify(scope: types.Scope, keys: TtlCache[Key | None]) -> None:
    secret = bearer_secret(scope["headers"])
    if secret is not None:
        scope["state"]["key"] = await keys.get(secret) if secret else None
    elif not scope["path"].startswith("/api/"):  # where a cookie counts for nothing: other sites may let it be sent
        kept = cookie_secret(scope["headers"])
        found = await keys.get(kept) if kept else None
        if found is not None and found.revoked_at is None:
            scope["state"]["key"] = found


async def key_of_request(request: Request) -> Key | None:
    """The key of a request, None without one; an unknown key is refused."""
    state = request.scope["state"]
    key: Key | None = state.get("key")
    if key is None and "key" in state:
        raise Problem(401, f"this key is unknown or was revoked: {HOW}", headers=CHALLENGE)
    return key


class LeaguePermission(SecurityBase):
    """A dependency of the routes of a league: refuses who may not do what `scope` says, and gives the `Access`."""

    model = HTTPBearer(description="A key that `prowess key create` made.")

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.scheme_name = READER if scope == "read" else KEY

    async def __call__(self, request: Request) -> Access:
        """The access, or a refusal."""
        key = await key_of_request(request)
        if key is None and self.scope != "read":
            raise Problem(401, f"this needs a key: {HOW}", headers=CHALLENGE)
        name = request.path_params["league"]
        try:
            league = await service_of(request).leagues.get(name)
        except NotFound:
            raise _hidden(name) from None
        if key is not None and key.may(self.scope, league.id):
            return Access(name, league.id, key)
        if not league.public and (key is None or not key.may("read", league.id)):
            raise _hidden(name)
        if self.scope == "read":
            return Access(name, league.id, key)
        raise _forbidden(key, self.scope, f"in league {name!r}")


async def may_still_read(request: Request) -> bool:
    """Whether who reads a league for long still may: a key is revoked, or a league made private, meanwhile."""
    try:
        await _identify(request.scope, service_of(request).keys)
        await LeaguePermission("read")(request)
    except Problem:
        return False
    except Unavailable:
        return True  # then there is nothing to tell either
    return True


class GlobalPermission(SecurityBase):
    """A dependency of routes that belong to no league: refuses all but keys of all leagues, and gives the key."""

    model = LeaguePermission.model
    scheme_name = KEY

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    async def __call__(self, request: Request) -> Key:
        """The key, or a refusal."""
        key = await key_of_request(request)
        if key is None:
            raise Problem(401, f"this needs a key: {HOW}", headers=CHALLENGE)
        if not key.may(self.scope, None):
            raise _forbidden(key, self.scope, "in all leagues")
        return key


def _hidden(league: str) -> Problem:
    return Problem(404, f"there is no league {league!r}, or it is private and needs a key that may read it")


def _forbidden(key: Key | None, scope: Scope, where: str) -> Problem:
    has = f"this key has the scope {key.scope!r}" if key else "there is no key"
    limited = " of one league" if key and key.league_id is not None else ""
    return Problem(403, f"this needs a key with the scope {scope!r} {where}; {has}{limited}")


def may(scope: Scope) -> LeaguePermission:
    """What a route of a league depends on: `Depends(may("write"))` gives an `Access`.

    >>> may("read").scheme_name, may("admin").scheme_name
    ('reader', 'key')
    """
    return LeaguePermission(scope)


def may_everywhere(scope: Scope) -> GlobalPermission:
    """What a route beside the leagues depends on: `Depends(everywhere("admin"))` gives the key.

    >>> may_everywhere("admin").scope
    'admin'
    """
    return GlobalPermission(scope)


COOKIE = "prowess_key"
LONGEST = 200  # letters of a secret: ours are shorter, and what was looked up is remembered for a while
Headers = Iterable[tuple[bytes, bytes]]


def cookie_secret(headers: Headers) -> str | None:
    """The secret of the key that a browser is signed in with.

    Cookies of other services of the same host are sent along: whatever is in them, ours is found, in linear time.

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
    """Headers without the cookies of others, which the framework would read, and not in linear time.

    >>> drop_foreign_cookies([(b"host", b"a"), (b"cookie", b'x="; prowess_key=pw_abc')])
    [(b'host', b'a'), (b'cookie', b'prowess_key=pw_abc')]
    """
    secret = cookie_secret(headers)
    ours = [(b"cookie", f"{COOKIE}={secret}".encode("latin-1"))] if secret and len(secret) <= LONGEST else []
    return [*(one for one in headers if one[0] != b"cookie"), *ours]
