"""Reading JSON lines: flat rows like those of a CSV file, or matches as `from_matches` takes them."""

import json
from collections.abc import Iterator
from typing import Any

from ..errors import Error
from .choices import Choices
from .findings import Findings
from .matches import from_matches
from .source import Source
from .table import Table

__all__ = ["read_json_lines"]


def read_json_lines(source: Source, choices: Choices) -> Table | Findings:
    """Read a file by what its first line holds: a match with `teams`, or a row."""
    first = next(_objects(source), None)
    if first is None:
        return Findings(from_matches([], recognised="an empty file"), source.title)
    if "teams" in first and choices.columns is None:
        history = from_matches(
            _objects(source),
            time_format=choices.time_format,
            utc=choices.utc,
            where=lambda match: f"{source}, line {_line_of(source, match)}",
            recognised="JSON lines, a match with its teams in each",
        )
        return Findings(history, source.title)
    return _flat(source, choices)


def _flat(source: Source, choices: Choices) -> Table:
    import polars as pl

    try:
        frame = pl.read_ndjson(source.for_polars(), infer_schema_length=None)
    except (pl.exceptions.PolarsError, RuntimeError) as error:  # earlier versions of Polars raise the latter
        for _ in _objects(source):  # which names the line that is wrong
            pass
        raise Error(f"{source}: it could not be read: {error}") from error
    return Table(frame, source.title, lambda row: f"line {_line_of(source, row)}", choices)


def _numbered(source: Source) -> Iterator[tuple[int, bytes]]:
    """Give the lines that are not blank, with their numbers."""
    return ((number, line) for number, line in enumerate(source.lines(), 1) if line.strip())


def _line_of(source: Source, row: int) -> int:
    return next(number for index, (number, _) in enumerate(_numbered(source)) if index == row)


def _objects(source: Source) -> Iterator[dict[str, Any]]:
    for number, line in _numbered(source):
        try:
            found = json.loads(line)
        except ValueError as error:
            raise Error(f"{source}, line {number}: it is no JSON: {error}") from None
        if not isinstance(found, dict):
            raise Error(f"{source}, line {number}: it must be a JSON object such as {{...}}, not {found!r}")
        yield found
