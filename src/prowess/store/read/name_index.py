"""An index of the players of a league by name, with a search that ignores case and accents."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...history.names import nearest, plain_letters

if TYPE_CHECKING:
    import polars as pl

FEW = 3_000  # names among which one that is nearly right is looked for
LIKELY = 300  # of very many names, those that are looked at letter by letter
LONGER = 2  # letters by which a name that is nearly right may be longer or shorter
LATE = 1_000  # newcomers before the rows of all are written anew
BYTES = 240  # of a name, its row and its small letters, about


class NameIndex:
    """Names and their rows; immutable, and an index with more names shares what it can.

    >>> index = NameIndex(["Ánn", "Bob"]).extended(["Joanna"])
    >>> index.row("Joanna"), "Eve" in index, index.search("ANN")
    (2, False, array([ True, False,  True]))
    """

    def __init__(self, names: Sequence[str] = ()) -> None:
        self.names = list(names)
        self._rows = dict(zip(self.names, range(len(self.names)), strict=True))
        self._late: dict[str, int] = {}  # the rows of who came since, so that few newcomers cost little
        self._folded: pl.Series | None = None

    def __len__(self) -> int:
        """Count the players."""
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        """Tell whether a player has this name."""
        return name in self._rows or name in self._late

    @property
    def nbytes(self) -> int:
        """About how much memory it takes."""
        return BYTES * len(self)

    @cached_property
    def rows(self) -> dict[str, int]:
        """The rows of all names."""
        return self._rows | self._late if self._late else self._rows

    def row(self, name: str) -> int | None:
        """Return the row of a name, if it is there."""
        row = self._rows.get(name)
        return self._late.get(name) if row is None else row

    def extended(self, newcomers: Sequence[str]) -> NameIndex:
        """Return an index with more names after these; the same one if there are none."""
        if not newcomers:
            return self
        longer = NameIndex()
        longer.names = self.names + list(newcomers)
        longer._rows = self._rows
        longer._late = self._late | dict(zip(newcomers, range(len(self), len(longer)), strict=True))
        if len(longer._late) > LATE:
            longer._rows, longer._late = longer._rows | longer._late, {}
        if self._folded is not None:
            longer._folded = _append(self._folded, newcomers)
        return longer

    def search(self, text: str, strip: bool = True) -> NDArray[np.bool_]:
        """Return which names contain a text, whatever its case and accents; blanks around it count unless stripped."""
        if self._folded is None:
            self._folded = _fold(self.names)
        part = plain_letters(text.strip() if strip else text)
        return np.asarray(self._folded.str.contains(part, literal=True).to_numpy(), bool)

    def hint(self, name: str) -> str:
        """Return a suggestion for a name that is not there, as the end of a sentence."""
        near = self.near(name)
        return f"; did you mean {near[0]!r}?" if near else ""

    def near(self, name: str, count: int = 1) -> list[str]:
        """Return names that may be meant by one that is not there, the likeliest first.

        >>> NameIndex(["John", "Ada"]).near("Jhon")
        ['John']
        """
        return nearest(name, self.names if len(self) <= FEW else self._likely(name), count)

    def _likely(self, name: str) -> list[str]:
        """Return those of very many names that contain another, or most of its three parts: a typo leaves one whole."""
        text = plain_letters(name.strip())
        alike = 3.0 * self.search(text)
        part = -(-len(text) // 3)
        if part > 1:
            about = np.abs(self._lengths() - len(text)) <= LONGER
            alike += about * sum(self.search(text[k : k + part], strip=False) for k in range(0, len(text), part))
        best = np.argsort(-alike, kind="stable")[:LIKELY]
        return [self.names[row] for row in best[alike[best] > 0].tolist()]

    def _lengths(self) -> NDArray[np.int64]:
        assert self._folded is not None, "they were searched"
        return np.asarray(self._folded.str.len_chars().to_numpy(), np.int64)


def _fold(names: Sequence[str]) -> pl.Series:
    import polars as pl

    return pl.Series([plain_letters(name) for name in names], dtype=pl.String)


def _append(folded: pl.Series, names: Sequence[str]) -> pl.Series:
    import polars as pl

    return pl.concat([folded, _fold(names)], rechunk=False)
