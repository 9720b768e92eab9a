"""Authentication and permissions, by a key in the `Authorization` header or in a cookie.

A key has a scope (read, write or admin), for one league or for all leagues.

Without access, a private league returns 404.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from time import time
from typing import NoReturn

from fastapi import Request
from fastapi.openapi.models import HTTPBearer
from fastapi.security.base import SecurityBase
from starlette import types

from ..store.db.database import Database
from ..store.errors import NotFound, Renamed, Unavailable
from ..store.keys import Key, Scope
from ..store.leagues import League
from .concurrency import TtlCache
from .context import service_of
from .errors import Problem
from .middleware import EXEMPT

KEY, READER = "key", "reader"  # security schemes in OpenAPI: a key is always required, or only for private leagues
COOKIE = "prowess_key"
LONGEST = 200  # characters; our secrets are shorter, and long ones would fill the cache

Headers = Iterable[tuple[bytes, bytes]]


@dataclass(frozen=True)
class Access:
    """The league that a request may use, and the request's key (None if a public league is read without a key)."""

    league: str
    league_id: int
    key: Key | None

    @property
    def author(self) -> str:
        """The author of changes: the name of the key, or "" without a key."""
        return self.key.name if self.key else ""

    @property
    def member(self) -> bool:
        """Whether the request has a key for this league or for all leagues.

        Public leagues can also be read without a key.
        """
        return self.key is not None and self.key.may("read", self.league_id)


def key_command(scope: Scope, league: str | None = None, database: Database | None = None) -> str:
    """Return the shell command that creates a key with a scope, for one league or for all leagues.

    With `database`, the command names the database, so that it works in any folder.

    >>> key_command("write", "darts")
    'prowess key create NAME --league darts'
    >>> key_command("admin", database=Database("sqlite:////tmp/league.db"))
    'prowess key create NAME --scope admin --database sqlite:////tmp/league.db'
    """
    command = "prowess key create NAME" + ("" if scope == "write" else f" --scope {scope}")
    command += "" if league is None else f" --league {league}"
    if database is None:
        return command
    url = database.url
    if database.dialect == "sqlite":
        url = url.set(database=str(Path(str(url.database)).absolute()))
    return f"{command} --database {quote(url.render_as_string(hide_password=True))}"


def bearer_secret(headers: Headers) -> str | None:
    """Return the secret in the `Authorization` header: empty if the header is not valid, None if it is missing.

    >>> bearer_secret([(b"authorization", b"Bearer abc")]), bearer_secret([(b"authorization", b"Basic abc")])
    ('abc', '')
    """
    for name, value in headers:
        if name == b"authorization":
            kind, _, secret = value.decode("latin-1").partition(" ")
            return secret.strip() if kind.lower() == "bearer" and len(secret) <= LONGEST else ""
    return None


