"""Schemas of keys."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, StringConstraints

from ....store import keys
from ...errors import NAME
from .common import RequestModel, ResponseModel, Text, example

KEY: dict[str, Any] = {
    "id": 7,
    "name": "phone",
    "scope": "write",
    "league": "darts",
    "live": True,
    "created_at": "2026-01-01T09:00:00Z",
    "expires_at": "2026-04-01T00:00:00Z",
    "used_at": "2026-01-31T10:00:00Z",
    "revoked_at": None,
    "old_secret_until": None,
}
Scope = Annotated[keys.Scope, Field(description="read, write or admin; write includes read, and admin includes both.")]
Duration = Annotated[str, StringConstraints(max_length=100)]


class NewLeagueKey(RequestModel):
    """A new key for a league."""

    model_config = example({"name": "phone", "scope": "write", "expires": "90d"})

    name: Text = Field(min_length=1, description="Who or what will use the key.")
    scope: Scope = "write"
    expires: Duration = Field("", description="A date, a time, or a duration such as `90d` or `12h`; empty for never.")


class NewKey(NewLeagueKey):
    """A new key, for one league or for all leagues."""

    league: Annotated[str, StringConstraints(pattern=NAME)] | None = Field(
        None, description="The league of the key; null for all leagues."
    )


class Rotation(RequestModel):
    """How long the old secret of a key still works after a rotation."""

    model_config = example({"grace": "24h"})

    grace: Duration = Field(
        default=keys.GRACE, description="A duration such as `24h`, at most 30 days; `0` ends the old secret now."
    )


class Key(ResponseModel):
    """A key, without its secret."""

    model_config = example(KEY)

    id: int
    name: str
    scope: Scope
    league: str | None = Field(description="The league of the key; null for all leagues.")
    live: bool = Field(description="Whether the key works: it is neither revoked nor expired.")
    created_at: str
    expires_at: str | None
    used_at: str | None = Field(description="The time of the last use, accurate to the minute.")
    revoked_at: str | None
    old_secret_until: str | None = Field(description="When the secret from before the last rotation stops working.")


class KeyWithSecret(Key):
    """A key with its new secret, which is not stored and cannot be shown again."""

    model_config = example(KEY | {"secret": "pw_qN0s…"})

    secret: str


class Keys(ResponseModel):
    """Keys, oldest first, including revoked and expired keys."""

    keys: list[Key]
