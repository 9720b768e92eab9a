"""After a crash at any time, every acknowledged match is stored exactly once, and nothing needs repair."""

import json
import os
import signal
import time
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from prowess.store import leagues
from prowess.store.db.database import Database
from prowess.store.doctor import examine
from prowess.store.journal import journal
from prowess.store.leagues import Settings
from prowess.store.write.commands import Post
from prowess.store.write.writer import perform
from tests.postgres import cluster
from tests.service.load import Corrector, Exporter, Load, Uploader, Writer, match
from tests.service.servers import PATIENCE, Server, create_league, serving, start
from tests.store.sound import check

FULL = """
import sqlalchemy
@sqlalchemy.event.listens_for(sqlalchemy.Engine, "connect")
def limited(connection, _):
    connection.execute("PRAGMA max_page_count={pages}").close()
"""


LONG_CORRECTIONS = """
import sys
if "resource_tracker" not in " ".join(sys.orig_argv):
    from prowess.store.write import long_corrections
    long_corrections.MAX_SHORT = 500  # so that corrections of a small league are long corrections, too
    long_corrections.CHUNK = 50
    long_corrections.LEASE = 4.0  # otherwise corrections would mostly wait for the lease of a killed process
"""
EVERYTHING = (Corrector, Uploader, Exporter)
MANY = 1_000  # matches


def once(url: str, league: str, acknowledged: Collection[str]) -> None:
    """Check that every acknowledged match is in the journal once, and that all ratings follow from the journal."""
    database = Database(url)
    try:
        held = check(database, league)
    finally:
        database.close()
    assert set(acknowledged) <= set(held.first)


def check_changes(url: str, league: str, load: Load, *, stopped: bool) -> None:
    """Check the database as `prowess doctor` does, and check that the journal has every acknowledged change.

    If the service is still running, its clients may change their matches during the check.
    """
    under_way, acknowledged = load.under_way, load.acknowledged
    database = Database(url)
    try:
        problems = [check for check in examine(database) if check.status == "problem" and check.name != "durability"]
        with database.reading() as connection:
            rows = journal.changes_since(connection, leagues.find(connection, league), 0)
    finally:
        database.close()
    assert not problems, problems
    stored = {row.id: row.body and json.loads(row.body) for row in rows}
    assert len(stored) == len(rows), "a match is recorded twice"
    assert acknowledged.keys() <= stored.keys(), "an acknowledged match is lost"
    if stopped:
        assert stored.keys() <= acknowledged.keys() | under_way.keys(), "a match is stored that nobody posted"
        for name, body in stored.items():
            versions = [matches[name] for matches in (acknowledged, under_way) if name in matches]
            assert body in [match and {key: match[key] for key in ("teams", "scores")} for match in versions], name


def crash(url: str, folder: Path, times: int, *, seed: int, workers: int = 1, before: int = 0) -> None:
    """Kill the service repeatedly while clients write, and while it searches for better models and switches to them.

    With several workers, about half of the kills hit only one worker, which the service must replace.
    """
    random, options = Random(seed), {"workers": workers, "rate_limit": "0", "first": LONG_CORRECTIONS}
    options |= {"search_models": "true"}
    key, replays = create_league(url, "darts", settings=Settings(auto_switch=True)), 0
    server = start(url, folder, **options)
    try:
        with Load(server, "darts", key, 6, EVERYTHING, fill(url, "darts", before)) as load:
            for number in range(times):
                load.wait(1, Corrector if number % 3 == 0 else Writer)
                time.sleep(random.random())
                if workers > 1 and random.random() < 0.5:
                    killed = random.choice(wait_for_workers(server, workers))
                    os.kill(killed, signal.SIGKILL)
                    load.wait(5)
                    wait_for_workers(server, workers, without=killed)
                    check_changes(url, "darts", load, stopped=False)
                else:
                    server.kill()
                    replays += is_replaying(url, "darts")
                    check_changes(url, "darts", load, stopped=True)
                    server.process = start(url, folder, port=server.port, **options).process
            load.wait(5)
    finally:
        server.stop()
    print(
        f"{times} kills, {replays} of them during a long replay;"
        f" {load.count()} matches acknowledged, {load.count(Corrector)} corrected, {load.count(Uploader)} imported"
    )
    check_changes(url, "darts", load, stopped=True)
    once(url, "darts", load.acknowledged)


