"""Find players by the names that people type: one index for the command line, the pages and the HTTP API.

A typed name finds the player with exactly that name. If no player has that name, it finds a player whose name differs
from it only in case, accents, punctuation, spaces, apostrophes or the order of the words, if there is only one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import normalize
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from .spelling import is_slip, nearest, plain_letters, plain_spelling

if TYPE_CHECKING:
    import polars as pl

MAX_COMPARED = 3_000  # in a league with up to this many names, a misspelt name is compared with all of them
MAX_LIKELY = 300  # candidates compared in a larger league
MAX_DIFFERENCE = 2  # largest difference in length between a misspelt name and the right one
MAX_RECENT = 1_000  # number of new names after which all names are merged into one dict
NAME_BYTES = 240  # approximate size of a name, its row, its folded form and its key
_SEPARATORS = re.compile(r"[,;&+/:\t–—-]|\s(?:and|vs?\.?)\s")  # between the players of a list or a match
MAX_LENGTH = 60_000  # longer names count as this long, so that lengths fit into two bytes
SIMILAR = 3  # number of similar names that are suggested by default


class FoundName(NamedTuple):
    """The result of a search for a typed name: one player, several possible players, or none."""

    name: str | None
    several: tuple[str, ...] = ()


class NameIndex:
    """An immutable index of names and their row numbers.

    An index that is extended by more names shares data with the earlier index.

    `aliases` are other names by which players are found.

    >>> index = NameIndex(["Ánn", "Bob"], {"Rob": "Bob"}).extended(["Joanna"])
    >>> index.row("Joanna"), "Eve" in index, index.search("ANN")
    (2, False, array([ True, False,  True]))
    >>> index.find("ANN").name, index.find("rob").name, index.find("Eve").name
    ('Ánn', 'Bob', None)
    """

    def __init__(self, names: Sequence[str] = (), aliases: Mapping[str, str] | None = None) -> None:
        self.names = list(names)
        self.aliases = dict(aliases or {})
        self._rows = dict(zip(self.names, range(len(self.names)), strict=True))
        self._recent: dict[str, int] = {}  # rows of new names; in a separate dict, so that adding a few names is cheap
        self._folded: pl.Series | None = None
        self._letters: _Letters | None = None

    def __len__(self) -> int:
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
        """The row number of each name."""
        return self._rows | self._recent if self._recent else self._rows

    def row(self, name: str) -> int | None:
        """Return the row number of a name; None if the name is unknown."""
        row = self._rows.get(name)
        return self._recent.get(name) if row is None else row

    def with_aliases(self, aliases: Mapping[str, str]) -> NameIndex:
        """Return an index of the same names with other aliases.

        >>> NameIndex(["Deevo"]).with_aliases({"Jeevo": "Deevo"}).find("jeevo").name
        'Deevo'
        """
        other = copy(self)
        other.aliases = dict(aliases)
        return other

    def extended(self, newcomers: Sequence[str]) -> NameIndex:
        """Return an index with more names appended, or this index if there are no new names."""
        if not newcomers:
            return self
        longer = NameIndex(aliases=self.aliases)
        longer.names = self.names + list(newcomers)
        longer._rows = self._rows
        longer._recent = self._recent | dict(zip(newcomers, range(len(self), len(longer)), strict=True))
        if len(longer._recent) > MAX_RECENT:
            longer._rows, longer._recent = longer._rows | longer._recent, {}
        if self._folded is not None:
            longer._folded = _fold(newcomers, self._folded)
        if self._letters is not None:
            longer._letters = self._letters.extended(newcomers)
        return longer

    def find(self, typed: str) -> FoundName:
        """Find the player whom a typed name means; if the spelling fits several players, the result lists them.

        >>> index = NameIndex(["Rafael Nadal", "João Silva", "Joao Sousa", "João Sousa", "O'Brien"])
        >>> [index.find(name).name for name in ("Nadal, Rafael", "JOAO SILVA", "obrien", "joao sousa", "Raphael Nadal")]
        ['Rafael Nadal', 'João Silva', "O'Brien", 'Joao Sousa', None]
        >>> index.find("Sousa, Joao")
        FoundName(name=None, several=('Joao Sousa', 'João Sousa'))
        """
        name = typed.strip()
        if name in self or not name:
            return FoundName(name or None)
        if name in self.aliases:
            return FoundName(self.aliases[name])
        same = _same_spelling(name, self._same_letters(name))
        return FoundName(same[0]) if len(same) == 1 else FoundName(None, same)

    def resolve(self, typed: str) -> str:
        """Return the player whom a typed name means; if it fits no player, or several, return the stripped name itself.

        >>> NameIndex(["Ánn"]).resolve("ann"), NameIndex(["Ánn"]).resolve(" Eve ")
        ('Ánn', 'Eve')
        """
        return self.find(typed).name or typed.strip()

    def finds(self, typed: str) -> bool:
        """Return whether a typed name means one player."""
        return self.find(typed).name is not None

    def is_one_name(self, text: str) -> bool:
        """Return whether a text is the name of one player, even if it contains separators, and not a list of players.

        >>> index = NameIndex(["Rafael Nadal", "ann", "bob", "Bob Ann"])
        >>> index.is_one_name("nadal, rafael"), index.is_one_name("Bob Ann"), index.is_one_name("ann, bob")
        (True, True, False)
        """
        if text in self:
            return True
        parts = _SEPARATORS.split(text)
        return self.finds(text) and not (len(parts) > 1 and all(map(self.finds, parts)))

    def similar(self, typed: str, count: int = SIMILAR) -> list[str]:
        """Return at most `count` players whom an inexact name may mean, most likely first.

        >>> NameIndex(["John", "Ada"]).similar("Jhon")
        ['John']
        """
        found = self.find(typed)
        return [found.name] if found.name is not None else list(found.several[:count]) or self.near(typed, count)

    def lookalikes(self, name: str) -> list[str]:
        """Return other players whose names look almost like `name`: equal when normalised, or different by one slip.

        A slip is one wrong letter, or two letters swapped. Names that differ in a digit, such as "player 11" and
        "player 12", never match, so this method can warn about new names in posted data.

        >>> index = NameIndex(["José García", "player 12", "Bob"])
        >>> index.lookalikes("Jose Garcia"), index.lookalikes("José Gracía"), index.lookalikes("player 13")
        (['José García'], ['José García'], [])
        """
        others = [(spelt, player) for spelt, player in self._same_letters(name) if player != name]
        if same := _same_spelling(name, others):
            return list(same[:SIMILAR])
        plain = plain_spelling(name)
        likely = map(self.names.__getitem__, self._letters_index().almost(name).tolist())
        slips = (known for known in likely if known != name and is_slip(plain_spelling(known), plain))
        return list(islice(slips, SIMILAR))

    def _letters_index(self) -> _Letters:
        if self._letters is None:
            self._letters = _Letters.of(self.names)
        return self._letters

    def _same_letters(self, name: str) -> list[tuple[str, str]]:
        """Return the names and aliases that have the same letters as `name`, in any order, each with its player."""
        rows = self._letters_index().same(name).tolist()
        names = [(self.names[row], self.names[row]) for row in rows]
        key = _key(name) if self.aliases else None
        return names + [(alias, player) for alias, player in self.aliases.items() if _key(alias) == key]

    def search(self, text: str, strip: bool = True) -> NDArray[np.bool_]:
        """Return a mask of the names that contain a text, ignoring case and accents.

        With `strip`, spaces around the text are ignored, too.
        """
        if self._folded is None:
            self._folded = _fold(self.names)
        part = plain_letters(text.strip() if strip else text)
        found = np.asarray(self._folded.str.contains(part, literal=True).to_numpy(), bool)
        words = part.replace(",", " ").split() if strip else []
        if len(words) > 1:  # for example, a surname may come before the first name
            found |= np.logical_and.reduce([self.search(word, strip=False) for word in words])
        return found

    def hint(self, name: str) -> str:
        """Return a suggestion for an unknown name, to append to a sentence; "" if no name is similar."""
        similar = self.similar(name, 1)
        return f"; did you mean {similar[0]!r}?" if similar else ""

    def near(self, name: str, count: int = 1) -> list[str]:
        """Return at most `count` known names that resemble an unknown name, most likely first.

        >>> NameIndex(["John", "Ada"]).near("Jhon")
        ['John']
        """
        return nearest(name, self.names if len(self) <= MAX_COMPARED else self._likely(name), count)

    def _likely(self, name: str) -> list[str]:
        """Return the names that contain `name`, or have a similar length and contain a third of `name`, best first.

        A typo rarely changes more than one of the three thirds.
        """
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
    import polars as pl

    folded = pl.Series([plain_letters(name) for name in names], dtype=pl.String)
    return folded if before is None else pl.concat([before, folded], rechunk=False)


def _same_spelling(name: str, candidates: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Return the players whose candidate names equal a name, by the strictest comparison that finds any."""
    for spelling in _SPELLINGS if candidates else ():
        wanted = spelling(name)
        same = tuple(dict.fromkeys(player for spelt, player in candidates if spelling(spelt) == wanted))
        if same:
            return same
    return ()


