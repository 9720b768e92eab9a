"""Writing data frames to CSV, Parquet or JSON files."""

from __future__ import annotations

import json
import re
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .atomic_files import file_extension, replace_file
from .errors import Error

if TYPE_CHECKING:
    import polars as pl

FORMATS = (".csv", ".parquet", ".json")
# Text that Excel, LibreOffice or Google Sheets may run as a formula: https://owasp.org/www-community/attacks/CSV_Injection.
# In locales with a decimal comma, spreadsheets split lines at semicolons, so a cell may also start after a semicolon.
_FORMULA = r"('*[=+\-@\t\r\n＝＋－＠])"
_CELL = "(^|; *)"


def join_lists(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame with the items of each list joined by semicolons.

    >>> import polars as pl
    >>> join_lists(pl.DataFrame({"player": ["ann"], "teams": [[["a", "b"], ["c"]]]})).row(0)
    ('ann', 'a; b; c')
    """
    import polars as pl

    lists = [column for column in frame if column.dtype == pl.List]
    return frame.with_columns(pl.Series(column.name, map(_join, column.to_list()), pl.String) for column in lists)


def _join(cell: Any) -> Any:
    if isinstance(cell, list):
        return "; ".join(str(_join(item)) for item in cell)
    return cell


def csv_cells(frame: pl.DataFrame, raw_names: bool = False) -> pl.DataFrame:
    """Return the frame with cells that CSV can hold: lists are joined into text.

    Text that a spreadsheet would run as a formula gets an apostrophe in front. With `raw_names`, formulas are written
    unchanged, but a formula that already has an apostrophe gets a second one, because the reader removes one. Numbers
    never get an apostrophe.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"player": ["=1+1"], "teams": [[["ann", "-bob"], ["Jo-Ann"]]], "scores": [[-1, 2]]})
    >>> csv_cells(frame).row(0)
    ("'=1+1", "ann; '-bob; Jo-Ann", '-1; 2')
    """
    import polars as pl

    texts = [name for name, dtype in frame.schema.items() if _is_text(dtype)]
    escaped, more = (f"{_CELL}'{_FORMULA}", "''") if raw_names else (_CELL + _FORMULA, "'")
    return join_lists(frame).with_columns(pl.col(texts).str.replace_all(escaped, f"${{1}}{more}${{2}}"))


def _is_text(dtype: Any) -> bool:
    import polars as pl

    return _is_text(dtype.inner) if dtype == pl.List else bool(dtype == pl.String)


def escape_formula(text: str) -> str:
    """Return a text with an apostrophe before each part that a spreadsheet would run as a formula.

    >>> escape_formula("=1+1"), escape_formula("a; -b"), unescape_formula(escape_formula("'@x"))
    ("'=1+1", "a; '-b", "'@x")
    """
    return re.sub(_CELL + _FORMULA, r"\1'\2", text)


def unescape_formula(text: str) -> str:
    """Return a text without the apostrophes that `escape_formula` adds."""
    return re.sub(f"{_CELL}'{_FORMULA}", r"\1\2", text)


def unescape_formulas(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame without the apostrophes that `csv_cells` adds.

    >>> import polars as pl
    >>> unescape_formulas(pl.DataFrame({"player": ["'=1+1", "O'Neill"], "team": ["ann;'@bob", "''-x"]})).rows()
    [('=1+1', 'ann;@bob'), ("O'Neill", "'-x")]
    """
    import polars as pl

    # Few files have apostrophes at all, and searching for one is ten times as fast as replacing the pattern.
    escaped = [column.name for column in frame if column.dtype == pl.String and _has_apostrophe(column)]
    return frame.with_columns(pl.col(escaped).str.replace_all(f"{_CELL}'{_FORMULA}", "${1}${2}"))


def _has_apostrophe(column: pl.Series) -> bool:
    return bool(column.str.contains("'", literal=True).any())


def json_text(value: Any, ascii_only: bool = False) -> str:
    """Return JSON with one line per item of a list; NaN and infinities become null, times become ISO 8601 text.

    >>> print(json_text([{"win": float("nan")}, {"player": "ann"}]))
    [
    {"win": null},
    {"player": "ann"}
    ]
    """
    if not isinstance(value, list):
        return json.dumps(json_types(value), ensure_ascii=ascii_only, allow_nan=False)
    return "[\n" + ",\n".join(json_text(json_types(item), ascii_only) for item in value) + "\n]" if value else "[]"


def json_types(value: Any) -> Any:
    """Convert nested data to the types of JSON; NaN and infinities become None, and other types become text.

    >>> json_types({"when": np.datetime64("2026-01-31").item(), "holds": np.True_, "win": (np.nan, 0.5)})
    {'when': '2026-01-31', 'holds': True, 'win': [None, 0.5]}
    """
    if isinstance(value, np.generic):  # such as numpy.bool, which `json` cannot encode
        value = value.item()
    if isinstance(value, dict):
        return {str(key): json_types(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_types(item) for item in value]
    if isinstance(value, float):
        return value if isfinite(value) else None
    if value is None or isinstance(value, (bool, int, str)):
        return value
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def write_frame(frame: pl.DataFrame, path: Path) -> None:
    """Write a frame to a file atomically; the file's extension decides the format."""
    import polars as pl

    extension = file_extension(path, FORMATS)
    with replace_file(path) as temporary:
        try:
            if extension == ".csv":
                csv_cells(frame).write_csv(temporary)
            elif extension == ".parquet":
                frame.write_parquet(temporary)
            else:
                temporary.write_text(json_text(frame.to_dicts()) + "\n", encoding="utf-8")
        except pl.exceptions.PolarsError as error:
            raise Error(f"{path}: cannot be written: {error}") from error
