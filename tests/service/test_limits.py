"""Limits of bodies and of rates."""

import socket

from hypothesis import given
from hypothesis import strategies as st

from prowess.service.middleware import Buckets
from tests.service.running import bearing, filled, service


def raw(client, *pieces):
    """Send bytes, and give the first of what comes back."""
    with socket.create_connection((client.base_url.host, client.base_url.port), timeout=20) as there:
        for piece in pieces:
            there.sendall(piece)
        return there.recv(65536)


def head(path, *lines):
    return "\r\n".join((f"POST {path} HTTP/1.1", "Host: x", *lines, "", "")).encode()


def test_a_body_that_is_too_large_is_refused_before_it_is_read(tmp_path):
    with service(tmp_path, body_limit=1000, import_limit=5000) as (client, _):
        for path, most in (("/probe/body", 1000), ("/api/leagues/probe/import", 5000)):
            assert client.post(path, content=bytes(most)).json() == most
            assert client.post(path, content=iter([bytes(most // 2)] * 2)).json() == most
            said = raw(client, head(path, "Content-Length: 1000000000"))  # and nothing more is sent
            assert said.startswith(b"HTTP/1.1 413 ")
            chunk = b"%x\r\n%s\r\n" % (most // 2 + 1, bytes(most // 2 + 1))
            said = raw(client, head(path, "Transfer-Encoding: chunked"), chunk, chunk)  # and no end of it
            assert said.startswith(b"HTTP/1.1 413 ")
            assert f"limit of {most} bytes".encode() in said
        said = raw(client, head("/api/leagues/probe/matches/import", "Content-Length: 3000"))  # an id, and no file
        assert said.startswith(b"HTTP/1.1 413 ")


def test_a_compressed_body_is_refused(tmp_path):
    with service(tmp_path) as (client, _):
        assert client.post("/probe/body", content=b"abc", headers={"Content-Encoding": "identity"}).json() == 3
        told = client.post("/probe/body", content=b"abc", headers={"Content-Encoding": "gzip"})
        assert (told.status_code, told.headers["accept-encoding"]) == (415, "identity")
        assert "gzip" in told.json()["detail"]


def test_no_limit_at_all(tmp_path):
    with service(tmp_path, body_limit=0, rate_limit=0, key_rate_limit=0) as (client, app):
        assert client.post("/probe/body", content=bytes(100_000)).json() == 100_000
        for headers in ({}, bearing(filled(app)["read@*"])):
            assert {client.post("/probe/body", headers=headers).status_code for _ in range(205)} == {200}


def test_an_address_and_a_key_have_limits_of_their_own(tmp_path):
    limits = {"rate_limit": 0.01, "rate_burst": 5, "key_rate_limit": 0.01, "key_rate_burst": 8}
    with service(tmp_path, **limits) as (client, app):
        secrets = filled(app)
        first, second = bearing(secrets["read@*"]), bearing(secrets["write@*"])
        assert client.post("/probe/body", headers=first).status_code == 200  # as yet an unknown key: for the address
        assert [client.post("/probe/body", headers=first).status_code for _ in range(10)] == [200] * 8 + [429] * 2
        assert client.post("/probe/body", headers=second).status_code == 200
        codes = [client.post("/probe/body", headers=bearing(f"guess {n}")).status_code for n in range(5)]
        assert codes == [200] * 3 + [429] * 2
        refused = client.post("/probe/body")
        assert refused.status_code == 429
        assert 90 < int(refused.headers["retry-after"]) <= 100
        assert "too many requests" in refused.json()["detail"]
        assert client.post("/probe/body", headers=second).status_code == 200
        assert {client.get(path).status_code for path in ("/healthz", "/readyz", "/metrics") * 3} == {200}


@given(
    st.floats(0.1, 1000),
    st.integers(1, 50),
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 30)), max_size=100),
)
def test_buckets_are_filled_at_their_rate_up_to_the_burst(rate, burst, requests):
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


def test_full_buckets_are_forgotten():
    buckets = Buckets(1.0, 5)
    for number in range(100_000):
        assert buckets.take(number, number / 100) == 0
    assert len(buckets._full) < 3000
