"""The players of a league by name, shared by all that is known of them at different revisions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...history.names import nearest, plain_letters

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Roll"]

FEW = 3_000  # names among which one that is nearly right is looked for
LIKELY = 300  # of very many names, those that are looked at letter by letter
LONGER = 2  # letters by which a name that is nearly right may be longer or shorter
LATE = 1_000  # newcomers before the rows of all are written anew
BYTES = 240  # of a name, its row and its small letters, about


class Roll:
    """Names and their rows; it never changes, and one with more names shares what it can.

    >>> roll = Roll(["Ánn", "Bob"]).joined(["Joanna"])
    >>> roll.row("Joanna"), "Eve" in roll, roll.search("ANN")
    (2, False, array([ True, False,  True]))
    """

    def __init__(self, names: Sequence[str] = ()) -> None:
        self.names = list(names)
        self._rows = dict(zip(self.names, range(len(self.names)), strict=True))
        self._late: dict[str, int] = {}  # the rows of who came since, so that few newcomers cost little
        self._spelt: pl.Series | None = None

    def __len__(self) -> int:
        """Count the players."""
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        """Whether somebody is called so."""
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
        """The row of a name, if it is there."""
        found = self._rows.get(name)
        return self._late.get(name) if found is None else found

    def joined(self, newcomers: Sequence[str]) -> Roll:
        """A roll with more names after these; the same one if there are none."""
        if not newcomers:
            return self
        found = Roll()
        found.names = self.names + list(newcomers)
        found._rows = self._rows
        found._late = self._late | dict(zip(newcomers, range(len(self), len(found)), strict=True))
        if len(found._late) > LATE:
            found._rows, found._late = found._rows | found._late, {}
        if self._spelt is not None:
            found._spelt = _appended(self._spelt, newcomers)
        return found

    def search(self, text: str, strip: bool = True) -> NDArray[np.bool_]:
        """Which names hold a text, whatever its case and accents; blanks around it count unless it is stripped."""
        if self._spelt is None:
            self._spelt = _spelt(self.names)
        found: Any = self._spelt.str.contains(plain_letters(text.strip() if strip else text), literal=True).to_numpy()
        return np.asarray(found, bool)

    def hint(self, name: str) -> str:
        """What may have been meant by a name that is not there, as the end of a sentence."""
        near = self.near(name)
        return f"; did you mean {near[0]!r}?" if near else ""

    def near(self, name: str, count: int = 1) -> list[str]:
        """Names that may be meant by one that is not there, the likeliest first.

        >>> Roll(["John", "Ada"]).near("Jhon")
        ['John']
        """
        return nearest(name, self.names if len(self) <= FEW else self._likely(name), count)

    def _likely(self, name: str) -> list[str]:
        """Those of very many names that hold another, or most of its three parts: a slip leaves one of them whole."""
        text = plain_letters(name.strip())
        alike = 3.0 * self.search(text)
        part = -(-len(text) // 3)
        if part > 1:
            about = np.abs(self._lengths() - len(text)) <= LONGER
            alike += about * sum(self.search(text[k : k + part], strip=False) for k in range(0, len(text), part))
        best = np.argsort(-alike, kind="stable")[:LIKELY]
        return [self.names[row] for row in best[alike[best] > 0].tolist()]

    def _lengths(self) -> NDArray[np.int64]:
        """How many letters the names have."""
        assert self._spelt is not None, "they were searched"
        return np.asarray(self._spelt.str.len_chars().to_numpy(), np.int64)


def _spelt(names: Sequence[str]) -> pl.Series:
    import polars as pl

    return pl.Series([plain_letters(name) for name in names], dtype=pl.String)


def _appended(spelt: pl.Series, names: Sequence[str]) -> pl.Series:
    """More names after those that were spelt already, which stay as they are for others."""
    import polars as pl

    return pl.concat([spelt, _spelt(names)], rechunk=False)
