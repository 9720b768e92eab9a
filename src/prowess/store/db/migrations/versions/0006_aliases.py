"""The tables of players' aliases, of the matches posted under an alias, and of changes of names."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "prowess_0006"
down_revision = "prowess_0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables, and add a column to the table of leagues."""
    op.add_column("league", sa.Column("alias_revision", sa.BigInteger(), nullable=False, server_default="0"))
    op.create_table(
        "alias",
        _league(),
        sa.Column("alias", sa.Text(), primary_key=True),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("player", sa.Text(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "alias_use",
        _league(),
        sa.Column("alias", sa.Text(), primary_key=True),
        sa.Column("seq", sa.BigInteger(), primary_key=True, autoincrement=False),
        sqlite_with_rowid=False,
    )
    op.create_index("alias_use_match", "alias_use", ["league_id", "seq"])
    op.create_table(
        "name_change",
        _league(),
        sa.Column("revision", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("player", sa.Text()),
        sa.Column("target", sa.Text()),
        sa.Column("ended", sa.Text()),
        sa.Column("undone", sa.BigInteger()),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("made_at", sa.Double(), nullable=False),
    )
    op.create_table(
        "distinct_name",
        _league(),
        sa.Column("first", sa.Text(), primary_key=True),
        sa.Column("second", sa.Text(), primary_key=True),
    )


def _league() -> sa.Column[int]:
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    return sa.Column("league_id", number, sa.ForeignKey("league.id"), primary_key=True)


def downgrade() -> None:
    """Drop the tables and the column; the matches keep the names that they have now."""
    for table in ("distinct_name", "name_change", "alias_use", "alias"):
        op.drop_table(table)
    op.drop_column("league", "alias_revision")
