"""Work that may take seconds: a few do it at once, so that all others who only read need not wait for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from anyio import CapacityLimiter, to_thread

from ..store.errors import Unavailable

__all__ = ["Few"]

Found = TypeVar("Found")
AT_ONCE, WAITING = 2, 40


class Few:
    """Threads that do work of one kind; who waits for one holds nothing meanwhile, and too many are sent away.

    >>> import asyncio
    >>> asyncio.run(Few("teams").run(lambda: 7))
    7
    """

    def __init__(self, what: str, at_once: int = AT_ONCE, waiting: int = WAITING) -> None:
        self._what, self._most = what, at_once + waiting
        self._threads = CapacityLimiter(at_once)
        self._there = 0  # who work or wait

    async def run(self, work: Callable[[], Found]) -> Found:
        """Do something when it is its turn."""
        if self._there >= self._most:
            raise Unavailable(f"too many ask for {self._what} just now")
        self._there += 1
        try:
            return await to_thread.run_sync(work, limiter=self._threads)
        finally:
            self._there -= 1
