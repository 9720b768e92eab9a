"""Keys: who may do what. A secret is shown once, when its key is made; the store has only its hash."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from secrets import token_urlsafe
from time import time
from typing import Any, Literal, get_args

from sqlalchemy import Connection, Select, insert, select, update

from ..errors import Error
from . import audit, leagues
from .db.schema import key
from .db.schema import league as league_table
from .errors import NotFound
from .slugs import storable

Scope = Literal["read", "write", "admin"]
SCOPES: tuple[Scope, ...] = get_args(Scope)  # each may do what those before may
MARK = "pw_"  # by which people, and programs that look for leaked secrets, know what it is
LONGEST = 200  # letters of a name


@dataclass(frozen=True)
class Key:
    """A key as the store knows it: of one league, or of all if `league` is None.

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
        """Tell whether the key grants a scope for a league, or for what belongs to no league (None)."""
        if self.revoked_at is not None or SCOPES.index(scope) > SCOPES.index(self.scope):
            return False
        return self.league_id is None or self.league_id == league_id


def create(
    connection: Connection, name: str, scope: str = "write", league: str | None = None, *, author: str = ""
) -> tuple[Key, str]:
    """Create a key for a league, or for all; return it with its secret, which is not stored.

    >>> from prowess.store.db.database import Database
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     database = Database(f"{folder}/league.db")
    ...     database.migrate()
    ...     with database.writing() as connection:
    ...         made, secret = create(connection, "phone", "read")
    ...         found = find(connection, secret)
    ...     database.close()
    >>> secret[:3], found == made, made.may("write", None)
    ('pw_', True, False)
    """
    if scope not in SCOPES:
        raise Error.in_field("scope", f"it is one of {', '.join(SCOPES)}, not {scope!r}", value=scope)
    of = None if league is None else leagues.find(connection, league)
    secret = MARK + token_urlsafe(32)
    row = {
        "hash": _hash(secret),
        "name": _name(name),
        "scope": scope,
        "league_id": None if of is None else of.id,
        "created_at": time(),
    }
    number = connection.execute(insert(key).values(row)).inserted_primary_key[0]  # type: ignore[index]
    audit.write(connection, author, "create key", league, key=number, name=row["name"], scope=scope)
    return _get(connection, number), secret


def find(connection: Connection, secret: str) -> Key | None:
    """Return the key of a secret; None if there is none, or if it was revoked."""
    row = connection.execute(_rows().where(key.c.hash == _hash(secret), key.c.revoked_at.is_(None))).first()
    return None if row is None else Key(**row._mapping)


def list_keys(connection: Connection) -> list[Key]:
    """Return all keys, also revoked ones, oldest first."""
    return [Key(**row._mapping) for row in connection.execute(_rows().order_by(key.c.id))]


def revoke(connection: Connection, id: int, *, author: str = "") -> Key:
    """Revoke a key for good; one that is revoked already stays as it is."""
    old = _get(connection, id)
    if old.revoked_at is None:
        connection.execute(update(key).where(key.c.id == old.id).values(revoked_at=time()))
        audit.write(connection, author, "revoke key", old.league, key=old.id, name=old.name)
    return _get(connection, id)


def _rows() -> Select[Any]:
    columns = (key.c.id, key.c.name, key.c.scope, key.c.league_id, league_table.c.name.label("league"))
    return select(*columns, key.c.created_at, key.c.revoked_at).outerjoin(league_table)


def _get(connection: Connection, id: int) -> Key:
    row = connection.execute(_rows().where(key.c.id == id)).first() if 0 < id < 2**63 else None
    if row is None:
        raise NotFound(f"there is no key {id}", field="id", value=id)
    return Key(**row._mapping)


def _hash(secret: str) -> bytes:
    """Hash a secret: for 32 random bytes, one round of SHA-256 is enough."""
    return sha256(secret.encode("utf-8", "surrogatepass")).digest()


def _name(name: str) -> str:
    kept = name.strip()
    if not kept or not storable(kept, LONGEST):
        text = f"a key needs a name of 1 to {LONGEST} letters that says who has it, not {name!r}"
        raise Error.in_field("name", text, value=name)
    return kept
