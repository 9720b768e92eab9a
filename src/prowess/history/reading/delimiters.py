"""What separates the cells of a text: that which divides its lines alike, and leaves names of columns that we know."""

import re
from collections import Counter
from itertools import islice
from typing import NamedTuple

from ...errors import Error, Option, Remark
from ..read_options import Choices
from .header_row import count_filled, count_known_cells
from .tolerant_csv import BLANKS, records

_USUAL = ("\t", ";", "|", ",")
_SAID = re.compile(r'"?sep=(.)"?[,;\t|]*\s*')
_ENOUGH = 200  # records to look at


class Separator(NamedTuple):
    """The separator of a text, how many of its first lines only speak of it, and what to say where another would do."""

    mark: str
    lines: int = 0
    remark: Remark | None = None


class _Fit(NamedTuple):
    """How well a separator fits: cells that name known columns, the share of lines that are divided alike, how far."""

    known: int
    share: float
    width: int


def separator_of(text: str, choices: Choices) -> Separator:
    r"""Find the separator of a text, unless it is said.

    >>> separator_of("a;b;c\n1;2,5;x\n2;3,5;y\n", Choices()).mark
    ';'
    """
    declared = _SAID.fullmatch(text.split("\n", 1)[0])
    lines = 0 if declared is None else 1
    if choices.separator is not None:
        if choices.separator in '"\n\r':
            what = f"separator must not be {choices.separator!r}, which has a meaning of its own"
            raise Error(what, field="separator", value=choices.separator)
        return Separator(choices.separator, lines)
    if declared is not None:
        return Separator(declared[1], lines)
    fits = {mark: _fit(text, mark, choices) for mark in _USUAL}
    best = max(_USUAL, key=lambda mark: fits[mark])
    if fits[best].share < 0.5:  # a header may be separated differently from the rows: they are what is read
        same = (mark for mark in _USUAL if fits[mark].width == fits[best].width and fits[mark].share > 0.5)
        best = next(same, best)
    if fits[best].known < 2 and fits[best].share < 0.5:
        return Separator(_blanks_or_colon(text, choices) or ("," if fits[best].width < 2 else best))
    others = [mark for mark in _USUAL if mark != best and fits[mark].share >= max(0.9, fits[best].share)]
    if not others or fits[best].known > fits[others[0]].known:
        return Separator(best)
    pieces = (f"cells are separated at {best!r} (", Option("separator", others[0]), " separates them there)")
    return Separator(best, 0, Remark("separator", pieces))


def _blanks_or_colon(text: str, choices: Choices) -> str | None:
    """Find columns that are aligned with blanks, or separated by colons, where nothing usual separates them."""
    for mark in (*BLANKS, ":"):
        fit = _fit(text, mark, choices)
        if fit.known >= 2 or (mark in BLANKS and fit.share == 1 and fit.width > 2):
            return mark
    return None


def _fit(text: str, mark: str, choices: Choices) -> _Fit:
    rows = [record.cells for record in islice(records(text, mark), _ENOUGH) if count_filled(record.cells)]
    counts = Counter(len(cells) for cells in rows if len(cells) > 1)
    if not counts:
        return _Fit(0, 0.0, 1)
    width = max(counts, key=lambda width: (counts[width], width))
    known = max(count_known_cells(cells, choices) for cells in rows[:50])
    return _Fit(known if known > 1 else 0, counts[width] / len(rows), width)
