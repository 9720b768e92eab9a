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
from ..components.facet import Experience
from ..engine.buffers import FacetColumn
from .support import has_positions, reads_scores

if TYPE_CHECKING:
    from ...history import History
    from ..model import Model

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]


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


def merge_matches(
    history: History,
    model: Model,
    facets: Sequence[FacetColumn] = (),
    *,
    same_time: bool = False,
    extra: Floats | None = None,
) -> Merged:
    """Merge matches between the same teams with the same result; only what the model uses has to be the same.

    The order of two teams does not matter, nor does the order of the players of a team unless the team function depends
    on it. Teams of larger matches must be listed in the same order, because some outcomes depend on it in ties.
    `facets` are the rows of the model's facets (see `enter_facets`). If skills drift, matches may be merged only if
    `same_time` is true, which keeps matches at different times apart. `extra` are further numbers of each match that
    have to be the same.

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
    words, is_reversed = _match_words(history, rosters, teams)
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
    if has_positions(model.team):
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
    if any(isinstance(facet, Experience) for facet in model.facets):
        yield matches_before(history)
    for facet in facets:
        if not facet.by_team:
            yield np.asarray(facet.row)
            if facet.has_weight:
                yield np.asarray(facet.weight)


def _match_words(history: History, rosters: Words, teams: Words) -> tuple[Words, NDArray[np.bool_]]:
    """Return a word for each match, and whether the order of its two teams is the reverse of the usual one."""
    starts = history.match_start
    if not len(history):
        return teams, np.zeros(0, bool)
    first = starts[:-1]
    pairs = np.diff(starts) == 2
    if pairs.all():
        rosters = rosters.reshape(-1, 2)
        return mix_bits(teams[0::2]) + mix_bits(teams[1::2]), rosters[:, 0] > rosters[:, 1]
    # In larger matches, the word of a team includes the position of the team.
    position = np.arange(history.teams) - first[owners(starts)]
    mixed = mix_bits(teams ^ np.where(pairs[owners(starts)], 0, position).astype(np.uint64))
    is_reversed = np.zeros(len(history), bool)
    is_reversed[pairs] = rosters[first[pairs]] > rosters[first[pairs] + 1]
    return np.add.reduceat(mixed, first), is_reversed


def _mix(words: Words, numbers: NDArray[Any]) -> Words:
    """Mix numbers into words."""
    return mix_bits(words ^ (numbers.astype(np.float64) + 0.0).view(np.uint64))  # + 0.0 turns -0.0 into 0.0
