"""The schedule of a history: which matches are rated together, as the lanes of a board.

The matches of a block have the same shape (numbers of teams and players) and no player in common. Within a window of
consecutive matches, the level of a match is one above the highest level of an earlier match of its players; matches of
one level and shape form blocks. So every player's matches keep their order, and the ratings are those of the given
order. The matches of a `ordered` schedule keep their order, too: each block consists of consecutive matches. A schedule
depends on the history alone, so models share it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# kernel
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

WINDOW = 4096  # most matches in a window
WINDOW_ENTRIES = 65536  # a window ends when it has this many entries
LARGE = 64  # a match with more entries is a block of its own


@cython.final
@cython.cclass
class Schedule:
    """The blocks of a history.

    The matches of block b are `order[block_start[b]:block_start[b + 1]]`. The blocks of window w are
    `window_block[w]:window_block[w + 1]`; its matches are `starts[w]:starts[w + 1]` in the history. No match
    has more than `teams` teams and `entries` entries; among those that share a block, no match has more than
    `small_teams` and `small_entries`.
    """

    def __init__(self, history: Any, lanes: int, ordered: bool = False) -> None:
        matches = len(history.match_start) - 1
        self.lanes = lanes
        self.ordered = ordered
        self.large = LARGE
        self.blocks = 0
        first = history.team_start[history.match_start]
        teams, entries = np.diff(history.match_start), np.diff(first)
        small = entries <= LARGE
        self.teams, self.entries = int(teams.max(initial=2)), int(entries.max(initial=2))
        self.small_teams, self.small_entries = (int(size[small].max(initial=2)) for size in (teams, entries))
        windows = _windows(first)
        self.starts = windows
        self.window_start = memoryview(windows)
        self.windows = len(windows) - 1
        self.order = memoryview(np.empty(matches, np.int32))
        block_start = np.empty(matches + 1, np.int32)
        self.block_start = memoryview(block_start)
        self.window_block = memoryview(np.empty(len(windows), np.int32))
        largest = int(np.diff(windows).max(initial=1))
        work = _Work(history, first, largest)
        for window in range(self.windows):
            self.window_block[window] = self.blocks
            if ordered:
                _find_runs(self, work, window)
            else:
                _sort_window(self, work, window)
                _cut_blocks(self, work, window)
        self.window_block[self.windows] = self.blocks
        self.block_start[self.blocks] = matches
        self.block_start = memoryview(block_start[: self.blocks + 1].copy())  # most blocks have many matches


def schedule_part(history: Any, lanes: cython.int, ordered: bool, first: cython.int, last: cython.int) -> Schedule:
    """Return a schedule of the matches from `first` to `last` of a history, which are numbered as in the history.

    >>> import prowess as pw
    >>> matches = [{"teams": [["ann"], ["bob"]]}, {"teams": [["cat"], ["dan"]]}, {"teams": [["ann"], ["cat"]]}]
    >>> plan = schedule_part(pw.History.from_matches(matches), 64, False, 1, 3)
    >>> plan.blocks, plan.starts.tolist()
    (2, [1, 3])
    """
    plan: Schedule = Schedule(history[first:last], lanes, ordered)
    plan.starts += first
    for i in range(len(plan.order)):
        plan.order[i] += first
    return plan


def schedule(history: Any, lanes: int, ordered: bool = False) -> Schedule:
    """Return the schedule of a history, which keeps it for later fits.

    >>> import prowess as pw
    >>> matches = [{"teams": [["ann"], ["bob"]]}, {"teams": [["cat"], ["dan"]]}, {"teams": [["ann"], ["cat"]]}]
    >>> plan = schedule(pw.History.from_matches(matches), 64)
    >>> plan.blocks, plan is schedule(pw.History.from_matches(matches), 64)
    (2, False)
    """
    schedules: dict[tuple[int, bool], Schedule] = history.__dict__.setdefault("_schedules", {})
    if (lanes, ordered) not in schedules:
        schedules[lanes, ordered] = Schedule(history, lanes, ordered)
    return schedules[lanes, ordered]


def _windows(first: Any) -> Any:
    """Return the first match of every window, and the number of matches; `first` is the first entry of each match."""
    matches = len(first) - 1
    start, starts = 0, [0]
    while start < matches:
        limit = int(np.searchsorted(first, first[start] + WINDOW_ENTRIES))
        start = max(min(start + WINDOW, limit, matches), start + 1)
        starts.append(start)
    return np.array(starts, np.int32)


def _shapes(history: Any) -> Any:
    """Return a number for each match, equal for matches of the same shape; matches of importance 0 have others.

    The numbers are ranks of hashes. In the rare case that two shapes have the same hash, `_schedule_window` tells them
    apart, because it compares the sizes of all teams.
    """
    teams, sizes = np.diff(history.match_start), np.diff(history.team_start)
    if _is_uniform(teams, sizes, history.importance):
        return np.zeros(len(teams), np.int32)
    sizes = sizes.astype(np.uint64)
    first = history.match_start[: len(history.match_start) - 1].astype(np.int64)
    position = np.arange(len(sizes), dtype=np.uint64) - np.repeat(first.astype(np.uint64), teams)
    mixed = (sizes + np.uint64(1)) * (position * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0xD1B54A32D192ED03))
    hashes = np.add.reduceat(mixed ^ (mixed >> np.uint64(29)), first)
    if history.importance is not None:
        hashes = hashes * np.uint64(2) + (history.importance > 0.0)
    return np.unique(hashes, return_inverse=True)[1].astype(np.int32).ravel()


def _is_uniform(teams: Any, sizes: Any, importance: Any) -> bool:
    """Return whether all matches have the same shape, and an importance above 0; most histories do."""
    if not len(teams) or (importance is not None and not importance.all()):
        return False
    return bool((teams == teams[0]).all() and (sizes.reshape(-1, teams[0]) == sizes[: teams[0]]).all())


@cython.final
@cython.cclass
class _Work:
    """Columns of the history, and working memory for one window."""

    def __init__(self, history: Any, first: Any, largest: int) -> None:
        shapes = _shapes(history)
        self.match_start = memoryview(history.match_start)
        self.team_start = memoryview(history.team_start)
        self.player = memoryview(history.player)
        self.shape = memoryview(shapes)
        self.uniform = not shapes.any()
        self.level = memoryview(np.zeros(largest, np.int32))
        self.seen = memoryview(np.zeros(max(int(history.player.max(initial=0)) + 1, 1), np.int64))
        self.count = memoryview(np.zeros(max(largest, int(shapes.max(initial=0)) + 1) + 2, np.int32))
        self.sorted = memoryview(np.zeros(largest, np.int32))
        self.stamp = 0


@cython.cfunc
@cython.exceptval(check=False)
def _find_runs(plan: Schedule, work: _Work, window: cython.Py_ssize_t) -> cython.void:
    """Divide a window into blocks of consecutive matches."""
    first = start = plan.window_start[window]
    for match in range(start, plan.window_start[window + 1]):
        plan.order[match] = match
        entry = work.team_start[work.match_start[match]]
        last = work.team_start[work.match_start[match + 1]]
        common = match == start or match - first >= plan.lanes or not _is_alike(plan, work, match - 1, match)
        for e in range(entry, last):
            if work.seen[work.player[e]] == work.stamp:
                common = True
        if common:
            plan.block_start[plan.blocks] = match
            plan.blocks += 1
            work.stamp += 1
            first = match
        for e in range(entry, last):
            work.seen[work.player[e]] = work.stamp


@cython.cfunc
@cython.exceptval(check=False)
def _sort_window(plan: Schedule, work: _Work, window: cython.Py_ssize_t) -> cython.void:
    """Sort the matches of a window by level, and matches of one level by shape."""
    start = plan.window_start[window]
    size = plan.window_start[window + 1] - start
    levels = _set_levels(work, start, size)
    for m in range(size):
        work.sorted[m] = m
    if not work.uniform:
        _sort(work, plan.order, start, size, False, levels)
        for m in range(size):
            work.sorted[m] = plan.order[start + m]
    _sort(work, plan.order, start, size, True, levels)
    for m in range(start, start + size):
        plan.order[m] += start


@cython.cfunc
@cython.exceptval(check=False)
def _cut_blocks(plan: Schedule, work: _Work, window: cython.Py_ssize_t) -> cython.void:
    """Divide the sorted matches of a window into blocks of one level and one shape."""
    start = plan.window_start[window]
    before: cython.Py_ssize_t = -1
    first = start
    for m in range(start, plan.window_start[window + 1]):
        match = plan.order[m]
        if (
            before < 0
            or m - first >= plan.lanes
            or work.level[match - start] != work.level[before - start]
            or not _is_alike(plan, work, before, match)
        ):
            plan.block_start[plan.blocks] = m
            plan.blocks += 1
            first = m
        before = match


@cython.cfunc
@cython.exceptval(check=False)
def _set_levels(work: _Work, start: cython.Py_ssize_t, size: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Set the level of every match of a window; return the highest level."""
    highest: cython.Py_ssize_t = 0
    base = work.stamp  # levels of earlier windows are at most this
    for m in range(size):
        level: cython.longlong = base
        first = work.team_start[work.match_start[start + m]]
        last = work.team_start[work.match_start[start + m + 1]]
        for e in range(first, last):
            seen = work.seen[work.player[e]]
            level = seen if seen > level else level
        level += 1
        for e in range(first, last):
            work.seen[work.player[e]] = level
        work.level[m] = cython.cast(cython.int, level - base)
        highest = max(highest, cython.cast(cython.Py_ssize_t, level - base))
    work.stamp = base + highest
    return highest