def cookie_secret(headers: Headers) -> str | None:
    """Return the secret in the login cookie; None if the cookie is missing.

    The header is parsed by hand, in linear time, because other services on the host may set any cookies.

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
    """Return the headers without the cookies of other services.

    The framework would parse the cookies of other services in more than linear time.

    >>> drop_foreign_cookies([(b"host", b"a"), (b"cookie", b'x="; prowess_key=pw_abc')])
    [(b'host', b'a'), (b'cookie', b'prowess_key=pw_abc')]
    """
    secret = cookie_secret(headers)
    ours = [(b"cookie", f"{COOKIE}={secret}".encode("latin-1"))] if secret and len(secret) <= LONGEST else []
    return [*(header for header in headers if header[0] != b"cookie"), *ours]


def peek_key_id(keys: TtlCache[Key | None], headers: Headers) -> int | None:
    """Return the id of a request's key if the key is cached, else None.

    The database is not queried, because rate limits must not wait for it.
    """
    secret = bearer_secret(headers)
    key = keys.peek(secret) if secret else None
    return key.id if key else None


class Identify:
    """Middleware that looks up the key of a request, stores it in `request.state`, and records its use in `uses`."""

    def __init__(self, app: types.ASGIApp, keys: TtlCache[Key | None], uses: dict[int, float]) -> None:
        self.app, self.keys, self.uses = app, keys, uses

    async def __call__(self, scope: types.Scope, receive: types.Receive, send: types.Send) -> None:
        """Store the key (None if it is unknown), and pass the request on."""
        if any(name == b"cookie" for name, _ in scope.get("headers", ())):
            scope["headers"] = drop_foreign_cookies(scope["headers"])
        if scope["type"] == "http" and scope["path"] not in EXEMPT:
            await _identify(scope, self.keys)
            key = scope["state"].get("key")
            if key is not None:
                self.uses[key.id] = time()  # written to the database later, by `housekeeping.py`
        await self.app(scope, receive, send)


async def _identify(scope: types.Scope, keys: TtlCache[Key | None]) -> None:
    secret = bearer_secret(scope["headers"])
    if secret is not None:
        key = await keys.get(secret) if secret else None
        scope["state"]["key"] = key if key is not None and key.live else None
    elif not scope["path"].startswith("/api/"):  # the API ignores cookies: other sites can make browsers send them
        secret = cookie_secret(scope["headers"])
        key = await keys.get(secret) if secret else None
        if key is not None and key.live:
            scope["state"]["key"] = key


async def key_of_request(request: Request) -> Key | None:
    """Return the key of a request (None if it sent no key); raise a 401 problem for an unknown key."""
    state = request.scope["state"]
    key: Key | None = state.get("key")
    if key is None and "key" in state:
        _unauthorized("this key is unknown, revoked or expired", "prowess key create")
    return key


class LeaguePermission(SecurityBase):
    """A dependency of a league's routes: checks that the request's key has `scope`, and returns the `Access`.

    A public league can be read without a key.

    >>> LeaguePermission("read").scheme_name, LeaguePermission("admin").scheme_name
    ('reader', 'key')
    """

    model = HTTPBearer(description="A key created by `prowess key create`.")

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.scheme_name = READER if scope == "read" else KEY

    async def __call__(self, request: Request) -> Access:
        """Return the access, or raise a `Problem`."""
        key = await key_of_request(request)
        if key is None and self.scope != "read":
            _unauthorized("this request needs a key", key_command(self.scope, request.path_params["league"]))
        name, renamed = request.path_params["league"], None
        leagues = service_of(request).leagues
        try:
            league = await leagues.get(name)
        except Renamed as error:
            renamed = error
        except NotFound:
            raise _not_found(name) from None
        if renamed is not None:
            league = await leagues.get(renamed.new)
        if not may_see(key, league):
            raise _not_found(name)
        if renamed is not None:
            raise renamed  # a redirect, shown only to callers who can read the league
        if self.scope == "read" or (key is not None and key.may(self.scope, league.id)):
            return Access(name, league.id, key)
        raise _forbidden(key, self.scope, name)


class GlobalPermission(SecurityBase):
    """A dependency of routes outside leagues: requires a key with `scope` for all leagues, and returns that key."""

    model = LeaguePermission.model
    scheme_name = KEY

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    async def __call__(self, request: Request) -> Key:
        """Return the key, or raise a `Problem`."""
        key = await key_of_request(request)
        if key is None:
            _unauthorized("this request needs a key", key_command(self.scope))
        if not key.may(self.scope, None):
            raise _forbidden(key, self.scope)
        return key


def may_see(key: Key | None, league: League) -> bool:
    """Return whether a caller can read a league. Only admin keys can read a deleted league, to undelete it."""
    if league.purge_at is not None:
        return key is not None and key.may("admin", league.id)
    return league.public or (key is not None and key.may("read", league.id))


async def may_still_read(request: Request) -> bool:
    """Return whether a long-running request still has access.

    Since the request began, its key may have been revoked, or the league made private.

    The result is also False if the league was renamed, because the client must connect again under the new name.
    """
    try:
        await _identify(request.scope, service_of(request).keys)
        await LeaguePermission("read")(request)
    except (Problem, Renamed):
        return False
    except Unavailable:
        pass  # while the database is down, there are no changes that could leak
    return True


def _unauthorized(reason: str, command: str) -> NoReturn:
    detail = f"{reason}: send `Authorization: Bearer KEY`; `{command}` creates a key"
    raise Problem(401, detail, headers={"WWW-Authenticate": "Bearer"})


def _not_found(league: str) -> Problem:
    return Problem(404, f"no league named {league!r}, or the league is private and you need a key that may read it")


def _forbidden(key: Key | None, scope: Scope, league: str | None = None) -> Problem:
    where = "in all leagues" if league is None else f"in league {league!r}"
    has = f"this key has the scope {key.scope!r}" if key else "no key was sent"
    limited = " in one league" if key and key.league_id is not None else ""
    detail = f"this request needs a key with the scope {scope!r} {where}; {has}{limited}"
    return Problem(403, f"{detail}. `{key_command(scope, league)}` creates such a key")
