"""Tell names such as "Smith, John" from lists of names such as "Ann, Bob"."""

import re
from collections import Counter
from typing import TYPE_CHECKING

from ..names.spelling import plain_letters
from .words import GIVEN_NAMES

if TYPE_CHECKING:
    import polars as pl

_SAMPLE = 5000  # different cells that are compared
_MOST = 0.9  # fraction of the names that must have exactly one comma
_BOTH = 0.1  # at most this fraction of the words may be on both sides of commas
_PARTNERS = 1.6  # in pairs of players, a name has more partners than a surname has given names
_RECURS = 1.5  # names occur in this many cells on average
_BETWEEN = re.compile(r"[\n\t;|+/&]| (?:and|und|et|y|e|и) ")
_INITIALS = re.compile(r"(?:[a-zа-я]\.[ -]?){1,3}|[a-zа-я]{1,2}")
_SUFFIX = re.compile(r",\s*(?:jr|sr|ii|iii|iv)\b\.?", re.IGNORECASE)


def are_surnames_first(cells: "pl.Series", sure: bool) -> bool:
    """Return whether a comma in these cells is a part of a name, between a surname and a given name.

    The words before and after the commas differ, and belong together in all cells. If they never recur, the given names
    must be familiar, or initials. Set `sure` if the columns certainly hold rosters: then these must be familiar, too.

    >>> import polars as pl
    >>> are_surnames_first(pl.Series(["Smith, John", "Lee, Ann", "Smith, John", "Lee, Ann"]), sure=False)
    True
    >>> are_surnames_first(pl.Series(["Ann, Bob", "Cat, Dan", "Ann, Cat", "Bob, Dan"]), sure=False)
    False
    """
    marked = cells.filter(cells.str.contains(",", literal=True))
    if not 2 * len(marked) >= len(cells) > 0:
        return False
    counts = Counter[tuple[str, ...]]()
    for cell, number in marked.head(_SAMPLE).value_counts().iter_rows():
        for name in _BETWEEN.split(_SUFFIX.sub("", cell)):
            if name.strip():
                counts[tuple(part.strip() for part in name.split(","))] += number
    pairs = [name for name in counts if len(name) == 2 and name[0] and name[1] and not name[0][0].islower()]
    if not counts or len(pairs) < _MOST * len(counts):
        return False
    first, second = ({plain_letters(pair[side]) for pair in pairs} for side in (0, 1))
    if len(first & second) > _BOTH * len(first | second) or len(pairs) > _PARTNERS * max(len(first), len(second)):
        return False
    # "Ann Lee" is the full name of a player; "Mary Ann" can follow a surname.
    given = sum(_INITIALS.fullmatch(name) is not None or all(_are_given(name)) for name in second) / len(second)
    before = sum(_INITIALS.fullmatch(name) is not None or any(_are_given(name)) for name in first) / len(first)
    recurs = sum(counts[pair] for pair in pairs) >= _RECURS * len(pairs)
    return 3 * before < 1 and (3 * given >= 1 or (recurs and not sure))


def _are_given(name: str) -> list[bool]:
    return [word in GIVEN_NAMES for word in re.split("[ -]", name)]
