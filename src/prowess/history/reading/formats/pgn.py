"""Read PGN, the standard text format of chess games: the tag pairs of each game, but not its moves.

The file is read line by line, so only the tags of the games are in memory.
"""

import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import IO

import numpy as np

from ....errors import Error, Option, Remark
from ....text import count
from ...read_context import Problems, Table, left_out
from ...read_limits import ReadLimits
from ...read_options import Choices
from ..byte_source import Source
from ..encodings import DAMAGED, detect_encoding

# Tags that become columns, and whether the column is kept even if no game has the tag.
_COLUMNS = {
    "White": True,
    "Black": True,
    "Result": True,
    "Date": False,
    "Round": False,
    "Event": False,
    "Site": False,
} | dict.fromkeys(("TimeControl", "Variant", "Termination"), False)
# Tags that are context only.
_CONTEXT = (
    *("ECO", "Opening", "Variation", "PlyCount", "WhiteElo", "BlackElo", "WhiteTeam", "BlackTeam"),
    *("WhiteTitle", "BlackTitle", "WhiteFideId", "BlackFideId", "WhiteRatingDiff", "BlackRatingDiff"),
)
_COLUMNS |= dict.fromkeys(_CONTEXT, False)
_TIMES = ("UTCDate", "UTCTime", "Time")
_KEPT = {name.encode(): name for name in (*_COLUMNS, *_TIMES)}
_PLAIN_TAG = re.compile(rb'\[(\w+) "([^"\\]*)"\]')  # matches nearly all tags
_TAG = re.compile(rb'\s*\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
_LOOSE_TAG = re.compile(rb'\s*\[\s*(\w+)\s+"(.*)"\s*\]\s*')  # matches tags with an unescaped quotation mark
_ANY_TAG = re.compile(rb"\s*\[\s*(\w+)")
_ESCAPE = re.compile(rb'\\(["\\])')
_FIRST_TAG = re.compile(rb'(?:\s|[%;][^\n]*\n)*\[\s*(?:Event|Site|Date|Round|White|Black|Result|GameId)\s+"')
_NEW_GAME = re.compile(rb'\[\s*Event\s+"')
_COMMENT = re.compile(rb"\{[^}]*(?:\}|$)|;.*")
_RESULTS = {"1-0": "1-0", "0-1": "0-1", "1/2-1/2": "1/2-1/2", "1/2": "1/2-1/2", "½-½": "1/2-1/2", "*": "*"}
_RESULTS |= {"0.5-0.5": "1/2-1/2", "0-0": "-:-"}  # 0-0: both lost without a game
_WALKOVER = re.compile(r"[+-]\W*[+-]|(?:1-0|0-1)\s*(?:ff?|forfeit)", re.IGNORECASE)
_UNDECIDED = ("", "*", "?", "-")
_NOBODY = frozenset(("", "?", "??", "-", "nn", "n.n.", "n. n.", "n.n"))
_DATE = re.compile(r"(\d{4})\.(\d\d|\?\?|\?)\.(\d\d|\?\?|\?)")
_CLOCK = re.compile(r"\d\d:\d\d(?::\d\d(?:\.\d+)?)?")
_NO_DATE = re.compile(r"[?.\s]*")


def is_pgn(suffix: str, head: bytes) -> bool:
    """Return whether a file with this suffix and beginning holds chess games.

    >>> is_pgn("", b'[Event "Club Open"]'), is_pgn(".pgn", b"white,black,result"), is_pgn(".json", b'["ann", "bob"]')
    (True, False, False)
    """
    head = head.lstrip(b"\xef\xbb\xbf\xff\xfe").replace(b"\0", b"")
    return _FIRST_TAG.match(head) is not None or (suffix == ".pgn" and head.lstrip()[:1] in (b"[", b"{", b"1", b"%"))


def read_pgn(source: Source, choices: Choices) -> Table:
    """Read all games of a file."""
    if b"\0" in source.read(512):  # UTF-16, whose bytes cannot be split into lines
        data = source.read()
        text = detect_encoding(data, choices.encoding).decode(data)
        source, choices = (
            replace(source, path=None, data=text.encode(errors="replace")),
            replace(choices, encoding=None),
        )
    with source.open() as stream:
        lines = read_lines(stream, source.title, choices.read_limits)
        [table] = PgnReader(source.title, choices).tables(lines, None)
        return table


def read_lines(stream: IO[bytes], title: str, limits: ReadLimits) -> Iterator[bytes]:
    """Yield the lines of a stream; raises `LimitExceeded` at a line that is too long."""
    most = -1 if limits.line > 1 << 40 else int(limits.line) + 1
    number = 0
    while line := stream.readline(most):
        number += 1
        if len(line) > limits.line:
            raise limits.long_line(title, number)
        yield from line.splitlines() if b"\r" in line else (line.rstrip(b"\n"),)


@dataclass
class _Game:
    """A game: its tags, its first line, the checksum and the last word of its moves, and its fault, if any."""

    line: int
    tags: dict[str, bytes] = field(default_factory=dict)
    checksum: int = 0
    ending: bytes = b""
    faults: list[str] = field(default_factory=list)

    def add_tags(self, line: bytes) -> None:
        if plain := _PLAIN_TAG.fullmatch(line):
            if (name := _KEPT.get(plain[1])) is not None:
                self._add(name, plain[2].strip())
            return
        pairs, end = [], 0
        while tag := _TAG.match(line, end):
            pairs.append((tag[1], tag[2]))
            end = tag.end()
        if line[end:].strip():
            loose = _LOOSE_TAG.fullmatch(line)
            pairs = [(loose[1], loose[2])] if loose else []
        if not pairs and (damaged := _ANY_TAG.match(line)) and damaged[1] in _KEPT:
            self.faults.append(f"the tag {_KEPT[damaged[1]]} is damaged")
        for key, value in pairs:
            if (known := _KEPT.get(key)) is not None:
                self._add(known, _ESCAPE.sub(rb"\1", value).strip())

    def _add(self, name: str, value: bytes) -> None:
        if self.tags.setdefault(name, value) != value:
            self.faults.append(f"the tag {name} occurs twice")

    def add_moves(self, text: bytes) -> None:
        if text := text.strip():
            self.checksum = zlib.crc32(text, self.checksum)
            self.ending = text


def _games(lines: Iterable[bytes]) -> Iterator[_Game]:
    # A comment in braces may span lines, and tags within it are ignored.
    game, in_moves, in_comment, blank = _Game(0), False, False, True
    for number, line in enumerate(lines, 1):
        if in_comment:
            if blank and _NEW_GAME.match(line):
                game.faults.append("a comment in braces has no end")
                in_comment = False
            elif b"}" not in line:
                blank = not line.strip()
                continue
            else:
                line = line[line.index(b"}") + 1 :]
                in_comment = False
        if line[:1] == b"[":
            if not game.line or in_moves or (blank and _starts_again(game, line)):
                if game.line:
                    yield game
                game, in_moves = _Game(number), False
            game.add_tags(line)
        elif line[:1] != b"%" and (text := line.strip()):
            game.line = game.line or number
            in_moves = True
            if b"{" in text or b";" in text:
                text, in_comment = _without_comments(text)
            game.add_moves(text)
        blank = not line.strip()
    if in_comment:
        game.faults.append("a comment in braces has no end")
    if game.line:
        yield game


def _without_comments(text: bytes) -> tuple[bytes, bool]:
    """Return a line of moves without its comments, and whether it ends inside a comment in braces."""
    if b";" in text:
        comments = _COMMENT.findall(text)
        is_open = bool(comments) and comments[-1][:1] == b"{" and comments[-1][-1:] != b"}"
        return _COMMENT.sub(b" ", text), is_open
    moves, *comments = text.split(b"{")  # three times as fast as the pattern
    return b" ".join([moves, *(comment.partition(b"}")[2] for comment in comments)]), b"}" not in comments[-1]


def _starts_again(game: _Game, line: bytes) -> bool:
    # A tag that the current game already has belongs to the next game.
    name = _ANY_TAG.match(line)
    return name is not None and _KEPT.get(name[1]) in game.tags


class PgnReader:
    """Converts the games of a file to tables with a row per game; decisions made for the first table apply to all."""

    def __init__(self, title: str, choices: Choices) -> None:
        """Prepare to read a file."""
        self.title, self.choices = title, choices
        self.times: tuple[str, ...] | None = None  # the tags with the date and the time of day

    def tables(self, lines: Iterable[bytes], rows: int | None) -> Iterator[Table]:
        """Yield tables of `rows` games each, or one table of all games; there is at least one table."""
        games, number = _games(lines), 0
        while batch := list(islice(games, rows)):
            number += len(batch)
            self.choices.read_limits.check_table(self.title, number, len(_COLUMNS))
            yield self._table(batch)
        if not number:
            raise Error(f'{self.title}: the file has no games; a game begins with tags such as [White "Ann"]')

    def _table(self, games: list[_Game]) -> Table:
        import polars as pl

        text, remarks = self._decode(games)
        values = [{name: text[value] for name, value in game.tags.items()} for game in games]
        known = [_is_player(game.get("White", "")) and _is_player(game.get("Black", "")) for game in values]
        nameless = [game.line for game, good in zip(games, known, strict=True) if not good and not game.faults]
        if nameless:
            words = "game with an unknown player", "games with an unknown player"
            sentence = left_out(len(nameless), *words, f"line {nameless[0]}")
            remarks.append(Remark("unknown-players", (sentence,), count=len(nameless), line=nameless[0]))
        kept = [row for row, game in enumerate(games) if known[row] or game.faults]
        games, values = [games[row] for row in kept], [values[row] for row in kept]
        for game, tags in zip(games, values, strict=True):
            tags["Result"] = _result(game, tags)
        problems = Problems()
        remarks += self._set_dates(values, [game.line for game in games], problems)
        for row, game in enumerate(games):
            for fault in game.faults[:1]:
                problems.add([row], None, None, fault)
        columns = {name: [tags.get(name, "") for tags in values] for name in _COLUMNS}
        for name in _CONTEXT:
            columns[name] = ["" if cell in _UNDECIDED else cell for cell in columns[name]]
        columns = {name: cells for name, cells in columns.items() if _COLUMNS[name] or any(cells)}
        # A checksum of the moves, because games with equal tags need not be duplicates.
        columns["Moves"] = [f"{game.checksum:08x}" for game in games]
        frame = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))
        lines = np.array([game.line for game in games], np.int64)
        reserved = {"Moves": False, **dict.fromkeys(_CONTEXT, True)}
        return Table(
            frame, self.title, lines.__getitem__, self.choices, remarks, problems, unit="line", reserved=reserved
        )

    def _decode(self, games: list[_Game]) -> tuple[dict[bytes, str], list[Remark]]:
        # Values that are not UTF-8 are all decoded in the one encoding that fits them.
        first_line: dict[bytes, int] = {}
        for game in games:
            for value in game.tags.values():
                first_line.setdefault(value, game.line)
        chosen = self.choices.encoding
        others = [value for value in first_line if chosen is not None or not _is_utf_8(value)]
        try:
            encoding = detect_encoding(b"\n".join(others), chosen)
        except Error as error:
            raise error.within(f"{self.title}: ") from None
        text = {value: value.decode(errors="replace") for value in first_line}
        text |= {value: encoding.decode(value) for value in others}
        damaged = {value for value in others if DAMAGED.search(text[value])}
        for game in games if damaged else ():
            if damaged.intersection(game.tags.values()):
                game.faults.append("a byte is invalid in this encoding")
        text |= {value: DAMAGED.sub("\ufffd", text[value]) for value in damaged}
        return text, encoding.remarks_at(min(first_line[value] for value in others)) if others else []

    def _set_dates(self, values: list[dict[str, str]], lines: list[int], problems: Problems) -> list[Remark]:
        # PGN writes unknown parts of a date as question marks: 2024.05.??
        if self.times is None:
            pairs = (("UTCDate", "UTCTime"), ("Date", "Time"))
            self.times = next((tags for tags in pairs if all(_has_time(game, *tags) for game in values)), ("Date",))
        day, zone = self.times[0], "Z" if self.times[0] == "UTCDate" else ""
        written = [game.get(day, "") for game in values]
        for game, date in zip(values, written, strict=True):
            clock = f"T{game[self.times[1]]}{zone}" if _has_time(game, *self.times) else ""
            game["Date"] = _first_day(date) + clock
        unknown = [row for row, date in enumerate(written) if _NO_DATE.fullmatch(date)]
        if len(unknown) == len(values):
            for game in values:
                game["Date"] = ""
        else:
            message = (
                "the date is unknown; fill it in, or use ",
                Option("columns", {"time": None}),
                " to ignore all dates",
            )
            problems.add(unknown, "Date", [written[row] for row in unknown], message)
        partial = [row for row, date in enumerate(written) if "?" in date and _DATE.fullmatch(date)]
        if not partial:
            return []
        games = count(len(partial), "game has a date", "games have dates")
        text = (
            f"{games} without a day or month, such as {written[partial[0]]}; the first day of that month or year is "
            "used"
        )
        return [Remark("partial-dates", (text,), "Date", len(partial), lines[partial[0]])]


