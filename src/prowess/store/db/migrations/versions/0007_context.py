"""Columns for the context of matches: further data about a match, its teams or its players."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "prowess_0007"
down_revision = "prowess_0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; existing matches have no context."""
    op.add_column("journal", sa.Column("context", sa.Text()))
    op.add_column("league", sa.Column("context_kinds", sa.Text()))


def downgrade() -> None:
    """Drop the columns with all contexts."""
    op.drop_column("league", "context_kinds")
    op.drop_column("journal", "context")