@cython.cfunc
@cython.exceptval(check=False)
def _sort(
    work: _Work,
    order: cython.int[::1],
    start: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
    by_level: cython.bint,
    levels: cython.Py_ssize_t,
) -> cython.void:
    """Sort the matches in `work.sorted` by level or by shape into `order`; equal matches keep their order."""
    keys = levels + 1 if by_level else len(work.count) - 2
    for k in range(keys + 1):
        work.count[k] = 0
    for i in range(size):
        m = work.sorted[i]
        work.count[(work.level[m] if by_level else work.shape[start + m]) + 1] += 1
    for k in range(keys):
        work.count[k + 1] += work.count[k]
    for i in range(size):
        m = work.sorted[i]
        key = work.level[m] if by_level else work.shape[start + m]
        order[start + work.count[key]] = m
        work.count[key] += 1


@cython.cfunc
@cython.exceptval(check=False)
def _is_alike(plan: Schedule, work: _Work, one: cython.Py_ssize_t, other: cython.Py_ssize_t) -> cython.bint:
    """Return whether two matches of one level can be in one block: they have the same shape and are not large."""
    first = work.match_start[one]
    second = work.match_start[other]
    teams = work.match_start[one + 1] - first
    if work.shape[one] != work.shape[other] or teams != work.match_start[other + 1] - second:
        return False
    if work.team_start[first + teams] - work.team_start[first] > plan.large:
        return False
    for j in range(teams):
        size = work.team_start[first + j + 1] - work.team_start[first + j]
        if size != work.team_start[second + j + 1] - work.team_start[second + j]:
            return False
    return True
