"""API keys and their permissions. A key's secret is shown once, when it is created; only its hash is stored."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from math import inf
from secrets import token_urlsafe
from time import time
from typing import Literal, get_args

from sqlalchemy import ColumnElement, Connection, bindparam, func, insert, or_, select, update

from ..errors import Error
from . import audit, clock, leagues
from .db import schema
from .errors import Conflict, NotFound

Scope = Literal["read", "write", "admin"]
SCOPES: tuple[Scope, ...] = get_args(Scope)  # each scope includes all weaker scopes
PREFIX = "pw_"  # lets people and secret scanners recognise a key
MAX_NAME = 200  # characters
GRACE = "24h"  # how long the old secret works after a rotation, by default
MAX_GRACE = 30 * 86_400.0  # seconds
_UNITS = {"m": 60.0, "h": 3_600.0, "d": 86_400.0}  # seconds
_DURATION = re.compile(r"([0-9]{1,6})\s*([mhd])")
_KEY = schema.key.c


@dataclass(frozen=True)
class Key:
    """A stored key, for one league or, if `league` is None, for all leagues. Times are Unix times in seconds.

    `used_at` is the last use, to the minute. After a rotation, the previous secret works until `old_until`.

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
    expires_at: float | None = None
    used_at: float | None = None
    old_until: float | None = None

    @property
    def live(self) -> bool:
        """Whether the key works: it is neither revoked nor expired.

        >>> Key(1, "phone", "write", None, None, 0.0, expires_at=1.0).live
        False
        """
        return self.revoked_at is None and (self.expires_at is None or time() < self.expires_at)

    def may(self, scope: Scope, league_id: int | None) -> bool:
        """Return whether the key grants a scope in a league or, if `league_id` is None, in the whole service."""
        if not self.live or SCOPES.index(scope) > SCOPES.index(self.scope):
            return False
        return self.league_id is None or self.league_id == league_id

    def outlives(self, other: Key) -> bool:
        """Return whether this key expires later than another one.

        >>> Key(1, "a", "admin", None, None, 0.0).outlives(Key(2, "b", "admin", None, None, 0.0, expires_at=1.0))
        True
        """
        ends = [inf if key.expires_at is None else key.expires_at for key in (self, other)]
        return ends[0] > ends[1]


def parse_duration(text: str, field: str) -> float:
    """Parse a duration in days, hours or minutes; return its length in seconds.

    >>> parse_duration("90d", "expires"), parse_duration("0", "grace")
    (7776000.0, 0.0)
    """
    match = _DURATION.fullmatch(text.strip())
    if match is None and text.strip() != "0":
        raise Error.in_field(field, f"write a duration such as 90d, 12h or 30m, not {text!r}", value=text)
    return 0.0 if match is None else int(match[1]) * _UNITS[match[2]]


def parse_expiry(text: str) -> float | None:
    """Return the Unix time at which a key expires, given as a date, a time or a duration from now; empty means never.

    >>> parse_expiry("2999-01-31"), parse_expiry("")
    (32474736000.0, None)
    """
    if not text.strip():
        return None
    if _DURATION.fullmatch(text.strip()):
        return time() + parse_duration(text, "expires")
    moment = clock.parse("utc", text, "expires") / 1e6
    if moment <= time():
        raise Error.in_field("expires", f"{text} is in the past", value=text)
    return moment


def create(
    connection: Connection,
    name: str,
    scope: str = "write",
    league: str | None = None,
    *,
    expires_at: float | None = None,
    author: str = "",
) -> tuple[Key, str]:
    """Create a key for one league or for all leagues; return the key and its secret, which is not stored.

    `expires_at` is a Unix time; by default, the key never expires.
    """
    if scope not in SCOPES:
        raise Error.in_field("scope", f"must be one of {', '.join(SCOPES)}, not {scope!r}", value=scope)
    label = name.strip()
    if not label or not leagues.storable(label, MAX_NAME):
        text = f"a key needs a name of 1 to {MAX_NAME} characters that says who uses it, not {name!r}"
        raise Error.in_field("name", text, value=name)
    league_id = None if league is None else leagues.find(connection, league).id
    secret = _new_secret()
    row = {"hash": _hash(secret), "name": label, "scope": scope, "league_id": league_id, "created_at": time()}
    row |= {"expires_at": expires_at}
    number = connection.execute(insert(schema.key).values(row)).inserted_primary_key[0]  # type: ignore[index]
    expiry = {} if expires_at is None else {"expires": clock.show("utc", round(expires_at) * 1e6)}
    audit.write(connection, author, "create key", league, key=number, name=label, scope=scope, **expiry)
    return get(connection, number), secret


