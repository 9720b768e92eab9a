"""Responses match the OpenAPI document, as schemathesis checks, and every write needs a key with permission."""

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from prowess.service.app import create_app
from prowess.service.settings import Settings
from prowess.store import aliases, choices, keys, leagues
from prowess.store.db.database import Database
from prowess.store.leagues import Preset
from prowess.store.write.commands import Post
from prowess.store.write.writer import perform
from tests.postgres import fresh
from tests.service.probe_app import service
from tests.service.servers import Answer, Server, serving
from tests.store.sound import check, dump

MATCHES: list[dict[str, Any]] = [
    {"id": "m1", "teams": [["ann"], ["bob"]], "scores": [3, 1], "time": "2026-01-01"},
    {"id": "m2", "teams": [["bob"], ["cat"]], "scores": [2, 2], "time": "2026-01-02"},
    {"id": "m3", "teams": [["ann", "bob"], ["cat", "dan"]], "scores": [0, 1], "time": "2026-01-03"},
    {"id": "m4", "teams": [["eve"], ["dan"]], "scores": [1, 0], "time": "2026-01-04"},
]
OFFER: dict[str, Any] = {  # the result of a search for a better model
    "preset": {"name": "TrueSkill", "parameters": {"beta": 5.0}},
    "gain": {"value": 0.1, "low": 0.05, "high": 0.15},
    "unit": "match",
} | {"parts": ["TrueSkill"], "lines": ["Model: TrueSkill."], "steps": [], "matches": 4, "judged": 1, "seasons": 0}
ENDLESS = "/api/leagues/{league}/events"  # a stream that ends when the client disconnects


class RunningService:
    """A server with a public and a private league, and keys of every kind."""

    def __init__(self, url: str) -> None:
        self.database = Database(url)
        self.database.migrate()
        self.keys: dict[str, str] = {}
        self.spare: dict[str, list[int]] = {}  # ids of keys that a request may rotate or revoke, by league
        with self.database.writing() as connection:
            for name, public in (("darts", True), ("chess", False)):
                leagues.create(connection, name, model=Preset("TrueSkill"), public=public)
                for scope in ("read", "write", "admin"):
                    self.keys[f"{name} {scope}"] = keys.create(connection, f"{name} {scope}", scope, name)[1]
            for scope in ("read", "write", "admin"):
                self.keys[scope] = keys.create(connection, scope, scope)[1]
            spent, self.keys["revoked"] = keys.create(connection, "spent", "admin")
            keys.revoke(connection, spent.id)
            for name in ("tried", "tried-too", "control", "scrap"):
                leagues.create(connection, name)
            for name in ("darts", "chess", "control", "scrap"):
                self.spare[name] = [keys.create(connection, "spare", "read", name)[0].id for _ in range(2)]
        for name in ("darts", "chess", "tried", "tried-too", "control"):
            perform(self.database, Post(name, MATCHES, author="the tests"))
        perform(self.database, Post("chess", [{"id": "secret", "teams": [["zoe"], ["ann"]]}]))
        with self.database.writing() as connection:
            choices.record(connection, leagues.find(connection, "control"), OFFER)
        self.server: Server


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    folder: Path = tmp_path_factory.mktemp("openapi")
    with ExitStack() as stack:
        url = f"sqlite:///{folder}/league.db"
        if request.param == "postgresql":
            url = stack.enter_context(fresh(request.getfixturevalue("postgres")))
        found = RunningService(url)
        stack.callback(found.database.close)
        found.server = stack.enter_context(serving(url, folder, rate_limit="0"))
        yield found


@pytest.fixture(scope="module")
def document(place: RunningService) -> dict[str, Any]:
    answer = place.server.connect().ask("GET", "/openapi.json")
    assert answer.status == 200
    found: dict[str, Any] = answer.json
    return found


