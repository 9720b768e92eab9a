"""Choose the sheet of a workbook that holds the matches."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..errors import Error, Option, Piece, Remark
from .columns.layout import NoLayout
from .read_context import Findings, Table

_NOTHING, _ONE_MATCH, _MATCHES = range(3)  # a standings table may look like one match
SAMPLE = 100  # rows of a sheet that show whether it has matches


def choose_sheet(opened: Table, read: Callable[[Table], Findings]) -> Table:
    """Return the first sheet of a workbook, or another one if only that one has matches.

    `read` reads the matches of a table. Files other than workbooks are returned as they are. Raises `Error` if the
    first sheet has no matches and several others have some.
    """
    if opened.open_sheet is None:
        return opened
    first, *others = opened.sheets
    rank = _rank_sheet(opened, read) if opened.frame.width else _NOTHING
    if rank is None or rank == _MATCHES:
        return opened
    tables = {name: table for name in others if (table := _open(opened, name)) is not None}
    ranks = {name: _rank_sheet(table, read) or _NOTHING for name, table in tables.items()}
    readable = [name for name in tables if rank < ranks[name] == max(ranks.values())]
    if readable and (rank or len(readable) > 1):
        found = "has a single match" if rank else "has no matches"
        pieces: list[Piece] = [f"{opened.title}: sheet {first!r} {found}, but other sheets have matches; use "]
        for name in [first, *readable] if rank else readable:
            pieces += [Option("sheet", name), " or "]
        raise Error(*pieces[:-1], field="sheet")
    if not readable:
        # If the first sheet is empty, this raises the error that says so.
        return opened if opened.frame.width else opened.open_sheet(first)
    name = readable[0]
    text = f"only sheet {name!r} is read, because the other sheets have no matches; use "
    remark = Remark("sheet", (text, Option("sheet", name), " to read it without trying the others"), count=len(others))
    table = tables[name]
    choices = replace(table.choices, sheet=name)
    return replace(table, remarks=[remark, *table.remarks], sheets=opened.sheets, choices=choices)


def _open(opened: Table, name: str) -> Table | None:
    try:
        return opened.open_sheet(name) if opened.open_sheet is not None else None
    except Error:
        return None  # an empty sheet


def _rank_sheet(table: Table, read: Callable[[Table], Findings]) -> int | None:
    """Return what the first rows hold; None if they have only problems, which the user should see."""
    sample = table.without(np.arange(SAMPLE, len(table.frame)))
    try:
        findings = read(replace(sample, choices=replace(table.choices, context=())))
    except NoLayout:
        return _NOTHING
    except Error:
        return None
    if not len(findings.history):
        return None if findings.problems else _NOTHING
    return _ONE_MATCH if any(remark.code == "one-match" for remark in findings.history.remarks) else _MATCHES
