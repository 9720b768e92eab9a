"""Files of matches that were sent here: what kind they are, what is in them, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from ...counts import count
from ...errors import Error
from ...history.choices import Choices
from ...history.findings import Findings, Located
from ...history.frames import from_table
from ...history.sources.files import load_source
from ...history.sources.source import open_source
from ...history.table import Table
from ...store.changes import Done
from ..problems import Problem

__all__ = ["KINDS", "Format", "Looked", "ending_of", "kind_of", "look", "plain", "refused", "told"]

Format = Literal["csv", "tsv", "txt", "ndjson", "jsonl", "parquet", "xlsx", "csv.gz", "tsv.gz", "ndjson.gz", "jsonl.gz"]
KINDS = {
    "text/csv": "csv",
    "text/tab-separated-values": "tsv",
    "text/plain": "txt",
    "application/x-ndjson": "ndjson",
    "application/ndjson": "ndjson",
    "application/jsonl": "ndjson",
    "application/vnd.apache.parquet": "parquet",
    "application/x-parquet": "parquet",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
}
NAMES: tuple[str, ...] = get_args(Format)
SHOWN = 1_000  # problems
TITLE = "the file"  # as messages call it: where it lay here is nobody's business
SAMPLE = 20  # rows of which the cells are kept to be shown


@dataclass(frozen=True)
class Looked:
    """What is in a file: its columns with their first cells, and what was found; or why nothing can be found.

    >>> Looked({}, None, "the file: it is empty").found is None
    True
    """

    columns: dict[str, list[str]]
    found: Findings | None
    problem: str = ""


def ending_of(filename: str) -> str | None:
    """The ending by which a file is known to be read, if it has one.

    >>> ending_of("Games.CSV.gz"), ending_of("games.exe")
    ('csv.gz', None)
    """
    return next((one for one in sorted(NAMES, key=len) if filename.lower().endswith(f".{one}")), None)


def kind_of(format: str | None, filename: str | None, media: str) -> str:
    """What kind of file it is, by what was said of it.

    >>> kind_of(None, None, "text/csv; charset=utf-8"), kind_of(None, "games.parquet", "")
    ('csv', 'parquet')
    """
    if format is not None:
        return format
    if filename is not None:
        found = ending_of(filename)
        if found is None:
            raise Error(f"filename: {filename!r} must end in {', '.join(f'.{one}' for one in NAMES)}")
        return found
    plain = media.partition(";")[0].strip().lower()
    if plain not in KINDS:
        raise Problem(415, f"say what the file is: by `?format=csv`, or by a Content-Type of {', '.join(KINDS)}")
    return KINDS[plain]


def look(path: Path, choices: Choices) -> Looked:
    """Look at a file, as the command line does."""
    columns: dict[str, list[str]] = {}
    try:
        opened = load_source(replace(open_source(path), title=TITLE), choices)
        if isinstance(opened, Table):
            head = opened.frame.head(SAMPLE)
            columns = {one.name: ["" if cell is None else str(cell) for cell in one] for one in head.iter_columns()}
        return Looked(columns, from_table(opened) if isinstance(opened, Table) else opened)
    except Error as error:
        return Looked(columns, None, str(error).replace(str(path), TITLE))


def refused(found: Findings) -> Problem:
    """The answer to a file that cannot be read as a whole."""
    first, rest = found.problems[0], len(found.problems) - 1
    more = f" (and {count(rest, 'more problem', 'more problems')})" if rest else ""
    errors = [{"field": one.where, "detail": str(one.problem)} for one in found.problems[:SHOWN]]
    return Problem(422, f"{first}{more}; `skip_problems=true` leaves out what cannot be read", errors=errors)


def told(one: Located) -> dict[str, str | None]:
    """A problem of a file as plain data."""
    value = one.problem.value
    written = None if value is None else str(value)
    return {"where": one.where, "column": one.problem.column, "value": written, "detail": one.problem.right}


def plain(done: Done, found: Findings) -> dict[str, Any]:
    """What was found in a file, and what came of it."""
    return {
        "league": done.league,
        "revision": done.revision,
        "matches": len(found.history),
        "repeated": sum(done.repeated),
        "players": len(done.players),
        "recognised": found.history.recognised.splitlines(),
        "columns": found.roles,
        "problems": [told(one) for one in found.problems[:SHOWN]],
    }
