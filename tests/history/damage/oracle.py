"""An oracle that checks line by line whether a damaged file was read correctly or its problems were reported.

The oracle sees only the damaged file, not how it was damaged. A line that the strict reader can read must be in the
result exactly. Every other line must be in the result as written, or be reported as a problem. Nothing else may be in
the result or be reported.
"""

import re
from collections import Counter
from dataclasses import dataclass, field

from prowess import Error
from prowess.history.read_context import Findings

from .bases import Base, Key, Row, key

_LINE = re.compile(r"\blines? ([\d,]+)(?:(?: to | and |–|-)([\d,]+))?")
_ID = re.compile(r"(?<!\w)[mr]\d+(?!\w)")  # the id of a match that has several lines
_DECIMAL = re.compile(r"\d*\.\d+")
_LEFT_OUT = {"not-played", "walkovers", "byes", "absent", "repeated-players", "single-team", "repeated-rows"}
_LEFT_OUT |= {"mirrored-rows", "missing-places", "missing-durations", "repeated-header", "comments", "below-table"}


@dataclass
class Sheet:
    """The lines of a file: the strict reader can read `rows`, but not `odd`; all other lines are headers or blank.

    A row in `marked` contains a byte order mark, which nobody sees: the strict reader reads the line without it.
    """

    base: Base
    lines: list[str]
    rows: dict[int, Row] = field(default_factory=dict)
    odd: list[int] = field(default_factory=list)
    marked: set[int] = field(default_factory=set)
    headed: bool = False

    @classmethod
    def of(cls, base: Base, data: bytes) -> "Sheet":
        """Classify the lines of a file."""
        text = data.decode("utf-8", "surrogateescape").removeprefix("\ufeff").rstrip("\0")
        sheet = cls(base, re.split("\r\n|\n|\r", text))
        mark, marks = re.escape(base.separator), base.separator + " \t\0"
        nothing = re.compile(rf'(^|{mark})""(?=$|{mark})')  # an empty cell in quotes
        for number, line in enumerate(sheet.lines, 1):
            plain = nothing.sub(r"\1", line).strip(marks)
            if plain == base.header or (number == 1 and line.startswith("sep=")):
                # An odd line with a separator may be another header, or a row.
                wide = any(sheet.lines[odd - 1].count(base.separator) for odd in sheet.odd)
                sheet.headed = sheet.headed or (plain == base.header and not sheet.rows and not wide)
            elif plain and (row := base.row(_seen(line))) is not None:
                sheet.rows[number] = row
                if line != _seen(line):
                    sheet.marked.add(number)
            elif plain:
                sheet.odd.append(number)
        return sheet

    def doubt(self, reported: set[int]) -> None:
        """Count rows with a byte order mark as odd if the reader has reported them."""
        for number in self.marked & reported:
            del self.rows[number]
            self.odd.append(number)
        self.odd.sort()

    def groups(self) -> dict[str, list[int]]:
        """Return the line numbers of each match."""
        found: dict[str, list[int]] = {}
        for number, row in self.rows.items():
            found.setdefault(row.match or str(number), []).append(number)
        return found

    def match(self, numbers: list[int]) -> Key | None:
        """Return the match that several lines describe together; None if the lines contradict each other."""
        rows = [self.rows[number] for number in numbers]
        entries = [team for row in rows for team in row.teams]
        if rows[0].match is None:
            return key(rows[0].time, entries)
        odd = any(re.search(rf"(?<!\w){rows[0].match}(?!\w)", _seen(self.lines[number - 1])) for number in self.odd)
        if odd or len({row.time for row in rows}) > 1:
            return None
        if self.base.name.startswith("rosters"):
            entries = self._teams(entries)
        players = [player for who, *_ in entries for player in who]
        return key(rows[0].time, entries) if len(entries) > 1 and len(set(players)) == len(players) else None

    def _teams(
        self, entries: list[tuple[tuple[str, ...], float, float | None, bool]]
    ) -> list[tuple[tuple[str, ...], float, float | None, bool]]:
        teams: dict[str, list[tuple[str, float | None]]] = {}
        for (team, player), _, score, _ in entries:
            teams.setdefault(team, []).append((player, score))
        if any(len({score for _, score in members}) > 1 for members in teams.values()):
            return []
        return [
            (tuple(player for player, _ in members), -(members[0][1] or 0), members[0][1], False)
            for members in teams.values()
        ]


