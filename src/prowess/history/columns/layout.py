"""Recognising the layout of a file, a row per player or a row per match, from its column names."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from ...errors import Error, Piece, Remark
from ..names import plain_name
from ..read_context import list_names, quote_value
from .aliases import (
    COMMON,
    HOME_AWAY,
    LONG,
    OPPONENT,
    OPPONENT_SCORE,
    ORDINALS,
    OWN_SCORE,
    PAIRS,
    PARTS,
    RANKS,
    RESULT,
    ROSTER_STEMS,
    SCORES,
    VENUE,
    WINNER_LOSER,
    WON,
)
from .headers import SIDE, Headers, examples, is_side_result, plain_role

_ROLES = (*LONG, *COMMON, "away", "home_score", "away_score", "neutral", *WINNER_LOSER, "opponent")


class NoLayout(Error):
    """No layout fits the columns of a file; `reason` says so without the examples of what to say instead.

    >>> NoLayout("no layout fits the column 'x'", "…").reason
    "no layout fits the column 'x'"
    """

    def __init__(self, reason: str, *examples: Piece, **where: Any) -> None:
        super().__init__(f"{reason}: say which column is what, for example", *examples, **where)
        self.reason = reason


@dataclass(frozen=True)
class Side:
    """A side of a match in a file with a row per match: its column, and the words by which a result names it.

    Where its players stand in columns of their own, `more` are those after the first.
    """

    column: str
    words: tuple[str, ...] = ()
    roster: bool = False
    score: str | None = None
    rank: str | None = None
    more: tuple[str, ...] = ()


@dataclass(frozen=True)
class Layout:
    """What was recognised: the shape, the columns by role, and the sides where a row is a match.

    Where a row is a player, `parts` are columns that may tell matches apart together with that of the role `match`.
    Where it is a match, `also` are other columns that may say how it ended.
    """

    shape: str
    roles: Mapping[str, str]
    sides: tuple[Side, ...] = ()
    mapped: frozenset[str] = frozenset()
    parts: tuple[str, ...] = ()
    also: tuple[str, ...] = ()

    def describe(self, columns: Iterable[str]) -> list[Remark]:
        """Return remarks on what was recognised, and on the columns that are not used."""
        more = {side.column: side.more for side in self.sides}
        roles = [f"{role}={'+'.join((column, *more.get(column, ())))}" for role, column in self.roles.items()]
        used = {*self.roles.values(), *(column for columns in more.values() for column in columns)}
        unused = [column for column in columns if column not in used]
        remarks = [Remark("layout", (f"{self.shape}: {', '.join(roles)}",))]
        if unused:
            remarks.append(Remark("ignored-columns", (f"ignored: {list_names(unused)}",), count=len(unused)))
        return remarks


def recognise(
    columns: Sequence[str],
    mapping: Mapping[str, str | None] | None = None,
    unfit: Mapping[str, Set[str]] | None = None,
) -> Layout:
    """Recognise the layout of a file from its column names, and from what the user said of some roles.

    A role that is mapped to None has no column; what a column holds may make it unfit for a role.

    >>> recognise(["Date", "HomeTeam", "AwayTeam", "FTHG", "FTAG"]).roles["home_score"]
    'FTHG'
    """
    mapping = mapping or {}
    _check_mapping(columns, mapping)
    headers = Headers(columns, mapping, unfit)
    for recogniser in (_long, _home_away, _winner_loser, _sides, _ordered, _long_by_parts):
        layout = recogniser(headers)
        if layout is not None and headers.mapped.keys() <= {plain_role(role) for role in layout.roles}:
            return replace(layout, mapped=frozenset(headers.mapped))
    mapped = f" with columns={dict(mapping)!r}" if mapping else ""
    reason = f"no layout fits the columns {list_names(map(quote_value, columns))}{mapped}"
    raise NoLayout(reason, *examples(columns), field="columns", value=mapping or None)


def _check_mapping(columns: Sequence[str], mapping: Mapping[str, str | None]) -> None:
    roles = {plain_name(role) for role in _ROLES}
    for role, column in mapping.items():
        plain = plain_name(role)
        if plain not in roles and not SIDE.fullmatch(plain) and not is_side_result(plain):
            choices = ", ".join(dict.fromkeys(_ROLES))
            message = f"columns: there is no role {role!r}, but {choices}, and team1, player1, score1, rank1 and so on"
            raise Error(message, field="columns", value=role)
        if column is not None and column not in columns:
            message = (
                f"columns: there is no column {column!r} (for {role!r}), but {list_names(map(quote_value, columns))}"
            )
            raise Error(message, field="columns", value=column)


def _long(headers: Headers) -> Layout | None:
    roles = headers.find(LONG)
    if "match" not in roles or (headers.first(OPPONENT) and "match" not in headers.mapped):
        return None
    parts = () if "match" in headers.mapped else tuple(filter(None, map(headers.first, PARTS[:1])))
    return _entries(headers, roles, parts)


def _long_by_parts(headers: Headers) -> Layout | None:
    """A row per player where no column names the match: the day, or the round of a season, tells matches apart."""
    roles = headers.find(LONG)
    parts = [column for column in (headers.first(COMMON["time"], "moment"), *map(headers.first, PARTS)) if column]
    if "match" in roles or "match" in headers.unused or not parts or not {"rank", "duration", "score"} & roles.keys():
        return None
    return _entries(headers, roles | {"match": parts[0]}, tuple(parts[1:]))


def _entries(headers: Headers, roles: dict[str, str], parts: tuple[str, ...]) -> Layout | None:
    if {"player", "players"} <= roles.keys():
        del roles["player" if "players" in headers.mapped else "players"]
    who = next((role for role in ("players", "player", "team") if role in roles), None)
    if who is None:
        return None
    # Where a row is a player, a time of day beside a date is how long he took.
    common = headers.find({role: names for role, names in COMMON.items() if role not in ("time", "clock")})
    moment = headers.mapped.get("time") or headers.first(COMMON["time"], "moment")
    if moment is not None and "time" not in headers.unused:
        common["time"] = moment
    if "rank" in roles or "score" in roles:
        roles = {role: column for role, column in roles.items() if role not in ("duration", "result")}
    elif "duration" in roles:
        roles.pop("result", None)
    elif "result" not in roles and not {"match", who} <= headers.mapped.keys():
        return None  # only one who says that a row is a player may leave the result to the order of the rows
    roles = roles | {role: column for role, column in common.items() if column != roles.get("duration")}
    if "id" not in {*headers.mapped, *headers.unused} and plain_name(roles["match"]) in COMMON["id"].split():
        roles["id"] = roles["match"]
    row = {"players": "team", "player": "player", "team": "team, which is one player,"}[who]
    return Layout(
        f"long, a row per {row} per match", roles, parts=tuple(part for part in parts if part != roles["match"])
    )


def _home_away(headers: Headers) -> Layout | None:
    roles = headers.find(HOME_AWAY)
    if not {"home", "away"} <= roles.keys():
        return None
    sides = (
        Side(
            roles["home"], ("home", "h", "1"), score=roles.get("home_score"), more=headers.more.get(roles["home"], ())
        ),
        Side(
            roles["away"], ("away", "a", "2"), score=roles.get("away_score"), more=headers.more.get(roles["away"], ())
        ),
    )
    return _decided("wide, a row per match, home/away", headers, roles, sides)


def _winner_loser(headers: Headers) -> Layout | None:
    roles = headers.find(WINNER_LOSER)
    if not {"winner", "loser"} <= roles.keys() or headers.first("third thirdplace"):
        return None
    sides = tuple(
        Side(roles[role], score=roles.get(f"{role}_score"), roster=True, more=headers.more.get(roles[role], ()))
        for role in ("winner", "loser")
    )
    if result := headers.first("score scoreline result finalscore comment"):
        roles["result"] = result
    return Layout("wide, a row per match, winner/loser", roles | _common(headers), sides)


def _sides(headers: Headers) -> Layout | None:
    for group in _groups(headers):
        roles: dict[str, str] = {}
        sides = []
        for number, (stem, label, column) in enumerate(group, 1):
            results = headers.find(
                {
                    f"{what}{label}": [
                        name for w in words for name in (w + label, stem + label + w, stem + w + label, label + w)
                    ]
                    for what, words in (("score", SCORES), ("rank", RANKS))
                }
            )
            words = {plain_name(column), stem + label, label, label if label.isdigit() else str(number)}
            words |= set() if stem else {label[0]}  # of white and black, red and blue
            roster = stem in ROSTER_STEMS.split()
            score, rank = (results.get(what + label) for what in ("score", "rank"))
            sides.append(Side(column, tuple(sorted(words)), roster, score, rank, headers.more.get(column, ())))
            roles |= {stem + label: column} | results
        layout = _decided("wide, a row per match, a column per side", headers, roles, tuple(sides))
        if layout is not None:
            return layout
    return _seen_by_one(headers)


def _groups(headers: Headers) -> Iterable[list[tuple[str, str, str]]]:
    """Give groups of columns that may be the sides of a match, each column with its stem and its label."""
    groups: dict[tuple[bool, str, str, bool], list[tuple[str, str, str]]] = {}
    for mapped, names in ((True, headers.mapped), (False, headers.free)):
        for name, column in names.items():
            if side := SIDE.fullmatch(name):
                key = (mapped, side["tail"], side["stem"], side["label"].isdigit())
                groups.setdefault(key, []).append((side["stem"], side["label"], column))
    numbered = [sorted(group, key=lambda side: (len(side[1]), side[1])) for group in groups.values() if len(group) > 1]
    pairs: list[list[tuple[str, str, str]]] = []
    for left, right in PAIRS[:-2]:
        first, second = headers.first(left), headers.first(right)
        if first and second:
            pairs.append([("", left.split()[0], first), ("", right.split()[0], second)])
    mapped_sides = any(SIDE.fullmatch(name) for name in headers.mapped)
    return numbered if mapped_sides else pairs + numbered


def _seen_by_one(headers: Headers) -> Layout | None:
    """A row per match as one of its sides saw it: a player or a team, the opponent, and a result."""
    for names, opponents in PAIRS[-2:]:
        roles = headers.find({names.split()[0]: names, "opponent": opponents})
        if len(roles) < 2:
            continue
        scores = headers.find({"score": OWN_SCORE, "opponent_score": OPPONENT_SCORE})
        if len(scores) < 2:
            scores = {}
        own, opponent = roles
        sides = (
            Side(roles[own], (own, "1"), score=scores.get("score")),
            Side(roles[opponent], (opponent, "opponent", "opp", "2"), score=scores.get("opponent_score")),
        )
        layout = _decided("wide, a row per match, as one side saw it", headers, roles | scores, sides)
        if layout is not None:
            venue = headers.first([name for name in VENUE.split() if name in headers.free])
            return replace(layout, roles={**layout.roles, **({"venue": venue} if venue else {})})
    return None


def _ordered(headers: Headers) -> Layout | None:
    """A row per match, and a column for who came first, second and so on."""
    for names in ORDINALS:
        present = [name for name in names if name in headers.free]
        if len(present) > 1 and present == list(names[: len(present)]):
            columns = [headers.free[name] for name in present]
            roles = {f"rank{place}": column for place, column in enumerate(columns, 1)} | _common(headers)
            return Layout("wide, a row per match, a column per place", roles, tuple(map(Side, columns)))
    return None


def _decided(shape: str, headers: Headers, roles: dict[str, str], sides: tuple[Side, ...]) -> Layout | None:
    """Settle which columns give the result: scores, else ranks, else who won; what the user named counts always."""
    roles = dict(roles)
    scored, ranked = (all(getattr(side, what) for side in sides) for what in ("score", "rank"))
    partly = not scored and any(side.score for side in sides)
    if not scored:
        sides = tuple(_without(roles, side, "score") for side in sides)
    if not ranked or (scored and not any(role.startswith("rank") for role in headers.mapped)):
        sides = tuple(_without(roles, side, "rank") for side in sides)
    if not scored and len(twins := headers.twins([side.column for side in sides])) == 2:
        scored, ranked = True, False
        sides = tuple(replace(side, score=score, rank=None) for side, score in zip(sides, twins, strict=True))
        roles |= {f"score{number}": score for number, score in enumerate(twins, 1)}
    names = [*(f"{word}{won}" for word in sides[0].words for won in WON), *RESULT.split()]
    if partly:
        names = [name for name in names if name not in SCORES]  # a score without a side is that of the other
    if "winner" in headers.mapped or not (scored or ranked):
        roles |= headers.find({"winner": names})
        if "winner" not in roles:
            return None
    also = [headers.free[name] for name in names if name in headers.free and headers.free[name] not in roles.values()]
    return Layout(shape, roles | _common(headers), sides, also=tuple(also))


def _common(headers: Headers) -> dict[str, str]:
    """Give the columns of what belongs to a match as a whole; the time of day is one of its own, beside a date."""
    roles = headers.find(COMMON)
    if "time" not in roles or roles.get("clock") == roles["time"]:
        roles.pop("clock", None)
    return roles


def _without(roles: dict[str, str], side: Side, what: str) -> Side:
    """Take a result that not every side has, or that is not needed, out of the side and out of the roles."""
    column = getattr(side, what)
    for role in [role for role, used in roles.items() if used == column]:
        del roles[role]
    return replace(side, score=None) if what == "score" else replace(side, rank=None)
