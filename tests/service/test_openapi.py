"""What the document of the API promises, tried by schemathesis; and that nothing is written by who may not."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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

from prowess.store import keys, leagues
from prowess.store.changes import Post
from prowess.store.database import Database
from prowess.store.leagues import Preset
from prowess.store.writer import perform
from tests.service.servers import Server, serving
from tests.store.sound import check

MATCHES: list[dict[str, Any]] = [
    {"id": "m1", "teams": [["ann"], ["bob"]], "scores": [3, 1], "time": "2026-01-01"},
    {"id": "m2", "teams": [["bob"], ["cat"]], "scores": [2, 2], "time": "2026-01-02"},
    {"id": "m3", "teams": [["ann", "bob"], ["cat", "dan"]], "scores": [0, 1], "time": "2026-01-03"},
]
ENDLESS = "/api/leagues/{league}/events"  # a stream that ends when the caller goes


class Place:
    """A server with a public league, a private one, and keys of every kind."""

    def __init__(self, url: str) -> None:
        self.database = Database(url)
        self.database.migrate()
        self.keys: dict[str, str] = {}
        with self.database.writing() as connection:
            for name, public in (("darts", True), ("chess", False)):
                leagues.create(connection, name, model=Preset("TrueSkill"), public=public)
                for scope in ("read", "write", "admin"):
                    self.keys[f"{name} {scope}"] = keys.create(connection, f"{name} {scope}", scope, name)[1]
            for scope in ("read", "write", "admin"):
                self.keys[scope] = keys.create(connection, scope, scope)[1]
            spent, self.keys["revoked"] = keys.create(connection, "spent", "admin")
            keys.revoke(connection, spent.id)
        for name in ("darts", "chess"):
            perform(self.database, Post(name, MATCHES, author="the tests"))
        self.server: Server


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder: Path = tmp_path_factory.mktemp("openapi")
    url = f"sqlite:///{folder}/league.db"
    found = Place(url)
    with serving(url, folder, rate_limit="0") as found.server:
        yield found
    found.database.close()


@pytest.fixture(scope="module")
def document(place: Place) -> dict[str, Any]:
    answer = place.server.connect().ask("GET", "/openapi.json")
    assert answer.status == 200
    found: dict[str, Any] = answer.json
    return found


def readable(status: int, headers: dict[str, str], body: bytes) -> None:
    """An error is a problem that says in words what was wrong."""
    assert status < 500, body
    if status >= 400:
        assert headers["content-type"] == "application/problem+json", (status, headers, body)
        told = json.loads(body)
        assert told["status"] == status
        assert re.search(r"[a-z]{3,} .*[a-z]{2,}", told["detail"]), told
        assert not re.search(r"Traceback|object at 0x|\bNone\b.*Type|sqlalchemy|psycopg", told["detail"]), told
        assert told["title"]
        for one in told.get("errors", []):
            assert one["field"]
            assert one["detail"]


def test_whatever_is_sent(place: Place, document: dict[str, Any]) -> None:
    attempt(place, 12)


@pytest.mark.long
def test_whatever_is_sent_many_times(place: Place, document: dict[str, Any]) -> None:
    attempt(place, 300)


def attempt(place: Place, examples: int) -> None:
    schema = schemathesis.openapi.from_url(f"{place.server.address}/openapi.json")
    known = {"league": ["darts", "chess"], "id": ["m1", "m2", "m3"], "player": ["ann", "bob", "nobody"]}
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
            answer = case.call(headers={"Authorization": f"Bearer {place.keys['admin']}"}, timeout=30)
            readable(answer.status_code, {k.lower(): v[0] for k, v in answer.headers.items()}, answer.content)
            case.validate_response(answer, checks=CHECKS)

        once()
    assert len(tried) > 15, tried
    for league in ("darts", "chess"):
        check(place.database, league)  # whatever was written, it is sound


NEGATIVE = schemathesis.GenerationMode.NEGATIVE
CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance, status_code_conformance]
