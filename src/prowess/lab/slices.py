"""Masks over the matches of a history: seasons, newcomers, dates, and the best players.

A mask has one boolean for every match; masks are combined with `&`, `|` and `~`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import Error, Option
from ..history import History, name_of
from ..history.ragged import owners
from ..history.slicing import span
from ..history.times import DAY
from ..validate import number, scale, whole

if TYPE_CHECKING:
    from ..model.fit.fit import Fit

Mask = NDArray[np.bool_]


def seasons(history: History, gap: float | None = None) -> NDArray[np.str_]:
    """Return the season of every match: its calendar year (in UTC if times have a zone).

    If `gap` is given, a season begins after a break of at least that many days (or units, if times are plain numbers),
    and is named after the years that it spans. If times are plain numbers, `gap` is required, and seasons are numbered
    from 1.

    >>> days = ("2025-09-01", "2026-04-30", "2026-09-02")
    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]], "time": day} for day in days])
    >>> seasons(history).tolist(), seasons(history, gap=60).tolist()
    (['2025', '2026', '2026'], ['2025', '2026', '2026 (2)'])
    >>> seasons(history, gap=250).tolist()
    ['2025/26', '2025/26', '2025/26']
    """
    if history.time is None or history.time_kind is None:
        message = "this history has no times to divide into seasons; pass a list with a season label for each match"
        raise Error(message, field="seasons")
    plain = history.time_kind == "number"
    if plain and gap is None:
        message = "the times of this history are plain numbers without years: give the length of a break, such as "
        raise Error(message, Option("gap", 60), field="gap")
    season = np.zeros(len(history), np.int64)
    if gap is not None:
        season = np.cumsum(np.diff(history.time, prepend=history.time[:1]) >= scale("gap", gap) * (1 if plain else DAY))
    if plain:
        return (season + 1).astype(np.str_)
    years = history.time.astype("datetime64[us]").astype("datetime64[Y]").astype(np.int64) + 1970  # NumPy's epoch
    if gap is None:
        return years.astype(np.str_)
    first = np.flatnonzero(np.diff(season, prepend=-1))
    last = np.append(first[1:], len(season)) - 1
    names, counts = [], Counter[str]()
    for begin, end in zip(years[first].tolist(), years[last].tolist(), strict=True):
        name = f"{begin}" if begin == end else f"{begin}/{end % 100:02d}"
        # Two seasons may span the same years; the second one is named "2026 (2)".
        counts[name] += 1
        names.append(f"{name} ({counts[name]})" if counts[name] > 1 else name)
    return np.array(names)[season]


def experience(history: History) -> NDArray[np.int64]:
    """Return, for every match, how many matches its least experienced player had played before.

    Matches of importance 0 are not counted.

    >>> history = History.from_matches([{"teams": [["ann"], [other]]} for other in ("bob", "bob", "cat")])
    >>> experience(history)
    array([0, 1, 0])
    """
    match = owners(history.match_start)[owners(history.team_start)]
    counts = np.ones(len(match), np.int64)
    if history.importance is not None:
        counts = (history.importance[match] > 0).astype(np.int64)
    # A stable sort keeps each player's entries in chronological order, so a running sum counts earlier matches.
    by = np.argsort(history.player, kind="stable")
    running = np.cumsum(counts[by]) - counts[by]
    player = history.player[by]
    first = np.flatnonzero(np.diff(player, prepend=-1))
    before = np.empty(len(match), np.int64)
    before[by] = running - np.repeat(running[first], np.diff(np.append(first, len(player))))
    starts = history.team_start[history.match_start[:-1]]
    return np.minimum.reduceat(before, starts) if len(history) else np.zeros(0, np.int64)


def newcomers(history: History, matches: int = 5) -> Mask:
    """Return a mask of the matches with at least one player who had played fewer than `matches` matches before.

    >>> history = History.from_matches([{"teams": [["ann"], [other]]} for other in ("bob", "bob", "cat")])
    >>> newcomers(history, 1)
    array([ True, False,  True])
    """
    return experience(history) < whole("matches", matches, 1)


def established(history: History, matches: int = 20) -> Mask:
    """Return a mask of the matches in which every player had played at least `matches` matches before.

    >>> history = History.from_matches([{"teams": [["ann"], [other]]} for other in ("bob", "bob", "cat")])
    >>> established(history, 1)
    array([False,  True, False])
    """
    return experience(history) >= whole("matches", matches, 1)


def after(history: History, start: float | str | date, *, name: str = "start") -> Mask:
    """Return a mask of the matches from `start` onwards.

    `start` is a number of matches to skip, a share of all matches to skip (below 1), or a date. `name` is the name of
    the parameter in error messages.

    >>> days = [f"2026-01-0{day}" for day in range(1, 5)]
    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]], "time": day} for day in days])
    >>> after(history, 1), after(history, 0.5), after(history, "2026-01-04")
    (array([False,  True,  True,  True]), array([False, False,  True,  True]), array([False, False, False,  True]))
    """
    return np.arange(len(history)) >= count_before(history, start, name)


def count_before(history: History, start: float | str | date, name: str) -> int:
    """Count the matches before `start`, which is a number of matches, a share of all matches (below 1), or a date.

    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]]}] * 8)
    >>> count_before(history, 0.25, "burn_in"), count_before(history, 3, "burn_in")
    (2, 3)
    """
    if isinstance(start, (str, date, np.datetime64)):
        return int(span(history, start, None)[0])
    count = number(name, start)
    if count < 0 or (count >= 1 and count != int(count)):
        message = f"{name} must be a number of matches, a share of them below 1, or a date, not {start!r}"
        raise Error(message, field=name, value=start)
    return min(int(count), len(history)) if count >= 1 else round(count * len(history))


def involving(history: History, players: Iterable[str], *, everybody: bool = False) -> Mask:
    """Return a mask of the matches with any of the given players; with `everybody`, of matches among these only.

    >>> history = History.from_matches([{"teams": [["ann"], [other]]} for other in ("bob", "cat", "cat")])
    >>> involving(history, ["ann", "bob"], everybody=True)
    array([ True, False, False])
    """
    names = {name_of(name) for name in ([players] if isinstance(players, str) else players)}
    row = {name: number for number, name in enumerate(history.players)}
    unknown = sorted(names - row.keys())
    if unknown:
        raise Error(f"{unknown[0]} has no matches in this history", field="players", value=unknown[0])
    chosen = np.zeros(len(history.players), bool)
    chosen[[row[name] for name in names]] = True
    if not len(history):
        return np.zeros(0, bool)
    starts = history.team_start[history.match_start[:-1]]
    reduce = np.logical_and if everybody else np.logical_or
    return np.asarray(reduce.reduceat(chosen[history.player], starts))


def top_players(fit: Fit, n: int = 10, *, everybody: bool = True) -> Mask:
    """Return a mask of the matches among the best n players of a fit; without `everybody`, of all their matches.

    >>> import prowess as pw
    >>> history = History.from_matches([{"teams": [["ann"], [other]]} for other in ("bob", "cat", "cat")])
    >>> top_players(pw.TrueSkill().fit(history), 2)
    array([False,  True,  True])
    """
    best = fit.leaderboard()["player"].head(whole("n", n, 1)).to_list()
    # A fit that started from a ladder may have players without matches in this history.
    playing = set(fit.history.players)
    return involving(fit.history, [name for name in best if name in playing], everybody=everybody)
