"""Every failure gets a readable problem response that names the invalid field and reveals no internals."""

import pytest

import prowess as pw
from prowess.service.errors import field_path
from prowess.store.errors import CommitUnknown, Unavailable
from tests.service.probe_app import bearing, service

BODIES = (b"\xff\xfe", b"[" * 50_000, b'{"a": "\xed\xa0\x80"}', b"NaN", b'"\\ud800"', b"1e999", b"\0")


def test_any_invalid_request_body_gets_a_client_error(tmp_path):
    with service(tmp_path) as (client, _):
        for body in BODIES:
            answer = client.post("/probe/form", content=body, headers={"Content-Type": "application/json"})
            assert answer.status_code in (400, 422)
            assert answer.json()["detail"]


def test_server_errors_do_not_reveal_internals(tmp_path, capfd, caplog):
    with service(tmp_path) as (client, app):
        answer = client.post("/probe/failure")
        assert answer.status_code == 500
        assert "swordfish" not in answer.text
        assert answer.headers["x-request-id"] in caplog.text  # so that operators can find the traceback
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


# Matches that the library rejects, each with the field that the error must name.
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
def test_errors_of_the_library_name_the_field_of_the_request(match, field):
    good = {"teams": [["ann"], ["bob"]]} | ({"time": "2026-01-31"} if "time" in match else {})
    with pytest.raises(pw.Error) as caught:
        pw.History.from_matches([good, match])
    assert field_path(caught.value) == f"matches[1].{field}", caught.value
    assert field_path(caught.value, single=True) == field


def test_library_error_becomes_a_problem_response_with_its_field(tmp_path):
    with service(tmp_path) as (client, _):
        said = "match 3: 2 ranks for 3 teams: give one for each"
        answer = client.post("/probe/error", params={"message": said, "field": "ranks", "match": 2})
        assert answer.status_code == 422
        assert answer.json()["detail"] == said
        assert answer.json()["errors"] == [{"field": "matches[2].ranks", "detail": said}]
        long = client.post("/probe/error", params={"message": "x" * 50_000})
        assert len(long.text) < 3000