# Operation names are part of the API: generated clients name their methods after them.
OPERATIONS = {
    "acceptModelOffer": "POST /api/leagues/{league}/model/offer",
    "anonymisePlayer": "POST /api/leagues/{league}/players/{player}/anonymise",
    "balanceTeams": "POST /api/leagues/{league}/balance",
    "changeModel": "PUT /api/leagues/{league}/model",
    "createAlias": "POST /api/leagues/{league}/aliases",
    "createKey": "POST /api/keys",
    "createLeague": "POST /api/leagues",
    "createLeagueKey": "POST /api/leagues/{league}/keys",
    "createMatch": "POST /api/leagues/{league}/matches",
    "createSeason": "POST /api/leagues/{league}/seasons",
    "deleteAlias": "DELETE /api/leagues/{league}/aliases/{alias}",
    "deleteLeague": "DELETE /api/leagues/{league}",
    "deleteMatch": "DELETE /api/leagues/{league}/matches/{id}",
    "dismissSimilarPlayers": "POST /api/leagues/{league}/similar-players/dismiss",
    "dropNameHash": "DELETE /api/leagues/{league}/erasures/{alias}/hash",
    "exportMatches": "GET /api/leagues/{league}/export.{format}",
    "getHealth": "GET /healthz",
    "getBest": "GET /api/leagues/{league}/best",
    "getEffects": "GET /api/leagues/{league}/effects",
    "getLeaderboard": "GET /api/leagues/{league}/leaderboard",
    "getLeaderboardCsv": "GET /api/leagues/{league}/leaderboard.csv",
    "getLeague": "GET /api/leagues/{league}",
    "getMatch": "GET /api/leagues/{league}/matches/{id}",
    "getMatchQuality": "POST /api/leagues/{league}/quality",
    "getMetrics": "GET /metrics",
    "getModelOffer": "GET /api/leagues/{league}/model/offer",
    "getPlayer": "GET /api/leagues/{league}/players/{player}",
    "getReadiness": "GET /readyz",
    "importMatches": "POST /api/leagues/{league}/import",
    "listAliases": "GET /api/leagues/{league}/aliases",
    "listAuditEntries": "GET /api/audit",
    "listErasures": "GET /api/leagues/{league}/erasures",
    "listKeys": "GET /api/keys",
    "listLeagueKeys": "GET /api/leagues/{league}/keys",
    "listGenerations": "GET /api/leagues/{league}/generations",
    "listLeagues": "GET /api/leagues",
    "listMatches": "GET /api/leagues/{league}/matches",
    "listPlayerMatches": "GET /api/leagues/{league}/players/{player}/matches",
    "listModels": "GET /api/models",
    "listRenames": "GET /api/leagues/{league}/renames",
    "listSeasons": "GET /api/leagues/{league}/seasons",
    "listSimilarPlayers": "GET /api/leagues/{league}/similar-players",
    "mergePlayer": "POST /api/leagues/{league}/players/{player}/merge",
    "pairQueue": "POST /api/leagues/{league}/pair",
    "predictMatch": "POST /api/leagues/{league}/predict",
    "renamePlayer": "POST /api/leagues/{league}/players/{player}/rename",
    "replaceMatch": "PUT /api/leagues/{league}/matches/{id}",
    "revokeKey": "DELETE /api/keys/{id}",
    "revokeLeagueKey": "DELETE /api/leagues/{league}/keys/{id}",
    "rotateKey": "POST /api/keys/{id}/rotate",
    "rotateLeagueKey": "POST /api/leagues/{league}/keys/{id}/rotate",
    "streamEvents": "GET /api/leagues/{league}/events",
    "suggestMatches": "POST /api/leagues/{league}/next",
    "undeleteLeague": "POST /api/leagues/{league}/undelete",
    "undoRename": "POST /api/leagues/{league}/renames/{revision}/undo",
    "updateLeague": "PATCH /api/leagues/{league}",
}


