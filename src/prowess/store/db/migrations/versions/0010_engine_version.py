"""A column for the version of the engine that derived the ratings of a generation."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "prowess_0010"
down_revision = "prowess_0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; existing ratings were derived by version 1."""
    op.add_column("generation", sa.Column("engine_version", sa.Integer(), nullable=False, server_default="1"))


def downgrade() -> None:
    """Drop the column."""
    op.drop_column("generation", "engine_version")
