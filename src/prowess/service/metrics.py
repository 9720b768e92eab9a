"""Figures for Prometheus: requests, and what the store does. Correct for several processes together.

Where `PROMETHEUS_MULTIPROC_DIR` names a folder, every process writes its figures there, and any can give the sum.
"""

from __future__ import annotations

import os

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from starlette.types import Scope

from ..store.write.writer import Commit
from .middleware.timing import route_of

__all__ = ["FOLDER", "Metrics"]

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
CHANGES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Metrics:
    """The figures of a process.

    >>> metrics = Metrics()
    >>> metrics.seen({"type": "http", "method": "GET", "path": "/healthz"}, 200, 0.001)
    >>> metrics.committed(Commit(changes=2, matches=3, replayed=False))
    >>> b"prowess_matches_total 3.0" in metrics.page()
    True
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "prowess_requests", "Requests by route and status.", ("method", "route", "status"), registry=self.registry
        )
        self.seconds = Histogram(
            "prowess_request_seconds",
            "Time until a request was answered.",
            ("method", "route"),
            buckets=SECONDS,
            registry=self.registry,
        )
        self.matches = Counter("prowess_matches", "Matches recorded, edited or deleted.", registry=self.registry)
        self.changes = Histogram(
            "prowess_commit_changes", "Changes that shared a commit.", buckets=CHANGES, registry=self.registry
        )
        self.replays = Counter(
            "prowess_replays", "Changes of the past, after which matches were rated anew.", registry=self.registry
        )
        self._known: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}

    def seen(self, scope: Scope, status: int, seconds: float) -> None:
        """Count a request."""
        which = scope["method"], route_of(scope), status
        known = self._known.get(which)
        if known is None:
            method = which[0] if which[0] in METHODS else "other"  # who invents others must not fill the memory
            known = self.requests.labels(method, *which[1:]), self.seconds.labels(method, which[1])
            if method == which[0]:
                self._known[which] = known
        known[0].inc()
        known[1].observe(seconds)

    def committed(self, commit: Commit) -> None:
        """Count a commit."""
        self.changes.observe(commit.changes)
        self.matches.inc(commit.matches)
        if commit.replayed:
            self.replays.inc()

    def page(self) -> bytes:
        """All figures in the text format of Prometheus, of all processes where there are several."""
        if FOLDER not in os.environ:
            return generate_latest(self.registry)
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]
        return generate_latest(together)
