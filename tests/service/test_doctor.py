"""The doctor's checks of settings, keys and the machine."""

import os
import reprlib
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from time import time
from types import SimpleNamespace

import pytest
from sqlalchemy import update

from prowess.service import doctor
from prowess.service.doctor import examine_keys, examine_machine, examine_settings
from prowess.service.settings import LIMITS, MIB, Settings
from prowess.store import keys, leagues
from prowess.store.db import schema
from prowess.store.db.database import Database
from prowess.store.doctor import Check


def found(checks: Iterable[Check]) -> dict[str, str]:
    """Return the names of the checks that did not pass, with their statuses."""
    return {check.name: check.status for check in checks if check.status != "ok"}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, {}),
        ({"host": "::1"}, {}),
        ({"host": "localhost", "cors_origins": ("https://example.org",)}, {}),
        ({"host": "0.0.0.0"}, {"address": "problem"}),
        ({"host": "::", "forwarded": ()}, {"address": "problem", "proxy": "warning"}),
        ({"host": "0.0.0.0", "forwarded": ("10.0.0.2",)}, {}),
        ({"host": "0.0.0.0", "forwarded": ("10.0.0.0/8", "127.0.0.1")}, {}),
        ({"forwarded": ("*",)}, {"proxy": "problem"}),
        ({"host": "0.0.0.0", "forwarded": ("*",)}, {"address": "problem", "proxy": "problem"}),
        ({"cors_origins": ("*",)}, {"cors": "warning"}),
        ({"metrics_address": "127.0.0.1:9100"}, {}),
        ({"metrics_address": "[::1]:9100"}, {}),
        ({"metrics_address": "0.0.0.0:9100"}, {"metrics": "warning"}),
        ({"log": "off"}, {"log": "warning"}),
    ],
    ids=reprlib.repr,
)
def test_doctor_reports_unsafe_settings(changes: dict[str, object], expected: dict[str, str]) -> None:
    assert found(examine_settings(Settings(**changes))) == expected  # type: ignore[arg-type]


LIMIT_NAMES = [field.name for field in fields(Settings) if field.metadata["panel"] == LIMITS]


@pytest.mark.parametrize("name", [name for name in LIMIT_NAMES if "burst" not in name])
def test_doctor_reports_every_limit_that_is_switched_off(name: str) -> None:
    [check] = [check for check in examine_settings(Settings(**{name: 0})) if check.status != "ok"]  # type: ignore[arg-type]
    assert (check.name, check.status) == ("limits", "problem")
    assert name in check.text


def test_doctor_reports_a_missing_admin_key_for_all_leagues(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    database.migrate()
    tomorrow = time() + 86_400
    with database.writing() as connection:
        leagues.create(connection, "darts")
        keys.create(connection, "referee", "admin", "darts")
        keys.create(connection, "phone", "write")
        assert found(examine_keys(connection)) == {"keys": "warning"}
        boss, _ = keys.create(connection, "boss", "admin", expires_at=tomorrow)
        assert found(examine_keys(connection)) == {}
        endless, _ = keys.create(connection, "forever", "admin")
        assert found(examine_keys(connection)) == {"expiry": "warning"}
        keys.revoke(connection, endless.id)
        connection.execute(update(schema.key).where(schema.key.c.name == "phone").values(created_at=0))
        assert found(examine_keys(connection)) == {"unused keys": "warning"}
        keys.revoke(connection, boss.id)
        assert found(examine_keys(connection)) == {"keys": "warning", "unused keys": "warning"}
    database.close()


@pytest.fixture
def database(tmp_path: Path) -> Database:
    """A database file that only its owner can read."""
    file = tmp_path / "league.db"
    file.touch(0o600)
    return Database(f"sqlite:///{file}")


@pytest.mark.parametrize(
    ("mode", "status"),
    [(0o600, None), (0o640, None), (0o644, "warning"), (0o666, "problem")],
    ids=["0600", "0640", "0644", "0666"],
)
def test_doctor_reports_a_database_file_that_other_users_can_read_or_write(
    database: Database, mode: int, status: str | None
) -> None:
    Path(str(database.url.database)).chmod(mode)
    assert found(examine_machine(Settings(), database)).get("permissions") == status


@pytest.mark.parametrize(("user", "status"), [(1000, None), (0, "warning")])
def test_doctor_warns_about_running_as_root(
    database: Database, monkeypatch: pytest.MonkeyPatch, user: int, status: str | None
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    assert found(examine_machine(Settings(), database)).get("user") == status


@pytest.mark.parametrize(("files", "status"), [(None, None), (20_000, None), (1024, "warning")])
def test_doctor_warns_about_a_low_open_file_limit(
    database: Database, monkeypatch: pytest.MonkeyPatch, files: int | None, status: str | None
) -> None:
    monkeypatch.setattr(doctor, "open_file_limit", lambda: files)
    assert found(examine_machine(Settings(), database)).get("open files") == status
    assert "open files" not in found(examine_machine(Settings(connection_limit=500), database))


@pytest.mark.parametrize(
    ("kind", "status"), [("ext4", None), ("nfs4", "problem"), ("fuse.sshfs", "problem"), ("tmpfs", "problem")]
)
def test_doctor_reports_a_network_or_in_memory_file_system(
    database: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str, status: str | None
) -> None:
    folder = str(tmp_path).replace(" ", r"\040")
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        "22 1 254:0 / / rw,relatime shared:1 - overlay /dev/vda rw\n"
        f"36 22 0:31 / {folder} rw,relatime shared:2 - {kind} server:/export rw\n"
        "37 22 0:32 / /elsewhere rw - nfs server:/other rw\n"
    )
    monkeypatch.setattr(doctor, "MOUNTS", mounts)
    assert found(examine_machine(Settings(), database)).get("file system") == status


@pytest.mark.parametrize(("free", "status"), [(9_000, None), (900, "warning"), (9, "problem")])
def test_doctor_reports_low_disk_space(
    database: Database, monkeypatch: pytest.MonkeyPatch, free: int, status: str | None
) -> None:
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: SimpleNamespace(free=free * MIB))
    assert found(examine_machine(Settings(), database)).get("disk") == status
