"""Crashes at any time: every acknowledged match is stored exactly once, and nothing needs repair."""

import os
import signal
import time
from pathlib import Path
from random import Random

import pytest

from prowess.store.db.database import Database
from tests.postgres import cluster
from tests.service.load import Load, match
from tests.service.servers import PATIENCE, Server, create_league, serving, start
from tests.store.sound import check

FULL = """
import sqlalchemy
@sqlalchemy.event.listens_for(sqlalchemy.Engine, "connect")
def limited(connection, _):
    connection.execute("PRAGMA max_page_count={pages}").close()
"""


def once(url: str, league: str, acknowledged: set[str]) -> None:
    """Check that every acknowledged match is in the journal once, and that all ratings follow from the journal."""
    database = Database(url)
    try:
        held = check(database, league)
    finally:
        database.close()
    assert acknowledged <= set(held.matches)


def die_alone(url: str, folder: Path, times: int, seed: int) -> None:
    """Kill the only process during its work, and start another in its place."""
    random = Random(seed)
    key = create_league(url, "darts")
    server = start(url, folder, rate_limit="0")
    try:
        with Load(server, "darts", key, 8) as load:
            for _ in range(times):
                load.wait(5)
                time.sleep(random.random() * 0.3)
                server.kill()
                said = set(load.acknowledged)
                once(url, "darts", said)
                again = start(url, folder, port=server.port, rate_limit="0")
                server.process = again.process
            load.wait(5)
        once(url, "darts", set(load.acknowledged))
    finally:
        server.stop()


def die_among_others(url: str, folder: Path, times: int, seed: int) -> None:
    """Kill one of several workers; the others continue, and it is replaced."""
    random = Random(seed)
    key = create_league(url, "darts")
    with serving(url, folder, workers=2, rate_limit="0") as server:
        with Load(server, "darts", key, 8) as load:
            for _ in range(times):
                load.wait(5)
                time.sleep(random.random() * 0.3)
                one = random.choice(workers(server, 2))
                os.kill(one, signal.SIGKILL)
                load.wait(5)
                workers(server, 2, without=one)
        once(url, "darts", set(load.acknowledged))


def workers(server: Server, number: int, without: int = 0) -> list[int]:
    """Return the workers once the killed one is gone and has been replaced."""
    end = time.monotonic() + PATIENCE
    while len(found := server.workers) != number or without in found:
        assert time.monotonic() < end, f"workers {found}, not {number}"
        time.sleep(0.05)
    return found


def test_killed_server_loses_no_acknowledged_match(tmp_path: Path) -> None:
    die_alone(f"sqlite:///{tmp_path}/league.db", tmp_path, 2, seed=1)


def test_killed_worker_is_replaced_and_loses_no_match(postgres_url: str, tmp_path: Path) -> None:
    die_among_others(postgres_url, tmp_path, 1, seed=2)


@pytest.mark.long
def test_server_killed_many_times_loses_no_match(tmp_path: Path) -> None:
    die_alone(f"sqlite:///{tmp_path}/league.db", tmp_path, 25, seed=3)


@pytest.mark.long
def test_worker_killed_many_times_loses_no_match(postgres_url: str, tmp_path: Path) -> None:
    die_among_others(postgres_url, tmp_path, 25, seed=4)


def test_full_disk_refuses_posts_until_there_is_space(tmp_path: Path) -> None:
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
        assert "full" in server.log.read_text(), "who runs it must learn why"
        assert "retry-after" in answer.headers
        assert acknowledged, "nothing fitted"
        assert connection.ask("GET", "/api/leagues/darts/leaderboard").status == 200
        assert connection.ask("POST", "/api/leagues/darts/matches", batch).status == 503
        once(url, "darts", acknowledged)
    with serving(url, tmp_path, rate_limit="0") as server:  # space was freed
        assert server.connect(key).ask("POST", "/api/leagues/darts/matches", batch).status == 201
    once(url, "darts", acknowledged | {one["id"] for one in batch})


def test_lost_database_refuses_posts_until_it_is_back(tmp_path: Path) -> None:
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
                assert connection.ask("GET", "/readyz").status == 503
                assert connection.ask("GET", "/healthz").status == 200
                assert connection.ask("GET", "/api/leagues/darts/matches").status == 503
                database.start()
                load.wait(10)
                assert connection.ask("GET", "/readyz").status == 200
            once(database.url, "darts", set(load.acknowledged))
