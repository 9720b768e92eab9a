"""The tables of the store, for SQLite and PostgreSQL.

The journal is the source of truth: it has every revision of every match. Only two things in a row of the journal can
change: `until`, the revision that superseded the row, and the name of a player who is anonymised (`write/erasure.py`).
Ratings and checkpoints are derived from the journal, and store the revision that they reflect.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy import BigInteger, Column, Double, Index, Integer, LargeBinary, String, Table, Text

metadata = sa.MetaData()


def _id() -> Column[int]:
    kind = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows by itself only in an INTEGER column
    return Column("id", kind, primary_key=True, autoincrement=True)


def _key(name: str, kind: Any) -> Column[Any]:
    return Column(name, kind, primary_key=True, autoincrement=False)


def _league() -> Column[int]:
    return _key("league_id", sa.ForeignKey("league.id"))


def _required(kind: Any, *names: str) -> list[Column[Any]]:
    return [Column(name, kind, nullable=False) for name in names]


def _where(condition: str) -> dict[str, Any]:
    return {f"{dialect}_where": sa.text(condition) for dialect in ("sqlite", "postgresql")}


# A league and its counters: `revision` counts its changes, `posted` counts all matches ever posted, `generation` counts
# its models, and `rating_sets` counts all sets of ratings that were ever begun.
league = Table(
    "league",
    metadata,
    _id(),
    Column("name", String(64), nullable=False, unique=True),
    *_required(Text, "title"),
    *_required(String(8), "clock"),  # "utc", "number" or "none"
    *_required(sa.Boolean, "public"),  # whether the league can be read without a key
    *_required(Text, "settings"),  # JSON: when a player counts as provisional, or as inactive
    *_required(Integer, "generation"),
    *_required(BigInteger, "revision", "posted"),
    Column("last_time", Double),  # the time of the latest match
    *_required(BigInteger, "corrected"),  # the last revision that changed past matches
    *_required(Double, "created_at"),
    Column("rating_sets", Integer, nullable=False, server_default="1"),
    Column("replay_until", Double),  # when the lease of the replay under way ends, as a Unix time
    Column("archived_at", Double),  # since when an archived league is read-only
    Column("purge_at", Double),  # when a deleted league is removed for good
    Column("alias_revision", BigInteger, nullable=False, server_default="0"),  # the last revision that changed aliases
    Column("context_kinds", Text),  # JSON: "number" or "category" for each context column; null if there is none
    Column("choice_posted", BigInteger, nullable=False, server_default="0"),  # `posted` at the last search for a model
    Column("scale", Text),  # JSON: a newcomer's points, and the lead that means odds of 10:1; null for no points
)

# A former name of a renamed league. The name redirects to the league until another league takes the name.
former_name = Table(
    "former_name",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("league_id", sa.ForeignKey("league.id"), nullable=False),
)

# A model that rates or has rated a league; `memory` is what the model has learnt about the league as a whole.
generation = Table(
    "generation",
    metadata,
    _league(),
    _key("number", Integer),
    *_required(Text, "model", "preset"),  # JSON: `Model.to_dict`; the preset's name and the parameters that were set
    *_required(LargeBinary, "memory"),
    *_required(BigInteger, "revision"),  # the revision of the league that introduced the model
    *_required(Double, "made_at"),
    *_required(Text, "author", "reason"),
    Column("rating_set", Integer, nullable=False, server_default="1"),  # the set of its ratings and checkpoints
    Column("set_revision", BigInteger, nullable=False, server_default="0"),  # the revision that introduced this set
    Column("engine_version", Integer, nullable=False, server_default="1"),  # the `ENGINE_VERSION` of all its ratings
)

# Every revision of every match, valid from `revision` until `until`; the last row of a deleted match has no body.
journal = Table(
    "journal",
    metadata,
    _league(),
    _key("seq", BigInteger),  # the order of matches with the same time
    _key("revision", BigInteger),
    Column("until", BigInteger),
    *_required(Text, "id"),
    *_required(String(8), "kind"),  # "post", "edit" or "delete"
    *_required(Double, "time"),  # microseconds since 1970 in UTC, a plain number, or 0 if the league has no times
    *_required(sa.Boolean, "stamped"),  # whether the service set the time
    Column("body", Text),  # JSON: teams, ranks or scores, and the rest of the match
    *_required(Text, "author", "reason"),
    *_required(Double, "written_at"),
    Column("context", Text),  # JSON: other facts about the match, its teams or its players; null if there are none
    Index("journal_post", "league_id", "id", unique=True, **_where("kind = 'post'")),
    Index("journal_order", "league_id", "time", "seq", **_where("until IS NULL")),
    Index("journal_revision", "league_id", "revision"),
    sqlite_with_rowid=False,
)

# A player's packed rating; null for a player whose matches were all deleted. A rating set to which no generation refers
# is not in use: a replay is still writing it, or it is about to be deleted.
rating = Table(
    "rating",
    metadata,
    _league(),
    _key("rating_set", Integer),
    Column("player", Text, primary_key=True),
    *_required(BigInteger, "revision"),  # the revision of the last change; 0 means the revision that introduced the set
    Column("state", LargeBinary),
    Index("rating_revision", "league_id", "rating_set", "revision"),
    sqlite_with_rowid=False,
)

# All ratings after the match at a position, so that a correction replays only the matches after this position.
checkpoint = Table(
    "checkpoint",
    metadata,
    _league(),
    _key("rating_set", Integer),
    Column("time", Double, primary_key=True),
    _key("seq", BigInteger),
    *_required(BigInteger, "matches"),  # the number of matches rated
    *_required(LargeBinary, "players", "state", "memory"),
)

# A player who was anonymised. Salt and hash let us recognise the name if it is posted again; both may be dropped.
erasure = Table(
    "erasure",
    metadata,
    _league(),
    Column("alias", Text, primary_key=True),
    Column("salt", LargeBinary),  # the same for all names of a league
    Column("hash", LargeBinary),
    *_required(BigInteger, "revision"),  # the league's revision when the player was anonymised or the hash dropped
    *_required(Double, "made_at"),
    *_required(sa.Boolean, "scrub_due"),  # whether free pages of the SQLite file may still hold the name
)

# An alias of a player. `target` is the next name in the chain of aliases; `player` is the name at the end of the chain.
alias = Table(
    "alias",
    metadata,
    _league(),
    Column("alias", Text, primary_key=True),
    *_required(Text, "target", "player"),
    *_required(BigInteger, "revision"),
)

# A match that was posted under a name that is an alias now. This is needed to undo a merge.
alias_use = Table(
    "alias_use",
    metadata,
    _league(),
    Column("alias", Text, primary_key=True),
    _key("seq", BigInteger),
    Index("alias_use_match", "league_id", "seq"),
    sqlite_with_rowid=False,
)

# Every change of the aliases of a league. The names are null if one of the players was anonymised since.
name_change = Table(
    "name_change",
    metadata,
    _league(),
    _key("revision", BigInteger),
    *_required(String(8), "kind"),  # "merge", "rename", "undo", "add" or "remove"
    Column("player", Text),  # the name that became an alias, or ceased to be one
    Column("target", Text),
    Column("ended", Text),  # JSON: aliases that a rename removed, because their names are used again
    Column("undone", BigInteger),  # the revision that undid this change
    *_required(Text, "author", "reason"),
    *_required(Double, "made_at"),
)

# Two similar names that an admin has marked as different players; `first` < `second`.
distinct_name = Table(
    "distinct_name",
    metadata,
    _league(),
    Column("first", Text, primary_key=True),
    Column("second", Text, primary_key=True),
)

# The start of a season, and how much of the ratings is carried over.
season = Table(
    "season",
    metadata,
    _league(),
    Column("start", Double, primary_key=True),
    *_required(Text, "name"),
    *_required(Double, "carry"),
    Column("tau", Double),  # null: the model's default
    *_required(BigInteger, "revision"),
    *_required(Text, "author"),
    *_required(Double, "made_at"),
)

# API keys, of which only hashes are stored.
key = Table(
    "key",
    metadata,
    _id(),
    Column("hash", LargeBinary(32), nullable=False, unique=True),
    *_required(Text, "name"),
    *_required(String(8), "scope"),  # "read", "write" or "admin"; each scope includes all weaker scopes
    Column("league_id", sa.ForeignKey("league.id")),  # null: all leagues
    *_required(Double, "created_at"),
    Column("revoked_at", Double),
    Column("expires_at", Double),  # null: never
    Column("used_at", Double),  # the last use, to the minute
    Column("old_until", Double),  # until when the previous secret works after a rotation
    Column("old_hash", LargeBinary(32)),  # the hash of the previous secret
    Index("key_old_hash", "old_hash"),
)

# Changes to leagues, models, seasons and keys; changes to matches are in the journal.
audit = Table(
    "audit",
    metadata,
    _id(),
    *_required(Double, "at"),
    *_required(Text, "actor", "action"),
    Column("league", Text),
    *_required(Text, "detail"),  # JSON
)

# Background jobs that measure how well models predict: the request, its progress, the result.
analysis = Table(
    "analysis",
    metadata,
    _id(),
    Column("league_id", sa.ForeignKey("league.id"), nullable=False),
    # "figures" of the league's own model, a "comparison" with other models, or the "choice" of a better model
    *_required(String(16), "kind"),
    *_required(String(16), "state"),  # "queued", "running", "done", "failed", "cancelled", "interrupted"
    *_required(Text, "asked"),  # JSON: the models
    *_required(Text, "author"),
    *_required(Double, "asked_at"),
    Column("worker", Text),
    Column("seen_at", Double),  # the worker's last heartbeat
    *_required(Text, "step"),  # the current step of the worker
    *_required(Double, "share"),  # share of the work that is done
    Column("ended_at", Double),
    Column("generation", Integer),  # the generation of the league when the worker read its matches
    Column("revision", BigInteger),
    Column("answer", Text),  # JSON, or the reason for failure
    Index("analysis_league", "league_id", "kind", "id"),
    Index("analysis_open", "league_id", "kind", unique=True, **_where("state IN ('queued', 'running')")),
)
