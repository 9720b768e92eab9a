"""Merges equal matches: ten million votes among a hundred models become a few thousand matches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...history.cells.hash_table import numbered
from ...history.ragged import gather, mix_bits, owners
from ...history.slicing import take
from ..engine.buffers import FacetColumn
from ..fit.forecasts import Forecasts
from ..ladder.facet_rows import enter_facets
from ..ladder.ladder import Ladder
from .support import depends_on_order, reads_scores

if TYPE_CHECKING:
    from ...history import History
    from ..engine.breaks import Breaks
    from ..model import Model

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]

# Merged matches need two or three sweeps more. A fit of a million votes takes 0.9 s of CPU time if 46 % are left,
# 1.1 s if 56 % are left and 1.3 s if 64 % are left; without merging, it takes 1.1 s.
MOST_LEFT = 0.5  # equal matches are merged if at most this share of the matches is left
SAMPLE = 20  # a sample of n matches has this many times √n matches


@dataclass(frozen=True, eq=False)
class Merged:
    """A history in which equal matches are one match.

    The importance of a match of `history` is the sum over the matches that it stands for. `removed` is how much of this
    importance is left out if one of them is left out: 1, or the importance of a single match if that is lower. Match i
    of the original history became the match `match_of[i]`; `swapped[i]` is true if that match lists its two teams in
    the other order. `match`, `team` and `entry` are the original indices of the matches of `history`, of their teams
    and of their entries.
    """

    history: History
    importance: Floats
    removed: Floats
    match_of: NDArray[np.int32]
    swapped: NDArray[np.bool_]
    match: NDArray[np.int64]
    team: NDArray[np.int32]
    entry: NDArray[np.int32]

    @property
    def copies(self) -> NDArray[np.int64]:
        """The number of original matches for which each match of `history` stands."""
        return np.bincount(self.match_of, minlength=len(self.match))

    def last_times(self, original: History) -> Floats:
        """Return the time of the last of the original matches for which each match stands; NaN without times."""
        last = np.full(len(self.match), np.nan)
        if original.time is not None:
            last[self.match_of] = original.time  # in the order of time, so the last one stays
        return last

    def originals(self, matches: Sequence[int]) -> list[int]:
        """Return the indices of all original matches for which some matches of `history` stand."""
        return np.flatnonzero(np.isin(self.match_of, matches)).tolist() if len(matches) else []

    def columns(self, facets: Sequence[Any]) -> list[FacetColumn]:
        """Return the columns of facets, which are those of the original history, for the matches of `history`."""
        found = []
        for facet in facets:
            chosen = self.team if facet.by_team else self.entry
            weights = np.asarray(facet.weight)[chosen] if facet.has_weight else None
            found.append(FacetColumn(np.asarray(facet.row)[chosen], weights, facet.by_team))
        return found

    def forecasts(self, original: History, forecasts: Forecasts) -> Forecasts:
        """Return the forecasts of the original matches; `forecasts` are those of the matches of `history`."""
        chosen, swapped = self.match_of, self.swapped
        _, teams = gather(self.history.match_start, chosen)
        counts = np.diff(original.match_start)
        # The two teams of a swapped match are next to each other, so each finds its numbers in the place of the other.
        position = np.arange(original.teams) - np.repeat(original.match_start[:-1], counts)
        teams = np.where(np.repeat(swapped, counts), teams + 1 - 2 * position, teams)
        win, draw = (column[chosen] for column in forecasts.written)
        return Forecasts(
            original,
            forecasts.outcome,
            forecasts.mean[teams],
            forecasts.variance[teams],
            forecasts.log_evidence[chosen],
            (np.where(swapped, 1.0 - win - draw, win), draw),
            None if forecasts.scatter is None else forecasts.scatter[chosen],
        )


def merge_if_useful(history: History, model: Model, breaks: Breaks) -> Merged | None:
    """Merge the equal matches of a history for a fit by chains; None if their order matters, or if few are equal.

    A chain leaves out one of the copies of a match. A match of an importance between 0 and 1 is less than one copy, so
    it is not merged.

    >>> import prowess as pw
    >>> from prowess.model.engine.breaks import Breaks
    >>> pairs = [(one, other) for one in "abcde" for other in "abcde" if one < other]
    >>> votes = pw.History.from_matches([{"teams": [[one], [other]]} for one, other in pairs * 3])
    >>> merge_if_useful(votes, pw.TrueSkill(tau=0), Breaks()).importance
    array([3., 3., 3., 3., 3., 3., 3., 3., 3., 3.])
    >>> merge_if_useful(votes, pw.TrueSkill(), Breaks()) is None  # skills change from match to match
    True
    """
    if depends_on_order(model, breaks) or not _repeats(history, model):
        return None
    facets: Any = enter_facets(Ladder(model), history, history.player)
    apart = np.zeros(len(history))
    if history.importance is not None:
        is_part = (history.importance > 0.0) & (history.importance < 1.0)
        apart[is_part] = np.flatnonzero(is_part)
    # The forecast of a pair counts effects that both teams have for the first one.
    same_order = bool(model.pipeline.has_effects)
    merged = merge_matches(history, model, facets, same_order=same_order, extra=apart)
    return merged if len(merged.history) <= MOST_LEFT * len(history) else None


def _repeats(history: History, model: Model) -> bool:
    """Return whether enough matches may be equal, judging by a sample of a large history.

    If s of n matches repeat others, at least s pairs of matches are equal, so the sample is expected to have at least
    `SAMPLE`² s/n equal pairs. Half of them are required.
    """
    size = int(SAMPLE * len(history) ** 0.5)
    if 2 * size >= len(history):
        return len(history) > 1
    sample = np.unique(np.random.default_rng(0).integers(0, len(history), size))
    left = len(merge_matches(take(history, sample), model).history)
    return len(sample) - left >= 0.5 * (1.0 - MOST_LEFT) * SAMPLE**2


def merge_matches(
    history: History,
    model: Model,
    facets: Sequence[FacetColumn] = (),
    *,
    same_time: bool = False,
    same_order: bool = False,
    extra: Floats | None = None,
) -> Merged:
    """Merge matches between the same teams with the same result; only what the model uses has to be the same.

    The order of two teams does not matter, nor does the order of the players of a team unless the team function depends
    on it. Teams of larger matches must be listed in the same order, because some outcomes depend on it in ties.
    `facets` are the rows of the model's facets (see `enter_facets`). If skills drift, matches may be merged only if
    `same_time` is true, which keeps matches at different times apart. If `same_order` is true, two teams have to be
    listed in the same order, too. `extra` are further numbers of each match that have to be the same.

    Matches of importance 1 or more are merged with each other, because each of them is one of several copies of the
    same message. A match of lower importance is merged only with matches of the same importance.

    >>> import prowess as pw
    >>> votes = [{"teams": [["a"], ["b"]]}, {"teams": [["b"], ["a"]], "ranks": [2, 1]}, {"teams": [["b"], ["a"]]}]
    >>> merged = merge_matches(pw.History.from_matches(votes), pw.TrueSkill(tau=0))
    >>> merged.importance, merged.match_of, merged.swapped
    (array([2., 1.]), array([0, 0, 1], dtype=int32), array([False,  True, False]))
    """
    rosters = _roster_words(history, model, facets)
    teams = _mix(rosters, history.place)
    if history.score is not None and reads_scores(model.outcome):
        teams = _mix(teams, history.score)
    if history.home is not None and model.home is not None:
        seats = np.full(history.teams, -1.0)
        hosts = np.flatnonzero(history.home >= 0)
        seats[history.match_start[hosts] + history.home[hosts]] = 1.0
        teams = _mix(teams, seats)
    words, is_reversed = _match_words(history, rosters, teams, same_order)
    importance = np.ones(len(history)) if history.importance is None else history.importance
    if history.importance is not None:
        words = _mix(words, np.minimum(importance, 1.0))
    if same_time and history.time is not None:
        words = _mix(words, history.time)
    if extra is not None:
        words = _mix(words, extra)
    match_of, match = numbered(np.ascontiguousarray(words))
    total: Floats = np.bincount(match_of, weights=importance, minlength=len(match)).astype(np.float64)
    _, team = gather(history.match_start, match)
    _, entry = gather(history.team_start, team)
    # `match` ascends, so the matches stay in the order of their times.
    part = replace(take(history, match), importance=total, ids=None)
    removed = np.minimum(importance[match], 1.0)
    return Merged(part, total, removed, match_of, is_reversed != is_reversed[match][match_of], match, team, entry)


def keep_matches(history: History) -> Merged:
    """Return the history as it is, without merging any matches.

    >>> import prowess as pw
    >>> keep_matches(pw.History.from_matches([{"teams": [["a"], ["b"]]}] * 2)).importance
    array([1., 1.])
    """
    count = len(history)
    importance = np.ones(count) if history.importance is None else np.array(history.importance)
    every = np.arange(count)
    teams, entries = np.arange(history.teams, dtype=np.int32), np.arange(history.entries, dtype=np.int32)
    same = every.astype(np.int32), np.zeros(count, bool)
    return Merged(history, importance, np.minimum(importance, 1.0), *same, every, teams, entries)


def matches_before(history: History) -> NDArray[np.int64]:
    """Return the number of matches that the player of each entry has played before; importance 0 does not count.

    >>> import prowess as pw
    >>> matches_before(pw.History.from_matches([{"teams": [["a"], ["b"]]}, {"teams": [["c"], ["a"]]}]))
    array([0, 0, 0, 1])
    """
    counts = np.ones(history.entries, np.int64)
    if history.importance is not None:
        counts = (history.importance > 0.0)[owners(history.match_start)[owners(history.team_start)]].astype(np.int64)
    order = np.argsort(history.player, kind="stable")
    before = np.cumsum(counts[order]) - counts[order]
    player = history.player[order]
    first = np.searchsorted(player, player)  # where the entries of the same player begin
    played = np.empty_like(before)
    played[order] = before - before[first]
    return played


def _roster_words(history: History, model: Model, facets: Sequence[FacetColumn]) -> Words:
    """Return a word for each team, which is the same for the same players with the same weights and context."""
    entries = mix_bits(np.arange(len(history.players) or int(history.player.max(initial=0)) + 1, dtype=np.uint64))[
        history.player
    ]
    for column in _entry_columns(history, model, facets):
        entries = _mix(entries, column)
    if model.team.positions:
        entries = _mix(entries, np.arange(history.entries) - history.team_start[owners(history.team_start)])
    if history.entries == history.teams:  # a fast path for teams of one player
        words = entries
    else:
        # A sum is enough, because no player is in a match twice.
        words = np.add.reduceat(entries, history.team_start[:-1]) if history.teams else entries
    for facet in facets:
        if facet.by_team:
            words = _mix(words, np.asarray(facet.row))
            words = _mix(words, np.asarray(facet.weight)) if facet.has_weight else words
    return words


def _entry_columns(history: History, model: Model, facets: Sequence[FacetColumn]) -> Iterator[NDArray[Any]]:
    """Yield the columns of numbers of the entries that matter to the model."""
    if history.weight is not None:
        yield history.weight
    if any(facet.counts_matches for facet in model.facets):
        yield matches_before(history)
    for facet in facets:
        if not facet.by_team:
            yield np.asarray(facet.row)
            if facet.has_weight:
                yield np.asarray(facet.weight)


def _match_words(history: History, rosters: Words, teams: Words, same_order: bool) -> tuple[Words, NDArray[np.bool_]]:
    """Return a word for each match, and whether the order of its two teams is the reverse of the usual one.

    If `same_order` is true, the order matters, and no order is reversed.
    """
    starts = history.match_start
    if not len(history):
        return teams, np.zeros(0, bool)
    first = starts[:-1]
    pairs = (np.diff(starts) == 2) & (not same_order)
    if pairs.all():
        rosters = rosters.reshape(-1, 2)
        return mix_bits(teams[0::2]) + mix_bits(teams[1::2]), rosters[:, 0] > rosters[:, 1]
    # Where the order of teams matters, the word of a team includes the position of the team.
    position = np.arange(history.teams) - first[owners(starts)]
    mixed = mix_bits(teams ^ np.where(pairs[owners(starts)], 0, position).astype(np.uint64))
    is_reversed = np.zeros(len(history), bool)
    is_reversed[pairs] = rosters[first[pairs]] > rosters[first[pairs] + 1]
    return np.add.reduceat(mixed, first), is_reversed


def _mix(words: Words, numbers: NDArray[Any]) -> Words:
    """Mix numbers into words."""
    return mix_bits(words ^ (numbers.astype(np.float64) + 0.0).view(np.uint64))  # + 0.0 turns -0.0 into 0.0
