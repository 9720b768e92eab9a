"""Find the length of the break between seasons, from a column that names the season of each match."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import Error, Option
from .history import History
from .ragged import Floats, owners
from .times import DAY


class SeasonBreak(NamedTuple):
    """The break between seasons: a player's next season begins after a pause of more than `gap` days.

    If the times are plain numbers, `gap` is in units of these numbers.

    `starts` counts how often a player began another season, and `missed` how many of these starts followed a shorter
    pause. `extra` counts longer pauses within a season, which look like a break.
    """

    gap: float
    starts: int
    missed: int
    extra: int


def find_season_break(history: History, column: str) -> SeasonBreak:
    """Find the length of a break that best separates the seasons in a column of the matches' context.

    The best length misjudges the fewest pauses between two consecutive matches of a player. If several lengths are
    equally good, the middle of the longest range of such lengths is used. Raises `Error` if the seasons do not begin
    after a break.

    >>> days = ("2025-09-01", "2025-10-30", "2026-02-01", "2026-03-01")
    >>> history = History.from_matches([
    ...     {"teams": [["ann"], ["bob"]], "time": day, "context": {"season": year}}
    ...     for day, year in zip(days, (2025, 2025, 2026, 2026))
    ... ])
    >>> find_season_break(history, "season")
    SeasonBreak(gap=76.0, starts=2, missed=0, extra=0)
    """
    pause, fresh = _pauses(history, column)
    starts = int(fresh.sum())
    if not starts:
        message = f"no player has matches in two seasons of column {column!r}; give the length of a break, such as "
        raise Error(message, Option("seasons", 60), field="seasons", value=column)
    length, index = np.unique(pause, return_inverse=True)
    begins = np.bincount(index, fresh, len(length))
    missed = np.cumsum(begins)
    extra = np.sum(~fresh) - np.cumsum(np.bincount(index, ~fresh, len(length)))
    wrong = missed + extra
    # Every gap from length[k] to just below length[k + 1] misjudges the same pauses; the middle is the safest choice.
    best = np.flatnonzero(wrong == wrong.min())
    k = int(best[np.argmax(np.append(np.diff(length), 0.0)[best])])
    if wrong[k] >= starts:
        message = f"the seasons in column {column!r} do not begin after a break; name another column"
        raise Error(message, field="seasons", value=column)
    middle = float(length[k] + length[k + 1]) / 2
    gap = float(np.floor(middle)) if np.floor(middle) >= length[k] and middle >= 1 else middle
    return SeasonBreak(gap, starts, int(missed[k]), int(extra[k]))


def _pauses(history: History, column: str) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the pauses between consecutive matches of every player, and whether a season begins after each pause."""
    # Users type the name of a column in upper or lower case; the reader keeps the spelling of the file.
    name = next((name for name in history.context if name.casefold() == column.casefold()), column)
    season = history.context.get(name)
    if season is None:
        known = f"; the matches have {', '.join(map(repr, history.context))}" if history.context else ""
        raise Error(f"no column {column!r} with the season of each match{known}", field="seasons", value=column)
    if history.time is None:
        raise Error("seasons need the times of matches, and this history has none", field="seasons", value=column)
    match = owners(history.match_start)[owners(history.team_start)]
    order = np.lexsort((match, history.player))
    player, match = history.player[order], match[order]
    code = season.code[match]
    known = (code >= 0) & (np.diff(player, append=-1) == 0)
    first = np.flatnonzero(known[:-1] & (code[1:] >= 0))
    unit = 1.0 if history.time_kind == "number" else float(DAY)
    pause = (history.time[match[first + 1]] - history.time[match[first]]) / unit
    return np.asarray(pause, np.float64), np.asarray(code[first] != code[first + 1])
