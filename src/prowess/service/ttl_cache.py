"""What was looked up a moment ago: asked again only when that is too long ago, and only once at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic
from typing import Generic, TypeVar

from starlette.concurrency import run_in_threadpool

__all__ = ["Recent"]

Found = TypeVar("Found")
KEEP = 1.0  # seconds: how long a key may still work after it was revoked
ROOM = 10_000


class Recent(Generic[Found]):
    """Answers of a slow question by name, kept for `keep` seconds; an error is not kept.

    >>> ages = Recent({"ann": 30}.get)
    >>> asyncio.run(ages.get("ann")), ages.last("ann"), ages.last("bob")
    (30, 30, None)
    """

    def __init__(self, ask: Callable[[str], Found], keep: float = KEEP, clock: Callable[[], float] = monotonic) -> None:
        self._ask, self._keep, self._clock = ask, keep, clock
        self._found: dict[str, tuple[float, Found]] = {}
        self._asking: dict[str, asyncio.Task[Found]] = {}

    def last(self, name: str) -> Found | None:
        """What was found last, however long ago; None where nothing was."""
        known = self._found.get(name)
        return known[1] if known else None

    async def get(self, name: str) -> Found:
        """What was found a moment ago, or is found now."""
        known = self._found.get(name)
        if known is not None and self._clock() < known[0]:
            return known[1]
        asking = self._asking.get(name)
        if asking is None:
            asking = self._asking[name] = asyncio.ensure_future(self._look_up(name))
        return await asyncio.shield(asking)  # one who hangs up must not end it for the others

    def forget(self, name: str) -> None:
        """What was found, or is being looked up, holds no longer."""
        self._found.pop(name, None)
        self._asking.pop(name, None)

    async def _look_up(self, name: str) -> Found:
        until, asking = self._clock() + self._keep, asyncio.current_task()
        try:
            found = await run_in_threadpool(self._ask, name)
        finally:
            holds = self._asking.get(name) is asking
            if holds:
                del self._asking[name]
        if not holds:
            return found
        if len(self._found) >= ROOM:
            self._found.clear()
        self._found[name] = (until, found)
        return found
