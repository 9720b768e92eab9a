"""How a service is set up: every setting, from the environment or from flags of `prowess serve`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, get_type_hints

from ..errors import Error

LOGS = ("json", "text", "off")
LIMITS = "Limits (of each process; 0: no limit)"  # a panel of --help
MIB = 1024 * 1024
PORTS = 65535
TRUE, FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


def _setting(default: Any, metavar: str | None, help: str, least: float | None = None, panel: str | None = None) -> Any:
    """A setting with what it means, the least number that it can be, and how `--help` shows it."""
    return field(default=default, metadata={"metavar": metavar, "help": help, "least": least, "panel": panel})


def variable(name: str) -> str:
    """The environment variable of a setting.

    >>> variable("body_limit")
    'PROWESS_BODY_LIMIT'
    """
    return f"PROWESS_{name.upper()}"


@dataclass(frozen=True)
class Settings:
    """All settings of a service; a limit of 0 is none.

    >>> Settings(port=8080).address
    'http://127.0.0.1:8080'
    >>> Settings.from_env({"PROWESS_PORT": "80", "PROWESS_CORS_ORIGINS": "https://a.example, https://b.example"}).port
    80
    >>> Settings(rate_limit=-1)
    Traceback (most recent call last):
    ...
    prowess.Error: rate_limit must be a number of at least 0, not -1
    """

    database: str = _setting("sqlite:///prowess.db", "URL", "A file, sqlite:///FILE or postgresql://USER@HOST/NAME.")
    host: str = _setting("127.0.0.1", "ADDRESS", "Where to listen; 0.0.0.0 for all addresses of this machine.")
    port: int = _setting(8000, "N", "The port to listen at; 0 for any that is free.", 0)
    workers: int = _setting(1, "N", "The number of processes.", 1)
    log: str = _setting("json", "|".join(LOGS), "How requests are logged, on standard error.")
    metrics: bool = _setting(True, None, "Serve /metrics for Prometheus, or not.")
    patience: int = _setting(10, "SECONDS", "How long open requests may take at shutdown.", 0)
    forwarded: tuple[str, ...] = _setting(
        ("127.0.0.1",), "ADDRESS", "A proxy that is believed for whom it forwards (X-Forwarded-For); may be repeated."
    )
    cors_origins: tuple[str, ...] = _setting(
        (), "ORIGIN", "A site whose pages may read answers, as https://example.org; * for any; may be repeated."
    )
    rate_limit: float = _setting(50.0, "N", "Requests a second from an address without a key.", 0, LIMITS)
    rate_burst: int = _setting(200, "N", "Requests at once from an address without a key.", 1, LIMITS)
    key_rate_limit: float = _setting(20_000.0, "N", "Requests a second with a key.", 0, LIMITS)
    key_rate_burst: int = _setting(40_000, "N", "Requests at once with a key.", 1, LIMITS)
    body_limit: int = _setting(16 * MIB, "BYTES", "The size of a request's body.", 0, LIMITS)
    import_limit: int = _setting(256 * MIB, "BYTES", "The size of a file that is imported.", 0, LIMITS)

    def __post_init__(self) -> None:
        for one in fields(self):
            _check(one.name, getattr(self, one.name), one.metadata["least"])
        if self.port > PORTS:
            raise Error(f"port must be at most {PORTS}, not {self.port}")
        if self.log not in LOGS:
            raise Error(f"log must be one of {', '.join(LOGS)}, not {self.log!r}")

    @classmethod
    def from_env(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """Settings from `PROWESS_…` variables of the environment; what is not there has its default."""
        found = os.environ if environment is None else environment
        kinds = get_type_hints(cls)
        names = [one.name for one in fields(cls) if variable(one.name) in found]
        return cls(**{name: _parsed(variable(name), found[variable(name)], kinds[name]) for name in names})

    def to_env(self) -> dict[str, str]:
        """The variables from which `from_env` makes these settings.

        >>> Settings.from_env(Settings(workers=4).to_env()).workers
        4
        """
        return {variable(one.name): _written(getattr(self, one.name)) for one in fields(self)}

    @property
    def address(self) -> str:
        """The URL of the service, from the machine that it runs on."""
        everywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}
        host = everywhere.get(self.host, self.host)
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"


def _check(name: str, value: Any, least: float | None) -> None:
    if least is not None and not value >= least:  # written so that it also catches what is no number
        raise Error(f"{name} must be a number of at least {least:g}, not {value!r}")


def _parsed(name: str, text: str, kind: Any) -> Any:
    """The value of a variable; the type of its setting says how it is written."""
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


def _written(value: Any) -> str:
    return ",".join(value) if isinstance(value, tuple) else str(value)
