"""Find groups of columns with a value for each side of a match, such as home_seed and away_seed, by their names."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from .aliases import SIDE_WORDS
from .headers import SIDE
from .layout import Layout, Shape

Words = tuple[str, ...]  # the words of a name, in lower case
Labels = tuple[Words, ...]  # the words that stand for each side, such as home and away

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_]+")
_BETWEEN = " _-.:/|#()[]"  # separates the words of a name
_OWNERS = frozenset(("team", "player", "side", "club", "squad", "competitor", "fighter", "athlete", "p", "t"))
# Numbers and letters after these words count parts of a match, or officials, but not sides.
_PARTS = frozenset(
    word
    for words in (
        "set sets satz half period quarter q inning leg game map round r race heat frame end part over day week stage",
        "match referee ref umpire judge official officials linesman assistant commentator comment note caster group",
        "pool court table",
    )
    for word in words.split()
)
_HOME = f"{SIDE_WORDS['home']} hometeam hjemme hemma thuis gospodarze gospodarz".split()
_AWAY = f"{SIDE_WORDS['away']} awayteam ospiti fuori uit goscie gosc borta auswarts auswärts".split()
_WINNER = f"{SIDE_WORDS['winner']} won sieger gewinner vainqueur gagnant ganador vincitore победитель".split()
_LOSER = f"{SIDE_WORDS['loser']} lost verlierer perdant perdedor perdente sconfitto проигравший".split()
_OWN = ("team", "player", "own", "my", "your", "our", "self", "me")
_OPPONENT = ("opponent", "opp", "opponents", "their", "gegner", "adversaire", "rival", "avversario", "соперник")
# Letters that stand for a side even without a separator, as in HST and AST, or WRank and LRank.
_LETTERS = {Shape.HOME_AWAY: (("h", "a"), ("h", "v")), Shape.WINNER_LOSER: (("w", "l"),)}
_MOST = 1000  # maximum number of columns that are compared with others
_LONG = 4  # minimum length of a word that stands for a side without a separator
_SHORT = 5  # maximum length of a lower-case column name that may begin with a letter for a side


@dataclass(frozen=True)
class SideColumns:
    """Columns that hold one value for each side, in the order of the sides, and their common name.

    If each player of a side has a column, `members` is the number of players per side; their columns are adjacent.
    """

    name: str
    columns: tuple[str, ...]
    members: int = 0


def find_side_columns(layout: Layout, columns: Sequence[str], every: Sequence[str] = ()) -> list[SideColumns]:
    """Return the groups of columns that hold a value for each side; no column is in two groups.

    `every` lists all columns of the file. If it is given, two columns with the same name are a group, too: the first
    belongs to the first side, and the second to the second side.

    >>> from .layout import recognise
    >>> layout = recognise(["winner_name", "loser_name", "score"])
    >>> groups = find_side_columns(layout, ["surface", "winner_age", "loser_age", "w_ace", "l_ace"])
    >>> [(group.name, group.columns) for group in groups]
    [('age', ('winner_age', 'loser_age')), ('ace', ('w_ace', 'l_ace'))]
    """
    if len(layout.sides) < 2:
        return []
    free = dict.fromkeys(columns)
    by_words: dict[Words, str] = {}
    for column in columns:
        by_words.setdefault(_words(column), column)
    groups: list[SideColumns] = []
    families = list(_families(layout))
    known = {word for labels in families for label in labels for word in label}
    plain = {column.lower(): column for column in columns}
    parts = {word for word in known if len(word) >= _LONG}
    for column in columns[:_MOST]:
        if column not in free:
            continue
        group = None
        if known.intersection(_words(column)):
            group = _by_member(column, families, by_words, layout) or _by_words(column, families, by_words)
        if group is None and any(word in column.lower() for word in parts):
            group = _by_syllable(column, families, plain)
        group = group or _by_letter(column, layout, free) or _by_repetition(column, layout, free, every)
        if group is not None and len(set(group.columns)) == len(group.columns) and free.keys() >= set(group.columns):
            groups.append(group)
            for used in group.columns:
                del free[used]
    return groups


def _words(name: str) -> Words:
    return tuple(word.lower() for word in _WORD.findall(name))


def _families(layout: Layout) -> Iterator[Labels]:
    """Yield the pairs (or longer tuples) of words that may name the sides, likeliest first."""
    yield tuple(_words(side.column) for side in layout.sides)
    if layout.shape == Shape.HOME_AWAY:
        yield from _pairs(_HOME, _AWAY)
        yield from (_labels("h", "a"), _labels("h", "v"), _labels("1", "2"))
    elif layout.shape == Shape.WINNER_LOSER:
        yield from _pairs(_WINNER, _LOSER)
        yield _labels("w", "l")
    elif layout.shape == Shape.ONE_VIEW:
        yield from _pairs(_OWN, _OPPONENT)
        yield from (((), (word,)) for word in _OPPONENT)  # such as elo and opp_elo
    elif layout.shape == Shape.SIDES:
        yield from _numbered(layout)


def _labels(*words: str) -> Labels:
    return tuple((word,) for word in words)


def _pairs(first: Iterable[str], second: Iterable[str]) -> Iterator[Labels]:
    return (_labels(*pair) for pair in product(first, second))


def _numbered(layout: Layout) -> Iterator[Labels]:
    """Yield the labels of sides such as player1 and player2, Team A and Team B, or White and Black."""
    role = {column: name for name, column in reversed(list(layout.roles.items()))}
    names = [role[side.column] for side in layout.sides]
    matches = [SIDE.fullmatch(name) for name in names]
    labels = [name if match is None else match["label"] for name, match in zip(names, matches, strict=True)]
    numbers, letters = [str(number) for number in range(1, len(names) + 1)], "abcdefgh"[: len(names)]
    yield _labels(*labels)
    if all(matches):
        yield from (_labels(*numbers), *([_labels(*letters)] if len(letters) == len(names) else []))
    elif len({name[:1] for name in names}) == len(names):
        yield _labels(*(name[:1] for name in names))


def _by_words(column: str, families: Sequence[Labels], by_words: dict[Words, str]) -> SideColumns | None:
    """Return the group of a column whose name contains the words for a side; None if a side has no such column."""
    words = _words(column)
    for labels in families:
        for label in filter(None, labels):
            for start in range(len(words) - len(label) + 1):
                end = start + len(label)
                if words[start:end] != label or len(words) == len(label):
                    continue
                names = [(*words[:start], *other, *words[end:]) for other in labels]
                if all(name in by_words for name in names) and not _counts_parts(words, start, labels, by_words):
                    return SideColumns(_name_without(column, start, end), tuple(by_words[name] for name in names))
    return None


def _by_member(
    column: str, families: Sequence[Labels], by_words: dict[Words, str], layout: Layout
) -> SideColumns | None:
    """Return the group of a column for one of several players: winner1_age, winner2_age, loser1_age, loser2_age."""
    words, members = _words(column), 1 + max(len(side.more) for side in layout.sides)
    if members == 1:
        return None
    numbers = {str(number) for number in range(1, members + 1)}
    for labels in families:
        for label in filter(None, labels):
            for start in range(len(words) - len(label)):
                end = start + len(label)
                end += words[end] in _OWNERS
                if words[start : start + len(label)] != label or not set(words[end : end + 1]) & numbers:
                    continue
                between = words[start + len(label) : end]
                names = [
                    (*words[:start], *other, *between, str(number), *words[end + 1 :])
                    for other in labels
                    for number in range(1, members + 1)
                ]
                if len(words) > end + 1 and all(name in by_words for name in names):
                    name = _name_without(column, start, end + 1)
                    return SideColumns(name, tuple(by_words[name] for name in names), members)
    return None


def _counts_parts(words: Words, start: int, labels: Labels, by_words: dict[Words, str]) -> bool:
    """Return whether a number or letter in a column name counts parts of a match, such as sets, and not its sides."""
    if labels[0] not in (("1",), ("a",)):
        return False
    following = str(len(labels) + 1) if labels[0] == ("1",) else "abcdefghi"[len(labels)]
    beside = {*words[max(start - 1, 0) : start], *words[start + 1 : start + 2]}
    return bool(beside & _PARTS) or (*words[:start], following, *words[start + 1 :]) in by_words


def _by_syllable(column: str, families: Sequence[Labels], plain: dict[str, str]) -> SideColumns | None:
    """Return the group of a column with a name such as homeseed, in which no separator follows the side."""
    text = column.lower()
    for labels in families:
        if not any(len(label) == 1 and label[0] in text for label in labels):
            continue
        if any(len(label) != 1 or len(label[0]) < _LONG for label in labels):
            continue
        for (label,) in labels:
            for name, form in ((text.removeprefix(label), "{0}{1}"), (text.removesuffix(label), "{1}{0}")):
                partners = [form.format(other, name) for (other,) in labels]
                if name and name != text and all(partner in plain for partner in partners):
                    kept = column[len(label) :] if form == "{0}{1}" else column[: -len(label)]
                    return SideColumns(kept.strip(_BETWEEN), tuple(plain[partner] for partner in partners))
    return None


def _name_without(column: str, start: int, end: int) -> str:
    """Return a column name without its words from `start` to `end`, and without an adjacent word such as "team"."""
    words = list(_WORD.finditer(column))
    if len(words) > end - start + 1:
        if start and words[start - 1][0].lower() in _OWNERS:
            start -= 1
        elif end < len(words) and words[end][0].lower() in _OWNERS:
            end += 1
    head = column[: words[start].start()].rstrip(_BETWEEN)
    tail = column[words[end - 1].end() :]
    return _title(f"{head}{tail}" if head else tail)


def _title(name: str) -> str:
    # A bare number, as in W1 and L1, becomes the name of a set.
    name = name.strip(_BETWEEN)
    return f"set {name}" if name.isdigit() else name


def _by_letter(column: str, layout: Layout, free: dict[str, None]) -> SideColumns | None:
    """Return the group of a column with a name such as HST, B365H or HTHG, in which a letter means the side."""
    for first, second in _LETTERS.get(layout.shape, ()):
        for letter, other, side in ((first, second, 0), (second, first, 1)):
            if column.lower() == column and len(column) <= _SHORT:
                places = [0] if column.startswith(letter) else []
            else:
                letter, other = letter.upper(), other.upper()
                ends = (0, len(column) - 1)
                places = sorted((at for at, own in enumerate(column) if own == letter), key=lambda at: at not in ends)
            for at in places:
                partner = f"{column[:at]}{other}{column[at + 1 :]}"
                name = _title(f"{column[:at]}{column[at + 1 :]}")
                if partner in free and name:
                    return SideColumns(name, (column, partner) if side == 0 else (partner, column))
    return None


def _by_repetition(column: str, layout: Layout, free: dict[str, None], every: Sequence[str]) -> SideColumns | None:
    """Return the group of two columns with the same header, such as Rtg in White, Rtg, Result, Black, Rtg (2)."""
    again = f"{column} (2)"
    if len(layout.sides) != 2 or again not in free or f"{column} (3)" in every or again not in every:
        return None
    first, second = (every.index(side.column) for side in layout.sides)
    return SideColumns(column, (column, again) if first < second else (again, column))
