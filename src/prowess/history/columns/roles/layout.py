"""Recognise the layout of a file, a row per player or a row per match, from its column names."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from ....errors import Error, Option, Piece, Remark
from ...names.spelling import plain_name
from ...read_context import list_names, quote_value
from . import aliases
from .headers import RACE, SIDE, Headers, is_side_result, plain_role, set_columns, split_columns

_ROLES = list(
    dict.fromkeys(
        [*aliases.LONG, *aliases.COMMON, *aliases.HOME_AWAY, *aliases.WINNER_LOSER, "opponent", "opponent_score"]
    )
)


class Shape(StrEnum):
    """The shape of a file: what a row represents, and how its columns name the sides."""

    HOME_AWAY = "wide, a row per match, home/away"
    WINNER_LOSER = "wide, a row per match, winner/loser"
    SIDES = "wide, a row per match, a column per side"
    ONE_VIEW = "wide, a row per match, from one side's view"
    PLACES = "wide, a row per match, a column per place"
    PLAYERS = "long, a row per player per match"
    TEAMS = "long, a row per team per match"
    SINGLES = "long, a row per team per match, each team one player"


@dataclass(frozen=True)
class Suggestion:
    """A suggested mapping of roles to columns, and the first matches that it gives, as sentences."""

    roles: Mapping[str, str | None]
    matches: tuple[str, ...]


class NoLayout(Error):
    """Raised if no layout fits the columns of a file; `reason` is the message without the suggestion.

    >>> error = NoLayout("I can't tell what x and y mean")
    >>> print(error.suggest(Suggestion({"winner": "x", "loser": "y"}, ("ann beat bob",))))
    I can't tell what x and y mean. With `columns={'winner': 'x', 'loser': 'y'}`, the first matches are: ann beat bob
    """

    def __init__(self, reason: str, suggestion: Suggestion | None = None, **where: Any) -> None:
        super().__init__(f"{reason}. ", *_advice(suggestion), **where)
        self.reason = reason
        self.suggestion = suggestion

    def suggest(self, suggestion: Suggestion) -> "NoLayout":
        """Return the same error with a suggestion made from the contents of the file."""
        return NoLayout(self.reason, suggestion, field=self.field, value=self.value)


def _advice(suggestion: Suggestion | None) -> tuple[Piece, ...]:
    if suggestion is not None:
        matches = "; ".join(suggestion.matches)
        return "With ", Option("columns", dict(suggestion.roles)), f", the first matches are: {matches}"
    wide = Option("columns", {"team1": "one", "team2": "two", "score1": "three", "score2": "four"})
    long = Option("columns", {"match": "one", "player": "two", "rank": "three"})
    return "Give each column its role, for example ", wide, " for a row per match, or ", long, " for a row per player"


@dataclass(frozen=True)
class Side:
    """A side of a match in a file with a row per match: its column, and the words that refer to it in a result cell.

    If each player of a side has a column, `more` holds the columns after the first. If the column holds the name of a
    team, `lineup` may be a column with its players.
    """

    column: str
    words: tuple[str, ...] = ()
    roster: bool = False
    score: str | None = None
    rank: str | None = None
    more: tuple[str, ...] = ()
    lineup: str | None = None


@dataclass(frozen=True)
class Layout:
    """The shape of a file, its columns by role, and its sides if the file has a row per match.

    In a file with a row per player, `parts` are columns that may identify matches together with the `match` column. In
    a file with a row per match, `also` are further columns that may hold the result.
    """

    shape: Shape
    roles: Mapping[str, str]
    sides: tuple[Side, ...] = ()
    mapped: frozenset[str] = frozenset()
    parts: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()

    @property
    def scores(self) -> list[str]:
        """The columns with the scores of the sides."""
        return [side.score for side in self.sides if side.score is not None]

    @property
    def ranks(self) -> list[str]:
        """The columns with the ranks of the sides."""
        return [side.rank for side in self.sides if side.rank is not None]

    def with_roles(self, **columns: str | None) -> "Layout":
        """Return the layout with other columns for the given roles; None drops a role."""
        roles = {**self.roles, **columns}
        return replace(self, roles={role: column for role, column in roles.items() if column is not None})

    def unused(self, columns: Iterable[str]) -> list[str]:
        """Return the columns without a role."""
        used = {*self.roles.values(), *(column for side in self.sides for column in (*side.more, side.lineup))}
        used -= {side.column for side in self.sides if side.lineup}  # the name of a team whose players are rated
        columns = list(columns)
        if (joined := "+".join(sets := set_columns(columns))) in used:
            used.update(sets)
        used.add(joined)
        return [column for column in columns if column not in used]

    def describe(self) -> list[Remark]:
        """Return remarks on the recognised roles."""
        more = {side.column: side.more for side in self.sides}
        roles = [f"{role}={'+'.join((column, *more.get(column, ())))}" for role, column in self.roles.items()]
        return [Remark("layout", (f"{self.shape}: {', '.join(roles)}",)), *self.remarks]


def recognise(
    columns: Sequence[str],
    mapping: Mapping[str, str | None] | None = None,
    unfit: Mapping[str, Set[str]] | None = None,
) -> Layout:
    """Recognise the layout of a file from its column names and from the roles that the user mapped.

    A role mapped to None has no column. `unfit` lists columns whose contents rule out a role.

    >>> recognise(["Date", "HomeTeam", "AwayTeam", "FTHG", "FTAG"]).roles["home_score"]
    'FTHG'
    """
    mapping = mapping or {}
    present = list_names(map(quote_value, columns))
    plain_roles = {plain_name(role) for role in _ROLES}
    for role, column in mapping.items():
        plain = plain_name(role)
        if plain not in plain_roles and not SIDE.fullmatch(plain) and not is_side_result(plain):
            message = f"columns: unknown role {role!r}; roles are {', '.join(_ROLES)}, team1, player1, score1, rank1, …"
            raise Error(message, field="columns", value=role)
        if column is not None and not set(split_columns(column, columns)) <= set(columns):
            message = f"columns: column {column!r}, given for the role {role!r}, not found; the columns are {present}"
            raise Error(message, field="columns", value=column)
    headers = Headers(columns, mapping, unfit)
    for recogniser in (_long, _home_away, _winner_loser, _sides, _ordered, _long_by_parts, _one_match):
        layout = recogniser(headers)
        if layout is not None and headers.mapped.keys() <= {plain_role(role) for role in layout.roles}:
            if headers.more and not layout.sides:
                joined = "+".join(next((first, *more) for first, more in headers.more.items()))
                raise Error(f"columns: {joined!r} joins the players of a side, but the file has a row per player")
            return replace(layout, mapped=frozenset(headers.mapped))
    mapped = f" with columns={dict(mapping)!r}" if mapping else ""
    reason = f"I can't tell what these columns mean: {present}{mapped}"
    raise NoLayout(reason, field="columns", value=mapping or None)


def _long(headers: Headers) -> Layout | None:
    roles = headers.find(aliases.LONG)
    if "match" not in roles or (headers.first(aliases.OPPONENT) and "match" not in headers.mapped):
        return None
    parts = () if "match" in headers.mapped else map(headers.first, (aliases.PARTS[0], aliases.PARTS[-1]))
    return _long_layout(headers, roles, [column for column in parts if column])


def _long_by_parts(headers: Headers) -> Layout | None:
    # Without a match column, the day or the round identifies the match.
    roles = headers.find(aliases.LONG)
    time = headers.first(aliases.COMMON["time"], "moment")
    parts = [column for column in (time, *map(headers.first, aliases.PARTS)) if column]
    if "match" in roles or "match" in headers.unused or not parts or not {"rank", "duration", "score"} & roles.keys():
        return None
    return _long_layout(headers, roles | {"match": parts[0]}, parts)


_LONG_SHAPES = {"players": Shape.TEAMS, "player": Shape.PLAYERS, "team": Shape.SINGLES}


def _long_layout(headers: Headers, roles: dict[str, str], parts: list[str]) -> Layout | None:
    if {"player", "players"} <= roles.keys():
        del roles["player" if "players" in headers.mapped else "players"]
    who = next((role for role in _LONG_SHAPES if role in roles), None)
    if who is None:
        return None
    # In a file with a row per player, a time of day next to a date is the time that the player needed.
    common = headers.find({role: names for role, names in aliases.COMMON.items() if role not in ("time", "clock")})
    moment = headers.mapped.get("time") or headers.first(aliases.COMMON["time"], "moment")
    if moment is not None and "time" not in headers.unused:
        common["time"] = moment
    results = {"rank", "score", "duration", "result"} & roles.keys()
    # Without results, the order of the rows is the result, but only if the user mapped the columns.
    if not results and not {"match", who} <= headers.mapped.keys():
        return None
    if results & {"rank", "score"}:
        roles.pop("duration", None)
    if results & {"rank", "score", "duration"}:
        roles.pop("result", None)
    roles |= {role: column for role, column in common.items() if column != roles.get("duration")}
    if "id" not in {*headers.mapped, *headers.unused} and plain_name(roles["match"]) in aliases.COMMON["id"].split():
        roles["id"] = roles["match"]
    return Layout(_LONG_SHAPES[who], roles, parts=tuple(part for part in parts if part != roles["match"]))


def _one_match(headers: Headers) -> Layout | None:
    # A file that is one match has a place or a time per player, and no column for the match.
    roles = headers.find(aliases.LONG)
    if "match" in headers.unused or "match" in roles or not {"rank", "duration"} & roles.keys():
        return None
    if sum(RACE.fullmatch(name) is not None for name in headers.free) > 1 and not headers.first(aliases.TO_PAR):
        return None  # each race has a column
    if sum(name.isdigit() and int(name) != number for number, name in enumerate(headers.columns, 1)) > 2:
        return None  # a cross table, whose columns are the numbers of the players
    if sum(headers.first(names) is not None for names in aliases.STANDINGS) > 1:
        return None  # a league table sums up many matches
    layout = _long_layout(headers, roles | {"match": ""}, [])
    if layout is None:
        return None
    remark = Remark("one-match", ("no column identifies the matches, so the file is read as one match",))
    return replace(layout.with_roles(match=None), remarks=(remark,))


def _home_away(headers: Headers) -> Layout | None:
    roles = headers.find(aliases.HOME_AWAY)
    if not {"home", "away"} <= roles.keys():
        return None
    sides = tuple(
        Side(roles[role], words, score=roles.get(f"{role}_score"), more=headers.more.get(roles[role], ()))
        for role, words in (("home", ("home", "h", "1")), ("away", ("away", "a", "2")))
    )
    return _with_results(Shape.HOME_AWAY, headers, roles, sides)


def _winner_loser(headers: Headers) -> Layout | None:
    roles = headers.find(aliases.WINNER_LOSER)
    if not {"winner", "loser"} <= roles.keys() or headers.first("third thirdplace"):
        return None
    sides = tuple(
        Side(roles[role], score=roles.get(f"{role}_score"), roster=True, more=headers.more.get(roles[role], ()))
        for role in ("winner", "loser")
    )
    if result := headers.first("score scoreline result finalscore comment"):
        roles["result"] = result
    return Layout(Shape.WINNER_LOSER, roles | _common(headers), sides)


def _sides(headers: Headers) -> Layout | None:
    for group in _groups(headers):
        roles: dict[str, str] = {}
        sides = []
        for number, (stem, label, column) in enumerate(group, 1):
            forms = ["{word}{label}", "{stem}{label}{word}", "{stem}{word}{label}", "{label}{word}"]
            forms += [] if stem else ["{label[0]}{word}", "{word}{label[0]}"]  # a short label: "W pts" belongs to White
            # A number may replace a letter: "score1" belongs to Team A.
            forms += ["{word}{number}"] if stem and not label.isdigit() else []
            results = headers.find(
                {
                    result + label: [
                        form.format(word=word, stem=stem, label=label, number=number)
                        for word in words
                        for form in forms
                    ]
                    for result, words in (("score", aliases.SCORES), ("rank", aliases.RANKS))
                }
            )
            words = {plain_name(column), stem + label, label, label if label.isdigit() else str(number)}
            words |= set() if stem else {label[0]}  # "w" is enough for White
            roster = stem in aliases.ROSTER_STEMS.split()
            score, rank = (results.get(result + label) for result in ("score", "rank"))
            sides.append(Side(column, tuple(sorted(words)), roster, score, rank, headers.more.get(column, ())))
            roles |= {stem + label: column} | results
        layout = _pairs(headers, group, sides) or _with_results(Shape.SIDES, headers, roles, tuple(sides))
        if layout is not None:
            return _with_neutral(headers, layout)
    return _one_view(headers)


def _pairs(headers: Headers, group: Sequence[tuple[str, str, str]], sides: Sequence[Side]) -> Layout | None:
    """Recognise two teams of players in numbered columns: player1 and player2 against player3 and player4.

    The file must have at least four player columns, and either two scores or one result.
    """
    numbers = [label for _, label, _ in group]
    half, columns = len(group) // 2, [column for _, _, column in group]
    scores = [side.score for side in sides]
    if (
        len(group) < 4
        or numbers != [str(number) for number in range(1, 2 * half + 1)]
        or any(side.more for side in sides)
    ):
        return None
    if any(side.rank for side in sides) or any(scores[2:]) or bool(scores[0]) != bool(scores[1]):
        return None
    if not scores[0] and (headers.first(aliases.WINNER_LOSER["winner"]) or not headers.first(aliases.RESULT)):
        return None  # the result names one of several players
    teams = tuple(
        Side(names[0], ("1", "team1", "a") if number == 1 else ("2", "team2", "b"), score=score, more=tuple(names[1:]))
        for number, (names, score) in enumerate(((columns[:half], scores[0]), (columns[half:], scores[1])), 1)
    )
    roles = {f"team{number}": team.column for number, team in enumerate(teams, 1)}
    roles |= {f"score{number}": team.score for number, team in enumerate(teams, 1) if team.score}
    layout = _with_results(Shape.SIDES, headers, roles, teams)
    if layout is None:
        return None
    first, second = (" and ".join(names) for names in (columns[:half], columns[half:]))
    return replace(layout, remarks=(Remark("pairs", (f"{first} played against {second}",)),))


def _with_neutral(headers: Headers, layout: Layout) -> Layout:
    # In matches not on neutral ground, the first side is the home team.
    neutral = headers.find({"neutral": aliases.HOME_AWAY["neutral"]})
    if not neutral or len(layout.sides) != 2:
        return layout
    text = f"{layout.sides[0].column!r} is the home team unless column {neutral['neutral']!r} says otherwise; use "
    remark = Remark("home-by-neutral", (text, Option("columns", {"neutral": None}), " to ignore that column"))
    return replace(layout, roles={**layout.roles, **neutral}, remarks=(*layout.remarks, remark))


def _groups(headers: Headers) -> list[list[tuple[str, str, str]]]:
    """Return groups of columns that may be the sides of a match. Column player1 is given as ("player", "1", column)."""
    groups: dict[tuple[bool, str, str, bool], list[tuple[str, str, str]]] = {}
    for mapped, names in ((True, headers.mapped), (False, headers.free)):
        for name, column in names.items():
            if column in headers.unfit.get("side", ()) and not mapped:
                continue
            if (side := SIDE.fullmatch(name)) and headers.base(column) == column:
                key = (mapped, side["tail"], side["stem"], side["label"].isdigit())
                groups.setdefault(key, []).append((side["stem"], side["label"], column))
    numbered = [sorted(group, key=lambda side: (len(side[1]), side[1])) for group in groups.values() if len(group) > 1]
    numbered = [group for group in numbered if _are_labels("".join(label for _, label, _ in group))]
    # If other columns hold the names, side1 and side2 are colours or directions.
    numbered.sort(key=lambda group: group[0][0] == "side")
    if any(SIDE.fullmatch(name) for name in headers.mapped):
        return numbered
    if not numbered and (twice := headers.repeated_names()):
        numbered.append([("player", str(number), column) for number, column in enumerate(twice, 1)])
    for left, right in reversed(aliases.PAIRS[:-2]):
        first, second = headers.first(left), headers.first(right)
        if first and second:
            numbered.insert(0, [("", left.split()[0], first), ("", right.split()[0], second)])
    return numbered


def _are_labels(labels: str) -> bool:
    # The letters F and A do not label sides: they mean "for" and "against".
    return labels.isdigit() or labels == "xy" or "abcdefgh".startswith(labels)


def _one_view(headers: Headers) -> Layout | None:
    """Recognise a file with a row per match, seen from one side: a player or a team, the opponent, and a result."""
    for names, opponents in aliases.PAIRS[-2:]:
        own = names.split()[0]
        roles = headers.find({own: names, "opponent": opponents})
        if len(roles) < 2:
            continue
        scores = headers.find({"score": aliases.OWN_SCORE, "opponent_score": aliases.OPPONENT_SCORE})
        if len(scores) < 2:
            scores = {}
        sides = tuple(
            Side(roles[role], words, score=scores.get(score), more=headers.more.get(roles[role], ()))
            for role, words, score in (
                (own, (own, "1"), "score"),
                ("opponent", ("opponent", "opp", "2"), "opponent_score"),
            )
        )
        layout = _with_results(Shape.ONE_VIEW, headers, roles | scores, sides)
        if layout is not None:
            return layout.with_roles(venue=headers.first(aliases.VENUE))
    return None


def _ordered(headers: Headers) -> Layout | None:
    # Each column holds the players of one place: first, second and so on.
    for names in aliases.ORDINALS:
        present = [name for name in names if name in headers.free]
        bases = Counter(map(headers.base, headers.columns))
        if any(headers.free[name] in headers.unfit.get(name, ()) or bases[headers.free[name]] > 1 for name in present):
            continue  # these are places in a world ranking, or two players share a place
        if len(present) > 1 and present == list(names[: len(present)]):
            columns = [headers.free[name] for name in present]
            roles = {f"rank{place}": column for place, column in enumerate(columns, 1)} | _common(headers)
            return Layout(Shape.PLACES, roles, tuple(Side(column, roster=True) for column in columns))
    return None


def _with_results(shape: Shape, headers: Headers, roles: dict[str, str], sides: tuple[Side, ...]) -> Layout | None:
    # Columns that the user mapped come first, then scores, ranks and the winner, in this order.
    scored, ranked = (all(getattr(side, result) for side in sides) for result in ("score", "rank"))
    partly = not scored and any(side.score for side in sides)
    half = next((side.score for side in sides if side.score), None) if partly else None
    rank_mapped = any(role.startswith("rank") for role in headers.mapped)
    for result, used in (("score", scored), ("rank", ranked and (rank_mapped or not scored))):
        if not used:
            dropped: dict[str, Any] = {result: None}
            columns = {getattr(side, result) for side in sides}
            roles = {role: column for role, column in roles.items() if column not in columns}
            sides = tuple(replace(side, **dropped) for side in sides)
    if not scored and (twins := headers.twins([side.column for side in sides])):
        scored, ranked = True, False
        sides = tuple(replace(side, score=score, rank=None) for side, score in zip(sides, twins, strict=True))
        roles = roles | {f"score{number}": score for number, score in enumerate(twins, 1)}
    names = [*(f"{word}{won}" for word in sides[0].words for won in aliases.WON), *aliases.RESULT.split()]
    names += [f"result{word}" for word in sides[0].words if partly]  # the result from the first side's view
    if partly:
        # Only one side has its own score column, so a column named just "score" belongs to the other side.
        names = [name for name in names if name not in aliases.SCORES]
    if "winner" in headers.mapped or not (scored or ranked):
        roles = roles | headers.find({"winner": names})
        if "winner" not in roles:
            return None
    remarks: tuple[Remark, ...] = ()
    if half is not None and half not in roles.values() and "winner" not in headers.mapped:
        text = f"column {half!r} is not used as a score, because no column has the score of the other side"
        remarks = (Remark("half-scores", (text,), half),)
    also = [headers.free[name] for name in names if name in headers.free and headers.free[name] not in roles.values()]
    return Layout(shape, roles | _common(headers), sides, also=tuple(also), remarks=remarks)


def _common(headers: Headers) -> dict[str, str]:
    # A time of day is used only if another column has dates.
    roles = headers.find(aliases.COMMON)
    if "time" not in roles or roles.get("clock") == roles["time"]:
        roles.pop("clock", None)
    return roles
