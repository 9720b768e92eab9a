"""Read JSON: an object per line, a list of objects, or a document that another program has written.

The objects are rows as in a CSV file, or matches with teams.
"""

import json
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error, Remark
from ..builders import from_matches
from ..columns.roles.layout import NoLayout
from ..history import History
from ..lines import Lines
from ..read_context import Findings, Located, Problem, Table, list_names
from ..read_limits import ReadLimits
from ..read_options import Choices
from .byte_source import Source, check_lines, unreadable
from .delimited_text import LineIndex
from .formats.games import read_games
from .formats.plays import read_bg_stats
from .formats.tournaments import read_challonge, read_startgg, read_toornament
from .nested_json import DEEPEST, are_objects, is_nested, list_entries, tabulate

_LINES = (".jsonl", ".ndjson")  # suffixes of files with an object on each line
_EXPORT_KEYS = (b'"scores_csv"', b'"points_by_participant"', b'"slots"', b'"opponents"', b'"playerScores"')
_GAME_KEYS = (b'"createdAt"', b'"end_time"', b'"homeTeam"', b'"team1"', b'"Team1"')
_FIRST = 50  # objects that show whether objects are nested
_LONGEST_LINE = 1 << 20  # bytes; a file whose first line is longer is read as one document


def read_json(source: Source, choices: Choices) -> Table | Findings:
    """Read a JSON file: another program's export, matches (if the first object has `teams`), or rows of a table."""
    document = _document(source)
    if document is not None and any(key in source.read() for key in _EXPORT_KEYS):
        for read_export in (read_challonge, read_startgg, read_toornament, read_bg_stats):
            if (table := read_export(document, source.title, choices)) is not None:
                return table
    is_game = document is not None and any(key in source.read() for key in _GAME_KEYS)
    if is_game and (games := read_games([(1, document)], source.title, choices, "match")) is not None:
        return games
    items = _Items(source, choices.read_limits, document)
    _, first = next(iter(items), (0, None))
    if first is None:
        return Findings(from_matches([], remarks=(Remark("empty-file", ("an empty file",)),)), source.title)
    if document is None:
        lines = ((items.numbers[-1], item) for item in items.objects())
        if (table := read_games(lines, source.title, choices, items.unit)) is not None:
            return table
    is_match = isinstance(first, dict) and "teams" in first and choices.columns is None
    is_match = is_match and not is_nested([{"teams": first["teams"]}])
    return _read_matches(items, choices) if is_match else _read_rows(items, choices)


