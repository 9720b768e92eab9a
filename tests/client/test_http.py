"""The client's HTTP requests to a fake server: their content, and the conditions under which they are retried."""

import json
import threading

import httpx
import pytest

import prowess as pw
from prowess.client import client as client_module
from prowess.client import http
from prowess.client.http import ServiceError
from prowess.client.responses import Revised, parse_rating

PLAYED = {"league": "darts", "revision": 1, "matches": [{"id": "m1", "time": None, "repeated": False}], "ratings": []}


class Server:
    """Records requests, and answers each with the next item of a list; the last item is repeated.

    An exception in the list stands for a broken connection.
    """

    def __init__(self, *answers):
        self.answers, self.requests = list(answers), []

    def __call__(self, request):
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer(request) if callable(answer) else answer

    def client(self, **options):
        return pw.Client("http://service", "darts", "pw_k", transport=httpx.MockTransport(self), **options)


def ok(body):
    return lambda request: httpx.Response(200, json=body)


@pytest.fixture
def pauses(monkeypatch):
    """The pauses between retries in seconds, on a fake clock and with the longest possible jitter."""
    made, now = [], [0.0]

    def sleep(seconds):
        made.append(seconds)
        now[0] += seconds

    monkeypatch.setattr(http.time, "sleep", sleep)
    monkeypatch.setattr(http.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(http.random, "random", lambda: 1.0)
    return made


def test_request_is_repeated_with_the_same_id_after_a_lost_connection(pauses):
    lost = [httpx.ConnectError("refused"), httpx.ReadTimeout("too late"), httpx.RemoteProtocolError("cut off")]
    server = Server(*lost, ok(PLAYED), ok({"rating": {"mu": 1.0, "sigma": 1.0, "shown": -2.0}}))
    server.client().record([["ann"], ["bob"]])
    posts = [json.loads(request.content) for request in server.requests if request.method == "POST"]
    assert len(posts) == 4
    assert all(post == posts[0] and len(post["id"]) == 32 for post in posts)
    assert pauses == [0.1, 0.2, 0.4]
    assert server.requests[0].headers["authorization"] == "Bearer pw_k"


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_client_waits_as_long_as_the_retry_after_header_says(status, pauses):
    busy = httpx.Response(status, headers={"retry-after": "2"}, json={"detail": "busy"})
    assert len(Server(busy, busy, ok({"total": 7})).client()) == 7
    assert pauses == [2.0, 2.0]


def test_client_stops_retrying_after_patience_seconds(pauses):
    server = Server(httpx.Response(503, json={"detail": "the database is full"}))
    with pytest.raises(pw.Error, match="the database is full") as caught:
        len(server.client(patience=20))
    assert sum(pauses) <= 20 < sum(pauses) + 10.0
    assert caught.value.status == 503
    with pytest.raises(pw.Error, match="busy"):
        len(Server(httpx.Response(429, headers={"retry-after": "3600"}, json={"detail": "busy"})).client())


def test_error_names_the_address_of_an_unreachable_server(pauses):
    with pytest.raises(pw.Error, match=r"http://service.*refused") as caught:
        len(Server(httpx.ConnectError("refused")).client(patience=1))
    assert caught.value.status == 0


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 422, 500])
def test_rejected_request_is_not_retried(status, pauses):
    problem = {"type": "about:blank", "title": "No", "status": status, "detail": "no, because"}
    problem["errors"] = [{"field": "matches[2].ranks", "detail": "2 ranks for 3 teams"}]
    server = Server(httpx.Response(status, json=problem))
    with pytest.raises(pw.Error, match=r"^no, because; matches\[2\].ranks: 2 ranks for 3 teams$") as caught:
        server.client().record([["ann"], ["bob"]], id="m1")
    assert (caught.value.status, caught.value.problem) == (status, problem)
    assert (len(server.requests), pauses) == (1, [])


def moved(request):
    location = str(request.url.raw_path, "ascii").replace("/darts", "/pub")
    return httpx.Response(308, headers={"location": location}, json={"detail": "league 'darts' is now named 'pub'"})


def test_client_follows_a_renamed_league_to_its_new_name(pauses):
    server = Server(moved, ok({"total": 7}))
    assert len(server.client()) == 7
    assert [str(request.url) for request in server.requests] == [
        f"http://service/api/leagues/{name}/leaderboard?size=1" for name in ("darts", "pub")
    ]
    assert pauses == []
    server = Server(moved)
    with pytest.raises(ServiceError, match="is now named 'pub'"):
        len(server.client())
    assert len(server.requests) == 2
    evil = httpx.Response(308, headers={"location": "//evil.example/api"}, json={})
    server = Server(evil, evil)
    with pytest.raises(ServiceError):
        len(server.client())
    assert {request.url.host for request in server.requests} == {"service"}


def test_response_that_is_not_json_raises_service_error(pauses):
    with pytest.raises(ServiceError, match=r"^404 Not Found$"):
        len(Server(httpx.Response(404, text="<html>")).client())
    with pytest.raises(ServiceError, match=r"http://service.* is not a rating service: .*/leaderboard is not JSON"):
        len(Server(httpx.Response(200, text="<html>")).client())
    with pytest.raises(ServiceError, match=r"^no$"):
        len(Server(httpx.Response(400, json={"detail": "no", "errors": None})).client())
    assert len(Server(httpx.Response(503, headers={"retry-after": "nan"}), ok({"total": 7})).client()) == 7


