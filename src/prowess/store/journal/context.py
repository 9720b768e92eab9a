"""The context of matches in the journal: canonical JSON, limits, and the kinds of a league's context columns.

A context maps names to values: one value for the match, a list with a value for each team, or a list of lists with a
value for each player. The context is stored as it was posted, in a column next to the body of the match. A match
without a context has null in this column.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import pairwise
from json.encoder import encode_basestring as quoted
from typing import Any

import numpy as np

from ...errors import Error
from ...history import History
from ...history.context.builder import ContextBuilder
from ...history.context.columns import MOST_COLUMNS, Context, ContextColumn, Kind, clean_name, clean_text
from ...history.names.spelling import plain_letters
from ...history.ragged import Ints
from ..leagues import storable

LONGEST = 200  # characters of a text value
CHUNK = 10_000  # contexts parsed at a time

Plain = dict[str, Any]
Contexts = tuple[Context, Context, Context]


def context_text(given: Mapping[str, Any] | None) -> str | None:
    """Return the canonical JSON of a valid context; None if it has no values.

    Values are stored as `History` understands them: blanks around text are stripped, booleans are text, and 3.0 is
    written as 3. Columns without a value are left out.

    >>> context_text({"surface": " clay", "indoor": True, "seed": [1.0, None], "note": ""})
    '{"surface":"clay","indoor":"true","seed":[1,null]}'
    >>> context_text({"note": None}) is None
    True
    """
    if not given:
        return None
    columns = {clean_name(name): _canonical(value) for name, value in given.items()}
    kept = [f"{quoted(name)}:{_dump(value)}" for name, value in columns.items() if _has_value(value)]
    return f"{{{','.join(kept)}}}" if kept else None


def _canonical(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_canonical(item) for item in value]
    if isinstance(value, str):
        return clean_text(value) or None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date):
        return value.isoformat()
    return None if value is None else float(value)


def _dump(value: Any) -> str:
    if isinstance(value, list):
        return f"[{','.join(map(_dump, value))}]"
    if isinstance(value, str):
        return quoted(value)
    return "null" if value is None else repr(float(value) + 0.0).removesuffix(".0")  # + 0.0 turns -0.0 into 0.0


def _has_value(value: Any) -> bool:
    return any(map(_has_value, value)) if isinstance(value, list) else value is not None


def context_texts(history: History) -> Sequence[str | None]:
    """Return the canonical JSON of the context of every match; an empty sequence if no match has a context."""
    match_start, team_start = history.match_start.tolist(), history.team_start.tolist()
    columns: list[list[str]] = []
    for name, column in history.context.items():
        columns.append(_members(name, *_cells(column)))
    for name, column in history.team_context.items():
        cells, filled = _cells(column)
        columns.append(_members(name, _lists(cells, match_start), _any(filled, match_start)))
    for name, column in history.entry_context.items():
        cells, filled = _cells(column)
        lists, filled = _lists(cells, team_start), _any(filled, team_start)
        columns.append(_members(name, _lists(lists, match_start), _any(filled, match_start)))
    if not columns:
        return ()
    texts = [",".join(filter(None, members)) for members in zip(*columns, strict=True)]
    return [f"{{{text}}}" if text else None for text in texts] if any(texts) else ()


def _cells(column: ContextColumn) -> tuple[list[str], list[bool]]:
    """Return the JSON of the values in all rows, and whether each row has a value."""
    values = [_dump(value) for value in column.values]
    values.append("null")  # for rows without a value, whose code is -1
    return [values[code] for code in column.code.tolist()], (column.code >= 0).tolist()


def _members(name: str, values: Iterable[str], filled: Iterable[bool]) -> list[str]:
    key = quoted(name)
    return [f"{key}:{value}" if has else "" for value, has in zip(values, filled, strict=True)]


def _lists(texts: Sequence[str], start: list[int]) -> list[str]:
    return [f"[{','.join(texts[first:last])}]" for first, last in pairwise(start)]


def _any(flags: list[bool], start: list[int]) -> list[bool]:
    return [True in flags[first:last] for first, last in pairwise(start)]


def is_same(one: str | None, other: str | None) -> bool:
    """Return whether two contexts are equivalent.

    The order of columns does not matter. A value given once for the match is equivalent to the same value given for
    each team or player.

    >>> is_same('{"a":"x","b":1}', '{"b":[1,1],"a":"x"}'), is_same('{"a":"x"}', None)
    (True, False)
    """
    if one == other or one is None or other is None:
        return one == other
    return _coarsest_values(one) == _coarsest_values(other)


def is_same_in(columns: Collection[str], one: str | None, other: str | None) -> bool:
    """Return whether two contexts are equivalent in some columns.

    >>> is_same_in(["a"], '{"a":"x","b":1}', '{"b":2,"a":["x","x"]}'), is_same_in(["b"], '{"b":1}', None)
    (True, False)
    """
    first, second = (_coarsest_values(text) for text in (one, other))
    return one == other or all(first.get(name) == second.get(name) for name in columns)


def _coarsest_values(text: str | None) -> Plain:
    return {name: _coarsest(value) for name, value in read(text).items()}


def _coarsest(value: Any) -> Any:
    """Return the shared value if `value` is a list of equal values; simplify nested lists in the same way."""
    if not isinstance(value, list):
        return value
    items = [_coarsest(item) for item in value]
    shared = items and not isinstance(items[0], list) and all(item == items[0] for item in items)
    return items[0] if shared else items


def read(text: str | None) -> Plain:
    """Return a stored context as plain data; an empty dict if there is none."""
    context: Plain = json.loads(text) if text else {}
    return context


def read_contexts(
    texts: Sequence[str | None], match_start: Ints, team_start: Ints, where: Callable[[int], str]
) -> Contexts:
    """Return the contexts of matches, teams and entries; `where` maps the index of a match to its name in messages."""
    builder = ContextBuilder()
    teams, sizes = np.diff(match_start), np.diff(team_start)
    for first in range(0, len(texts), CHUNK):
        last = min(first + CHUNK, len(texts))
        contexts = _parse(texts, first, last, where)
        counts = teams[first:last].tolist()
        try:
            builder.add(contexts, counts, sizes[match_start[first] : match_start[last]].tolist(), first)
        except Error as error:
            raise error.within(f"{where(error.match or 0)}: ") from None
    return builder.finish(match_start, team_start)


def _parse(texts: Sequence[str | None], first: int, last: int, where: Callable[[int], str]) -> list[Any]:
    try:  # one call for many texts takes half the time of one call per text
        contexts: list[Any] = json.loads(f"[{','.join(text or 'null' for text in texts[first:last])}]")
        if len(contexts) == last - first:
            return contexts
    except ValueError:
        pass
    contexts = []
    for index in range(first, last):
        try:
            contexts.append(json.loads(texts[index] or "null"))
        except ValueError as error:
            raise Error(f"{where(index)}: the context is not JSON: {error}", value=texts[index]) from None
    return contexts


def without_names(text: str, names: Collection[str]) -> str | None:
    """Remove from a context every text value that equals one of the names; return None if nothing is left.

    Case and accents do not matter; the names must have been normalised by `plain_letters`.

    >>> without_names('{"umpire":"Zoë Q.","side":["zoe q.","left"]}', {"zoe q."})
    '{"side":[null,"left"]}'
    """

    def kept(value: Any) -> Any:
        if isinstance(value, list):
            return [kept(item) for item in value]
        return None if isinstance(value, str) and plain_letters(value) in names else value

    return context_text({name: kept(value) for name, value in read(text).items()})


def text_values(history: History) -> set[str]:
    """Return the distinct texts in the context of a history."""
    columns = (column for context in contexts_of(history) for column in context.values())
    return {text for column in columns if isinstance(column.values, tuple) for text in column.values}


def drop_names(history: History, names: Collection[str]) -> History:
    """Remove from the context of a history every text value that equals one of the names, as `without_names` does."""
    fields = ("context", "team_context", "entry_context")
    changed: dict[str, Any] = {}
    for field, context in zip(fields, contexts_of(history), strict=True):
        columns = {name: _without_values(column, names) for name, column in context.items()}
        if any(columns[name] is not context[name] for name in columns):
            changed[field] = Context.of(columns)
    return replace(history, **changed) if changed else history


def _without_values(column: ContextColumn, names: Collection[str]) -> ContextColumn:
    if not isinstance(column.values, tuple):
        return column
    codes = [code for code, text in enumerate(column.values) if plain_letters(text) in names]
    if not codes:
        return column
    return ContextColumn.of([None if column.code[row] in codes else value for row, value in enumerate(column)])


# Columns of a league


def contexts_of(history: History) -> Contexts:
    """Return the contexts of the matches, of their teams and of their entries."""
    return history.context, history.team_context, history.entry_context


def kinds_of(history: History) -> dict[str, Kind]:
    """Return whether each context column of a history holds numbers or categories."""
    return {name: column.kind for context in contexts_of(history) for name, column in context.items()}


def check_limits(history: History) -> None:
    """Raise `Error` for a name or a text value that is too long, or that a database cannot store."""
    for level, context in enumerate(contexts_of(history)):
        for name, column in context.items():
            if not storable(name, LONGEST):
                raise _in_column(history, level, column, f"a database cannot store the column name {name!r}", name)
            texts = column.values if column.kind == "category" else ()
            wrong = next((code for code, text in enumerate(texts) if not storable(text, LONGEST)), None)
            if wrong is not None and (column.code == wrong).any():
                text = str(texts[wrong])
                shown = f"{text[:20]!r}…" if len(text) > LONGEST else repr(text)
                rule = f"text in {name!r} must have at most {LONGEST} characters and no NUL: {shown}"
                raise _in_column(history, level, ContextColumn(column.code - wrong, ()), rule, text)


def _in_column(history: History, level: int, column: ContextColumn, text: str, value: object) -> Error:
    # The error names the first match with a value in the column.
    row = int((column.code >= 0).argmax())
    if level == 2:
        row = int(np.searchsorted(history.team_start, row, side="right")) - 1
    if level:
        row = int(np.searchsorted(history.match_start, row, side="right")) - 1
    return Error.in_field("context", text, value=value).within(f"match {row + 1}: ", match=row)


def fit_columns(history: History, kinds: Mapping[str, Kind], *, convert: bool) -> tuple[History, dict[str, Kind]]:
    """Check that the context of new matches fits a league's context columns; return the matches and all columns.

    `kinds` maps the current columns of the league to their kinds. The returned mapping has these columns and the
    columns that the new matches add. If the new matches have numbers in a column in which the league has text, an
    `Error` is raised. With `convert`, these numbers become text instead, because the cells of a file have no type.
    """
    added = kinds_of(history)
    if all(kinds.get(name) == kind for name, kind in added.items()):
        return history, dict(kinds)
    after: dict[str, Kind] = {**added, **kinds}
    if len(after) > MOST_COLUMNS:
        name = next(name for name in added if name not in kinds)
        raise _misfit(history, name, f"a league has at most {MOST_COLUMNS} context columns; {name!r} is one too many")
    for name, kind in added.items():
        if after[name] == kind:
            continue
        if not convert or kind == "category":
            words = {"number": "a number", "category": "text"}
            text = f"{name!r} is {words[kind]} here, but {words[after[name]]} in this league"
            raise _misfit(history, name, f"{text}; leave it out, or give it another name")
        history = _as_text(history, name)
    return history, after


def _misfit(history: History, name: str, text: str) -> Error:
    level, column = next((level, one[name]) for level, one in enumerate(contexts_of(history)) if name in one)
    return _in_column(history, level, column, text, name)


def _as_text(history: History, name: str) -> History:
    for field in ("context", "team_context", "entry_context"):
        context: Context = getattr(history, field)
        if name in context:
            column = context[name]
            text = ContextColumn(column.code, tuple(map(_dump, column.values)))
            changed: dict[str, Any] = {field: Context({**context, name: text})}
            return replace(history, **changed)
    return history
