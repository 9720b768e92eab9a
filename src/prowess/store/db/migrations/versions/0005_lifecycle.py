"""Columns for the lifecycle of keys and leagues.

Keys expire, are rotated and record their last use; leagues are renamed, archived and deleted.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "prowess_0005"
down_revision = "prowess_0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns, and the table of former names."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    for name in ("expires_at", "used_at", "old_until"):
        op.add_column("key", sa.Column(name, sa.Double()))
    op.add_column("key", sa.Column("old_hash", sa.LargeBinary(32)))
    op.create_index("key_old_hash", "key", ["old_hash"])
    for name in ("archived_at", "purge_at"):
        op.add_column("league", sa.Column(name, sa.Double()))
    op.create_table(
        "former_name",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("league_id", number, sa.ForeignKey("league.id"), nullable=False),
    )


def downgrade() -> None:
    """Drop the table and the columns with all their data."""
    op.drop_table("former_name")
    op.drop_index("key_old_hash", "key")
    for table, names in {
        "league": ("archived_at", "purge_at"),
        "key": ("old_hash", "expires_at", "used_at", "old_until"),
    }.items():
        for name in names:
            op.drop_column(table, name)
