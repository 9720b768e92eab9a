"""Reading JSON, an object a line or a list of them: flat rows like those of a CSV file, or matches with their teams."""

import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from ...errors import Error
from ..builders import from_matches
from ..problems import Problem
from ..read_context import Table
from ..read_options import Choices
from ..read_result import Findings, Located
from .byte_source import Source

__all__ = ["read_json"]

Item = tuple[str, Any]  # where it stands, and what it is: an object, or an Error


def read_json(source: Source, choices: Choices) -> Table | Findings:
    """Read a file by what its first object is: a match with `teams`, or a row."""
    first = next(_items(source), None)
    if first is None:
        return Findings(from_matches([], recognised="an empty file"), source.title)
    if isinstance(first[1], dict) and "teams" in first[1] and choices.columns is None:
        return _matches(source, choices)
    return _rows(source, choices)


def _matches(source: Source, choices: Choices) -> Findings:
    """Make a history of all matches; where that fails, of those that can be used alone."""

    def history(matches: Iterator[Any] | list[Any], name: Callable[[int], str]) -> Any:
        return from_matches(
            matches,
            time_format=choices.time_format,
            utc=choices.utc,
            where=lambda match: f"{source}, {name(match)}",
            recognised="JSON, a match with its teams in each object",
        )

    try:
        return Findings(history(_objects(source), _names(source)), source.title)
    except Error as error:
        wrong = error
    names, good, problems = [], [], []
    for row, (name, item) in enumerate(_items(source)):
        try:
            if isinstance(item, Error):
                raise item
            from_matches([item], time_format=choices.time_format, utc=choices.utc, where=lambda match: "")
        except Error as error:
            problems.append(Located(name, Problem(row, None, None, str(error).removeprefix(": "))))
        else:
            names.append(name)
            good.append(item)
    if not problems:
        raise wrong  # the matches do not go together: times of two kinds, an id that comes twice
    return Findings(history(good, names.__getitem__), source.title, tuple(problems))


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
    return Table(frame, source.title, _names(source), choices)


def _is_list(source: Source) -> bool:
    return source.head(512).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"["


def _items(source: Source) -> Iterator[Item]:
    """Give what a file holds, one after another, each with its place: an object, or an Error."""
    if _is_list(source):
        try:
            listed = json.loads(b"".join(source.lines()).decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise Error(f"{source}: it is no JSON: {error}") from None
        for number, item in enumerate(listed, 1):
            yield f"item {number}", _checked(item)
        return
    for number, line in enumerate(source.lines(), 1):
        if line.strip():
            try:
                yield f"line {number}", _checked(json.loads(line.decode("utf-8-sig")))
            except (ValueError, RecursionError) as error:
                yield f"line {number}", Error(f"it is no JSON: {error}")


def _checked(item: Any) -> Any:
    return item if isinstance(item, dict) else Error(f"it must be a JSON object such as {{...}}, not {item!r}")


def _objects(source: Source) -> Iterator[dict[str, Any]]:
    for name, item in _items(source):
        if isinstance(item, Error):
            raise Error(f"{source}, {name}: {item}")
        yield item


def _names(source: Source) -> Callable[[int], str]:
    """Give what tells where an object stands; the file is read again when it is first asked for, and only then."""

    @cache
    def names() -> list[str]:
        return [name for name, _ in _items(source)]

    return lambda row: names()[row]
