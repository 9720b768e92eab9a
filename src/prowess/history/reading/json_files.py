"""Reading JSON, an object a line or a list of them: flat rows like those of a CSV file, or matches with their teams."""

import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from ...errors import Error, Remark
from ..builders import from_matches
from ..history import History
from ..read_context import Findings, Located, Problem, Table
from ..read_options import Choices
from .byte_source import Source

Item = tuple[int, Any]  # the number of its line or item, and what it is: an object, or an Error


def read_json(source: Source, choices: Choices) -> Table | Findings:
    """Read a file by what its first object is: a match with `teams`, or a row."""
    first = next(_items(source), None)
    if first is None:
        return Findings(from_matches([], remarks=(Remark("empty-file", ("an empty file",)),)), source.title)
    if isinstance(first[1], dict) and "teams" in first[1] and choices.columns is None:
        return _matches(source, choices)
    return _rows(source, choices)


def _matches(source: Source, choices: Choices) -> Findings:
    """Make a history of all matches; where that fails, of those that can be used alone."""

    unit = _unit(source)

    def history(matches: Iterator[Any] | list[Any], line: Callable[[int], int]) -> History:
        return from_matches(
            matches,
            time_format=choices.time_format,
            utc=choices.utc,
            where=lambda match: f"{source}, {unit} {line(match)}",
            remarks=(Remark("json-matches", ("JSON, a match with its teams in each object",)),),
        )

    try:
        return Findings(history(_objects(source), _lines(source)), source.title)
    except Error as error:
        wrong = error
    lines, good, problems = [], [], []
    for row, (line, item) in enumerate(_items(source)):
        try:
            if isinstance(item, Error):
                raise item
            from_matches([item], time_format=choices.time_format, utc=choices.utc, where=lambda match: "")
        except Error as error:
            problems.append(Located(f"{unit} {line}", Problem(row, None, None, error.pieces), line))
        else:
            lines.append(line)
            good.append(item)
    if not problems:
        # the matches do not go together: times of two kinds, an id that comes twice
        raise wrong.within("", line=None if wrong.match is None else lines[wrong.match])
    return Findings(history(good, lines.__getitem__), source.title, tuple(problems))


def _rows(source: Source, choices: Choices) -> Table:
    import polars as pl

    try:
        if _is_list(source):
            frame = pl.DataFrame(list(_objects(source)), infer_schema_length=None)
        else:
            frame = pl.read_ndjson(source.for_polars(), infer_schema_length=None)
    except UnicodeEncodeError as error:
        raise Error(f"{source}: a text holds half of a surrogate pair, which is no letter") from error
    except (pl.exceptions.PolarsError, RuntimeError, TypeError) as error:  # older versions of Polars raise the latter
        for _ in _objects(source):  # which names the one that is wrong
            pass
        raise Error(f"{source}: it could not be read: {error}") from error
    return Table(frame, source.title, _lines(source), choices, unit=_unit(source))


def _is_list(source: Source) -> bool:
    return source.head(512).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"["


def _unit(source: Source) -> str:
    return "item" if _is_list(source) else "line"


def _items(source: Source) -> Iterator[Item]:
    """Give what a file holds, one after another, each with its place: an object, or an Error."""
    if _is_list(source):
        try:
            listed = json.loads(b"".join(source.lines()).decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise Error(f"{source}: it is no JSON: {error}") from None
        for number, item in enumerate(listed, 1):
            yield number, _checked(item)
        return
    for number, line in enumerate(source.lines(), source.lines_before + 1):
        if line.strip():
            try:
                yield number, _checked(json.loads(line.decode("utf-8-sig")))
            except (ValueError, RecursionError) as error:
                yield number, Error(f"it is no JSON: {error}")


def _checked(item: Any) -> Any:
    return item if isinstance(item, dict) else Error(f"it must be a JSON object such as {{...}}, not {item!r}")


def _objects(source: Source) -> Iterator[dict[str, Any]]:
    for line, item in _items(source):
        if isinstance(item, Error):
            raise item.within(f"{source}, {_unit(source)} {line}: ", line=line)
        yield item


def _lines(source: Source) -> Callable[[int], int]:
    """Return what tells on which line an object stands; the file is read again when that is first asked for."""

    @cache
    def lines() -> list[int]:
        return [line for line, _ in _items(source)]

    return lambda row: lines()[row]
