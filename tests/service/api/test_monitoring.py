"""Health checks and the audit log."""

from prowess.service.api.schemas import files
from tests.service.probe_app import service


def test_readiness_check_fails_during_shutdown(tmp_path):
    with service(tmp_path) as (client, app):
        assert client.get("/readyz").status_code == 200
        app.state.service.closing.set()
        assert client.get("/readyz").status_code == 503
        assert client.get("/healthz").status_code == 200


def test_audit_log_is_returned_in_pages(ask):
    for number in range(5):
        ask.create_league(f"audited-{number}")
    first = files.AuditLog.model_validate(ask.get("/api/audit?limit=2").json())
    assert [one.league for one in first.entries] == ["audited-4", "audited-3"]
    assert (first.entries[0].actor, first.entries[0].action) == ("office", "create league")
    second = files.AuditLog.model_validate(ask.get(first.next).json())
    assert second.entries[0].league == "audited-2"
    ask("GET", "/api/audit", key=ask.new_key("admin", "audited-0"), status=403)
    ask("GET", "/api/audit", key=None, status=401)
