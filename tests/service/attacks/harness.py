"""Measure how an attack affects other clients of a real server: they run once without and once during the attack.

    with running(tmp_path) as (server, key):
        quiet, attacked = measure(server, key, lambda: my_attack(server))
    assert_unharmed(quiet, attacked)

An attack is a context manager; it attacks while its block runs. It should connect from the address `ATTACKER`, so that
limits per address apply to the attack and not to the clients.
"""

import http.client
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from math import ceil
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

from prowess.service.settings import Settings
from tests.service.load import PLAYERS, match
from tests.service.servers import PATIENCE, Answer, Connection, Server, create_league, serving

ATTACKER = "127.0.0.2"  # on Linux, all of 127.0.0.0/8 is loopback; this address is not a trusted proxy
LEAGUE = "darts"
MATCHES = 200
PAUSE = 0.02  # seconds between two requests of a client, so that the clients alone cause little load
RECONNECT = 5  # requests per connection; new connections show whether the attack blocks them
SETTLE = 0.3  # seconds between the start of an attack and the first measurement
FLOOR = 0.05  # seconds; a shorter latency without the attack counts as this long, because it is mostly noise


@dataclass
class Latency:
    """The latencies of one kind of request, in seconds, and the requests that failed."""

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def quantile(self, share: float) -> float:
        ordered = sorted(self.seconds)
        return ordered[max(0, ceil(share * len(ordered)) - 1)] if ordered else float("inf")

    @property
    def p50(self) -> float:
        return self.quantile(0.5)

    @property
    def p99(self) -> float:
        return self.quantile(0.99)

    def __str__(self) -> str:
        text = f"{len(self.seconds)} × p50 {1000 * self.p50:.1f} ms, p99 {1000 * self.p99:.1f} ms"
        return f"{text}, {len(self.errors)} errors ({self.errors[0]})" if self.errors else text


Latencies = dict[str, Latency]  # by kind of request: "read", "post", "probe"
Ask = Callable[[Connection, int], Answer]


@contextmanager
def running(
    folder: Path, database: str | None = None, *, matches: int = MATCHES, **options: Any
) -> Iterator[tuple[Server, str]]:
    """Run a server with one league for the duration of a block, and yield it with an admin key."""
    database = database or f"sqlite:///{folder / 'prowess.db'}"
    key = create_league(database, LEAGUE)
    with serving(database, folder, **{"cpu_limit": str(Settings.cpu_limit)} | options) as server:
        random = Random(0)
        body = [match(random, f"first-{number}") for number in range(matches)]
        if body:
            answer = server.connect(key).ask("POST", f"/api/leagues/{LEAGUE}/matches", body)
            assert answer.status in (200, 201), answer.body
        yield server, key


def requests(league: str = LEAGUE) -> dict[str, Ask]:
    """Return the requests of the clients: a read and a post with a key, and a health check without a key."""
    random, numbers = Random(1), count()
    start = time.time_ns()  # so that every run has its own ids

    def read(connection: Connection, number: int) -> Answer:
        path = "leaderboard?limit=10" if number % 2 else f"players/{quote(PLAYERS[0])}"
        return connection.ask("GET", f"/api/leagues/{league}/{path}")

    def post(connection: Connection, _: int) -> Answer:
        body = match(random, f"steady-{start}-{next(numbers)}")
        return connection.ask("POST", f"/api/leagues/{league}/matches", body)

    def probe(connection: Connection, _: int) -> Answer:
        return connection.ask("GET", "/healthz")

    return {"read": read, "post": post, "probe": probe}


class Client(threading.Thread):
    """Sends one kind of request repeatedly, and records how long each takes."""

    def __init__(self, server: Server, key: str, ask: Ask, latency: Latency, done: threading.Event) -> None:
        super().__init__(daemon=True)
        self.connection = Connection(server.port, key)
        self.ask, self.latency, self.done = ask, latency, done

    def run(self) -> None:
        for number in count():
            if self.done.is_set():
                break
            start = time.perf_counter()
            try:
                answer = self.ask(self.connection, number)
                if answer.status >= 400:
                    self.latency.errors.append(f"{answer.status} {answer.body[:200]!r}")
            except (OSError, http.client.HTTPException) as error:
                self.latency.errors.append(repr(error))
            self.latency.seconds.append(time.perf_counter() - start)
            if number % RECONNECT == RECONNECT - 1:
                self.connection.close()
            self.done.wait(PAUSE)
        self.connection.close()


