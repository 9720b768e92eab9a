"""Choose the sheet of a workbook that holds the matches."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace

import numpy as np

from ...errors import Error, Option, Piece, Remark
from ..columns.roles.layout import Layout, NoLayout
from ..read_context import Findings, Table, list_names
from .chunks import RowQueue

_NOTHING, _ONE_MATCH, _MATCHES = range(3)  # a standings table may look like one match
SAMPLE = 100  # rows of a sheet that show whether it has matches


def choose_sheet(opened: Table, read: Callable[[Table], Findings]) -> Table:
    """Return the first sheet of a workbook, or another one if only that one has matches.

    Sheets with the same columns, such as those of several weeks, are one table. `read` reads the matches of a table.
    Files other than workbooks are returned as they are. Raises `Error` if the first sheet has no matches and several
    others, which do not belong together, have some.
    """
    if opened.open_sheet is None:
        return opened
    first, *others = opened.sheets
    rank, layout = _rank_sheet(opened, read) if opened.frame.width else (_NOTHING, None)
    if rank is None:
        return opened
    tables: dict[str, Table] = {}
    for name in others:
        with suppress(Error):  # an empty sheet
            tables[name] = opened.open_sheet(name)
    ranked = {} if rank == _MATCHES else {name: _rank_sheet(table, read) for name, table in tables.items()}
    ranks = {name: each or _NOTHING for name, (each, _) in ranked.items()}
    readable = [name for name in ranks if rank < ranks[name] == max(ranks.values())]
    alike = {first: opened, **tables} if rank else {name: tables[name] for name in readable}
    layout = layout or (ranked[readable[0]][1] if readable else None)
    joined = None if layout is None else _join(alike, layout, read)
    if joined is not None and (rank or joined.remarks[0].count == len(readable)):
        return replace(joined, sheets=opened.sheets)
    if rank == _MATCHES:
        return opened
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


def _join(tables: Mapping[str, Table], layout: Layout, read: Callable[[Table], Findings]) -> Table | None:
    """Return the rows of all sheets with matches in the same columns as the first one; None if there is only one.

    If the first sheet is one match, so is each sheet; else the name of the sheet is context.
    """
    import polars as pl

    columns = next(iter(tables.values())).frame.columns
    if not {part for column in layout.roles.values() for part in column.split("+")} <= set(columns):
        return None  # a grid, which is complete on its sheet
    alike: dict[str, Table] = {}
    seen = set[tuple[object, ...]]()
    for name, table in tables.items():
        if table.frame.columns == columns and (not alike or _rank_sheet(table, read)[0] != _NOTHING):
            rows = {*table.frame.rows()}
            if 2 * len(rows & seen) < len(rows):  # else it is a copy
                alike[name] = table
                seen |= rows
    if len(alike) < 2:
        return None
    sheet = "Sheet" if "Session" in columns else "Session"
    queue = RowQueue()
    for name, table in alike.items():
        queue.add(replace(table, frame=table.frame.with_columns(pl.lit(name).alias(sheet))))
    joined = queue.take(len(queue))
    only = "only " * (len(alike) < len(tables))
    text = f"{only}the sheets {list_names(map(repr, alike))}, which have the same columns, are read as one table; use "
    remark = Remark("sheets", (text, Option("sheet", next(iter(alike))), " to read one sheet"), count=len(alike))
    remarks = [remark, *(each for each in joined.remarks if each.code != "sheet")]
    return replace(joined, remarks=remarks, reserved=dict.fromkeys([sheet] if layout.sides else [], True))


def _rank_sheet(table: Table, read: Callable[[Table], Findings]) -> tuple[int | None, Layout | None]:
    """Return what the first rows hold, and their layout.

    The rank is None if the rows have only problems, which the user should see.
    """
    sample = table.without(np.arange(SAMPLE, len(table.frame)))
    try:
        findings = read(replace(sample, choices=replace(table.choices, context=())))
    except NoLayout:
        return _NOTHING, None
    except Error:
        return None, None
    if not len(findings.history):
        return (None if findings.problems else _NOTHING), None
    is_one = any(remark.code == "one-match" for remark in findings.history.remarks)
    return (_ONE_MATCH if is_one else _MATCHES), findings.layout
