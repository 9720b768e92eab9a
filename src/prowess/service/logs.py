"""Logs on standard error: a line for each request, as JSON or as text, without secrets."""

from __future__ import annotations

import json
import logging
import sys
from functools import lru_cache
from json.encoder import encode_basestring_ascii as quoted
from time import gmtime, strftime, time
from typing import Any

from starlette.types import Scope

from .middleware.timing import Watcher, route_of

__all__ = ["LOGGER", "Json", "Text", "configuration", "lines"]

LOGGER = "prowess.service"


def lines(log: str) -> Watcher:
    """The watcher that writes a line for each request.

    Formatted by hand and written at once: the machinery of `logging` would cost more than all other middleware.

    >>> lines("json")({"type": "http", "method": "GET", "path": "/"}, 200, 0.001)  # on standard error
    """
    form = _json if log == "json" else _text

    def line(scope: Scope, status: int, seconds: float) -> None:
        sys.stderr.write(form(scope, status, 1000 * seconds) + "\n")  # which sends whole lines at once

    return line


def _level(status: int) -> str:
    return "error" if status == 500 else "info"


def _json(scope: Scope, status: int, ms: float) -> str:
    state = scope.get("state", {})
    key = state.get("key")
    return (
        f'{{"time": "{_time(time())}", "level": "{_level(status)}", "method": {quoted(scope["method"])}, '
        f'"route": {quoted(route_of(scope))}, "path": {quoted(scope["path"])}, "status": {status}, "ms": {ms:.3f}, '
        f'"request_id": "{state.get("request_id", "")}", "key": {quoted(key.name) if key else "null"}}}'
    )


def _text(scope: Scope, status: int, ms: float) -> str:
    state = scope.get("state", {})
    key = state.get("key")
    said = f"{scope['method']} {scope['path']} {status} {ms:.1f} ms {state.get('request_id', '-')}"
    return f"{_time(time())} {_level(status)} {_printable(f'{said} {key.name}' if key else said)}"


class Json(logging.Formatter):
    """What else is logged, a line of JSON each.

    >>> record = logging.LogRecord("prowess.service", logging.INFO, "", 0, "started", None, None)
    >>> json.loads(Json().format(record))["message"]
    'started'
    """

    def format(self, record: logging.LogRecord) -> str:
        """The record as JSON."""
        found = {
            "time": _time(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            found["traceback"] = self.formatException(record.exc_info)
        return json.dumps(found)


class Text(logging.Formatter):
    """What else is logged, a line of text each; a traceback follows on lines of its own.

    >>> record = logging.LogRecord("prowess.service", logging.INFO, "", 0, "started", None, None)
    >>> Text().format(record).endswith("Z info started")
    True
    """

    def format(self, record: logging.LogRecord) -> str:
        """The record as text."""
        text = f"{_time(record.created)} {record.levelname.lower()} {_printable(record.getMessage())}"
        return f"{text}\n{self.formatException(record.exc_info)}" if record.exc_info else text


def _time(seconds: float) -> str:
    whole = int(seconds)
    return f"{_second(whole)}.{int((seconds - whole) * 1000):03d}Z"


@lru_cache(maxsize=2)
def _second(seconds: int) -> str:
    return strftime("%Y-%m-%dT%H:%M:%S", gmtime(seconds))


def _printable(text: str) -> str:
    """Text on one line that takes over no terminal: paths come from anybody."""
    return text if text.isprintable() else "".join(letter if letter.isprintable() else "�" for letter in text)


def configuration(log: str) -> dict[str, Any]:
    """The logging of a process that serves, as `logging.config.dictConfig` takes it.

    >>> sorted(configuration("json")["loggers"])
    ['prowess', 'uvicorn']
    """
    kind = Json if log == "json" else Text
    logger = {"handlers": ["stderr"], "level": "WARNING", "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": f"{kind.__module__}.{kind.__name__}"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "stream": "ext://sys.stderr"}},
        "loggers": {"prowess": logger, "uvicorn": logger},
    }