def found_keys(findings: Findings) -> Counter[Key]:
    """Return the matches of a result in the canonical form of the strict readers."""
    history = findings.history
    found: Counter[Key] = Counter()
    for number, match in enumerate(history):
        first = int(history.match_start[number])
        scores = match.get("scores") or [None] * len(match["teams"])
        teams = [
            (
                tuple(who),
                float(history.place[first + index]),
                None if score is None else float(score),
                match.get("home") == index,
            )
            for index, (who, score) in enumerate(zip(match["teams"], scores, strict=True))
        ]
        found[key(str(match.get("time", "-")), teams)] += 1
    return found


def complaints(base: Base, data: bytes, outcome: "Findings | Error") -> list[str]:
    """Return a list of everything that is wrong with the result of reading a file."""
    sheet = Sheet.of(base, data)
    if isinstance(outcome, Error):
        return _refused(sheet, str(outcome))
    blamed = {int(number) for one in outcome.problems for number in re.findall(r"line (\d+)", one.where)}
    said = _lines(outcome.history.recognised)
    sheet.doubt(blamed | said)
    # A remark names only the first of its lines.
    spare = sum((remark.count or 1) - 1 for remark in outcome.history.remarks if remark.code in _LEFT_OUT)
    found = found_keys(outcome)
    if not sheet.headed:
        return [] if blamed or base.grouped else _by_teams(sheet, found, said)
    return _compared(sheet, found, blamed, said, spare)


def _refused(sheet: Sheet, text: str) -> list[str]:
    """Check that a rejected file has no header or no rows, or that the error names a damaged line."""
    if sheet.base.name.partition(".")[0] not in text:
        return [f"the error does not name the file: {text}"]
    if not sheet.headed or not sheet.rows:
        return []
    if not _lines(text) & _suspicious(sheet):
        return [f"the error does not name a line that may be damaged: {text}"]
    return []


def _lines(text: str) -> set[int]:
    lines: set[int] = set()
    for first, last in _LINE.findall(text):
        lines.update(range(int(first.replace(",", "")), int((last or first).replace(",", "")) + 1))
    return lines


def _suspicious(sheet: Sheet) -> set[int]:
    """Return the lines that may be at fault: odd lines, repeated lines, and lines of contradictory matches."""
    found = set(sheet.odd) | sheet.marked
    for numbers in sheet.groups().values():
        if sheet.match(numbers) is None:
            found.update(numbers)
    counts = Counter(sheet.lines[number - 1].strip() for number in sheet.rows)
    return found | {number for number in sheet.rows if counts[sheet.lines[number - 1].strip()] > 1}


def _compared(sheet: Sheet, found: Counter[Key], blamed: set[int], said: set[int], spare: int) -> list[str]:
    wrong = [f"line {number} is reported, but nothing is wrong" for number in sorted(blamed - _suspicious(sheet))]
    named, loose = blamed | said, list(sheet.odd)
    expected: dict[Key, list[list[int]]] = {}
    for numbers in sheet.groups().values():
        match = sheet.match(numbers)
        if match is None:
            loose += numbers
        else:
            expected.setdefault(match, []).append(numbers)
    extra = found.copy()
    for match, sources in expected.items():
        got = min(found[match], len(sources))
        extra[match] -= got
        silent = [numbers for numbers in sources if not named & set(numbers)]
        lost = len(silent) - got - (spare if got else 0)  # only the first of several duplicate rows is named
        if lost > 0:
            wrong.append(f"line {silent[-1][0]} is missing from the result: {match}")
    return wrong + _explained(sheet, +extra, sorted(loose), named, spare)


