"""Reading JSON lines: flat rows like those of a CSV file, or matches as `from_matches` takes them."""

import json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from ..errors import Error
from .choices import Choices
from .findings import Findings
from .lines import lines_of
from .matches import from_matches
from .table import Table

__all__ = ["read_json_lines"]


def read_json_lines(file: Path, choices: Choices) -> Table | Findings:
    """Read a file by what its first line holds: a match with `teams`, or a row."""
    first = next(_objects(file), None)
    if first is None:
        return Findings(from_matches([], recognised="an empty file"), str(file))
    if "teams" in first and choices.columns is None:
        history = from_matches(
            _objects(file),
            time_format=choices.time_format,
            utc=choices.utc,
            where=lambda match: f"{file}, line {_line_of(file, match)}",
            recognised="JSON lines, a match with its teams in each",
        )
        return Findings(history, str(file))
    return _flat(file, choices)


def _flat(file: Path, choices: Choices) -> Table:
    import polars as pl

    try:
        frame = pl.read_ndjson(BytesIO(b"".join(lines_of(file))), infer_schema_length=None)
    except (pl.exceptions.PolarsError, RuntimeError) as error:  # earlier versions of Polars raise the latter
        for _ in _objects(file):  # which names the line that is wrong
            pass
        raise Error(f"{file}: it could not be read: {error}") from error
    return Table(frame, str(file), lambda row: f"line {_line_of(file, row)}", choices)


def _numbered(file: Path) -> Iterator[tuple[int, bytes]]:
    """Give the lines that are not blank, with their numbers."""
    return ((number, line) for number, line in enumerate(lines_of(file), 1) if line.strip())


def _line_of(file: Path, row: int) -> int:
    return next(number for index, (number, _) in enumerate(_numbered(file)) if index == row)


def _objects(file: Path) -> Iterator[dict[str, Any]]:
    for number, line in _numbered(file):
        try:
            found = json.loads(line)
        except ValueError as error:
            raise Error(f"{file}, line {number}: it is no JSON: {error}") from None
        if not isinstance(found, dict):
            raise Error(f"{file}, line {number}: it must be a JSON object such as {{...}}, not {found!r}")
        yield found
