"""The fastest that a durable service could be: one connection that commits one row at a time to the same database."""

import sqlite3
import time
from urllib.parse import urlsplit

BODY = '{"teams":[["player 1234"],["player 5678"]],"scores":[3,1]}'


def bare(url: str, seconds: float) -> float:
    """Commit single rows for the given time, and return the seconds per commit."""
    return _sqlite(url.removeprefix("sqlite:///"), seconds) if url.startswith("sqlite") else _postgres(url, seconds)


def _sqlite(path: str, seconds: float) -> float:
    connection = sqlite3.connect(path, isolation_level=None, timeout=30)
    try:
        for pragma in ("journal_mode=WAL", "synchronous=FULL"):
            connection.execute(f"PRAGMA {pragma}").close()
        connection.execute("CREATE TABLE IF NOT EXISTS bare (id INTEGER PRIMARY KEY, body TEXT)")

        def commit() -> None:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO bare (body) VALUES (?)", (BODY,))
            connection.execute("COMMIT")

        return _timed(commit, seconds)
    finally:
        connection.close()


def _postgres(url: str, seconds: float) -> float:
    import psycopg

    with psycopg.connect(urlsplit(url)._replace(scheme="postgresql").geturl(), autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS bare (id bigserial PRIMARY KEY, body text)")
        return _timed(lambda: connection.execute("INSERT INTO bare (body) VALUES (%s)", (BODY,), prepare=True), seconds)


def _timed(commit, seconds: float) -> float:
    start, count = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        commit()
        count += 1
    return (time.perf_counter() - start) / count
