"""Revises a hindsight: matches are added, removed or replaced, and only what they change is computed again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...history import History
from ...history.ragged import owners
from ..engine.breaks import Breaks
from ..engine.chains import Chain
from ..engine.smoothing import Links, Queue, settle
from ..ladder.ladder import Ladder
from ..model import Model
from .merge import Merged, merge_if_useful
from .smoother import Smoother

Ints = NDArray[np.int64]

NEW = -1  # the number in the earlier history of a match that is not in it
MOST_VISITS = 0.5  # a visit by the queue takes about ten times as long as in a sweep, so more of them do not pay
CHUNK = 20_000  # visits after which other threads get in
FEW = 1_000  # sweeps are as fast as a queue for so few matches
MOST_SWEEPS = 200


def revise(old: Smoother, history: History, source: Ints, tolerance: float) -> tuple[Smoother, int]:
    """Return the messages of a changed history, and how many matches were visited for it.

    `source` is the number of each match in the earlier history, or `NEW`. The new matches are visited, and so are the
    neighbours of removed ones; from there, a match is visited again if a message to one of its players moves by more
    than `tolerance` standard deviations. Effects on all players reach every match, so models with effects are swept
    instead, and so are merged matches: they are few, and each player meets the same opponents in many of them.
    """
    merged = merge_if_useful(history, old.model, old.breaks)
    smoother = _continue(old, Smoother(old.before.copy(), history, old.breaks, merged), source)
    pipeline, history = smoother.model.pipeline, smoother.history
    reaches_all = pipeline.has_effects or pipeline.learns_home or pipeline.prior.learns
    if reaches_all or old.merged is not None or merged is not None or len(history) <= FEW:
        smoother.run(tolerance, MOST_SWEEPS, False)
        return smoother, 2 * (smoother.sweeps - 1) * len(history)
    number = np.full(len(old.history) + 1, NEW)
    number[source] = np.arange(len(source))
    near = number[_neighbours(old, np.flatnonzero(number[:-1] == NEW))]
    visits = _settle(smoother, [*np.flatnonzero(source == NEW).tolist(), *near.tolist()], tolerance)
    if visits >= int(MOST_VISITS * len(history)):
        before = smoother.sweeps
        smoother.run(tolerance, MOST_SWEEPS, False)
        visits += 2 * (smoother.sweeps - before) * len(history)
    return smoother, visits


def continue_with(old: Smoother, model: Model) -> Smoother:
    """Return the messages of the same history for a model with other parameters, to be refined by sweeps."""
    merged = merge_if_useful(old.original, model, old.breaks)
    smoother = Smoother(Ladder(model, scale=old.before.scale), old.original, old.breaks, merged)
    return _continue(old, smoother, np.arange(len(old.original)))


def _continue(old: Smoother, smoother: Smoother, source: Ints) -> Smoother:
    """Let new messages begin with the sites of old ones; everything that depends on the order is computed again."""
    _copy_sites(old, _prepared(smoother), _source_of_visited(old, smoother, source))
    smoother.carry()
    smoother.sweeps = 1
    return smoother


def _source_of_visited(old: Smoother, new: Smoother, source: Ints) -> Ints:
    """Return the number of each match that `new` visits among those that `old` visited, or `NEW`.

    The site of a merged match is that of one copy, so it is right for any number of copies. It belongs to the players
    as the first copy lists them; if another copy is now the first one, the match counts as new.
    """
    if new.merged is not None:
        source = source[new.merged.match]
    if old.merged is None:
        return source
    number = old.merged.match_of[source]
    return np.where((source != NEW) & (old.merged.match[number] == source), number, NEW)


def _prepared(smoother: Smoother) -> Smoother:
    """Let the first pass fix what later ones keep, if the model needs that."""
    pipeline, chains = smoother.model.pipeline, smoother.chains
    has_memory = pipeline.level > 0 or pipeline.has_statistics
    smoother.prepare_online(has_memory or chains.freezes or chains.limits or chains.measures)
    return smoother


def _settle(smoother: Smoother, matches: Iterable[int], tolerance: float) -> int:
    """Visit matches, and all that their messages move; return the number of visits."""
    history, chains, pipeline = smoother.history, smoother.chains, smoother.model.pipeline
    match: Any = owners(history.match_start)[owners(history.team_start)].astype(np.int32)
    importance = np.ones(len(history)) if history.importance is None else history.importance
    counted = importance[match] > 0.0
    rows = [smoother.rows, *(np.asarray(smoother.columns.facets[part.index].row) for part in pipeline.personal)]
    links = [Links(row.astype(np.int64), counted) for row in rows]
    chains.match_of = memoryview(match)
    queue = Queue(len(history), match, links, tolerance)
    for number in matches:
        if importance[number] > 0.0:
            queue.put(int(number))
    chains.start_pass()
    single: Any = smoother.board if smoother.board.stride == 1 else smoother.board.single
    limit = int(MOST_VISITS * len(history))
    for done in range(0, limit, CHUNK):
        most = min(CHUNK, limit - done)
        settle(pipeline, single, smoother.columns, smoother.ladder.table, chains, queue, most)
        if queue.visits < done + most:
            break  # no match is waiting
    if smoother.level is not None:
        smoother.level.shift_settled()
    smoother.moved = tolerance
    return int(queue.visits)


def _neighbours(smoother: Smoother, matches: Ints) -> Ints:
    """Return the matches right before and after the given ones, in the careers of the players of these matches."""
    history, rows = smoother.history, smoother.rows
    match_of = owners(history.match_start)[owners(history.team_start)].astype(np.int64)
    is_given = np.isin(match_of, matches)
    visits = np.flatnonzero(np.isin(rows, rows[is_given]))
    visits = visits[np.argsort(rows[visits], kind="stable")]
    same = rows[visits[1:]] == rows[visits[:-1]]
    pairs = np.stack([visits[:-1][same], visits[1:][same]])
    near = pairs[:, is_given[pairs].any(0)].ravel()
    return np.unique(match_of[near[~is_given[near]]])


class SavedMessages(NamedTuple):
    """What `restore` needs: the history and how it is merged, the ratings before it, all sites, and the numbers."""

    before: Ladder
    history: History
    merged: Merged | None
    breaks: Breaks
    sites: list[NDArray[np.float64]]
    start: list[NDArray[np.float64]]
    level: NDArray[np.float64] | None  # the sites of a learnt level of newcomers
    sweeps: int
    moved: float
    unconverged: list[int]


def save(smoother: Smoother) -> SavedMessages:
    """Return the messages in a form that can be pickled."""
    sites = [chain.sites for chain in smoother.chains.all]
    level = None if smoother.cohorts is None else smoother.cohorts.sites
    numbers = smoother.sweeps, smoother.moved, smoother.unconverged
    about = smoother.before, smoother.original, smoother.merged, smoother.breaks
    return SavedMessages(*about, sites, smoother.start, level, *numbers)


def restore(saved: SavedMessages) -> Smoother:
    """Return messages that were saved; everything that follows from the sites is computed again."""
    smoother = _prepared(Smoother(saved.before.copy(), saved.history, saved.breaks, saved.merged))
    for chain, sites in zip(smoother.chains.all, saved.sites, strict=True):
        chain.sites[:] = sites
    smoother.start = [cells.copy() for cells in saved.start]
    if smoother.cohorts is not None and saved.level is not None:
        smoother.cohorts.resume(saved.level)
    smoother.carry()
    smoother.sweeps, smoother.moved, smoother.unconverged = saved.sweeps, saved.moved, list(saved.unconverged)
    return smoother


def _copy_sites(old: Smoother, new: Smoother, source: Ints) -> None:
    """Copy the sites of all matches that are in both histories."""
    kept = np.flatnonzero(source != NEW)
    places = {
        "match": (source[kept], kept),
        "team": _spread(old.history.match_start, source[kept], new.history.match_start, kept),
    }
    places["entry"] = _spread(
        old.history.team_start[old.history.match_start],
        source[kept],
        new.history.team_start[new.history.match_start],
        kept,
    )
    pairs: list[tuple[Any, ...]] = [(old.chains.players, new.chains.players, "entry", 0, 0, 1)]
    pairs += [(a, b, "entry", 0, 0, 1) for a, b in zip(old.chains.deviations, new.chains.deviations, strict=True)]
    if new.chains.home is not None:
        pairs.append((old.chains.home, new.chains.home, "match", 0, 0, 1))
    for number, part in enumerate(new.model.pipeline.common):
        by_team = new.columns.facets[part.index].by_team
        level = "match" if part.number else "team" if by_team else "entry"
        starts = old.chains.visit_start[number], new.chains.visit_start[number]
        pairs.append((old.chains.effects, new.chains.effects, level, *starts, max(part.number, 1)))
    for before, after, level, first, new_first, width in pairs:
        _copy(before, after, first, new_first, width, *places[level])


def _copy(before: Chain, after: Chain, first: int, new_first: int, width: int, source: Ints, target: Ints) -> None:
    size = 2 * before.traits * width
    own = before.sites[2 * before.traits * first :][: len(before.sites) // size * size].reshape(-1, size)
    new = after.sites[2 * after.traits * new_first :]
    new[: len(new) // size * size].reshape(-1, size)[target] = own[source]


def _spread(
    old_start: NDArray[np.int32], source: Ints, new_start: NDArray[np.int32], target: Ints
) -> tuple[Ints, Ints]:
    """Return the teams or entries of matches in the old and in the new history; a match has as many in both."""
    sizes = new_start[target + 1] - new_start[target]
    within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.repeat(old_start[source], sizes) + within, np.repeat(new_start[target], sizes) + within