def _explained(sheet: Sheet, extra: Counter[Key], loose: list[int], named: set[int], spare: int) -> list[str]:
    """Check that every extra match comes from odd lines, and that every odd line is in a match or is reported."""
    wrong: list[str] = []
    used: set[int] = set()
    covered: set[int] = set()
    several = sheet.base.grouped
    told = [(match, [number for number in loose if _tells(sheet, number, match)]) for match in extra.elements()]
    # A line that fits two matches is assigned to the match that fewer lines fit.
    for match, sources in sorted(told, key=lambda one: len(one[1])):
        fresh = [number for number in sources if several or number not in used]
        fresh = sorted(fresh, key=named.__contains__)[: None if several else 1]
        if not fresh:
            wrong.append(f"no line of the file contains {match}")
        used.update(fresh)
        covered.update(line for number in fresh for line in _record(sheet, number))
    if several and extra.total() > len(
        {
            _ID.findall(sheet.lines[number - 1])[:1][0] if _ID.findall(sheet.lines[number - 1]) else number
            for number in loose
        }
    ):
        wrong.append(f"no line of the file contains {extra.total()} of the matches")
    named = {line for number in named for line in (_record(sheet, number) if number in sheet.odd else [number])}
    silent = [number for number in loose if number not in covered | named]
    text = " ".join(sheet.lines[number - 1] for number in named if number <= len(sheet.lines))
    silent = [number for number in silent if not set(_ID.findall(sheet.lines[number - 1])) & set(_ID.findall(text))]
    # A line without an id may belong to any match.
    if several and any(not _ID.search(sheet.lines[number - 1]) for number in sheet.odd):
        alone = {numbers[0] for numbers in sheet.groups().values() if len(numbers) == 1}
        silent = [number for number in silent if number not in alone and number not in sheet.odd]
    if len(silent) > spare:
        wrong.append(f"line {silent[0]} is neither read nor reported: {sheet.lines[silent[0] - 1][:80]!r}")
    return wrong


def _tells(sheet: Sheet, number: int, match: Key) -> bool:
    """Return whether a line contains the names of a match or of one of its teams, and its date and scores."""
    line = "\n".join(sheet.lines[part - 1] for part in _record(sheet, number))
    time, teams = match
    there = [all(_plain(name) in _plain(line) for name in who) for who, *_ in teams]
    one = any(_plain(name) in _plain(line) for who, *_ in teams for name in who)
    cells = line.replace("\n", sheet.base.separator).split(sheet.base.separator)
    numbers: set[float] = set().union(*map(_numbers, cells))
    day = {float(part) for part in time[:10].split("-") if part.isdigit()}
    scores = {abs(score) for *_, score, _ in teams if score is not None}
    if sheet.base.grouped:
        return one
    return all(there) and {part % 2000 for part in day} <= {part % 2000 for part in numbers} and scores <= numbers


def _numbers(cell: str) -> set[float]:
    """Return the numbers in a cell; a decimal number such as .5 or 2½ is one number."""
    plain = cell.strip().replace("½", ".5")
    return {float(part) for part in ([plain] if _DECIMAL.fullmatch(plain) else re.findall(r"\d+", plain))}


def _record(sheet: Sheet, number: int) -> list[int]:
    """Return the odd lines that may continue a quoted cell after a line with an unclosed quotation mark."""
    found = [number]
    while sheet.lines[number - 1].count('"') % 2 and found[-1] < len(sheet.lines) and found[-1] + 1 not in sheet.rows:
        found.append(found[-1] + 1)
    return found


def _seen(line: str) -> str:
    return line.replace("\ufeff", "")


def _plain(text: str) -> str:
    return re.sub(r"[\s\"'\x00\ufeff]+", "", text).casefold()


def _split(who: tuple[str, ...]) -> tuple[str, ...]:
    """Return the players of a team. In a file without a header, the reader may take "Ann, Bob" as one name."""
    return tuple(sorted(part for name in who for part in name.split(", ")))


def _by_teams(sheet: Sheet, found: Counter[Key], named: set[int]) -> list[str]:
    """Compare only teams and places: without a header, the home team and the time cannot be known."""
    got: Counter[frozenset[tuple[tuple[str, ...], int]]] = Counter()
    for (_, teams), count in found.items():
        got[frozenset((_split(who), place) for who, place, *_ in teams)] += count
    matches = {number: sheet.match(numbers) for numbers in sheet.groups().values() for number in numbers}
    wrong = []
    expected: Counter[frozenset[tuple[tuple[str, ...], int]]] = Counter()
    for numbers in sheet.groups().values():
        if (match := matches[numbers[0]]) is not None:
            expected[frozenset((who, place) for who, place, *_ in match[1])] += 1
            if not got[frozenset((who, place) for who, place, *_ in match[1])] and not set(numbers) & named:
                wrong.append(f"line {numbers[0]} is missing from the result: {match}")
    surplus = sum((got - expected).values())
    if surplus > len(sheet.odd) + sum(match is None for match in matches.values()):
        wrong.append(f"no line of the file contains {surplus} of the matches: {next(iter(got - expected))}")
    return wrong
