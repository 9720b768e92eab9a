"""Reading cells as rosters: several names in one cell, whatever separates them."""

import json
import re
from typing import TYPE_CHECKING

from ...errors import Option
from ..read_context import Table
from .text import check_names, text_of
from .words import ALSO_IN_NAMES, ROSTER_SEPARATORS

if TYPE_CHECKING:
    import polars as pl

_NEVER = "\x00"  # a separator that is in no text
_BRACKETS = r"(?s)^(?:\[(.*)\]|\{(.*)\}|\((.*)\))$"
_LAST = r",?\s+(?:and|und|et|y|e|и|&)\s+"  # between the last two of a list: "ann, bob and cat"
_SURE = "[" + re.escape("".join(ROSTER_SEPARATORS)) + "]"
_MAYBE = "|".join(map(re.escape, ALSO_IN_NAMES))
_WHOLE = (Option("rosters", ""), " keeps cells whole")
_WRITTEN = {"\\n": "\n", "\\t": "\t"}  # as one types them on a command line


def rosters(
    table: Table, columns: list[str], split: bool = True, sure: bool = False
) -> tuple[list["pl.Series"], str | None]:
    """Read cells as lists of names (null where a cell is empty), and say at what they were split.

    All columns are split at one separator, so that with "Smith & Sons; ann" an ampersand stays part of a name; without
    `split` a cell is one name. It is `sure` that a column of "players" holds rosters, not names with marks in them.
    What was taken is noted.

    >>> import polars as pl
    >>> cells = Table(pl.DataFrame({"team": ["ann, bob and cat", "dan, eve"]}), "cells")
    >>> rosters(cells, ["team"])[0][0].to_list(), str(cells.remarks[0])
    ([['ann', 'bob', 'cat'], ['dan', 'eve']], "rosters are split at ','; `rosters=''` keeps cells whole")
    """
    import polars as pl

    separator = None
    if all(table.frame[column].dtype == pl.List for column in columns):
        lists = [table.frame[column] for column in columns]
        for column, names in zip(columns, lists, strict=True):
            check_names(table, column, names.dtype.inner)  # type: ignore[attr-defined]
        lists = [names.cast(pl.List(pl.String)).list.eval(pl.element().fill_null("")) for names in lists]
        if split:
            lists = [names.list.eval(pl.element().str.strip_chars()) for names in lists]
    else:
        for column in columns:
            check_names(table, column, table.frame[column].dtype)
        texts = [text_of(table, column) for column in columns]
        decoded = _json(table, texts) if split else None
        if decoded is None:
            separator, texts = _separator(table, texts, sure) if split else (None, texts)
        lists = decoded or [_split(text, separator) for text in texts]
    for column, names in zip(columns, lists, strict=True):
        if (names.explode().str.strip_chars() == "").any():
            empty = names.list.eval(pl.element().str.strip_chars() == "").list.any()
            table.require(~empty.fill_null(False), column, "one of the names in this roster is empty")
    return lists, separator


def _json(table: Table, texts: list["pl.Series"]) -> list["pl.Series"] | None:
    """Read cells that are all lists as JSON writes them, such as ["ann", "bob"]; None if they are not."""
    import polars as pl

    starts = [text.drop_nulls().str.starts_with("[") for text in texts]
    if table.choices.rosters is not None or not any(map(len, starts)) or not all(names.all() for names in starts):
        return None
    try:
        lists = [text.str.json_decode(pl.List(pl.String)) for text in texts]
    except pl.exceptions.ComputeError:
        return None
    table.note("rosters", "rosters are lists in brackets; ", *_WHOLE)
    return [names.list.eval(pl.element().fill_null("").str.strip_chars()) for names in lists]


def _separator(table: Table, texts: list["pl.Series"], sure: bool) -> tuple[str | None, list["pl.Series"]]:
    """Find what separates the names of rosters, and give their cells without brackets around them."""
    import polars as pl

    chosen = table.choices.rosters
    if chosen == "":
        return None, texts
    cells = pl.concat(texts).drop_nulls()
    listed = not cells.is_empty() and 2 * int(cells.str.contains(_BRACKETS).sum()) >= len(cells)
    if listed:
        texts = [_unwrapped(text) for text in texts]
        cells = pl.concat(texts).drop_nulls()
    if chosen is not None:
        separator = _WRITTEN.get(chosen, chosen)
        return (f" {separator} " if separator.isalpha() else separator), texts
    mark, unused = _found(cells, sure or listed)
    mark = table.decide("separator of the rosters", lambda: mark)
    if mark == "," and _in_prose(cells, sure or listed):
        texts = [text.str.replace(_LAST, ",") for text in texts]
    if mark is not None or listed:
        what = f"rosters are split at {mark!r}" if mark is not None else "rosters are lists in brackets"
        table.note("rosters", f"{what}; ", *_WHOLE)
    elif unused is not None:
        cell = cells.filter(cells.str.contains(unused, literal=True))[0]
        split = Option("rosters", unused.strip() or unused)
        table.note("single-name", f"{cell!r} is one name; ", split, " makes a roster of it")
    return mark or ("," if listed else None), texts


