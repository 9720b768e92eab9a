"""Records matches in a ladder: finds the rows of the players and the time since each player's last match."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from itertools import repeat
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history import History, parse_time, show_time
from ...history.context.builder import with_statistics
from ...history.ragged import owners
from ...history.times import DAY, Stamp, agree
from ...validate import scale
from ..engine.rate import record as learn
from ..match_input import MatchDetails, unique_names
from ..rating import Rating
from .facet_rows import UNKNOWN, MatchRows, check_names

if TYPE_CHECKING:
    from .ladder import Ladder

FEW = 100  # up to this many entries a loop is faster than arrays


def record(
    ladder: Ladder,
    teams: Sequence[Sequence[str]],
    details: MatchDetails | None,
    time: Any,
    context: Mapping[str, Any] | None = None,
    statistics: Mapping[str, Any] | None = None,
) -> list[list[Rating]]:
    """Record a match and return the new ratings, nested like the teams.

    All arguments are checked before the ladder changes.
    """
    rows, newcomers = _rows(ladder, teams)
    stamp, now = match_time(ladder, time)
    check_one_time(time, None if details is None else details.elapsed)
    if details is None or details.importance > 0.0:
        check_times(ladder, [row for team in rows for row in team if row < len(ladder)], stamp, now)
    context = with_statistics(context, statistics, [len(team) for team in rows])
    match = _match_rows(ladder, context, rows, add=True, weights=None if details is None else details.weights)
    ladder.reserve(len(ladder) + len(newcomers))
    # An earlier match that failed may have left numbers in these rows.
    ladder.state[len(ladder) : len(ladder) + len(newcomers)] = nan
    facets = None if match is None else match.columns
    rated, converged = learn(ladder.model.pipeline, rows, details, ladder.table, now, time_unit(stamp), facets)
    if details is None or details.importance > 0.0:
        ladder.names.extend(newcomers)
        if match is not None:
            match.add_rows()
        ladder.stamp, ladder.first_time = stamp, _earliest(ladder.first_time, now)
    if not converged:
        warnings.warn(
            "the match was recorded, but EP did not converge; allow more `sweeps` in the outcome", stacklevel=3
        )
    return rated


def _match_rows(
    ladder: Ladder,
    context: Mapping[str, Any] | None,
    rows: Sequence[Sequence[int]],
    add: bool,
    weights: Sequence[float] | None = None,
) -> MatchRows | None:
    """Return the rows of the facets that the context of a match selects; None if the model has no facets."""
    if context is not None and not isinstance(context, Mapping):
        message = f"context must be a mapping such as {{'surface': 'clay'}}, not {context!r}"
        raise Error(message, field="context", value=context)
    if ladder.facets:
        return MatchRows(ladder, context, rows, add, weights)
    check_names(ladder.model, context or {}, extra=add)
    return None


def upcoming_rows(
    ladder: Ladder, players: Sequence[Sequence[int | Rating]], context: Mapping[str, Any] | None
) -> list[Any] | None:
    """Return the rows of the facets for an upcoming match; None if the model has no facets."""
    rows = [[UNKNOWN if isinstance(player, Rating) else player for player in team] for team in players]
    match = _match_rows(ladder, context, rows, add=False)
    return None if match is None else match.columns


def _rows(ladder: Ladder, teams: Sequence[Sequence[str]]) -> tuple[list[list[int]], list[str]]:
    # Newcomers get the rows after all existing rows.
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
    """Raise an `Error` if both the time of a match and the elapsed time are given."""
    if time is not None and elapsed is not None:
        raise Error("give either time or elapsed, not both", field="time")


def match_time(ladder: Ladder, time: Any) -> tuple[Stamp | None, float]:
    """Return the stamp that fits the ladder and the match, and the match's time as a number (NaN if unknown)."""
    if time is None:
        return ladder.stamp, nan
    kind, zone, number = parse_time(time)
    return common_stamp(ladder.stamp, Stamp(kind, zone)), float(number)


