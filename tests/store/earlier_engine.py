"""Leagues as an earlier version of the engine has left them."""

import numpy as np
from sqlalchemy import select, update

from prowess.store import leagues
from prowess.store.db import schema
from prowess.store.db.database import Database


def derive_with_version_1(database: Database, name: str) -> None:
    """Mark the current ratings of a league as derived by version 1, and change the last digit of every mean."""
    with database.writing() as connection:
        league = leagues.find(connection, name)
        leagues.update_generation(connection, league, engine_version=1)
        width = league.model.pipeline.layout.width
        for table in (schema.rating, schema.checkpoint):
            own = (table.c.league_id == league.id, table.c.rating_set == league.rating_set)
            for row in connection.execute(select(table).where(*own, table.c.state.is_not(None))).all():
                states = np.frombuffer(row.state, np.float64).reshape(-1, width).copy()
                states[:, 0] = np.nextafter(states[:, 0], np.inf)
                here = [column == getattr(row, column.name) for column in table.primary_key.columns]
                connection.execute(update(table).where(*here).values(state=states.tobytes()))


def stored_states(database: Database, name: str, generation: int) -> dict[str, bytes]:
    """Return the packed ratings of a generation by player."""
    with database.reading() as connection:
        league = leagues.with_generation(connection, leagues.find(connection, name), generation)
        own = (schema.rating.c.league_id == league.id, schema.rating.c.rating_set == league.rating_set)
        return {row.player: bytes(row.state) for row in connection.execute(select(schema.rating).where(*own))}
