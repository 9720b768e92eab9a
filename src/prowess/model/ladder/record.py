"""Matches on their way into a ladder: one that is recorded, or those of a history; every player gets a row."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history import History, parse_time, show_time
from ...history.ragged import owners
from ...history.times import DAY, Stamp, agree
from ..engine.rate import record as learn
from ..match_input import MatchDetails, unique_names
from ..rating import Rating

if TYPE_CHECKING:
    from .ladder import Ladder

FEW = 100  # entries: arrays take longer than a loop over so few


def record(
    ladder: Ladder, teams: Sequence[Sequence[str]], details: MatchDetails | None, time: Any
) -> list[list[Rating]]:
    """Learn from a match: all is checked, then all is learnt, then all is kept."""
    rows, newcomers = _rows(ladder, teams)
    stamp, now = match_time(ladder, time)
    check_one_time(time, None if details is None else details.elapsed)
    if details is None or details.importance > 0.0:
        check_times(ladder, [row for team in rows for row in team if row < len(ladder)], stamp, now)
    ladder.reserve(len(ladder) + len(newcomers))
    ladder.state[len(ladder) : len(ladder) + len(newcomers)] = nan
    rated, converged = learn(ladder.model.pipeline, rows, details, ladder.table, now, time_unit(stamp))
    if details is None or details.importance > 0.0:
        ladder.names.extend(newcomers)
        ladder.stamp = stamp
    if not converged:
        warnings.warn("the match was recorded, but EP did not converge; see the outcome's `sweeps`", stacklevel=3)
    return rated


def _rows(ladder: Ladder, teams: Sequence[Sequence[str]]) -> tuple[list[list[int]], list[str]]:
    """The row of every player, newcomers after all others."""
    names = unique_names(teams)
    if len(names) < 2:
        raise Error(f"a match needs at least two teams, not {len(names)}", field="teams")
    newcomers: list[str] = []
    rows: list[list[int]] = []
    for index, team in enumerate(names):
        if not team:
            raise Error(f"team {index + 1} is empty; a team needs at least one player", field="teams", team=index)
        rows.append([])
        for name in team:
            if isinstance(name, Rating):
                message = f"a ladder records names, not ratings: {name!r} in team {index + 1}"
                raise Error(message, field="teams", team=index, value=name)
            if name not in ladder.rows:
                newcomers.append(name)
            rows[-1].append(ladder.rows.get(name, len(ladder) + len(newcomers) - 1))
    return rows, newcomers


def check_one_time(time: Any, elapsed: Any) -> None:
    """Either the time of a match is given, or what has elapsed before it."""
    if time is not None and elapsed is not None:
        raise Error(
            "give either time or elapsed: the time since a player's last match follows from its time", field="time"
        )


def match_time(ladder: Ladder, time: Any) -> tuple[Stamp | None, float]:
    """What kind of times the ladder has from now on, and when the match is (NaN: not known)."""
    if time is None:
        return ladder.stamp, nan
    kind, zone, number = parse_time(time)
    return common_stamp(ladder.stamp, Stamp(kind, zone)), float(number)


def common_stamp(known: Stamp | None, new: Stamp) -> Stamp:
    """The kind and zone of a ladder's times when new ones come: times in UTC go with those of any zone, as instants."""
    if known is None or known == new:
        return new
    utc = "UTC" in (known.zone, new.zone)
    prefix = "the new times do not go with those of the ladder: "
    if known.zone is not None and new.zone is not None and not utc:
        zones = f"mixed time zones: {known.zone} and {new.zone}; give the times in UTC, such as 2026-01-31T10:00:00Z"
        raise Error(f"{prefix}{zones}", field="time")
    try:
        return agree(known, new, utc)
    except Error as error:
        raise error.within(prefix) from None


def check_times(ladder: Ladder, rows: Sequence[int], stamp: Stamp | None, now: float) -> None:
    """A match must not be before the last one of any of its players."""
    for row in rows:
        last = float(ladder.last_seen[row])
        if now < last:
            assert stamp is not None
            before, after = (show_time(stamp.kind, stamp.zone, when) for when in (now, last))
            raise Error(
                f"the match at {before} comes before the last match of {ladder.names[row]} at {after}; a ladder takes "
                "matches in the order of time: put them into a History and fit it to insert one",
                field="time",
            )