def _found(cells: "pl.Series", sure: bool) -> tuple[str | None, str | None]:
    """Find a mark that no name has, or else one that at least half of the cells have; and one that too few have.

    So "Brighton & Hove Albion" among teams of one name stays whole, and "ann & bob" among pairs does not.
    """
    some = cells.filter(cells.str.contains(_SURE))
    marked = cells.filter(cells.str.contains(_MAYBE))
    others = int((~marked.str.contains(_SURE)).sum())
    if len(some) and not (2 * len(some) < others and others >= len(cells) / 2):  # few are slips of the pen
        return max(ROSTER_SEPARATORS, key=lambda mark: some.str.contains(mark, literal=True).sum()), None
    least = 1 if sure else max(1, len(cells) / 2)
    if _in_prose(marked, sure) and int(marked.str.contains(rf",|{_LAST}").sum()) >= least:
        return ",", None  # "ann, bob and cat", "ann and bob": the comma stands for both
    unused = None
    for mark in ALSO_IN_NAMES:
        count = int(marked.str.contains(mark, literal=True).sum())
        if count >= least:
            return mark, None
        unused = unused or (mark if count else None)
    return None, unused


def _in_prose(cells: "pl.Series", sure: bool) -> bool:
    """Tell whether cells are lists as people write them: "ann, bob and cat", or "ann, bob, cat" beside "dan & eve"."""
    joined = cells.filter(cells.str.contains(_LAST))
    beside = sure and int(cells.str.contains(",", literal=True).sum()) >= len(joined) > 0
    return beside or bool(joined.str.contains(rf",.*{_LAST}").any())


def _unwrapped(text: "pl.Series") -> "pl.Series":
    """Take the brackets off lists such as ["ann", "bob"] and {ann,bob}; an empty list is an empty cell."""
    import polars as pl

    frame = text.to_frame("text").select(
        pl.when(pl.col("text").str.contains(_BRACKETS))
        .then(pl.col("text").str.slice(1, pl.col("text").str.len_chars() - 2).str.strip_chars())
        .otherwise(pl.col("text"))
    )
    inner = frame.to_series()
    return inner.set((inner == "").fill_null(False), None)


def _split(text: "pl.Series", separator: str | None) -> "pl.Series":
    """Split cells at a separator, but not within quotes; one more at either end of a cell separates nothing."""
    import polars as pl

    if separator is None:
        return text.str.split(_NEVER)
    mark = separator.strip(" ") or separator
    if len(mark) == 1:
        text = text.str.strip_chars(f"{mark} ")
        end = re.escape(mark)
        some = text.filter(text.str.contains("[\"']"))
        quotes = [q for q in "\"'" if some.str.contains(rf"(?:^|{end})\s*{q}[^{q}]*{q}\s*(?:{end}|$)").any()]
        if quotes:
            return _quoted(text, end, quotes)
    lists = text.str.split(separator)
    blank = text.str.contains(rf"\s{re.escape(separator)}|{re.escape(separator)}\s").any()
    return lists.list.eval(pl.element().str.strip_chars()) if blank else lists


def _quoted(text: "pl.Series", end: str, quotes: list[str]) -> "pl.Series":
    """Split cells whose names may stand in quotes, and take these off; within them a backslash stands for a mark."""
    import polars as pl

    inside = [rf"\s*{quote}(?:[^{quote}\\]|\\.)*{quote}\s*" for quote in quotes]
    names = text.str.extract_all("|".join([*inside, f"[^{end}]+"])).list.eval(pl.element().str.strip_chars())
    quoted = [name for name in names.explode().drop_nulls().unique() if len(name) > 1 and name[0] in quotes]
    bare = [_bare(name) for name in quoted]
    return names.list.eval(pl.element().replace(quoted, bare))


def _bare(name: str) -> str:
    r"""Take the quotes off a name, and the backslashes out of it, as JSON writes them.

    >>> _bare('"Smith, J."'), _bare(r'"Jos\u00e9"'), _bare("'t Hooft")
    ('Smith, J.', 'José', "'t Hooft")
    """
    if name[-1] != name[0]:
        return name
    inside = name[1:-1].strip()
    try:
        return str(json.loads(f'"{inside}"')) if "\\" in inside else inside
    except ValueError:
        return inside
