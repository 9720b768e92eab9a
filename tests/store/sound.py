"""Check that the ratings in a database follow from its journal, without functions of the store."""

import json
from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, select

import prowess as pw
from prowess.store.db import schema
from prowess.store.db.database import Database
from tests.oracles.league import League, memory_of, states_of


def journal(connection: Connection, league_id: int) -> list[Any]:
    """Return every row of the journal, oldest change first."""
    table = schema.journal
    rows = connection.execute(select(table).where(table.c.league_id == league_id)).all()
    return sorted(rows, key=lambda row: (row.revision, row.seq))


def rebuild_league(connection: Connection, name: str, each: Callable[[int, League], None] = lambda *_: None) -> League:
    """Rebuild the league from its journal, change by change; `each` is called after every revision."""
    row = connection.execute(select(schema.league).where(schema.league.c.name == name)).one()
    kept = schema.generation
    made = connection.execute(select(kept).where(kept.c.league_id == row.id).order_by(kept.c.number)).all()
    seasons = connection.execute(select(schema.season).where(schema.season.c.league_id == row.id)).all()
    league = League(pw.Model.from_dict(json.loads(made[-1].model)), row.clock)
    league.seasons = [(season.start, season.carry, season.tau) for season in seasons]
    rows = journal(connection, row.id)
    for change, following in zip(rows, [*rows[1:], None], strict=True):
        league.revision = change.revision - 1
        body = None if change.body is None else json.loads(change.body)
        if change.context is not None:
            body["context"] = json.loads(change.context)
        if change.kind == "post":
            league.post([(change.id, change.time, body)])
            assert change.seq == league.posted, "the numbers of the matches have a gap"
        elif change.kind == "edit":
            league.edit(change.id, change.time, body)
        else:
            league.delete(change.id)
        if following is None or following.revision != change.revision:
            each(change.revision, league)
    erasures = connection.execute(select(schema.erasure).where(schema.erasure.c.league_id == row.id)).all()
    names = connection.execute(select(schema.name_change).where(schema.name_change.c.league_id == row.id)).all()
    used = {change.revision for change in rows} | {other.revision for other in [*made, *seasons, *erasures, *names]}
    assert used | {0} == set(range(row.revision + 1)), "the revisions have a gap"
    assert row.posted == league.posted
    league.revision = row.revision
    return league


def check(database: Database, name: str, each: Callable[[int, League], None] = lambda *_: None) -> League:
    """Check that all ratings, and the values that the model learnt about the league, equal a fit of the journal."""
    with database.reading() as connection:
        league = rebuild_league(connection, name, each)
        row = connection.execute(select(schema.league).where(schema.league.c.name == name)).one()
        table, made = schema.rating, schema.generation
        generation = connection.execute(
            select(made).where(made.c.league_id == row.id, made.c.number == row.generation)
        ).one()
        query = select(table).where(table.c.league_id == row.id, table.c.rating_set == generation.rating_set)
        stored = {rating.player: rating for rating in connection.execute(query)}
        remembered = bytes(generation.memory)
    assert all(rating.revision <= league.revision for rating in stored.values())
    ladder = league.ladder()
    states = {name: bytes(row.state) for name, row in stored.items() if row.state is not None}
    assert states == states_of(ladder)
    assert remembered == memory_of(ladder)
    return league


def dump(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    """Return all rows of the database, table by table, except for the last use of keys."""
    with database.reading() as connection:
        tables = {
            table.name: select(*(column for column in table.c if column.name != "used_at"))
            for table in schema.metadata.sorted_tables
        }
        return {
            name: sorted((tuple(row) for row in connection.execute(query)), key=repr) for name, query in tables.items()
        }
