"""Many concurrent writers: nothing is lost or duplicated, and the result equals sequential writes."""

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest

from prowess.store import leagues
from prowess.store.clock import Clock
from prowess.store.db.database import Database, lock_players
from prowess.store.leagues import Preset
from tests.oracles.league import League
from tests.postgres import fresh
from tests.service.load import match
from tests.service.servers import PATIENCE, Answer, Server, create_league, serving
from tests.store.sound import check

WRITERS = 64
Kind = tuple[str, dict[str, Any], Clock]
POSTED: dict[str, Kind] = {"darts": ("TrueSkill", {}, "none"), "chess": ("Glicko", {"period": 1}, "utc")}
LEAGUES: dict[str, Kind] = {
    "free": ("TrueSkill", {}, "utc"),
    "serial": ("Glicko", {"period": 7}, "utc"),
    "same": ("Elo", {}, "none"),
}


@dataclass(frozen=True)
class RunningService:
    """A service with 4 processes, its database, and a key for all leagues."""

    server: Server
    database: Database
    key: str


@pytest.fixture(scope="module")
def place(postgres: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with fresh(postgres) as url:
        for league, (model, parameters, clock) in LEAGUES.items():
            key = create_league(url, league, Preset(model, parameters), clock)
        database = Database(url)
        with serving(url, tmp_path_factory.mktemp("writers"), workers=4, rate_limit="0") as server:
            yield RunningService(server, database, key)
        database.close()


def work(place: RunningService, number: int, each: int, ready: threading.Barrier) -> list[tuple[str, str, Answer]]:
    """Post matches to each league in turn; every match is posted by two writers.

    After the posts to a league, one of the two writers edits one of the matches and deletes another.
    All writers work on the same league at a time, because a commit with matches of both leagues would lock both.
    """
    connection = place.server.connect(place.key)
    found = []
    for league in POSTED:
        random, path = Random(number // 2), f"/api/leagues/{league}-{each}/matches"
        ready.wait()
        for count in range(each):
            name = f"w{number // 2}-{count}"
            body: Any = match(random, name)
            if count == 3:
                body = [match(random, f"{name}-{part}") for part in range(4)]
            found.append((league, "post", connection.ask("POST", path, body)))
        ready.wait()
        if number % 2:
            name = f"w{number // 2}"
            changed = {"teams": [["player 0"], ["player 1"]], "scores": [2, 1]}
            found.append((league, "edit", connection.ask("PUT", f"{path}/{name}-0?reason=typo", changed)))
            found.append((league, "delete", connection.ask("DELETE", f"{path}/{name}-1")))
    connection.close()
    return found


@pytest.mark.parametrize("each", [5, pytest.param(15, marks=pytest.mark.long)])
def test_no_match_is_lost_with_64_writers_on_4_processes(place: RunningService, each: int) -> None:
    for league, (model, parameters, clock) in POSTED.items():
        with place.database.writing() as connection:
            leagues.create(connection, f"{league}-{each}", model=Preset(model, parameters), clock=clock)
    ready = threading.Barrier(WRITERS)
    with ThreadPoolExecutor(WRITERS) as pool:
        tasks = [pool.submit(work, place, number, each, ready) for number in range(WRITERS)]
        answers = [answer for task in tasks for answer in task.result()]
    strange = [(what, answer) for _, what, answer in answers if answer.status not in (200, 201)]
    assert not strange, strange[:5]
    for league in POSTED:
        held = _compare(
            place.database, f"{league}-{each}", [(what, one.json) for of, what, one in answers if of == league]
        )
        assert len(held.first) == held.posted == WRITERS // 2 * (each + 3)


def _compare(database: Database, league: str, answers: list[tuple[str, dict[str, Any]]]) -> League:
    """Check that the ratings in each response equal a replay of the journal up to the revision of the response."""
    posts = [said for what, said in answers if what == "post"]
    told = {said["revision"]: said for said in posts if not all(one["repeated"] for one in said["matches"])}
    told |= {said["revision"]: said for what, said in answers if what != "post"}
    seen = set()

    def replayed(revision: int, at_the_time: League) -> None:
        seen.add(revision)
        ladder = at_the_time.ladder()
        for one in told[revision]["ratings"]:
            if one["after"] is None:
                assert one["player"] not in ladder
            else:
                rating = ladder[one["player"]]
                assert (one["after"]["mu"], one["after"]["sigma"]) == (rating.mu, rating.sigma)

    held = check(database, league, replayed)
    assert seen == set(told), "every change must be one revision"
    new = [one["id"] for said in posts for one in said["matches"] if not one["repeated"]]
    assert sorted(new) == sorted(held.first), "each match must be new for exactly one of its two writers"
    return held


def test_posts_of_different_players_do_not_wait_for_each_other(place: RunningService) -> None:
    """While player ann is locked, matches of cat and dan are recorded, and ann's match waits.

    In the league "serial", whose model has rating periods, all posts wait.
    """
    with ThreadPoolExecutor(4) as pool:

        def post(league: str, *players: str) -> Future[Answer]:
            body = {"teams": [[player] for player in players]}
            return pool.submit(place.server.connect(place.key).ask, "POST", f"/api/leagues/{league}/matches", body)

        for league, waits in (("free", False), ("serial", True)):
            assert post(league, "ann", "bob").result().status == 201
            with place.database.writing() as connection:
                lock_players(connection, leagues.find(connection, league).id, ["ann"])
                others = [post(league, f"cat {number}", f"dan {number}") for number in range(2)]
                done, _ = wait(others, timeout=0.5 if waits else PATIENCE)
                assert len(done) == (0 if waits else 2)
                mine = post(league, "ann", "bob")
                assert not wait([mine], timeout=0.5).done
            assert [answer.result().status for answer in (mine, *others)] == [201] * 3
            check(place.database, league)


def test_only_one_of_several_concurrent_posts_with_the_same_id_is_recorded(place: RunningService) -> None:
    """The posts have different matches; one is recorded, and the others get 409 Conflict."""
    ready = threading.Barrier(8)

    def post(number: int) -> list[Answer]:
        connection, found = place.server.connect(place.key), []
        for count in range(5):
            body = {"id": f"m{count}", "teams": [[f"player {number}"], [f"other {number}"]]}
            ready.wait()
            found.append(connection.ask("POST", "/api/leagues/same/matches", body))
        return found

    with ThreadPoolExecutor(8) as pool:
        answers = list(zip(*pool.map(post, range(8)), strict=True))
    for of_one_id in answers:
        assert sorted(answer.status for answer in of_one_id) == [201] + [409] * 7, of_one_id
    assert len(check(place.database, "same").matches) == 5
