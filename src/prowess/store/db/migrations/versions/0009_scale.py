"""A column for the scale on which a league shows its ratings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "prowess_0009"
down_revision = "prowess_0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; existing leagues have no scale, so they keep showing ratings in the unit of their model."""
    op.add_column("league", sa.Column("scale", sa.Text()))


def downgrade() -> None:
    """Drop the column with all scales."""
    op.drop_column("league", "scale")
