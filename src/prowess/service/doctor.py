"""Check a service before production: its settings, its keys, and the machine on which it runs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import fields
from ipaddress import ip_address
from pathlib import Path
from time import time

from sqlalchemy import Connection

from ..store import keys
from ..store.db.database import Database
from ..store.doctor import Check, shorten
from ..text import count, join_words
from .connections import RESERVED_FILES, open_file_limit
from .settings import LIMITS, MIB, Settings

MOUNTS = Path("/proc/self/mountinfo")  # Linux only
NETWORK = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre", "fuse.sshfs")
MEMORY = ("tmpfs", "ramfs")
DAY = 86_400  # seconds
UNUSED = 90  # days after which an unused key is reported, because it may be forgotten
ROOM, NO_ROOM = 1024 * MIB, 100 * MIB  # bytes: less free disk space is a warning (ROOM) or a problem (NO_ROOM)


def examine_settings(settings: Settings) -> Iterator[Check]:
    """Check that the settings are safe for a service that strangers can reach.

    >>> [check.status for check in examine_settings(Settings()) if check.name == "proxy"]
    ['ok']
    >>> [check.status for check in examine_settings(Settings(forwarded=("*",))) if check.name == "proxy"]
    ['problem']
    """
    yield _check_address(settings)
    yield _check_proxy(settings)
    yield _check_limits(settings)
    if "*" in settings.cors_origins:
        text = "Pages of every other site may read responses (cors_origins is *)."
        yield Check("cors", "warning", text, "List the sites that need access: --cors-origins https://example.org")
    if settings.metrics_address and not _is_loopback(settings.metrics_address.rpartition(":")[0].strip("[]")):
        text = f"Everybody who can reach {settings.metrics_address} can read the metrics without a key."
        hint = "Serve the metrics on this machine only: --metrics-address 127.0.0.1:9100"
        yield Check("metrics", "warning", text, hint)
    if settings.log == "off":
        text = "There is no log, so nobody can find out why a request failed."
        yield Check("log", "warning", text, "Log to standard error: --log json")


def _check_address(settings: Settings) -> Check:
    if _is_loopback(settings.host):
        text = f"The service listens on {settings.host}, which only a proxy on this machine can reach."
        return Check("address", "ok", text)
    proxies = [proxy for proxy in settings.forwarded if proxy != "*" and not _is_loopback(proxy)]
    if proxies:
        return Check("address", "ok", f"The service listens on {settings.host} for the proxy {join_words(proxies)}.")
    text = f"The service listens on {settings.host} and speaks plain HTTP: others on the network can read keys."
    hint = (
        "Put a proxy with TLS in front of the service. If the proxy is on this machine, use --host 127.0.0.1; "
        "otherwise, name the proxy: --forwarded ADDRESS"
    )
    return Check("address", "problem", text, hint)


def _check_proxy(settings: Settings) -> Check:
    if "*" in settings.forwarded:
        text = (
            "Every client may claim any address in X-Forwarded-For (forwarded is *), so the limits per address "
            "have no effect."
        )
        return Check("proxy", "problem", text, "Name your proxy: --forwarded ADDRESS")
    if not settings.forwarded:
        text = "No proxy is trusted, so all clients behind a proxy share the limits of one address."
        return Check("proxy", "warning", text, "Name your proxy: --forwarded ADDRESS")
    text = f"Client addresses are taken from X-Forwarded-For only if {join_words(settings.forwarded)} sent it."
    return Check("proxy", "ok", text)


def _check_limits(settings: Settings) -> Check:
    limits = [field.name for field in fields(settings) if field.metadata["panel"] == LIMITS]
    off = [name for name in limits if not getattr(settings, name)]
    if off:
        text = f"Limits are switched off: {join_words(off)}. A single client can take the service down."
        return Check("limits", "problem", text, "Remove the setting to get the default, or set a number above 0.")
    return Check("limits", "ok", f"All {len(limits)} limits are switched on.")


def _is_loopback(address: str) -> bool:
    try:
        return address == "localhost" or ip_address(address).is_loopback
    except ValueError:
        return False


def examine_keys(connection: Connection) -> Iterator[Check]:
    """Check that an admin key works, and find admin keys that never expire and keys that nobody uses."""
    live = [key for key in keys.list_keys(connection) if key.live]
    admins = [key for key in live if key.may("admin", None)]
    if not admins:
        text = "No admin key for all leagues works, so nobody can create leagues or read the audit log."
        yield Check("keys", "warning", text, "Create one: prowess key create NAME --scope admin")
    else:
        yield Check("keys", "ok", f"{count(len(admins), 'admin key works', 'admin keys work')} for all leagues.")
    endless = [key.name for key in admins if key.expires_at is None]
    if endless:
        text = f"{count(len(endless), 'admin key never expires', 'admin keys never expire')}: {shorten(endless)}."
        yield Check("expiry", "warning", text, "Replace it: prowess key create NAME --scope admin --expires 365d")
    unused = [key.name for key in live if (key.used_at or key.created_at) < time() - UNUSED * DAY]
    if unused:
        text = f"{count(len(unused), 'key has', 'keys have')} not been used for {UNUSED} days: {shorten(unused)}."
        yield Check("unused keys", "warning", text, "Revoke the keys that nobody needs: prowess key revoke ID")


def examine_machine(settings: Settings, database: Database) -> Iterator[Check]:
    """Check the user, the limits and the disk of this process. Run this check as the same user as the service."""
    if hasattr(os, "geteuid"):
        yield _check_user(os.geteuid())
    yield _check_open_files(open_file_limit(), settings.connection_limit)
    if database.dialect == "sqlite":
        file = Path(str(database.url.database)).resolve()
        yield _check_permissions(file)
        yield _check_file_system(_file_system(file))
        yield _check_space(shutil.disk_usage(file.parent).free, file.stat().st_size)


def _check_user(user: int) -> Check:
    if user == 0:
        text = "This process runs as root: a flaw in the service would give an attacker the whole machine."
        return Check(
            "user", "warning", text, "Create a user for the service, and run the service and this command as that user."
        )
    return Check("user", "ok", "This process does not run as root.")


def _check_open_files(limit: int | None, connections: int) -> Check:
    if limit is not None and limit < connections + RESERVED_FILES:
        text = f"This process may open {limit:,} files, but the service allows {connections:,} connections."
        hint = f"Raise the limit (LimitNOFILE={2 * connections} in systemd), or lower connection_limit."
        return Check("open files", "warning", text, hint)
    return Check("open files", "ok", f"This process may open enough files for {connections:,} connections.")


def _check_permissions(file: Path) -> Check:
    files = [path for path in (file, *file.parent.glob(f"{file.name}-*")) if path.is_file()]
    modes = [path.stat().st_mode & 0o007 for path in files] if os.name == "posix" else [0]
    hint = f"chmod o= {' '.join(map(str, files))}"
    if any(mode & 0o002 for mode in modes):
        return Check("permissions", "problem", "Every user of this machine can change the database file.", hint)
    if any(modes):
        return Check("permissions", "warning", "Every user of this machine can read the database file.", hint)
    return Check("permissions", "ok", "Other users of this machine cannot read the database file.")


def _check_file_system(kind: str) -> Check:
    if kind in NETWORK:
        text = f"The database file is on a network file system ({kind}), where SQLite's locks can fail."
        return Check("file system", "problem", text, "Move the file to a local disk, or use PostgreSQL.")
    if kind in MEMORY:
        text = f"The database file is in memory ({kind}) and is lost when the machine restarts."
        return Check("file system", "problem", text, "Move the file to a disk.")
    return Check("file system", "ok", f"The database file is on a local disk{kind and f' ({kind})'}.")


def _file_system(file: Path) -> str:
    kind, longest = "", -1
    for line in MOUNTS.read_text().splitlines() if MOUNTS.is_file() else ():
        mount, _, device = line.partition(" - ")
        folder = Path(mount.split()[4].encode().decode("unicode_escape"))  # the file escapes a space as \040
        if file.is_relative_to(folder) and len(folder.parts) >= longest:
            kind, longest = device.split()[0], len(folder.parts)
    return kind


def _check_space(free: int, size: int) -> Check:
    text = f"{free // MIB:,} MiB are free on the disk of the database."
    if free < NO_ROOM:
        return Check("disk", "problem", text, "Free some space: posts fail when the disk is full.")
    if free < max(ROOM, size):
        return Check("disk", "warning", text, "Free some space: the database, its log and a copy need room.")
    return Check("disk", "ok", text)
