"""Reading files by their ending, and finding the line on which a row stands when something is wrong with it."""

import io
import os
import re
from pathlib import Path

from ..errors import Error
from .choices import Choices
from .findings import Findings
from .frames import from_table
from .json_lines import read_json_lines
from .lines import broken_quote, line_of, lines_of, records
from .table import Table

__all__ = ["load", "read"]

_TEXT = (".csv", ".tsv", ".txt")
_JSON = (".jsonl", ".ndjson")
_SEPARATORS = ",;\t|"


def read(path: str | os.PathLike[str], choices: Choices) -> Findings:
    """Read a file; a problem names the file and the line."""
    found = load(path, choices)
    return from_table(found) if isinstance(found, Table) else found


def load(path: str | os.PathLike[str], choices: Choices) -> Table | Findings:
    """Give the table that a file holds, not yet recognised; or what is found in it where it holds matches, not rows."""
    if not isinstance(path, (str, os.PathLike)):
        raise Error(f"read needs the path of a file, not {type(path).__name__}; from_frame takes a frame")
    file = Path(path)
    ending = Path(file.name.lower().removesuffix(".gz")).suffix
    if ending not in (*_TEXT, *_JSON, ".parquet"):
        raise Error(f"{file}: a file must end in {' '.join((*_TEXT, *_JSON))} (or one of these and .gz) or .parquet")
    if not file.is_file():
        raise Error(f"{file}: there is no such file")
    if ending in _JSON:
        return read_json_lines(file, choices)
    return _read_parquet(file, choices) if ending == ".parquet" else _read_text(file, choices)


def _read_parquet(file: Path, choices: Choices) -> Table:
    import polars as pl

    try:
        frame = pl.read_parquet(file)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise Error(f"{file}: it is no Parquet file that Polars can read: {error}") from error
    return Table(frame, str(file), lambda row: f"row {row + 1}", choices)


def _read_text(file: Path, choices: Choices) -> Table:
    """Read every column as text, so that a number that is none can be shown as it was written."""
    import polars as pl

    separator = choices.separator or _sniff(next(lines_of(file), b""))
    source = io.BytesIO(b"".join(lines_of(file))) if file.suffix.lower() == ".gz" else file
    try:
        frame = pl.read_csv(source, separator=separator, infer_schema=False)
    except pl.exceptions.NoDataError:
        raise Error(f"{file}: it is empty: its first line must name the columns") from None
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _text_error(file, separator, error) from error
    blank = pl.all_horizontal(pl.all().is_null())
    rows = frame.select(blank.not_().arg_true()).to_series()
    if len(rows) < len(frame):
        frame = frame[rows]
    return Table(frame, str(file), lambda row: line_of(file, separator, int(rows[row])), choices)


def _sniff(header: bytes) -> str:
    """Guess the separator of a file from its first line: that which is there most often, outside of quotes."""
    bare = re.sub(rb'"[^"]*"', b"", header).decode(errors="replace")
    return max(_SEPARATORS, key=bare.count)


def _text_error(file: Path, separator: str, error: Exception) -> Error:
    """Find out where a text file is broken."""
    for number, line in enumerate(lines_of(file), 1):
        try:
            line.decode()
        except UnicodeDecodeError as wrong:
            return Error(f"{file}, line {number}: it is not UTF-8 text ({wrong.reason}): save the file as UTF-8")
    width = None
    for number, fields in records(file, separator):
        width = width or len(fields)
        if len(fields) > width:
            return Error(f"{file}, line {number}: it has {len(fields)} cells, and the header names {width} columns")
    if (broken := broken_quote(file, separator)) is not None:
        return Error(f"{file}, line {broken}: a quotation mark is opened and not closed, or text follows a closed one")
    return Error(f"{file}: it could not be read: {str(error).splitlines()[0]}")
