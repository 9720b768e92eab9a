"""Benchmark of the web pages of a large league: the CPU time and the size of each page.

The app runs in this process, so that no network time is measured. `python -m benchmarks.service.pages DATABASE LEAGUE`
measures the pages of an existing league, and `--profile PAGE` shows a profile of one page.
"""

import asyncio
import cProfile
import io
import json
import pstats
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Annotated, Any
from unittest import mock
from urllib.parse import urlencode

import httpx
import numpy as np
import typer
from rich.console import Console
from rich.progress import track

import prowess as pw
from prowess.service.app import create_app
from prowess.service.auth import COOKIE
from prowess.service.context import Service
from prowess.service.settings import Settings
from prowess.store import keys, leagues
from prowess.store.write.commands import Post
from prowess.store.write.writer import perform

from ..figures import Figure, table
from ..workloads import scaled
from .leagues import large, opened

LEAGUE, PLAYERS, MATCHES, BATCH = "large", 100_000, 1_000_000, 100_000
TIMES = 20
MOST_MS, MOST_KB = 50.0, 200.0
Query = list[tuple[str, str]]


def crowd(matches: int, players: int, seed: int = 7) -> pw.History:
    """Return matches between random players: every player plays at least once, and a few play thousands of matches."""
    random = np.random.default_rng(seed)
    share = random.pareto(1.3, players) + 0.2
    pair = random.choice(players, (matches, 2), p=share / share.sum())
    everybody = random.permutation(players).reshape(-1, 2)
    pair[: len(everybody)] = everybody
    pair[:, 1] = np.where(pair[:, 0] == pair[:, 1], (pair[:, 1] + 1) % players, pair[:, 1])
    return replace(large(matches, players, seed), player=pair.astype(np.int32).reshape(-1))


def fill(url: str, name: str, matches: int, players: int) -> None:
    """Create a league and post the matches of `crowd` to it."""
    history = crowd(matches, players)
    with opened(url) as database:
        with database.writing() as connection:
            leagues.create(connection, name, title=name)
        for start in track(range(0, matches, BATCH), f"writing {matches:,} matches", transient=True):
            perform(database, Post(name, history[start : start + BATCH]))


@dataclass
class Site:
    """The app on a database, and a client that is signed in as admin."""

    runner: asyncio.Runner
    client: httpx.AsyncClient
    app: object

    def get(self, path: str) -> tuple[httpx.Response, float, float]:
        """Return a page, the seconds that it took, and its CPU seconds."""
        began, worked = perf_counter(), process_time()
        answer = self.runner.run(self.client.get(path))
        return answer, perf_counter() - began, process_time() - worked

    def post(self, league: str, match: dict) -> None:
        """Post a match."""
        answer = self.runner.run(self.client.post(f"/api/leagues/{league}/matches", json=match))
        answer.raise_for_status()


@contextmanager
def site(url: str) -> Iterator[Site]:
    """Run the app for the duration of a block."""
    with opened(url) as database, database.writing() as connection:
        _, key = keys.create(connection, "bench", "admin")
    app = create_app(Settings(database=url, rate_limit=0, key_rate_limit=0, log="off"))
    headers = {"Accept": "text/html", "Cookie": f"{COOKIE}={key}", "Authorization": f"Bearer {key}"}
    with asyncio.Runner() as runner:
        lifespan = app.router.lifespan_context(app)
        runner.run(lifespan.__aenter__())
        transport = httpx.ASGITransport(app)
        client = httpx.AsyncClient(transport=transport, base_url="http://bench", headers=headers, timeout=None)
        try:
            yield Site(runner, client, app)
        finally:
            runner.run(client.aclose())
            runner.run(lifespan.__aexit__(None, None, None))


