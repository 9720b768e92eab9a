"""Split a file from an unknown source into lines and cells, so that edits can change them.

The kind of each column (name, score, time, …) is known, so that edits can choose a column.
"""

import csv
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from random import Random

from prowess.history import History
from prowess.history.columns.roles.layout import Shape
from prowess.history.read_context import Findings

from ..strangers.case import Case, Team, read_matches

Match = tuple[str, frozenset[Team]]

_SEPARATORS = (",", ";", "\t", "|")


@dataclass(frozen=True)
class Edited:
    """An edited file: the lines and columns that the edit changed, and a function that undoes the edit.

    The file is read correctly if the matches, or the matches after `undo`, equal those of the file before the edit.
    `codes` are the codes of remarks that report this edit, whichever line they name. If `refuse` is true, the file must
    be refused.
    """

    case: Case
    lines: frozenset[int] = frozenset()
    columns: frozenset[str] = frozenset()
    undo: Callable[[Match], Match] | None = None
    codes: frozenset[str] = frozenset()
    refuse: bool = False


@dataclass(frozen=True)
class Sheet:
    """The lines of a file; `header` is the index of the line with the column names, None if there is none."""

    case: Case
    findings: Findings
    matches: tuple[Match, ...]
    random: Random
    separator: str | None = None
    lines: tuple[str, ...] = ()
    header: int | None = None
    names: tuple[str, ...] = ()
    kinds: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # columns by kind: name, score, result, time, …

    @cached_property
    def rows(self) -> list[int]:
        """The indices of the lines with matches; empty if the file is not a table with columns of names."""
        if self.separator is None:
            return []
        first = 0 if self.header is None else self.header + 1
        width = len(self.names)
        counts = Counter(self.lines)  # an edited copy of a row would count as another match
        return [
            at
            for at in range(first, len(self.lines))
            if len(self.cells(at)) == width and counts[self.lines[at]] == 1 and self.is_match(at)
        ]

    def is_match(self, at: int) -> bool:
        """Return whether a line contains a player's name and a result."""
        players = {player for _, teams in self.matches for who, *_ in teams for player in who}
        cells = self.cells(at)
        held = " ".join(cells[column] for column in self.kinds["name"])
        results = [cells[column].strip() for column in self.columns("score", "rank", "result")]
        names = [cells[column].strip() for column in self.kinds["name"]]
        met = [{player for who, *_ in teams for player in who} for _, teams in self.matches]
        if players.issuperset(names) and len(names) == 2 and set(names) not in met:
            return False  # this match was not played
        return any(player in held for player in players) and (not results or any(results))

    def cells(self, at: int) -> list[str]:
        """Return the cells of a line."""
        assert self.separator is not None
        [cells] = csv.reader([self.lines[at]], delimiter=self.separator)
        return cells

    def join(self, cells: list[str]) -> str:
        """Return a line with the given cells, quoted where needed."""
        assert self.separator is not None
        special = (self.separator, '"', "\n")
        return self.separator.join(
            '"{}"'.format(cell.replace('"', '""')) if any(mark in cell for mark in special) else cell for cell in cells
        )

    def columns(self, *kinds: str) -> list[int]:
        """Return the columns of some kinds, in the order of the file."""
        return sorted({column for kind in kinds for column in self.kinds.get(kind, ())})

    def with_lines(self, lines: list[str] | tuple[str, ...]) -> Case:
        """Return the case with other lines."""
        text = "\n".join(lines) + "\n"
        fits = text.encode(self.case.encoding, "replace").decode(self.case.encoding) == text
        return replace(self.case, text=text, encoding=self.case.encoding if fits else "utf-8")

    def changed(self, cells: Mapping[int, list[str]]) -> Case:
        """Return the case with other cells in some lines."""
        return self.with_lines([self.join(cells[at]) if at in cells else line for at, line in enumerate(self.lines)])

    def pick(self, column: int, fits: Callable[[str], object] = str.strip) -> int | None:
        """Choose a line with a match whose cell in a column satisfies `fits`."""
        rows = [at for at in self.rows if fits(self.cells(at)[column])]
        return self.random.choice(rows) if rows else None

    def map_column(self, columns: list[int], change: Callable[[str], str]) -> Case | None:
        """Change the cells of columns in all matches; return None if no cell changes."""
        new = {}
        for at in self.rows:
            cells = self.cells(at)
            new[at] = [change(cell) if column in columns else cell for column, cell in enumerate(cells)]
        case = self.changed({at: cells for at, cells in new.items() if cells != self.cells(at)})
        return None if case.text == self.case.text else case


