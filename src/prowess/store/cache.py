"""An LRU cache with a limit in bytes and a lock for each key."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock, RLock
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class LruCache(Generic[Value]):
    """A cache of at most `limit` bytes, which evicts the least recently used values.

    The value that was stored last is kept even if it alone is larger than the limit.

    The cache is thread-safe. A thread that computes a value holds the lock of its key, so that each value is computed
    only once, and threads never wait for other keys.

    >>> cache: LruCache[str] = LruCache(limit=10)
    >>> for name in ("ann", "bob", "cat"):
    ...     with cache.lock(name):
    ...         cache.put(name, name.title(), nbytes=4)
    >>> cache.get("ann"), cache.get("cat")
    (None, 'Cat')
    """

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self._values: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        self._locks: dict[Hashable, RLock] = {}
        self._guard = Lock()
        self.nbytes = 0  # total size of all values in bytes

    def get(self, key: Hashable) -> Value | None:
        """Return the value of a key and mark it as recently used; None if the key is not in the cache."""
        with self._guard:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key][0]

    def put(self, key: Hashable, value: Value, nbytes: int) -> None:
        """Store a value of `nbytes` bytes under a key; evict other values if the limit is exceeded."""
        evicted: list[object] = []  # freed after the lock is released, because freeing large values takes a while
        with self._guard:
            evicted.append(self._pop(key))
            self._values[key] = value, nbytes
            self.nbytes += nbytes
            while len(self._values) > 1 and self.nbytes > self.limit:
                evicted.append(self._pop(next(iter(self._values))))

    @property
    def room(self) -> float:
        """Bytes that still fit before anything is evicted."""
        return self.limit - self.nbytes

    def drop(self, key: Hashable) -> None:
        """Remove a key, if present."""
        with self._guard:
            self._pop(key)

    def drop_if(self, unwanted: Callable[[Any], bool]) -> None:
        """Remove every key for which `unwanted` returns true."""
        dropped: list[object] = []  # freed after the lock is released
        with self._guard:
            dropped += [self._pop(key) for key in list(self._values) if unwanted(key)]

    def _pop(self, key: Hashable) -> Value | None:
        value, size = self._values.pop(key, (None, 0))
        self.nbytes -= size
        return value

    def lock(self, key: Hashable) -> RLock:
        """Return the lock of a key. Hold this lock while you compute the value."""
        with self._guard:
            return self._locks.setdefault(key, RLock())
