"""Many writers at once: nothing is lost, nothing is twice, and the result is that of one after the other."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from random import Random
from typing import Any

from prowess.store import leagues, locks
from prowess.store.database import Database
from prowess.store.leagues import Preset
from tests.oracles.league import League
from tests.service.load import match
from tests.service.servers import PATIENCE, Answer, Server, found_league, serving
from tests.store.sound import check

WRITERS, EACH = 64, 5
LEAGUES = {"darts": ("TrueSkill", {}, "none"), "chess": ("Glicko", {"period": 1}, "utc")}


def work(server: Server, key: str, number: int, ready: threading.Barrier) -> list[tuple[str, str, Answer]]:
    """Post to both leagues; what is asked of each league is also asked by another writer, who posts the same ids."""
    random = Random(number // 2)
    connection = server.connect(key)
    ready.wait()
    found = []
    for count in range(EACH):
        for league in LEAGUES:
            name = f"w{number // 2}-{count}"
            body: Any = match(random, name)
            if count == 3:
                body = [match(random, f"{name}-{part}") for part in range(4)]
            found.append((league, "post", connection.ask("POST", f"/api/leagues/{league}/matches", body)))
    if number % 2:  # one of the two corrects, when both have posted
        for league in LEAGUES:
            path = f"/api/leagues/{league}/matches/w{number // 2}-0"
            changed = {"teams": [["player 0"], ["player 1"]], "scores": [2, 1]}
            found.append((league, "edit", connection.ask("PUT", f"{path}?reason=typo", changed)))
            found.append((league, "delete", connection.ask("DELETE", path[:-1] + "1")))
    connection.close()
    return found


def test_64_writers_at_4_processes(postgres_url: str, tmp_path: Path) -> None:
    for league, (model, parameters, clock) in LEAGUES.items():
        key = found_league(postgres_url, league, Preset(model, parameters), clock)
    with serving(postgres_url, tmp_path, workers=4, rate_limit="0") as server:
        ready = threading.Barrier(WRITERS)
        with ThreadPoolExecutor(WRITERS) as pool:
            tasks = [pool.submit(work, server, key, number, ready) for number in range(WRITERS)]
            answers = [answer for task in tasks for answer in task.result()]
    strange = [(what, answer) for _, what, answer in answers if answer.status not in (200, 201)]
    assert not strange, strange[:5]
    database = Database(postgres_url)
    try:
        for league in LEAGUES:
            mine = [(what, answer.json) for of, what, answer in answers if of == league]
            _compare(database, league, mine)
    finally:
        database.close()


def _compare(database: Database, league: str, answers: list[tuple[str, dict[str, Any]]]) -> None:
    """What every writer was told is what a replay gives at the revision that it was told."""
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
    assert seen == set(told), "as many revisions as there were changes"
    assert len(held.first) == held.posted == WRITERS // 2 * (EACH + 3)
    new = [one["id"] for said in posts for one in said["matches"] if not one["repeated"]]
    assert sorted(new) == sorted(held.first), "each is new to one of its two writers, and only to one"


def test_disjoint_players_do_not_wait_for_each_other(postgres_url: str, tmp_path: Path) -> None:
    """While somebody else is at work on ann, cat and dan go on; ann's match waits. Learnt context makes all wait."""
    key = found_league(postgres_url, "darts")
    found_league(postgres_url, "chess", Preset("Glicko", {"period": 7}))
    database = Database(postgres_url)
    with serving(postgres_url, tmp_path, workers=4, rate_limit="0") as server, ThreadPoolExecutor(4) as pool:

        def post(league: str, *players: str) -> Future[Answer]:
            body = {"teams": [[player] for player in players]}
            return pool.submit(server.connect(key).ask, "POST", f"/api/leagues/{league}/matches", body)

        for league, waits in (("darts", False), ("chess", True)):
            assert post(league, "ann", "bob").result().status == 201
            with database.writing() as connection:
                locks.together(connection, leagues.find(connection, league).id, ["ann"])
                others = [post(league, f"cat {number}", f"dan {number}") for number in range(2)]
                done, _ = wait(others, timeout=0.5 if waits else PATIENCE)
                assert len(done) == (0 if waits else 2)
                mine = post(league, "ann", "bob")
                assert not wait([mine], timeout=0.5).done
            assert [answer.result().status for answer in (mine, *others)] == [201] * 3
            check(database, league)
    database.close()


def test_one_id_for_two_matches_at_once(postgres_url: str, tmp_path: Path) -> None:
    """Of two matches of one id one is recorded, and the other is a conflict, however close they come."""
    key = found_league(postgres_url, "darts")
    with serving(postgres_url, tmp_path, workers=4, rate_limit="0") as server, ThreadPoolExecutor(8) as pool:
        ready = threading.Barrier(8)

        def post(number: int) -> list[Answer]:
            connection, found = server.connect(key), []
            for count in range(10):
                ready.wait()
                body = {"id": f"m{count}", "teams": [[f"player {number}"], [f"other {number}"]]}
                found.append(connection.ask("POST", "/api/leagues/darts/matches", body))
            return found

        answers = list(zip(*pool.map(post, range(8)), strict=True))
    for of_one_id in answers:
        assert sorted(answer.status for answer in of_one_id) == [201] + [409] * 7, of_one_id
    database = Database(postgres_url)
    assert len(check(database, "darts").matches) == 10
    database.close()
