"""One match into a ladder, through the same steps as a sweep."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from math import nan
from typing import TYPE_CHECKING, Any

from ...errors import Error
from ...history import parse_time, show_time
from ...history.times import DAY, Stamp, agree
from ..engine.rate import record as learn
from ..match_input import Given, once
from ..rating import Rating

if TYPE_CHECKING:
    from .ladder import Ladder

__all__ = ["check_times", "common_stamp", "moment", "once_timed", "record"]


def record(ladder: Ladder, teams: Sequence[Sequence[str]], details: Given | None, time: Any) -> list[list[Rating]]:
    """Learn from a match: all is checked, then all is learnt, then all is kept."""
    rows, newcomers = _rows(ladder, teams)
    stamp, now = moment(ladder, time)
    once_timed(time, None if details is None else details.elapsed)
    if details is None or details.importance > 0.0:
        check_times(ladder, [row for team in rows for row in team if row < len(ladder)], stamp, now)
    ladder.reserve(len(ladder) + len(newcomers))
    ladder.state[len(ladder) : len(ladder) + len(newcomers)] = nan
    unit = 1.0 if stamp is None or stamp.kind == "number" else DAY
    rated, converged = learn(ladder.model.pipeline, rows, details, ladder.table, now, unit)
    if details is None or details.importance > 0.0:
        ladder.names.extend(newcomers)
        ladder.stamp = stamp
    if not converged:
        warnings.warn("the match was recorded, but EP did not converge; see the outcome's `sweeps`", stacklevel=3)
    return rated


def _rows(ladder: Ladder, teams: Sequence[Sequence[str]]) -> tuple[list[list[int]], list[str]]:
    """The row of every player, newcomers after all others."""
    names = once(teams)
    if len(names) < 2:
        raise Error(f"a match needs at least two teams, not {len(names)}")
    newcomers: list[str] = []
    rows: list[list[int]] = []
    for number, team in enumerate(names, 1):
        if not team:
            raise Error(f"team {number} is empty; a team needs at least one player")
        rows.append([])
        for name in team:
            if isinstance(name, Rating):
                raise Error(f"a ladder records names, not ratings: {name!r} in team {number}")
            if name not in ladder.rows:
                newcomers.append(name)
            rows[-1].append(ladder.rows.get(name, len(ladder) + len(newcomers) - 1))
    return rows, newcomers


def once_timed(time: Any, elapsed: Any) -> None:
    """Either the time of a match is given, or what has elapsed before it."""
    if time is not None and elapsed is not None:
        raise Error("give either time or elapsed: the time since a player's last match follows from its time")


def moment(ladder: Ladder, time: Any) -> tuple[Stamp | None, float]:
    """What kind of times the ladder has from now on, and when the match is (NaN: not known)."""
    if time is None:
        return ladder.stamp, nan
    kind, zone, number = parse_time(time)
    return common_stamp(ladder.stamp, Stamp(kind, zone)), float(number)


def common_stamp(known: Stamp | None, new: Stamp) -> Stamp:
    """The kind and zone of a ladder's times when new ones come: times in UTC go with those of any zone, as instants."""
    if known is None or known == new:
        return new
    try:
        return agree(known, new, utc="UTC" in (known.zone, new.zone))
    except Error as error:
        hint = "give the times in UTC, such as 2026-01-31T10:00:00Z"
        said = str(error).replace("`utc=True` reads them as instants", hint)
        raise Error(f"the new times do not go with those of the ladder: {said}") from None


def check_times(ladder: Ladder, rows: Sequence[int], stamp: Stamp | None, now: float) -> None:
    """A match must not be before the last one of any of its players."""
    for row in rows:
        last = float(ladder.last_seen[row])
        if now < last:
            assert stamp is not None
            before, after = (show_time(stamp.kind, stamp.zone, when) for when in (now, last))
            raise Error(
                f"the match at {before} comes before the last match of {ladder.names[row]} at {after}; a ladder takes "
                "matches in the order of time: put them into a History and fit it to insert one"
            )
