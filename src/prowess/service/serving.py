"""Serve with Uvicorn in one or more processes, on a socket opened in advance, with a graceful shutdown."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from errno import EACCES, EADDRINUSE, EADDRNOTAVAIL
from importlib.util import find_spec
from multiprocessing import parent_process
from tempfile import TemporaryDirectory
from threading import current_thread, main_thread
from typing import Any

import uvicorn
from uvicorn.supervisors import Multiprocess

from ..errors import Error
from .connections import HttpProtocol
from .observability import METRICS_FOLDER, logging_config, serve_metrics, summed_registry
from .settings import Settings

APP = "prowess.service.app:create_app"
BACKLOG = 2048
HUNG = 300  # seconds without a heartbeat after which a process is replaced; even a long replay takes less
SIGNALS = (signal.SIGINT, signal.SIGTERM)
REASONS = {
    EADDRINUSE: "the port is in use; choose another one, or 0 for any free port",
    EACCES: "permission denied; choose a port of 1024 or more",
    EADDRNOTAVAIL: "this machine does not have that address; use 0.0.0.0 for all addresses of this machine",
}


def open_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket; clients can connect before the server runs.

    >>> with open_socket("127.0.0.1", 0) as first:
    ...     open_socket("127.0.0.1", first.getsockname()[1])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    prowess.Error: cannot listen on 127.0.0.1:...: the port is in use; choose another one, or 0 for any free port
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        reason = REASONS.get(error.errno or 0) or str(error.strerror or error)
        raise Error(f"cannot listen on {host}:{port}: {reason}") from None


def serve(settings: Settings, listener: socket.socket) -> bool:
    """Serve until a signal arrives, then finish open requests; return whether the signal was Ctrl-C."""
    with _environment(settings):
        config = uvicorn.Config(
            APP,
            factory=True,
            loop="uvloop" if find_spec("uvloop") else "asyncio",
            http=HttpProtocol,
            ws="none",
            lifespan="on",
            workers=settings.workers,
            log_config=logging_config(settings.log),
            access_log=False,  # our middleware logs requests
            server_header=False,
            forwarded_allow_ips=list(settings.forwarded),
            proxy_headers=bool(settings.forwarded),
            backlog=BACKLOG,
            timeout_graceful_shutdown=settings.patience,
            timeout_worker_healthcheck=HUNG,
        )
        if settings.workers > 1:
            signals = _serve_in_processes(config, listener, settings.metrics_address)
        else:
            signals = _serve_here(config, listener)
    return signal.SIGINT in signals


def _serve_here(config: uvicorn.Config, listener: socket.socket) -> list[int]:
    # When Uvicorn has stopped, it raises once more the signals that stopped it. Our handler collects them.
    caught: list[int] = []
    # Until the app runs, SIGHUP is ignored, because there is nothing to reload.
    with (
        _signal_handlers(SIGNALS, lambda number, _: caught.append(number)),
        _signal_handlers(_hangup(), lambda *_: None),
    ):
        try:
            uvicorn.Server(config).run([listener])
        except SystemExit:
            raise Error("the service could not start; see the log") from None
    return caught


def _serve_in_processes(config: uvicorn.Config, listener: socket.socket, metrics_address: str) -> list[int]:
    supervisor = _Supervisor(config, [listener])
    with serve_metrics(metrics_address, summed_registry()):
        supervisor.run()
    if not supervisor.caught:
        raise Error("the service could not start; see the log")
    return supervisor.caught


class _Supervisor(Multiprocess):
    """Uvicorn's supervisor, extended to record the signals that stopped it."""

    def __init__(self, config: uvicorn.Config, sockets: list[socket.socket]) -> None:
        super().__init__(config, sockets)
        self.caught: list[int] = []

    def init_processes(self) -> None:
        super().init_processes()
        self._close_child_ends()

    def keep_subprocess_alive(self) -> None:
        super().keep_subprocess_alive()
        self._close_child_ends()

    def _close_child_ends(self) -> None:
        # The pipe of a child breaks when the child dies, but only if we have closed our copy of its end. If the pipe
        # stayed open, the supervisor would wait for a dead child's heartbeat until the timeout, and handle no signals
        # in the meantime.
        for process in self.processes:
            process.child_conn.close()

    def handle_int(self) -> None:
        self.caught.append(signal.SIGINT)
        super().handle_int()

    def handle_term(self) -> None:
        self.caught.append(signal.SIGTERM)
        super().handle_term()

    def handle_hup(self) -> None:
        super().handle_hup()  # replaces each process once its successor is ready
        self._close_child_ends()


@contextmanager
def _environment(settings: Settings) -> Iterator[None]:
    saved = os.environ.copy()
    with TemporaryDirectory(prefix="prowess-metrics-") as folder:
        os.environ.update(settings.to_env())
        if settings.workers > 1:
            os.environ[METRICS_FOLDER] = folder
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(saved)


@contextmanager
def _signal_handlers(numbers: Iterable[int], handler: Callable[[int, Any], object]) -> Iterator[dict[int, Any]]:
    previous: dict[int, Any] = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield previous
    finally:
        for number, old in previous.items():
            signal.signal(number, old)


@contextmanager
def on_shutdown(end: Callable[[], None]) -> Iterator[None]:
    """Call `end` as soon as a termination signal arrives, before the existing handlers.

    The server waits for open requests before it stops, so `end` must end the event streams, which would otherwise last
    forever.
    """
    if current_thread() is not main_thread():
        yield
        return
    loop = asyncio.get_running_loop()

    def handle(number: int, frame: Any) -> None:
        loop.call_soon_threadsafe(end)
        previous[number](number, frame)

    handled = [number for number in SIGNALS if callable(signal.getsignal(number))]
    with _signal_handlers(handled, handle) as previous:
        yield


@contextmanager
def on_hangup(reload: Callable[[], None]) -> Iterator[None]:
    """Call `reload` whenever SIGHUP arrives; without a handler, SIGHUP would end the process."""
    loop = asyncio.get_running_loop()
    handled = _hangup() if current_thread() is main_thread() else []
    with _signal_handlers(handled, lambda *_: loop.call_soon_threadsafe(reload)):
        yield


def ignore_hangup() -> None:
    """Ignore SIGHUP until the service runs: a reload during startup must not end the process."""
    for number in _hangup():
        signal.signal(number, signal.SIG_IGN)


def _hangup() -> list[int]:
    # Windows has no SIGHUP. A terminal sends SIGHUP when it is closed, so in a terminal the signal must end the
    # process.
    in_terminal = sys.stdin is not None and sys.stdin.isatty()
    return [signal.SIGHUP] if hasattr(signal, "SIGHUP") and not in_terminal else []


@contextmanager
def exit_with_parent() -> Iterator[None]:
    """End the process when its parent dies, because an orphaned worker would keep the port in use."""
    parent = parent_process()
    if parent is None or os.name == "nt":
        yield
        return
    loop = asyncio.get_running_loop()
    sentinel: Any = parent.sentinel  # a pipe that becomes readable when the parent dies

    def end() -> None:
        loop.remove_reader(sentinel)
        signal.raise_signal(signal.SIGTERM)

    loop.add_reader(sentinel, end)
    try:
        yield
    finally:
        loop.remove_reader(sentinel)
