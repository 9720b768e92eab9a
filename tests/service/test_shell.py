"""What stands around every route: headers, problems, logs, figures, and the document."""

import json

import pytest
from prometheus_client.parser import text_string_to_metric_families

import prowess as pw
from prowess.service.errors import field_path
from prowess.store.errors import CommitUnknown, Unavailable
from tests.service.running import bearing, filled, service

ALWAYS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
}


def test_every_answer_has_its_headers_and_every_error_is_a_problem(tmp_path):
    with service(tmp_path, body_limit=100) as (client, _):
        asked = {
            200: client.get("/healthz"),
            400: client.post("/probe/form", content=b'{"a": [1,}', headers={"Content-Type": "application/json"}),
            401: client.post("/api/leagues/x/write"),
            404: client.get("/nowhere"),
            405: client.delete("/healthz"),
            413: client.post("/probe/body", content=bytes(101)),
            422: client.post("/probe/form", json={"a": [1, "x"]}),
            500: client.post("/probe/failure"),
        }
        for status, answer in asked.items():
            assert answer.status_code == status
            assert ALWAYS.items() <= answer.headers.items()
            assert "server" not in answer.headers or answer.headers["server"] == "uvicorn"
            if status != 200:
                assert answer.headers["content-type"] == "application/problem+json"
                found = answer.json()
                assert found["status"] == status
                assert len(found["detail"]) > 10
                assert found["request_id"] == answer.headers["x-request-id"]
        assert asked[422].json()["errors"] == [
            {"field": "a[1]", "detail": "Input should be a valid integer, unable to parse string as an integer"}
        ]
        assert "GET" in asked[405].json()["detail"]
        assert "character 9" in asked[400].json()["detail"]
        assert asked[405].headers["allow"] == "GET, HEAD"


