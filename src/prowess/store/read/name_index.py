"""An index of a league's players by name, with a search that ignores case and accents."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...history.names import nearest, plain_letters

if TYPE_CHECKING:
    import polars as pl

MAX_COMPARED = 3_000  # in a league with up to this many names, a misspelt name is compared with all of them
MAX_LIKELY = 300  # candidates compared in a larger league
MAX_DIFFERENCE = 2  # largest difference in length between a misspelt name and the right one
MAX_RECENT = 1_000  # number of new names after which all names are merged into one dict
NAME_BYTES = 240  # approximate size of a name, its row and its folded form


class NameIndex:
    """An immutable index of names and their row numbers. An index with more names shares data with the earlier one.

    >>> index = NameIndex(["Ánn", "Bob"]).extended(["Joanna"])
    >>> index.row("Joanna"), "Eve" in index, index.search("ANN")
    (2, False, array([ True, False,  True]))
    """

    def __init__(self, names: Sequence[str] = ()) -> None:
        self.names = list(names)
        self._rows = dict(zip(self.names, range(len(self.names)), strict=True))
        self._recent: dict[str, int] = {}  # rows of new names, kept apart so that adding a few is cheap
        self._folded: pl.Series | None = None

    def __len__(self) -> int:
        """Count the players."""
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        """Return whether a player has this name."""
        return name in self._rows or name in self._recent

    @property
    def nbytes(self) -> int:
        """Approximate size in bytes."""
        return NAME_BYTES * len(self)

    @cached_property
    def rows(self) -> dict[str, int]:
        """The rows of all names."""
        return self._rows | self._recent if self._recent else self._rows

    def row(self, name: str) -> int | None:
        """Return the row of a name; None if it is unknown."""
        row = self._rows.get(name)
        return self._recent.get(name) if row is None else row

    def extended(self, newcomers: Sequence[str]) -> NameIndex:
        """Return an index with more names appended, or this index if there are no new names."""
        if not newcomers:
            return self
        longer = NameIndex()
        longer.names = self.names + list(newcomers)
        longer._rows = self._rows
        longer._recent = self._recent | dict(zip(newcomers, range(len(self), len(longer)), strict=True))
        if len(longer._recent) > MAX_RECENT:
            longer._rows, longer._recent = longer._rows | longer._recent, {}
        if self._folded is not None:
            longer._folded = _fold(newcomers, self._folded)
        return longer

    def search(self, text: str, strip: bool = True) -> NDArray[np.bool_]:
        """Return which names contain a text, ignoring case, accents and, if `strip`, surrounding blanks."""
        if self._folded is None:
            self._folded = _fold(self.names)
        part = plain_letters(text.strip() if strip else text)
        return np.asarray(self._folded.str.contains(part, literal=True).to_numpy(), bool)

    def hint(self, name: str) -> str:
        """Return a suggestion for an unknown name, to append to a sentence."""
        near = self.near(name)
        return f"; did you mean {near[0]!r}?" if near else ""

    def near(self, name: str, count: int = 1) -> list[str]:
        """Return known names that resemble an unknown name, most likely first.

        >>> NameIndex(["John", "Ada"]).near("Jhon")
        ['John']
        """
        return nearest(name, self.names if len(self) <= MAX_COMPARED else self._likely(name), count)

    def _likely(self, name: str) -> list[str]:
        """Return the names that contain at least one third of `name`; a single typo leaves two of its thirds intact."""
        text = plain_letters(name.strip())
        alike = 3.0 * self.search(text)
        part = -(-len(text) // 3)
        if part > 1:
            assert self._folded is not None, "set by the search"
            lengths = np.asarray(self._folded.str.len_chars().to_numpy(), np.int64)
            about = np.abs(lengths - len(text)) <= MAX_DIFFERENCE
            alike += about * sum(self.search(text[k : k + part], strip=False) for k in range(0, len(text), part))
        best = np.argsort(-alike, kind="stable")[:MAX_LIKELY]
        return [self.names[row] for row in best[alike[best] > 0].tolist()]


def _fold(names: Sequence[str], before: pl.Series | None = None) -> pl.Series:
    """Remove case and accents from names, and append the results to `before`."""
    import polars as pl

    folded = pl.Series([plain_letters(name) for name in names], dtype=pl.String)
    return folded if before is None else pl.concat([before, folded], rechunk=False)
