"""Clients request more exports than the service can write at once, and disconnect without waiting for the files.

The servers log when they begin and end to write a file (see `LOGGING`), so the tests compare the order of events.
"""

import http.client
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from prowess.history.build_history import build
from prowess.history.columns.raw_matches import RawMatches
from prowess.history.ragged import starts
from prowess.history.times import Stamp, Times
from prowess.store import leagues
from prowess.store.db.database import Database
from prowess.store.write.commands import Post
from prowess.store.write.writer import Writer
from tests.service.attacks.harness import (
    LEAGUE,
    assert_unharmed,
    connect,
    cpu_seconds,
    measure,
    memory,
    repeating,
    running,
    wait_for,
)
from tests.service.servers import PATIENCE

LOGGING = """
import os, time
from prowess.service import exports

def log(event, number, spec):
    with open({path!r}, "a") as file:
        file.write(f"{{time.monotonic()}} {{os.getpid()}} {{number}} {{spec.format}} {{event}}\\n")

def write_and_log(connection, league, path, spec, pause, write=exports.write_matches):
    number, event = path.parent.name, "stopped"
    log("begun", number, spec)
    try:
        write(connection, league, path, spec, pause)
        event = "written"
    finally:
        log(event, number, spec)

exports.write_matches = write_and_log
"""
UNLIMITED = {"rate_limit": "0", "cpu_limit": "0"}  # the default limits would stop the attacks early
FORMATS = ("ndjson", "csv", "parquet")


def fill(database, league, matches):
    """Create a league with 2,000 players and a match every second."""
    random = np.random.default_rng(7)
    first = random.integers(0, 2_000, matches)
    player = np.stack([first, (first + random.integers(1, 2_000, matches)) % 2_000], 1).ravel().astype(np.int32)
    raw = RawMatches(
        match_start=starts(np.full(matches, 2)),
        team_start=starts(np.ones(2 * matches, np.int64)),
        player=player,
        names=[f"player {number}" for number in range(2_000)],
        where=lambda match, entry: str(match),
        times=Times.of(1.7e15 + 1e6 * np.arange(matches), Stamp("timestamp", "UTC")),
        ids=[f"match-{number}" for number in range(matches)],
        score=random.integers(0, 5, 2 * matches).astype(np.float64),
        rank=None,
        listed=True,
        remarks=(),
    )
    store = Database(database)
    store.migrate()
    with store.writing() as connection:
        leagues.create(connection, league)
    writer = Writer(store)
    writer.submit(Post(league, build(raw))).result()
    writer.close()
    store.close()


def path_of(league, format="ndjson"):
    return f"/api/leagues/{league}/export.{format}"


