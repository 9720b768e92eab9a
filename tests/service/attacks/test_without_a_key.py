"""Attacks that need no key: endless headers, incomplete requests, event streams, unread responses."""

from contextlib import ExitStack, contextmanager, suppress

import pytest

from tests.service.attacks.harness import (
    LEAGUE,
    assert_unharmed,
    connect,
    cpu_seconds,
    half_open,
    measure,
    memory,
    repeating,
    running,
)
from tests.service.probe_app import samples

MB = 1024 * 1024
MUCH = b"a" * 65536


def limit_files(most):
    """Return Python code that limits the open files of the server and its workers, as most systems do."""
    return f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({most}, {most}))"


def endless_header(server):
    """Send a header that never ends, and connect again whenever the server closes the connection."""

    def send():
        with connect(server) as line:
            line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: ")
            while True:
                line.sendall(MUCH)

    return repeating(send, pause=0.02)


def half_open_requests(server, most):
    return half_open(server, most, b"GET / HTTP/1.1\r\nHost: x\r\n")


def half_open_from_everywhere(server, most):
    """Send incomplete requests from many addresses, with fewer connections per address than the limit."""
    stack = ExitStack()
    for number in range(0, most, 50):
        start = b"GET / HTTP/1.1\r\nHost: x\r\n"
        stack.enter_context(half_open(server, 50, start, source=f"127.0.1.{1 + number // 50}"))
    return stack


def event_streams(server, most):
    start = f"GET /api/leagues/{LEAGUE}/events HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    return half_open(server, most, start, answered=True)


def unread_responses(server, most):
    """Request responses that are larger than all buffers, and read none of them."""
    start = f"GET /api/leagues/{LEAGUE}/export.csv HTTP/1.1\r\nHost: x\r\n\r\n".encode() * 50
    return half_open(server, most, start, answered=True)


@contextmanager
def unfinished_bodies(server, most, size):
    """Send large bodies without their last byte over many connections."""
    lines = f"POST /api/leagues/{LEAGUE}/predict HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    head = f"{lines}Content-Length: {size}\r\n\r\n".encode()
    with ExitStack() as stack:
        for _ in range(most):
            line = stack.enter_context(connect(server))
            with suppress(OSError):
                line.sendall(head + b" " * (size - 1))
        yield


def refusals(server, key):
    found = samples(server.connect(key).ask("GET", "/metrics").body.decode())
    return {
        dict(labels)["reason"]: value for (name, *labels), value in found.items() if name == "prowess_refusals_total"
    }


def test_small_attacks_without_a_key_do_not_slow_down_other_clients(tmp_path):
    """All attacks run at the same time."""
    with running(tmp_path, first=limit_files(300), header_limit="4096") as (server, key):

        @contextmanager
        def attack():
            with (
                half_open_requests(server, 150),
                half_open_from_everywhere(server, 200),
                event_streams(server, 80),
                unfinished_bodies(server, 20, 4 * MB),
                endless_header(server),
            ):
                yield

        before = memory(server)
        quiet, attacked = measure(server, key, attack, seconds=1.0)
        assert_unharmed(quiet, attacked, share=0.9)
        assert memory(server) < before + 40  # MB; the unfinished bodies have 80 MB in total
        assert refusals(server, key).keys() >= {"large_headers", "large_body", "event_streams", "incomplete_request"}


ATTACKS = {
    "endless header": endless_header,
    "half-open requests": lambda server: half_open_requests(server, 1100),
    "half-open requests from 22 addresses": lambda server: half_open_from_everywhere(server, 1100),
    "event streams": lambda server: event_streams(server, 950),
    "unfinished bodies": lambda server: unfinished_bodies(server, 100, 16 * MB),
    "unread responses": lambda server: unread_responses(server, 500),
}


@pytest.mark.long
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("attack", ATTACKS)
def test_large_attack_without_a_key_neither_slows_down_other_clients_nor_fills_the_memory(
    attack, workers, tmp_path, database_url
):
    with running(tmp_path, database_url, workers=workers, first=limit_files(1024)) as (server, key):
        before, spent = memory(server), cpu_seconds(server)
        quiet, attacked = measure(server, key, lambda: ATTACKS[attack](server), seconds=5.0)
        print(
            f"{attack}: {memory(server, peak=True) - before:.0f} MB more, {cpu_seconds(server) - spent:.1f} CPU-seconds"
        )
        assert_unharmed(quiet, attacked)
        assert memory(server, peak=True) < before + 100 * workers
