"""Find data that is valid but suspicious: similar names, gaps in time, extreme scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import Option, Remark
from ..text import count
from .history import History
from .names.spelling import one_letter_apart, plain_spelling, spelt_alike
from .ragged import owners
from .slicing import stamp_of
from .times import DAY, show_time

MANY = 100_000  # maximum number of names compared with each other
FEW = 5  # number of suspicions listed per kind
SPELLING = "similar-names"  # the code of remarks on names that are spelt almost alike
SHOWN = 3  # number of groups of similar names in a remark
RARE = 3  # a name with more matches is not considered a misspelling
FAR = 15.0  # a score is suspicious if it is this many interquartile ranges beyond the quartiles
GAP = 3.0  # a gap is suspicious if it is this many times as long as the fourth longest gap

Counts = NDArray[np.int64]  # matches of each player


class Suspicion(NamedTuple):
    """Something that may be wrong in the data: its kind, and a sentence about it.

    If several names may belong to one player, `aliases` pairs each of the rarer names with the most frequent one.
    """

    kind: str
    text: str
    aliases: tuple[tuple[str, str], ...] = ()


def suspicions(history: History) -> list[Suspicion]:
    """Return the suspicions about a history, grouped by kind, with only the clearest cases of each kind.

    >>> matches = [{"teams": [["John Smith"], ["Ann"]]}] * 9 + [{"teams": [["Jhon Smith"], ["Ann"]]}]
    >>> suspicions(History.from_matches(matches))[0].text
    "'Jhon Smith' (1 match) may be 'John Smith' (9 matches)"
    """
    if not len(history):
        return []
    counts = np.bincount(history.player, minlength=len(history.players))
    suspicious: list[Suspicion] = []
    for kind, found, more in (
        ("spelling", _spellings(history, counts), "more pairs of names are spelt almost alike"),
        ("spelling", _slips(history, counts), "more rare names differ by one letter from another name"),
        ("single", _single(history, counts), ""),
        ("gap", _gaps(history), ""),
        ("score", _scores(history), "more scores are far from all others"),
    ):
        suspicious += [one if isinstance(one, Suspicion) else Suspicion(kind, one) for one in found[:FEW]]
        if len(found) > FEW:
            suspicious.append(Suspicion(kind, f"{len(found) - FEW:,} {more}"))
    return suspicious


def note_spellings(history: History) -> History:
    """Add a remark if names are spelt almost alike, unless they belong to players of the same match."""
    if not spelt_alike(history.players):
        return history
    alike = [one.text for one in _spellings(history, np.bincount(history.player, minlength=len(history.players)))]
    others = tuple(remark for remark in history.remarks if remark.code != SPELLING)
    return replace(history, remarks=(*others, *spelling_remarks(alike)))


def spelling_remarks(sentences: Sequence[str]) -> tuple[Remark, ...]:
    """Return a remark that joins sentences on names that are spelt almost alike; none without sentences."""
    text = "; ".join([*sentences[:SHOWN], *["…"] * (len(sentences) > SHOWN)])
    pieces = (f"{text}; use ", Option("aliases", "aliases.csv"), " with a file of aliases to rate them as one player")
    return (Remark(SPELLING, pieces, count=len(sentences)),) if sentences else ()


def likely_aliases(history: History) -> list[Suspicion]:
    """Return all suspicions that several names belong to one player, each with its pairs of alias and name.

    >>> matches = [{"teams": [["John Smith"], ["Ann"]]}] * 9 + [{"teams": [["Jhon Smith"], ["Ann"]]}]
    >>> [suspicion.aliases for suspicion in likely_aliases(History.from_matches(matches))]
    [(('Jhon Smith', 'John Smith'),)]
    """
    counts = np.bincount(history.player, minlength=len(history.players))
    return [one for one in (*_spellings(history, counts), *_slips(history, counts)) if one.aliases]


def _spellings(history: History, counts: Counts) -> list[Suspicion]:
    players = np.flatnonzero(counts).tolist()
    spelt = [[players[index] for index in group] for group in spelt_alike([history.players[at] for at in players])]
    same = [sorted(group, key=lambda player: -counts[player]) for group in spelt]
    met = _met(history, [(group[0], other) for group in same for other in group[1:]])
    same = [group for group in same if not any((group[0], other) in met for other in group[1:])]
    suspicious = []
    for group in same:
        text = " and ".join(_with_count(history, player, counts) for player in group)
        often, *others = (history.players[player] for player in group)
        aliases = tuple((other, often) for other in others)
        suspicious.append(Suspicion("spelling", f"{text} are spelt almost alike", aliases))
    return suspicious


def _slips(history: History, counts: Counts) -> list[Suspicion]:
    """Find rare names that differ by one letter from a frequent name."""
    players = np.flatnonzero(counts).tolist()
    if len(players) > MANY:
        text = f"there are more than {MANY:,} players, so names were not checked for single wrong letters"
        return [Suspicion("spelling", text)]
    pairs = one_letter_apart([plain_spelling(history.players[player]) for player in players])
    apart = [sorted((players[first], players[other]), key=lambda player: counts[player]) for first, other in pairs]
    likely = [(rare, often) for rare, often in apart if counts[rare] <= RARE and counts[often] >= 3 * counts[rare]]
    met = _met(history, likely)
    likely = sorted((pair for pair in likely if pair not in met), key=lambda pair: -counts[pair[1]])
    names = {player: _with_count(history, player, counts) for pair in likely for player in pair}
    return [
        Suspicion(
            "spelling",
            f"{names[rare]} may be {names[often]}",
            ((history.players[rare], history.players[often]),),
        )
        for rare, often in likely
    ]


def _met(history: History, pairs: list[tuple[int, int]]) -> set[tuple[int, int]]:
    # Names that occur in the same match belong to different players.
    if not pairs:
        return set()
    entry = np.flatnonzero(np.isin(history.player, np.unique(np.array(pairs))))
    match = owners(history.match_start)[owners(history.team_start)[entry]]
    played: dict[int, set[int]] = {}
    for player, number in zip(history.player[entry].tolist(), match.tolist(), strict=True):
        played.setdefault(player, set()).add(number)
    return {(a, b) for a, b in pairs if played[a] & played[b]}


def _with_count(history: History, player: int, counts: Counts) -> str:
    return f"{history.players[player]!r} ({count(counts[player], 'match', 'matches')})"


def _single(history: History, counts: Counts) -> list[str]:
    # The rating of a player with a single match is very uncertain.
    once = np.flatnonzero(counts == 1)
    if not len(once):
        return []
    names = ", ".join(history.players[player] for player in once[:FEW])
    more, have = ", …" if len(once) > FEW else "", "has" if len(once) == 1 else "have"
    return [f"{len(once):,} of {np.count_nonzero(counts):,} players {have} a single match: {names}{more}"]


def _gaps(history: History) -> list[str]:
    if history.time is None:
        return []
    moments = np.unique(history.time)
    breaks = np.diff(moments).astype(np.float64)
    if len(breaks) < 10:
        return []
    usual = np.partition(breaks, -4)[-4]
    texts = []
    for index in sorted(i for i in np.argsort(-breaks, kind="stable")[:3] if breaks[i] >= GAP * usual):
        first, last = (show_time(*stamp_of(history), moments[at]) for at in (index, index + 1))
        length = f"{breaks[index]:g}" if history.time_kind == "number" else f"{breaks[index] / DAY:,.0f} days"
        before = int((history.time <= moments[index]).sum())
        sides = f"{count(before, 'match', 'matches')} before, {len(history) - before:,} after"
        texts.append(f"no match between {first} and {last} ({length}; {sides})")
    return texts


def _scores(history: History) -> list[str]:
    if history.score is None:
        return []
    # The extremes are dropped, because in a small file a single typo would move the quartiles.
    usual = np.sort(history.score[~np.isnan(history.score)])[1:-1]
    if not len(usual):
        return []
    lower, upper = np.quantile(usual, [0.25, 0.75])
    far = FAR * max(upper - lower, 1.0)
    team = np.flatnonzero((history.score > upper + far) | (history.score < lower - far))
    team = team[np.argsort(-np.abs(history.score[team] - upper), kind="stable")]
    match = np.searchsorted(history.match_start, team, side="right") - 1
    return [
        f"{_describe(history, int(i))}: the score {history.score[j]:g} is far from all others"
        for i, j in zip(match, team, strict=True)
    ]


def _describe(history: History, match: int) -> str:
    # The id, time and players let the user find the match in the file.
    plain = history[match]
    teams = " – ".join(" + ".join(team[:2]) + (" …" if len(team) > 2 else "") for team in plain["teams"][:3])
    place = "".join(f"{plain[key]}, " for key in ("id", "time") if key in plain)
    return f"{place}{teams}{' …' if len(plain['teams']) > 3 else ''}"
