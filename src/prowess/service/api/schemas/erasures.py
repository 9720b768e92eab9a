"""Schemas of anonymised players."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from .common import RequestModel, ResponseModel, Text, example

ERASURE: dict[str, Any] = {
    "player": "anonymous-1",
    "revision": 121,
    "made_at": "2026-01-31T10:00:00Z",
    "hash_kept": True,
    "scrub_due": False,
}


class Anonymise(RequestModel):
    """How to anonymise a player."""

    model_config = example({"reason": "asked us by letter", "keep_hash": True})

    reason: Annotated[
        Text, Field(description="The reason, which is kept in the audit log; it must not contain the name.")
    ] = ""
    keep_hash: Annotated[
        bool, Field(description="Whether to keep a salted hash of the name, to recognise it if it is posted again.")
    ] = True


class Erasure(ResponseModel):
    """An anonymised player."""

    model_config = example(ERASURE)

    player: str = Field(description="The alias that replaces the name.")
    revision: int = Field(
        description="The revision of the league at which the alias was introduced, or the hash was dropped."
    )
    made_at: str
    hash_kept: bool = Field(description="Whether the name is recognised, and replaced, when it is posted again.")
    scrub_due: bool = Field(
        description="Whether the name may still be in unused pages of a SQLite file, which cannot be cleared while "
        "another process is reading the file; the service tries again in the background."
    )


class Erasures(ResponseModel):
    """The anonymised players of a league, oldest first."""

    model_config = example({"league": "darts", "erasures": [ERASURE]})

    league: str
    erasures: list[Erasure]
