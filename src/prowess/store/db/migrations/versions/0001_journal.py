"""The first tables: leagues with their models, the journal, ratings, keys, and the audit log."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "prowess_0001"
down_revision = None
branch_labels = None
depends_on = None

TABLES = ("league", "generation", "journal", "rating", "checkpoint", "season", "key", "audit")


def upgrade() -> None:
    """Create the tables."""
    _leagues()
    _journal()
    _derived()
    _keys()


def downgrade() -> None:
    """Drop the tables with all their data."""
    for table in reversed(TABLES):
        op.drop_table(table)


def _number() -> sa.Column[int]:
    """The id of a row, assigned by the database."""
    kind = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    return sa.Column("id", kind, primary_key=True, autoincrement=True)


def _league() -> sa.Column[int]:
    """The league that a row belongs to."""
    kind = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    return sa.Column("league_id", kind, sa.ForeignKey("league.id"), primary_key=True, autoincrement=False)


def _part(name: str, kind: sa.types.TypeEngine[Any]) -> sa.Column[Any]:
    """A column of the primary key."""
    return sa.Column(name, kind, primary_key=True, autoincrement=False)


def _where(condition: str) -> dict[str, Any]:
    """The options of a partial index, with its condition."""
    return {f"{dialect}_where": sa.text(condition) for dialect in ("sqlite", "postgresql")}


def _leagues() -> None:
    op.create_table(
        "league",
        _number(),
        sa.Column("name", sa.String(64), nullable=False, unique=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("clock", sa.String(8), nullable=False),
        sa.Column("public", sa.Boolean(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("posted", sa.BigInteger(), nullable=False),
        sa.Column("last_time", sa.Double()),
        sa.Column("corrected", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
    )
    op.create_table(
        "generation",
        _league(),
        _part("number", sa.Integer()),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("preset", sa.Text(), nullable=False),
        sa.Column("memory", sa.LargeBinary(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("made_at", sa.Double(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
    )


def _journal() -> None:
    op.create_table(
        "journal",
        _league(),
        _part("seq", sa.BigInteger()),
        _part("revision", sa.BigInteger()),
        sa.Column("until", sa.BigInteger()),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("time", sa.Double(), nullable=False),
        sa.Column("stamped", sa.Boolean(), nullable=False),
        sa.Column("body", sa.Text()),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("written_at", sa.Double(), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("journal_post", "journal", ["league_id", "id"], unique=True, **_where("kind = 'post'"))
    op.create_index("journal_order", "journal", ["league_id", "time", "seq"], **_where("until IS NULL"))
    op.create_index("journal_revision", "journal", ["league_id", "revision"])


def _derived() -> None:
    op.create_table(
        "rating",
        _league(),
        _part("generation", sa.Integer()),
        _part("player", sa.Text()),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.LargeBinary()),
        sqlite_with_rowid=False,
    )
    op.create_index("rating_revision", "rating", ["league_id", "generation", "revision"])
    op.create_table(
        "checkpoint",
        _league(),
        _part("generation", sa.Integer()),
        _part("time", sa.Double()),
        _part("seq", sa.BigInteger()),
        sa.Column("matches", sa.BigInteger(), nullable=False),
        sa.Column("players", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.LargeBinary(), nullable=False),
        sa.Column("memory", sa.LargeBinary(), nullable=False),
    )
    op.create_table(
        "season",
        _league(),
        _part("start", sa.Double()),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("carry", sa.Double(), nullable=False),
        sa.Column("tau", sa.Double()),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("made_at", sa.Double(), nullable=False),
    )


def _keys() -> None:
    league = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "key",
        _number(),
        sa.Column("hash", sa.LargeBinary(32), nullable=False, unique=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("scope", sa.String(8), nullable=False),
        sa.Column("league_id", league, sa.ForeignKey("league.id")),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("revoked_at", sa.Double()),
    )
    op.create_table(
        "audit",
        _number(),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("league", sa.Text()),
        sa.Column("detail", sa.Text(), nullable=False),
    )
