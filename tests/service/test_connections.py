"""Limits on connections: size of headers, slow requests, connections per address, and event streams."""

import socket
import time
from contextlib import ExitStack, suppress

import pytest

from prowess.service import connections
from tests.service.probe_app import bearing, filled, metrics, service

STRANGER = "127.0.0.2"  # unlike 127.0.0.1, not a trusted proxy


@pytest.fixture(autouse=True)
def _frequent_sweeps(monkeypatch):
    monkeypatch.setattr(connections, "SWEEP", 0.05)


def connect(client, *pieces, source=STRANGER):
    address = (client.base_url.host, client.base_url.port)
    line = socket.create_connection(address, 20, (source, 0))
    for piece in pieces:
        line.sendall(piece)
    return line


def response(line):
    """Return everything that the server sends until it closes the connection."""
    with line:
        parts = []
        with suppress(ConnectionResetError):  # the server closed before it had read everything
            while part := line.recv(65536):
                parts.append(part)
        return b"".join(parts)


def is_cut_off(line):
    """Return whether the server closes the connection while the test sends more and more data."""
    with line:
        try:
            for _ in range(1000):
                line.sendall(b"a" * 100)
                time.sleep(0.001)
        except OSError:
            return True
        return False


def is_open(line):
    line.settimeout(0.05)
    try:
        return line.recv(65536) != b""
    except TimeoutError:
        return True
    except ConnectionResetError:
        return False


def refusals(app):
    found = metrics(app)
    return {
        dict(labels)["reason"]: count for (name, *labels), count in found.items() if name.endswith("refusals_total")
    }


def test_endless_request_headers_are_refused_at_the_size_limit(tmp_path):
    with service(tmp_path, header_limit=1000) as (client, app):
        start = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"
        assert client.get("/healthz", headers={"X-Long": "a" * 700}).status_code == 200
        long = client.get("/healthz", headers={"X-Long": "a" * 1001})
        assert (long.status_code, long.headers["connection"]) == (431, "close")
        assert "limit of 1000 bytes" in long.json()["detail"]
        assert client.get("/healthz", headers={f"X-{number}": "" for number in range(101)}).status_code == 431
        assert client.get("/healthz?" + "a" * 1001).status_code == 431
        for more in (b"X-Long: ", b"X-Short: a\r\n" * 10):
            assert is_cut_off(connect(client, start, more))
        assert refusals(app) == {"large_headers": 5}


def test_endless_trailers_and_chunk_extensions_are_refused_at_the_size_limit(tmp_path):
    with service(tmp_path, header_limit=1000) as (client, app):
        start = b"POST /probe/body HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"
        for more in (b"0\r\nX-Long: ", b"3;long="):
            assert is_cut_off(connect(client, start, more))
        assert refusals(app) == {"large_headers": 2}
        # The size limit does not apply to many small chunks.
        assert client.post("/probe/body", content=iter([b"a"] * 3000)).json() == 3000


@pytest.mark.parametrize(
    ("pieces", "reason"),
    [
        ([], "slow_headers"),
        ([b"GET /healthz HTTP/1.1\r\n"], "slow_headers"),
        ([b"GET /healthz HTTP/1.1\r\n\r\n", b"GET /healthz HTTP/1.1\r\n"], "slow_headers"),
        ([b"POST /probe/body HTTP/1.1\r\nContent-Length: 9\r\n\r\n", b"12345678"], "slow_body"),
    ],
    ids=["no request", "incomplete headers", "incomplete second request", "incomplete body"],
)
def test_request_that_arrives_too_slowly_gets_408_request_timeout(tmp_path, pieces, reason):
    with service(tmp_path, header_timeout=0.2, body_timeout=0.2) as (client, app):
        line = connect(client, *pieces)
        said = response(line)
        assert b"HTTP/1.1 408 Request Timeout" in said
        assert b"took too long to arrive" in said
        assert b"application/problem+json" in said
        assert refusals(app) == {reason: 1}
        assert client.get("/healthz").status_code == 200


