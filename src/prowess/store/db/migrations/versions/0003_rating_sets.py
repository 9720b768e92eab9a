"""Rating sets: a new set of a league's ratings and checkpoints can be prepared while the old one is in use."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "prowess_0003"
down_revision = "prowess_0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns for rating sets. Existing ratings become a set with the number of their generation."""
    for table in ("rating", "checkpoint"):
        op.execute(f"ALTER TABLE {table} RENAME COLUMN generation TO rating_set")
    op.add_column("generation", sa.Column("rating_set", sa.Integer(), nullable=False, server_default="1"))
    op.add_column("generation", sa.Column("set_revision", sa.BigInteger(), nullable=False, server_default="0"))
    op.execute("UPDATE generation SET rating_set = number, set_revision = revision")
    op.add_column("league", sa.Column("rating_sets", sa.Integer(), nullable=False, server_default="1"))
    op.add_column("league", sa.Column("replay_until", sa.Double()))
    op.execute("UPDATE league SET rating_sets = generation")


def downgrade() -> None:
    """Drop the columns.

    The rating sets of a generation can then no longer be distinguished, so use this only to empty a database.
    """
    for column in ("rating_sets", "replay_until"):
        op.drop_column("league", column)
    for column in ("rating_set", "set_revision"):
        op.drop_column("generation", column)
    for table in ("rating", "checkpoint"):
        op.execute(f"ALTER TABLE {table} RENAME COLUMN rating_set TO generation")
