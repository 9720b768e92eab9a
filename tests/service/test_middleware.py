"""Middleware: headers, HEAD, CORS, body size and rate limits."""

import socket

from hypothesis import given
from hypothesis import strategies as st

from prowess.service.middleware import Buckets
from tests.service.probe_app import bearing, filled, metrics, service


def raw(client, *pieces):
    """Send bytes, and return the start of the response."""
    with socket.create_connection((client.base_url.host, client.base_url.port), timeout=20) as there:
        for piece in pieces:
            there.sendall(piece)
        return there.recv(65536)


def head(path, *lines):
    return "\r\n".join((f"POST {path} HTTP/1.1", "Host: x", *lines, "", "")).encode()


ALWAYS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
}


def test_responses_have_security_headers_and_errors_are_problem_json(tmp_path):
    with service(tmp_path, anonymous_body_limit=100) as (client, _):
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


def test_head_request_returns_the_same_headers_as_a_get_request(tmp_path):
    with service(tmp_path) as (client, app):
        filled(app)
        for path in ("/healthz", "/readyz", "/api/leagues/open/leaderboard", "/api/leagues/closed/events"):
            whole, head = client.get(path), client.head(path)
            assert (head.status_code, head.content) == (whole.status_code, b"")
            assert head.headers["content-type"] == whole.headers["content-type"]
        head = client.head("/api/leagues/open/events")  # an endless stream
        assert (head.status_code, head.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
        found = metrics(app)
        labels = (("method", "HEAD"), ("route", "/api/leagues/{league}/leaderboard"), ("status", "200"))
        assert found["prowess_requests_total", *labels] == 1


def test_response_repeats_a_valid_request_id_sent_by_the_client(tmp_path):
    with service(tmp_path) as (client, _):
        given = client.get("/healthz", headers={"X-Request-ID": "abc-123"})
        assert given.headers["x-request-id"] == "abc-123"
        for bad in ("x" * 65, "a b", '"'):
            made = client.get("/healthz", headers={"X-Request-ID": bad}).headers["x-request-id"]
            assert len(made) == 16


def test_cors_headers_are_sent_only_if_the_setting_allows_them(tmp_path):
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


def test_oversized_body_is_refused_before_it_is_read(tmp_path):
    with service(tmp_path, anonymous_body_limit=500, body_limit=1000, import_limit=5000) as (client, app):
        key = bearing(filled(app)["write@*"])
        limits = [("/probe/body", key, 1000), ("/api/leagues/probe/import", key, 5000)]
        limits += [("/probe/body", {}, 500), ("/api/leagues/probe/import", bearing("no such key"), 500)]
        for path, headers, most in limits:
            lines = [f"{name}: {value}" for name, value in headers.items()]
            assert client.post(path, headers=headers, content=bytes(most)).json() == most
            assert client.post(path, headers=headers, content=iter([bytes(most // 2)] * 2)).json() == most
            said = raw(client, head(path, *lines, "Content-Length: 1000000000"))  # the body is never sent
            assert said.startswith(b"HTTP/1.1 413 ")
            chunk = b"%x\r\n%s\r\n" % (most // 2 + 1, bytes(most // 2 + 1))
            said = raw(client, head(path, *lines, "Transfer-Encoding: chunked"), chunk, chunk)  # the body never ends
            assert said.startswith(b"HTTP/1.1 413 ")
            assert f"limit of {most} bytes{'' if headers == key else ' without a valid key'}".encode() in said
        lines = [f"Authorization: {key['Authorization']}", "Content-Length: 3000"]
        said = raw(client, head("/api/leagues/probe/matches/import", *lines))  # "import" is the id of a match here
        assert said.startswith(b"HTTP/1.1 413 ")
        assert metrics(app)["prowess_refusals_total", ("reason", "large_body")] == 9


def test_compressed_body_is_refused(tmp_path):
    with service(tmp_path) as (client, _):
        assert client.post("/probe/body", content=b"abc", headers={"Content-Encoding": "identity"}).json() == 3
        told = client.post("/probe/body", content=b"abc", headers={"Content-Encoding": "gzip"})
        assert (told.status_code, told.headers["accept-encoding"]) == (415, "identity")
        assert "gzip" in told.json()["detail"]


def test_request_limits_can_be_disabled(tmp_path):
    with service(tmp_path, body_limit=0, anonymous_body_limit=0, rate_limit=0, key_rate_limit=0) as (client, app):
        assert client.post("/probe/body", content=bytes(100_000)).json() == 100_000
        for headers in ({}, bearing(filled(app)["read@*"])):
            assert {client.post("/probe/body", headers=headers).status_code for _ in range(205)} == {200}


def test_addresses_and_keys_have_separate_rate_limits(tmp_path):
    limits = {"rate_limit": 0.01, "rate_burst": 5, "key_rate_limit": 0.01, "key_rate_burst": 8}
    with service(tmp_path, **limits) as (client, app):
        secrets = filled(app)
        first, second = bearing(secrets["read@*"]), bearing(secrets["write@*"])
        # The key is not cached yet, so the request counts for the address.
        assert client.post("/probe/body", headers=first).status_code == 200
        assert [client.post("/probe/body", headers=first).status_code for _ in range(10)] == [200] * 8 + [429] * 2
        assert client.post("/probe/body", headers=second).status_code == 200
        codes = [client.post("/probe/body", headers=bearing(f"guess {n}")).status_code for n in range(5)]
        assert codes == [200] * 3 + [429] * 2
        refused = client.post("/probe/body")
        assert refused.status_code == 429
        assert 90 < int(refused.headers["retry-after"]) <= 100
        assert "too many requests" in refused.json()["detail"]
        assert client.post("/probe/body", headers=second).status_code == 200
        assert {client.get(path).status_code for path in ("/healthz", "/readyz") * 3} == {200}


def test_addresses_and_keys_have_separate_cpu_time_limits(tmp_path):
    limits = {"cpu_limit": 0.01, "cpu_burst": 0.1, "key_cpu_limit": 0.01, "key_cpu_burst": 0.2}
    with service(tmp_path, **limits) as (client, app):
        key = bearing(filled(app)["read@*"])
        client.post("/probe/body", headers=key)  # from now on, the key is cached
        for headers in ({}, key):
            assert client.post("/probe/work?seconds=0.01", headers=headers).status_code == 200
            # CPU time is charged after the request.
            assert client.post("/probe/work?seconds=0.3", headers=headers).status_code == 200
            refused = client.post("/probe/body", headers=headers)
            assert refused.status_code == 429
            assert 5 < int(refused.headers["retry-after"]) < 60
            assert "too much CPU time" in refused.json()["detail"]
        assert client.get("/healthz").status_code == 200
        assert metrics(app)["prowess_refusals_total", ("reason", "cpu_time")] == 2


@given(
    st.floats(0.1, 1000),
    st.integers(1, 50),
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 30)), max_size=100),
)
def test_rate_limit_buckets_refill_at_their_rate_up_to_the_burst(rate, burst, requests):
    buckets, tokens, last, now = Buckets(rate, burst), {}, {}, 0.0
    for name, pause in requests:
        now += pause / (10 * rate)
        held = min(burst, tokens.get(name, burst) + (now - last.get(name, now)) * rate)
        wait = buckets.take(name, now)
        if abs(held - 1) > 1e-6:
            assert (wait == 0) == (held >= 1)
        if wait:
            assert abs(wait - (1 - held) / rate) < 1e-6 / rate + 1e-9
        else:
            held -= 1
        tokens[name], last[name] = held, now


def test_full_rate_limit_buckets_are_removed_from_memory():
    buckets = Buckets(1.0, 5)
    for number in range(100_000):
        assert buckets.take(number, number / 100) == 0
    assert len(buckets._full) < 3000
