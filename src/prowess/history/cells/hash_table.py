"""A hash table that numbers keys in order of first appearance (a kernel)."""

from __future__ import annotations

import numpy as np

# kernel
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:  # only annotations need it, and they are not evaluated
    cython = None


def numbered(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number the distinct keys (unsigned 64-bit hashes) in order of first appearance.

    Return the number of each key, and the index at which each number first appears.

    >>> code, first = numbered(np.array([7, 9, 7, 8], np.uint64))
    >>> code.tolist(), first.tolist()
    ([0, 1, 0, 2], [0, 1, 3])
    """
    code = np.empty(len(keys), np.int32)
    first = np.empty(1 << 10, np.int64)  # at most a quarter of the slots are used, so that searches stay short
    slots = np.zeros(1 << 12, np.int32)  # the number of the key plus 1; 0 marks an empty slot
    at = count = 0
    while at < len(keys):
        at, count = _fill(memoryview(keys), memoryview(code), memoryview(first), memoryview(slots), at, count)
        if at < len(keys):
            first = np.concatenate((first, np.empty(3 * len(first), np.int64)))
            slots = np.zeros(4 * len(slots), np.int32)
            _enter(memoryview(keys), memoryview(first), memoryview(slots), count)
    return code, first[:count].copy()


def _fill(
    keys: cython.const[cython.ulonglong][::1],
    code: cython.int[::1],
    first: cython.longlong[::1],
    slots: cython.int[::1],
    at: cython.Py_ssize_t,
    count: cython.Py_ssize_t,
) -> tuple[int, int]:
    """Number the keys from `at` on until the table is a quarter full; return the next index and the number of keys."""
    mask: cython.ulonglong = len(slots) - 1
    slot: cython.ulonglong
    found: cython.int
    i: cython.Py_ssize_t
    size: cython.Py_ssize_t = len(keys)
    most: cython.Py_ssize_t = len(first)
    for i in range(at, size):
        # The mask keeps only the low bits, so mix in the high bits first.
        slot = (keys[i] ^ (keys[i] >> 32)) & mask
        found = slots[slot]
        while found != 0 and keys[first[found - 1]] != keys[i]:
            slot = (slot + 1) & mask
            found = slots[slot]
        if found == 0:
            if count == most:
                return i, count
            first[count] = i
            count += 1
            found = slots[slot] = count
        code[i] = found - 1
    return size, count


def _enter(
    keys: cython.const[cython.ulonglong][::1],
    first: cython.longlong[::1],
    slots: cython.int[::1],
    count: cython.Py_ssize_t,
) -> None:
    """Insert the keys that already have numbers into a larger table."""
    mask: cython.ulonglong = len(slots) - 1
    slot: cython.ulonglong
    k: cython.Py_ssize_t
    for k in range(count):
        slot = (keys[first[k]] ^ (keys[first[k]] >> 32)) & mask
        while slots[slot] != 0:
            slot = (slot + 1) & mask
        slots[slot] = k + 1
