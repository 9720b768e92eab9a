"""Logs on standard error: a line for each request, as JSON or as text, without secrets."""

from __future__ import annotations

import json
import logging
from time import gmtime, perf_counter, strftime
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Json", "Logs", "Text", "configuration", "route_of"]

LOGGER = "prowess.service"
REQUEST = "prowess.request"
NOWHERE = "-"  # the route of what is at no route
ABORTED = 499  # as proxies call it when who asked has gone


def route_of(scope: Scope) -> str:
    """The route of a request, with the names of its parameters in the place of their values.

    >>> route_of({"type": "http"})
    '-'
    """
    return getattr(scope.get("route"), "path", NOWHERE)


class Logs:
    """Middleware: a line of the log for each request."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.logger = logging.getLogger(REQUEST)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through, and write it down."""
        if scope["type"] != "http" or not self.logger.isEnabledFor(logging.INFO):
            await self.app(scope, receive, send)
            return
        began = perf_counter()
        status = ABORTED

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, watched)
        finally:
            level = logging.ERROR if 500 <= status != 503 else logging.INFO
            # Made here, because `Logger.log` would search the stack for who calls.
            record = logging.LogRecord(REQUEST, level, "", 0, "request", None, None)
            record.request = _described(scope, status, perf_counter() - began)
            self.logger.handle(record)


def _described(scope: Scope, status: int, seconds: float) -> dict[str, Any]:
    state = scope.get("state", {})
    key = state.get("key")
    return {
        "method": scope["method"],
        "route": route_of(scope),
        "path": scope["path"],
        "status": status,
        "ms": round(1000 * seconds, 3),
        "request_id": state.get("request_id", ""),
        "key": key.name if key else None,
    }


class Json(logging.Formatter):
    """A line of JSON for each record.

    >>> record = logging.LogRecord("prowess.service", logging.INFO, "", 0, "started", None, None)
    >>> json.loads(Json().format(record))["message"]
    'started'
    """

    def format(self, record: logging.LogRecord) -> str:
        """The record as JSON."""
        found: dict[str, Any] = {"time": _time(record.created), "level": record.levelname.lower()}
        request = getattr(record, "request", None)
        if request is None:
            found |= {"logger": record.name, "message": record.getMessage()}
            if record.exc_info:
                found["traceback"] = self.formatException(record.exc_info)
        else:
            found |= request
        return json.dumps(found)


class Text(logging.Formatter):
    """A line of text for each record.

    >>> record = logging.LogRecord("prowess.service", logging.INFO, "", 0, "started", None, None)
    >>> Text().format(record).endswith("Z info started")
    True
    """

    def format(self, record: logging.LogRecord) -> str:
        """The record as text; a traceback follows on lines of its own."""
        request = getattr(record, "request", None)
        if request is None:
            said = record.getMessage()
        else:
            said = "{method} {path} {status} {ms:.1f} ms {request_id} {key}".format_map(request | {"key": request["key"] or "-"})
        text = f"{_time(record.created)} {record.levelname.lower()} {_printable(said)}"
        return f"{text}\n{self.formatException(record.exc_info)}" if record.exc_info else text


def _time(seconds: float) -> str:
    return f"{strftime('%Y-%m-%dT%H:%M:%S', gmtime(seconds))}.{int(seconds * 1000) % 1000:03d}Z"


def _printable(text: str) -> str:
    """Text on one line that takes over no terminal: paths come from anybody."""
    return text if text.isprintable() else "".join(letter if letter.isprintable() else "�" for letter in text)


def configuration(log: str) -> dict[str, Any]:
    """The logging of a process that serves, as `logging.config.dictConfig` takes it.

    >>> sorted(configuration("json")["loggers"])
    ['prowess', 'uvicorn']
    """
    kind = Json if log == "json" else Text
    logger = {"handlers": ["stderr"], "level": "INFO", "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": f"{kind.__module__}.{kind.__name__}"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "stream": "ext://sys.stderr"}},
        "loggers": {"prowess": logger, "uvicorn": logger | {"level": "WARNING"}},
    }