def test_openapi_operations_have_stable_names(tmp_path: Path) -> None:
    document = create_app(Settings(database=f"sqlite:///{tmp_path}/league.db")).openapi()
    named = [
        (operation["operationId"], f"{method.upper()} {path}")
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    assert dict(named) == OPERATIONS
    assert len(named) == len(OPERATIONS)


def test_openapi_document_declares_error_responses_and_security(tmp_path):
    with service(tmp_path) as (client, _):
        found = client.get("/openapi.json").json()
        assert [client.get(path).status_code for path in ("/docs", "/redoc")] == [404, 404]
    assert found["components"]["securitySchemes"].keys() == {"key"}
    assert "HTTPValidationError" not in json.dumps(found)
    problem = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for path, methods in found["paths"].items():
        for method, operation in methods.items():
            codes = {code: one for code, one in operation["responses"].items() if code >= "400"}
            assert {"429", "500", "503"} <= codes.keys()
            assert all(one["content"] == problem for one in codes.values()), path
            assert method == "get" or "422" in codes
    paths = found["paths"]
    assert paths["/api/leagues/{league}/read"]["post"]["security"] == [{"key": []}, {}]
    assert paths["/api/leagues/{league}/write"]["post"]["security"] == [{"key": []}]
    assert {"401", "403", "404"} <= paths["/api/leagues/{league}/write"]["post"]["responses"].keys()
    assert "security" not in paths["/healthz"]["get"]


def readable(status: int, headers: dict[str, str], body: bytes, sent: str = "") -> None:
    """Check that an error response is a readable problem that reveals no internals.

    The response may quote the request: Hypothesis draws strings from our source files, and "psycopg" is a valid player
    name.
    """
    assert status < 500, (body, sent)
    if status >= 400:
        assert headers["content-type"] == "application/problem+json", (status, headers, body)
        told = json.loads(body)
        assert told["status"] == status
        assert re.search(r"[a-z]{3,} .*[a-z]{2,}", told["detail"]), told
        insides = re.findall(r"Traceback|object at 0x|\bNone\b.*Type|sqlalchemy|psycopg", told["detail"])
        assert not [one for one in insides if one not in sent], (told, sent)
        assert told["title"]
        for one in told.get("errors", []):
            assert one["field"]
            assert one["detail"]


def test_responses_to_generated_requests_match_the_openapi_document(
    place: RunningService, document: dict[str, Any]
) -> None:
    attempt(place, 4)


@pytest.mark.long
def test_responses_to_many_generated_requests_match_the_openapi_document(
    place: RunningService, document: dict[str, Any]
) -> None:
    attempt(place, 300)


def attempt(place: RunningService, examples: int) -> None:
    schema = schemathesis.openapi.from_url(f"{place.server.address}/openapi.json")
    known = {"league": ["tried", "tried-too"], "id": ["m1", "m2", "m3"], "player": ["ann", "bob", "nobody"]}
    tried = set()
    for result in schema.get_all_operations():
        operation = result.ok()
        if operation.path == ENDLESS:
            continue
        tried.add(operation.label)

        @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
        @given(case=st.one_of(operation.as_strategy(), operation.as_strategy(NEGATIVE)), data=st.data())
        def once(case: schemathesis.Case, data: st.DataObject) -> None:
            for name, values in known.items():
                if name in (case.path_parameters or {}) and data.draw(st.sampled_from([True, True, False])):
                    case.path_parameters[name] = data.draw(st.sampled_from(values))
            if case.operation.label in LIFECYCLE:  # must not use leagues and keys that other requests need
                used = {"league": "scrap", "id": place.spare["scrap"][0]}
                case.path_parameters = {name: used[name] for name in case.path_parameters or {}}
            answer = case.call(headers={"Authorization": f"Bearer {place.keys['admin']}"}, timeout=30)
            request = answer.request
            sent = f"{request.method} {unquote(str(request.url))} {request.body!r}"
            readable(answer.status_code, {k.lower(): v[0] for k, v in answer.headers.items()}, answer.content, sent)
            case.validate_response(answer, checks=CHECKS)

        once()
    assert len(tried) > 15, tried
    for league in known["league"]:
        check(place.database, league)  # the database is consistent, whatever the requests have written


LIFECYCLE = {OPERATIONS[name] for name in ("updateLeague", "deleteLeague", "undeleteLeague", "revokeKey", "rotateKey")}
NEGATIVE = schemathesis.GenerationMode.NEGATIVE
CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance, status_code_conformance]


