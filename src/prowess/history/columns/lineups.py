"""Find the columns of rosters beside columns of team names: `team1, team2, players1, players2`."""

from collections import defaultdict
from dataclasses import replace
from functools import lru_cache

from ...errors import Option, Remark
from ..cells.comma_names import are_surnames_first
from ..cells.text import text_of
from ..cells.words import ALSO_IN_NAMES, ROSTER_SEPARATORS
from ..names.spelling import plain_name
from ..read_context import Table
from .roles.aliases import LINEUP_WORDS, NAME_WORDS, SIDE_WORDS, TEAM_WORDS
from .roles.headers import header_words
from .roles.layout import Layout, Side

_SAMPLE = 1000  # rows in which the cells of a column are searched for lists
_MOST = 0.8  # fraction of the rows whose cells must be lists of several names
_LINEUPS = frozenset(LINEUP_WORDS.split())
_TEAMS = frozenset(TEAM_WORDS.split())
_SIDES = {word: side for side, words in SIDE_WORDS.items() for word in words.split()} | {"h": "home", "a": "away"}
_SHORT = 3  # shorter words for a side are not parts of other words
_FILLERS = frozenset(NAME_WORDS.split())
_LISTS = f"[{''.join(ROSTER_SEPARATORS)}]|^\\[.*,|{'|'.join(ALSO_IN_NAMES)}|[、／，；]"


def add_lineups(table: Table, layout: Layout) -> Layout:
    """Return the layout with a column of players for each side, if the file has them beside the names of the teams."""
    if len(layout.sides) != 2 or any(side.more for side in layout.sides):
        return layout
    roles = {column: role for role, column in layout.roles.items()}
    names = [roles.get(side.column, "") for side in layout.sides]
    if layout.mapped & set(names):
        return layout  # the user chose the columns
    found = table.decide("columns of teams and rosters", lambda: _find_columns(table, layout))
    if found is None:
        return layout
    teams, lineups = found
    if teams[0] not in roles:  # the rosters are in the columns of the sides
        names = ["team1", "team2"]
        others = {role: column for role, column in layout.roles.items() if column not in lineups}
        layout = replace(layout, roles={**dict(zip(names, teams, strict=True)), **others})
    sides = tuple(
        replace(side, column=team, lineup=lineup, words=(*side.words, plain_name(team)))
        for side, team, lineup in zip(layout.sides, teams, lineups, strict=True)
    )
    text = f"the players in {lineups[0]!r} and {lineups[1]!r} are rated, not the teams in "
    option = Option("columns", dict(zip(names, teams, strict=True)))
    pieces = (f"{text}{teams[0]!r} and {teams[1]!r}; use ", option, " to rate the teams")
    remark = Remark("rosters-beside-names", pieces, lineups[0])
    return replace(layout, sides=sides, remarks=(*layout.remarks, remark))


def _find_columns(table: Table, layout: Layout) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the columns of the teams' names and the columns of their rosters, each in the order of the sides."""
    sides = tuple(side.column for side in layout.sides)
    if lineups := _find_pair(table, layout, _LINEUPS, True):
        return sides, lineups
    if all(_words(column) & _LINEUPS and _holds_lists(table, column) for column in sides):
        teams = _find_pair(table, layout, _TEAMS, False)
        return (teams, sides) if teams else None
    return None


def _find_pair(table: Table, layout: Layout, words: frozenset[str], lists: bool) -> tuple[str, ...] | None:
    unused = [column for column in layout.unused(table.frame.columns) if _words(column) & words]
    alike: dict[frozenset[str], list[str]] = defaultdict(list)
    own = {word for side in layout.sides for word in side.words}
    for column in unused:
        alike[frozenset(word for word in _words(column) - own if _label(word) is None)].append(column)
    for columns in alike.values():
        if len(columns) == 2 and all(_holds_lists(table, column) == lists for column in columns):
            swapped = [_is_of(column, layout.sides[1 - number]) for number, column in enumerate(columns)]
            return tuple(columns[::-1] if all(swapped) else columns)
    return None


@lru_cache(1024)
def _words(column: str) -> frozenset[str]:
    """Return the words of a header, and both parts of words such as "homeplayers".

    >>> sorted(_words("Gastkader")), sorted(_words("Team players"))
    (['gast', 'kader'], ['players', 'team'])
    """
    words = header_words(column)
    for word in words:
        side = next((side for side in _SIDES if len(side) > _SHORT and word.startswith(side)), "")
        if side and word.removeprefix(side) in _LINEUPS:
            words = words - {word} | {side, word.removeprefix(side)}
    return words


def _label(word: str) -> str | None:
    return word if word.isdigit() or len(word) == 1 else _SIDES.get(word)


def _is_of(column: str, side: Side) -> bool:
    """Return whether a header has the label of a side, such as "2" or "away"."""
    labels = {_SIDES.get(word, word) for word in _words(column)} - _LINEUPS
    own = {_SIDES.get(word, word) for word in (*side.words, *_words(side.column))} - _FILLERS
    return bool(labels & own)


def _holds_lists(table: Table, column: str) -> bool:
    frame = table.frame.head(_SAMPLE)
    if frame[column].dtype.is_nested():
        return True
    cells = text_of(replace(table, frame=frame), column).drop_nulls()
    lists = int(cells.str.contains(_LISTS).sum())
    return lists >= _MOST * len(frame) > 0 and not are_surnames_first(cells, sure=True)
