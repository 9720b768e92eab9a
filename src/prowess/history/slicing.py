"""Select matches of a history by index, by mask or by time, and compare histories."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import MAXYEAR, date, datetime, timedelta
from math import floor, inf, nan
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import Error
from .cells.dates.moments import parse_time
from .context.columns import column_names
from .names.spelling import nearest
from .ragged import cut, gather
from .times import DAY, Stamp, agree, show_time, zone_of

if TYPE_CHECKING:
    from .context.columns import Context
    from .history import History

Column = TypeVar("Column", bound=NDArray[Any])
WEEK = 7  # days, or units of plain numbers

# The neutral value of each optional column, and the length of the column.
ABSENT: dict[str, tuple[Any, str]] = {
    "score": (np.nan, "teams"),
    "weight": (1.0, "entries"),
    "importance": (1.0, "matches"),
    "home": (np.int16(-1), "matches"),
}


def take(history: History, chosen: NDArray[np.intp] | slice) -> History:
    """Select matches by indices and sort them by time, or select a slice without a step, which shares memory."""
    team: Any
    entry: Any
    if isinstance(chosen, slice):
        match_start, team = cut(history.match_start, chosen.start, chosen.stop)
        team_start, entry = cut(history.team_start, team.start, team.stop)
    else:
        if history.time is not None:
            chosen = chosen[np.argsort(history.time[chosen], kind="stable")]
        match_start, team = gather(history.match_start, chosen)
        team_start, entry = gather(history.team_start, team)
    timed = history.time is not None and len(match_start) > 1
    part = replace(
        history,
        match_start=match_start,
        team_start=team_start,
        player=history.player[entry],
        place=history.place[team],
        score=unless_usual("score", history.score, team),
        time=history.time[chosen] if history.time is not None and timed else None,
        time_kind=history.time_kind if timed else None,
        time_zone=history.time_zone if timed else None,
        weight=unless_usual("weight", history.weight, entry),
        importance=unless_usual("importance", history.importance, chosen),
        home=unless_usual("home", history.home, chosen),
        ids=_take_ids(history.ids, chosen),
        context=history.context.take(chosen),
        team_context=history.team_context.take(team),
        entry_context=history.entry_context.take(entry),
        lines=None if history.lines is None else history.lines.take(chosen, entry),
    )
    # Columns without a value in these matches are dropped, but the names are kept: they are not misspelt.
    part.__dict__["_column_names"] = column_names(history)
    return part


def _take_ids(ids: tuple[str, ...] | None, index: NDArray[np.intp] | slice) -> tuple[str, ...] | None:
    if ids is None:
        return None
    if isinstance(index, np.ndarray) and len(np.unique(index)) < len(index):
        return None  # a match is selected twice, and ids must be unique
    chosen = ids[index] if isinstance(index, slice) else tuple(ids[i] for i in index)
    return chosen if any(chosen) else None


def unless_usual(name: str, column: Column | None, index: Any = None) -> Column | None:
    """Return a column, or the elements that `index` selects; None if all of them are neutral.

    `name` is the column's name. Neutral elements are, for example, no score, weight 1 or no home team.
    """
    if column is None:
        return None
    column, usual = column if index is None else column[index], ABSENT[name][0]
    if len(column) and (column[0] == column[0] if usual != usual else column[0] != usual):
        return column  # a fast path, which does not check the other elements
    return None if np.array_equal(column, np.full_like(column, usual), equal_nan=True) else column


def indices(chosen: NDArray[Any], length: int, name: str = "take") -> NDArray[np.intp]:
    """Convert indices, which may be negative, or a boolean mask to indices from 0; error messages begin with `name`."""
    if chosen.dtype == bool and chosen.shape == (length,):
        return np.flatnonzero(chosen)
    if chosen.shape == (0,):
        return np.zeros(0, np.intp)
    if chosen.ndim != 1 or chosen.dtype.kind not in "iu":
        kind = f"{chosen.dtype} of shape {chosen.shape}"
        raise Error(f"{name} needs indices or a mask of {length} booleans, not {kind}", field="chosen")
    wrong = chosen[(chosen < -length) | (chosen >= length)]
    if len(wrong):
        raise Error(
            f"{name}: match {wrong[0]} not found; there are {length} matches, counted from 0",
            field="chosen",
            value=int(wrong[0]),
        )
    return chosen.astype(np.intp) % length


def where(history: History, conditions: Mapping[str, object]) -> NDArray[np.bool_]:
    """Return a mask of the matches with the given context values; a list means any of its values, None a missing value.

    For a column of teams or players, a match is selected if any of its teams or players has the value. An unknown
    column raises an `Error`.
    """
    chosen = np.ones(len(history), bool)
    columns = {name: context for context in _contexts(history) for name in context}
    for name, wanted in conditions.items():
        if name not in columns:
            near = nearest(name, list(columns), 1)
            known = f"did you mean {near[0]!r}?" if near else f"the context is {', '.join(columns) or 'empty'}"
            raise Error(f"there is no context column {name!r}; {known}", field=name, value=wanted)
        rows = columns[name][name].holds(wanted, name)
        if columns[name] is not history.context and len(history):
            first = (
                history.match_start
                if columns[name] is history.team_context
                else history.team_start[history.match_start]
            )
            rows = np.logical_or.reduceat(rows, first[:-1])
        chosen &= rows
    return chosen


def _contexts(history: History) -> tuple[Context, ...]:
    return history.context, history.team_context, history.entry_context


def stamp_of(history: History) -> Stamp:
    """Return the kind and zone of the times of a history, which must have times."""
    assert history.time_kind is not None
    return Stamp(history.time_kind, history.time_zone)


def _times_of(history: History) -> NDArray[Any]:
    if history.time is None:
        message = "these matches have no times; give each match a time, or select matches by index"
        raise Error(message, field="time")
    return history.time


def span(history: History, start: object, end: object) -> tuple[int, int]:
    """Return two indices: the first match at or after `start`, and the first at or after `end`; None means no limit."""
    limits = [0, len(history)]
    for side, value in enumerate((start, end)):
        if value is not None and len(history):
            limits[side] = int(np.searchsorted(_times_of(history), bound(history, value)))
    return limits[0], max(limits)


def bound(history: History, value: object) -> float:
    """Convert a time to a number that is comparable with the history's times.

    A time without a zone is in the history's zone.
    """
    # If the times are plain numbers, "20260131" is a number, too, and not a date.
    plain = history.time_kind == "number" and str(value).strip().isdigit()
    kind, zone, number = parse_time(value, "number" if plain else None)
    if zone is None and history.time_zone is not None and kind != "number":
        local: Any = show_time("timestamp", None, number)
        kind, zone, number = parse_time(local.replace(tzinfo=zone_of(history.time_zone)))
    try:
        agree(stamp_of(history), Stamp(kind, zone), utc=True)
    except Error as error:
        raise error.within(f"{value!r} cannot be compared with the times of this history: ", value=value) from None
    return number


def equal(left: History, right: History) -> bool:
    """Return whether all columns are equal, except the remarks; players are compared by name."""
    same = ("time_kind", "time_zone", "ids", "context", "team_context", "entry_context")
    columns = ("match_start", "team_start", "place", "time", *ABSENT)
    return (
        all(getattr(left, name) == getattr(right, name) for name in same)
        and all(_equal_columns(getattr(left, name), getattr(right, name)) for name in columns)
        and _equal_players(left, right)
    )


def _equal_columns(left: NDArray[Any] | None, right: NDArray[Any] | None) -> bool:
    if left is None or right is None:
        return left is right
    return np.array_equal(left, right, equal_nan=left.dtype.kind == "f")


def _equal_players(left: History, right: History) -> bool:
    # Indices are translated first, so that each name is compared only once.
    if left.players is right.players:
        return np.array_equal(left.player, right.player)
    number = {name: row for row, name in enumerate(left.players)}
    translate = np.array([number.get(name, -1) for name in right.players], np.int32)
    return np.array_equal(left.player, translate[right.player] if len(translate) else right.player)


PERIODS = ("hour", "day", "week", "month", "year")
RIGHT = "use hour, day, week, month or year, or a number of them such as 36h, 10d, 2w, 3m or 1y"
_CALENDAR = re.compile(r"(?P<year>[0-9]{4})(?:[-/](?P<month>[0-9]{1,2})(?:[-/](?P<day>[0-9]{1,2}))?)?", re.ASCII)
_PERIOD = re.compile(rf"(?P<many>[0-9]{{1,5}})? ?(?P<unit>[hdwmy]|(?:{'|'.join(PERIODS)})s?)", re.ASCII)
_LONG = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(days=7)}


def bounds(history: History, start: object, end: object) -> tuple[int, int]:
    """Return two indices: the first match at or after `start`, and the first after `end`; None means no limit.

    An `end` that is a day, a month (2026-06) or a year (2026) is included as a whole.

    >>> from .history import History
    >>> days = [{"teams": [["ann"], ["bob"]], "time": f"2026-0{month}-15"} for month in (1, 2, 2, 3)]
    >>> bounds(History.from_matches(days), "2026-02", "2026-02-15")
    (1, 3)
    """
    limits = [0, len(history)]
    if not len(history) or (start is None and end is None):
        return 0, len(history)
    times = _times_of(history)
    if start is not None:
        first, _ = _whole_period(history, start)
        limits[0] = int(np.searchsorted(times, bound(history, first)))
    if end is not None:
        last, after = _whole_period(history, end)
        side: Any = "right" if after is None else "left"
        if after != date.max:
            limits[1] = int(np.searchsorted(times, bound(history, last if after is None else after), side=side))
    return limits[0], max(limits)


def last_day(history: History, value: object) -> float:
    """Return a time as a number comparable with those of a history; of a month or a year, the start of its last day.

    >>> from .history import History
    >>> days = History.from_matches([{"teams": [["ann"], ["bob"]], "time": "2026-01-15T20:00"}])
    >>> last_day(days, "2026-01") == last_day(days, "2026-01-31T00:00")
    True
    """
    _times_of(history)
    first, after = _whole_period(history, value)
    return bound(history, first) if after is None else bound(history, after) - DAY


def last_moment(history: History, value: object) -> float:
    """Return a time as a number comparable with those of a history; of a day, a month or a year, the last moment.

    >>> from .history import History
    >>> days = History.from_matches([{"teams": [["ann"], ["bob"]], "time": "2026-01-15"}])
    >>> last_moment(days, "2026-01") == last_moment(days, "2026-01-31")
    True
    """
    _times_of(history)
    first, after = _whole_period(history, value)
    if after is None:
        return bound(history, first)
    # The time of a match on a day is the beginning of that day.
    return bound(history, after) - (DAY if history.time_kind == "date" else 1.0)


def _whole_period(history: History, value: object) -> tuple[object, date | None]:
    """Return the start of a day, month or year, and the first day after it; for any other time, the time and None."""
    if isinstance(value, date) and not isinstance(value, datetime):
        value = value.isoformat()
    parts = _CALENDAR.fullmatch(value.strip()) if isinstance(value, str) and history.time_kind != "number" else None
    if parts is None:
        kind, _, number = parse_time(value)
        whole = kind == "date" and history.time_kind != "number"
        return (value, None) if not whole else _whole_period(history, show_time("date", None, number))
    year, month, day = (int(parts[part] or 1) for part in ("year", "month", "day"))
    try:
        first = date(year, month, day)
    except ValueError as error:
        raise Error(f"{value!r} is not a date: {error}", field="time", value=value) from None
    if parts["day"]:
        return first, first + timedelta(days=1) if first < date.max else date.max
    return first, _months_later(first, 1 if parts["month"] else 12)


def _months_later(day: date, months: int) -> date:
    # If the month has no such day, the result is its last day. The calendar ends in 9999.
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if not 1 <= year <= MAXYEAR:
        return date.max if year > MAXYEAR else date.min
    return day.replace(year=year, month=month + 1, day=min(day.day, monthrange(year, month + 1)[1]))


def week_before(last: float, stamp: Stamp) -> float:
    """Return the time since which changes of rank are shown: the end of the day seven days before the last match.

    `last` is the time of the last match, as in `History.time`. Days make the result stay the same while matches are
    added on one day. If times are plain numbers, it is seven units earlier, and a whole number. Before the first day of
    the calendar, it is −∞.

    >>> week_before(30.5, Stamp("number", None))
    23.0
    >>> utc = Stamp("timestamp", "UTC")
    >>> str(show_time(*utc, week_before(parse_time("2026-01-31T18:00:00Z")[2], utc)))
    '2026-01-24 23:59:59.999999+00:00'
    """
    if stamp.kind == "number":
        return floor(last) - float(WEEK)
    moment: Any = show_time(*stamp, last)
    if stamp.kind == "timestamp":
        moment = moment.replace(hour=23, minute=59, second=59, microsecond=999999)
    with suppress(OverflowError):
        return float(parse_time(moment - timedelta(days=WEEK))[2])
    return -inf


def first_of_last(history: History, period: str) -> int:
    """Return the index of the first match in the last period ("week", "10d", a number, or "last").

    The period is counted back from the last match. A period of whole days includes the day of the last match; "last"
    means all matches at the last time.

    >>> from .history import History
    >>> days = [{"teams": [["ann"], ["bob"]], "time": f"2026-01-{day}"} for day in (10, 17, 18, 24)]
    >>> first_of_last(History.from_matches(days), "week"), first_of_last(History.from_matches(days), "last")
    (2, 3)
    """
    if not len(history):
        return 0
    times = _times_of(history)
    if period == "last":
        return int(np.searchsorted(times, times[-1]))
    if history.time_kind != "number":
        before = _back(history, period)
        return 0 if before is None else int(np.searchsorted(times, bound(history, before), side="right"))
    length = nan
    with suppress(ValueError):
        length = float(period)
    if not 0.0 < length < inf:
        message = f"times are plain numbers here: the period must be a number above 0, or 'last', not {period!r}"
        raise Error(message, field="period", value=period)
    return int(np.searchsorted(times, times[-1] - length, side="right"))


def _back(history: History, period: str) -> date | datetime | None:
    # None means that the calendar does not reach that far back.
    parts = _PERIOD.fullmatch(period.strip().lower())
    many = int(parts["many"] or 1) if parts else 0
    if parts is None or many == 0:
        raise Error(f"{period!r} is not a period: {RIGHT}", field="period", value=period)
    unit = next(name for name in PERIODS if name[0] == parts["unit"][0])
    last: Any = show_time(*stamp_of(history), _times_of(history)[-1])
    if unit == "hour" and history.time_kind == "date":
        message = f"{period!r} is too short, because the matches have dates without a time of day; use at least a day"
        raise Error(message, field="period", value=period)
    if history.time_kind == "timestamp" and unit != "hour":
        # A period of whole days ends at the end of the last day.
        last = last.replace(hour=23, minute=59, second=59, microsecond=999999)
    with suppress(OverflowError):
        if unit in _LONG:
            return last - many * _LONG[unit]  # type: ignore[no-any-return]
        earlier = _months_later(last, -many * (12 if unit == "year" else 1))
        return None if earlier == date.min else earlier
    return None
