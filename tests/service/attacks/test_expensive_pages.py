"""One address repeatedly requests pages that need much CPU time."""

from contextlib import contextmanager

import pytest

from tests.service.attacks.harness import LEAGUE, assert_unharmed, get, measure, repeating, running, wait_for

PLAYER = f"/leagues/{LEAGUE}/player{{}}?name=player+1"
MOST_PAGES = 300  # far more than the allowance of CPU time is enough for


@contextmanager
def player_pages(server, ending, statuses):
    """Request player pages, up to 50 per second, until the block has ended and the server has refused a request."""
    with repeating(lambda: statuses.append(get(server, PLAYER.format(ending))), threads=3, pause=0.06):
        yield
        wait_for(lambda: 429 in statuses or len(statuses) > MOST_PAGES)


# The allowance of an address hardly grows during a test, so it is used up after a certain number of pages. How many
# seconds these take on a busy machine does not matter.
def test_expensive_page_requests_from_one_address_do_not_slow_down_other_clients(tmp_path):
    with running(tmp_path, matches=2_000, cpu_limit="0.001", cpu_burst="0.02") as (server, key):
        statuses = [get(server, PLAYER.format(".json"))]  # JSON, because the HTML page would import altair
        quiet, attacked = measure(server, key, lambda: player_pages(server, ".json", statuses), seconds=2.0)
        assert_unharmed(quiet, attacked, share=0.5)
        assert {200, 429} == set(statuses)


@pytest.mark.long
@pytest.mark.parametrize("workers", [1, 2])
def test_many_expensive_page_requests_are_limited_and_do_not_slow_down_other_clients(workers, tmp_path, database_url):
    limits = {"cpu_limit": "0.01", "cpu_burst": "1"}
    with running(tmp_path, database_url, matches=5_000, workers=workers, **limits) as (server, key):
        chart = f"/leagues/{LEAGUE}/charts/curves.svg?name=player+1"
        for number in range(4 * workers):  # so that every process has imported its chart packages
            # Every request comes from another address, because an address has CPU time for only one request.
            assert get(server, chart, source=f"127.0.0.{10 + number}") == 200
        statuses = []
        quiet, attacked = measure(server, key, lambda: player_pages(server, "", statuses), seconds=15.0)
        assert_unharmed(quiet, attacked)
        assert {200, 429} == set(statuses)
