"""The table of players who were anonymised."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "prowess_0004"
down_revision = "prowess_0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "erasure",
        sa.Column("league_id", number, sa.ForeignKey("league.id"), primary_key=True),
        sa.Column("alias", sa.Text(), primary_key=True),
        sa.Column("salt", sa.LargeBinary()),
        sa.Column("hash", sa.LargeBinary()),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("made_at", sa.Double(), nullable=False),
        sa.Column("scrub_due", sa.Boolean(), nullable=False),
    )


def downgrade() -> None:
    """Drop the table; the names stay replaced."""
    op.drop_table("erasure")
