"""Real servers for tests: `prowess serve` in a separate process, on a free local port."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prowess.store import keys, leagues
from prowess.store.clock import Clock
from prowess.store.db.database import Database
from prowess.store.leagues import Preset, Settings

PATIENCE = 60.0  # seconds; generous, because the machine may be busy
IDLE = 2.0  # seconds after which a connection is reopened, because the server closes idle connections after five


@dataclass
class Answer:
    """A response of the server."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Connection:
    """A keep-alive connection; not thread-safe."""

    def __init__(self, port: int, key: str | None = None) -> None:
        self._port, self._key = port, key
        self._http: http.client.HTTPConnection | None = None
        self._used = 0.0

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Send a request; a broken connection raises OSError or HTTPException, and the next request reconnects."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self._key is not None:
            sent.setdefault("Authorization", f"Bearer {self._key}")
        content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        if content is not None:
            sent.setdefault("Content-Type", "application/json")
        if time.monotonic() - self._used > IDLE:
            self.close()
        if self._http is None:
            self._http = http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE)
        try:
            self._http.request(method, path, content, sent)
            response = self._http.getresponse()
            names = {name.lower(): value for name, value in response.getheaders()}
            answer = Answer(response.status, names, response.read())
            self._used = time.monotonic()
            return answer
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        if self._http is not None:
            self._http.close()
        self._http = None


@dataclass
class Server:
    """A running `prowess serve`."""

    port: int
    process: subprocess.Popen[bytes]
    log: Path
    connections: list[Connection] = field(default_factory=list)  # closed when the server ends

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def workers(self) -> list[int]:
        """Return the worker processes: the children of the main process, or the process itself if it has none."""
        listed = subprocess.run(
            ["ps", "-A", "-ww", "-o", "pid=,ppid=,stat=,args="], capture_output=True, text=True
        ).stdout
        found = []
        for line in listed.splitlines():
            pid, parent, state, *command = line.split()
            is_helper = any(name in " ".join(command) for name in ("resource_tracker", "child_process"))
            if int(parent) == self.pid and state[0] != "Z" and not is_helper:
                found.append(int(pid))
        return sorted(found) or [self.pid]

    def connect(self, key: str | None = None) -> Connection:
        self.connections.append(Connection(self.port, key))
        return self.connections[-1]

    def wait(self) -> None:
        """Wait until the server is ready."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            assert self.process.poll() is None, f"the server ended:\n{self.log.read_text()}"
            connection = self.connect()
            with suppress(OSError, http.client.HTTPException):
                if connection.ask("GET", "/readyz").status == 200:
                    connection.close()
                    return
            connection.close()
            time.sleep(0.05)
        raise AssertionError(f"the server is not ready:\n{self.log.read_text()}")

    def stop(self) -> int:
        """Ask the server to stop, and return its exit code; if the server does not stop, kill it and its workers."""
        for connection in self.connections:
            connection.close()
        workers = self.workers
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(PATIENCE / 2)
        except subprocess.TimeoutExpired:
            for pid in {*workers, *self.workers}:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.process.kill()
            return self.process.wait()

    def kill(self) -> None:
        """Kill the server and all its workers, as a power cut would."""
        for pid in {self.pid, *self.workers}:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def start(database: str, folder: Path, *, workers: int = 1, first: str = "", port: int = 0, **settings: str) -> Server:
    """Start a server and wait for it; each of its processes first runs the Python code in `first`."""
    port = port or free_port()
    options = ["--database", database, "--host", "127.0.0.1", "--port", str(port), "--workers", str(workers)]
    log = folder / f"server-{port}.log"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PROWESS_")}
    environment |= {"PROWESS_CPU_LIMIT": "0"}  # browser tests request more pages than a visitor would
    environment |= {"PROWESS_SEARCH_MODELS": "false"}  # background work would disturb the tests
    environment |= {f"PROWESS_{name.upper()}": value for name, value in settings.items()}
    if first:
        hook = folder / f"first-{port}" / "sitecustomize.py"  # Python imports this file when it starts
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(first)
        environment["PYTHONPATH"] = os.pathsep.join([str(hook.parent), environment.get("PYTHONPATH", "")])
    with log.open("ab") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "prowess", "serve", *options],
            stdout=out,
            stderr=out,
            stdin=subprocess.DEVNULL,
            env=environment,
        )
    found = Server(port, process, log)
    try:
        found.wait()
    except BaseException:
        found.kill()
        raise
    return found


@contextmanager
def serving(database: str, folder: Path, **options: Any) -> Iterator[Server]:
    """Run a server for the duration of a block."""
    found = start(database, folder, **options)
    try:
        yield found
    finally:
        found.stop()


def create_league(
    url: str,
    name: str,
    model: Preset | None = None,
    clock: Clock = "utc",
    *,
    scope: str = "admin",
    of: str | None = None,
    settings: Settings | None = None,
) -> str:
    """Create a league and a key for all leagues, or only for the league `of`; return the secret of the key."""
    database = Database(url)
    try:
        database.migrate()
        with database.writing() as connection:
            leagues.create(connection, name, model=model, clock=clock, settings=settings)
            return keys.create(connection, "the tests", scope, of)[1]
    finally:
        database.close()