# Requests for every route other than GET: those that write, and those that only compute.
LEAGUE = "/api/leagues/{league}"
WRITES: dict[tuple[str, str], Any] = {
    ("POST", "/api/leagues"): {"name": "mine"},
    ("PATCH", LEAGUE): {"title": "Mine now"},
    ("POST", f"{LEAGUE}/matches"): {"teams": [["ann"], ["bob"]]},
    ("PUT", f"{LEAGUE}/matches/{{id}}"): {"teams": [["bob"], ["ann"]], "scores": [9, 0]},
    ("DELETE", f"{LEAGUE}/matches/{{id}}"): None,
    ("POST", f"{LEAGUE}/import"): b"date,winner,loser\n2026-01-05,ann,bob\n",
    ("POST", f"{LEAGUE}/seasons"): {"name": "spring", "start": "2026-01-02"},
    ("POST", f"{LEAGUE}/model/offer"): {"id": 1},  # only `control` has this offer
    ("PUT", f"{LEAGUE}/model"): {"name": "Glicko"},
    ("POST", f"{LEAGUE}/players/{{player}}/rename"): {"name": "anne"},
    ("POST", f"{LEAGUE}/renames/{{revision}}/undo"): None,
    ("POST", f"{LEAGUE}/aliases"): {"alias": "bo", "player": "bob"},
    ("DELETE", f"{LEAGUE}/aliases/{{alias}}"): None,
    ("POST", f"{LEAGUE}/similar-players/dismiss"): {"players": ["ann", "eve"]},
    ("POST", f"{LEAGUE}/players/{{player}}/merge"): {"into": "eve"},
    ("POST", f"{LEAGUE}/players/{{player}}/anonymise"): {"reason": "asked by letter"},
    # The next request concerns the player whom the previous request anonymised.
    ("DELETE", f"{LEAGUE}/erasures/{{alias}}/hash"): None,
    ("POST", "/api/keys"): {"name": "mine", "scope": "admin"},
    ("POST", "/api/keys/{id}/rotate"): {"grace": "0"},
    ("DELETE", "/api/keys/{id}"): None,
    ("POST", f"{LEAGUE}/keys"): {"name": "mine", "scope": "admin"},
    ("POST", f"{LEAGUE}/keys/{{id}}/rotate"): None,
    ("DELETE", f"{LEAGUE}/keys/{{id}}"): None,
    ("DELETE", LEAGUE): None,
    ("POST", f"{LEAGUE}/undelete"): None,
}
ADMIN = {("POST", "/api/leagues"), ("PATCH", LEAGUE), ("POST", f"{LEAGUE}/seasons"), ("PUT", f"{LEAGUE}/model")}
ADMIN |= {("POST", f"{LEAGUE}/model/offer")}
ADMIN |= {operation for operation in WRITES if "/keys" in operation[1]}
ADMIN |= {("DELETE", LEAGUE), ("POST", f"{LEAGUE}/undelete")}
ADMIN |= {operation for operation in WRITES if "anonymise" in operation[1] or "erasures" in operation[1]}
ADMIN |= {operation for operation in WRITES if re.search("alias|rename|merge|similar", operation[1])}
QUESTIONS: dict[tuple[str, str], Any] = {
    ("POST", f"{LEAGUE}/predict"): {"teams": [["ann"], ["bob"]]},
    ("POST", f"{LEAGUE}/quality"): {"teams": [["ann"], ["bob"]]},
    ("POST", f"{LEAGUE}/balance"): {"players": ["ann", "bob", "cat", "dan"]},
    ("POST", f"{LEAGUE}/pair"): {"queue": ["ann", "bob", "cat", "dan"]},
    ("POST", f"{LEAGUE}/next"): {"players": ["ann", "bob", "cat", "dan"]},
}


def operations(document: dict[str, Any]) -> list[tuple[str, str]]:
    """Return every route of the document as a pair (method, path), like the keys of WRITES and QUESTIONS."""
    return [(method.upper(), path) for path, methods in document["paths"].items() for method in methods]


