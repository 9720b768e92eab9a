"""Statements of the hot path: put together once for each kind of database, and handed to its driver as they are.

SQLAlchemy writes them, which is what keeps one schema for both databases; going through it for every match would take
longer than the match. The rows that come back are those of the driver.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, Update
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.postgresql import psycopg
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.types import NullType

_DIALECTS = {"sqlite": sqlite.dialect(paramstyle="named"), "postgresql": psycopg.dialect()}  # type: ignore[no-untyped-call]
SHORT = 64  # values of a list
_MARKS = {"sqlite": "?", "postgresql": "%s"}


class InList(ColumnElement[Any]):
    """Whether a column has one of the values of a list.

    The list goes to the database as one value, but for a short one on SQLite, which reads a few values sooner.

    >>> from sqlalchemy import select
    >>> from .schema import league
    >>> named = RawStatement(select(league.c.id).where(InList(league.c.name, "names")))
    >>> [named.text("sqlite", places).split("WHERE")[1] for places in (0, 2)]
    [' league.name IN (SELECT value FROM json_each(:names))', ' league.name IN (:names_1, :names_2)']
    """

    inherit_cache = False
    type = NullType()  # a truth value would be compared with 1, and no index used

    def __init__(self, column: ColumnElement[Any], name: str) -> None:
        self.column, self.name = column, name


@compiles(InList, "sqlite")
def _for_sqlite(element: InList, compiler: SQLCompiler, places: int = 0, **options: Any) -> str:
    marks = ", ".join(f":{element.name}_{number}" for number in range(1, places + 1))
    return (
        f"{compiler.process(element.column, **options)} IN ({marks or f'SELECT value FROM json_each(:{element.name})'})"
    )


@compiles(InList, "postgresql")
def _for_postgresql(element: InList, compiler: SQLCompiler, places: int = 0, **options: Any) -> str:
    return f"{compiler.process(element.column, **options)} = ANY(%({element.name})s)"


class RawStatement:
    """A statement whose values are given by name; that for `InList`, if there is one, is a list.

    SQLite guesses how to find rows, as it has no statistics; where it guesses wrong it is told an `index` of the table.

    >>> from sqlalchemy import bindparam, select
    >>> from .schema import league
    >>> RawStatement(select(league.c.id).where(league.c.name == bindparam("name"))).text("postgresql").split("WHERE")[1]
    ' league.name = %(name)s::VARCHAR'
    """

    def __init__(self, statement: Select[Any] | Update, index: str | None = None) -> None:
        self._statement, self._index = statement, index
        self._texts: dict[tuple[str, int], str] = {}

    def __call__(self, connection: Connection, **values: Any) -> list[Any]:
        """Run the statement; gives the rows that it returns, if any."""
        dialect, places = connection.dialect.name, 0
        if dialect == "sqlite":
            places, values = _flat(values)
        cursor = connection.connection.cursor()
        try:
            cursor.execute(self.text(dialect, places), values)
            return list(cursor.fetchall()) if cursor.description else []
        finally:
            cursor.close()

    def text(self, dialect: str, places: int = 0) -> str:
        """The statement as a database reads it, with so many places in its list."""
        known = self._texts.get((dialect, places))
        if known is None:
            compiled = self._statement.compile(dialect=_DIALECTS[dialect], compile_kwargs={"places": places})
            known = str(compiled)
            if self._index is not None and dialect == "sqlite":
                known = known.replace("\nWHERE", f" INDEXED BY {self._index}\nWHERE", 1)
            self._texts[dialect, places] = known
        return known


def _flat(values: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Values without lists: of a short one each by itself, the last again until there are 2, 4, 8 …, else as JSON."""
    places, flat = 0, {}
    for name, value in values.items():
        if type(value) is not list:
            flat[name] = value
        elif 0 < len(value) <= SHORT:
            places = 1 << (len(value) - 1).bit_length()
            filled = value + value[-1:] * (places - len(value))
            flat |= {f"{name}_{number}": item for number, item in enumerate(filled, 1)}
        else:
            flat[name] = json.dumps(value)
    return places, flat


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
