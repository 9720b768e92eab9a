"""Read cells as rosters: several names in one cell, with any separator."""

import json
import re
from typing import TYPE_CHECKING

from ...errors import Option
from ..read_context import Table
from .comma_names import are_surnames_first
from .text import check_names, text_of, without_invisible
from .words import ALSO_IN_NAMES, ROSTER_SEPARATORS

if TYPE_CHECKING:
    import polars as pl

_NEVER = "\x00"  # a character that never occurs in text
_BRACKETS = r"(?s)^(?:\[(.*)\]|\{(.*)\}|\((.*)\)|<(.*)>)$"
SAMPLE = 1000  # cells, evenly spaced, that show whether rosters may be lists in brackets
_END_OF_LIST = r"[\])}>]$"
_CALL = r"(?s)^(?:frozenset|set|array|list)\((.*?)(?:, dtype=\w+)?\)$"  # as Python writes some lists
_QUOTED = r"""(?s)^\s*["'].*["']\s*$"""
_BETWEEN_QUOTES = r"""(["'])(?:\s*[,;|]\s*|\s+)(["'])"""  # lists of NumPy have blanks between the names
_NO_NAME = r",\s*(?:None|nan|null)\b|\b(?:None|nan|null)\s*,\s*"
_LAST = r",?\s+(?:and|und|et|y|e|и|&)\s+"  # between the last two names of a list: "ann, bob and cat"
_SURE = "[" + re.escape("".join(ROSTER_SEPARATORS)) + "]"
_MAYBE = "|".join(map(re.escape, ALSO_IN_NAMES))
_WHOLE = ("use ", Option("rosters", ""), " to read each cell as one name")
_OBJECTS = r"^\[\s*\{"
_NAME = r"""(?i)["'](?:(?:player|display|user|nick)?_?name|player)["']\s*:\s*(?:"([^"]*)"|'([^']*)')"""
_ESCAPES = {"\\n": "\n", "\\t": "\t"}  # as typed on a command line


