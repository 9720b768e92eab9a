"""A fast parser (a kernel) that reads matches in the canonical JSON of `journal.py` into columns.

The parser rejects text in any other form, which is then left to a general JSON parser, so that nothing is misread.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np

from ...history.cells.hash_table import numbered

# kernel
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from ...model import _cython as cython

NONE = cython.declare(cython.double, float("nan"))
# The FNV-1a hash (Fowler, Noll and Vo), of which the lower 62 bits are used.
BASIS = cython.declare(cython.ulonglong, 1469598103934665603)
PRIME = cython.declare(cython.ulonglong, 1099511628211)
LOWER = cython.declare(cython.ulonglong, 2**62 - 1)


class ScannedMatches(NamedTuple):
    """Matches as columns; a missing rank or score is NaN.

    `teams` is the number of teams in each match, and `sizes` is the number of players in each team. `player` has the
    player of each entry, as an index into `names`.
    """

    teams: np.ndarray
    sizes: np.ndarray
    player: np.ndarray
    names: list[str]
    rank: np.ndarray
    score: np.ndarray
    weight: np.ndarray
    importance: np.ndarray
    home: np.ndarray


@cython.final
@cython.cclass
class Scanner:
    """The state of a scan: the position in the text, the matches, teams and entries read so far, and their columns."""

    raw: bytes
    text: cython.const[cython.uchar][::1]
    at: cython.Py_ssize_t
    number: cython.double  # the number read last
    matches: cython.Py_ssize_t
    teams: cython.Py_ssize_t
    entries: cython.Py_ssize_t
    teams_of: cython.int[::1]
    sizes: cython.int[::1]
    start: cython.longlong[::1]  # where the name of each entry begins
    stop: cython.longlong[::1]
    hashes: cython.ulonglong[::1]
    rank: cython.double[::1]
    score: cython.double[::1]
    weight: cython.double[::1]
    importance: cython.double[::1]
    home: cython.int[::1]

    def __init__(self, raw: bytes, columns: Any) -> None:
        self.raw, self.text = raw, memoryview(raw)
        self.at = self.matches = self.teams = self.entries = 0
        self.teams_of, self.importance, self.home = (memoryview(column) for column in columns[:3])
        self.sizes, self.rank, self.score = (memoryview(column) for column in columns[3:6])
        self.start, self.stop, self.hashes, self.weight = (memoryview(column) for column in columns[6:])


def scan(texts: list[str]) -> ScannedMatches | None:
    """Parse the JSON texts of matches; return None if a text is not in the canonical form.

    >>> columns = scan(['{"teams":[["ann","bob"],["cat"]],"scores":[3,1.5]}'])
    >>> columns.names, columns.sizes.tolist(), columns.score.tolist()
    (['ann', 'bob', 'cat'], [2, 1], [3.0, 1.5])
    """
    try:
        return _scan_lines(("\n".join(texts) + "\n").encode(), len(texts))
    except ValueError:  # an invalid number, escape or surrogate
        return None


def _scan_lines(raw: bytes, matches: int) -> ScannedMatches | None:
    teams, entries = len(raw) // 5 + 1, len(raw) // 3 + 1  # upper bounds: ["a"] is the shortest team
    of_match = [np.empty(matches, kind) for kind in (np.int32, np.float64, np.int32)]
    of_team = [np.empty(teams, kind) for kind in (np.int32, np.float64, np.float64)]
    of_entry = [np.empty(entries, kind) for kind in (np.int64, np.int64, np.uint64, np.float64)]
    scanner: Scanner = Scanner(raw, [*of_match, *of_team, *of_entry])
    if not _read_matches(scanner, matches):
        return None
    sizes, rank, score = (column[: scanner.teams].copy() for column in of_team)
    start, stop, hashes, weight = (column[: scanner.entries] for column in of_entry)
    player, first = numbered(hashes)
    if not _names_agree(scanner, memoryview(player), memoryview(first)):
        player, first = _numbered_by_text(raw, start.tolist(), stop.tolist())
    names = [_decode_name(raw[a:b]) for a, b in zip(start[first].tolist(), stop[first].tolist(), strict=True)]
    return ScannedMatches(of_match[0], sizes, player, names, rank, score, weight.copy(), *of_match[1:])


def _decode_name(raw: bytes) -> str:
    text: str = json.loads(b'"%b"' % raw) if b"\\" in raw else raw.decode()
    return text


def _numbered_by_text(raw: bytes, start: list[int], stop: list[int]) -> tuple[np.ndarray, np.ndarray]:
    # This slower way is needed only if two different names have the same hash.
    first: dict[bytes, int] = {}
    code = [first.setdefault(raw[a:b], len(first)) for a, b in zip(start, stop, strict=True)]
    return np.array(code, np.int32), np.unique(code, return_index=True)[1]


@cython.cfunc
@cython.exceptval(-1)
def _read_matches(s: Scanner, matches: cython.Py_ssize_t) -> cython.bint:
    while s.matches < matches:
        if not (_skip_word(s, b'{"teams":') and _read_teams(s) and _read_results(s) and _skip_word(s, b"}\n")):
            return False
        s.matches += 1
    return s.at == len(s.text)


@cython.cfunc
@cython.exceptval(-1)
def _skip_word(s: Scanner, word: bytes) -> cython.bint:
    i: cython.Py_ssize_t
    size: cython.Py_ssize_t = len(word)
    letter: cython.uchar
    for i in range(size):
        letter = word[i]
        if s.text[s.at + i] != letter:  # in bounds: no word matches beyond the end of a line
            return False
    s.at += size
    return True


@cython.cfunc
@cython.exceptval(-1)
def _skip_char(s: Scanner, letter: cython.uchar) -> cython.bint:
    if s.text[s.at] != letter:
        return False
    s.at += 1
    return True


@cython.cfunc
@cython.exceptval(-1)
def _read_teams(s: Scanner) -> cython.bint:
    first: cython.Py_ssize_t = s.teams
    before: cython.Py_ssize_t
    if not _skip_char(s, 91):  # [
        return False
    while True:
        before = s.entries
        if not _skip_char(s, 91):
            return False
        while True:
            if not _read_name(s):
                return False
            s.weight[s.entries] = 1.0
            s.entries += 1
            if not _skip_char(s, 44):  # a comma
                break
        if not _skip_char(s, 93):  # ]
            return False
        s.sizes[s.teams] = s.entries - before
        s.rank[s.teams] = s.score[s.teams] = NONE
        s.teams += 1
        if not _skip_char(s, 44):
            break
    s.teams_of[s.matches] = s.teams - first
    s.importance[s.matches] = 1.0
    s.home[s.matches] = -1
    return _skip_char(s, 93)


@cython.cfunc
@cython.exceptval(-1)
def _read_name(s: Scanner) -> cython.bint:
    at: cython.Py_ssize_t = s.at + 1
    code: cython.ulonglong = BASIS
    letter: cython.ulonglong
    if s.text[s.at] != 34:  # "
        return False
    s.start[s.entries] = at
    while s.text[at] != 34:
        letter = s.text[at]
        if letter == 92:  # a backslash: the next letter is not the end of the name
            code = ((code ^ letter) * PRIME) & LOWER
            at += 1
            letter = s.text[at]
        if letter == 10:  # the end of the line
            return False
        code = ((code ^ letter) * PRIME) & LOWER
        at += 1
    s.stop[s.entries] = at
    s.hashes[s.entries] = code
    s.at = at + 1
    return True


@cython.cfunc
@cython.exceptval(-1)
def _read_results(s: Scanner) -> cython.bint:
    team: cython.Py_ssize_t = s.teams - s.teams_of[s.matches]
    entry: cython.Py_ssize_t = s.entries
    i: cython.Py_ssize_t
    for i in range(team, s.teams):
        entry -= s.sizes[i]
    if _skip_word(s, b',"ranks":') and not _read_list(s, s.rank, team, s.teams):
        return False
    if _skip_word(s, b',"scores":') and not _read_list(s, s.score, team, s.teams):
        return False
    if _skip_word(s, b',"weights":['):
        for i in range(team, s.teams):
            if (i > team and not _skip_char(s, 44)) or not _read_list(s, s.weight, entry, entry + s.sizes[i]):
                return False
            entry += s.sizes[i]
        if not _skip_char(s, 93):
            return False
    if _skip_word(s, b',"importance":'):
        if not _read_number(s):
            return False
        s.importance[s.matches] = s.number
    if _skip_word(s, b',"home":'):
        if not _read_number(s) or not 0 <= s.number < s.teams_of[s.matches]:
            return False
        s.home[s.matches] = int(s.number)
        if s.home[s.matches] != s.number:
            return False
    return True


@cython.cfunc
@cython.exceptval(-1)
def _read_list(s: Scanner, column: cython.double[::1], first: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
    i: cython.Py_ssize_t
    for i in range(first, end):
        if not _skip_char(s, 91 if i == first else 44) or not _read_number(s):
            return False
        column[i] = s.number
    return _skip_char(s, 93)


@cython.cfunc
@cython.exceptval(-1)
def _read_number(s: Scanner) -> cython.bint:
    # A number of up to 15 digits takes one division, which is exact (Clinger 1990); longer numbers use `float`.
    first: cython.Py_ssize_t = s.at
    at: cython.Py_ssize_t = first
    digits: cython.Py_ssize_t = 0
    value: cython.double = 0.0
    scale: cython.double = 1.0
    point: cython.bint = False
    if s.text[at] == 45:  # -
        at += 1
    while 48 <= s.text[at] <= 57 or (s.text[at] == 46 and not point):
        if s.text[at] == 46:
            point = True
        else:
            value = 10.0 * value + (s.text[at] - 48)
            digits += 1
            if point:
                scale *= 10.0
        at += 1
    if digits == 0:
        return False
    s.number = -(value / scale) if s.text[first] == 45 else value / scale
    if digits > 15 or s.text[at] == 101:  # e
        while s.text[at] == 43 or s.text[at] == 45 or s.text[at] == 101 or 48 <= s.text[at] <= 57:
            at += 1
        s.number = float(s.raw[first:at])
    s.at = at
    return True


@cython.cfunc
@cython.exceptval(-1)
def _names_agree(
    s: Scanner, code: cython.const[cython.int][::1], first: cython.const[cython.longlong][::1]
) -> cython.bint:
    # The letters are compared, because different names can have the same hash.
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    here: cython.Py_ssize_t
    first_seen: cython.Py_ssize_t
    for i in range(s.entries):
        here, first_seen = s.start[i], s.start[first[code[i]]]
        if s.stop[i] - here != s.stop[first[code[i]]] - first_seen:
            return False
        for k in range(s.stop[i] - here):
            if s.text[here + k] != s.text[first_seen + k]:
                return False
    return True
