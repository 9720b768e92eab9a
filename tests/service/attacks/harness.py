"""Measure how an attack affects other clients of a real server: they run once without and once during the attack.

    with running(tmp_path) as (server, key):
        quiet, attacked = measure(server, key, lambda: my_attack(server))
    assert_unharmed(quiet, attacked)

An attack is a context manager; it attacks while its block runs. It should connect from the address `ATTACKER`, so that
limits per address apply to the attack and not to the clients.

A delay is counted in CPU-seconds: the work that the server did while a client waited for its response. Seconds would
count the work of all other programs on the machine, too.
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
FLOOR = 0.05  # CPU-seconds; a shorter delay without the attack counts as this long, because it is mostly noise


@dataclass
class Delays:
    """The CPU-seconds of the server during each request of one kind, and the requests that failed.

    `answered` has the times at which the requests began and ended.
    """

    work: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    answered: list[tuple[float, float]] = field(default_factory=list)

    def quantile(self, share: float) -> float:
        ordered = sorted(self.work)
        return ordered[max(0, ceil(share * len(ordered)) - 1)] if ordered else float("inf")

    def __str__(self) -> str:
        shares = ", ".join(f"p{share} {1000 * self.quantile(share / 100):.1f} CPU-ms" for share in (50, 90, 99))
        text = f"{len(self.work)} × {shares}"
        return f"{text}, {len(self.errors)} errors ({self.errors[0]})" if self.errors else text


Kinds = dict[str, Delays]  # by kind of request: "read", "post", "probe"
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
        path = "leaderboard?size=10" if number % 2 else f"players/{quote(PLAYERS[0])}"
        return connection.ask("GET", f"/api/leagues/{league}/{path}")

    def post(connection: Connection, _: int) -> Answer:
        body = match(random, f"steady-{start}-{next(numbers)}")
        return connection.ask("POST", f"/api/leagues/{league}/matches", body)

    def probe(connection: Connection, _: int) -> Answer:
        return connection.ask("GET", "/healthz")

    return {"read": read, "post": post, "probe": probe}


class Client(threading.Thread):
    """Sends one kind of request repeatedly, and records what the server does during each."""

    def __init__(
        self, port: int, key: str, ask: Ask, delays: Delays, clock: Callable[[], float], done: threading.Event
    ) -> None:
        super().__init__(daemon=True)
        self.connection = Connection(port, key)
        self.ask, self.delays, self.clock, self.done = ask, delays, clock, done

    def run(self) -> None:
        for number in count():
            if self.done.is_set():
                break
            start, begin = self.clock(), time.monotonic()
            try:
                answer = self.ask(self.connection, number)
                if answer.status >= 400:
                    self.delays.errors.append(f"{answer.status} {answer.body[:200]!r}")
            except (OSError, http.client.HTTPException) as error:
                self.delays.errors.append(repr(error))
            self.delays.work.append(self.clock() - start)
            self.delays.answered.append((begin, time.monotonic()))
            if number % RECONNECT == RECONNECT - 1:
                self.connection.close()
            self.done.wait(PAUSE)
        self.connection.close()


def observe(server: Server, key: str, seconds: float, *, clients: int = 2, asks: dict[str, Ask]) -> Kinds:
    """Run `clients` clients for each kind of request for some seconds, and return the delays of their requests.

    Requests that are in progress at the end are completed, so that slow requests count.
    """
    done, kinds, clock = threading.Event(), {kind: Delays() for kind in asks}, work_clock(server)
    threads = [
        Client(server.port, key, ask, kinds[kind], clock, done) for kind, ask in asks.items() for _ in range(clients)
    ]
    for thread in threads:
        thread.start()
    time.sleep(seconds)
    done.set()
    for thread in threads:
        thread.join(2 * PATIENCE)
        assert not thread.is_alive(), "a client is still waiting for a response"
    return kinds


def measure(
    server: Server,
    key: str,
    attack: Callable[[], AbstractContextManager[object]],
    *,
    seconds: float = 2.0,
    clients: int = 2,
    asks: dict[str, Ask] | None = None,
) -> tuple[Kinds, Kinds]:
    """Return the delays of the clients without the attack, and then during the attack."""
    asks = asks or requests()
    observe(server, key, 0.3, clients=clients, asks=asks)  # fill the caches, so that both runs have the same conditions
    quiet = observe(server, key, seconds, clients=clients, asks=asks)
    with attack():
        time.sleep(SETTLE)
        attacked = observe(server, key, seconds, clients=clients, asks=asks)
    return quiet, attacked


def assert_unharmed(quiet: Kinds, attacked: Kinds, *, factor: float = 5.0, share: float = 0.99) -> None:
    """Check that no client got an error, and that no delay grew by more than `factor` during the attack.

    The `share` quantile of each kind of request is compared. In a run of a second or two, the 99 % quantile is the
    slowest of few requests, so use a smaller `share` in short runs.
    """
    for kind, delays in attacked.items():
        report = f"{kind}: {quiet[kind]}; under attack {delays}"
        print(report)  # pytest shows it if the test fails
        assert not delays.errors, report
        assert delays.quantile(share) <= factor * max(quiet[kind].quantile(share), FLOOR), report


def wait_for(condition: Callable[[], object]) -> None:
    """Wait until a condition holds; fail if it does not, even on a busy machine."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def memory(server: Server, *, peak: bool = False) -> float:
    """Return the current or the peak resident memory of all processes of a server, in MB."""
    pattern = re.compile(r"^%s:\s*(\d+) kB" % ("VmHWM" if peak else "VmRSS"), re.MULTILINE)
    texts = [Path(f"/proc/{pid}/status").read_text() for pid in {server.pid, *server.workers}]
    return sum(int(found[1]) / 1024 for text in texts if (found := pattern.search(text)))


def work_clock(server: Server) -> Callable[[], float]:
    """Return a clock that shows the CPU-seconds that the processes of a server have spent."""
    clocks = [(~pid << 3) | 2 for pid in {server.pid, *server.workers}]  # as clock_getcpuclockid(3) on Linux
    return lambda: sum(map(time.clock_gettime, clocks))


def cpu_seconds(server: Server) -> float:
    """Return the CPU time that all processes of a server have spent."""
    return work_clock(server)()


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
