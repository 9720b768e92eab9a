"""Names that are one letter apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import polars as pl

__all__ = ["one_letter_apart"]

LEAST = 4  # letters of a word in which one may be a slip
LONGEST = 40  # letters of a name that are looked at
CROWD = 20  # names that share all letters but one: a series, and no slips


def one_letter_apart(names: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of names, by their indices, of which one becomes the other by one letter more, less or other, or by a swap.

    Two names can be so only if they are the same without one letter each; so all such remainders are sorted, and names
    are compared that share one: n log n for names of bounded length. Digits and short words differ on purpose.

    >>> one_letter_apart(["john smith", "jhon smith", "john smit", "john b", "john c", "team 10", "team 11"])
    [(0, 1), (0, 2)]
    """
    import polars as pl

    frame = pl.DataFrame({"name": names, "at": range(len(names))}, schema={"name": pl.String, "at": pl.Int64})
    frame = frame.with_columns(pl.col("name").str.len_chars().alias("size"))
    frame = frame.filter(pl.col("size").is_between(LEAST, LONGEST))
    if frame.is_empty():
        return []
    parts = [frame.select(pl.col("name").hash().alias("rest"), "at")]
    for index in range(int(frame["size"].to_numpy().max())):
        longer = frame.filter(pl.col("size") > index)
        rest = pl.col("name").str.head(index) + pl.col("name").str.slice(index + 1)
        parts.append(longer.select(rest.hash().alias("rest"), "at"))
    pairs = _sharing(*pl.concat(parts).get_columns())
    return sorted((a, b) for a, b in pairs if _slip(names[a], names[b]))


def _sharing(rest: pl.Series, at: pl.Series) -> set[tuple[int, int]]:
    """Pairs of names with a remainder in common, which is known by its hash."""
    key = rest.to_numpy()
    order = np.argsort(key, kind="stable")
    key, who = key[order], at.to_numpy()[order]
    ends = np.flatnonzero(np.concatenate([key[1:] != key[:-1], [True]])) + 1
    starts = np.concatenate([[0], ends[:-1]])
    sizes = ends - starts
    found: set[tuple[int, int]] = set()
    for start, size in zip(starts[sizes > 1].tolist(), sizes[sizes > 1].tolist(), strict=True):
        if size <= CROWD:
            group = np.unique(who[start : start + size]).tolist()
            found.update((a, b) for k, a in enumerate(group) for b in group[k + 1 :])
    return found


def _slip(one: str, other: str) -> bool:
    """Whether one is the other but for one letter, or two that were swapped, in a word that is long enough."""
    first = next((k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    last = next(
        (k for k, (a, b) in enumerate(zip(reversed(one[first:]), reversed(other[first:]), strict=False)) if a != b),
        min(len(one), len(other)) - first,
    )
    wrong, right = one[first : len(one) - last], other[first : len(other) - last]
    swapped = len(wrong) == len(right) == 2 and wrong == right[::-1]
    if not (swapped or max(len(wrong), len(right)) == 1):
        return False
    words = one.split(" "), other.split(" ")
    if len(words[0]) != len(words[1]) or any(letter.isdigit() or letter == " " for letter in wrong + right):
        return False
    different = [(a, b) for a, b in zip(*words, strict=True) if a != b]
    return all(min(len(a), len(b)) >= LEAST for a, b in different)
