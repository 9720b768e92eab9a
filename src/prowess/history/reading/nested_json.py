"""Turn nested JSON objects into the rows of a table: a row per match, or a row per player of each match."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ...errors import Error
from ..columns.roles.aliases import COMMON, LONG, WINNER_LOSER
from ..columns.roles.layout import recognise
from ..names.spelling import plain_name
from .header_row import is_known_name

Object = dict[str, Any]
Path = tuple[str, ...]  # the keys that lead to a value
Cells = dict[Path, Any]
Row = tuple[int, Cells, Object]  # the number of an item, the values around an object in it, and the object
Roles = Mapping[str, str | None] | None
Found = tuple[bool, list[int], dict[str, list[Any]]]  # whether a layout is recognised, the items of rows, the columns

DEEPEST = 6
_NAMES = ("name", "fullname", "displayname", "username", "nickname", "playername", "teamname", "gamertag")
_WHO = ("name", "id", "player", "team", "slug")  # ends of keys that say who or what an object is
_VALUES = ("value", "seconds", "_seconds")  # keys of objects that stand for a single value
_PLACES = ("ranks", "places", "placements", "results")
_ENTRIES = frozenset((*LONG["players"].split(), "scores", "points", "participants", *_PLACES))
_WON = frozenset(LONG["result"].split())
_WINNERS = frozenset(WINNER_LOSER["winner"].split())
# Values of a match with these names would look like values of its players.
_OF_PLAYERS = {
    name for role in ("player", "players", "team", "rank", "score", "result", "duration") for name in LONG[role].split()
} - {*COMMON["time"].split()}


def are_objects(value: object) -> bool:
    """Return whether a JSON value is a list of objects."""
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def is_nested(objects: Iterable[Any]) -> bool:
    """Return whether an object holds other objects."""
    return any(isinstance(value, dict) or are_objects(value) for one in objects for value in one.values())


def list_entries(objects: Object, key: str = "name", what: str = "score") -> list[Object]:
    """Return the values of an object as a list of objects, each with its key.

    >>> list_entries({"ann": 3, "bob": 1})
    [{'name': 'ann', 'score': 3}, {'name': 'bob', 'score': 1}]
    """
    return [{key: name, **(value if isinstance(value, dict) else {what: value})} for name, value in objects.items()]


def tabulate(items: Sequence[tuple[int, Object]], roles: Roles = None) -> tuple[list[int], dict[str, list[Any]]]:
    """Return the number of the item of each row, and the columns of a table.

    A nested object is spread over columns. If the items do not name two sides, each object in one of their lists is a
    row, with the values of the item beside it. `roles` are those that the user mapped to columns.

    >>> tabulate([(1, {"home": {"name": "ann"}, "away": {"name": "bob"}, "score": {"home": 2, "away": 1}})])
    ([1], {'home': ['ann'], 'away': ['bob'], 'score_home': ['2'], 'score_away': ['1']})
    >>> tabulate([(1, {"map": "x", "players": [{"user": {"name": "ann"}, "place": 1}, {"user": {"name": "bob"}}]})])
    ([1, 1], {'map': ['x', 'x'], 'match': ['1', '1'], 'user': ['ann', 'bob'], 'place': ['1', None]})
    """
    found, numbers, columns = _spread([(number, {}, item) for number, item in items], roles)
    if not found and "match" in columns:
        recognise(list(columns), roles)  # the contents of a list are not guessed
    return numbers, columns


def _spread(rows: Sequence[Row], roles: Roles, depth: int = 0) -> Found:
    """Return the table of the rows, or of the objects in one of their lists, and whether its layout is recognised."""
    flat = [_flatten(item) for _, _, item in rows]
    columns = _columns([outer | cells for (_, outer, _), (cells, _) in zip(rows, flat, strict=True)])
    layout = None
    with suppress(Error):
        layout = recognise(list(columns), roles)
    if layout is not None and layout.roles.get("match") != "match":
        columns.pop("match", None)
    has_sides = layout is not None and bool(layout.sides)
    has_entries = layout is not None and depth > 0 and "match" in layout.roles
    best = has_sides or has_entries, [number for number, *_ in rows], columns
    lengths = Counter[Path]()
    for _, lists in flat if depth < DEEPEST and not has_sides else ():
        lengths.update({path: len(objects) for path, objects in lists.items()})
    for path, _ in lengths.most_common():
        if has_entries and plain_name(path[-1]) not in _ENTRIES:
            continue  # this list does not hold the players of a team
        inner: list[Row] = []
        for index, ((number, outer, item), (cells, lists)) in enumerate(zip(rows, flat, strict=True)):
            if has_entries:
                around = outer | _flatten({"team": item})[0]
            else:
                around = {("match", *key): cell for key, cell in (outer | cells).items()}
                around["match",] = f"{number}.{index}" if depth else str(number)
            objects = lists.get(path, [{}])  # an item without players is reported
            inner += [(number, around | more, one) for one, more in zip(objects, _places(around, objects), strict=True)]
        found = _spread(inner, roles, depth + 1)
        if found[0]:
            return found
        best = best if depth or "match" in columns else found
        columns = best[2]
    return best


def _places(around: Cells, entries: Sequence[Object]) -> list[Cells]:
    """Return the place of each entry of a match, if the match names the winner or says which team has won."""
    texts = {path: cell.casefold() for path, cell in around.items() if isinstance(cell, str)}
    winners = {cell for path, cell in texts.items() if plain_name(path[-1]) in _WINNERS}
    teams = {path[-2].casefold(): cell for path, cell in texts.items() if path[3:] and plain_name(path[-1]) in _WON}
    winners |= {team for team, cell in teams.items() if cell == "true"}
    own = [{str(cell).casefold() for key, cell in one.items() if plain_name(key).endswith(_WHO)} for one in entries]
    if not any(winners & names for names in own) and not all(names & teams.keys() for names in own):
        return [{}] * len(entries)
    return [{("rank",): "1" if winners & names else "2"} for names in own]


def _flatten(value: Object, path: Path = ()) -> tuple[Cells, dict[Path, list[Object]]]:
    """Return the values in an object by their paths, and the lists of objects in it.

    The path of an object with a name leads to its name.
    """
    cells: Cells = {}
    lists: dict[Path, list[Object]] = {}
    for key, inner in value.items():
        here = (*path, key)
        while isinstance(inner, dict) and (keys := [one for one in inner if one in _VALUES or one[:1] == "$"]):
            inner = inner[keys[0]]
        kinds = {*map(type, inner.values())} if isinstance(inner, dict) and plain_name(key) in _ENTRIES else set()
        if (kinds == {dict} or (kinds and kinds <= {int, float, str})) and not any(map(is_known_name, inner)):
            inner = list_entries(inner, what=key[:-1] if key in _PLACES else "score")
        if isinstance(inner, dict) and len(path) < DEEPEST:
            more, deeper = _flatten(inner, here)
            names = [one for name in _NAMES for one in inner if plain_name(one) == name and (*here, one) in more]
            cells |= ({here: more.pop((*here, names[0]))} if names else {}) | more
            lists |= deeper
        elif are_objects(inner):
            lists[here] = inner
        elif isinstance(inner, list) and len(inner) == 2 and all(isinstance(one, int) for one in inner):
            cells[here] = f"{inner[0]}-{inner[1]}"
        elif isinstance(inner, (str, int, float)):
            cells[here] = str(inner).lower() if isinstance(inner, bool) else str(inner)
        elif inner is None or (isinstance(inner, list) and all(isinstance(one, str) for one in inner)):
            cells[here] = inner
    return cells, lists


def _columns(rows: Sequence[Cells]) -> dict[str, list[Any]]:
    names = _short_names(dict.fromkeys(path for cells in rows for path in cells))
    return {name: [cells.get(path) for cells in rows] for path, name in names.items()}


def _short_names(paths: Iterable[Path]) -> dict[Path, str]:
    """Return a name for each path: all keys if this is a known column name, else the last keys that no other path has.

    >>> _short_names([("score", "home"), ("info", "map"), ("white", "elo"), ("black", "elo")]).values()
    dict_values(['score_home', 'map', 'white_elo', 'black_elo'])
    """
    names = {path: "_".join(path) for path in paths}
    whole = {path for path, name in names.items() if is_known_name(name)}
    ends = Counter("_".join(path[start:]) for path in names.keys() - whole for start in range(len(path)))
    ends.update(names[path] for path in whole)
    for path in names.keys() - whole:
        if path[0] != "match" or plain_name(path[-1]) not in _OF_PLAYERS:
            shorter = ("_".join(path[start:]) for start in range(len(path) - 1, 0, -1))
            names[path] = next((name for name in shorter if ends[name] == 1), names[path])
    return names
