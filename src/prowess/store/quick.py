"""Statements of the hot path: put together once for each kind of database, and handed to its driver as they are.

SQLAlchemy writes them, which is what keeps one schema for both databases; going through it for every match would take
longer than the match. The rows that come back are those of the driver.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Delete, Insert, Select, Table, Update
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.postgresql import psycopg

__all__ = ["MOST", "Quick", "write_many"]

MOST = 4_096  # values of a list in one question
_DIALECTS = {"sqlite": sqlite.dialect(paramstyle="named"), "postgresql": psycopg.dialect()}  # type: ignore[no-untyped-call]
_MARKS = {"sqlite": "?", "postgresql": "%s"}


class Quick:
    """A statement whose values are given by name; one of them may be a list, for `IN`.

    >>> from sqlalchemy import bindparam, select
    >>> from .schema import league
    >>> names = Quick(select(league.c.id).where(league.c.name.in_(bindparam("names", expanding=True))), "names")
    >>> names.text("sqlite", 2).split("WHERE")[1]
    ' league.name IN (:names_1, :names_2)'
    """

    def __init__(self, statement: Select[Any] | Insert | Update | Delete, listed: str | None = None) -> None:
        self._statement, self._listed = statement, listed
        self._texts: dict[tuple[str, int], str] = {}

    def __call__(self, connection: Connection, **values: Any) -> list[Any]:
        """Run the statement; gives the rows that it returns, if any."""
        if self._listed is None:
            return self._run(connection, 0, values)
        items: Sequence[Any] = values.pop(self._listed)
        found: list[Any] = []
        for first in range(0, len(items), MOST):
            some = items[first : first + MOST]
            places = 1 << (len(some) - 1).bit_length()  # a few statements for all lengths: the last value fills up
            filled = [*some, *[some[-1]] * (places - len(some))]
            names = {f"{self._listed}_{number}": item for number, item in enumerate(filled, 1)}
            found += self._run(connection, places, values | names)
        return found

    def _run(self, connection: Connection, places: int, values: dict[str, Any]) -> list[Any]:
        cursor = connection.connection.cursor()
        try:
            cursor.execute(self.text(connection.dialect.name, places), values)
            return list(cursor.fetchall()) if cursor.description else []
        finally:
            cursor.close()

    def text(self, dialect: str, places: int) -> str:
        """The statement as a database reads it, with so many places in its list."""
        known = self._texts.get((dialect, places))
        if known is None:
            statement, kind, more = self._statement, _DIALECTS[dialect], {}
            if self._listed is not None:
                values = dict.fromkeys(statement.compile(dialect=kind).params) | {self._listed: [None] * places}
                statement, more = statement.params(values), {"render_postcompile": True}
            known = self._texts[dialect, places] = str(statement.compile(dialect=kind, compile_kwargs=more))
        return known


def write_many(
    connection: Connection, table: Table, rows: Sequence[tuple[Any, ...]], *, replacing: bool = False
) -> None:
    """Write rows into a table, values in the order of its columns; those of the same key are replaced, if so wanted."""
    if not rows:
        return
    cursor = connection.connection.cursor()
    try:
        cursor.executemany(_insertion(table, connection.dialect.name, replacing), rows)
    finally:
        cursor.close()


@lru_cache
def _insertion(table: Table, dialect: str, replacing: bool) -> str:
    names = [column.name for column in table.columns]
    marks = ", ".join([_MARKS[dialect]] * len(names))
    statement = f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({marks})"
    if not replacing:
        return statement
    key = [column.name for column in table.primary_key.columns]
    new = ", ".join(f"{name} = excluded.{name}" for name in names if name not in key)
    return f"{statement} ON CONFLICT ({', '.join(key)}) DO UPDATE SET {new}"