def test_api_key_is_stripped_and_validated(pauses):
    server = Server(ok({"total": 7}))
    len(pw.Client("http://service", "darts", "pw_k\n", transport=httpx.MockTransport(server)))
    assert server.requests[0].headers["authorization"] == "Bearer pw_k"
    for key in ("", "pw_ä", "a\r\nb", 7):
        with pytest.raises(pw.Error, match=r"^key must be the text"):
            pw.Client("http://service", "darts", key)


def test_error_of_record_all_names_the_key_with_which_a_second_call_resumes(pauses):
    first = ok({**PLAYED, "matches": [{"id": "x", "repeated": False}] * 2})
    server = Server(first, httpx.Response(422, json={"detail": "bad"}))
    matches = [{"teams": [["ann"], ["bob"]]}] * 3
    client = server.client()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client_module, "BATCH", 2)
        with pytest.raises(pw.Error, match=r"bad \(the first 2 matches are recorded; call again with key='week'"):
            client.record_all(iter(matches), key="week")
    sent = [json.loads(request.content) for request in server.requests]
    assert [[match["id"] for match in part] for part in sent] == [["week/1", "week/2"], ["week/3"]]


def test_player_names_are_encoded_as_one_path_segment(pauses):
    server = Server(ok({"rating": {"mu": 1.0, "sigma": None, "shown": 1.0}}))
    client = server.client()
    for name in ("..", "a/b", "a?b#c", "Øyvind", "%2F"):
        assert client[name] == pw.Rating(1.0)
    paths = [request.url.raw_path.partition(b"?")[0].decode() for request in server.requests]
    assert paths == [
        f"/api/leagues/darts/players/{n}" for n in ("%2E%2E", "a%2Fb", "a%3Fb%23c", "%C3%98yvind", "%252F")
    ]


def test_times_and_numpy_arrays_are_sent_as_json(pauses):
    import datetime as dt

    import numpy as np

    server = Server(ok(PLAYED))
    client = server.client()
    client.preview([["ann"], ["bob"]], scores=np.array([3, 1]), time=dt.date(2026, 1, 31))
    client.preview([["ann"], ["bob"]], time=np.datetime64("2026-01-31T10:00:00"))
    first, second = (json.loads(request.content) for request in server.requests)
    assert (first["scores"], first["time"], second["time"]) == ([3, 1], "2026-01-31", "2026-01-31T10:00:00")
    with pytest.raises(pw.Error, match="as JSON"):
        client.preview([["ann"], ["bob"]], scores=[float("nan"), 1])
    with pytest.raises(TypeError, match="tme"):
        client.preview([["ann"], ["bob"]], tme=5)


@pytest.mark.parametrize(
    "rating",
    [
        pw.Rating(29.395832, 7.171476),
        pw.Rating(0.1 + 0.2, 1 / 3, caution=2.5),
        pw.Rating(1500.123456789),
        pw.Rating(1500, 200, volatility=0.06),
        pw.Rating(offence=pw.Rating(30.1, 4.7), defence=pw.Rating(20.3, 3.3)),
    ],
    ids=repr,
)
def test_rating_round_trips_through_json_to_the_last_bit(rating):
    def body(part):
        parts = {name: body(inner) if isinstance(inner, pw.Rating) else inner for name, inner in part.parts.items()}
        return {"mu": part.mu, "sigma": part.sigma, "shown": part.shown, "volatility": None, **parts}

    assert parse_rating(json.loads(json.dumps(body(rating)))) == rating


def test_revised_ratings_are_sorted_by_size_of_change():
    row = {"mu": 30.0, "sigma": 4.0, "shown": 18.0}
    rows = [
        {"player": "ann", "before": row, "after": {**row, "mu": 31.0, "shown": 19.0}},
        {"player": "bob", "before": row, "after": {**row, "mu": 26.0, "shown": 14.0}},
        {"player": "cat", "before": row, "after": None},
    ]
    frame = Revised.from_json({"revision": 3, "ratings": rows}).to_frame()
    assert frame.rows() == [("bob", 18.0, 14.0, -4.0), ("ann", 18.0, 19.0, 1.0), ("cat", 18.0, None, None)]


def test_event_stream_resumes_after_a_broken_connection(pauses):
    def stream(*revisions):
        data = {"ratings": [], "more": False}
        lines = [
            f"id: {revision}\nevent: ratings\ndata: {json.dumps(data | {'revision': revision})}\n\n: ping\n\n"
            for revision in revisions
        ]
        return httpx.Response(200, headers={"content-type": "text/event-stream"}, text="".join(lines))

    server = Server(stream(1, 2), httpx.ReadError("cut"), httpx.Response(503, json={}), stream(3))
    events = server.client().events(after=0)
    assert [next(events).revision for _ in range(3)] == [1, 2, 3]
    assert [request.headers["last-event-id"] for request in server.requests] == ["0", "2", "2", "2"]


def test_threads_can_share_a_client(pauses):
    server = Server(lambda request: httpx.Response(200, json={"total": int(request.url.params["size"])}))
    client, lengths = server.client(), []
    threads = [threading.Thread(target=lambda: lengths.append(len(client))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lengths == [1] * 8
