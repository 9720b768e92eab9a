"""The request log and the metrics."""

import json

import httpx
import pytest
from prometheus_client import CollectorRegistry

from prowess.errors import Error
from prowess.service.observability import serve_metrics
from prowess.service.serving import open_socket
from tests.service.probe_app import bearing, filled, metrics, samples, service
from tests.service.servers import free_port


@pytest.mark.parametrize("log", ["json", "text"])
def test_log_has_one_line_per_request_without_secrets(tmp_path, capsys, log):
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


def test_metrics_count_requests_by_route_and_status(tmp_path):
    with service(tmp_path) as (client, app):
        filled(app)
        for league in ("open", "open", "nowhere"):
            client.post(f"/api/leagues/{league}/read")
        client.request("PROPFIND", "/healthz")
        found = metrics(app)
        for method, route, status, times in (
            ("POST", "/api/leagues/{league}/read", "200", 2),
            ("POST", "/api/leagues/{league}/read", "404", 1),
            ("other", "/healthz", "405", 1),
        ):
            labels = (("method", method), ("route", route), ("status", status))
            assert found["prowess_requests_total", *labels] == times
        assert found["prowess_request_seconds_count", ("method", "POST"), ("route", "/api/leagues/{league}/read")] == 3


def test_metrics_need_no_key_at_their_own_address_but_a_key_for_all_leagues_elsewhere(tmp_path):
    port = free_port()
    with service(tmp_path, metrics_address=f"127.0.0.1:{port}") as (client, app):
        secrets = filled(app)
        assert client.get("/metrics").status_code == 401
        assert client.get("/metrics", headers=bearing("unknown")).status_code == 401
        assert client.get("/metrics", headers=bearing(secrets["admin@open"])).status_code == 403
        page = client.get("/metrics", headers=bearing(secrets["read@*"]))
        assert page.headers["content-type"].startswith("text/plain; version=")
        labels = (("method", "GET"), ("route", "/metrics"), ("status", "401"))
        own = httpx.get(f"http://127.0.0.1:{port}/metrics").text
        assert (
            samples(page.text)["prowess_requests_total", *labels]
            == samples(own)["prowess_requests_total", *labels]
            == 2
        )
    with pytest.raises(httpx.ConnectError):  # the metrics server ends with the service
        httpx.get(f"http://127.0.0.1:{port}/metrics")
    with service(tmp_path, metrics=False) as (client, _):
        assert client.get("/metrics", headers=bearing(secrets["read@*"])).status_code == 404


def test_metrics_address_that_is_in_use_raises_an_error():
    with open_socket("127.0.0.1", 0) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with (
            pytest.raises(Error, match=f"cannot serve metrics on {address}"),
            serve_metrics(address, CollectorRegistry()),
        ):
            pass
