"""What comes next in a search for an augmenting path: a heap of events by when they happen."""

from __future__ import annotations

from array import array

try:
    import cython
except ModuleNotFoundError:
    from ...model import _cython as cython


@cython.final
@cython.cclass
class Events:
    """Pairs of numbers, the one with the lowest key first; `pop` leaves it in `key`, `first` and `second`."""

    def __init__(self, room: int = 64) -> None:
        self.count = 0
        self.key = self.first = self.second = 0
        self.keys = array("q", bytes(8 * room))
        self.firsts = array("i", bytes(4 * room))
        self.seconds = array("i", bytes(4 * room))

    def grow(self) -> None:
        """Make room for twice as many."""
        room = 2 * len(self.keys)
        larger = Events(room)
        for k in range(self.count):
            larger.keys[k] = self.keys[k]
            larger.firsts[k] = self.firsts[k]
            larger.seconds[k] = self.seconds[k]
        self.keys, self.firsts, self.seconds = larger.keys, larger.firsts, larger.seconds

    def push(self, key: cython.longlong, first: cython.int, second: cython.int) -> cython.bint:
        """Put in an event."""
        at = self.count
        if at == len(self.keys):
            self.grow()
        self.count += 1
        while at > 0:
            above = (at - 1) // 2
            if self.keys[above] <= key:
                break
            self.keys[at] = self.keys[above]
            self.firsts[at] = self.firsts[above]
            self.seconds[at] = self.seconds[above]
            at = above
        self.keys[at] = key
        self.firsts[at] = first
        self.seconds[at] = second
        return False

    def soonest(self) -> cython.longlong:
        """The lowest key; there must be one."""
        return self.keys[0]

    def pop(self) -> cython.bint:
        """Take out the event of the lowest key; there must be one."""
        last = self.count - 1
        at = 0
        below = 1
        key = self.keys[last]
        self.key = self.keys[0]
        self.first = self.firsts[0]
        self.second = self.seconds[0]
        self.count = last
        while below < last:
            if below + 1 < last and self.keys[below + 1] < self.keys[below]:
                below += 1
            if self.keys[below] >= key:
                break
            self.keys[at] = self.keys[below]
            self.firsts[at] = self.firsts[below]
            self.seconds[at] = self.seconds[below]
            at = below
            below = 2 * at + 1
        self.keys[at] = key
        self.firsts[at] = self.firsts[last]
        self.seconds[at] = self.seconds[last]
        return True
