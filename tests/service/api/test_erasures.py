"""Erasing a person over HTTP: no response of any process shows the name afterwards."""

import time
from pathlib import Path

import pytest

from prowess.service.background.housekeeping import Housekeeper
from prowess.store.db.database import Database
from prowess.store.write.erasure import anonymise, scrub_is_due
from tests.service.app_client import served
from tests.service.servers import create_league, serving

NAME, QUOTED = "Zoë Q", "Zo%C3%AB%20Q"
LEAGUE = "/api/leagues/darts"
READS = [
    f"{LEAGUE}/leaderboard",
    f"{LEAGUE}/leaderboard?search=zoe",
    f"{LEAGUE}/leaderboard?revision=2",
    f"{LEAGUE}/leaderboard?at=2026-01-05",
    f"{LEAGUE}/leaderboard?generation=1",
    f"{LEAGUE}/leaderboard.csv",
    f"{LEAGUE}/matches",
    f"{LEAGUE}/matches/m1",
    f"{LEAGUE}/matches/m2",
    f"{LEAGUE}/export.csv",
    f"{LEAGUE}/export.ndjson",
    f"{LEAGUE}/generations",
    "/api/audit",
    "/leagues/darts/standings",
    "/leagues/darts/standings.csv",
    "/leagues/darts/names.json?search=zo",
    "/leagues/darts/match?id=m1",
    "/leagues/darts/matches",
    "/leagues/darts/charts/curves.svg?name=bob",
    "/leagues/darts/player.json?name=bob",
]


def fill(ask):
    """Post and correct matches, so that current revisions, earlier revisions and a reason contain the name."""
    matches = [
        {"id": f"m{number}", "teams": [[NAME], ["bob"]] if number % 2 else [["bob"], ["cat"]]}
        | {"scores": [number, 3], "time": f"2026-01-{number + 1:02}"}
        for number in range(8)
    ]
    ask("POST", f"{LEAGUE}/matches", {"matches": matches})
    ask("PUT", f"{LEAGUE}/matches/m1?reason={QUOTED}+said+so", matches[1] | {"scores": [2, 2]})
    ask("DELETE", f"{LEAGUE}/matches/m3", None)
    ask("PUT", f"{LEAGUE}/model", {"name": "Elo"})


@pytest.fixture
def ask(database_url):
    with served(database_url) as client:
        client.create_league("darts")
        fill(lambda method, url, body: client(method, url, json=body))
        yield client


def test_no_response_shows_an_erased_name(ask):
    before = {url: ask.get(url) for url in READS}
    showing = [url for url, answer in before.items() if NAME in answer.text or "Zo\\u00eb" in answer.text]
    assert len(showing) > 15, showing
    ratings = before[READS[0]].json()["players"]
    path = f"{LEAGUE}/players/{QUOTED}/anonymise"
    ask.post(path, {}, key=ask.new_key("write", "darts"), status=403)
    ask.post(path, {"reason": "zoë q asked"}, status=422)
    made = ask.post(path, {"reason": "asked by letter"}, key=ask.new_key("admin", "darts"), status=200).json()
    assert made | {"made_at": ""} == {
        "player": "anonymous-1",
        "revision": 5,
        "made_at": "",
        "hash_kept": True,
        "scrub_due": False,
    }
    assert list(ask.service.exports.folder.path.iterdir()) == []  # cached exports contained the name
    for url in READS:
        answer = ask.get(url, headers={"If-None-Match": before[url].headers.get("etag", "none")})
        assert "Zo" not in answer.text, url
        assert url not in showing or "anonymous-1" in answer.text or "search" in url
    after = ask.get(READS[0]).json()["players"]
    assert after == [row | {"player": "anonymous-1" if row["player"] == NAME else row["player"]} for row in ratings]
    ask.get(f"{LEAGUE}/players/{QUOTED}", status=404)
    ask.post(path, {}, status=404)
    ask.post(f"{LEAGUE}/players/anonymous-1/anonymise", {}, status=409)


