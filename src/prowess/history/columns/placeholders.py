"""Leave out names that stand for nobody in particular, such as "*", "TBD" or "anonymous"."""

import re
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...errors import Error, Option
from ...text import count
from ..cells.words import ALSO_PLACEHOLDERS, PLACEHOLDERS
from ..ragged import Ints
from ..read_context import Rows, Table, quote_value

if TYPE_CHECKING:
    import polars as pl

Mask = NDArray[np.bool_]
_WORDS = [*(word.replace("_", " ") for word in PLACEHOLDERS), *ALSO_PLACEHOLDERS]
_NUMBER = r"[ _]?#?[0-9]{1,2}$"  # "Guest 1" and "TBD 2" are nobody, too
_BRACKETS = r"^\((.*)\)$"
_SIGNS = 9  # maximum number of bytes of names such as "***" or "---"
_MOST = 0.5  # if a larger fraction of the matches has a placeholder, the user decides
_SERIES = 4  # more names than "Guest 1" to "Guest 4" are names of players
_ENOUGH = 4  # among fewer matches, a name such as "Guest" is a name
_KEEP = ("; use ", Option("placeholders", "keep"), " to rate it as a player")


def are_placeholders(names: "pl.Series") -> Mask:
    """Return a mask of the names that stand for nobody, and of those that may do so.

    >>> import polars as pl
    >>> are_placeholders(pl.Series(["*", "N.N.", "Guest", "Ann", "Unknown Pleasures"])).tolist()
    [True, True, True, False, False]
    """
    words = names.str.to_lowercase().str.replace(_NUMBER, "").str.replace(_BRACKETS, "$1")
    signs = words.str.len_bytes() <= _SIGNS
    mask: Mask = words.is_in(_WORDS).to_numpy(writable=True)
    mask |= (names == "NULL").to_numpy()  # of a database; "null" may be the name of a user
    mask[signs.to_numpy()] |= words.filter(signs).str.contains(r"^[*?.…_–—-]+$").to_numpy()
    return mask


def leave_out_placeholders(
    table: Table, row: Rows, code: Ints, names: "pl.Series", mask: Mask, match: Ints | None = None
) -> None:
    """Leave out the rows whose names stand for nobody; raise an `Error` if that is most of the file.

    `row` is the row of each entry and `code` the index of its name; `mask` is the result of `are_placeholders`. If
    matches have several rows, `match` is the match of each row; a player without an opponent is left out, too.
    """
    choice = table.choices.placeholders
    played = np.ones(len(table.frame), bool)
    played[table.unusable()] = False
    what = ("match", "matches") if match is None else ("entry", "entries")
    groups: dict[str, list[int]] = {}
    for index in np.flatnonzero(mask).tolist() if choice != "keep" else ():
        groups.setdefault(re.sub(_NUMBER, "", names[index].lower()).strip("()"), []).append(index)
    for plain, group in groups.items():
        certain = plain not in ALSO_PLACEHOLDERS
        if not certain and len(group) > _SERIES:
            continue
        name, word = group[0], quote_value(names[group[0]])
        rows = np.unique(row[np.isin(code, group)])
        rows = rows[played[rows]]
        number = f"{len(rows):,} of {count(int(np.count_nonzero(played)), *what)}"
        matches, lost = _count_matches(match, played, rows)
        too_many = len(lost) > _MOST * matches or len(rows) > _MOST * np.count_nonzero(played)
        if choice is None and too_many and (certain or matches >= _ENOUGH):
            more = (Option("placeholders", "skip"), " if it stands for nobody, or ", Option("placeholders", "keep"))
            text = f"{table.title}: {word} is in {number}; use "
            raise Error(text, *more, " if it is a player", field="placeholders", value=names[name])
        if choice is None and certain and match is not None and not _is_nobody(names[name], match[rows]):
            skip = Option("placeholders", "skip")
            table.note("placeholders", f"{word} is rated as a player ({number}); use ", skip, " to leave it out")
        elif choice == "skip" or certain:
            rows = rows if match is None else np.union1d(rows, np.flatnonzero(played & np.isin(match, lost)))
            table.leave_out(rows, "placeholders", f"{what[0]} of {word}", f"{what[1]} of {word}", _KEEP)


def _count_matches(match: Ints | None, played: Mask, rows: Rows) -> tuple[int, Rows]:
    """Return the number of matches, and those with less than two players without the given rows."""
    if match is None:
        return int(np.count_nonzero(played)), rows
    before = np.bincount(match, played)
    after = before - np.bincount(match[rows], minlength=len(before))
    return int(np.count_nonzero(before)), np.flatnonzero((after < 2) & (after < before))


def _is_nobody(name: str, matches: Ints) -> bool:
    """Return whether a name has no letters, or is listed several times in a match."""
    return not any(map(str.isalpha, name)) or len(np.unique(matches)) < len(matches)
