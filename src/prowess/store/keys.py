"""API keys and their permissions. A secret is shown once, when its key is created; only its hash is stored."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from secrets import token_urlsafe
from time import time
from typing import Literal, get_args

from sqlalchemy import ColumnElement, Connection, insert, select, update

from ..errors import Error
from . import audit, leagues
from .db import schema
from .errors import NotFound

Scope = Literal["read", "write", "admin"]
SCOPES: tuple[Scope, ...] = get_args(Scope)  # each includes the previous ones
PREFIX = "pw_"  # lets people and secret scanners recognise a key
MAX_NAME = 200  # characters
_KEY = schema.key.c


@dataclass(frozen=True)
class Key:
    """A key as it is stored: for one league, or for all if `league` is None.

    >>> key = Key(1, "phone", "write", 7, "darts", 0.0)
    >>> key.may("read", 7), key.may("admin", 7), key.may("read", 8), key.may("read", None)
    (True, False, False, False)
    """

    id: int
    name: str
    scope: Scope
    league_id: int | None
    league: str | None
    created_at: float
    revoked_at: float | None = None

    def may(self, scope: Scope, league_id: int | None) -> bool:
        """Return whether the key grants a scope in a league, or outside leagues (None)."""
        if self.revoked_at is not None or SCOPES.index(scope) > SCOPES.index(self.scope):
            return False
        return self.league_id is None or self.league_id == league_id


def create(
    connection: Connection, name: str, scope: str = "write", league: str | None = None, *, author: str = ""
) -> tuple[Key, str]:
    """Create a key for a league, or for all; return it with its secret, which is not stored."""
    if scope not in SCOPES:
        raise Error.in_field("scope", f"must be one of {', '.join(SCOPES)}, not {scope!r}", value=scope)
    label = name.strip()
    if not label or not leagues.storable(label, MAX_NAME):
        text = f"a key needs a name of 1 to {MAX_NAME} characters that says who uses it, not {name!r}"
        raise Error.in_field("name", text, value=name)
    league_id = None if league is None else leagues.find(connection, league).id
    secret = PREFIX + token_urlsafe(32)
    row = {"hash": _hash(secret), "name": label, "scope": scope, "league_id": league_id, "created_at": time()}
    number = connection.execute(insert(schema.key).values(row)).inserted_primary_key[0]  # type: ignore[index]
    audit.write(connection, author, "create key", league, key=number, name=label, scope=scope)
    return _get(connection, number), secret


def find(connection: Connection, secret: str) -> Key | None:
    """Return the key with a secret; None if it is unknown or revoked."""
    keys = list_keys(connection, _KEY.hash == _hash(secret), _KEY.revoked_at.is_(None))
    return keys[0] if keys else None


def list_keys(connection: Connection, *conditions: ColumnElement[bool]) -> list[Key]:
    """Return all keys that meet the conditions, including revoked ones, oldest first."""
    league = schema.league.c.name.label("league")
    query = select(_KEY.id, _KEY.name, _KEY.scope, _KEY.league_id, league, _KEY.created_at, _KEY.revoked_at)
    query = query.select_from(schema.key.outerjoin(schema.league)).where(*conditions).order_by(_KEY.id)
    return [Key(*row) for row in connection.execute(query)]


def revoke(connection: Connection, id: int, *, author: str = "") -> Key:
    """Revoke a key permanently; revoking it again has no effect."""
    key = _get(connection, id)
    if key.revoked_at is None:
        connection.execute(update(schema.key).where(_KEY.id == id).values(revoked_at=time()))
        audit.write(connection, author, "revoke key", key.league, key=id, name=key.name)
    return _get(connection, id)


def _get(connection: Connection, id: int) -> Key:
    keys = list_keys(connection, _KEY.id == id) if 0 < id < 2**63 else []
    if not keys:
        raise NotFound(f"key {id} not found", field="id", value=id)
    return keys[0]


def _hash(secret: str) -> bytes:
    """Hash a secret: for 32 random bytes, one round of SHA-256 is enough."""
    return sha256(secret.encode("utf-8", "surrogatepass")).digest()
