"""When a process must end: it is told so by a signal, or those who started it are gone."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import parent_process
from threading import current_thread, main_thread
from typing import Any

__all__ = ["not_orphaned", "told_of_the_end"]


@contextmanager
def told_of_the_end(end: Callable[[], None]) -> Iterator[None]:
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
def not_orphaned() -> Iterator[None]:
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
