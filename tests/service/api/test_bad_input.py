"""A request that the library rejects gets a 422 response that names the invalid field, and nothing is stored."""

import json
import reprlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from prowess.store.db.database import Database
from prowess.store.leagues import Preset
from tests.service.servers import Answer, Connection, create_league, serving
from tests.store.sound import dump

TEAMS = [["ann"], ["bob"]]

# Invalid matches, and the field that the response must name.
WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "teams"),
    ({"teams": []}, "teams"),
    ({"teams": "ann"}, "teams"),
    ({"teams": [["ann"]]}, "teams"),
    ({"teams": [["ann"], []]}, "teams"),
    ({"teams": [["ann"], ["ann"]]}, "teams"),
    ({"teams": [["ann", "ann"], ["bob"]]}, "teams"),
    ({"teams": [["ann"], "bob"]}, "teams"),
    ({"teams": [["ann"], [" "]]}, "teams"),
    ({"teams": [["ann"], [None]]}, "teams"),
    ({"teams": [["ann"], [2.5]]}, "teams"),
    ({"teams": [["ann"], ["a\0b"]]}, "teams"),
    ({"teams": [["ann"], ["b" * 501]]}, "teams"),
    ({"teams": TEAMS, "ranks": [1]}, "ranks"),
    ({"teams": TEAMS, "ranks": [1, "second"]}, "ranks"),
    ({"teams": TEAMS, "ranks": 1}, "ranks"),
    ({"teams": TEAMS, "ranks": [1, 1e31]}, "ranks"),
    ({"teams": TEAMS, "scores": [1, 2, 3]}, "scores"),
    ({"teams": TEAMS, "scores": [1, None]}, "scores"),
    ({"teams": TEAMS, "scores": [1, 1e31]}, "scores"),
    ({"teams": TEAMS, "scores": {"ann": 1}}, "scores"),
    ({"teams": TEAMS, "time": "yesterday"}, "time"),
    ({"teams": TEAMS, "time": "2026-02-31"}, "time"),
    ({"teams": TEAMS, "time": "01/02/2026"}, "time"),
    ({"teams": TEAMS, "time": 7}, "time"),
    ({"teams": TEAMS, "time": True}, "time"),
    ({"teams": TEAMS, "time": [2026]}, "time"),
    ({"teams": TEAMS, "weights": [[1]]}, "weights"),
    ({"teams": TEAMS, "weights": [[1], [1, 1]]}, "weights"),
    ({"teams": TEAMS, "weights": [[1], [-1]]}, "weights"),
    ({"teams": TEAMS, "weights": [1, 1]}, "weights"),
    ({"teams": TEAMS, "statistics": [[9], [5]]}, "statistics"),
    ({"teams": TEAMS, "statistics": {"kills": [9, 5]}}, "statistics"),
    ({"teams": TEAMS, "statistics": {"kills": [[9], [5, 6]]}}, "statistics"),
    ({"teams": TEAMS, "statistics": {"kills": [[9], ["5"]]}}, "statistics"),
    ({"teams": TEAMS, "importance": -1}, "importance"),
    ({"teams": TEAMS, "importance": 1e31}, "importance"),
    ({"teams": TEAMS, "importance": "much"}, "importance"),
    ({"teams": TEAMS, "home": 2}, "home"),
    ({"teams": TEAMS, "home": -1}, "home"),
    ({"teams": TEAMS, "home": 0.5}, "home"),
    ({"teams": TEAMS, "winner": "ann"}, "winner"),
]
WRONG_ID: list[tuple[dict[str, Any], str]] = [
    ({"teams": TEAMS, "id": ""}, "id"),
    ({"teams": TEAMS, "id": "x\0"}, "id"),
    ({"teams": TEAMS, "id": "x" * 501}, "id"),
    ({"teams": TEAMS, "id": ["x"]}, "id"),
]
# Matches that PoissonOD cannot rate, because their scores are missing, fractional or negative.
UNRATED: list[tuple[dict[str, Any], str]] = [
    ({"teams": TEAMS, "ranks": [1, 2]}, "scores"),
    ({"teams": TEAMS, "scores": [1, 0.5]}, "scores"),
    ({"teams": TEAMS, "scores": [1, -1]}, "scores"),
]
SOUND = {"teams": [["cat"], ["dan"]], "scores": [2, 1]}


class RunningService:
    """A service and its database."""

    def __init__(self, ask: Connection, database: Database) -> None:
        self.ask, self.database = ask.ask, database


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    folder: Path = tmp_path_factory.mktemp("bad")
    url = f"sqlite:///{folder}/league.db"
    key = create_league(url, "darts")
    create_league(url, "goals", Preset("PoissonOD"))
    database = Database(url)
    with serving(url, folder, rate_limit="0") as server:
        found = RunningService(server.connect(key), database)
        first = found.ask("POST", "/api/leagues/darts/matches", {"id": "m1", "teams": TEAMS, "time": "2026-01-01"})
        assert first.status == 201
        yield found
    database.close()