def rosters(
    table: Table, columns: list[str], split: bool = True, sure: bool = False
) -> tuple[list["pl.Series"], str | None]:
    """Read cells as lists of names, null for empty cells; return the lists of each column, and the separator.

    All columns are split at the same separator, so that in "Smith & Sons; ann" the ampersand stays part of a name.
    Without `split`, a cell is one name. Set `sure` if the columns certainly hold rosters, as a column called "players"
    does. If `sure` is false, a character such as "&" may be part of a name. A remark reports the separator.

    >>> import polars as pl
    >>> cells = Table(pl.DataFrame({"team": ["ann, bob and cat", "dan, eve"]}), "cells")
    >>> rosters(cells, ["team"])[0][0].to_list()
    [['ann', 'bob', 'cat'], ['dan', 'eve']]
    >>> print(cells.remarks[0])
    rosters are split at ','; use `rosters=''` to read each cell as one name
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
        texts = [without_invisible(text_of(table, column)) for column in columns]
        decoded = _decode_json(table, texts) if split else None
        if decoded is None and split and table.choices.rosters != "":
            separator, texts = _find_separator(table, texts, sure)
        lists = decoded or [_split(text, separator) for text in texts]
    for column, names in zip(columns, lists, strict=True):
        if (names.explode().str.strip_chars() == "").any():
            empty = names.list.eval(pl.element().str.strip_chars() == "").list.any()
            table.require(~empty.fill_null(False), column, "one of the names in this list is empty")
    return lists, separator


def _decode_json(table: Table, texts: list["pl.Series"]) -> list["pl.Series"] | None:
    import polars as pl

    # The result is None if any cell is not a JSON list.
    cells = pl.concat(texts).drop_nulls()
    if table.choices.rosters is not None or cells.is_empty() or not cells.str.starts_with("[").all():
        return None
    if cells.str.contains(_OBJECTS).all():  # an object without a name becomes an empty name, which is a problem
        table.note("rosters", "rosters are lists in brackets; ", *_WHOLE)
        name = pl.coalesce(pl.element().str.extract(_NAME, 1), pl.element().str.extract(_NAME, 2), pl.lit(""))
        return [text.str.extract_all(r"\{[^{}]*\}").list.eval(name) for text in texts]
    try:
        lists = [text.str.json_decode(pl.List(pl.String)) for text in texts]
    except pl.exceptions.ComputeError:
        return None
    table.note("rosters", "rosters are lists in brackets; ", *_WHOLE)
    return [names.list.eval(pl.element().fill_null("").str.strip_chars()) for names in lists]


def _find_separator(table: Table, texts: list["pl.Series"], sure: bool) -> tuple[str | None, list["pl.Series"]]:
    """Return the separator of the rosters, and the cells without enclosing brackets."""
    import polars as pl

    cells = pl.concat(texts).drop_nulls()
    sample = cells.gather_every(1 + len(cells) // SAMPLE)
    listed = not cells.is_empty() and 4 * int(sample.str.contains(_END_OF_LIST).sum()) >= len(sample)
    if listed:
        texts = [text.str.replace(_CALL, "$1") for text in texts]
        cells = pl.concat(texts).drop_nulls()
        listed = 2 * int(cells.str.contains(_BRACKETS).sum()) >= len(cells)
    if listed:
        texts = [_without_brackets(text) for text in texts]
        cells = pl.concat(texts).drop_nulls()
    if table.choices.rosters is None and listed:
        table.note("rosters", "rosters are lists in brackets; ", *_WHOLE)
        return _separate_list(cells, texts)
    if table.choices.rosters is not None:
        return separator_in_cells(table.choices.rosters), texts
    surname_first = table.decide("whether names have commas", lambda: are_surnames_first(cells, sure) or None)
    if surname_first:
        cells = cells.str.replace_all(",", "", literal=True)
    mark, unused = _best_separator(cells, sure)
    if surname_first and mark is None:
        unused, cells = ",", pl.concat(texts).drop_nulls()
    mark = table.decide("separator of the rosters", lambda: mark)
    if mark == "," and _are_sentences(cells, sure):
        texts = [text.str.replace(_LAST, ",") for text in texts]
    if mark is not None:
        table.note("rosters", f"rosters are split at {mark!r}; ", *_WHOLE)
    elif unused is not None:
        cell = cells.filter(cells.str.contains(unused, literal=True))[0]
        option = Option("rosters", unused.strip() or unused)
        table.note("single-name", f"{cell!r} is read as one name; use ", option, " to split it")
    return mark, texts


def separator_in_cells(choice: str) -> str:
    r"""Return the separator that the user means; a word has blanks around it.

    >>> separator_in_cells("e"), separator_in_cells("\\n"), separator_in_cells("/")
    (' e ', '\n', '/')
    """
    separator = _ESCAPES.get(choice, choice)
    return f" {separator} " if separator.isalpha() else separator


def _separate_list(cells: "pl.Series", texts: list["pl.Series"]) -> tuple[str, list["pl.Series"]]:
    """Return the separator of bracketed lists. Within quotes, and beside commas, other marks are parts of names."""
    quoted = cells.str.contains(_QUOTED)
    if 2 * int(quoted.sum()) >= len(cells) > 0:
        texts = [text.str.replace_all(_NO_NAME, "").str.replace_all(_BETWEEN_QUOTES, f"$1{_NEVER}$2") for text in texts]
        return _NEVER, texts
    marks = (*ROSTER_SEPARATORS, ",", *ALSO_IN_NAMES)
    return next((mark for mark in marks if cells.str.contains(mark, literal=True).any()), ","), texts


def _best_separator(cells: "pl.Series", sure: bool) -> tuple[str | None, str | None]:
    """Return the separator and None, or None and a character that occurs in too few cells to be a separator.

    Both are None if no cell contains a possible separator. A separator is a character that never occurs in names, or a
    character that occurs in at least half of the cells (if `sure` is true, in at least one). So "Brighton & Hove
    Albion" stays whole if the other cells are single names, but "ann & bob" is split if most other cells are pairs.
    """
    some = cells.filter(cells.str.contains(_SURE))
    marked = cells.filter(cells.str.contains(_MAYBE))
    others = int((~marked.str.contains(_SURE)).sum())
    if len(some) and not (2 * len(some) < others and others >= len(cells) / 2):  # a mark in a few cells is a typo
        return max(ROSTER_SEPARATORS, key=lambda mark: some.str.contains(mark, literal=True).sum()), None
    least = 1 if sure else max(1, len(cells) / 2)
    if _are_sentences(marked, sure) and int(marked.str.contains(rf",|{_LAST}").sum()) >= least:
        return ",", None  # lists such as "ann, bob and cat" and "ann and bob" are split at commas and at "and"
    counts = {mark: int(marked.str.contains(mark, literal=True).sum()) for mark in ALSO_IN_NAMES}
    best = next((mark for mark, count in counts.items() if count >= least), None)
    return best, None if best else next((mark for mark, count in counts.items() if count), None)


def _are_sentences(cells: "pl.Series", sure: bool) -> bool:
    """Return whether cells are lists as in English prose ("ann, bob and cat"), or mix commas and ampersands."""
    joined = cells.filter(cells.str.contains(_LAST))
    beside = sure and int(cells.str.contains(",", literal=True).sum()) >= len(joined) > 0
    return beside or bool(joined.str.contains(rf",.*{_LAST}").any())


def _without_brackets(text: "pl.Series") -> "pl.Series":
    import polars as pl

    # An empty list is an empty cell.
    cell = pl.col("text")
    inner = cell.str.slice(1, cell.str.len_chars() - 2).str.strip_chars()
    plain = pl.when(cell.str.contains(_BRACKETS)).then(inner.str.strip_chars_end(", ")).otherwise(cell)
    return text.to_frame("text").select(plain.replace("", None)).to_series()


def _split(text: "pl.Series", separator: str | None) -> "pl.Series":
    import polars as pl

    # A separator within quotes does not count, and one at either end of a cell is ignored.
    if separator is None:
        return text.str.split(_NEVER)
    mark = separator.strip(" ") or separator
    if len(mark) == 1:
        text = text.str.strip_chars(f"{mark} ")
        end = re.escape(mark)
        some = text.filter(text.str.contains("[\"']"))
        quotes = [q for q in "\"'" if some.str.contains(rf"(?:^|{end})\s*{q}[^{q}]*{q}\s*(?:{end}|$)").any()]
        if quotes:
            return _split_quoted(text, end, quotes)
    lists = text.str.split(separator)
    blank = text.str.contains(rf"\s{re.escape(separator)}|{re.escape(separator)}\s").any()
    return lists.list.eval(pl.element().str.strip_chars()) if blank else lists


def _split_quoted(text: "pl.Series", end: str, quotes: list[str]) -> "pl.Series":
    import polars as pl

    # Within quotes, a backslash escapes a quotation mark.
    inside = [rf"\s*{quote}(?:[^{quote}\\]|\\.)*{quote}\s*" for quote in quotes]
    names = text.str.extract_all("|".join([*inside, f"[^{end}]+"])).list.eval(pl.element().str.strip_chars())
    quoted = [name for name in names.explode().drop_nulls().unique() if len(name) > 1 and name[0] in quotes]
    return names.list.eval(pl.element().replace(quoted, [_unquote(name) for name in quoted]))


def _unquote(name: str) -> str:
    r"""Remove the quotes of a name, and decode its backslashes as in JSON.

    >>> _unquote('"Smith, J."'), _unquote(r'"Jos\u00e9"'), _unquote("'t Hooft")
    ('Smith, J.', 'José', "'t Hooft")
    """
    if name[-1] != name[0]:
        return name
    inside = name[1:-1].strip()
    try:
        return str(json.loads(f'"{inside}"')) if "\\" in inside else inside
    except ValueError:
        return inside
