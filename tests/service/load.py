"""Writers that retry: matches between the same few players, posted until the service acknowledges them."""

import http.client
import threading
import time
from random import Random
from typing import Any

from tests.service.servers import PATIENCE, Connection, Server

PLAYERS = [f"player {number}" for number in range(12)]


def match(random: Random, name: str) -> dict[str, Any]:
    """Return a match of two or three of the players; the same name always gives the same match."""
    players = random.sample(PLAYERS, random.choice([2, 2, 2, 3, 4]))
    teams = [players[:2], players[2:]] if len(players) == 4 else [[player] for player in players]
    return {"id": name, "teams": teams, "scores": [random.randrange(4) for _ in teams]}


class Writer(threading.Thread):
    """Posts match after match to a league, and retries each until it is acknowledged."""

    def __init__(self, server: Server, league: str, key: str, number: int) -> None:
        super().__init__(daemon=True)
        self.server, self.league, self.key, self.number = server, league, key, number
        self.acknowledged: dict[str, dict[str, Any]] = {}  # responses by id
        self.under_way: str | None = None
        self.refused: list[str] = []
        self.done = threading.Event()

    def run(self) -> None:
        connection = self.server.connect(self.key)
        try:
            self.post_all(connection)
        finally:
            connection.close()

    def post_all(self, connection: Connection) -> None:
        random = Random(self.number)
        for count in range(1_000_000):
            if self.done.is_set():
                break
            self.under_way = f"w{self.number}-{count}"
            body = match(random, self.under_way)
            while not self.done.is_set():
                try:
                    answer = connection.ask("POST", f"/api/leagues/{self.league}/matches", body)
                except (OSError, http.client.HTTPException):
                    time.sleep(0.02)
                    continue
                if answer.status in (200, 201):
                    self.acknowledged[self.under_way] = answer.json
                    break
                if answer.status != 503:
                    self.refused.append(f"{answer.status} {answer.body!r}")
                    return
                time.sleep(0.02)


class Load:
    """Several writers that run for the duration of a block."""

    def __init__(self, server: Server, league: str, key: str, writers: int) -> None:
        self.writers = [Writer(server, league, key, number) for number in range(writers)]

    def __enter__(self) -> "Load":
        for writer in self.writers:
            writer.start()
        return self

    def __exit__(self, *_: object) -> None:
        for writer in self.writers:
            writer.done.set()
        for writer in self.writers:
            writer.join(PATIENCE)
            assert not writer.is_alive()

    @property
    def acknowledged(self) -> dict[str, dict[str, Any]]:
        """The acknowledged matches, by id."""
        self.check()
        return {name: answer for writer in self.writers for name, answer in list(writer.acknowledged.items())}

    def check(self) -> None:
        refused = [said for writer in self.writers for said in writer.refused]
        assert not refused, refused[0]

    def wait(self, more: int) -> None:
        """Wait until this many more matches have been acknowledged."""
        wanted, end = len(self.acknowledged) + more, time.monotonic() + PATIENCE
        while len(self.acknowledged) < wanted:
            assert time.monotonic() < end, f"only {len(self.acknowledged)} of {wanted} are acknowledged"
            time.sleep(0.01)