def observe(server: Server, key: str, seconds: float, *, clients: int = 2, asks: dict[str, Ask]) -> Latencies:
    """Run `clients` clients for each kind of request for some seconds, and return their latencies.

    Requests that are in progress at the end are completed, so that slow requests count.
    """
    done, latencies = threading.Event(), {kind: Latency() for kind in asks}
    threads = [Client(server, key, ask, latencies[kind], done) for kind, ask in asks.items() for _ in range(clients)]
    for thread in threads:
        thread.start()
    time.sleep(seconds)
    done.set()
    for thread in threads:
        thread.join(2 * PATIENCE)
        assert not thread.is_alive(), "a client is still waiting for a response"
    return latencies


def measure(
    server: Server,
    key: str,
    attack: Callable[[], AbstractContextManager[object]],
    *,
    seconds: float = 2.0,
    clients: int = 2,
    asks: dict[str, Ask] | None = None,
) -> tuple[Latencies, Latencies]:
    """Return the latencies of the clients without the attack, and then during the attack."""
    asks = asks or requests()
    observe(server, key, 0.3, clients=clients, asks=asks)  # fill the caches, so that both runs have the same conditions
    quiet = observe(server, key, seconds, clients=clients, asks=asks)
    with attack():
        time.sleep(SETTLE)
        attacked = observe(server, key, seconds, clients=clients, asks=asks)
    return quiet, attacked


def assert_unharmed(quiet: Latencies, attacked: Latencies, *, factor: float = 5.0, share: float = 0.99) -> None:
    """Check that no client got an error, and that no latency grew by more than `factor` during the attack.

    The `share` quantile of each kind of request is compared. In a run of a second or two, the 99 % quantile is the
    slowest of few requests, so use a smaller `share` in short runs.
    """
    for kind, latency in attacked.items():
        report = f"{kind}: {quiet[kind]}; under attack {latency}"
        print(report)  # pytest shows it if the test fails
        assert not latency.errors, report
        assert latency.quantile(share) <= factor * max(quiet[kind].quantile(share), FLOOR), report


def memory(server: Server, *, peak: bool = False) -> float:
    """Return the current or the peak resident memory of all processes of a server, in MB."""
    pattern = re.compile(r"^%s:\s*(\d+) kB" % ("VmHWM" if peak else "VmRSS"), re.MULTILINE)
    texts = [Path(f"/proc/{pid}/status").read_text() for pid in {server.pid, *server.workers}]
    return sum(int(found[1]) / 1024 for text in texts if (found := pattern.search(text)))


def cpu_seconds(server: Server) -> float:
    """Return the CPU time that all processes of a server have spent."""
    spent = []
    for pid in {server.pid, *server.workers}:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        spent.append((int(fields[11]) + int(fields[12])) / 100)  # user and system time, in ticks of 10 ms
    return sum(spent)


def connect(server: Server, *, source: str = ATTACKER, timeout: float = PATIENCE) -> socket.socket:
    """Open a raw connection to a server from another loopback address than the clients."""
    return socket.create_connection(("127.0.0.1", server.port), timeout, (source, 0))


def get(server: Server, path: str, *, source: str = ATTACKER) -> int:
    """Request a page over a new connection from another address than the clients, and return the status."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, PATIENCE, (source, 0))
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        response.read()
        return response.status
    finally:
        connection.close()


@contextmanager
def half_open(
    server: Server, connections: int, start: bytes, *, source: str = ATTACKER, answered: bool = False
) -> Iterator[None]:
    """Open connections that send `start` and then nothing more, for the duration of a block.

    With `answered`, wait until the server has begun to answer on each connection.
    """
    with ExitStack() as stack:
        for _ in range(connections):
            line = stack.enter_context(connect(server, source=source))
            with suppress(OSError):  # the server may refuse the connection
                line.sendall(start)
                if answered:
                    line.recv(1)
        yield


@contextmanager
def repeating(work: Callable[[], object], *, threads: int = 1, pause: float = 0.0) -> Iterator[None]:
    """Repeat an action in the background for the duration of a block; its network errors are ignored."""
    done = threading.Event()

    def run() -> None:
        while not done.is_set():
            with suppress(OSError, http.client.HTTPException):
                work()
            done.wait(pause)

    workers = [threading.Thread(target=run, daemon=True) for _ in range(threads)]
    for worker in workers:
        worker.start()
    try:
        yield
    finally:
        done.set()
        for worker in workers:
            worker.join(PATIENCE)
