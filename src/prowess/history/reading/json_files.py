"""Read JSON, an object per line or a list of objects: rows as in a CSV file, or matches with teams."""

import json
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

from ...errors import Error, Remark
from ..builders import from_matches
from ..history import History
from ..read_context import Findings, Located, Problem, Table
from ..read_limits import ReadLimits
from ..read_options import Choices
from .byte_source import Source, check_lines, unreadable


def read_json(source: Source, choices: Choices) -> Table | Findings:
    """Read a file of matches or of rows, depending on whether its first object has `teams`."""
    items = _Items(source, choices.read_limits)
    _, first = next(iter(items), (0, None))
    if first is None:
        return Findings(from_matches([], remarks=(Remark("empty-file", ("an empty file",)),)), source.title)
    is_match = isinstance(first, dict) and "teams" in first and choices.columns is None
    return _read_matches(items, choices) if is_match else _read_rows(items, choices)


class _Items:
    """The objects of a JSON file; iteration yields the line or item number, and the object or an `Error`."""

    def __init__(self, source: Source, limits: ReadLimits) -> None:
        self.source, self.limits = source, limits
        self.is_list = source.read(512).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"["
        self.unit = "item" if self.is_list else "line"
        if not self.is_list:
            check_lines(source, limits)

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        if self.is_list:
            try:
                items = json.loads(self.source.read().decode("utf-8-sig"))
            except (ValueError, RecursionError) as error:
                raise Error(f"{self.source}: invalid JSON: {error}") from None
            self.limits.check_table(self.source.title, len(items), 1)
            yield from enumerate(map(_object_or_error, items), 1)
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
        """Yield the objects; raises `Error` at the first item that is something else."""
        for number, item in self:
            if isinstance(item, Error):
                raise item.within(f"{self.source}, {self.unit} {number}: ", line=number)
            yield item

    @cached_property
    def _lines(self) -> list[int]:
        return [number for number, _ in self]

    def line(self, row: int) -> int:
        """Return the line of an object; the first call reads the file again."""
        return self._lines[row]


def _object_or_error(item: Any) -> Any:
    return item if isinstance(item, dict) else Error(f"a JSON object such as {{...}} is needed, not {item!r}")


def _read_matches(items: _Items, choices: Choices) -> Findings:
    """Build a history from all matches; if that fails, from the matches that are valid on their own."""

    def history(matches: Iterable[Any], line: Callable[[int], int]) -> History:
        return from_matches(
            matches,
            time_format=choices.time_format,
            utc=choices.utc,
            where=lambda match: f"{items.source}, {items.unit} {line(match)}",
            remarks=(Remark("json-matches", ("JSON with one match per object",)),),
        )

    try:
        return Findings(history(items.objects(), items.line), items.source.title)
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
    return Findings(history(good, lines.__getitem__), items.source.title, tuple(problems), rows=rows)


def _read_rows(items: _Items, choices: Choices) -> Table:
    import polars as pl

    source = items.source
    try:
        if items.is_list:
            frame = pl.DataFrame(list(items.objects()), infer_schema_length=None)
        else:
            frame = pl.read_ndjson(source.for_polars(), infer_schema_length=None)
    except UnicodeEncodeError as error:
        raise Error(f"{source}: a string contains a lone surrogate, which is not a valid character") from error
    # Older versions of Polars raise RuntimeError or TypeError.
    except (pl.exceptions.PolarsError, RuntimeError, TypeError) as error:
        for _ in items.objects():  # raises an Error that names the line, if one is invalid
            pass
        raise unreadable(source.title, error) from error
    return Table(frame, source.title, items.line, choices, unit=items.unit)