def fill(url: str, league: str, number: int) -> dict[str, dict[str, Any]]:
    """Record matches that were played an hour ago, and return them by id."""
    random = Random(0)
    matches = [match(random, f"first-{row}") for row in range(number)]
    database = Database(url)
    try:
        if matches:
            moment = datetime.now(UTC) - timedelta(hours=1)
            perform(database, Post(league, [{**one, "time": moment} for one in matches]))
    finally:
        database.close()
    return {one["id"]: one for one in matches}


def is_replaying(url: str, league: str) -> bool:
    database = Database(url)
    try:
        with database.reading() as connection:
            return leagues.find(connection, league).replaying
    finally:
        database.close()


def wait_for_workers(server: Server, number: int, without: int = 0) -> list[int]:
    """Wait until the server has this number of workers, none of which is `without`, and return their ids."""
    end = time.monotonic() + PATIENCE
    while len(found := server.workers) != number or without in found:
        assert time.monotonic() < end, f"workers {found}, not {number}"
        time.sleep(0.05)
    return found


def test_killed_server_loses_no_acknowledged_match(tmp_path: Path) -> None:
    crash(f"sqlite:///{tmp_path}/league.db", tmp_path, 2, seed=1)


def test_killed_worker_is_replaced_and_loses_no_match(postgres_url: str, tmp_path: Path) -> None:
    crash(postgres_url, tmp_path, 1, seed=2, workers=2)


@pytest.mark.long
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("seed", range(5))
def test_service_killed_200_times_loses_no_acknowledged_change(
    database_url: str, tmp_path: Path, workers: int, seed: int
) -> None:
    """There are 200 kills in total: 50 for each kind of database, with one and with two workers."""
    crash(database_url, tmp_path, 10, seed=seed, workers=workers, before=MANY)


def test_posts_are_refused_while_the_disk_is_full(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/league.db"
    key = create_league(url, "darts")
    database = Database(url)
    with database.reading() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
    database.close()
    random, acknowledged = Random(5), set()
    with serving(url, tmp_path, first=FULL.format(pages=pages + 12), rate_limit="0") as server:
        connection = server.connect(key)
        for number in range(2000):
            batch = [match(random, f"m{number}-{k}") for k in range(20)]
            answer = connection.ask("POST", "/api/leagues/darts/matches", batch)
            if answer.status != 201:
                break
            acknowledged |= {one["id"] for one in batch}
        assert answer.status == 503, answer
        assert answer.headers["content-type"] == "application/problem+json"
        assert "full" in server.log.read_text(), "the log must say that the disk is full"
        assert "retry-after" in answer.headers
        assert acknowledged, "no post was accepted before the disk was full"
        assert "because its disk is full" in answer.json["detail"]
        assert connection.ask("GET", "/api/leagues/darts/leaderboard").status == 200
        assert connection.ask("POST", "/api/leagues/darts/matches", batch).status == 503
        time.sleep(1.1)  # readiness is checked once a second
        ready = connection.ask("GET", "/readyz")
        assert (ready.status, "because its disk is full" in ready.json["detail"]) == (503, True)
        once(url, "darts", acknowledged)
    with serving(url, tmp_path, rate_limit="0") as server:  # the disk has space again
        assert server.connect(key).ask("POST", "/api/leagues/darts/matches", batch).status == 201
    once(url, "darts", acknowledged | {one["id"] for one in batch})


def test_posts_are_refused_while_the_database_is_unavailable_and_accepted_afterwards(tmp_path: Path) -> None:
    with cluster(durable=True) as database:
        key = create_league(database.url, "darts")
        with serving(database.url, tmp_path, rate_limit="0") as server:
            connection = server.connect(key)
            with Load(server, "darts", key, 4) as load:
                load.wait(10)
                database.stop()
                answer = connection.ask("POST", "/api/leagues/darts/matches", match(Random(6), "lost"))
                assert answer.status == 503, answer
                assert answer.headers["content-type"] == "application/problem+json"
                assert "retry-after" in answer.headers
                time.sleep(1.1)  # the response of /readyz is cached for a second
                ready = connection.ask("GET", "/readyz")
                assert (ready.status, "because it cannot be reached" in ready.json["detail"]) == (503, True)
                assert connection.ask("GET", "/healthz").status == 200
                assert connection.ask("GET", "/api/leagues/darts/matches").status == 503
                database.start()
                load.wait(10)
                assert connection.ask("GET", "/readyz").status == 200
            once(database.url, "darts", load.acknowledged)
