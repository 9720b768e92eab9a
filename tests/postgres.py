"""A temporary PostgreSQL server for the tests, on the loopback address."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from uuid import uuid4

import pytest

PLACES = Path("/usr/lib/postgresql")  # Debian does not put the server's programs on the PATH


def programs() -> Path | None:
    """Return the folder of `initdb` and `pg_ctl`; the newest version if there are several."""
    found = shutil.which("initdb")
    if found:
        return Path(found).parent
    versions = [folder for folder in PLACES.glob("*/bin") if (folder / "initdb").is_file()]
    return max(versions, key=lambda folder: float(folder.parent.name), default=None)


@dataclass(frozen=True)
class Cluster:
    """A server that can be stopped and started again."""

    programs: Path
    home: Path
    port: int
    durable: bool

    @property
    def url(self) -> str:
        return f"postgresql://prowess@127.0.0.1:{self.port}/postgres"

    @property
    def _data(self) -> str:
        return str(self.home / "data")

    def _run(self, program: str, *arguments: str) -> None:
        root = hasattr(os, "geteuid") and os.geteuid() == 0
        owner = {"user": "nobody"} if root else {}  # the server refuses to run as root
        if root:
            shutil.chown(self.home, "nobody")
        command = [self.programs / program, *arguments]
        done = subprocess.run(command, cwd=self.home, capture_output=True, text=True, **owner)
        assert done.returncode == 0, done.stdout + done.stderr

    def make(self) -> None:
        self._run("initdb", "-D", self._data, "-U", "prowess", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")

    def start(self) -> None:
        options = f"-c listen_addresses=127.0.0.1 -p {self.port} -c unix_socket_directories=''"
        options += "" if self.durable else " -c fsync=off"
        self._run("pg_ctl", "-D", self._data, "-l", str(self.home / "log"), "-w", "-o", options, "start")

    def stop(self) -> None:
        """Stop immediately, as in a crash."""
        self._run("pg_ctl", "-D", self._data, "-m", "immediate", "-w", "stop")


@contextmanager
def cluster(*, durable: bool = False) -> Iterator[Cluster]:
    """Run a server; if it is `durable`, it keeps all commits after a crash."""
    folder = programs()
    if folder is None:
        missing = "PostgreSQL is not installed: initdb not found"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    found = Cluster(folder, Path(tempfile.mkdtemp(prefix="prowess-postgres-")), port, durable)
    try:
        found.make()
        found.start()
        try:
            yield found
        finally:
            if (found.home / "data" / "postmaster.pid").exists():
                found.stop()
    finally:
        shutil.rmtree(found.home, ignore_errors=True)


@contextmanager
def server() -> Iterator[str]:
    """Run a server, and yield the URL of an empty database."""
    with cluster() as found:
        yield found.url


@contextmanager
def fresh(server_url: str, *, migrated: bool = True) -> Iterator[str]:
    """Create a database on a running server, with the tables of this version or without tables; drop it afterwards."""
    import psycopg

    name, template = f"prowess_{uuid4().hex}", _template(server_url) if migrated else "template1"
    with psycopg.connect(server_url, autocommit=True) as connection:
        # Copying files takes less time than writing their pages to the log; this option exists since version 15.
        strategy = "STRATEGY file_copy" if connection.info.server_version >= 150_000 else ""
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template} {strategy}")
    try:
        yield server_url.rpartition("/")[0] + f"/{name}"
    finally:
        with psycopg.connect(server_url, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@cache
def _template(server_url: str) -> str:
    """Return the name of a database to copy: creating the tables by migrations takes more time than all other steps."""
    import psycopg

    from prowess.store.db.database import Database

    name = "migrated"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    database = Database(server_url.rpartition("/")[0] + f"/{name}")
    database.migrate()
    database.close()
    return name
