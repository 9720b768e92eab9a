"""The request log on standard error (JSON or text, without secrets), and Prometheus metrics."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from json.encoder import encode_basestring_ascii as quote
from time import gmtime, strftime, time
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest, start_http_server
from prometheus_client.multiprocess import MultiProcessCollector
from starlette.types import Scope

from ..errors import Error
from ..store.write.writer import Commit
from .settings import split_address

LOGGER = "prowess.service"
# If this variable is set, all processes write their metrics to its folder, and each process can export the sum.
METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
NO_ROUTE = "-"
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
CHANGES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

Observer = Callable[[Scope, int, float], None]  # (request scope, response status, seconds taken)


def _route(scope: Scope) -> str:
    return getattr(scope.get("route"), "path", NO_ROUTE)


def log_request_to(log: str) -> Observer:
    """Return an observer that writes one line per request to standard error, as "json" or "text".

    The observer formats the lines itself, because `logging` would take more time than all other middleware together.

    >>> log_request_to("json")({"type": "http", "method": "GET", "path": "/"}, 200, 0.001)  # on standard error
    """
    write = _json_line if log == "json" else _text_line

    def log_request(scope: Scope, status: int, seconds: float) -> None:
        sys.stderr.write(write(scope, status, 1000 * seconds) + "\n")  # one call, so that lines do not mix

    return log_request


def _level(status: int) -> str:
    return "error" if status == 500 else "info"


def _json_line(scope: Scope, status: int, ms: float) -> str:
    state = scope.get("state", {})
    key = state.get("key")
    return (
        f'{{"time": "{_timestamp(time())}", "level": "{_level(status)}", "method": {quote(scope["method"])}, '
        f'"route": {quote(_route(scope))}, "path": {quote(scope["path"])}, "status": {status}, "ms": {ms:.3f}, '
        f'"request_id": "{state.get("request_id", "")}", "key": {quote(key.name) if key else "null"}}}'
    )


def _text_line(scope: Scope, status: int, ms: float) -> str:
    state = scope.get("state", {})
    key = state.get("key")
    text = f"{scope['method']} {scope['path']} {status} {ms:.1f} ms {state.get('request_id', '-')}"
    return f"{_timestamp(time())} {_level(status)} {_printable(f'{text} {key.name}' if key else text)}"


class JsonFormatter(logging.Formatter):
    """Formats log records other than requests as one line of JSON each.

    >>> record = logging.LogRecord("prowess.service", logging.INFO, "", 0, "started", None, None)
    >>> json.loads(JsonFormatter().format(record))["message"]
    'started'
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as JSON."""
        fields = {
            "time": _timestamp(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            fields["traceback"] = self.formatException(record.exc_info)
        return json.dumps(fields)


class TextFormatter(logging.Formatter):
    """Formats log records other than requests as a line of text each, followed by the traceback if there is one.

    >>> record = logging.LogRecord("prowess.service", logging.INFO, "", 0, "started", None, None)
    >>> TextFormatter().format(record).endswith("Z info started")
    True
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as text."""
        text = f"{_timestamp(record.created)} {record.levelname.lower()} {_printable(record.getMessage())}"
        return f"{text}\n{self.formatException(record.exc_info)}" if record.exc_info else text


def _timestamp(seconds: float) -> str:
    whole = int(seconds)
    return f"{_format_second(whole)}.{int((seconds - whole) * 1000):03d}Z"


@lru_cache(maxsize=2)
def _format_second(seconds: int) -> str:
    return strftime("%Y-%m-%dT%H:%M:%S", gmtime(seconds))


def _printable(text: str) -> str:
    # A path can contain escape codes for the terminal.
    return text if text.isprintable() else "".join(letter if letter.isprintable() else "�" for letter in text)


def logging_config(log: str) -> dict[str, Any]:
    """Return the logging configuration of a serving process, for `logging.config.dictConfig`.

    >>> sorted(logging_config("json")["loggers"])
    ['prowess', 'uvicorn']
    """
    kind = JsonFormatter if log == "json" else TextFormatter
    logger = {"handlers": ["stderr"], "level": "WARNING", "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": f"{kind.__module__}.{kind.__name__}"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "stream": "ext://sys.stderr"}},
        "loggers": {"prowess": logger, "uvicorn": logger},
    }


class Metrics:
    """The Prometheus metrics of a process.

    >>> metrics = Metrics()
    >>> metrics.count_request({"type": "http", "method": "GET", "path": "/healthz"}, 200, 0.001)
    >>> metrics.count_commit(Commit(changes=2, matches=3, replayed=False))
    >>> b"prowess_matches_total 3.0" in metrics.export()
    True
    """

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        self.requests = Counter(
            "prowess_requests", "Requests by route and status.", ("method", "route", "status"), registry=registry
        )
        self.seconds = Histogram(
            "prowess_request_seconds",
            "Duration of requests.",
            ("method", "route"),
            buckets=SECONDS,
            registry=registry,
        )
        self.matches = Counter("prowess_matches", "Matches recorded, edited or deleted.", registry=registry)
        self.changes = Histogram(
            "prowess_commit_changes", "Number of changes in each commit.", buckets=CHANGES, registry=registry
        )
        self.replays = Counter(
            "prowess_replays", "Changes to past matches, after which later matches were replayed.", registry=registry
        )
        self.refusals = Counter(
            "prowess_refusals", "Requests and connections refused by a limit.", ("reason",), registry=registry
        )
        self._labelled: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}

    def count_request(self, scope: Scope, status: int, seconds: float) -> None:
        """Count a request; this method is an `Observer`."""
        labels = scope["method"], _route(scope), status
        labelled = self._labelled.get(labels)
        if labelled is None:
            # Unknown methods share the label "other"; otherwise, clients could create any number of labels.
            method = labels[0] if labels[0] in METHODS else "other"
            labelled = self.requests.labels(method, *labels[1:]), self.seconds.labels(method, labels[1])
            if method == labels[0]:
                self._labelled[labels] = labelled
        labelled[0].inc()
        labelled[1].observe(seconds)

    def count_refusal(self, reason: str) -> None:
        """Count a request or connection that a limit refused."""
        self.refusals.labels(reason).inc()

    def count_commit(self, commit: Commit) -> None:
        """Count a commit of the store."""
        self.changes.observe(commit.changes)
        self.matches.inc(commit.matches)
        if commit.replayed:
            self.replays.inc()

    def export(self) -> bytes:
        """Return all metrics in the text format of Prometheus, summed over all processes."""
        return generate_latest(summed_registry() if METRICS_FOLDER in os.environ else self.registry)


def summed_registry() -> CollectorRegistry:
    """Return a registry with the metrics of all processes."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return registry


@contextmanager
def serve_metrics(address: str, registry: CollectorRegistry) -> Iterator[None]:
    """Serve metrics without a key at HOST:PORT for the duration of a block; an empty address serves nothing."""
    if not address:
        yield
        return
    host, port = split_address(address)
    try:
        server, thread = start_http_server(port, host, registry)
    except OSError as error:
        raise Error(f"cannot serve metrics on {address}: {error.strerror or error}", field="metrics_address") from None
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
