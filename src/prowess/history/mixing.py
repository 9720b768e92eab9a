"""Numbers that stand for things, with their bits mixed: sums and exclusive ors of them tell sets apart."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["mixed_bits"]


def mixed_bits(word: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread the bits of each word over all of it: Steele, Lea, Flood (2014), SplitMix.

    >>> [f"{word:x}" for word in mixed_bits(np.array([0, 1], np.uint64))]
    ['e220a8397b1dcdaf', '910a2dec89025cc1']
    """
    word = word + np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))
