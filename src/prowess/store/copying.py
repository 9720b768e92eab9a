"""Copy the rows of all tables from one database to another, in parts that need little memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, MetaData, Table, func, insert, select, text
from sqlalchemy.exc import DBAPIError

from ..model.progress import following
from .migrate import VERSION

__all__ = ["copy_tables"]

Rows = list[tuple[Any, ...]]
AT_ONCE = 2000
LARGE = {
    "checkpoint": 1,
    "analysis": 20,
}  # rows that hold the beliefs of a whole league, or an answer with all its points


def copy_tables(source: Connection, target: Connection, label: str, progress: bool | None = None) -> dict[str, int]:
    """Copy all rows, in the order of their keys, into tables of the same names that are there and empty.

    Both are in a transaction. Gives how many rows every table has.
    """
    tables = _tables(target)
    total = sum(source.execute(select(func.count()).select_from(table)).scalar_one() for table in tables)
    copied = Counter({table.name: 0 for table in tables})
    parts = ((table, rows) for table in tables for rows in _parts(source, table))
    for table, rows in following(parts, label, lambda: copied.total() / total, progress):
        _add(target, table, rows)
        copied[table.name] += len(rows)
    for table in tables:
        _go_on_counting(target, table)
    return dict(copied)


def _tables(target: Connection) -> list[Table]:
    """The tables, each after those that its rows refer to."""
    metadata = MetaData()
    metadata.reflect(target)
    return [table for table in metadata.sorted_tables if table.name != VERSION]


def _parts(source: Connection, table: Table) -> Iterator[Rows]:
    """The rows of a table as the driver gives them, some at a time."""
    query = str(select(table).order_by(*table.primary_key).compile(source))
    at_once = LARGE.get(table.name, AT_ONCE)
    with source.exec_driver_sql(query, execution_options={"stream_results": True, "yield_per": at_once}) as result:
        for rows in result.partitions(at_once):
            yield [tuple(row) for row in rows]


def _add(target: Connection, table: Table, rows: Rows) -> None:
    """Add rows in the fastest way that a database has."""
    if target.dialect.name == "sqlite":
        target.exec_driver_sql(str(insert(table).compile(target)), rows)
        return
    quote = target.dialect.identifier_preparer.quote
    query = f"COPY {quote(table.name)} ({', '.join(quote(column.name) for column in table.columns)}) FROM STDIN"
    driver: Any = target.connection.driver_connection
    try:
        with driver.cursor() as cursor, cursor.copy(query) as copy:
            for row in rows:
                copy.write_row(row)
    except target.dialect.loaded_dbapi.Error as error:
        raise DBAPIError.instance(query, None, error, target.dialect.loaded_dbapi.Error) from error


def _go_on_counting(target: Connection, table: Table) -> None:
    """Let PostgreSQL give the next row the number after the last one; SQLite does so by itself."""
    if target.dialect.name != "postgresql" or "id" not in table.primary_key:
        return
    name = target.dialect.identifier_preparer.quote(table.name)
    sequence = "SELECT setval(pg_get_serial_sequence(:name, 'id'), max(id)) FROM "
    target.execute(text(f"{sequence}{name} HAVING max(id) IS NOT NULL"), {"name": name})
