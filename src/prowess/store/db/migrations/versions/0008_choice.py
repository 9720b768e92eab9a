"""A column that says how large a league was at the last search for a better model."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "prowess_0008"
down_revision = "prowess_0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; no search has been made in existing leagues."""
    op.add_column("league", sa.Column("choice_posted", sa.BigInteger(), nullable=False, server_default="0"))


def downgrade() -> None:
    """Drop the column, the results of searches and the setting `auto_switch`, which older versions do not know."""
    league = sa.table("league", sa.column("id"), sa.column("settings", sa.Text()))
    changed = sa.select(league.c.id, league.c.settings).where(league.c.settings.contains('"auto_switch"'))
    for id, text in op.get_bind().execute(changed).all():
        settings = {name: value for name, value in json.loads(text).items() if name != "auto_switch"}
        op.execute(league.update().where(league.c.id == id).values(settings=json.dumps(settings)))
    op.execute("DELETE FROM analysis WHERE kind = 'choice'")
    op.drop_column("league", "choice_posted")