def _case(name: str) -> str:
    return normalize("NFKC", normalize("NFKC", name).casefold())


def _letters(name: str) -> str:
    plain = plain_spelling(name)
    return plain.replace("'", "").replace(" ", "") or plain


def _words(name: str) -> str:
    plain = plain_spelling(name)
    return " ".join(sorted(plain.replace("'", "").split())) or plain


# Normalised spellings, compared one after another, strictest first. Names with an equal spelling have equal keys.
_SPELLINGS: tuple[Callable[[str], str], ...] = (_case, plain_spelling, _letters, _words)


class _Letters(NamedTuple):
    """Arrays of numbers that make it fast to find names with the same, or almost the same, letters.

    For 100,000 names, a comparison with all of them takes 0.03 ms (`same`) or 0.4 ms (`almost`).
    """

    key: NDArray[np.uint32]  # equal for names with the same letters in any order
    length: NDArray[np.uint16]
    mask: NDArray[np.uint64]  # a bit for each letter that occurs
    digits: NDArray[np.uint32]  # equal for names with the same digits

    @classmethod
    def of(cls, names: Sequence[str]) -> _Letters:
        spelt = list(map(_letters, names))
        keys = np.fromiter(map(_key_of_letters, spelt), np.uint32, len(spelt))
        lengths = np.fromiter((min(len(letters), MAX_LENGTH) for letters in spelt), np.uint16, len(spelt))
        masks = np.fromiter(map(_mask, spelt), np.uint64, len(spelt))
        return cls(keys, lengths, masks, np.fromiter(map(_digits, spelt), np.uint32, len(spelt)))

    def extended(self, names: Sequence[str]) -> _Letters:
        more = _Letters.of(names)
        return _Letters(
            np.concatenate([self.key, more.key]),
            np.concatenate([self.length, more.length]),
            np.concatenate([self.mask, more.mask]),
            np.concatenate([self.digits, more.digits]),
        )

    def same(self, name: str) -> NDArray[np.intp]:
        return np.flatnonzero(self.key == _key(name))

    def almost(self, name: str) -> NDArray[np.intp]:
        """Return the rows of the names that may differ from `name` by one letter.

        A changed letter changes at most two bits of the mask, and no digit.

        Names with other digits are skipped, so that a series such as "player 1" to "player 99999" need not be compared.
        """
        letters = _letters(name)
        near = self.digits == _digits(letters)
        near &= np.abs(self.length.astype(np.int32) - min(len(letters), MAX_LENGTH)) <= 1
        bits = self.mask ^ np.uint64(_mask(letters))
        for _ in range(2):
            bits &= bits - np.uint64(1)  # clears the lowest bit
        return np.flatnonzero(near & (bits == 0))


def _key(name: str) -> int:
    return _key_of_letters(_letters(name))


def _key_of_letters(letters: str) -> int:
    return crc32("".join(sorted(letters)).encode("utf-8", "replace"))


def _digits(letters: str) -> int:
    return crc32("".join(filter(str.isdigit, letters)).encode())


def _mask(letters: str) -> int:
    mask = 0
    for letter in set(letters):
        mask |= 1 << (ord(letter) & 63)
    return mask