def pages(site: Site, league: str) -> dict[str, str]:
    """Return the URL of every page by name; player pages show the players with the most matches."""
    at = f"/leagues/{league}"
    board = site.get(f"/api{at}/leaderboard?size=500")[0].json()
    often = [row["player"] for row in sorted(board["players"], key=lambda row: -row["matches"])]
    match = site.get(f"/api{at}/matches?limit=1")[0].json()["matches"][0]["id"]

    def address(page: str, *query: tuple[str, str]) -> str:
        return f"{at}/{page}" + ("?" + urlencode(query) if query else "")

    def teams(*sizes: int) -> Query:
        names = iter(often)
        return [("team", "\n".join(next(names) for _ in range(size))) for size in sizes]

    return {
        "leagues": "/leagues",
        "sign in": "/signin",
        "a new league": "/new",
        "standings": address("standings"),
        "standings, page 1,000": address("standings", ("page", "1000")),
        "standings, searched": address("standings", ("search", "99")),
        "standings, the active": address("standings", ("active", "true")),
        "standings of a day": address("standings", ("at", "2022-01-01")),
        "a player": address("player", ("name", often[0])),
        "8 players": address("player", *(("name", name) for name in often[:8])),
        "matches": address("matches"),
        "matches, far back": address("matches", ("offset", "500000")),
        "matches of a player": address("matches", ("player", often[0])),
        "a match": address("match", ("id", match)),
        "predict": address("predict", *teams(1, 1)),
        "predict, 5 teams of 4": address("predict", *teams(4, 4, 4, 4, 4)),
        "teams of 10": address("teams", ("players", "\n".join(often[:10]))),
        "teams of 40": address("teams", ("players", "\n".join(often[:40])), ("teams", "4")),
        "pairings of 10": address("pairings", ("players", "\n".join(often[:10]))),
        "pairings of 100": address("pairings", ("players", "\n".join(often[:100]))),
        "models": address("models"),
        "enter": address("enter"),
        "edit": address("edit", ("id", match)),
        "delete": address("delete", ("id", match)),
        "import": address("import"),
        "settings": address("settings"),
        "a chart": address("charts/curves.svg", ("name", often[0]), ("look", "light")),
    }


def measured(url: str, league: str, times: int = TIMES, only: str = "") -> Iterator[Figure]:
    """Measure every page: its first request, repeated requests, requests right after a match, and its size."""
    with site(url) as here:
        _, _, took = here.get(f"/leagues/{league}/standings")
        yield Figure("the first page, which loads the league", took, "ms")
        found = {name: path for name, path in pages(here, league).items() if only in name}
        for number, (name, path) in enumerate(track(found.items(), "pages", transient=True)):
            yield from _page(here, league, number, name, path, times)


def _page(here: Site, league: str, number: int, name: str, path: str, times: int) -> Iterator[Figure]:
    answer, _, first = here.get(path)
    if answer.status_code != 200:
        raise RuntimeError(f"{path}: {answer.status_code} {answer.text[:2000]}")
    again = [here.get(path)[1:] for _ in range(times)]
    after = []
    for repeat in range(min(3, times)):
        teams = [[f"player {number}"], [f"player {number + 1}"]]
        here.post(league, {"id": f"bench-{process_time()}-{repeat}", "teams": teams, "ranks": [1, 2]})
        after.append(here.get(path)[2])
    yield Figure(f"{name}: CPU time", median(work for _, work in again), "ms", below=MOST_MS)
    yield Figure(f"{name}: slowest request", max(work for _, work in again), "ms")
    yield Figure(f"{name}: first request", first, "ms")
    yield Figure(f"{name}: right after a match", median(after), "ms")
    yield Figure(f"{name}: size", len(answer.content), "kB", below=MOST_KB)


def section(url: str, folder: Path, scale: float, repeats: int) -> Iterator[Figure]:
    """Measure the pages of a league of 100,000 players and 1,000,000 matches; `scale` multiplies both."""
    fill(url, LEAGUE, scaled(MATCHES, scale, 200), scaled(PLAYERS, scale) // 2 * 2)
    yield from measured(url, LEAGUE, 5 * repeats - 4)


def main(
    url: str,
    league: str,
    only: Annotated[str, typer.Option(help="Only pages whose name contains this text.")] = "",
    profile: Annotated[str, typer.Option(help="Show a profile of this page.")] = "",
    json_file: Annotated[Path | None, typer.Option("--json", help="Also write the figures to this file.")] = None,
) -> None:
    """Measure the pages of an existing league; some matches are added to it."""
    console = Console()
    if profile:
        with site(url) as here:
            print(profiled(here, pages(here, league)[profile]))
        return
    figures = list(measured(url, league, only=only))
    console.print(f"Pages of {league}", table(figures))
    if json_file is not None:
        json_file.write_text(json.dumps([figure.record() for figure in figures], indent=2, ensure_ascii=False) + "\n")


def profiled(here: Site, path: str) -> str:
    """Return a profile of a page by function."""
    out, profiler = io.StringIO(), cProfile.Profile()

    async def read(self: Service, work: Callable[[Any], Any]) -> Any:
        with self.database.reading() as connection:
            return work(connection)

    with mock.patch.object(Service, "read", read):  # runs in this thread, the only one that the profiler measures
        here.get(path)
        profiler.enable()
        for _ in range(TIMES):
            here.get(path)
        profiler.disable()
    pstats.Stats(profiler, stream=out).sort_stats("cumtime").print_stats(80)
    return out.getvalue()


if __name__ == "__main__":
    typer.run(main)
