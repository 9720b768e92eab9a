"""`prowess serve` as users run it: a process on a free port, its output, and its shutdown."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import httpx
import pytest

from tests.cli.running import environment, run
from tests.service.load import Load
from tests.service.probe_app import samples
from tests.service.servers import create_league, free_port
from tests.service.servers import serving as server

PATIENCE = 60


@contextmanager
def serving(folder, *words):
    """Run `prowess serve`, and yield the process and its URL."""
    line = [sys.executable, "-m", "prowess", "serve", "--port", "0", *words]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(line, cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        said = process.stdout.readline()
        found = re.fullmatch(r"open (http://127\.0\.0\.1:\d+) in a browser\n", said)
        assert found, said + (folder / "log").read_text()
        yield process, found[1]
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdout.close()


def ended(process, how):
    process.send_signal(how)
    return process.wait(PATIENCE)


def test_demo_server_deletes_its_temporary_files_and_a_second_server_on_its_port_fails(tmp_path):
    with serving(tmp_path, "--demo") as (process, address):
        league, key = process.stdout.readline(), process.stdout.readline()
        assert league == f"league: {address}/leagues/demo/standings\n"
        assert re.fullmatch(r"key: pw_[\w-]+\n", key)
        place = re.search(r"database: sqlite:///(\S+)", (tmp_path / "log").read_text())[1]
        assert os.path.exists(place)
        assert httpx.get(f"{address}/readyz", timeout=PATIENCE).json() == {"status": "ready"}
        port = address.rpartition(":")[2]
        second = run("serve", "--port", port)
        assert second.exit_code == 1
        [line] = second.stderr.splitlines()
        assert line.startswith(f"error: cannot listen on 127.0.0.1:{port}: the port is in use")
        assert ended(process, signal.SIGTERM) == 0
    assert not os.path.exists(os.path.dirname(place))
    assert sorted(os.listdir(tmp_path)) == ["log"]
    assert key[5:].strip() not in (tmp_path / "log").read_text()


def test_metrics_are_summed_over_several_processes(tmp_path):
    metrics = f"127.0.0.1:{free_port()}"
    words = ("--workers", "2", "--database", "league.db", "--log", "text", "--metrics-address", metrics)
    with serving(tmp_path, *words) as (process, address):
        # Each request opens its own connection, which any process may accept.
        with httpx.Client(base_url=address, timeout=PATIENCE, headers={"Connection": "close"}) as client:
            assert [client.get("/healthz").status_code for _ in range(30)] == [200] * 30
            found = samples(httpx.get(f"http://{metrics}/metrics").text)
        labels = (("method", "GET"), ("route", "/healthz"), ("status", "200"))
        assert found["prowess_requests_total", *labels] == 30
        assert ended(process, signal.SIGINT) == 130
    log = (tmp_path / "log").read_text().splitlines()
    assert "no keys yet" in log[1]
    assert sum(" GET /healthz 200 " in line for line in log) == 30
    assert log[-1] == "the service has stopped"
    assert not any("Traceback" in line for line in log)
    assert (tmp_path / "league.db").exists()


def test_rate_limits_apply_to_the_client_address_added_by_a_trusted_proxy(tmp_path):
    """As the production guide says, a proxy must overwrite or extend X-Forwarded-For instead of passing it through."""
    with serving(tmp_path, "--database", "league.db", "--rate-limit", "0.01", "--rate-burst", "3") as (_, url):

        def statuses(header, source="127.0.0.1"):
            transport = httpx.HTTPTransport(local_address=source)
            with httpx.Client(base_url=url, transport=transport, timeout=PATIENCE) as client:
                sent = [{"X-Forwarded-For": header.format(number)} for number in range(6)]
                return {client.get("/api/leagues", headers=headers).status_code for headers in sent}

        assert statuses("203.0.113.1") == {200, 429}
        assert statuses("198.51.100.{}, 203.0.113.2") == {200, 429}
        assert statuses("198.51.100.{}", source="127.0.0.2") == {200, 429}, "this client is not a trusted proxy"
        assert statuses("198.51.100.{}") == {200}, "behind a careless proxy, clients can claim any address"


def test_request_that_is_unfinished_at_shutdown_gets_503(tmp_path):
    with serving(tmp_path, "--demo", "--patience", "1") as (process, address):
        _, key = process.stdout.readline(), process.stdout.readline()[5:].strip()
        head = ("POST /api/leagues/demo/matches HTTP/1.1", "Host: x", f"Authorization: Bearer {key}")
        more = ("Content-Type: application/json", "Content-Length: 100", "Expect: 100-continue")
        with socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])), timeout=PATIENCE) as line:
            line.sendall("\r\n".join((*head, *more, "", "{")).encode())
            assert line.recv(100).startswith(b"HTTP/1.1 100 ")  # the server waits for the body
            assert ended(process, signal.SIGTERM) == 0
            said = b"".join(iter(lambda: line.recv(4096), b""))
    assert said.startswith(b"HTTP/1.1 503 ")
    assert b"application/problem+json" in said
    assert "Traceback" not in (tmp_path / "log").read_text()


def test_sighup_reloads_a_process_without_losing_a_request(tmp_path):
    with serving(tmp_path, "--demo") as (process, address):
        with httpx.Client(base_url=address, timeout=PATIENCE) as client:
            for _ in range(5):
                process.send_signal(signal.SIGHUP)
                assert [client.get("/api/leagues/demo/leaderboard").status_code for _ in range(5)] == [200] * 5
        assert ended(process, signal.SIGTERM) == 0
    assert "Traceback" not in (tmp_path / "log").read_text()


@pytest.mark.long
def test_sighup_replaces_processes_while_they_answer_requests(tmp_path):
    url = f"sqlite:///{tmp_path / 'prowess.db'}"
    key = create_league(url, "darts")
    with server(url, tmp_path, workers=2, rate_limit="0") as running, Load(running, "darts", key, 2) as load:
        load.wait(5)
        first = set(running.workers)
        os.kill(running.pid, signal.SIGHUP)
        end = time.monotonic() + 4 * PATIENCE
        while first & set(running.workers) and time.monotonic() < end:
            load.wait(1)
        assert not first & set(running.workers)
        load.wait(5)
        acknowledged = load.acknowledged
        stored = running.connect(key).ask("GET", "/api/leagues/darts/export.ndjson").body.splitlines()
    assert acknowledged.keys() <= {json.loads(line)["id"] for line in stored}
    assert "Traceback" not in running.log.read_text()


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--database", "mysql://x"], 1, "error: mysql is not supported: use sqlite or postgresql"),
        (["--host", "192.0.2.1"], 1, "error: cannot listen on 192.0.2.1:0: this machine does not have that address"),
        (["--log", "xml"], 2, "'xml' must be one of json, text, off"),
        (["--workers", "0"], 2, "greater than or equal to 1"),
    ],
)
def test_invalid_serve_options_print_an_error(tmp_path, monkeypatch, words, code, message):
    monkeypatch.chdir(tmp_path)
    result = run("serve", "--port", "0", *words)
    assert result.exit_code == code
    assert message in " ".join(result.stderr.replace("│", " ").split())
    if code == 1:
        assert len(result.stderr.splitlines()) == 1


def test_error_for_missing_optional_packages_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "fastapi", None)
    result = run("serve")
    assert result.exit_code == 1
    assert result.stderr == "error: this needs FastAPI, which is not installed: pip install 'prowess[service]'\n"