def common_stamp(old: Stamp | None, new: Stamp) -> Stamp:
    """Return the stamp (kind of times and time zone) that fits both the ladder's times and new times.

    Raise an `Error` if no stamp fits both. UTC can be mixed with any zone, because both denote instants.
    """
    if old is None or old == new:
        return new
    utc = "UTC" in (old.zone, new.zone)
    prefix = "the new times do not fit the times of the ladder: "
    if old.zone is not None and new.zone is not None and not utc:
        zones = f"mixed time zones: {old.zone} and {new.zone}; give the times in UTC, such as 2026-01-31T10:00:00Z"
        raise Error(f"{prefix}{zones}", field="time")
    try:
        return agree(old, new, utc)
    except Error as error:
        raise error.within(prefix) from None


def _earliest(first: float, time: float) -> float:
    # NaN means that a time is unknown.
    return time if time < first or first != first else first


def check_times(ladder: Ladder, rows: Sequence[int], stamp: Stamp | None, now: float) -> None:
    """Raise an `Error` if a match is before the last match of any of its players."""
    for row in rows:
        last = float(ladder.last_seen[row])
        if now < last:
            assert stamp is not None
            before, after = (show_time(stamp.kind, stamp.zone, when) for when in (now, last))
            raise Error(
                f"the match at {before} is earlier than {ladder.names[row]}'s last match at {after}; record matches in "
                "chronological order, or fit a History of all matches to insert an earlier one",
                field="time",
            )


def enter_players(ladder: Ladder, history: History) -> NDArray[np.int32]:
    """Give every player of the history a row of the ladder; return the row of every entry.

    Players without a match that counts are not added to the ladder. Their entries get a row that stays empty.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 4)})
    >>> enter_players(ladder, History.from_matches([{"teams": [["bob"], ["ann"]]}])), ladder.names
    (array([1, 0], dtype=int32), ['ann', 'bob'])
    """
    if history.time is not None and history.time_kind is not None:
        ladder.stamp = common_stamp(ladder.stamp, Stamp(history.time_kind, history.time_zone))
        if len(history):
            ladder.first_time = _earliest(ladder.first_time, float(history.time[0]))
    all_play = _all_play(history)
    if not len(ladder) and history.importance is None and all_play:
        ladder.reserve(len(history.players))
        ladder.names.extend(history.players)
        return history.player
    if history.importance is None and history.entries <= FEW:
        rows = _enter_few(ladder, history)
        if rows is not None:
            return rows
    row_of = ladder.rows
    row = np.fromiter(map(row_of.get, history.players, repeat(-1)), np.int32, len(history.players))
    is_later = history.time is not None and not (ladder.last_seen > history.time[0]).any()
    newcomers = np.flatnonzero(row < 0)
    if history.importance is not None or not all_play or not is_later or len(newcomers) > 1:
        # Matches of importance 0 change nothing, so they must not add players to the ladder either.
        first = _first_entries(history)
        _check_order(ladder, history, first, row)
        newcomers = newcomers[first[newcomers] < history.entries]
        newcomers = newcomers[np.argsort(first[newcomers])]
    row[newcomers] = len(ladder) + np.arange(len(newcomers))
    row[row < 0] = len(ladder) + len(newcomers)  # players without a rated match share a row that stays empty
    ladder.reserve(len(ladder) + len(newcomers) + 1)
    ladder.names.extend([history.players[player] for player in newcomers])
    return row[history.player]


def _all_play(history: History) -> bool:
    """Return whether every player has a match; a part of a longer history may name others. The history keeps this."""
    kept: bool | None = history.__dict__.get("_all_play")
    if kept is None:
        kept = bool(np.bincount(history.player, minlength=len(history.players)).all())
        history.__dict__["_all_play"] = kept
    return kept


