"""The tables of the store, once for SQLite and PostgreSQL.

The journal is the truth: every revision of every match, never changed but for `until`, the revision that superseded it.
Ratings and checkpoints are derived from it, and carry the revision that they reflect.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    text,
)

metadata = MetaData()

_ID = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows by themselves only where they are INTEGER


def _where(condition: str) -> dict[str, Any]:
    """Of which rows an index has entries."""
    return {f"{dialect}_where": text(condition) for dialect in ("sqlite", "postgresql")}


def _league() -> Column[int]:
    return Column("league_id", ForeignKey("league.id"), primary_key=True, autoincrement=False)


# A league, and the three counters of its order: of changes, of matches ever posted, and of models.
league = Table(
    "league",
    metadata,
    Column("id", _ID, primary_key=True, autoincrement=True),
    Column("name", String(64), nullable=False, unique=True),
    Column("title", Text, nullable=False),
    Column("clock", String(8), nullable=False),  # what times are: "utc", "number" or "none"
    Column("public", Boolean, nullable=False),  # whether reading needs no key
    Column("settings", Text, nullable=False),  # JSON: when a player counts as provisional, or as inactive
    Column("generation", Integer, nullable=False),
    Column("revision", BigInteger, nullable=False),
    Column("posted", BigInteger, nullable=False),
    Column("last_time", Double),  # of the latest match
    Column("corrected", BigInteger, nullable=False),  # the last revision that changed the past
    Column("created_at", Double, nullable=False),
)

# A model that rates or has rated a league; `memory` is what it has learnt of the league as a whole.
generation = Table(
    "generation",
    metadata,
    _league(),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("model", Text, nullable=False),  # JSON, as `Model.to_dict` writes it
    Column("preset", Text, nullable=False),  # JSON: the preset's name and the parameters that were given
    Column("memory", LargeBinary, nullable=False),
    Column("revision", BigInteger, nullable=False),  # the change of the league that brought it in
    Column("made_at", Double, nullable=False),
    Column("author", Text, nullable=False),
    Column("reason", Text, nullable=False),
)

# Every revision of every match. A row holds from `revision` until `until`; of a deleted match a row without body stays.
journal = Table(
    "journal",
    metadata,
    _league(),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),  # the order among matches of equal time
    Column("revision", BigInteger, primary_key=True, autoincrement=False),
    Column("until", BigInteger),
    Column("id", Text, nullable=False),
    Column("kind", String(8), nullable=False),  # "post", "edit" or "delete"
    Column("time", Double, nullable=False),  # microseconds of UTC, a number, or 0 where there are no times
    Column("stamped", Boolean, nullable=False),  # whether the service gave the time
    Column("body", Text),  # JSON: teams, ranks or scores, and what else was given
    Column("author", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("written_at", Double, nullable=False),
    Index(
        "journal_post",
        "league_id",
        "id",
        unique=True,
        **_where("kind = 'post'"),
    ),
    Index(
        "journal_order",
        "league_id",
        "time",
        "seq",
        **_where("until IS NULL"),
    ),
    Index("journal_revision", "league_id", "revision"),
    sqlite_with_rowid=False,
)

# What is believed of a player: a row of the ladder's state. Nothing is believed (null) of who has no match left.
rating = Table(
    "rating",
    metadata,
    _league(),
    Column("generation", Integer, primary_key=True, autoincrement=False),
    Column("player", Text, primary_key=True),
    Column("revision", BigInteger, nullable=False),
    Column("state", LargeBinary),
    Index("rating_revision", "league_id", "generation", "revision"),
    sqlite_with_rowid=False,
)

# All beliefs after the match at a place in the order, so that a correction replays only what came after it.
checkpoint = Table(
    "checkpoint",
    metadata,
    _league(),
    Column("generation", Integer, primary_key=True, autoincrement=False),
    Column("time", Double, primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("matches", BigInteger, nullable=False),  # how many were rated up to here
    Column("players", LargeBinary, nullable=False),
    Column("state", LargeBinary, nullable=False),
    Column("memory", LargeBinary, nullable=False),
)

# Where a season begins, and what is carried over into it.
season = Table(
    "season",
    metadata,
    _league(),
    Column("start", Double, primary_key=True),
    Column("name", Text, nullable=False),
    Column("carry", Double, nullable=False),
    Column("tau", Double),  # null: as the model has it usually
    Column("revision", BigInteger, nullable=False),
    Column("author", Text, nullable=False),
    Column("made_at", Double, nullable=False),
)

# Who may do what: only the hash of a key is kept.
key = Table(
    "key",
    metadata,
    Column("id", _ID, primary_key=True, autoincrement=True),
    Column("hash", LargeBinary(32), nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("scope", String(8), nullable=False),  # "read", "write" or "admin"; each may do what those before may
    Column("league_id", ForeignKey("league.id")),  # null: all leagues
    Column("created_at", Double, nullable=False),
    Column("revoked_at", Double),
)

# What was done beside matches: leagues, models, seasons and keys.
audit = Table(
    "audit",
    metadata,
    Column("id", _ID, primary_key=True, autoincrement=True),
    Column("at", Double, nullable=False),
    Column("actor", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("league", Text),
    Column("detail", Text, nullable=False),
)

# What is worked out in the background, of how well models predict: what was asked for, how far it is, the answer.
analysis = Table(
    "analysis",
    metadata,
    Column("id", _ID, primary_key=True, autoincrement=True),
    Column("league_id", ForeignKey("league.id"), nullable=False),
    Column("kind", String(16), nullable=False),  # "figures" of the league's own model, or a "comparison" with others
    Column("state", String(16), nullable=False),  # "queued", "running", "done", "failed", "cancelled", "interrupted"
    Column("asked", Text, nullable=False),  # JSON: the models
    Column("author", Text, nullable=False),
    Column("asked_at", Double, nullable=False),
    Column("worker", Text),  # who works on it
    Column("seen_at", Double),  # when the worker last gave a sign of life
    Column("step", Text, nullable=False),  # what it is at
    Column("share", Double, nullable=False),  # how much of it is done
    Column("ended_at", Double),
    Column("generation", Integer),  # of the league, when its matches were read
    Column("revision", BigInteger),
    Column("answer", Text),  # JSON; or why there is none
    Index("analysis_league", "league_id", "kind", "id"),
    Index("analysis_open", "league_id", "kind", unique=True, **_where("state IN ('queued', 'running')")),
)
