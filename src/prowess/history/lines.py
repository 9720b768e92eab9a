"""The lines of a text file, and where its records begin."""

import csv
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

from ..errors import Error

__all__ = ["broken_quote", "line_of", "lines_of", "records"]


def lines_of(file: Path) -> Iterator[bytes]:
    """Give the lines of a file, which may be compressed."""
    try:
        with gzip.open(file) if file.suffix.lower() == ".gz" else file.open("rb") as stream:
            yield from stream
    except (OSError, EOFError, zlib.error) as error:
        raise Error(f"{file}: it could not be read: {error}") from error


def records(file: Path, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Give the records of a text file, each with the number of the line on which it begins."""
    reader = csv.reader((line.decode() for line in lines_of(file)), delimiter=separator)
    line = 1
    try:
        for fields in reader:
            yield line, fields
            line = reader.line_num + 1
    except (csv.Error, UnicodeDecodeError) as error:
        raise Error(f"{file}, line {line}: {error}") from None


def broken_quote(file: Path, separator: str) -> int | None:
    """Give the line of the first record whose quotation marks do not fit together, None where all do."""
    reader = csv.reader((line.decode() for line in lines_of(file)), delimiter=separator, strict=True)
    line = 1
    try:
        for _ in reader:
            line = reader.line_num + 1
    except (csv.Error, UnicodeDecodeError):
        return line
    return None


def line_of(file: Path, separator: str, row: int) -> str:
    """Name the line of a row; a quoted cell may hold newlines, so the records before it are read again."""
    try:
        return next(f"line {line}" for number, (line, _) in enumerate(records(file, separator)) if number == row + 1)
    except (Error, StopIteration):  # the two readers do not agree about quotes
        return f"row {row + 1}"
