"""Work that may take seconds: a few do it at once, so that all others who only read need not wait for it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from anyio import CapacityLimiter
from starlette.concurrency import run_in_threadpool

from ..store.errors import Unavailable

__all__ = ["Few"]

Found = TypeVar("Found")
AT_ONCE, WAITING = 2, 40


class Few:
    """Those who do work of one kind; who waits for a turn holds nothing meanwhile, and too many are sent away.

    >>> import asyncio
    >>> asyncio.run(Few("teams").run(lambda: 7))
    7
    """

    def __init__(self, what: str, at_once: int = AT_ONCE, waiting: int = WAITING) -> None:
        self._what, self._most = what, at_once + waiting
        self._turns = CapacityLimiter(at_once)
        self._there = 0  # who work or wait

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait until it is one's turn, which ends with the block."""
        if self._there >= self._most:
            raise Unavailable(f"too many ask for {self._what} just now")
        self._there += 1
        try:
            async with self._turns:
                yield
        finally:
            self._there -= 1

    async def run(self, work: Callable[[], Found]) -> Found:
        """Do something in a thread when it is its turn."""
        async with self.turn():
            return await run_in_threadpool(work)
