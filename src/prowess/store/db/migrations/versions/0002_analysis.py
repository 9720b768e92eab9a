"""The table of background jobs, which analyse how well models predict a league."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "prowess_0002"
down_revision = "prowess_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "analysis",
        sa.Column("id", number, primary_key=True, autoincrement=True),
        sa.Column("league_id", number, sa.ForeignKey("league.id"), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("asked", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("asked_at", sa.Double(), nullable=False),
        sa.Column("worker", sa.Text()),
        sa.Column("seen_at", sa.Double()),
        sa.Column("step", sa.Text(), nullable=False),
        sa.Column("share", sa.Double(), nullable=False),
        sa.Column("ended_at", sa.Double()),
        sa.Column("generation", sa.Integer()),
        sa.Column("revision", sa.BigInteger()),
        sa.Column("answer", sa.Text()),
    )
    op.create_index("analysis_league", "analysis", ["league_id", "kind", "id"])
    condition = sa.text("state IN ('queued', 'running')")
    op.create_index(
        "analysis_open",
        "analysis",
        ["league_id", "kind"],
        unique=True,
        sqlite_where=condition,
        postgresql_where=condition,
    )


def downgrade() -> None:
    """Drop the table with all its data."""
    op.drop_table("analysis")