def open_sheet(case: Case, folder: Path, random: Random) -> Sheet:
    """Read a case, and determine the kinds of its columns."""
    findings = History.check(case.write(folder))
    sheet = Sheet(case, findings, read_matches(findings.history), random)
    lines = tuple(case.text.rstrip("\n").split("\n"))
    suffix = Path(case.name).suffix
    if suffix in (".json", ".jsonl", ".ndjson", ".pgn") or findings.layout is None or '"' in _unbalanced(lines):
        return sheet
    for separator in _SEPARATORS:
        trial = replace(sheet, separator=separator, lines=lines)
        header, names = _find_header(trial)
        if names:
            trial = replace(trial, header=header, names=names)
            kinds = _kinds(trial)
            if kinds.get("name"):
                return replace(trial, kinds=kinds)
    return sheet


def _unbalanced(lines: tuple[str, ...]) -> str:
    return "".join('"' for line in lines if line.count('"') % 2)


def _find_header(sheet: Sheet) -> tuple[int | None, tuple[str, ...]]:
    """Return the index of the header line, and the column names, with duplicates numbered as in the reader."""
    columns = sheet.findings.columns
    for at in range(min(10, len(sheet.lines))):
        cells = sheet.cells(at)
        names: dict[str, None] = {}
        for number, cell in enumerate(cells, 1):
            name = plain = " ".join(cell.split()).lstrip("# ") or str(number)
            copy = 1
            while name in names:
                copy += 1
                name = f"{plain} ({copy})"
            names[name] = None
        if len(cells) > 1 and set(columns) <= set(names):
            return at, tuple(names)
    width = max((len(sheet.cells(at)) for at in range(len(sheet.lines))), default=0)
    plain_names = tuple(str(number + 1) for number in range(width))
    return None, plain_names if width > 1 and set(columns) <= set(plain_names) else ()


def _kinds(sheet: Sheet) -> dict[str, tuple[int, ...]]:
    layout = sheet.findings.layout
    assert layout is not None
    roles = layout.roles
    found: dict[str, list[str]] = {"name": [], "score": [], "rank": [], "result": [], "time": [], "other": []}
    for side in layout.sides:
        found["name"] += [side.column, *side.more]
    found["name"] += [roles[role] for role in ("player", "players", "team") if role in roles and not layout.sides]
    found["score"] += layout.scores + ([roles["score"]] if "score" in roles and not layout.sides else [])
    found["rank"] += layout.ranks + [roles[role] for role in ("rank", "duration") if role in roles]
    results = ["result", *(["winner", "score"] if layout.sides and layout.shape != Shape.WINNER_LOSER else [])]
    found["result"] += [roles[role] for role in results if role in roles and roles[role] not in found["name"]]
    found["time"] += [roles["time"]] if "time" in roles else []
    used = {name for names in found.values() for name in names}
    found["other"] = [name for name in sheet.names if name not in used and name not in roles.values()]
    place = {name: index for index, name in enumerate(sheet.names)}
    return {kind: tuple(place[name] for name in dict.fromkeys(names) if name in place) for kind, names in found.items()}


def is_number(cell: str) -> bool:
    """Return whether a cell is a whole number."""
    return re.fullmatch(r"\d{1,6}", cell.strip()) is not None