def _document(source: Source) -> Any:
    # The result is None if the file has an object on each line.
    head = source.read(_LONGEST_LINE).removeprefix(b"\xef\xbb\xbf").strip()
    first, _, more = head.partition(b"\n")
    is_list = head[:1] == b"["
    if not is_list and (source.suffix in _LINES or source.lines_before or (more and _is_json(first))):
        return None
    try:
        return json.loads(source.read().decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        if is_list:
            raise Error(f"{source}: invalid JSON: {error}") from None
        return None  # errors about single lines are more helpful


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


class _Items:
    """The objects of a JSON file; iteration yields the line or item number, and the object or an `Error`."""

    def __init__(self, source: Source, limits: ReadLimits, document: Any) -> None:
        self.source, self.limits = source, limits
        self.items = _list_of(document, source)
        self.is_list = self.items is not None
        self.unit = "item" if self.is_list else "line"
        self.numbers = array("q")  # the lines of `objects`
        if not self.is_list:
            check_lines(source, limits)

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        if self.items is not None:
            self.limits.check_table(self.source.title, len(self.items), 1)
            yield from enumerate(map(_object_or_error, self.items), 1)
            return
        with self.source.open() as stream:
            for number, line in enumerate(stream, self.source.lines_before + 1):
                if number > self.limits.rows:
                    self.limits.check_table(self.source.title, number, 1)
                if line.strip():
                    try:
                        yield number, _object_or_error(json.loads(line.decode("utf-8-sig")))
                    except (ValueError, RecursionError) as error:
                        yield number, Error(f"invalid JSON: {error}")

    def objects(self) -> Iterator[dict[str, Any]]:
        del self.numbers[:]
        for number, item in self:
            self.numbers.append(number)
            if isinstance(item, Error):
                raise item.within(f"{self.source}, {self.unit} {number}: ", line=number)
            yield item

    def lines(self, rows: int) -> NDArray[np.int64]:
        """Return the numbers of the lines or items that Polars reads as `rows` rows: it skips empty lines."""
        first = self.source.lines_before + 1
        if self.is_list or rows == LineIndex(self.source.array(), ord(",")).line_count:
            return np.arange(first, first + rows)
        with self.source.open() as stream:
            return np.array([number for number, line in enumerate(stream, first) if line.strip()], np.int64)


def _list_of(document: Any, source: Source) -> list[Any] | None:
    if document is None or isinstance(document, list):
        return document
    if isinstance(document, dict):
        lists = _find_lists(document)
        if len(lists) == 1 and "teams" not in document:
            return lists[0]
        if not lists and b"\n" not in source.read().strip():
            return None
        if not lists and not any(isinstance(value, dict) for value in document.values()):
            return [document]
        if not lists and len(document) > 1 and all(isinstance(value, dict) for value in document.values()):
            return _matches_by_name(document)
    keys = f", whose keys are {list_names(map(repr, document))}" if isinstance(document, dict) else ""
    raise Error(f"{source}: I can't find the matches in this JSON{keys}; make a list of matches, or save them as CSV")


def _find_lists(document: dict[str, Any], depth: int = 0) -> list[list[Any]]:
    """Return the lists of objects in a document, also if another object wraps them."""
    inner = [value for value in document.values() if isinstance(value, dict) and depth < DEEPEST]
    lists = [value for value in document.values() if are_objects(value)]
    return lists or [found for value in inner for found in _find_lists(value, depth + 1)]


def _matches_by_name(document: dict[str, Any]) -> list[Any]:
    """Return the matches of an object whose keys name them; a match may have a score for each player.

    >>> _matches_by_name({"a": {"ann": 3, "bob": 1}})
    [{'match_id': 'a', 'scores': {'ann': 3, 'bob': 1}}]
    """
    if all(isinstance(value, (int, float)) for match in document.values() for value in match.values()):
        return [{"match_id": name, "scores": match} for name, match in document.items()]
    return list_entries(document, "match_id")


def _object_or_error(item: Any) -> Any:
    return item if isinstance(item, dict) else Error(f"a JSON object such as {{...}} is needed, not {item!r}")


def _read_matches(items: _Items, choices: Choices) -> Findings:
    # If the matches as a whole are invalid, the matches that are valid on their own are used.
    def history(matches: Iterable[Any], numbers: Sequence[int]) -> History:
        return from_matches(
            matches,
            time_format=choices.time_format,
            utc=choices.utc,
            where=lambda match: f"{items.source}, {items.unit} {numbers[match]}",
            remarks=(Remark("json-matches", ("JSON with one match per object",)),),
            lines=lambda: Lines.of(items.source.title, items.unit, np.array(numbers, np.int64)),
        )

    try:
        return Findings(history(items.objects(), items.numbers), items.source.title)
    except Error as error:
        first_error = error
    lines, good, problems = [], [], []
    for row, (line, item) in enumerate(items):
        try:
            if isinstance(item, Error):
                raise item
            from_matches([item], time_format=choices.time_format, utc=choices.utc, where=lambda match: "")
        except Error as error:
            problems.append(Located(f"{items.unit} {line}", Problem(row, None, None, error.pieces), line))
        else:
            lines.append(line)
            good.append(item)
    if not problems:
        # The matches are incompatible: times of two kinds, or a repeated id.
        raise first_error.within("", line=None if first_error.match is None else lines[first_error.match])
    rows = len(good) + len(problems)
    return Findings(history(good, lines), items.source.title, tuple(problems), rows=rows)


def _read_rows(items: _Items, choices: Choices) -> Table:
    import polars as pl

    source = items.source
    try:
        if is_nested(item for _, item in islice(items, _FIRST) if isinstance(item, dict)):
            rows, columns = tabulate([(items.numbers[-1], item) for item in items.objects()], choices.columns)
            items.limits.check_table(source.title, len(rows), len(columns))
            lines = np.array(rows, np.int64)
            return Table(pl.DataFrame(columns), source.title, lines.__getitem__, choices, unit=items.unit)
        if items.is_list:
            frame = pl.DataFrame(list(items.objects()), infer_schema_length=None)
        else:
            frame = pl.read_ndjson(source.for_polars(), infer_schema_length=None)
    except NoLayout as error:
        raise error.within(f"{source}: ") from None
    except UnicodeEncodeError as error:
        raise Error(f"{source}: a string contains a lone surrogate, which is not a valid character") from error
    # Older versions of Polars raise RuntimeError or TypeError.
    except (pl.exceptions.PolarsError, RuntimeError, TypeError) as error:
        for _ in items.objects():  # if a line is invalid, this raises an Error that names it
            pass
        raise unreadable(source.title, error) from error
    return Table(frame, source.title, items.lines(len(frame)).__getitem__, choices, unit=items.unit)
