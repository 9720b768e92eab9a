"""Ragged arrays: lists of different lengths, stored one after another in a single array.

`start` holds the index at which each list begins; its last element is the index at which the last list ends.
"""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


def starts(lengths: NDArray[np.integer]) -> Ints:
    """Return the start indices of lists with the given lengths, followed by the end of the last list.

    >>> starts(np.array([2, 1, 3]))
    array([0, 2, 3, 6], dtype=int32)
    """
    start = np.zeros(len(lengths) + 1, np.int32)
    np.cumsum(lengths, out=start[1:])
    return start


def owners(start: Ints) -> Ints:
    """Return, for each element of a ragged array, the index of its list.

    >>> owners(np.array([0, 2, 3], np.int32))
    array([0, 0, 1], dtype=int32)
    """
    return np.repeat(np.arange(len(start) - 1, dtype=np.int32), np.diff(start))


def holders(start: Ints, elements: NDArray[np.integer]) -> NDArray[np.intp]:
    """Return the indices of the lists that hold the given elements; faster than `owners` for a few elements.

    >>> holders(np.array([0, 2, 3, 6], np.int32), np.array([5, 1]))
    array([2, 0])
    """
    # Convert to the dtype of `start`, because otherwise NumPy would convert all of `start`.
    same = np.asarray(elements).astype(start.dtype)
    return np.searchsorted(start, same, side="right") - 1


def gather(start: Ints, chosen: NDArray[np.integer]) -> tuple[Ints, Ints]:
    """Return the `start` of a new ragged array with the chosen lists, and the old indices of its elements.

    >>> gather(np.array([0, 2, 3, 6], np.int32), np.array([2, 0]))
    (array([0, 3, 5], dtype=int32), array([3, 4, 5, 0, 1], dtype=int32))
    """
    first = start[chosen]
    new = starts(start[chosen + 1] - first)
    elements = np.arange(new[-1], dtype=np.int32) + np.repeat(first - new[:-1], np.diff(new))
    return new, elements


def places(start: Ints, key: Floats) -> Ints:
    """Return places within each list, lowest key first.

    A place is 1 plus the number of strictly lower keys in the list.

    >>> places(np.array([0, 4, 6], np.int32), np.array([1, 2.5, 2.5, 9, 7, 3]))
    array([1, 2, 2, 4, 2, 1], dtype=int32)
    """
    # A fast path for pairs, without sorting.
    if len(key) == 2 * (len(start) - 1) and (start[1:] - start[:-1] == 2).all():
        first, second = key[0::2], key[1::2]
        result = np.empty(len(key), np.int32)
        result[0::2] = second < first
        result[1::2] = first < second
        result += 1
        return result
    group = owners(start)
    order = np.lexsort((key, group))
    key, group = key[order], group[order]
    fresh = np.ones(len(key), bool)  # marks the first element of each place
    fresh[1:] = (key[1:] != key[:-1]) | (group[1:] != group[:-1])
    first = np.maximum.accumulate(np.where(fresh, np.arange(len(key)), 0))
    result = np.empty(len(key), np.int32)
    result[order] = first - start[group] + 1
    return result


def pair_codes(first: NDArray[np.integer], second: NDArray[np.integer]) -> NDArray[np.int64]:
    """Encode each pair of non-negative integers as one integer; the integers sort in the same order as the pairs.

    >>> pair_codes(np.array([0, 1, 1]), np.array([2, 0, 2]))
    array([2, 3, 5])
    """
    width = int(second.max(initial=-1)) + 1
    # Reached only for pairs of pair codes in an enormous table.
    if int(first.max(initial=0)) >= np.iinfo(np.int64).max // max(width, 1):
        first = np.unique(first, return_inverse=True)[1]
    return first.astype(np.int64) * width + second


def cut(start: Ints, first: int, last: int) -> tuple[Ints, slice]:
    """Return the `start` of the lists from `first` up to but excluding `last`, and the slice of their elements.

    >>> cut(np.array([0, 2, 3, 6], np.int32), 1, 3)
    (array([0, 1, 4], dtype=int32), slice(2, 6, None))
    """
    new = start[first : last + 1]
    return new - new[0], slice(int(new[0]), int(new[-1]))


def mix_bits(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix the bits of each 64-bit word, as in SplitMix of Steele, Lea and Flood (2014).

    >>> [f"{word:x}" for word in mix_bits(np.array([0, 1], np.uint64))]
    ['e220a8397b1dcdaf', '910a2dec89025cc1']
    """
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))
