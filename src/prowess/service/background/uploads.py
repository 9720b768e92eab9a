"""Reading an uploaded file in a child process.

This module does not import the web framework, so that a child process starts sooner.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ...errors import Error
from ...history.read_context import Findings, Table
from ...history.read_options import Choices
from ...history.readers import from_table, with_matches
from ...history.reading.byte_source import open_source
from ...history.reading.questions import Question, open_questions
from ...history.reading.sniff import load_source
from ...store.choices import Chosen
from ...store.write.importing import with_ids

MAX_PROBLEMS = 1_000
TITLE = "the file"  # shown in messages instead of the path of the temporary file
SAMPLE = 20  # rows in a preview


@dataclass(frozen=True)
class FilePreview:
    """The columns of a file with their first cells, and either the result of reading the file or an error.

    `found` has at most `MAX_PROBLEMS` problems; `problem_count` is the number of all problems, and `unusable_rows` the
    number of rows with a problem. `questions` are the open questions about the columns and cells of the file. `is_text`
    is true for a text file with separators, such as CSV. `chosen` is the model that was chosen for the matches.

    >>> FilePreview({}, None, Error("the file is empty")).found is None
    True
    """

    columns: dict[str, list[str]]
    found: Findings | None
    problem: Error | None = None
    problem_count: int = 0
    unusable_rows: int = 0
    questions: tuple[Question, ...] = ()
    is_text: bool = False
    chosen: Chosen | None = None


def read_upload(path: Path, choices: Choices, ids: bool = True, ask: bool = False, choose: float = 0.0) -> FilePreview:
    """Read a file as the command line does. If reading fails, the preview has the error.

    If `ids` is true, every match gets an id. If `ask` is true, the preview includes the open questions about the file.
    If `choose` is not 0, the preview also includes a model chosen for the matches, in at most `choose` seconds.
    """
    preview = _read(path, choices, ids, ask)
    if not choose or preview.found is None:
        return preview
    from .model_choice import choose_for_import  # imported here, because few files need it

    return replace(preview, chosen=choose_for_import(preview.found.history, choose))


def _read(path: Path, choices: Choices, ids: bool, ask: bool) -> FilePreview:
    try:
        opened = load_source(open_source(path, TITLE, choices.read_limits), choices)
    except Error as error:
        return FilePreview({}, None, error)
    if not isinstance(opened, Table):
        return _preview(opened, ids)
    found = None
    try:
        opened = with_matches(opened)
        found = from_table(opened)
        preview = _preview(found, ids)
    except Error as error:
        preview = FilePreview({}, None, error)
    columns = {
        column.name: ["" if cell is None else str(cell) for cell in column]
        for column in opened.frame.head(SAMPLE).iter_columns()
    }
    questions = open_questions(opened, found) if ask else ()
    return replace(preview, columns=columns, questions=questions, is_text=opened.unit == "line")


def _preview(found: Findings, ids: bool) -> FilePreview:
    # Return only what the service shows, because a file can have millions of problems.
    history = with_ids(found.history) if ids else found.history
    sent = replace(found, history=history, problems=found.problems[:MAX_PROBLEMS], decisions={})
    return FilePreview({}, sent, problem_count=len(found.problems), unusable_rows=found.unusable_rows())
