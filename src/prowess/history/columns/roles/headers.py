"""Column names and roles: normalised spellings, and the column for each role."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from functools import lru_cache

from ...names.spelling import plain_name
from . import aliases

_AGAIN = (" (2)", ".1", "_duplicated_0")  # suffixes of duplicate names
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_]+")
_MEMBER = re.compile(
    "(?P<side>(?:team|side|squad|pair|t|mannschaft|equipe|equipo|squadra|paar)(?:[0-9]|[a-h])"
    "|winner|loser|home|away|white|black|red|blue|left|right)"
    "(?:player|p|member|name|spieler|joueur|jugador|giocatore|jogador|speler|gracz|игрок)?(?P<number>[1-9][0-9]?)(?P<tail>name|id)?"
)
# A1 and A2 against B1 and B2
_LETTER_MEMBER = re.compile(f"(?:sp|{'|'.join(aliases.NAME_STEMS.split())})?(?P<side>[a-h])(?P<number>[1-9])(?P<tail>)")
_STEM = f"(?P<stem>{'|'.join(sorted(f'{aliases.ROSTER_STEMS} {aliases.NAME_STEMS}'.split(), key=len, reverse=True))})"
_LABEL = "(?P<label>[0-9]{1,2}|[a-hxy])"
SIDE = re.compile(f"{_STEM}{_LABEL}(?P<tail>|name|id|players|roster|members)")
# A column per race or round of a tournament: R1, Race 2, 3.Rd.
RACE = re.compile(r"(?:r|race|round|rd|heat|leg|runde|week|game)[1-9][0-9]?|[1-9][0-9]?(?:rd|round|runde)")
_SIDE_RESULT = re.compile(f"{_STEM}?{_LABEL}(?P<what>score|rank)|(?P<what2>score|rank)(?P<label2>[0-9]{{1,2}}|[a-hxy])")


_SET = re.compile(r"(?:satz|set|sett|manche)[1-9]|[1-9](?:satz|set|sett|manche)")
SCORE_HEADERS = frozenset((*aliases.SCORES, *f"{aliases.SCORES_ALONE} {aliases.SCORE_WORDS} golos pontos".split()))
_NAMED = re.compile(r"(?P<stem>.+?)(?:\s*[\[(]|[\s:_]+)(?P<name>[^\[\]()]+)[\])]?")
_RESULTS = frozenset(f"{aliases.WINNER_LOSER['winner']} {aliases.LONG['rank']} verdict preferred vote choice".split())
# Words of headers of numbers that are no scores, unless another word says so, as in "round points".
_COUNTED = (*aliases.PARTS, aliases.TABLES, aliases.HEATS, aliases.GAME_NUMBER, aliases.TIMED, aliases.NO_SCORES)
_TIMES = (aliases.LONG["duration"], aliases.COMMON["time"])
_NO_SCORES = {*_RESULTS, *" ".join((*_COUNTED, *_TIMES)).split()} - SCORE_HEADERS
_OF_PLAYERS = {*aliases.LONG["rank"].split(), *aliases.LONG["score"].split(), *aliases.SCORES}
_PLAIN_SIDES = frozenset(("home", "away", "winner", "loser", "white", "black", "red", "blue", "left", "right"))


@lru_cache(1024)
def header_words(column: str) -> frozenset[str]:
    """Return the words and numbers of a header.

    >>> sorted(header_words("homeTeam_Players2")), sorted(header_words("Goście"))
    (['2', 'home', 'players', 'team'], ['goscie'])
    """
    spelt = column if column.isascii() else re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFKD", column))
    return frozenset(map(plain_name, _WORD.findall(spelt)))


@lru_cache(1024)
def plain_role(role: str) -> str:
    """Normalise the name of a role: "team1_score", "score_1" and "score1" all become "score1".

    >>> plain_role("team1_score"), plain_role("home_score")
    ('score1', 'homescore')
    """
    plain = plain_name(role)
    parts = _SIDE_RESULT.fullmatch(plain)
    return plain if parts is None else (parts["what"] or parts["what2"]) + (parts["label"] or parts["label2"])


def is_side_result(role: str) -> bool:
    """Return whether a role is the score or the rank of a side.

    >>> is_side_result("score1"), is_side_result("score")
    (True, False)
    """
    return _SIDE_RESULT.fullmatch(plain_name(role)) is not None


def may_be_score(column: str) -> bool:
    """Return whether the header of a column of numbers allows that these are scores.

    >>> [column for column in ("Court", "tokens_a", "Goals", "winner_idx", "Round points") if may_be_score(column)]
    ['Goals', 'Round points']
    """
    words = {plain_name(column), *header_words(column)}
    return not words & _NO_SCORES or bool(words & SCORE_HEADERS)


def tells_result(column: str) -> bool:
    """Return whether a word of a header means a winner or a place."""
    return bool(header_words(column) & _RESULTS)


def numbered(columns: Iterable[str]) -> set[str]:
    """Return the columns whose headers differ only in a number: quarters, rounds or sets."""
    plain = {column: re.sub(r"\d+", "", plain_name(column)) for column in columns}
    number = Counter(plain.values())
    return {column for column, name in plain.items() if number[name] > 1}


def bare_names(columns: Sequence[str]) -> dict[str, str]:
    """Return the name in each header if all share their other words, as in a form; {} if they do not.

    >>> bare_names(["Finish [Ann]", "Finish [Bob]"]), bare_names(["Platz Ann", "Platz Bob"]), bare_names(["Ann", "Bob"])
    ({'Finish [Ann]': 'Ann', 'Finish [Bob]': 'Bob'}, {'Platz Ann': 'Ann', 'Platz Bob': 'Bob'}, {})
    """
    parts = [found for column in columns if (found := _NAMED.fullmatch(column))]
    stems = {plain_name(found["stem"]) for found in parts}
    shared = len(parts) == len(columns) and len(stems) == 1
    fits = shared and (stems <= _OF_PLAYERS or all(column[-1] in ")]" for column in columns))
    return {found[0]: found["name"] for found in parts} if fits else {}


def are_alike(first: str, second: str) -> bool:
    """Return whether two headers differ only in one word, which names the side.

    >>> are_alike("Goals H", "Goals A"), are_alike("Score", "Score (2)"), are_alike("S1A", "S1B")
    (True, True, True)
    >>> are_alike("Hcp A", "Tot A")
    False
    """
    one, two = header_words(first), header_words(second)
    shared, other = (max(map(len, words), default=0) for words in (one & two, one ^ two))
    return max(len(one - two), len(two - one)) <= 1 and (shared > 1 or shared == other == 1)


def set_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that each hold one set of a match, as in tennis; empty if there are fewer than two.

    >>> set_columns(["Heim", "Gast", "1. Satz", "2. Satz"]), set_columns(["set1", "winner"])
    (('1. Satz', '2. Satz'), ())
    """
    sets = tuple(column for column in columns if _SET.fullmatch(plain_name(column)))
    return sets if len(sets) > 1 else ()


