"""Detect the separator of a text.

The right separator splits all lines into the same number of cells, and yields known column names.
"""

import re
from collections import Counter
from itertools import islice
from typing import NamedTuple

from ...errors import Error, Option, Remark
from ..read_options import Choices
from .header_row import count_filled, count_known_cells
from .tolerant_csv import BLANKS, records

_USUAL = ("\t", ";", "|", ",")
_DECLARATION = re.compile(r'"?sep=(.)"?[,;\t|]*\s*')  # a first line with which Excel declares the separator
_SAMPLE = 200  # number of records sampled


class Separator(NamedTuple):
    """The separator of a text, the number of lines that only declare it, and a remark if it is ambiguous."""

    mark: str
    lines: int = 0
    remark: Remark | None = None


class _Fit(NamedTuple):
    """How well a separator fits.

    `known` is the number of known column names, `width` is the usual number of cells, and `share` is the fraction of
    lines with that number.
    """

    known: int
    share: float
    width: int


def find_separator(text: str, choices: Choices) -> Separator:
    r"""Find the separator of a text, unless the user chose one.

    >>> find_separator("a;b;c\n1;2,5;x\n2;3,5;y\n", Choices()).mark
    ';'
    """
    declared = _DECLARATION.fullmatch(text.split("\n", 1)[0])
    chosen = choices.separator
    if chosen is not None and chosen in '"\n\r':
        raise Error(f"separator must not be {chosen!r}, which is reserved", field="separator", value=chosen)
    if declared is not None:
        return Separator(chosen or declared[1], 1)
    if chosen is not None:
        return Separator(chosen)
    fits = {mark: _fit(text, mark, choices) for mark in _USUAL}
    best = max(_USUAL, key=lambda mark: fits[mark])
    if fits[best].share < 0.5:  # if the header has another separator than the rows, the rows decide
        same = (mark for mark in _USUAL if fits[mark].width == fits[best].width and fits[mark].share > 0.5)
        best = next(same, best)
    if fits[best].known < 2 and fits[best].share < 0.5:
        for mark in (*BLANKS, ":"):
            fit = _fit(text, mark, choices)
            if fit.known >= 2 or (mark in BLANKS and fit.share == 1 and fit.width > 2):
                return Separator(mark)
        return Separator("," if fits[best].width < 2 else best)
    others = [mark for mark in _USUAL if mark != best and fits[mark].share >= max(0.9, fits[best].share)]
    if not others or fits[best].known > fits[others[0]].known:
        return Separator(best)
    pieces = (f"cells are split at {best!r}; use ", Option("separator", others[0]), f" to split them at {others[0]!r}")
    return Separator(best, 0, Remark("separator", pieces))


def _fit(text: str, mark: str, choices: Choices) -> _Fit:
    rows = [record.cells for record in islice(records(text, mark), _SAMPLE) if count_filled(record.cells)]
    counts = Counter(len(cells) for cells in rows if len(cells) > 1)
    if not counts:
        return _Fit(0, 0.0, 1)
    width = max(counts, key=lambda width: (counts[width], width))
    known = max(count_known_cells(cells, choices) for cells in rows[:50])
    return _Fit(known if known > 1 else 0, counts[width] / len(rows), width)