@contextmanager
def abandoned_exports(server, league, most, format="ndjson"):
    """Request exports, and close each connection immediately."""
    for _ in range(most):
        with connect(server) as line:
            line.sendall(f"GET {path_of(league, format)} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    yield


@contextmanager
def awaited_exports(server, league, most, format="ndjson"):
    """Request exports, and keep the connections open without reading."""
    lines = [connect(server) for _ in range(most)]
    for line in lines:
        line.sendall(f"GET {path_of(league, format)} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    yield
    for line in lines:
        line.close()


def stable_memory(server):
    """Wait until the memory of the server, in MB, has stopped growing, and return it.

    It grows after the start, because caches are filled in the background.
    """
    last, now = 0.0, memory(server)
    while abs(now - last) > 1:
        time.sleep(2)
        last, now = now, memory(server)
    return now


@contextmanager
def peak_memory(server):
    """Yield a list to which the memory of the server, in MB, is added every 50 ms during the block."""
    peaks = [memory(server)]
    with repeating(lambda: peaks.append(memory(server)), pause=0.05):
        yield peaks


def download(server, path):
    """Read a response in pieces; return its status and its size."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=300)
    connection.request("GET", path)
    response = connection.getresponse()
    size = 0
    while piece := response.read(1 << 16):
        size += len(piece)
    connection.close()
    return response.status, size


@dataclass
class Written:
    """An export that a server process has begun to write; `end` and `result` are None while it is writing."""

    process: int
    format: str
    begin: float
    end: float | None = None
    result: str | None = None  # "written" or "stopped"


class WriteLog:
    """The log of the exports that the processes of a server write; pass `hook` to the server as `first`."""

    def __init__(self, folder):
        self.path = folder / "exports.log"
        self.path.touch()
        self.hook = LOGGING.format(path=str(self.path))

    def exports(self):
        """Return all exports, in the order in which they began."""
        found = {}
        for line in self.path.read_text().splitlines():
            time, process, number, format, event = line.split()
            if event == "begun":
                found[number] = Written(int(process), format, float(time))
            else:
                found[number].end, found[number].result = float(time), event
        return list(found.values())

    def under_way(self):
        return [export for export in self.exports() if export.result is None]

    def wait(self):
        """Wait until no export is being written, and return all exports."""
        wait_for(lambda: not self.under_way())
        return self.exports()


def assert_one_at_a_time(exports):
    """Check that no process wrote two exports at once."""
    for process in {export.process for export in exports}:
        own = [export for export in exports if export.process == process]
        for one, other in pairwise(own):
            assert one.end is not None
            assert one.end <= other.begin


def answered_meanwhile(exports, attacked):
    """Return how many requests of each kind the server answered from the begin to the end of a single export."""
    spans = [(export.begin, export.end or float("inf")) for export in exports]
    return {
        kind: sum(any(begin < first and last < end for begin, end in spans) for first, last in delays.answered)
        for kind, delays in attacked.items()
    }


def test_exports_do_not_slow_down_other_clients(tmp_path):
    database, log = f"sqlite:///{tmp_path / 'prowess.db'}", WriteLog(tmp_path)
    fill(database, "big", 20_000)
    with running(tmp_path, database, first=log.hook, **UNLIMITED) as (server, key), ThreadPoolExecutor(20) as threads:
        quiet, attacked = measure(server, key, lambda: abandoned_exports(server, "big", 60), seconds=1.5)
        assert_unharmed(quiet, attacked)
        quiet, attacked = measure(server, key, lambda: awaited_exports(server, "big", 60, "csv"), seconds=1.5)
        assert_unharmed(quiet, attacked)
        answers = threads.map(lambda _: download(server, path_of("big", "parquet?layout=long")), range(20))
        assert {(status, size > 100_000) for status, size in answers} == {(200, True)}
        exports = log.wait()
    assert_one_at_a_time(exports)
    # Requests for the same file share one export. The clients may have left before the first file was written.
    assert [export.format for export in exports if export.format != "ndjson"] == ["csv", "parquet"]
    assert exports[-1].result == "written"


@pytest.mark.long
def test_export_contains_exactly_the_matches_posted_so_far(tmp_path):
    with running(tmp_path, workers=2, **UNLIMITED) as (server, key):
        connection = server.connect(key)
        for number in range(20):
            new = {"id": f"new-{number}", "teams": [["player 0"], ["player 1"]]}
            assert connection.ask("POST", f"/api/leagues/{LEAGUE}/matches", new).status == 201
            export = connection.ask("GET", path_of(LEAGUE))
            assert len(export.body.splitlines()) == 200 + number + 1
            assert int(export.headers["x-revision"]) == connection.ask("GET", f"/api/leagues/{LEAGUE}").json["revision"]


@pytest.mark.long
@pytest.mark.parametrize("workers", [1, 2])
def test_exports_of_a_million_matches_need_little_memory_and_do_not_slow_down_other_clients(
    tmp_path, database_url, workers
):
    fill(database_url, "big", 1_000_000)
    log = WriteLog(tmp_path)
    settings = UNLIMITED | {"workers": workers, "export_folder": str(tmp_path / "exports"), "first": log.hook}
    with running(tmp_path, database_url, **settings) as (server, key):
        spent = {}
        for format in FORMATS:
            before, idle = cpu_seconds(server), stable_memory(server)
            with peak_memory(server) as peaks:
                status, size = download(server, path_of("big", format))
            spent[format] = cpu_seconds(server) - before
            print(f"{format}: {size} bytes, {spent[format]:.1f} CPU-seconds, {max(peaks) - idle:.0f} MB above idle")
            assert (status, size > 5_000_000) == (200, True)
            assert max(peaks) - idle < 64 * workers  # Polars alone takes 55 MB in each process, once
        assert spent["ndjson"] < 3 * spent["csv"]
        for attack in (abandoned_exports, awaited_exports):
            post(server, key)  # a new revision makes cached exports useless
            idle, earlier = stable_memory(server), len(log.exports())
            with peak_memory(server) as peaks:
                quiet, attacked = measure(server, key, partial(attack, server, "big", 45), seconds=10)
            assert_unharmed(quiet, attacked)
            print(f"{attack.__name__}: {max(peaks) - idle:.0f} MB above idle")
            assert max(peaks) - idle < 64 * workers
            exports = log.wait()[earlier:]
            assert_one_at_a_time(exports)
            if attack is abandoned_exports:
                assert all(export.result == "stopped" for export in exports)
            else:
                assert len(exports) <= workers  # requests for the same file share one export
                assert min(answered_meanwhile(exports, attacked).values()) > 10
        post(server, key)
        with awaited_exports(server, "big", 1):
            wait_for(log.under_way)
        assert log.wait()[-1].result == "stopped"
        earlier = len(log.exports())
        with awaited_exports(server, "big", 45):
            wait_for(log.under_way)
            server.process.terminate()
            server.process.wait(PATIENCE)
        assert {export.result for export in log.exports()[earlier:]} == {"stopped"}


def post(server, key):
    """Post a match to the league "big", which gets a new revision."""
    body = {"teams": [["player 0"], ["player 1"]], "scores": [1, 0]}
    assert server.connect(key).ask("POST", "/api/leagues/big/matches", body).status == 201