def split_columns(text: str, columns: Collection[str]) -> tuple[str, ...]:
    """Split the column names to which a role is mapped: one name, or several names joined by plus signs.

    >>> split_columns("A1+A2", ["A1", "A2", "B1"]), split_columns("G+A", ["G+A", "G", "A"])
    (('A1', 'A2'), ('G+A',))
    """
    parts = tuple(part.strip() for part in text.split("+"))
    return parts if text not in columns and len(parts) > 1 and set(parts) <= set(columns) else (text,)


class Headers:
    """The columns of a file by normalised name, and the roles that the user mapped to a column or to None."""

    def __init__(
        self, columns: Sequence[str], mapping: Mapping[str, str | None], unfit: Mapping[str, Set[str]] | None = None
    ) -> None:
        """Index the columns.

        A column that the user mapped gets no other role. `unfit` has, for each role, the columns that cannot have it.
        """
        self.columns = tuple(columns)
        self.unfit = unfit or {}
        given = {role: split_columns(column, columns) for role, column in mapping.items() if column is not None}
        taken = {column for parts in given.values() for column in parts}
        self.mapped = {plain_role(role): parts[0] for role, parts in given.items()}
        self.unused = {plain_role(role) for role, column in mapping.items() if column is None}
        self.free = {plain_name(column): column for column in reversed(columns) if column not in taken}
        self.words = {column: header_words(column) for column in self.free.values()}
        self.more = {parts[0]: parts[1:] for parts in given.values() if len(parts) > 1}
        if (joined := "+".join(set_columns(columns))) in columns:
            self.free.setdefault("sets", joined)
        self._gather_members()

    def find(self, names: Mapping[str, str | Sequence[str]]) -> dict[str, str]:
        """Return the column of each role.

        A column is mapped to a role by the user, or found by a known alias or by words in its name.
        """
        columns = {}
        for role, spellings in names.items():
            column = self.mapped.get(plain_role(role)) or self.first(spellings, role) or self._by_words(role)
            if column is not None and plain_role(role) not in self.unused:
                columns[role] = column
        return columns

    def first(self, spellings: str | Sequence[str], role: str = "") -> str | None:
        """Return the first column whose name is one of the spellings, ignoring columns that are unfit for the role."""
        names = spellings.split() if isinstance(spellings, str) else spellings
        present = (self.free[name] for name in names if name in self.free)
        return next((column for column in present if column not in self.unfit.get(role, ())), None)

    def repeated_names(self) -> tuple[str, str] | None:
        """Return two name columns with the same header, one before and one after the result column, or None."""
        result = self.first(aliases.RESULT)
        if result is None:
            return None
        middle = self.columns.index(result)
        for stem in f"{aliases.NAME_STEMS} {aliases.ROSTER_STEMS}".split():
            same = [column for column in self.columns if self.base(column) == self.free.get(stem)]
            left = [column for column in same if self.columns.index(column) < middle]
            right = [column for column in same if self.columns.index(column) > middle]
            if left and right:
                return left[-1], right[0]
        return None

    def base(self, column: str) -> str:
        """Return the header of a column without the number that distinguishes duplicates: "Name" for "Name (2)"."""
        name, bracket, _ = column.rpartition(" (")
        return name if bracket and name in self.columns and column.endswith(")") else column

    def twins(self, sides: Sequence[str]) -> list[str]:
        """Return two score columns with the same header (such as "G"), in the order of the sides; [] if there are none.

        Both columns must come after the first side's column.
        """
        at = {column: index for index, column in enumerate(self.columns)}
        for name, column in self.free.items():
            copy = next((f"{column}{mark}" for mark in _AGAIN if f"{column}{mark}" in at), None)
            if name not in aliases.SCORES_ALONE.split() or copy is None or len(sides) != 2:
                continue
            left, right, first, second = (at[each] for each in (*sides, column, copy))
            if min(left, right) < first < second:
                return [column, copy] if left < right else [copy, column]
        return []

    def _by_words(self, role: str) -> str | None:
        """Find a column by the words in a longer name: `home_team_goal_count` is the score of the home side."""
        side, _, what = role.partition("_")
        if side not in aliases.SIDE_WORDS or (what and what != "score"):
            return None
        keys, scores = set(aliases.SIDE_WORDS[side].split()), set(aliases.SCORE_WORDS.split())
        scores |= set(aliases.TOTALS.split()) if what else set()  # beside columns of quarters or rounds
        fillers = set((aliases.SCORE_FILLERS if what else aliases.NAME_WORDS).split())
        columns = [
            column
            for column, words in self.words.items()
            if words & keys and bool(words & scores) == bool(what) and words - keys - scores <= fillers
        ]
        short = {"id", "code", "short"}
        return min(columns, key=lambda column: (bool(self.words[column] & short), len(column)), default=None)

    def _gather_members(self) -> None:
        """Group columns that each hold one player of a side, such as winner1 and winner2."""
        sides = self._numbered_members(_MEMBER)
        # If there are columns such as Player A, then A1 is the first set, not a player.
        if not sides and not any(SIDE.fullmatch(name) for name in self.free):
            sides = self._numbered_members(_LETTER_MEMBER)
        for side, columns in sides.items():
            self._group(f"team{side[-1]}" if len(side) < 3 else side, columns)
        partner, opponents = self.first(aliases.PARTNER), self._opponents()
        if partner is not None and len(opponents) > 1 and (own := self.first(aliases.PAIRS[-2][0])):
            self._group(aliases.PAIRS[-2][0].split()[0], (own, partner))
            self._group("opponent", opponents)
        self._gather_unnamed()

    def _numbered_members(self, pattern: re.Pattern[str]) -> dict[str, tuple[str, ...]]:
        # Two sides must have a first player, and one of them a second player; else the numbers mean something else.
        by_tail: dict[str, dict[str, dict[int, str]]] = {"name": {}, "": {}, "id": {}}  # names are better than ids
        for name, column in self.free.items():
            member = pattern.fullmatch(name)
            if member and not any(word in name for word in (*aliases.SCORES, *aliases.RANKS)):
                side = by_tail[member["tail"] or ""].setdefault(member["side"], {})
                side.setdefault(int(member["number"]), column)
        for sides in by_tail.values():
            members = [sorted(numbers) for numbers in sides.values()]
            if len(sides) > 1 and max(map(len, members)) > 1 and all(numbers[0] == 1 for numbers in members):
                return {side: tuple(numbers[number] for number in sorted(numbers)) for side, numbers in sides.items()}
        return {}

    def _opponents(self) -> tuple[str, ...]:
        """Return the columns of two opponents: Opponent 1 and Opponent 2, or an opponent and that player's partner.

        Return () if there are no such columns.
        """
        pairs = (("opponent1", "opponent2"), ("opponent", aliases.OPPONENT_PARTNER))
        columns = ([column for names in pair if (column := self.first(names))] for pair in pairs)
        return next((tuple(pair) for pair in columns if len(pair) == 2), ())

    def _gather_unnamed(self) -> None:
        """Add unnamed columns of names to the side before them: a merged heading names only its first column."""
        following: dict[str, list[str]] = {}
        side = None
        for number, column in enumerate(self.columns, 1):
            if column == str(number) and column not in self.unfit.get("member", ()):
                if side is not None:
                    following[side].append(column)
                continue
            side = column if SIDE.fullmatch(plain_name(column)) or plain_name(column) in _PLAIN_SIDES else None
            if side is not None:
                following[side] = []
        if (
            len(following) == 2
            and len({len(columns) for columns in following.values()} - {0}) == 1
            and all(following.values())
        ):
            for side, columns in following.items():
                self._group(plain_name(side), (side, *columns))

    def _group(self, name: str, columns: Sequence[str]) -> None:
        self.free = {plain: column for plain, column in self.free.items() if column not in columns}
        self.free[name] = columns[0]
        self.more[columns[0]] = tuple(columns[1:])
