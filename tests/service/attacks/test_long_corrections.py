"""A client corrects the oldest match of a large league again and again."""

import threading
from contextlib import contextmanager
from itertools import count

import numpy as np
import pytest

import prowess as pw
from prowess.store.db.database import Database
from prowess.store.write.importing import import_history
from tests.service.attacks.harness import assert_unharmed, measure, requests, running
from tests.store.sound import check

BIG = "big"


def fill(url, folder, matches, players=20_000):
    """Import a league whose oldest match has the id `m0`."""
    random = np.random.default_rng(1)
    first = random.integers(0, players, matches)
    second = (first + random.integers(1, players, matches)) % players
    times = np.datetime_as_string(np.datetime64("2015-01-01T00:00") + 5 * np.arange(matches))
    rows = (f"m{row},{times[row]}Z,p{first[row]},p{second[row]}\n" for row in range(matches))
    (folder / "big.csv").write_text("id,time,winner,loser\n" + "".join(rows))
    database = Database(url)
    database.migrate()
    import_history(database, pw.History.read(folder / "big.csv"), BIG)
    database.close()


@contextmanager
def correcting(server, key, statuses):
    """Correct the oldest match repeatedly for the duration of a block."""
    done = threading.Event()

    def correct():
        connection = server.connect(key)
        for number in count(1):
            if done.is_set():
                break
            body = {"teams": [["p1"], ["p2"]], "importance": 1 + number % 7}
            statuses.append(connection.ask("PUT", f"/api/leagues/{BIG}/matches/m0", body).status)

    thread = threading.Thread(target=correct, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join(300)


def harm(url, folder, seconds, **options):
    """Return the latencies of posts to another league and to the corrected league, without and with corrections."""
    asks = {"post to another league": requests()["post"], "post to the same league": requests(BIG)["post"]}
    statuses = []
    with running(folder, url, rate_limit="0", cpu_limit="0", **options) as (server, key):
        quiet, attacked = measure(server, key, lambda: correcting(server, key, statuses), seconds=seconds, asks=asks)
    assert statuses
    assert set(statuses) <= {200}
    return quiet, attacked


@pytest.mark.long
@pytest.mark.parametrize("workers", [1, 2])
def test_posts_do_not_wait_for_the_correction_of_a_million_matches(workers, tmp_path, database_url):
    fill(database_url, tmp_path, 1_000_000)
    assert_unharmed(*harm(database_url, tmp_path, 30.0, workers=workers), factor=3.0)
    database = Database(database_url)
    check(database, BIG)
    database.close()