def test_address_above_its_connection_limit_loses_its_own_oldest_connection(tmp_path):
    with service(tmp_path, address_connections=3) as (client, app), ExitStack() as stack:
        lines = [stack.enter_context(connect(client, b"GET /healthz HTTP/1.1\r\n")) for _ in range(5)]
        assert [is_open(line) for line in lines] == [True] * 5  # the first two have received a 503 response
        assert [is_open(line) for line in lines] == [False, False, True, True, True]
        other = stack.enter_context(connect(client, b"GET /healthz HTTP/1.1\r\n", source="127.0.0.3"))
        proxy = [stack.enter_context(connect(client, b"GET /", source="127.0.0.1")) for _ in range(9)]
        assert [is_open(line) for line in (*lines[2:], other, *proxy)] == [True] * 13
        assert refusals(app) == {"incomplete_request": 2}


def test_connections_with_a_request_in_progress_are_not_closed(tmp_path):
    with service(tmp_path, connection_limit=5) as (client, app), ExitStack() as stack:
        key = bearing(filled(app)["write@*"])["Authorization"]
        stream = b"GET /api/leagues/open/events HTTP/1.1\r\n\r\n"
        upload = f"POST /probe/body HTTP/1.1\r\nAuthorization: {key}\r\nContent-Length: 9\r\n\r\n1234".encode()
        held = [stack.enter_context(connect(client, stream)), stack.enter_context(connect(client, upload))]
        assert held[0].recv(1000).startswith(b"HTTP/1.1 200 ")
        time.sleep(0.1)
        slow = b"POST /probe/body HTTP/1.1\r\nContent-Length: 9\r\n\r\n1234"  # like the upload, but without a key
        for number in range(20):
            stack.enter_context(connect(client, slow if number % 2 else b"GET", source=f"127.0.1.{1 + number}"))
        assert client.get("/healthz").status_code == 200
        assert is_open(held[0])
        held[1].sendall(b"56789")
        assert held[1].recv(1000).startswith(b"HTTP/1.1 200 ")


def test_new_connection_is_refused_if_no_other_can_be_closed(tmp_path):
    with service(tmp_path, connection_limit=2) as (client, app), ExitStack() as stack:
        key = bearing(filled(app)["read@*"])["Authorization"]
        stream = f"GET /api/leagues/open/events HTTP/1.1\r\nAuthorization: {key}\r\n\r\n".encode()
        for _ in range(2):
            assert stack.enter_context(connect(client, stream)).recv(1000).startswith(b"HTTP/1.1 200 ")
        said = response(connect(client))
        assert said.startswith(b"HTTP/1.1 503 ")
        assert b"too many connections" in said


def test_default_connection_limit_depends_on_the_open_file_limit():
    files = connections.open_file_limit()
    table = connections.ConnectionTable(connections.Settings(connection_limit=0), print)
    assert files is None or files - connections.RESERVED_FILES <= table.most < files
    assert connections.ConnectionTable(connections.Settings(connection_limit=7), print).most == 7


def test_event_streams_have_a_limit_per_address_and_per_key(tmp_path):
    with service(tmp_path, stream_limit=2, key_stream_limit=3) as (client, app), ExitStack() as stack:
        key = bearing(filled(app)["read@*"])
        for headers, most in (({}, 2), (key, 3)):
            codes = []
            for _ in range(most + 2):
                streamed = stack.enter_context(client.stream("GET", "/api/leagues/open/events", headers=headers))
                codes.append(streamed.status_code)
            assert codes == [200] * most + [429] * 2
        assert refusals(app) == {"event_streams": 4}
        stack.close()
        for _ in range(100):  # a stream that has ended makes room for another one
            with client.stream("GET", "/api/leagues/open/events") as streamed:
                if streamed.status_code == 200:
                    break
            time.sleep(0.02)
        assert streamed.status_code == 200


def test_body_of_a_refused_request_is_discarded_and_not_stored(tmp_path):
    with service(tmp_path, body_limit=0, anonymous_body_limit=0) as (client, _):
        path = "/api/leagues/open/matches"
        line = connect(client, f"POST {path} HTTP/1.1\r\nContent-Length: 1000000000\r\n\r\n".encode())
        assert line.recv(1000).startswith(b"HTTP/1.1 401 ")
        sent = 0
        with line, suppress(OSError):
            while sent < 100_000_000:
                sent += line.send(bytes(1_000_000))
        assert sent < 100_000_000
