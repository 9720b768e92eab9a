"""Reading an uploaded file in a child process.

This module does not import the web framework, so that a child process starts sooner.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ...errors import Error
from ...history.read_context import Findings, Table
from ...history.read_options import Choices
from ...history.readers import from_table
from ...history.reading.byte_source import open_source
from ...history.reading.sniff import load_source
from ...store.write.importing import with_ids

MAX_PROBLEMS = 1_000
TITLE = "the file"  # shown in messages instead of the path of the temporary file
SAMPLE = 20  # rows in a preview


@dataclass(frozen=True)
class FilePreview:
    """The columns of a file with their first cells, and the result of reading it or the error that prevents it.

    `found` has at most `MAX_PROBLEMS` of the problems; `problem_count` counts all of them.

    >>> FilePreview({}, None, Error("the file is empty")).found is None
    True
    """

    columns: dict[str, list[str]]
    found: Findings | None
    problem: Error | None = None
    problem_count: int = 0


def read_upload(path: Path, choices: Choices, ids: bool = True) -> FilePreview:
    """Read a file as the command line does, and give its matches ids; the preview contains the error if this fails."""
    columns: dict[str, list[str]] = {}
    try:
        opened = load_source(open_source(path, TITLE, choices.read_limits), choices)
        if isinstance(opened, Table):
            for column in opened.frame.head(SAMPLE).iter_columns():
                columns[column.name] = ["" if cell is None else str(cell) for cell in column]
        found = from_table(opened) if isinstance(opened, Table) else opened
        history = with_ids(found.history) if ids else found.history
    except Error as error:
        return FilePreview(columns, None, error)
    # Return only what the service shows, because a file can have millions of problems.
    sent = replace(found, history=history, problems=found.problems[:MAX_PROBLEMS], decisions={})
    return FilePreview(columns, sent, problem_count=len(found.problems))
