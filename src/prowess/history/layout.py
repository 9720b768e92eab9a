"""Recognising the layout of a file, a row per player or a row per match, from its column names."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..errors import Error
from .aliases import COMMON, HOME_AWAY, LONG, NAME_STEMS, PAIRS, RANKS, RESULT, ROSTER_STEMS, SCORES, WINNER_LOSER

__all__ = ["Layout", "Side", "plain_name", "recognise"]

_LABEL = "(?P<label>[0-9]{1,2}|[a-hxy])"
_STEM = f"(?P<stem>{'|'.join(sorted((*ROSTER_STEMS, *NAME_STEMS), key=len, reverse=True))})"
_SIDE = re.compile(f"{_STEM}{_LABEL}(?P<tail>|name|id|players|roster|members)")
_SIDE_RESULT = re.compile(f"{_STEM}?{_LABEL}(?P<what>score|rank)|(?P<what2>score|rank)(?P<label2>[0-9]{{1,2}}|[a-hxy])")
_ROLES = (*LONG, *COMMON, "away", "home_score", "away_score", "neutral", *WINNER_LOSER)
_EXAMPLES = """\
  a row per player: columns={"match": "race_id", "player": "driver", "rank": "position", "time": "date"}
  home and away:    columns={"home": "h", "away": "a", "home_score": "hg", "away_score": "ag"}
  winner and loser: columns={"winner": "won", "loser": "lost"}
  sides:            columns={"team1": "blue", "team2": "red", "score1": "blue_pts", "score2": "red_pts"}
                    (or "winner"; and "player1", "player2" where a cell is one name and never a roster)"""


@dataclass(frozen=True)
class Side:
    """A side of a match in a file with a row per match: its column, and the words by which a result names it."""

    column: str
    words: tuple[str, ...] = ()
    roster: bool = False
    score: str | None = None
    rank: str | None = None


@dataclass(frozen=True)
class Layout:
    """What was recognised: the shape, the columns by role, and the sides where a row is a match."""

    shape: str
    roles: Mapping[str, str]
    sides: tuple[Side, ...] = ()
    mapped: frozenset[str] = frozenset()

    def describe(self, columns: Iterable[str]) -> str:
        """Say what was recognised, and which columns are not used."""
        said = f"{self.shape}: " + ", ".join(f"{role}={column}" for role, column in self.roles.items())
        unused = [column for column in columns if column not in self.roles.values()]
        return said + (f"\nignored: {', '.join(unused)}" if unused else "")


def plain_name(name: str) -> str:
    """Spell a column name in the one way in which names are compared.

    >>> plain_name("Home_Team"), plain_name("home team")
    ('hometeam', 'hometeam')
    """
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def plain_role(role: str) -> str:
    """Spell a role in one way: "team1_score", "score_1" and "score1" are the same.

    >>> plain_role("team1_score"), plain_role("home_score")
    ('score1', 'homescore')
    """
    plain = plain_name(role)
    found = _SIDE_RESULT.fullmatch(plain)
    return plain if found is None else (found["what"] or found["what2"]) + (found["label"] or found["label2"])


class Headers:
    """The columns of a file under their plain names, and the roles that the user gave to a column, or to none."""

    def __init__(self, columns: Sequence[str], mapping: Mapping[str, str | None]) -> None:
        """Note the columns; one with a role is known by no other name."""
        self.mapped = {plain_role(role): column for role, column in mapping.items() if column is not None}
        self.unused = {plain_role(role) for role, column in mapping.items() if column is None}
        self.free = {plain_name(column): column for column in reversed(columns) if column not in mapping.values()}

    def find(self, table: Mapping[str, str | Sequence[str]]) -> dict[str, str]:
        """Give the column of each role: the user's, or else that of the first alias which is there."""
        found = {}
        for role, aliases in table.items():
            names = aliases.split() if isinstance(aliases, str) else aliases
            column = self.mapped.get(plain_role(role)) or next((self.free[n] for n in names if n in self.free), None)
            if column is not None and plain_role(role) not in self.unused:
                found[role] = column
        return found


def recognise(columns: Sequence[str], mapping: Mapping[str, str | None] | None = None) -> Layout:
    """Recognise the layout of a file from its column names, and from what the user said of some roles.

    A role that is mapped to None has no column.

    >>> recognise(["Date", "HomeTeam", "AwayTeam", "FTHG", "FTAG"]).roles["home_score"]
    'FTHG'
    """
    mapping = mapping or {}
    _check_mapping(columns, mapping)
    headers = Headers(columns, mapping)
    for recogniser in (_long, _home_away, _winner_loser, _sides):
        layout = recogniser(headers)
        if layout is not None and headers.mapped.keys() <= {plain_role(role) for role in layout.roles}:
            return replace(layout, mapped=frozenset(headers.mapped))
    said = f" with columns={dict(mapping)!r}" if mapping else ""
    found = ", ".join(map(repr, columns))
    raise Error(f"no layout fits the columns {found}{said}: say which column is what, for example\n{_EXAMPLES}")