def _enter_few(ladder: Ladder, history: History) -> NDArray[np.int32] | None:
    """Do the work of `enter_players` for a few matches, all of which have an importance above 0.

    Return None if a player already has a later match.
    """
    row_of, names, players = ladder.rows, history.players, history.player.tolist()
    row = {player: row_of.get(names[player], -1) for player in players}
    if history.time is not None:
        last_seen, start = ladder.layout.last_seen, float(history.time[0])
        if any(old >= 0 and ladder.state.item(old, last_seen) > start for old in row.values()):
            return None
    newcomers = [player for player, old in row.items() if old < 0]  # in the order of their first matches
    row |= {player: number for number, player in enumerate(newcomers, len(ladder))}
    ladder.reserve(len(ladder) + len(newcomers))
    ladder.names.extend([names[player] for player in newcomers])
    return np.array([row[player] for player in players], np.int32)


def _first_entries(history: History) -> NDArray[np.int64]:
    """Return each player's first entry in a match that counts.

    Players without such a match get the total number of entries.
    """
    first = np.full(len(history.players), history.entries, np.int64)
    counted = np.arange(history.entries)
    if history.importance is not None:
        counted = counted[history.importance[_match_of_entries(history)] > 0]
    first[history.player[counted[::-1]]] = counted[::-1]  # written in reverse order, so that the earliest entry remains
    return first


def _match_of_entries(history: History) -> NDArray[np.int32]:
    return owners(history.match_start)[owners(history.team_start)]


def _check_order(ladder: Ladder, history: History, first: NDArray[np.int64], row: NDArray[np.int32]) -> None:
    returning = np.flatnonzero((first < history.entries) & (row >= 0))
    if history.time is None or not len(returning):
        return
    now = history.time[_match_of_entries(history)[first[returning]]].astype(np.float64)
    early = np.flatnonzero(now < ladder.last_seen[row[returning]])
    if len(early):
        wrong = early[np.argmin(first[returning[early]])]
        check_times(ladder, [int(row[returning[wrong]])], ladder.stamp, float(now[wrong]))


def time_unit(stamp: Stamp | None) -> float:
    """Return the length of a unit of elapsed time, in the unit of match times: a day, or 1 for plain numbers.

    >>> time_unit(None)
    1.0
    """
    return 1.0 if stamp is None or stamp.kind == "number" else float(DAY)


def active(ladder: Ladder, within: float) -> list[str]:
    """Return the players, best first, whose last match is at most `within` before the league's latest match.

    `within` is in days if times are dates. Without times, all players are active.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill())
    >>> for day, name in ((1, "ann"), (8, "bob")):
    ...     _ = ladder.record([[name], ["cat"]], time=f"2026-01-0{day}")
    >>> active(ladder, 3)
    ['bob', 'cat']
    """
    limit = scale("within", within, zero=True)
    names = ladder.leaderboard(ranking="conservative")["player"].to_list()  # whatever the scale
    last = ladder.last_seen
    if not len(last) or np.isnan(last).all():
        return list(names)
    recent = last >= np.nanmax(last) - limit * time_unit(ladder.stamp)
    return [name for name in names if recent[ladder.rows[name]]]


def upcoming(
    ladder: Ladder, teams: Sequence[Sequence[str | Rating]], time: Any
) -> tuple[list[list[int | Rating]], float, float]:
    """Return the players of an upcoming match as rows or ratings, its time (NaN if unknown), and the `time_unit`.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill())
    >>> _ = ladder.record([["ann"], ["bob"]], time="2026-01-31")
    >>> upcoming(ladder, [["bob"], [pw.Rating(25, 1)]], None)
    ([[1], [Rating(mu=25.0, sigma=1.0)]], nan, 86400000000.0)
    """
    names = unique_names(teams)
    stamp, now = match_time(ladder, time)
    for name in (name for team in names for name in team):
        if not isinstance(name, Rating) and name not in ladder.rows:
            ladder[name]  # raises an Error with a hint
    players = [[name if isinstance(name, Rating) else ladder.rows[name] for name in team] for team in names]
    check_times(ladder, [row for team in players for row in team if not isinstance(row, Rating)], stamp, now)
    return players, now, time_unit(stamp)