def send(
    place: RunningService, operation: tuple[str, str], league: str, key: str | None, query: str | None = None
) -> Answer:
    """Send a valid request to a route; it succeeds if the key has permission."""
    method, path = operation
    known = {"{league}": league, "{id}": "m2", "{player}": "ann", "{alias}": "anonymous-1", "{format}": "csv"}
    if "/aliases/" in path:
        known["{alias}"] = "bo"
    if "{revision}" in path:
        with place.database.reading() as connection:
            changes = aliases.list_changes(connection, leagues.find(connection, league))
        known["{revision}"] = str(changes[0].revision if changes else 1)
    if "/keys/{id}" in path:
        known["{id}"] = str(place.spare[league]["{league}" in path])
    for name, value in known.items():
        path = path.replace(name, value)
    body = {**WRITES, **QUESTIONS}.get(operation)
    kind = {"Content-Type": "text/csv"} if isinstance(body, bytes) else {}
    query = query or ("format=csv" if kind else "")
    connection = place.server.connect(key)
    try:
        return connection.ask(method, f"{path}?{query}" if query else path, body, **kind)
    finally:
        connection.close()


def test_every_api_route_rejects_unknown_query_parameters(place: RunningService, document: dict[str, Any]) -> None:
    held = dump(place.database)
    api = [operation for operation in operations(document) if operation[1].startswith("/api/")]
    for operation in api:
        declared = document["paths"][operation[1]][operation[0].lower()].get("parameters", [])
        known = [one["name"] for one in declared if one["in"] == "query" and one["name"] != "context"]
        answer = send(place, operation, "control", place.keys["admin"], "utm_source=mail")
        assert answer.status == 422, (operation, answer)
        readable(answer.status, answer.headers, answer.body)
        problem = answer.json
        if operation[1].endswith("/matches") and operation[0] == "GET":  # any other parameter is a context column
            assert "utm_source" in problem["detail"] or "no context" in problem["detail"], problem
            continue
        assert [error["field"] for error in problem["errors"]] == ["utm_source"], operation
        assert all(name in problem["detail"] for name in known), (operation, problem)
    assert dump(place.database) == held
    assert {path for _, path in operations(document)} - {path for _, path in api} == {"/healthz", "/readyz", "/metrics"}


def test_permission_tests_cover_every_write_route(document: dict[str, Any]) -> None:
    assert {one for one in operations(document) if one[0] != "GET"} == {*WRITES, *QUESTIONS}


def test_write_requests_without_the_right_key_change_nothing(place: RunningService) -> None:
    held = dump(place.database)
    callers = [None, "pw_guessed", place.keys["revoked"], place.keys["read"], place.keys["darts read"]]
    callers += [place.keys["chess write"], place.keys["chess admin"]]
    for operation in WRITES:
        lower = [place.keys["write"], place.keys["darts write"]] if operation in ADMIN else []
        own = [place.keys["darts admin"]] if "{league}" not in operation[1] else []
        for key in [*callers, *lower, *own]:
            answer = send(place, operation, "darts", key)
            assert answer.status in (401, 403), (operation, answer)
            readable(answer.status, answer.headers, answer.body)
    assert dump(place.database) == held


def test_key_of_one_league_has_no_access_to_another_league(place: RunningService, document: dict[str, Any]) -> None:
    """Every request about a private league returns 404 without access."""
    held = dump(place.database)
    for operation in operations(document):
        for key in ("darts read", "darts write", "darts admin"):
            if "{league}" not in operation[1] and operation[0] != "GET":
                continue  # the route belongs to no league
            answer = send(place, operation, "chess", place.keys[key])
            assert "{league}" not in operation[1] or answer.status == 404, (operation, key, answer)
            assert b"chess" not in answer.body.replace(b"/api/leagues/chess", b"").replace(b"'chess'", b""), operation
            assert b"zoe" not in answer.body, operation
            assert b"secret" not in answer.body, operation
    assert dump(place.database) == held


def test_write_requests_with_the_right_key_succeed(place: RunningService) -> None:
    """The requests that other tests send with a wrong key are valid: with the right key, they succeed."""
    for operation in QUESTIONS:
        held = dump(place.database)
        assert send(place, operation, "control", None).status == 200, operation
        assert dump(place.database) == held, operation
    for operation in WRITES:
        held = dump(place.database)
        answer = send(place, operation, "control", place.keys["admin"])
        assert answer.status in (200, 201), (operation, answer)
        assert dump(place.database) != held, operation
