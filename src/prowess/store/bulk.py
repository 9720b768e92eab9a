"""Many rows at once, as the database's driver takes them: tuples in the order of the columns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Table

__all__ = ["write"]

MARKS = {"sqlite": "?", "postgresql": "%s"}


def write(connection: Connection, table: Table, rows: Sequence[tuple[Any, ...]], *, replacing: bool = False) -> None:
    """Write rows into a table; those of the same primary key are replaced, if that is wanted.

    SQLAlchemy makes a dictionary of every row, which takes longer than writing it.
    """
    if rows:
        connection.exec_driver_sql(_statement(table, connection.dialect.name, replacing), list(rows))


@lru_cache
def _statement(table: Table, dialect: str, replacing: bool) -> str:
    names = [column.name for column in table.columns]
    marks = ", ".join([MARKS[dialect]] * len(names))
    statement = f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({marks})"
    if not replacing:
        return statement
    key = [column.name for column in table.primary_key.columns]
    new = ", ".join(f"{name} = excluded.{name}" for name in names if name not in key)
    return f"{statement} ON CONFLICT ({', '.join(key)}) DO UPDATE SET {new}"
