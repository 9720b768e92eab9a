"""Slices of a history: masks over its matches, for measures of seasons, newcomers, dates and the best players.

A mask holds a truth value for every match; masks are combined with `&`, `|` and `~`.
"""

from __future__ import annotations

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
YEAR_0 = 1970  # calendar times count from its beginning


def seasons(history: History, gap: float | None = None) -> NDArray[np.str_]:
    """The season of every match: its calendar year (in UTC, where times have a zone).

    With `gap`, a season begins after a break of at least so many days (or units of plain times), and is called by the
    years that it touches.

    >>> days = ("2025-09-01", "2026-04-30", "2026-09-02")
    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]], "time": day} for day in days])
    >>> seasons(history).tolist(), seasons(history, gap=60).tolist()
    (['2025', '2026', '2026'], ['2025', '2026', '2026 (2)'])
    >>> seasons(history, gap=250).tolist()
    ['2025/26', '2025/26', '2025/26']
    """
    if history.time is None or history.time_kind is None:
        raise Error(
            "seasons need times, and this history has none: give every match its label yourself", field="seasons"
        )
    plain = history.time_kind == "number"
    if plain and gap is None:
        what = "the times of this history are plain numbers without years: say how long a break is, such as "
        raise Error(what, Option("gap", 60), field="gap")
    if gap is None:
        return _years(history).astype(np.str_)
    unit = 1 if plain else DAY
    fresh = np.diff(history.time, prepend=history.time[:1]) >= scale("gap", gap) * unit
    season = np.cumsum(fresh)
    first = np.flatnonzero(np.diff(season, prepend=-1))
    if plain:
        return (season + 1).astype(np.str_)
    years = _years(history)
    last = np.append(first[1:], len(season)) - 1
    names = [_season_name(int(years[i]), int(years[j])) for i, j in zip(first, last, strict=True)]
    return np.array(_number_duplicates(names))[season]


def _years(history: History) -> NDArray[np.int64]:
    """The calendar year of every match."""
    assert history.time is not None
    return history.time.astype("datetime64[us]").astype("datetime64[Y]").astype(np.int64) + YEAR_0


def _season_name(first: int, last: int) -> str:
    """1999, or 1999/00."""
    return f"{first}" if first == last else f"{first}/{last % 100:02d}"


def _number_duplicates(names: list[str]) -> list[str]:
    """The same names, the second of its kind with a number."""
    return [f"{name} ({count})" if (count := names[: i + 1].count(name)) > 1 else name for i, name in enumerate(names)]


def experience(history: History) -> NDArray[np.int64]:
    """How many matches the least experienced player of every match had played before it.

    Matches of importance 0 did not happen, and are not counted.

    >>> history = History.from_matches([{"teams": [["ann"], [other]]} for other in ("bob", "bob", "cat")])
    >>> experience(history)
    array([0, 1, 0])
    """
    match = owners(history.match_start)[owners(history.team_start)]
    counts = np.ones(len(match), np.int64)
    if history.importance is not None:
        counts = (history.importance[match] > 0).astype(np.int64)
    by = np.argsort(history.player, kind="stable")
    running = np.cumsum(counts[by]) - counts[by]
    player = history.player[by]
    first = np.flatnonzero(np.diff(player, prepend=-1))
    before = np.empty(len(match), np.int64)
    before[by] = running - np.repeat(running[first], np.diff(np.append(first, len(player))))
    starts = history.team_start[history.match_start[:-1]]
    return np.minimum.reduceat(before, starts) if len(history) else np.zeros(0, np.int64)


def newcomers(history: History, matches: int = 5) -> Mask:
    """The matches of a player who had played fewer than so many before.

    >>> history = History.from_matches([{"teams": [["ann"], [other]]} for other in ("bob", "bob", "cat")])
    >>> newcomers(history, 1)
    array([ True, False,  True])
    """
    return experience(history) < whole("matches", matches, 1)


def established(history: History, matches: int = 20) -> Mask:
    """The matches in which everybody had played at least so many before.

    >>> history = History.from_matches([{"teams": [["ann"], [other]]} for other in ("bob", "bob", "cat")])
    >>> established(history, 1)
    array([False,  True, False])
    """
    return experience(history) >= whole("matches", matches, 1)


def after(history: History, start: float | str | date, *, name: str = "start") -> Mask:
    """The matches after the first so many (a whole number), after a share of them (below 1), or from a date on.

    `name` is what an error calls it.

    >>> days = [f"2026-01-0{day}" for day in range(1, 5)]
    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]], "time": day} for day in days])
    >>> after(history, 1), after(history, 0.5), after(history, "2026-01-04")
    (array([False,  True,  True,  True]), array([False, False,  True,  True]), array([False, False, False,  True]))
    """
    return np.arange(len(history)) >= count_before(history, start, name)


def count_before(history: History, start: float | str | date, name: str) -> int:
    """How many matches come before a start: a number of them, a share of them below 1, or those before a date.

    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]]}] * 8)
    >>> count_before(history, 0.25, "burn_in"), count_before(history, 3, "burn_in")
    (2, 3)
    """
    if isinstance(start, (str, date, np.datetime64)):
        return int(span(history, start, None)[0])
    given = number(name, start)
    if given < 0 or (given >= 1 and given != int(given)):
        raise Error(
            f"{name} must be a number of matches, a share of them below 1, or a date, not {start!r}",
            field=name,
            value=start,
        )
    return min(int(given), len(history)) if given >= 1 else round(given * len(history))


def involving(history: History, players: Iterable[str], *, everybody: bool = False) -> Mask:
    """The matches in which one of these players plays, or with `everybody`, in which nobody else does.

    >>> history = History.from_matches([{"teams": [["ann"], [other]]} for other in ("bob", "cat", "cat")])
    >>> involving(history, ["ann", "bob"], everybody=True)
    array([ True, False, False])
    """
    names = {name_of(name) for name in ([players] if isinstance(players, str) else players)}
    row = {name: number for number, name in enumerate(history.players)}
    unknown = sorted(names - row.keys())
    if unknown:
        raise Error(f"{unknown[0]} plays in no match of this history", field="players", value=unknown[0])
    chosen = np.zeros(len(history.players), bool)
    chosen[[row[name] for name in names]] = True
    if not len(history):
        return np.zeros(0, bool)
    starts = history.team_start[history.match_start[:-1]]
    entries = chosen[history.player]
    found: Mask = np.logical_and.reduceat(entries, starts) if everybody else np.logical_or.reduceat(entries, starts)
    return found


def top_players(fit: Fit, n: int = 10, *, everybody: bool = True) -> Mask:
    """The matches among the best n players of a fit's leaderboard; without `everybody`, all matches of theirs.

    >>> import prowess as pw
    >>> history = History.from_matches([{"teams": [["ann"], [other]]} for other in ("bob", "cat", "cat")])
    >>> top_players(pw.TrueSkill().fit(history), 2)
    array([False,  True,  True])
    """
    best = fit.leaderboard()["player"].head(whole("n", n, 1)).to_list()
    here = set(fit.history.players)  # a fit may have begun with players who then did not play
    return involving(fit.history, [name for name in best if name in here], everybody=everybody)
