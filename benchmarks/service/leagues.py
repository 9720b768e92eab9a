"""Leagues for the benchmarks, and servers that run on them."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import prowess as pw
from prowess.store import keys, leagues
from prowess.store.db.database import Database
from prowess.store.write.commands import Post
from prowess.store.write.writer import perform

FIRST = 1_600_000_000_000_000  # the time of the first match of a large league, in microseconds
MINUTE = 60_000_000


@dataclass(frozen=True)
class Server:
    """A running service, and an admin key for all leagues."""

    url: str
    port: int
    key: str
    pid: int

    def cpu(self) -> float:
        """Return the CPU seconds that all processes of the server have used; 0 on systems without /proc.

        On a busy machine, CPU time varies less than wall-clock time.
        """
        total = 0.0
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                fields = stat.read_text().rpartition(")")[2].split()
                if self.pid in (int(stat.parent.name), int(fields[1])):
                    total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return total


@contextmanager
def served(url: str, folder: Path, workers: int = 1) -> Iterator[Server]:
    """Run `prowess serve` on a database in a separate process for the duration of a block."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = [
        "--database",
        url,
        "--port",
        str(port),
        "--workers",
        str(workers),
        "--key-rate-limit",
        "0",
        "--log",
        "off",
    ]
    log = folder / f"server-{port}.log"
    with opened(url) as database, database.writing() as connection:
        _, key = keys.create(connection, "bench", "admin")
    with log.open("wb") as out:
        process = subprocess.Popen([sys.executable, "-m", "prowess", "serve", *options], stdout=out, stderr=out)
    try:
        _wait(process, port, log)
        yield Server(url, port, key, process.pid)
    finally:
        process.terminate()
        process.wait(30)


def _wait(process: subprocess.Popen, port: int, log: Path) -> None:
    for _ in range(600):
        if process.poll() is not None:
            raise RuntimeError(log.read_text())
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5):
                return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError(f"the server does not answer:\n{log.read_text()}")


@contextmanager
def opened(url: str) -> Iterator[Database]:
    database = Database(url)
    try:
        database.migrate()
        yield database
    finally:
        database.close()


def create_league(url: str, name: str) -> None:
    """Create an empty league."""
    with opened(url) as database, database.writing() as connection:
        leagues.create(connection, name, title=name)


def fill(url: str, name: str, matches: int, players: int, seed: int = 0) -> float:
    """Create a league, post 1v1 matches to it in one batch, and return the seconds that the post took."""
    history = large(matches, players, seed)
    with opened(url) as database:
        with database.writing() as connection:
            leagues.create(connection, name, title=name)
        start = time.perf_counter()
        perform(database, Post(name, history))
        return time.perf_counter() - start


def large(matches: int, players: int, seed: int) -> pw.History:
    """Return 1v1 matches, a minute apart, with the ids m0, m1, …; every player plays at least once."""
    random = np.random.default_rng(seed)
    first = np.arange(matches, dtype=np.int32) % players
    second = (first + random.integers(1, players, matches).astype(np.int32)) % players
    starts = np.arange(0, 2 * matches + 1, dtype=np.int32)
    return pw.History(
        match_start=starts[::2].copy(),
        team_start=starts,
        player=np.column_stack([first, second]).reshape(-1),
        place=np.tile(np.array([1, 2], np.int32), matches),
        score=None,
        time=FIRST + MINUTE * np.arange(matches, dtype=np.int64),
        time_kind="timestamp",
        time_zone="UTC",
        weight=None,
        importance=None,
        home=None,
        ids=tuple(f"m{number}" for number in range(matches)),
        players=tuple(f"player {number}" for number in range(players)),
    )


def posts(count: int, players: int, prefix: str, seed: int = 0) -> list[bytes]:
    """Return random 1v1 matches, each as the JSON body of a request."""
    random = np.random.default_rng(seed)
    first = random.integers(0, players, count)
    second = (first + random.integers(1, players, count)) % players
    scores = random.integers(0, 5, (count, 2)).tolist()
    rows = zip(first.tolist(), second.tolist(), scores, strict=True)
    return [
        json.dumps(
            {"id": f"{prefix}-{number}", "teams": [[f"player {one}"], [f"player {two}"]], "scores": score},
            separators=(",", ":"),
        ).encode()
        for number, (one, two, score) in enumerate(rows)
    ]