def _check_mapping(columns: Sequence[str], mapping: Mapping[str, str | None]) -> None:
    known = {plain_name(role) for role in _ROLES}
    for role, column in mapping.items():
        plain = plain_name(role)
        if plain not in known and not _SIDE.fullmatch(plain) and not _SIDE_RESULT.fullmatch(plain):
            there = ", ".join(dict.fromkeys(_ROLES))
            raise Error(f"columns: there is no role {role!r}, but {there}, and team1, player1, score1, rank1 and so on")
        if column is not None and column not in columns:
            there = ", ".join(map(repr, columns))
            raise Error(f"columns: there is no column {column!r} (for {role!r}), but {there}")


def _long(headers: Headers) -> Layout | None:
    roles = headers.find(LONG)
    if {"player", "players"} <= roles.keys():
        del roles["player" if "players" in headers.mapped else "players"]
    who = next((role for role in ("players", "player", "team") if role in roles), None)
    if "match" not in roles or who is None:
        return None
    if not {"rank", "score"} & roles.keys() and not {"match", who} <= headers.mapped.keys():
        return None  # only one who says that a row is a player may leave the result to the order of the rows
    roles |= headers.find(COMMON)
    if "id" not in {*headers.mapped, *headers.unused} and plain_name(roles["match"]) in COMMON["id"].split():
        roles["id"] = roles["match"]
    row = {"players": "team", "player": "player", "team": "team, which is one player,"}[who]
    return Layout(f"long, a row per {row} per match", roles)


def _home_away(headers: Headers) -> Layout | None:
    roles = headers.find(HOME_AWAY)
    if not {"home", "away"} <= roles.keys():
        return None
    sides = (
        Side(roles["home"], ("home", "h", "1"), score=roles.get("home_score")),
        Side(roles["away"], ("away", "a", "2"), score=roles.get("away_score")),
    )
    return _decided("wide, a row per match, home/away", headers, roles, sides)


def _winner_loser(headers: Headers) -> Layout | None:
    roles = headers.find(WINNER_LOSER)
    if not {"winner", "loser"} <= roles.keys():
        return None
    sides = tuple(Side(roles[role], score=roles.get(f"{role}_score")) for role in ("winner", "loser"))
    return Layout("wide, a row per match, winner/loser", roles | headers.find(COMMON), sides)


def _sides(headers: Headers) -> Layout | None:
    for group in _groups(headers):
        roles: dict[str, str] = {}
        sides = []
        for number, (stem, label, column) in enumerate(group, 1):
            results = headers.find(
                {
                    f"{what}{label}": [name for w in words for name in (w + label, stem + label + w, stem + w + label)]
                    for what, words in (("score", SCORES), ("rank", RANKS))
                }
            )
            words = {plain_name(column), stem + label, label, label if label.isdigit() else str(number)}
            roster = stem in ROSTER_STEMS
            score, rank = (results.get(what + label) for what in ("score", "rank"))
            sides.append(Side(column, tuple(sorted(words)), roster, score, rank))
            roles |= {stem + label: column} | results
        layout = _decided("wide, a row per match, a column per side", headers, roles, tuple(sides))
        if layout is not None:
            return layout
    return None


def _groups(headers: Headers) -> Iterable[list[tuple[str, str, str]]]:
    """Give groups of columns that may be the sides of a match, each column with its stem and its label."""
    found: dict[tuple[bool, str, str, bool], list[tuple[str, str, str]]] = {}
    for mapped, names in ((True, headers.mapped), (False, headers.free)):
        for name, column in names.items():
            if side := _SIDE.fullmatch(name):
                key = (mapped, side["tail"], side["stem"], side["label"].isdigit())
                found.setdefault(key, []).append((side["stem"], side["label"], column))
    numbered = [sorted(group, key=lambda side: (len(side[1]), side[1])) for group in found.values() if len(group) > 1]
    pairs = [[("", name, headers.free[name]) for name in pair] for pair in PAIRS if headers.free.keys() >= set(pair)]
    said = any(_SIDE.fullmatch(name) for name in headers.mapped)
    return numbered if said else pairs + numbered


def _decided(shape: str, headers: Headers, roles: dict[str, str], sides: tuple[Side, ...]) -> Layout | None:
    """Settle which columns give the result: scores, else ranks, else who won; what the user named counts always."""
    roles = dict(roles)
    scored, ranked = (all(getattr(side, what) for side in sides) for what in ("score", "rank"))
    if not scored:
        sides = tuple(_without(roles, side, "score") for side in sides)
    if not ranked or (scored and not any(role.startswith("rank") for role in headers.mapped)):
        sides = tuple(_without(roles, side, "rank") for side in sides)
    if "winner" in headers.mapped or not (scored or ranked):
        roles |= headers.find({"winner": RESULT})
        if "winner" not in roles:
            return None
    return Layout(shape, roles | headers.find(COMMON), sides)


def _without(roles: dict[str, str], side: Side, what: str) -> Side:
    """Take a result that not every side has, or that is not needed, out of the side and out of the roles."""
    column = getattr(side, what)
    for role in [role for role, used in roles.items() if used == column]:
        del roles[role]
    return replace(side, score=None) if what == "score" else replace(side, rank=None)