def refused(answer: Answer, field: str, sent: Any) -> None:
    """Check that the response is a 422 that names `field` and explains the error."""
    assert answer.status == 422, (sent, answer)
    assert answer.headers["content-type"] == "application/problem+json"
    told = answer.json
    assert told["errors"], (sent, told)
    named = told["errors"][0]["field"]
    assert named == field or named.startswith((f"{field}.", f"{field}[")), (sent, told)
    assert len(told["detail"]) > 10


def test_invalid_match_gets_an_error_that_names_the_field_and_is_not_stored(place: RunningService) -> None:
    """The match is sent alone, in a list, as NDJSON, as a correction, and as a dry run."""
    held, path = dump(place.database), "/api/leagues/darts/matches"
    for wrong, field in WRONG + WRONG_ID:
        refused(place.ask("POST", path, wrong), field, wrong)
        refused(place.ask("POST", f"{path}?dry_run=true", wrong), field, wrong)
        refused(place.ask("POST", path, [SOUND, wrong]), f"matches[1].{field}", wrong)
        refused(place.ask("POST", path, {"matches": [SOUND, wrong]}), f"matches[1].{field}", wrong)
        lines = b"".join(json.dumps(one).encode() + b"\n" for one in (SOUND, wrong))
        answer = place.ask("POST", path, lines, **{"Content-Type": "application/x-ndjson"})
        refused(answer, f"matches[1].{field}", wrong)
    for wrong, field in WRONG:
        refused(place.ask("PUT", f"{path}/m1", wrong), field, wrong)
    assert dump(place.database) == held


def test_match_that_the_model_cannot_rate_gets_an_error_that_names_the_field(place: RunningService) -> None:
    held, path = dump(place.database), "/api/leagues/goals/matches"
    for wrong, field in UNRATED:
        refused(place.ask("POST", path, wrong), field, wrong)
        refused(place.ask("POST", path, [SOUND, wrong]), f"matches[1].{field}", wrong)
    assert dump(place.database) == held


@pytest.mark.parametrize(
    ("method", "path", "sent", "field"),
    [
        ("POST", "", {"name": "Darts"}, "name"),
        ("POST", "", {"name": "a" * 64}, "name"),
        ("POST", "", {"name": "x", "clock": "moon"}, "clock"),
        ("POST", "", {"name": "x", "model": {"name": "Elop"}}, "model"),
        ("POST", "", {"name": "x", "settings": {"provisional_matches": -1}}, "settings"),
        ("PATCH", "/darts", {"settings": {"inactive_days": -1}}, "settings"),
        ("PATCH", "/darts", {"title": "x\0"}, "title"),
        ("PUT", "/darts/model", {"name": "Elo", "parameters": {"k": -1}}, "k"),
        ("PUT", "/darts/model", {"name": "Elo", "parameters": {"kk": 1}}, "kk"),
        ("PUT", "/darts/model", {"name": "TrueSkill", "parameters": {"draw_probability": 2}}, "draw_probability"),
        ("POST", "/darts/seasons", {"name": "x", "start": "soon"}, "start"),
        ("POST", "/darts/seasons", {"name": "x", "start": "2026-01-01", "carry": 3}, "carry"),
        ("POST", "/darts/seasons", {"name": "x", "start": "2026-01-01", "tau": -1}, "tau"),
        ("POST", "/darts/predict", {"teams": [["ann"], ["bbo"]]}, "teams"),
        ("POST", "/darts/predict", {"teams": [["ann"]]}, "teams"),
        ("POST", "/darts/predict", {"teams": TEAMS, "home": 2}, "home"),
        ("POST", "/darts/predict", {"teams": TEAMS, "weights": [[1]]}, "weights"),
        ("POST", "/darts/predict", {"teams": TEAMS, "time": "soon"}, "time"),
        ("POST", "/darts/quality", {"teams": [["ann"], ["nobody"]]}, "teams"),
        ("POST", "/darts/balance", {"players": ["ann", "nobody"]}, "players"),
        ("GET", "/darts/leaderboard?page=0", None, "page"),
        ("GET", "/darts/leaderboard?at=soon", None, "at"),
        ("GET", "/darts/matches?before=soon", None, "before"),
        ("GET", f"/darts/matches?limit={10**30}", None, "limit"),
    ],
    ids=reprlib.repr,
)
def test_invalid_request_gets_an_error_that_names_the_field_and_stores_nothing(
    place: RunningService, method: str, path: str, sent: Any, field: str
) -> None:
    held = dump(place.database)
    answer = place.ask(method, f"/api/leagues{path}", sent)
    assert answer.status == 422, answer
    named = answer.json["errors"][0]["field"]
    assert field in named.replace("[", ".").split("."), answer.json
    assert dump(place.database) == held
