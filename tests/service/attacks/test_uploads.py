"""Uploads that expand to gigabytes or crash a parser are refused, and other clients are not affected."""

import gzip
from pathlib import Path

import pytest

from tests.history import bombs
from tests.service.attacks.harness import (
    ATTACKER,
    LEAGUE,
    assert_unharmed,
    connect,
    measure,
    memory,
    repeating,
    running,
    wait_for,
)
from tests.service.servers import Connection

SMALL = {
    "corner.xlsx": bombs.far_corner,
    "line.csv": lambda: bombs.one_line(2 * bombs.MIB),
    "rows.csv.gz": lambda: bombs.compressed(gzip, 80 * bombs.MIB),
}
REFUSED = (413, 422)


def upload(server, key, name, content):
    """Send a file to the API; return the status and the detail of the response."""
    connection = Connection(server.port, key)
    answer = connection.ask("POST", f"/api/leagues/{LEAGUE}/import?filename={name}", content)
    connection.close()
    return answer.status, answer.json.get("detail", "")


def children(server):
    """Return the ids of the child processes in which a server reads uploads."""
    found, parents = [], {server.pid, *server.workers}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if parent in parents and b"child_process" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            pass
    return found


def test_decompression_bombs_are_refused_and_the_server_keeps_working(tmp_path):
    with running(tmp_path) as (server, key):
        before = memory(server, peak=True)
        for name, make in SMALL.items():
            status, detail = upload(server, key, name, make())
            assert status in REFUSED
            assert "limit" in detail
            assert "administrator" in detail
        assert upload(server, key, "games.csv", b"winner,loser,time\nann,bob,2026-01-31\n")[0] == 201
        assert memory(server, peak=True) < before + 100
        assert len(children(server)) == 1  # all files were read by the same child process


def test_reading_an_upload_stops_when_the_client_disconnects(tmp_path):
    content = b"winner,loser\n" + b"ann,bob\n" * 1_000_000
    head = f"POST /api/leagues/{LEAGUE}/import?format=csv HTTP/1.1\r\nHost: test\r\nContent-Length: {len(content)}\r\n"
    with running(tmp_path) as (server, key):
        connection = connect(server, source=ATTACKER)
        connection.sendall(f"{head}Authorization: Bearer {key}\r\n\r\n".encode() + content)
        wait_for(lambda: children(server))
        connection.close()
        wait_for(lambda: not children(server))
        revision = server.connect(key).ask("GET", f"/api/leagues/{LEAGUE}").json["revision"]
        assert revision == 1  # nothing was imported


@pytest.mark.long
@pytest.mark.parametrize("workers", [1, 2])
def test_uploads_of_the_maximum_size_do_not_slow_down_other_clients(workers, tmp_path, database_url):
    contents = {name: make() for name, make in bombs.FULL.items() if not name.endswith((".bz2", ".xz", ".zip"))}
    contents |= {"zeros.csv.gz": bombs.FULL["zeros.csv.bz2"](), "rows.csv": bombs.FULL["rows.csv.bz2"]()}
    with running(tmp_path, database_url, workers=workers, key_cpu_limit="0") as (server, key):
        answers = []

        def attack():
            for name, content in contents.items():
                answers.append(upload(server, key, name, content))

        before = memory(server, peak=True)
        quiet, attacked = measure(server, key, lambda: repeating(attack, threads=4, pause=0.0), seconds=20.0)
        assert_unharmed(quiet, attacked)
        assert {status for status, _ in answers} <= {*REFUSED}
        assert memory(server, peak=True) < before + 64 * workers + 100
