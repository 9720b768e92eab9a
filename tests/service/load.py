"""Clients that repeat every request until the service acknowledges it, even if the service crashes meanwhile."""

import http.client
import json
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from random import Random
from typing import Any

from tests.service.servers import PATIENCE, Server

PLAYERS = [f"player {number}" for number in range(12)]
PAUSE = 0.1  # seconds before a request is repeated
Matches = dict[str, dict[str, Any] | None]  # by id; None if the match is deleted


def match(random: Random, name: str) -> dict[str, Any]:
    """Return a random match of two to four players, with `name` as its id."""
    players = random.sample(PLAYERS, random.choice([2, 2, 2, 3, 4]))
    teams = [players[:2], players[2:]] if len(players) == 4 else [[player] for player in players]
    return {"id": name, "teams": teams, "scores": [random.randrange(4) for _ in teams]}


class Client(threading.Thread, ABC):
    """A client that changes only the matches that it has posted to a league."""

    def __init__(self, server: Server, league: str, key: str, number: int = 0) -> None:
        super().__init__(daemon=True)
        self.server, self.league, self.key, self.number = server, league, key, number
        self.connection = server.connect(key)
        self.acknowledged: Matches = {}
        self.under_way: Matches = {}  # the matches as they will be after the current request
        self.refused: list[str] = []
        self.done = threading.Event()

    def run(self) -> None:
        random = Random(self.number)
        try:
            for count in range(1_000_000):
                if self.done.is_set() or self.refused:
                    break
                self.step(random, count)
        finally:
            self.connection.close()

    @abstractmethod
    def step(self, random: Random, count: int) -> None:
        """Send request number `count`, and repeat it until it is acknowledged."""

    def send(self, method: str, path: str, matches: Matches, body: Any = None, **headers: str) -> None:
        """Repeat a request until it is acknowledged; `matches` are the matches that it changes, in their new form."""
        self.under_way = matches
        while not self.done.is_set():
            try:
                answer = self.connection.ask(method, f"/api/leagues/{self.league}/{path}", body, **headers)
            except (OSError, http.client.HTTPException):
                time.sleep(PAUSE)
                continue
            if answer.status in (200, 201):
                self.acknowledged.update(matches)
                return
            if answer.status not in (429, 503):
                self.refused.append(f"{method} {path}: {answer.status} {answer.body!r}")
                return
            time.sleep(PAUSE)


class Writer(Client):
    """Posts one match after another."""

    def step(self, random: Random, count: int) -> None:
        new = match(random, f"w{self.number}-{count}")
        self.send("POST", "matches", {new["id"]: new}, new)


class Corrector(Client):
    """Posts matches that are older than those of other clients, edits each of them, and deletes every third."""

    def step(self, random: Random, count: int) -> None:
        name = f"late-{self.number}-{count}"
        late = match(random, name) | {"time": f"2020-01-01T00:{count // 60 % 60:02}:{count % 60:02}Z"}
        self.send("POST", "matches", {name: late}, late)
        edited = match(random, name) | {"time": late["time"]}
        self.send("PUT", f"matches/{name}", {name: edited}, edited)
        if count % 3 == 0:
            self.send("DELETE", f"matches/{name}", {name: None})


class Uploader(Client):
    """Imports one file after another; every second file has old matches."""

    def step(self, random: Random, count: int) -> None:
        rows = [match(random, f"file-{self.number}-{count}-{row}") for row in range(20)]
        if count % 2:
            rows = [row | {"time": f"2021-01-01T00:00:{number:02}Z"} for number, row in enumerate(rows)]
        file = "\n".join(map(json.dumps, rows)).encode()
        self.send("POST", "import", {row["id"]: row for row in rows}, file, Content_Type="application/x-ndjson")
        self.done.wait(0.2)


class Exporter(Client):
    """Exports the league repeatedly."""

    def step(self, random: Random, count: int) -> None:
        self.send("GET", f"export.{random.choice(['ndjson', 'csv'])}", {})
        self.done.wait(0.2)


class Load:
    """Several writers and other clients, which run during a `with` block."""

    def __init__(
        self,
        server: Server,
        league: str,
        key: str,
        writers: int,
        others: Collection[type[Client]] = (),
        before: Mapping[str, dict[str, Any] | None] | None = None,
    ) -> None:
        self.before = dict(before or {})  # matches that the league already has
        self.clients: list[Client] = [Writer(server, league, key, number) for number in range(writers)]
        self.clients += [kind(server, league, key) for kind in others]

    def __enter__(self) -> "Load":
        for client in self.clients:
            client.start()
        return self

    def __exit__(self, *_: object) -> None:
        for client in self.clients:
            client.done.set()
        for client in self.clients:
            client.join(PATIENCE)
            assert not client.is_alive()

    @property
    def acknowledged(self) -> Matches:
        """Return the matches as the service has acknowledged them."""
        self.check()
        new = {name: match for client in self.clients for name, match in list(client.acknowledged.items())}
        return self.before | new

    @property
    def under_way(self) -> Matches:
        """Return the matches of requests that may not be acknowledged yet.

        Read this before `acknowledged`; otherwise a request that is acknowledged in between would be in neither.
        """
        return {name: match for client in self.clients for name, match in client.under_way.items()}

    def check(self) -> None:
        refused = [said for client in self.clients for said in client.refused]
        assert not refused, refused[0]

    def count(self, kind: type[Client] = Client) -> int:
        """Count the acknowledged matches of all clients, or of one kind of client."""
        return sum(len(client.acknowledged) for client in self.clients if isinstance(client, kind))

    def wait(self, more: int, kind: type[Client] = Client) -> None:
        """Wait until this many more matches of all clients, or of one kind of client, have been acknowledged."""
        wanted, end = self.count(kind) + more, time.monotonic() + PATIENCE
        while self.count(kind) < wanted:
            self.check()
            assert time.monotonic() < end, f"only {self.count(kind)} of {wanted} matches are acknowledged"
            time.sleep(0.02)
