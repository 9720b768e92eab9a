"""The settings of a service, from environment variables or `prowess serve` flags."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, get_type_hints

from ..errors import Error

LOGS = ("json", "text", "off")
LIMITS = "Limits (per process; 0 = unlimited)"  # a panel of --help
KIB, MIB = 1024, 1024 * 1024
TRUE, FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


def _setting(default: Any, metavar: str | None, help: str, least: float | None = None, panel: str | None = None) -> Any:
    return field(default=default, metadata={"metavar": metavar, "help": help, "least": least, "panel": panel})


def variable(name: str) -> str:
    """Return the environment variable of a setting.

    >>> variable("body_limit")
    'PROWESS_BODY_LIMIT'
    """
    return f"PROWESS_{name.upper()}"


@dataclass(frozen=True)
class Settings:
    """All settings of a service.

    >>> Settings(port=8080).address
    'http://127.0.0.1:8080'
    >>> Settings.from_env({"PROWESS_PORT": "80", "PROWESS_CORS_ORIGINS": "https://a.example, https://b.example"}).port
    80
    >>> Settings(rate_limit=-1)
    Traceback (most recent call last):
    ...
    prowess.Error: rate_limit must be a number of at least 0, not -1
    """

    database: str = _setting(
        "sqlite:///prowess.db", "URL", "Database: a file, sqlite:///FILE or postgresql://USER@HOST/NAME."
    )
    host: str = _setting("127.0.0.1", "ADDRESS", "Address to listen on; 0.0.0.0 for all addresses of this machine.")
    port: int = _setting(8000, "N", "Port to listen on; 0 for any free port.", 0)
    workers: int = _setting(1, "N", "Number of processes.", 1)
    log: str = _setting("json", "|".join(LOGS), "Format of the request log on standard error.")
    metrics: bool = _setting(True, None, "Serve /metrics for Prometheus; reading it needs a key for all leagues.")
    metrics_address: str = _setting(
        "", "HOST:PORT", "A separate address that serves metrics without a key, such as 127.0.0.1:9100."
    )
    search_models: bool = _setting(True, None, "Search for better models of growing leagues, in the background.")
    patience: int = _setting(10, "SECONDS", "How long shutdown waits for open requests.", 0)
    delete_grace: float = _setting(30.0, "DAYS", "How long a deleted league can be undeleted.", 0)
    forwarded: tuple[str, ...] = _setting(
        ("127.0.0.1",), "ADDRESS", "A proxy whose X-Forwarded-For header is trusted; may be repeated."
    )
    cors_origins: tuple[str, ...] = _setting(
        (), "ORIGIN", "A site whose pages may read responses, such as https://example.org; * for any; may be repeated."
    )
    export_folder: str = _setting(
        "", "FOLDER", "Folder for exported files; by default beside a SQLite database, else in the temporary folder."
    )
    rate_limit: float = _setting(50.0, "N", "Maximum requests per second from an address without a key.", 0, LIMITS)
    rate_burst: int = _setting(200, "N", "Requests that an address without a key may send in a burst.", 1, LIMITS)
    key_rate_limit: float = _setting(20_000.0, "N", "Maximum requests per second with a key.", 0, LIMITS)
    key_rate_burst: int = _setting(40_000, "N", "Requests that may be sent with a key in a burst.", 1, LIMITS)
    cpu_limit: float = _setting(0.25, "N", "CPU-seconds per second that an address without a key may use.", 0, LIMITS)
    cpu_burst: float = _setting(
        5.0, "SECONDS", "CPU-seconds that an address without a key may use in a burst.", 0, LIMITS
    )
    key_cpu_limit: float = _setting(1.0, "N", "CPU-seconds per second that a key may use.", 0, LIMITS)
    key_cpu_burst: float = _setting(60.0, "SECONDS", "CPU-seconds that a key may use in a burst.", 0, LIMITS)
    connection_limit: int = _setting(
        10_000, "N", "Maximum number of open connections; `ulimit -n` may allow fewer.", 0, LIMITS
    )
    address_connections: int = _setting(
        100, "N", "Maximum number of open connections from one address; trusted proxies are exempt.", 0, LIMITS
    )
    stream_limit: int = _setting(50, "N", "Maximum number of event streams from one address without a key.", 0, LIMITS)
    key_stream_limit: int = _setting(500, "N", "Maximum number of event streams with one key.", 0, LIMITS)
    header_limit: int = _setting(32 * KIB, "BYTES", "Maximum size of the headers of a request.", 0, LIMITS)
    header_timeout: float = _setting(10.0, "SECONDS", "Time that the headers may take to arrive.", 0, LIMITS)
    body_timeout: float = _setting(
        20.0, "SECONDS", "Time that a request body may take to arrive; each kB adds one second.", 0, LIMITS
    )
    anonymous_body_limit: int = _setting(64 * KIB, "BYTES", "Maximum size of a request body without a key.", 0, LIMITS)
    body_limit: int = _setting(16 * MIB, "BYTES", "Maximum size of a request body with a key.", 0, LIMITS)
    import_limit: int = _setting(256 * MIB, "BYTES", "Maximum size of an imported file.", 0, LIMITS)
    import_unpacked: int = _setting(1024 * MIB, "BYTES", "Maximum size of an imported file, unpacked.", 0, LIMITS)
    import_rows: int = _setting(10_000_000, "N", "Maximum number of rows of an imported file.", 0, LIMITS)
    import_memory: int = _setting(3072 * MIB, "BYTES", "Memory that reading an imported file may take.", 0, LIMITS)
    import_time: float = _setting(120.0, "SECONDS", "CPU time that reading an imported file may take.", 0, LIMITS)
    export_space: int = _setting(
        1024 * MIB, "BYTES", "Disk space for exported files; beyond it, the oldest are deleted.", 0, LIMITS
    )

    def __post_init__(self) -> None:
        for setting in fields(self):
            value, least = getattr(self, setting.name), setting.metadata["least"]
            if least is not None and not value >= least:  # not `value < least`, which would accept NaN
                raise Error(f"{setting.name} must be a number of at least {least:g}, not {value!r}")
        if self.port > 65535:
            raise Error(f"port must be at most 65535, not {self.port}")
        if self.metrics_address:
            split_address(self.metrics_address)
        if self.log not in LOGS:
            raise Error(f"log must be one of {', '.join(LOGS)}, not {self.log!r}")

    @classmethod
    def from_env(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """Read the settings from `PROWESS_…` environment variables; a setting without a variable has its default."""
        types = get_type_hints(cls)
        given = {name: environment[variable(name)] for name in types if variable(name) in environment}
        return cls(**{name: _parse(variable(name), text, types[name]) for name, text in given.items()})

    def to_env(self) -> dict[str, str]:
        """Return these settings as environment variables; the inverse of `from_env`.

        >>> Settings.from_env(Settings(workers=4).to_env()).workers
        4
        """
        return {
            variable(name): ",".join(value) if isinstance(value, tuple) else str(value)
            for name, value in vars(self).items()
        }

    @property
    def address(self) -> str:
        """The URL of the service on its own machine."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"


def split_address(address: str) -> tuple[str, int]:
    """Split the metrics address into host and port.

    >>> split_address("127.0.0.1:9100"), split_address("[::1]:9100")
    (('127.0.0.1', 9100), ('::1', 9100))
    """
    host, _, port = address.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise Error(f"metrics_address must be HOST:PORT, such as 127.0.0.1:9100, not {address!r}")
    return host, int(port)


def _parse(name: str, text: str, kind: Any) -> Any:
    if kind is str:
        return text
    if kind is bool:
        if text.strip().lower() not in (*TRUE, *FALSE):
            raise Error(f"{name} must be true or false, not {text!r}")
        return text.strip().lower() in TRUE
    if kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            raise Error(f"{name} must be a {'whole ' if kind is int else ''}number, not {text!r}") from None
    return tuple(part.strip() for part in text.split(",") if part.strip())