def enter_players(ladder: Ladder, history: History) -> NDArray[np.int32]:
    """Give every player of the history a row of the ladder; returns the rows of the entries.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 4)})
    >>> enter_players(ladder, History.from_matches([{"teams": [["bob"], ["ann"]]}])), ladder.names
    (array([1, 0], dtype=int32), ['ann', 'bob'])
    """
    if history.time is not None and history.time_kind is not None:
        ladder.stamp = common_stamp(ladder.stamp, Stamp(history.time_kind, history.time_zone))
    if not len(ladder) and history.importance is None and _all_play(history):
        ladder.reserve(len(history.players))
        ladder.names.extend(history.players)
        return history.player
    if history.importance is None and history.entries <= FEW:
        rows = _enter_few(ladder, history)
        if rows is not None:
            return rows
    first = _first_entries(history)
    row_of = ladder.rows
    known = np.array([row_of.get(name, -1) for name in history.players], np.int32)
    _check_order(ladder, history, first, known)
    newcomers = np.flatnonzero((first < history.entries) & (known < 0))
    newcomers = newcomers[np.argsort(first[newcomers])]
    known[newcomers] = len(ladder) + np.arange(len(newcomers))
    known[known < 0] = len(ladder) + len(newcomers)  # who is only in matches that do not count: a row that stays empty
    ladder.reserve(len(ladder) + len(newcomers) + 1)
    ladder.names.extend([history.players[player] for player in newcomers])
    return known[history.player]


def _enter_few(ladder: Ladder, history: History) -> NDArray[np.int32] | None:
    """The same for a few matches that all count; None where somebody was seen after the first of them."""
    row_of, names, players = ladder.rows, history.players, history.player.tolist()
    row = {player: row_of.get(names[player], -1) for player in players}
    if history.time is not None:
        last_seen, start = ladder.layout.last_seen, float(history.time[0])
        if any(known >= 0 and ladder.state.item(known, last_seen) > start for known in row.values()):
            return None
    newcomers = [player for player, known in row.items() if known < 0]  # in the order in which they first play
    row |= {player: number for number, player in enumerate(newcomers, len(ladder))}
    ladder.reserve(len(ladder) + len(newcomers))
    ladder.names.extend([names[player] for player in newcomers])
    return np.array([row[player] for player in players], np.int32)


def _all_play(history: History) -> bool:
    """Whether the history, which may be part of a longer one, has a match of every player that it names."""
    return bool(np.bincount(history.player, minlength=len(history.players)).all())


def _first_entries(history: History) -> NDArray[np.int64]:
    """The first entry of each player in a match that counts; the number of entries for who has none."""
    first = np.full(len(history.players), history.entries, np.int64)
    counted = np.arange(history.entries)
    if history.importance is not None:
        counted = counted[history.importance[_match_of_entries(history)] > 0]
    first[history.player[counted[::-1]]] = counted[::-1]  # the earliest is written last
    return first


def _match_of_entries(history: History) -> NDArray[np.int32]:
    """The match of each entry."""
    return owners(history.match_start)[owners(history.team_start)]


def _check_order(ladder: Ladder, history: History, first: NDArray[np.int64], known: NDArray[np.int32]) -> None:
    """Who returns must not have been seen after her first match here."""
    returning = np.flatnonzero((first < history.entries) & (known >= 0))
    if history.time is None or not len(returning):
        return
    now = history.time[_match_of_entries(history)[first[returning]]].astype(np.float64)
    early = np.flatnonzero(now < ladder.last_seen[known[returning]])
    if len(early):
        wrong = early[np.argmin(first[returning[early]])]
        check_times(ladder, [int(known[returning[wrong]])], ladder.stamp, float(now[wrong]))


def time_unit(stamp: Stamp | None) -> float:
    """How much of the times a unit of elapsed time is: a day, or 1 where times are plain numbers.

    >>> time_unit(None)
    1.0
    """
    return 1.0 if stamp is None or stamp.kind == "number" else DAY
