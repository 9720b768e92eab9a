"""Unusual paths, queries and bodies get a readable response, with SQLite and with PostgreSQL."""

import pytest

from tests.service.app_client import served

MATCH = {"id": "m1", "teams": [["ann"], ["bob"]], "time": "2026-01-31"}
LEAGUE = "/api/leagues/darts"
ODD = ["%00", "%ff", "%E2%80%AE", "%F0%9F%98%80", "a%0Ab", "%25", "%2e%2e", "'%3B--", "x" * 5_000, "%E7%8E%8B" * 600]


@pytest.fixture
def service(database_url):
    with served(database_url) as client:
        client.create_league("darts")
        client.post(f"{LEAGUE}/matches", MATCH, status=201)
        yield client


def test_unusual_paths_and_queries_get_a_readable_response(service):
    for odd in ODD:
        service("GET", f"/api/leagues/{odd}", status=404)
        service("GET", f"{LEAGUE}/players/{odd}", status=404)
        service("GET", f"{LEAGUE}/matches/{odd}", status=404)
        service("DELETE", f"{LEAGUE}/matches/{odd}", status=404)
        service("PUT", f"{LEAGUE}/matches/{odd}", json=MATCH | {"id": None}, status=404)
        asked = [f"leaderboard?{name}={odd}" for name in ("search", "season", "at", "revision", "page", "active")]
        asked += [f"matches?{name}={odd}" for name in ("player", "before", "limit")]
        for path in asked:
            assert service("GET", f"{LEAGUE}/{path}").status_code in (200, 404, 422), path
        assert service("GET", LEAGUE, key=odd).status_code == 401


def test_numbers_too_large_for_a_database_column_are_refused(service):
    """The generation column is a 32-bit integer on PostgreSQL, which rejects larger parameters."""
    for number in (2**31 - 1, 2**31, 2**53):
        for path in ("leaderboard", "leaderboard.csv"):
            answer = service("GET", f"{LEAGUE}/{path}?generation={number}", status=404)
            assert answer.json()["detail"] == f"generation: darts has no generation {number}; choose 1 to 1"
            answer = service("GET", f"{LEAGUE}/{path}?revision={number}", status=422)
            assert [one["field"] for one in answer.json()["errors"]] == ["revision"]
    assert service.get(f"/api/audit?before={2**63 - 1}").json()["entries"]
    service("GET", f"/api/audit?before={2**63}", status=422)


def test_nul_characters_in_requests_are_refused(service):
    nul = "a\0b"
    bodies = [
        ("POST", "/api/leagues", {"name": "x", "title": nul}),
        ("PATCH", LEAGUE, {"title": nul}),
        ("POST", f"{LEAGUE}/matches", {"teams": [[nul], ["bob"]]}),
        ("POST", f"{LEAGUE}/matches", {"teams": [["ann"], ["bob"]], "id": nul}),
        ("POST", f"{LEAGUE}/matches", {"teams": [["ann"], ["bob"]], "time": nul}),
        ("PUT", f"{LEAGUE}/matches/m1", {"teams": [[nul], ["bob"]]}),
        ("POST", f"{LEAGUE}/seasons", {"name": nul, "start": "2026-01-01"}),
        ("POST", f"{LEAGUE}/seasons", {"name": "I", "start": "2026-01-01", "reason": nul}),
        ("PUT", f"{LEAGUE}/model", {"name": nul}),
        ("PUT", f"{LEAGUE}/model", {"name": "Elo", "parameters": {nul: 1}}),
        ("PUT", f"{LEAGUE}/model", {"name": "GaussianOD", "parameters": {"gamma": nul}}),
        ("POST", f"{LEAGUE}/predict", {"teams": [[nul], ["bob"]]}),
        ("POST", f"{LEAGUE}/matches?reason=%00", MATCH | {"id": "m2"}),
        ("PUT", f"{LEAGUE}/matches/m1?reason=%00", MATCH | {"ranks": [2, 1]}),
        ("PUT", f"{LEAGUE}/model?reason=%00", {"name": "Elo"}),
    ]
    for method, path, body in bodies:
        answer = service(method, path, json=body)
        assert answer.status_code == 422, (method, path, body, answer.text)
    service("DELETE", f"{LEAGUE}/matches/m1?reason=%00", status=422)
    service("POST", f"{LEAGUE}/import?format=csv", content="winner,loser\nann,b\0b\n")
    service(
        "POST", f"{LEAGUE}/import?format=ndjson&reason=%00", content='{"teams": [["ann"], ["b\\u0000b"]]}', status=422
    )
    assert service.get(LEAGUE).json()["revision"] == 1
