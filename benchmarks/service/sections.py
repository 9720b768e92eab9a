"""What is measured: each function gives the figures of one question."""

import itertools
import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from ..figures import Figure
from . import pages
from .bare import bare
from .leagues import Server, fill, found, posts, served
from .load import Heard, put, request

MATCHES = "/api/leagues/{}/matches"
PLAYERS = 10_000  # of the leagues to which is posted
CONNECTIONS = 32
ONE, MANY = 0.15, 0.25  # of the rate of bare commits
BATCH, BATCHES = 10_000, 5
_NUMBERS = itertools.count(1)


def singles(url: str, folder: Path, scale: float, repeats: int) -> Iterator[Figure]:
    """Single durable posts, from one connection and from many, against bare commits to the same database."""
    for workers in (1,) if url.startswith("sqlite") else (1, 2, 4):
        with served(url, folder, workers) as server:
            yield from _singles(server, workers, scale, repeats)


def _singles(server: Server, workers: int, scale: float, repeats: int) -> Iterator[Figure]:
    seconds = max(0.5, 2.0 * scale)
    readings: dict[str, list[float]] = {"bare": [], "one": [], "many": [], "work": [], "wait": []}
    name = f"singles-{next(_NUMBERS)}"
    found(server.url, name)
    for repeat in range(repeats + 1):
        took = bare(server.url, seconds)
        one = post(server, name, 1, seconds)
        before = server.cpu()
        many = post(server, name, CONNECTIONS, seconds)
        work = (server.cpu() - before) / many.answers
        if repeat:  # the first time warms up
            for label, value in zip(readings, (took, one.each, many.each, work, many.wait), strict=True):
                readings[label].append(value)
    base = median(readings["bare"])
    kind = "SQLite" if server.url.startswith("sqlite") else f"PostgreSQL, {workers} process{'es' * (workers > 1)}"
    yield Figure(f"{kind}: a post, one connection", median(readings["one"]), "µs", "bare commit", base, at_least=ONE)
    target = MANY if server.url.startswith("sqlite") else MANY if workers > 1 else None
    label = f"{kind}: a post, {CONNECTIONS} connections"
    yield Figure(label, median(readings["many"]), "µs", "bare commit", base, at_least=target)
    yield Figure(f"{kind}: the server's work on it", median(readings["work"]), "µs")
    yield Figure(f"{kind}: the wait for an answer", median(readings["wait"]), "ms")


def post(server: Server, name: str, connections: int, seconds: float) -> Heard:
    """Single posts for some seconds, over so many connections."""
    enough = int(4_000 * seconds) // connections + 1
    path, prefix = MATCHES.format(name), next(_NUMBERS)
    requests = [
        [
            request("POST", server.port, path, server.key, body)
            for body in posts(enough, PLAYERS, f"{prefix}-{connection}", prefix * 1000 + connection)
        ]
        for connection in range(connections)
    ]
    return put(server.port, requests, seconds)


def bulk(url: str, folder: Path, scale: float, repeats: int) -> Iterator[Figure]:
    """Batches of 10,000 matches, one after another, over one connection."""
    batch = max(100, int(BATCH * scale))
    with served(url, folder) as server:
        readings, work = [], []
        for _ in range(repeats):
            name = f"bulk-{next(_NUMBERS)}"
            found(url, name)
            bodies = [b"[" + b",".join(posts(batch, PLAYERS, str(part), part)) + b"]" for part in range(BATCHES)]
            path = MATCHES.format(name)
            requests = [request("POST", server.port, path, server.key, body) for body in bodies]
            before = server.cpu()
            readings.append(put(server.port, [requests]).seconds / (BATCHES * batch))
            work.append((server.cpu() - before) / (BATCHES * batch))
    kind = "SQLite" if url.startswith("sqlite") else "PostgreSQL"
    target = 50.0 if kind == "SQLite" else None  # 20,000 a second
    yield Figure(f"{kind}: a match, in batches of {batch:,}", median(readings), "µs", below=target)
    yield Figure(f"{kind}: the server's work on it", median(work), "µs")


def leaderboards(url: str, folder: Path, scale: float, repeats: int) -> Iterator[Figure]:
    """A page of the leaderboard of a league with 100,000 players: again and again, and right after a match."""
    players = int(100_000 * scale)
    name = f"many-{next(_NUMBERS)}"
    fill(url, name, players, players)
    with served(url, folder) as server:

        def page(number: int) -> bytes:
            path = f"/api/leagues/{name}/leaderboard?page={number}&size=50"
            return request("GET", server.port, path, server.key)

        put(server.port, [[page(1)]])  # the first reads all of it
        pages = [page(1 + 37 * number % (players // 50)) for number in range(200 * repeats)]
        before = server.cpu()
        again = put(server.port, [pages])
        work = (server.cpu() - before) / len(pages)
        both = []
        for number, body in enumerate(posts(20 * repeats, players, "after")):
            both.append(request("POST", server.port, MATCHES.format(name), server.key, body))
            both.append(page(1 + number % 20))
        after = put(server.port, [both]).waits[1::2]
    yield Figure(f"a page of {players:,} players", again.wait, "ms", below=5.0)
    yield Figure("the server's work on it", work, "ms")
    yield Figure("the same, of 100 the slowest", sorted(again.waits)[int(0.99 * len(again.waits))], "ms")
    yield Figure("the same, right after a match", median(after), "ms", below=5.0)


def corrections(url: str, folder: Path, scale: float, repeats: int) -> Iterator[Figure]:
    """Correcting the oldest match of a large league, which rates all others again."""
    with ExitStack() as stack:
        sizes = {int(100_000 * scale): 1_000.0, int(1_000_000 * scale): 10_000.0}
        names = {size: f"long-{next(_NUMBERS)}" for size in sizes}
        filled = {size: fill(url, names[size], size, max(100, size // 100)) for size in sizes}
        server = stack.enter_context(served(url, folder))
        for size, target in sizes.items():
            edits = []
            for repeat in range(repeats):
                body = json.dumps(
                    {
                        "teams": [["player 0"], ["player 1"]],
                        "ranks": [2, 1] if repeat % 2 else [1, 2],
                        "time": "2020-09-13T12:26:40Z",
                    }
                ).encode()
                path = f"{MATCHES.format(names[size])}/m0"
                edits.append(request("PUT", server.port, path, server.key, body))
            heard = put(server.port, [edits])
            yield Figure(f"correcting the first of {size:,} matches", heard.wait, "ms", below=target)
            yield Figure(f"importing {size:,} matches: a match", filled[size] / size, "µs")


SECTIONS = {
    "Single posts": singles,
    "Bulk": bulk,
    "Leaderboard": leaderboards,
    "Corrections": corrections,
    "Pages": pages.section,
}
