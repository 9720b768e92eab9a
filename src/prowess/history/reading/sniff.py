"""Choose the reader for a file by its content; if the content is ambiguous, the file's suffix decides."""

import os
import re
from typing import TYPE_CHECKING, Any

from ...errors import Error
from ...plugins import find_plugins, load_plugin
from ..read_context import Findings, Table
from ..read_limits import ReadLimits
from ..read_options import Choices
from .byte_source import Source, check_lines, open_source, unreadable
from .delimited_text import read_text
from .formats.pgn import is_pgn, read_pgn
from .formats.plays import is_bgg, read_bgg
from .formats.trf import is_trf, read_trf
from .garbled import mend_text
from .json_files import read_json
from .workbook import read_workbook

if TYPE_CHECKING:
    import polars as pl

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # workbooks from before Excel 2007
_OTHER_FORMATS = {
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"GIF8": "an image",
    b"%PDF": "a PDF document",
    b"SQLite format 3": "an SQLite database",
    b"7z\xbc\xaf": "a 7z archive",
    b"Rar!": "a RAR archive",
    b"\x28\xb5\x2f\xfd": "a Zstandard archive",
    b"\x7fELF": "a program",
    b"MZ\x90\x00": "a program",
    b"{\\rtf": "a document",
}
FORMATS = "prowess.formats"  # entry points of packages that read files with other suffixes
SUFFIXES = frozenset(
    ("", ".csv", ".tsv", ".tab", ".txt", ".json", ".jsonl", ".ndjson", ".parquet", ".pgn", ".trf", ".xls", ".xlsx")
)
HEAD = 1 << 14  # bytes in which the first player of a tournament report is searched
_MARKUP = re.compile(rb"\s*(<!doctype html|<html|<\?xml|<table|<head|<body|<meta)", re.IGNORECASE)


def load(path: str | os.PathLike[str], choices: Choices) -> Table | Findings:
    """Read a file as a table whose columns are not yet recognised; a JSON file of matches gives `Findings` at once."""
    return load_source(open_source(path, limits=choices.read_limits), choices)


def load_source(source: Source, choices: Choices) -> Table | Findings:
    """Read a source as a table, or as `Findings` if it is a JSON file of matches; see `load`."""
    content = _load(source, choices)
    if isinstance(content, Table):
        choices.read_limits.check_table(source.title, *content.frame.shape)
        content = mend_text(content)
    return content


def _load(source: Source, choices: Choices) -> Table | Findings:
    if source.suffix not in SUFFIXES and source.suffix[1:] in find_plugins(FORMATS):
        return _read_by_plugin(source, choices)
    head = source.read(512).removeprefix(b"\xef\xbb\xbf")
    if is_pgn(source.suffix, head):
        return read_pgn(source, choices)
    if is_json(source.suffix, head):
        return read_json(source, choices)
    if is_trf(head) or (head[:1] in b"01X#" and is_trf(source.read(HEAD))):
        return read_trf(source, choices)
    if source.suffix == ".parquet" or head.startswith(b"PAR1"):
        import polars as pl

        try:
            scan = pl.scan_parquet(source.for_polars(), glob=False)
            check_parquet(scan, source.title, source.size, choices.read_limits)
            return Table(scan.collect(), source.title, choices=choices)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise unreadable(source.title, error) from error
    if (source.suffix == ".xlsx" and head.startswith(b"PK")) or head.startswith(_OLE):
        return read_workbook(source, choices)
    if is_bgg(head):
        return read_bgg(source, choices)
    markup = "a web page (HTML or XML)" if _MARKUP.match(head) else None
    if kind := next((kind for magic, kind in _OTHER_FORMATS.items() if head.startswith(magic)), markup):
        remedy = "unpack it first" if kind.endswith("archive") else "save the table as CSV"
        raise Error(f"{source}: this is {kind}, not a table; {remedy}")
    check_lines(source, choices.read_limits)
    return read_text(source, choices)


def _read_by_plugin(source: Source, choices: Choices) -> Table:
    import polars as pl

    reader: Any = load_plugin(FORMATS, source.suffix[1:])
    try:
        frame = pl.DataFrame(reader(source.read()))
    except Error as error:
        raise error.within(f"{source}: ") from None
    except Exception as error:
        name = find_plugins(FORMATS)[source.suffix[1:]].value
        raise Error(f"{source}: {name} cannot read this file: {type(error).__name__}: {error}") from error
    return Table(frame, source.title, choices=choices)


def check_parquet(scan: "pl.LazyFrame", title: str, size: int, limits: ReadLimits) -> int:
    """Return the number of rows of a Parquet file, from its metadata; raises `LimitExceeded` if it is too large."""
    import polars as pl

    rows = int(scan.select(pl.len()).collect().item())
    limits.check_packed_table(title, rows, len(scan.collect_schema()), size)
    return rows


def is_json(suffix: str, head: bytes) -> bool:
    """Return whether a file with this suffix and beginning is read as JSON."""
    return suffix in (".jsonl", ".ndjson") or (suffix in ("", ".json") and head.lstrip()[:1] in (b"{", b"["))
