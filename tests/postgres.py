"""A PostgreSQL server of the tests' own: in a temporary folder, on loopback, gone when they are done."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PLACES = Path("/usr/lib/postgresql")  # Debian keeps the server's programs off the path


def programs() -> Path | None:
    """The folder of `initdb` and `pg_ctl`, the newest if there are several."""
    found = shutil.which("initdb")
    if found:
        return Path(found).parent
    versions = [folder for folder in PLACES.glob("*/bin") if (folder / "initdb").is_file()]
    return max(versions, key=lambda folder: float(folder.parent.name), default=None)


@contextmanager
def server() -> Iterator[str]:
    """A running server; gives the URL of an empty database."""
    folder = programs()
    if folder is None:
        missing = "PostgreSQL is not installed: there is no initdb"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    home = Path(tempfile.mkdtemp(prefix="prowess-postgres-"))
    data = home / "data"
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    owner = {"user": "nobody"} if root else {}  # the server refuses to run as root
    if root:
        shutil.chown(home, "nobody")

    def run(program: str, *arguments: str) -> None:
        done = subprocess.run([folder / program, *arguments], cwd=home, capture_output=True, text=True, **owner)
        assert done.returncode == 0, done.stdout + done.stderr

    try:
        run("initdb", "-D", str(data), "-U", "prowess", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        options = f"-c listen_addresses=127.0.0.1 -p {port} -c unix_socket_directories='' -c fsync=off"
        run("pg_ctl", "-D", str(data), "-l", str(home / "log"), "-w", "-o", options, "start")
        try:
            yield f"postgresql://prowess@127.0.0.1:{port}/postgres"
        finally:
            run("pg_ctl", "-D", str(data), "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(home, ignore_errors=True)