def test_who_asks_for_the_head_alone_is_told_what_all_of_it_would_say(tmp_path):
    with service(tmp_path) as (client, app):
        filled(app)
        for path in ("/healthz", "/readyz", "/metrics", "/api/leagues/open/leaderboard", "/api/leagues/closed/events"):
            whole, head = client.get(path), client.head(path)
            assert (head.status_code, head.content) == (whole.status_code, b"")
            assert head.headers["content-type"] == whole.headers["content-type"]
        head = client.head("/api/leagues/open/events")  # which has no end
        assert (head.status_code, head.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
        found = samples(client.get("/metrics").text)
        labels = (("method", "HEAD"), ("route", "/api/leagues/{league}/leaderboard"), ("status", "200"))
        assert found["prowess_requests_total", *labels] == 1


BODIES = (b"\xff\xfe", b"[" * 50_000, b'{"a": "\xed\xa0\x80"}', b"NaN", b'"\\ud800"', b"1e999", b"\0")


def test_any_body_gets_an_answer(tmp_path):
    with service(tmp_path) as (client, _):
        for body in BODIES:
            answer = client.post("/probe/form", content=body, headers={"Content-Type": "application/json"})
            assert answer.status_code in (400, 422)
            assert answer.json()["detail"]


def test_failures_say_nothing_of_our_insides(tmp_path, capfd, caplog):
    with service(tmp_path) as (client, app):
        answer = client.post("/probe/failure")
        assert answer.status_code == 500
        assert "swordfish" not in answer.text
        assert answer.headers["x-request-id"] in caplog.text  # and there is the rest
        assert "swordfish" in caplog.text

        def lost(name):
            raise Unavailable("the database (postgresql) cannot be used now", "no route to 10.1.2.3")

        app.state.service.keys._load = lost
        answer = client.post("/probe/body", headers=bearing("abc"))
        assert answer.status_code == 503
        assert "10.1.2.3" not in answer.text
        assert "10.1.2.3" in caplog.text
        assert answer.headers["retry-after"] == "1"
        assert "nothing was changed" in answer.text

        def unsure(name):
            raise CommitUnknown("the database (postgresql) cannot be used now", "the server went away")

        app.state.service.keys._load = unsure
        answer = client.post("/probe/body", headers=bearing("abc"))
        assert answer.status_code == 503
        assert "may or may not be stored" in answer.text
        assert client.get("/healthz", headers=bearing("abc")).status_code == 200


def test_a_request_keeps_the_id_that_it_came_with(tmp_path):
    with service(tmp_path) as (client, _):
        given = client.get("/healthz", headers={"X-Request-ID": "abc-123"})
        assert given.headers["x-request-id"] == "abc-123"
        for bad in ("x" * 65, "a b", '"'):
            made = client.get("/healthz", headers={"X-Request-ID": bad}).headers["x-request-id"]
            assert len(made) == 16


# Each message is what the library says of the match; the field is what a person would point at.
WRONG = [
    ({"teams": "ann"}, "teams"),
    ({}, "teams"),
    ({"teams": [["ann"], "bob"]}, "teams"),
    ({"teams": [["ann"], []]}, "teams"),
    ({"teams": [["ann"], ["ann"]]}, "teams"),
    ({"teams": [["ann"], [7.5]]}, "teams"),
    ({"teams": [["ann"]]}, "teams"),
    ({"teams": [["ranks"], ["ranks"]]}, "teams"),
    ({"teams": [["time", "time"], ["bob"]]}, "teams"),
    ({"teams": [["ann"], ["bob"]], "ranks": [1]}, "ranks"),
    ({"teams": [["ann"], ["bob"]], "ranks": [1, "second"]}, "ranks"),
    ({"teams": [["ann"], ["bob"]], "ranks": "12"}, "ranks"),
    ({"teams": [["ann"], ["bob"]], "scores": [1, 2, 3]}, "scores"),
    ({"teams": [["ann"], ["bob"]], "scores": [1, float("inf")]}, "scores"),
    ({"teams": [["ann"], ["bob"]], "time": "someday"}, "time"),
    ({"teams": [["ann"], ["bob"]], "weights": [[1]]}, "weights"),
    ({"teams": [["ann"], ["bob"]], "weights": [[1], [1, 2]]}, "weights"),
    ({"teams": [["ann"], ["home"]], "weights": [[1], [-1]]}, "weights"),
    ({"teams": [["ann"], ["bob"]], "importance": -1}, "importance"),
    ({"teams": [["ann"], ["bob"]], "importance": "much"}, "importance"),
    ({"teams": [["ann"], ["bob"]], "home": 2}, "home"),
    ({"teams": [["ann"], ["bob"]], "id": ""}, "id"),
    ({"teams": [["ann"], ["bob"]], "id": ["a"]}, "id"),
    ({"teams": [["ann"], ["bob"]], "winner": "ann"}, "winner"),
]


@pytest.mark.parametrize(("match", "field"), WRONG, ids=[f"{field}-{n}" for n, (_, field) in enumerate(WRONG)])
def test_errors_of_the_library_name_the_field(match, field):
    good = {"teams": [["ann"], ["bob"]]} | ({"time": "2026-01-31"} if "time" in match else {})
    with pytest.raises(pw.Error) as caught:
        pw.History.from_matches([good, match])
    assert field_path(caught.value) == f"matches[1].{field}", caught.value
    assert field_path(caught.value, single=True) == field


def test_an_error_of_the_library_is_answered_with_its_field(tmp_path):
    with service(tmp_path) as (client, _):
        said = "match 3: 2 ranks for 3 teams: give one for each"
        answer = client.post("/probe/error", params={"message": said, "field": "ranks", "match": 2})
        assert answer.status_code == 422
        assert answer.json()["detail"] == said
        assert answer.json()["errors"] == [{"field": "matches[2].ranks", "detail": said}]
        long = client.post("/probe/error", params={"message": "x" * 50_000})
        assert len(long.text) < 3000


def test_other_sites_may_read_answers_only_if_told_so(tmp_path):
    asked = {"Origin": "https://a.example"}
    preflight = asked | {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    with service(tmp_path) as (client, _):
        assert "access-control-allow-origin" not in client.get("/healthz", headers=asked).headers
        assert client.options("/probe/body", headers=preflight).status_code == 405
    with service(tmp_path, cors_origins=("https://a.example",)) as (client, _):
        assert client.get("/nowhere", headers=asked).headers["access-control-allow-origin"] == "https://a.example"
        assert client.options("/probe/body", headers=preflight).status_code == 200
        other = client.get("/healthz", headers={"Origin": "https://b.example"})
        assert "access-control-allow-origin" not in other.headers


@pytest.mark.parametrize("log", ["json", "text"])
def test_a_line_of_the_log_for_each_request_without_secrets(tmp_path, capsys, log):
    with service(tmp_path, log=log) as (client, app):
        secret = filled(app)["write@open"]
        client.post("/api/leagues/open/write", headers=bearing(secret) | {"X-Request-ID": "r1"})
        client.get("/no%0Awhere%1b%e2%80%ae", params={"secret": secret})
    written = capsys.readouterr().err
    assert secret not in written
    first, second = written.splitlines()
    assert second.isprintable()
    if log == "json":
        found = json.loads(first)
        assert found.keys() == {"time", "level", "method", "route", "path", "status", "ms", "request_id", "key"}
        assert found["route"] == "/api/leagues/{league}/write"
        assert (found["status"], found["key"], found["request_id"]) == (200, "write@open", "r1")
        assert json.loads(second)["path"] == "/no\nwhere\x1b\u202e"
    else:
        assert "POST /api/leagues/open/write 200 " in first
        assert first.endswith(" r1 write@open")


def samples(page):
    return {
        (one.name, *sorted(one.labels.items())): one.value
        for family in text_string_to_metric_families(page)
        for one in family.samples
    }


def test_figures_count_requests_by_route_and_status(tmp_path):
    with service(tmp_path) as (client, app):
        filled(app)
        for league in ("open", "open", "nowhere"):
            client.post(f"/api/leagues/{league}/read")
        client.request("PROPFIND", "/healthz")
        found = samples(client.get("/metrics").text)
        for method, route, status, times in (
            ("POST", "/api/leagues/{league}/read", "200", 2),
            ("POST", "/api/leagues/{league}/read", "404", 1),
            ("other", "/healthz", "405", 1),
        ):
            labels = (("method", method), ("route", route), ("status", status))
            assert found["prowess_requests_total", *labels] == times
        assert found["prowess_request_seconds_count", ("method", "POST"), ("route", "/api/leagues/{league}/read")] == 3
    with service(tmp_path, metrics=False) as (client, _):
        assert client.get("/metrics").status_code == 404


def test_the_document_declares_what_every_route_may_answer(tmp_path):
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


def test_a_service_that_ends_is_not_ready(tmp_path):
    with service(tmp_path) as (client, app):
        assert client.get("/readyz").status_code == 200
        app.state.service.closing.set()
        assert client.get("/readyz").status_code == 503
        assert client.get("/healthz").status_code == 200