def find(connection: Connection, secret: str) -> Key | None:
    """Return the key that a secret belongs to; None if the secret is unknown, or the key is revoked or expired."""
    hash, now = _hash(secret), time()
    current = or_(_KEY.hash == hash, (_KEY.old_hash == hash) & (_KEY.old_until > now))
    keys = list_keys(connection, current, _is_live(now))
    return keys[0] if keys else None


def _is_live(now: float) -> ColumnElement[bool]:
    return _KEY.revoked_at.is_(None) & or_(_KEY.expires_at.is_(None), _KEY.expires_at > now)


def list_keys(connection: Connection, *conditions: ColumnElement[bool]) -> list[Key]:
    """Return all keys that meet the conditions, including revoked and expired ones, oldest first."""
    columns = [_KEY.get(name, schema.league.c.name) for name in Key.__dataclass_fields__]
    query = select(*columns).select_from(schema.key.outerjoin(schema.league)).where(*conditions).order_by(_KEY.id)
    return [Key(*row) for row in connection.execute(query)]


def keys_of(connection: Connection, league_id: int) -> list[Key]:
    """Return the keys that are limited to one league."""
    return list_keys(connection, _KEY.league_id == league_id)


def get(connection: Connection, id: int) -> Key:
    """Return a key by its id; raises `NotFound` if there is none."""
    keys = list_keys(connection, _KEY.id == id) if 0 < id < 2**63 else []
    if not keys:
        raise NotFound(f"key {id} not found", field="id", value=id)
    return keys[0]


def revoke(connection: Connection, id: int, *, author: str = "", keep_admin: bool = False) -> Key:
    """Revoke a key permanently; revoking it again has no effect.

    With `keep_admin`, a `Conflict` is raised for the last admin key for all leagues, because without this key nobody
    could create another one over HTTP.
    """
    key = get(connection, id)
    if key.revoked_at is None:
        if keep_admin and key.may("admin", None) and _is_last_admin(connection, key):
            text = f"{key.name!r} is the last admin key for all leagues: create another one before you revoke it"
            raise Conflict(text, field="id", value=id)
        connection.execute(update(schema.key).where(_KEY.id == id).values(revoked_at=time()))
        audit.write(connection, author, "revoke key", key.league, key=id, name=key.name)
    return get(connection, id)


def _is_last_admin(connection: Connection, key: Key) -> bool:
    admins = (_KEY.scope == "admin", _KEY.league_id.is_(None), _is_live(time()))
    # Locked, so that two admins cannot revoke each other's keys at the same moment.
    ids = connection.execute(select(_KEY.id).where(*admins).with_for_update()).scalars().all()
    return set(ids) == {key.id}


def rotate(connection: Connection, id: int, grace: float, *, author: str = "") -> tuple[Key, str]:
    """Give a key a new secret; return the key and the secret. The old secret works for `grace` more seconds.

    Only one old secret works at a time: if the key was rotated before, the older secret stops working now.
    """
    if not 0 <= grace <= MAX_GRACE:
        text = f"the old secret can work for at most {MAX_GRACE / 86_400:g} more days"
        raise Error.in_field("grace", text, value=grace)
    key = get(connection, id)
    if not key.live:
        state = "expired" if key.revoked_at is None else "revoked"
        raise Conflict(f"key {id} ({key.name}) is {state}: create a new one", field="id", value=id)
    secret = _new_secret()
    old = {"old_hash": _KEY.hash, "old_until": time() + grace} if grace else {"old_hash": None, "old_until": None}
    connection.execute(update(schema.key).where(_KEY.id == id).values(hash=_hash(secret), **old))
    audit.write(connection, author, "rotate key", key.league, key=id, name=key.name, grace_hours=grace / 3600)
    return get(connection, id), secret


def record_uses(connection: Connection, uses: Mapping[int, float]) -> None:
    """Record when keys were last used; `uses` maps the ids of keys to Unix times."""
    used = func.coalesce(_KEY.used_at, 0.0) < bindparam("at")
    statement = update(schema.key).where(_KEY.id == bindparam("key"), used).values(used_at=bindparam("at"))
    connection.execute(statement, [{"key": id, "at": at} for id, at in sorted(uses.items())])


def _new_secret() -> str:
    return PREFIX + token_urlsafe(32)


def _hash(secret: str) -> bytes:
    # A secret has 32 random bytes, so one round of SHA-256 is enough.
    return sha256(secret.encode("utf-8", "surrogatepass")).digest()
