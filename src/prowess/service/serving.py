"""Serving with Uvicorn: a socket of our own, one process or several, and an end without a trace."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from errno import EACCES, EADDRINUSE, EADDRNOTAVAIL
from multiprocessing import parent_process
from tempfile import TemporaryDirectory
from threading import current_thread, main_thread
from typing import Any

import uvicorn
from uvicorn.supervisors import Multiprocess

from ..errors import Error
from .observability import METRICS_FOLDER, logging_config
from .settings import Settings

APP = "prowess.service.app:create_app"
BACKLOG = 2048
HUNG = 300  # seconds without a sign of life after which a process is replaced; a long replay is no hang
_REASONS = {
    EADDRINUSE: "it is in use; choose another port, or 0 for any that is free",
    EACCES: "it needs the rights of the administrator; choose a port of 1024 or more",
    EADDRNOTAVAIL: "this machine has no such address",
}


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens; those who connect wait until somebody serves them.

    >>> with listening("127.0.0.1", 0) as one:
    ...     listening("127.0.0.1", one.getsockname()[1])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    prowess.Error: 127.0.0.1:... cannot be listened at: it is in use; choose another port, or 0 for any that is free
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        reason = _REASONS.get(error.errno or 0) or str(error.strerror or error)
        raise Error(f"{host}:{port} cannot be listened at: {reason}") from None


def serve(settings: Settings, there: socket.socket) -> bool:
    """Serve until the process is asked to end; whether it was asked by Ctrl-C. Open requests are answered first."""
    with _environment(settings):
        config = uvicorn.Config(
            APP,
            factory=True,
            loop="uvloop" if _has("uvloop") else "asyncio",
            http="httptools" if _has("httptools") else "h11",
            ws="none",
            lifespan="on",
            workers=settings.workers,
            log_config=logging_config(settings.log),
            access_log=False,
            server_header=False,
            forwarded_allow_ips=list(settings.forwarded),
            proxy_headers=bool(settings.forwarded),
            backlog=BACKLOG,
            timeout_graceful_shutdown=settings.patience,
            timeout_worker_healthcheck=HUNG,
        )
        return _several(config, there) if settings.workers > 1 else _one(config, there)


def _has(module: str) -> bool:
    from importlib.util import find_spec

    return find_spec(module) is not None


def _one(config: uvicorn.Config, there: socket.socket) -> bool:
    """Serve in this process. The server sends itself the signals that it caught once more, when it is done."""
    caught: list[int] = []
    before = {one: signal.signal(one, lambda one, _: caught.append(one)) for one in (signal.SIGINT, signal.SIGTERM)}
    server = uvicorn.Server(config)
    try:
        server.run([there])
    except SystemExit:
        raise Error("the service could not start; the log says why") from None
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
    return signal.SIGINT in caught


def _several(config: uvicorn.Config, there: socket.socket) -> bool:
    """Serve in several processes; one that dies is replaced."""
    together = _Supervisor(config, [there])
    together.run()
    if not together.asked:
        raise Error("the service could not start; the log says why")
    return signal.SIGINT in together.asked


class _Supervisor(Multiprocess):
    """The supervisor, which also remembers why it ended."""

    def __init__(self, config: uvicorn.Config, sockets: list[socket.socket]) -> None:
        super().__init__(config, sockets)
        self.asked: set[int] = set()

    def init_processes(self) -> None:
        super().init_processes()
        self._let_go()

    def keep_subprocess_alive(self) -> None:
        super().keep_subprocess_alive()
        self._let_go()

    def _let_go(self) -> None:
        """Leave the processes their ends of the pipes: who dies when asked for a sign of life then breaks its pipe.

        Else the supervisor would wait for that sign until it takes the process for hung, and be deaf meanwhile.
        """
        for process in self.processes:
            process.child_conn.close()

    def handle_int(self) -> None:
        self.asked.add(signal.SIGINT)
        super().handle_int()

    def handle_term(self) -> None:
        self.asked.add(signal.SIGTERM)
        super().handle_term()


@contextmanager
def _environment(settings: Settings) -> Iterator[None]:
    """Settings travel to all processes by the environment, and several processes write their figures to a folder."""
    with TemporaryDirectory(prefix="prowess-metrics-") as folder:
        wanted: dict[str, Any] = settings.to_env()
        if settings.workers > 1:
            wanted[METRICS_FOLDER] = folder
        before = {name: os.environ.get(name) for name in wanted}
        os.environ.update(wanted)
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


@contextmanager
def on_shutdown(end: Callable[[], None]) -> Iterator[None]:
    """Call a function as soon as the process is asked to end, before the handlers that are there already.

    A server first waits for open requests, and those that follow a league would never end by themselves.
    """
    if current_thread() is not main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    before: dict[int, Any] = {
        one: handler for one in (signal.SIGINT, signal.SIGTERM) if callable(handler := signal.getsignal(one))
    }

    def handle(number: int, frame: Any) -> None:
        loop.call_soon_threadsafe(end)
        before[number](number, frame)

    for one in before:
        signal.signal(one, handle)
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


@contextmanager
def exit_with_parent() -> Iterator[None]:
    """End the process when its parent is gone: one of several workers would else keep the port for ever."""
    parent = parent_process()
    if parent is None or os.name == "nt":
        yield
        return
    loop = asyncio.get_running_loop()
    there: Any = parent.sentinel  # a pipe that can be read when the parent has died

    def orphaned() -> None:
        loop.remove_reader(there)
        signal.raise_signal(signal.SIGTERM)

    loop.add_reader(there, orphaned)
    try:
        yield
    finally:
        loop.remove_reader(there)
