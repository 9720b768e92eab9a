"""The context of matches on pages: which columns a list shows, the values of a match, and filters to choose from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from starlette.requests import Request

from ....store.read.context_table import MATCH, ContextFilters, ContextView
from ...api.dependencies import COLUMN_PREFIX, column_param
from .filters import MINUS, NONE

MOST_COLUMNS = 4  # maximum number of context columns in a list of matches
FIRST_FILTERS = 3  # filters that are shown at once; the others can be opened
MOST_FILTERS = 12
MOST_ROWS = 50  # maximum number of teams or players whose values are shown on the page of a match
# Words in the names of columns that a list of matches should show first. A list shows at most one column of each group;
# groups, and the words of a group, are in order of preference.
USEFUL = (
    ("tournament", "tourney", "event", "competition", "cup", "race", "gp", "prix", "circuit", "opening"),
    ("surface", "court", "map", "mode", "variant", "venue"),
    ("round", "stage", "phase"),
    ("score", "sets", "result"),
    ("constructor", "car", "side", "colour", "color", "role", "hero", "champion", "character", "deck"),
    ("grid", "seed", "seat"),
)
TECHNICAL = {"id", "date", "day", "num", "number", "level", "code", "size", "url", "key", "no"}
WORDS = {"tourney": "tournament", "gp": "Grand Prix", "num": "number", "pos": "position", "dur": "duration"}
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")

Plain = dict[str, Any]


def words_of(name: str) -> list[str]:
    """Split the name of a column into words.

    >>> words_of("gridPosition"), words_of("tourney_name"), words_of("best of 3")
    (['grid', 'position'], ['tourney', 'name'], ['best', 'of', '3'])
    """
    return [word.lower() for word in _WORD.findall(name)]


def column_label(name: str) -> str:
    """Return the name of a column as a label.

    >>> column_label("constructorId"), column_label("tourney_name"), column_label("best_of"), column_label("№")
    ('Constructor', 'Tournament', 'Best of', '№')
    """
    words = words_of(name)
    return _label(words[:-1] if len(words) > 1 and words[-1] in ("id", "name") else words, name)


def _label(words: Sequence[str], name: str) -> str:
    text = " ".join(WORDS.get(word, word) for word in words) or name
    return text[:1].upper() + text[1:]


def column_labels(names: Iterable[str]) -> dict[str, str]:
    """Return the labels of columns; a label is shortened unless two columns would then have the same label.

    >>> column_labels(["tourney_id", "tourney_name", "surface"])
    {'tourney_id': 'Tournament id', 'tourney_name': 'Tournament name', 'surface': 'Surface'}
    """
    labels = {name: column_label(name) for name in names}
    shared = {label for label, times in Counter(labels.values()).items() if times > 1}
    return {name: _label(words_of(name), name) if label in shared else label for name, label in labels.items()}


def page_filters(request: Request, filters: ContextFilters, view: ContextView) -> dict[str, list[str]]:
    """Return the filters of a page, without unknown query parameters such as `utm_source`.

    A parameter with the prefix of context columns stays: an unknown column is an error.
    """
    asked = request.query_params
    return {name: [*filters[name]] for name in filters if name in view.columns or COLUMN_PREFIX + name in asked}


def main_columns(view: ContextView, *, of_match: bool = False) -> list[str]:
    """Return the few columns that a list of matches shows, most useful first.

    With `of_match`, only columns with one value per match are returned.

    Well-known columns come first, then text columns with few values. Columns with few distinct values describe a match
    best, and need little room.
    """
    columns = {name: column for name, (level, column) in view.columns.items() if level == MATCH or not of_match}
    chosen: list[str] = []
    for group in USEFUL:
        found = [name for name in columns if set(words_of(name)) & set(group) and name not in chosen]
        found = [name for name in found if columns[name].kind == "category" or not set(words_of(name)) & TECHNICAL]
        found = [name for name in found if len(columns[name].values) > 1]
        chosen += sorted(found, key=lambda name: _rank(name, group))[:1]
    few = [choices.name for choices in view.choices if choices.kind == "category" and choices.name in columns]
    return list(dict.fromkeys([*chosen, *few]))[:MOST_COLUMNS]


def _rank(name: str, group: Sequence[str]) -> tuple[bool, int, int]:
    words = words_of(name)
    return bool(set(words) & TECHNICAL), min(group.index(word) for word in words if word in group), len(words)


def _usefulness(name: str) -> tuple[bool, int]:
    words = set(words_of(name))
    known = next((number for number, group in enumerate(USEFUL) if words & set(group)), len(USEFUL))
    return known == len(USEFUL) or bool(words & (TECHNICAL - {"id"})), known + ("id" in words and len(words) > 1)


def value_text(value: Any) -> str:
    """Format a value; several values of teams or players are joined.

    >>> value_text(2026.0), value_text("clay"), value_text(["red", None]), value_text(None)
    ('2026', 'clay', 'red / –', '')
    """
    if isinstance(value, list):
        return " / ".join(value_text(item) or NONE for item in value)
    return "" if value is None else value_of(value).replace("-", MINUS) if not isinstance(value, str) else value


def own_value(match: Mapping[str, Any], column: str, player: str | None = None) -> str:
    """Return the value of a column as text: the value of the match, of the player, or of the player's team.

    Without a `player`, the values of all teams or players are joined.

    >>> match = {"teams": [["ann", "bob"], ["cat"]], "context": {"side": ["red", "blue"], "kills": [[3, 4], [5]]}}
    >>> own_value(match, "side", "cat"), own_value(match, "kills", "bob"), own_value(match, "map", "bob")
    ('blue', '4', '')
    """
    value = match.get("context", {}).get(column)
    if player is not None and isinstance(value, list):
        team = next((number for number, names in enumerate(match["teams"]) if player in names), None)
        value = None if team is None else value[team]
        if isinstance(value, list) and team is not None:
            value = value[match["teams"][team].index(player)]
    return value_text(value)


def list_cells(match: Mapping[str, Any], columns: Iterable[str], player: str | None = None) -> list[str]:
    """Return the cells of a match in a table: the value of each column, as `own_value` returns it."""
    return [own_value(match, column, player) for column in columns]


def add_columns(rows: Sequence[Plain], matches: Sequence[Mapping[str, Any]], player: str | None = None) -> list[Plain]:
    """Add the context of matches to the rows of a table, with a column for each name in the context of any match.

    Without `player`, the values of teams are joined.

    >>> plain = {"teams": [["ann"], ["bob"]]}
    >>> add_columns([{"id": "m1"}, {"id": "m2"}], [plain | {"context": {"map": "Dust", "id": [1, 2]}}, plain])
    [{'id': 'm1', 'map': 'Dust', 'context.id': '1 / 2'}, {'id': 'm2', 'map': None, 'context.id': None}]
    """
    names = dict.fromkeys(name for match in matches for name in match.get("context", ()))
    taken = {name for row in rows for name in row}
    heads = {name: f"{COLUMN_PREFIX}{name}" if name in taken else name for name in names}
    return [
        row | {head: own_value(match, name, player) or None for name, head in heads.items()}
        for row, match in zip(rows, matches, strict=True)
    ]


def match_details(match: Mapping[str, Any]) -> Plain:
    """Return the context of a match for its page: the match's own values, and a table of values of teams and players.

    A row of the table is a team, or a player if some column has a value for each player.

    >>> match = {"teams": [["ann"], ["bob"]], "context": {"map": "Dust", "side": ["red", "blue"]}}
    >>> details = match_details(match)
    >>> details["facts"], details["columns"], details["rows"]
    ([('Map', 'Dust')], ['Side'], [{'names': ['ann'], 'cells': ['red']}, {'names': ['bob'], 'cells': ['blue']}])
    """
    given, teams = match.get("context") or {}, match["teams"]
    context = {name: given[name] for name in sorted(given, key=_usefulness)}
    labels = column_labels(context)
    facts = [(labels[name], value_text(value)) for name, value in context.items() if not isinstance(value, list)]
    lists = {name: value for name, value in context.items() if isinstance(value, list)}
    by_player = any(isinstance(value[0], list) for value in lists.values()) if teams else False
    rows = []
    for number, names in enumerate(teams if lists else []):
        if not by_player:
            rows.append({"names": names, "cells": [value_text(value[number]) for value in lists.values()]})
            continue
        for place, name in enumerate(names):
            own = (value[number] for value in lists.values())
            cells = [value_text(value[place] if isinstance(value, list) else value) for value in own]
            rows.append({"names": [name], "cells": cells})
    return {
        "facts": facts,
        "columns": [labels[name] for name in lists],
        "rows": rows[:MOST_ROWS],
        "more_rows": max(len(rows) - MOST_ROWS, 0),
    }


def filter_fields(view: ContextView, chosen: Mapping[str, Sequence[str]]) -> list[Plain]:
    """Return the filters that a visitor can choose.

    Filters are offered for columns with few values, most useful first, and for columns already chosen.
    """
    useful = main_columns(view)
    few = {choices.name: choices for choices in view.choices}
    names = [name for name in useful if name in few]
    names += [name for name in few if name not in names]
    fields = []
    for name in [*(name for name in chosen if name not in few), *names[:MOST_FILTERS]]:
        values = [value_of(value) for value, _ in few[name].values] if name in few else []
        picked = next((value for value in chosen.get(name, ())), "")
        same = next((value for value in values if value.casefold() == picked.casefold()), picked)
        values += [same] if same and same not in values else []
        fields.append({"param": column_param(name), "label": column_label(name), "values": values, "chosen": same})
    return fields


def value_of(value: str | float) -> str:
    """Return a value as it is written in a query.

    >>> value_of("clay"), value_of(3.0), value_of(0.5)
    ('clay', '3', '0.5')
    """
    return value if isinstance(value, str) else repr(float(value)).removesuffix(".0")
