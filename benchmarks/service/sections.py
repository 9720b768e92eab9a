"""The sections of the service benchmark: each function yields the figures of one table."""

import itertools
import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from ..figures import Figure
from ..workloads import scaled
from . import pages
from .bare import bare
from .leagues import Server, create_league, fill, posts, served
from .load import LoadResult, request, send_load

MATCHES = "/api/leagues/{}/matches"
PLAYERS = 10_000  # players in the leagues to which matches are posted
LISTED = 100_000  # players in the league whose leaderboard is read
CONNECTIONS = 32
ONE, MANY = 0.15, 0.25  # targets: shares of the rate of bare commits, with one connection and with many
BATCH, BATCHES = 10_000, 5
_NUMBERS = itertools.count(1)


def singles(url: str, folder: Path, scale: float, repeats: int) -> Iterator[Figure]:
    """Measure single durable posts, over one connection and over many, against bare commits to the same database."""
    for workers in (1,) if url.startswith("sqlite") else (1, 2, 4):
        with served(url, folder, workers) as server:
            yield from _singles(server, workers, scale, repeats)


def _singles(server: Server, workers: int, scale: float, repeats: int) -> Iterator[Figure]:
    seconds = max(0.1, 2.0 * scale)
    readings: dict[str, list[float]] = {"bare": [], "one": [], "many": [], "work": [], "wait": []}
    name = f"singles-{next(_NUMBERS)}"
    create_league(server.url, name)
    for repeat in range(repeats + 1):
        took = bare(server.url, seconds)
        one = post(server, name, 1, seconds)
        before = server.cpu()
        many = post(server, name, CONNECTIONS, seconds)
        work = (server.cpu() - before) / many.answers
        if repeat:  # the first round only warms up
            for label, value in zip(readings, (took, one.each, many.each, work, many.wait), strict=True):
                readings[label].append(value)
    base = median(readings["bare"])
    kind = "" if server.url.startswith("sqlite") else f"{workers} process{'es' * (workers > 1)}: "
    against = {"peer": "for a bare commit", "theirs": base}
    yield Figure(f"{kind}a post, one connection", median(readings["one"]), "µs", **against, at_least=ONE)
    target = MANY if server.url.startswith("sqlite") else MANY if workers > 1 else None
    label = f"{kind}a post, {CONNECTIONS} connections"
    yield Figure(label, median(readings["many"]), "µs", **against, at_least=target)
    yield Figure(f"{kind}the server's CPU time per post", median(readings["work"]), "µs")
    yield Figure(f"{kind}the wait for a response", median(readings["wait"]), "ms")


def post(server: Server, name: str, connections: int, seconds: float) -> LoadResult:
    """Post single matches for some seconds over the given number of connections."""
    enough = int(4_000 * seconds) // connections + 1
    path, prefix = MATCHES.format(name), next(_NUMBERS)
    requests = [
        [
            request("POST", server.port, path, server.key, body)
            for body in posts(enough, PLAYERS, f"{prefix}-{connection}", prefix * 1000 + connection)
        ]
        for connection in range(connections)
    ]
    return send_load(server.port, requests, seconds)


def bulk(url: str, folder: Path, scale: float, repeats: int) -> Iterator[Figure]:
    """Measure batches of 10,000 matches, posted in turn over one connection."""
    batch = scaled(BATCH, scale)
    with served(url, folder) as server:
        readings, work = [], []
        for _ in range(repeats):
            name = f"bulk-{next(_NUMBERS)}"
            create_league(url, name)
            bodies = [b"[" + b",".join(posts(batch, PLAYERS, str(part), part)) + b"]" for part in range(BATCHES)]
            path = MATCHES.format(name)
            requests = [request("POST", server.port, path, server.key, body) for body in bodies]
            before = server.cpu()
            readings.append(send_load(server.port, [requests]).seconds / (BATCHES * batch))
            work.append((server.cpu() - before) / (BATCHES * batch))
    target = 50.0 if url.startswith("sqlite") else None  # 50 µs per match are 20,000 matches per second
    yield Figure(f"a match, in batches of {BATCH:,}", median(readings), "µs", below=target)
    yield Figure("the server's CPU time per match", median(work), "µs")


def leaderboards(url: str, folder: Path, scale: float, repeats: int) -> Iterator[Figure]:
    """Measure leaderboard pages of a league with 100,000 players: repeated requests, and requests after a match."""
    players = scaled(LISTED, scale)
    name = f"many-{next(_NUMBERS)}"
    fill(url, name, players, players)
    with served(url, folder) as server:

        def page(number: int) -> bytes:
            path = f"/api/leagues/{name}/leaderboard?page={number}&size=50"
            return request("GET", server.port, path, server.key)

        send_load(server.port, [[page(1)]])  # the first request reads the whole league
        pages = [page(1 + 37 * number % (players // 50)) for number in range(200 * repeats)]
        before = server.cpu()
        again = send_load(server.port, [pages])
        work = (server.cpu() - before) / len(pages)
        both = []
        for number, body in enumerate(posts(20 * repeats, players, "after")):
            both.append(request("POST", server.port, MATCHES.format(name), server.key, body))
            both.append(page(1 + number % 20))
        after = send_load(server.port, [both]).waits[1::2]
    yield Figure(f"a page of {LISTED:,} players", again.wait, "ms", below=5.0)
    yield Figure("the server's CPU time per page", work, "ms")
    yield Figure("a page, slowest of 100 requests", sorted(again.waits)[int(0.99 * len(again.waits))], "ms")
    yield Figure("a page, right after a match", median(after), "ms", below=5.0)


def corrections(url: str, folder: Path, scale: float, repeats: int) -> Iterator[Figure]:
    """Measure corrections of the oldest match of a large league, after which all later matches are rated again."""
    with ExitStack() as stack:
        sizes = {100_000: 1_000.0, 1_000_000: 10_000.0}
        names = {size: f"long-{next(_NUMBERS)}" for size in sizes}
        filled = {size: fill(url, names[size], scaled(size, scale), scaled(size // 100, scale)) for size in sizes}
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
            result = send_load(server.port, [edits])
            yield Figure(f"correcting the first of {size:,} matches", result.wait, "ms", below=target)
            yield Figure(f"importing {size:,} matches: a match", filled[size] / scaled(size, scale), "µs")


SECTIONS = {
    "Single posts": singles,
    "Bulk": bulk,
    "Leaderboard": leaderboards,
    "Corrections": corrections,
    "Pages": pages.section,
}
