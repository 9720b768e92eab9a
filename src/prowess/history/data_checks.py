"""What is no error but worth a look: names that may be one person, gaps in time, results far outside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..text import count
from .history import History
from .names import one_letter_apart, plain_spelling
from .ragged import owners
from .times import DAY, show_time

MANY = 100_000  # names that are compared with each other, at the most
FEW = 5  # of one kind that are told one by one
RARE = 3  # matches of a name that may be a slip of the pen
FAR = 15.0  # quartile ranges from the upper quartile to a score that may be one
GAP = 3.0  # times the fourth longest break is a break that may be missing matches


class Suspicion(NamedTuple):
    """Something that may be wrong: its kind and what it is, in words."""

    kind: str
    text: str


def suspicions(history: History) -> list[Suspicion]:
    """All that looks strange in a history, by kinds; of each kind the clearest.

    >>> matches = [{"teams": [["John Smith"], ["Ann"]]}] * 9 + [{"teams": [["Jhon Smith"], ["Ann"]]}]
    >>> suspicions(History.from_matches(matches))[0].text
    "'Jhon Smith' (1 match) may be 'John Smith' (9 matches)"
    """
    if not len(history):
        return []
    return [*_spellings(history), *_slips(history), *_single(history), *_gaps(history), *_scores(history)]


def _counts(history: History) -> NDArray[np.int64]:
    return np.bincount(history.player, minlength=len(history.players))


def _spellings(history: History) -> Iterator[Suspicion]:
    """Names that differ only in case, accents, blanks, dots or hyphens."""
    counts = _counts(history)
    spelt: dict[str, list[int]] = {}
    for player in np.flatnonzero(counts)[:MANY].tolist():
        spelt.setdefault(plain_spelling(history.players[player]), []).append(player)
    same = [sorted(group, key=lambda player: -counts[player]) for group in spelt.values() if len(group) > 1]
    met = _met(history, [(group[0], other) for group in same for other in group[1:]])
    same = [group for group in same if not any((group[0], other) in met for other in group[1:])]
    texts = [" and ".join(_named(history, player, counts) for player in group) for group in same]
    yield from _some("spelling", [f"{text} are spelt almost alike" for text in texts], "more names are spelt alike")


def _slips(history: History) -> Iterator[Suspicion]:
    """Rare names that are one letter from a frequent one."""
    counts = _counts(history)
    if np.count_nonzero(counts) > MANY:
        yield Suspicion("spelling", f"more than {MANY:,} players: their names were not compared letter by letter")
        return
    players = np.flatnonzero(counts).tolist()
    pairs = one_letter_apart([plain_spelling(history.players[player]) for player in players])
    apart = [(players[first], players[other]) for first, other in pairs]
    apart = [(a, b) if counts[a] < counts[b] else (b, a) for a, b in apart]
    apart = [(rare, often) for rare, often in apart if counts[rare] <= RARE and counts[often] >= 3 * counts[rare]]
    met = _met(history, apart)
    apart = sorted((pair for pair in apart if pair not in met), key=lambda pair: -counts[pair[1]])
    texts = [f"{_named(history, rare, counts)} may be {_named(history, often, counts)}" for rare, often in apart]
    yield from _some("spelling", texts, "more rare names are one letter from another")


def _met(history: History, pairs: list[tuple[int, int]]) -> set[tuple[int, int]]:
    """Those pairs who stand in one match, and so are two."""
    if not pairs:
        return set()
    entry = np.flatnonzero(np.isin(history.player, np.unique(np.array(pairs))))
    match = owners(history.match_start)[owners(history.team_start)[entry]]
    played: dict[int, set[int]] = {}
    for player, number in zip(history.player[entry].tolist(), match.tolist(), strict=True):
        played.setdefault(player, set()).add(number)
    return {(a, b) for a, b in pairs if played[a] & played[b]}


def _named(history: History, player: int, counts: NDArray[np.int64]) -> str:
    return f"{history.players[player]!r} ({count(counts[player], 'match', 'matches')})"


def _single(history: History) -> Iterator[Suspicion]:
    """Players of a single match, of whom next to nothing is known."""
    counts = _counts(history)
    once, players = np.flatnonzero(counts == 1), np.count_nonzero(counts)
    if len(once):
        names = ", ".join(history.players[player] for player in once[:FEW])
        more, have = ", …" if len(once) > FEW else "", "has" if len(once) == 1 else "have"
        yield Suspicion("single", f"{len(once):,} of {players:,} players {have} a single match: {names}{more}")


def _gaps(history: History) -> Iterator[Suspicion]:
    """Breaks that are much longer than the others."""
    if history.time is None or history.time_kind is None:
        return
    moments = np.unique(history.time)
    breaks = np.diff(moments).astype(np.float64)
    if len(breaks) < 10:
        return
    usual = np.partition(breaks, -4)[-4]
    long = [index for index in np.argsort(-breaks, kind="stable")[:3] if breaks[index] >= GAP * usual]
    for index in sorted(long):
        first, last = (show_time(history.time_kind, history.time_zone, moments[at]) for at in (index, index + 1))
        length = f"{breaks[index]:g}" if history.time_kind == "number" else f"{breaks[index] / DAY:,.0f} days"
        before, after = (int((history.time <= moments[index]).sum()), int((history.time > moments[index]).sum()))
        sides = f"{count(before, 'match', 'matches')} before, {after:,} after"
        yield Suspicion("gap", f"no match between {first} and {last} ({length}; {sides})")


def _scores(history: History) -> Iterator[Suspicion]:
    """Scores far above all others."""
    if history.score is None:
        return
    lower, upper = np.nanquantile(history.score, [0.25, 0.75])
    limit = upper + FAR * max(upper - lower, 1.0)
    low = lower - FAR * max(upper - lower, 1.0)
    team = np.flatnonzero((history.score > limit) | (history.score < low))
    team = team[np.argsort(-np.abs(history.score[team] - upper), kind="stable")]
    match = np.searchsorted(history.match_start, team, side="right") - 1
    why = "is far from the others"
    texts = [f"{_told(history, i)}: the score {history.score[j]:g} {why}" for i, j in zip(match, team, strict=True)]
    yield from _some("score", texts, "more scores are far from the others")


def _told(history: History, match: int) -> str:
    """A match, so that it is found in the file."""
    plain = history[int(match)]
    teams = " – ".join(" + ".join(team[:2]) + (" …" if len(team) > 2 else "") for team in plain["teams"][:3])
    when = f"{plain['time']}, " if "time" in plain else ""
    name = f"{plain['id']}, " if "id" in plain else ""
    return f"{name}{when}{teams}{' …' if len(plain['teams']) > 3 else ''}"


def _some(kind: str, texts: list[str], more: str) -> Iterator[Suspicion]:
    """The first of some, and how many more there are."""
    for text in texts[:FEW]:
        yield Suspicion(kind, text)
    if len(texts) > FEW:
        yield Suspicion(kind, f"{len(texts) - FEW:,} {more}")
