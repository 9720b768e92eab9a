"""Ladders, databases and clients of an earlier state keep working (see `golden/earlier_state.py`)."""

import gzip
import json
from pathlib import Path

import pytest

import prowess as pw
from tests.service.app_client import served

FOLDER = Path(__file__).parent / "golden" / "earlier_state"
EXPECTED = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
LEAGUE = "/api/leagues/darts"


def test_earlier_ladder_has_the_same_ratings(tmp_path):
    ladder = pw.Ladder.load(FOLDER / "ladder.prowess")
    expected = EXPECTED["ladder"]
    assert {name: [ladder[name].mu, ladder[name].sigma] for name in ladder} == expected["skills"]
    for surface in ("clay", "grass"):
        at = {name: ladder.rating(name, surface=surface) for name in ladder}
        assert {name: [rating.mu, rating.sigma] for name, rating in at.items()} == expected[surface]
    assert ladder.scale == (1500, 400)
    ladder.record([["ann"], ["new"]], scores=[2, 1], time="2025-05-01", context={"surface": "clay"})
    ladder.save(tmp_path / "again.prowess")
    assert pw.Ladder.load(tmp_path / "again.prowess") == ladder


@pytest.fixture
def service(tmp_path):
    (tmp_path / "league.db").write_bytes(gzip.decompress((FOLDER / "league.db.gz").read_bytes()))
    with served(f"sqlite:///{tmp_path}/league.db") as client:
        yield client


def ratings(client, query):
    players = client.get(f"{LEAGUE}/leaderboard?{query}").json()["players"]
    return {row["player"]: (row["mu"], row["sigma"], row["matches"]) for row in players}


@pytest.mark.parametrize("generation", ["1", "2"])
def test_earlier_database_has_the_same_ratings(service, generation):
    found = ratings(service, f"generation={generation}")
    expected = {player: pytest.approx(row, rel=1e-9) for player, row in EXPECTED["database"][generation].items()}
    assert found == expected


def test_earlier_database_takes_matches_and_corrections(service):
    match = {"id": "new", "teams": [["ann"], ["Robert"]], "scores": [2, 0], "time": "2025-05-01"}
    before = ratings(service, "")
    assert "Robert" in before
    assert "bob" not in before
    service.post(f"{LEAGUE}/matches", match, status=201)
    assert ratings(service, "")["ann"][2] == before["ann"][2] + 1
    service("DELETE", f"{LEAGUE}/matches/new", status=200)
    assert ratings(service, "") == {name: pytest.approx(row, rel=1e-9) for name, row in before.items()}
    assert [season["name"] for season in service.get(f"{LEAGUE}/seasons").json()["seasons"]] == ["spring"]
    revisions = service.get(f"{LEAGUE}/matches/m3").json()["revisions"]
    assert [one["reason"] for one in revisions][-1] == "a misprint"


def check_has(old, new, path):
    """Check that a response has all that an earlier one had: the same fields with values of the same kind."""
    assert type(old) is type(new) or {type(old), type(new)} <= {int, float}, (path, old, new)
    if isinstance(old, dict):
        assert old.keys() <= new.keys(), (path, old.keys() - new.keys())
        for name, value in old.items():
            check_has(value, new[name], f"{path}.{name}")
    elif isinstance(old, list):
        assert len(old) == len(new), path
        for number, pair in enumerate(zip(old, new, strict=True)):
            check_has(*pair, f"{path}[{number}]")


def found_ratings(body):
    """Yield the ratings in a response, whatever their order: the player, and mu and sigma before or after a match."""
    if isinstance(body, dict):
        if "player" in body:
            for key in ("mu", "rating", "before", "after"):  # which rating is the best depends on the ranking
                numbers = body if key == "mu" else body.get(key)
                if isinstance(numbers, dict) and isinstance(numbers.get("mu"), float):
                    yield body["player"], key, numbers["mu"], numbers["sigma"]
        for value in body.values():
            yield from found_ratings(value)
    elif isinstance(body, list):
        for value in body:
            yield from found_ratings(value)


def test_requests_of_an_earlier_client_get_responses_that_it_can_read(tmp_path):
    """Its requests are sent again, in order, to a new league with the same model."""
    exchanges = json.loads(gzip.decompress((FOLDER / "client.json.gz").read_bytes()))
    facets = [{"is": "By", "column": "surface", "sigma": 2.0}]
    compared = 0
    with served(f"sqlite:///{tmp_path}/league.db") as client:
        client.create_league("darts", model={"name": "TrueSkill", "parameters": {"facets": facets}})
        for number, exchange in enumerate(exchanges):
            path = f"{exchange['method']} {exchange['url']} ({number})"
            response = client(exchange["method"], exchange["url"], **exchange["options"])
            assert response.status_code == exchange["status"], (path, response.text)
            old, new = exchange["body"], response.json()
            if "leaderboard" not in exchange["url"]:  # at a value, players who have not played there are left out now
                check_has(old, new, path)
            elif old["players"]:
                assert old.keys() <= new.keys()
                check_has(old["players"][0], new["players"][0], path)
            mine = sorted(found_ratings(new))
            theirs = [one for one in sorted(found_ratings(old)) if one[:2] in {two[:2] for two in mine}]
            assert [one[:2] for one in mine] == [one[:2] for one in theirs], path
            for one, two in zip(mine, theirs, strict=True):
                assert one[2:] == pytest.approx(two[2:], rel=1e-9), path
            compared += len(mine)
    assert compared > 30
