"""Threads shared fairly between clients, a concurrency limiter, a TTL cache, and cancellation on disconnect."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, nullcontext
from contextvars import ContextVar
from functools import partial
from time import monotonic, thread_time
from typing import Any, Generic, TypeVar

from anyio import CapacityLimiter
from starlette import concurrency
from starlette.types import Receive

from ..store.errors import Unavailable

Value = TypeVar("Value")
TTL = 1.0  # seconds that a value is cached; a revoked key can keep working for this long
MAX_ENTRIES = 10_000


class ClientThreads:
    """The threads of one client: at most `at_once` functions of the client run at a time.

    `charge` is called with the CPU time of each function, in seconds.

    >>> async def work():
    ...     CLIENT.set(ClientThreads(2, charge=lambda seconds: print(seconds >= 0)))
    ...     return await run_in_threadpool(sum, [1, 2])
    >>> asyncio.run(work())
    True
    3
    """

    def __init__(self, at_once: int, charge: Callable[[float], None]) -> None:
        self.slots, self.charge = CapacityLimiter(at_once), charge


CLIENT: ContextVar[ClientThreads | None] = ContextVar("client", default=None)  # the client of the current request


async def run_in_threadpool(function: Callable[..., Value], *arguments: Any, **named: Any) -> Value:
    """Run a function in a thread; during a request, the function uses one of the client's threads.

    Each client has few threads. Otherwise, one client could occupy all threads and the interpreter lock.
    """
    client = CLIENT.get()
    async with client.slots if client else nullcontext():
        return await _run_charged(partial(function, *arguments, **named))


async def _run_charged(work: Callable[[], Value]) -> Value:
    client, seconds = CLIENT.get(), 0.0

    def measure() -> Value:
        nonlocal seconds
        start = thread_time()
        try:
            return work()
        finally:
            seconds = thread_time() - start

    try:
        return await concurrency.run_in_threadpool(measure)
    finally:
        if client:
            client.charge(seconds)


def charge_client(seconds: float) -> None:
    """Charge CPU time that was used elsewhere, such as in a child process, to the client of the request."""
    if client := CLIENT.get():
        client.charge(seconds)


class TtlCache(Generic[Value]):
    """Values by name, loaded in a thread and cached for `ttl` seconds; errors are not cached.

    >>> ages = TtlCache({"ann": 30}.get)
    >>> asyncio.run(ages.get("ann")), ages.peek("ann"), ages.peek("bob")
    (30, 30, None)
    """

    def __init__(self, load: Callable[[str], Value], ttl: float = TTL, clock: Callable[[], float] = monotonic) -> None:
        self._load, self._ttl, self._clock = load, ttl, clock
        self._entries: dict[str, tuple[float, Value]] = {}
        self._loading: dict[str, asyncio.Task[Value]] = {}

    def peek(self, name: str) -> Value | None:
        """Return the last loaded value, even if it is old; None if no value was ever loaded."""
        entry = self._entries.get(name)
        return entry[1] if entry else None

    async def get(self, name: str) -> Value:
        """Return the cached value if it is fresh; otherwise load the value. Concurrent callers share one load."""
        entry = self._entries.get(name)
        if entry is not None and self._clock() < entry[0]:
            return entry[1]
        task = self._loading.get(name)
        if task is None:
            task = self._loading[name] = asyncio.ensure_future(self._refresh(name))
        return await asyncio.shield(task)  # a caller that is cancelled must not cancel the load for other callers

    def invalidate(self, name: str) -> None:
        """Drop a value; a value that is being loaded will not be cached."""
        self._entries.pop(name, None)
        self._loading.pop(name, None)

    def clear(self) -> None:
        """Drop all values; values that are being loaded will not be cached."""
        self._entries.clear()
        self._loading.clear()

    async def _refresh(self, name: str) -> Value:
        expires, task = self._clock() + self._ttl, asyncio.current_task()
        try:
            # This load does not use a client's threads, because other clients may be waiting for the same value.
            value = await concurrency.run_in_threadpool(self._load, name)
        finally:
            valid = self._loading.get(name) is task  # False if the value was invalidated during the load
            if valid:
                del self._loading[name]
        if valid:
            if len(self._entries) >= MAX_ENTRIES:
                self._entries.clear()
            self._entries[name] = (expires, value)
        return value


class ConcurrencyLimiter:
    """Limits how many expensive requests of one kind run at once.

    Extra callers wait without holding a thread, and get `Unavailable` (503) when the queue is full.

    >>> asyncio.run(ConcurrencyLimiter("teams").run(lambda: 7))
    7
    """

    def __init__(self, work: str, at_once: int = 2, waiting: int = 40) -> None:
        self._work, self._most = work, at_once + waiting
        self._slots = CapacityLimiter(at_once)
        self._callers = 0  # running or waiting

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait for a slot, and hold it until the block ends; raises `Unavailable` if too many callers wait already."""
        if self._callers >= self._most:
            raise Unavailable(f"too many requests for {self._work} at the moment")
        self._callers += 1
        try:
            async with self._slots:
                yield
        finally:
            self._callers -= 1

    async def run(self, work: Callable[[], Value]) -> Value:
        """Run a function in a thread as soon as a slot is free."""
        async with self.slot():
            # This work can take seconds, and the client's other requests should not wait for it, so it does not use the
            # client's threads.
            return await _run_charged(work)


async def unless_disconnected(receive: Receive, work: Coroutine[Any, Any, Value]) -> Value | None:
    """Return the result of `work`, or cancel it and return None as soon as the client disconnects.

    Call this only after the body of the request has been read, or if the body is not needed.
    """

    async def disconnected() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    task, gone = asyncio.ensure_future(work), asyncio.ensure_future(disconnected())
    try:
        await asyncio.wait((task, gone), return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else None
    finally:
        task.cancel()
        gone.cancel()
        await asyncio.gather(task, gone, return_exceptions=True)
