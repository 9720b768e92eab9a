"""Create SQLite files for the tests."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory


def copy_empty(path: Path) -> str:
    """Write a database with the tables of this version and without rows; return its URL.

    The file is a copy of a template, because migrations take 40 ms and hundreds of tests need a database.
    """
    path.write_bytes(_template())
    return f"sqlite:///{path}"


@cache
def _template() -> bytes:
    from prowess.store.db.database import Database

    with TemporaryDirectory() as folder:
        path = Path(folder, "empty.db")
        database = Database(f"sqlite:///{path}")
        database.migrate()
        database.close()
        return path.read_bytes()
