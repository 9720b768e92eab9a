"""What a process keeps in memory of its leagues: the least recently used goes when it becomes too much."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock, RLock
from typing import Generic, TypeVar

__all__ = ["Shelf"]

Thing = TypeVar("Thing")


class Shelf(Generic[Thing]):
    """Things by their keys, of so many bytes in all; the one that was put there last always stays.

    Any number of threads may use it. Who makes a thing holds the lock of its key meanwhile, so that it is made once and
    nobody waits for another key.

    >>> shelf: Shelf[str] = Shelf(limit=10)
    >>> for name in ("ann", "bob", "cat"):
    ...     with shelf.lock(name):
    ...         shelf.put(name, name.title(), nbytes=4)
    >>> shelf.get("ann"), shelf.get("cat")
    (None, 'Cat')
    """

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self._things: OrderedDict[Hashable, tuple[Thing, int]] = OrderedDict()
        self._locks: dict[Hashable, RLock] = {}
        self._guard = Lock()
        self.nbytes = 0  # of all things together

    def get(self, key: Hashable) -> Thing | None:
        """What is there, which counts as used now."""
        with self._guard:
            if key not in self._things:
                return None
            self._things.move_to_end(key)
            return self._things[key][0]

    def put(self, key: Hashable, thing: Thing, nbytes: int) -> None:
        """Put something there, in place of what was; others go if it is too much."""
        gone: list[object] = []  # what is large takes a while to be freed, which others need not wait for
        with self._guard:
            gone.append(self._taken(key))
            self._things[key] = thing, nbytes
            self.nbytes += nbytes
            while len(self._things) > 1 and self.nbytes > self.limit:
                gone.append(self._taken(next(iter(self._things))))

    @property
    def room(self) -> float:
        """Bytes that can be put there before something has to go."""
        return self.limit - self.nbytes

    def drop(self, key: Hashable) -> None:
        """Take something away, if it is there."""
        with self._guard:
            self._taken(key)

    def _taken(self, key: Hashable) -> Thing | None:
        thing, size = self._things.pop(key, (None, 0))
        self.nbytes -= size
        return thing

    def lock(self, key: Hashable) -> RLock:
        """What is held by who makes the thing of a key."""
        with self._guard:
            return self._locks.setdefault(key, RLock())
