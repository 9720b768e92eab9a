"""Reading files by what they hold; their ending counts where that leaves a choice."""

import os
import re

from ...errors import Error
from ..read_context import Findings, Table
from ..read_options import Choices
from .byte_source import Source, open_source
from .delimited_text import read_text
from .json_files import read_json
from .workbook import read_workbook

_JSON = (".jsonl", ".ndjson")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OTHERS = {
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"GIF8": "an image",
    b"%PDF": "a PDF document",
    b"SQLite format 3": "an SQLite database",
    b"7z\xbc\xaf": "a 7z archive",
    b"Rar!": "a RAR archive",
    b"\x28\xb5\x2f\xfd": "compressed by Zstandard",
    b"\x7fELF": "a program",
    b"MZ\x90\x00": "a program",
    b"{\\rtf": "a document",
}
_PAGE = re.compile(rb"\s*(<!doctype html|<html|<\?xml|<table|<head|<body|<meta)", re.IGNORECASE)


def load(path: str | os.PathLike[str], choices: Choices) -> Table | Findings:
    """Give the table that a file holds, not yet recognised; or what is found in it where it holds matches, not rows."""
    return load_source(open_source(path), choices)


def load_source(source: Source, choices: Choices) -> Table | Findings:
    """Give the table that some bytes hold, or what is found in them, like `load`."""
    head = source.head(512).removeprefix(b"\xef\xbb\xbf")
    if source.ending in _JSON or (source.ending in ("", ".json") and head.lstrip()[:1] in (b"{", b"[")):
        return read_json(source, choices)
    return _table(source, head, choices)


def _table(source: Source, head: bytes, choices: Choices) -> Table:
    if source.ending == ".parquet" or head.startswith(b"PAR1"):
        return _read_parquet(source, choices)
    if (source.ending == ".xlsx" and head.startswith(b"PK")) or head.startswith(_OLE):
        return read_workbook(source, choices)
    kind = next((kind for magic, kind in _OTHERS.items() if head.startswith(magic)), None)
    if kind is None and _PAGE.match(head):
        kind = "a web page (HTML or XML)"
    if kind is not None:
        raise Error(f"{source}: it is {kind}, not a table: save the table in it as CSV")
    return read_text(source, choices)


def _read_parquet(source: Source, choices: Choices) -> Table:
    import polars as pl

    try:
        frame = pl.read_parquet(source.for_polars(), glob=False)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise Error(f"{source}: it is no Parquet file that Polars can read: {error}") from error
    return Table(frame, source.title, choices=choices)