def test_erased_name_is_recognised_in_new_matches_until_its_hash_is_deleted(ask):
    ask("POST", f"{LEAGUE}/players/{QUOTED}/anonymise", status=200)  # a request without a body
    file = f"winner,loser,date\n{NAME},bob,2026-02-01\n"
    headers = {"Content-Type": "text/csv"}
    ask("POST", f"{LEAGUE}/import", content=file.encode(), headers=headers, status=201)
    assert ask.get(f"{LEAGUE}/leaderboard").json()["total"] == 3
    [one] = ask.get(f"{LEAGUE}/erasures").json()["erasures"]
    assert (one["player"], one["hash_kept"]) == ("anonymous-1", True)
    ask.get(f"{LEAGUE}/erasures", key=ask.new_key("write", "darts"), status=403)
    assert not ask("DELETE", f"{LEAGUE}/erasures/anonymous-1/hash", status=200).json()["hash_kept"]
    ask("DELETE", f"{LEAGUE}/erasures/anonymous-2/hash", status=404)
    ask("POST", f"{LEAGUE}/import", content=file.replace("-01\n", "-02\n").encode(), headers=headers, status=201)
    assert ask.get(f"{LEAGUE}/leaderboard").json()["total"] == 4
    entries = ask.get("/api/audit").json()["entries"]
    assert [(entry["action"], entry["detail"]) for entry in entries if "player" in entry["detail"]] == [
        ("drop hash", {"player": "anonymous-1"}),
        ("anonymise player", {"player": "anonymous-1", "reason": ""}),
    ]


def test_other_processes_stop_showing_an_erased_name(ask, database_url):
    """A second service has its own caches, and learns about the erasure only from the database."""
    with served(database_url) as other:
        assert NAME in "".join(other.get(url).text for url in READS)
        ask("POST", f"{LEAGUE}/players/{QUOTED}/anonymise", status=200)
        for url in READS:
            assert "Zo" not in other.get(url).text, url
        caches = (other.service.standings._recent, other.service.standings._past, other.service.traces._cache)
        assert not [key for cache in caches for key in cache._values if key[:2] == (1, 0)]
        other.post(f"{LEAGUE}/matches", {"teams": [[NAME], ["bob"]]}, status=201)
        assert "Zo" not in ask.get(READS[0]).text


def test_erased_name_is_removed_from_the_database_file_after_older_readers_end(sqlite_url, monkeypatch):
    monkeypatch.setattr("prowess.store.db.database.SCRUB_WAIT", 10)
    with served(sqlite_url) as ask:
        ask.create_league("darts")
        fill(lambda method, url, body: ask(method, url, json=body))
        database = ask.service.database
        with database.reading() as reader:
            reader.exec_driver_sql("SELECT count(*) FROM journal")
            made = ask("POST", f"{LEAGUE}/players/{QUOTED}/anonymise", status=200).json()
            assert made["scrub_due"]
            assert ask.get(f"{LEAGUE}/erasures").json()["erasures"] == [made]
        housekeeper = Housekeeper(database, {}, ask.service.writer.submit, interval=0.05)
        end = time.monotonic() + 30
        while scrub_is_due(database):
            assert time.monotonic() < end
            time.sleep(0.02)
        housekeeper.close()
        file = Path(str(database.url.database))
        assert NAME.encode() not in b"".join(one.read_bytes() for one in file.parent.glob(f"{file.name}*"))


@pytest.mark.long
@pytest.mark.parametrize("workers", [1, 2])
def test_every_process_of_a_server_stops_showing_an_erased_name(database_url, tmp_path, workers):
    key = create_league(database_url, "darts")
    with serving(database_url, tmp_path, workers=workers) as server:
        fill(server.connect(key).ask)
        assert all(NAME in _read_all(server, key) for _ in range(8))  # eight reads very likely reach every process
        database = Database(database_url)
        anonymise(database, "darts", NAME)  # in the database and not through the server, as on the command line
        database.close()
        assert not any("Zo" in _read_all(server, key) for _ in range(8))


def _read_all(server, key):
    connection = server.connect(key)
    try:
        return "".join(connection.ask("GET", url).body.decode() for url in READS)
    finally:
        connection.close()