def _is_utf_8(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_player(name: str) -> bool:
    return name.casefold() not in _NOBODY


def _first_day(date: str) -> str:
    """Return the first possible day of a PGN date with unknown parts; return other texts unchanged.

    >>> _first_day("2024.05.??"), _first_day("5/1/2024")
    ('2024-05-01', '5/1/2024')
    """
    return re.sub(r"\?+", "01", date).replace(".", "-") if _DATE.fullmatch(date) else date


def _has_time(game: dict[str, str], date: str, clock: str = "") -> bool:
    day = _DATE.fullmatch(game.get(date, ""))
    return day is not None and "?" not in day[0] and _CLOCK.fullmatch(game.get(clock, "")) is not None


def _result(game: _Game, tags: dict[str, str]) -> str:
    # Without a result tag, the result after the moves counts; if both exist, they must agree.
    written = tags.get("Result", "")
    result = _RESULTS.get(written.replace(" ", ""), written)
    ending = _RESULTS.get(game.ending.split()[-1].decode(errors="replace") if game.ending else "", "")
    if result not in _UNDECIDED and result not in _RESULTS and not _WALKOVER.fullmatch(result):
        game.faults.append(f"the tag Result is {result!r}; write 1-0, 0-1, 1/2-1/2 or *")
        return result
    if ending in _UNDECIDED:
        return "*" if result in _UNDECIDED else result
    if result in _UNDECIDED:
        return ending
    if result != ending:
        game.faults.append(f"the tag Result is {result}, but the moves end with {ending}")
    return result
