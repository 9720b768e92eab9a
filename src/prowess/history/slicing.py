"""Choosing matches of a history by index, by mask and by time, and comparing two histories."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import Error
from .ragged import cut, gather
from .times import Stamp, agree, parse_time, show_time, zone_of

if TYPE_CHECKING:
    from .history import History

Column = TypeVar("Column", bound=NDArray[Any])

__all__ = ["bound", "equal", "indices", "span", "take", "unless_usual"]

# The columns that need not be there, and the value in them that says nothing.
_USUAL = {"score": np.nan, "weight": 1.0, "importance": 1.0, "home": -1}


def take(history: "History", chosen: NDArray[np.intp] | slice) -> "History":
    """Choose matches by indices, or by a slice without step, which shares the memory of the columns."""
    index = in_time(history, chosen) if isinstance(chosen, np.ndarray) else chosen
    team: Any
    entry: Any
    if isinstance(index, slice):
        match_start, team = cut(history.match_start, index.start, index.stop)
        team_start, entry = cut(history.team_start, team.start, team.stop)
    else:
        match_start, team = gather(history.match_start, index)
        team_start, entry = gather(history.team_start, team)
    timed = history.time is not None and len(match_start) > 1
    return replace(
        history,
        match_start=match_start,
        team_start=team_start,
        player=history.player[entry],
        place=history.place[team],
        score=None if history.score is None else unless_usual("score", history.score[team]),
        time=history.time[index] if history.time is not None and timed else None,
        time_kind=history.time_kind if timed else None,
        time_zone=history.time_zone if timed else None,
        weight=None if history.weight is None else unless_usual("weight", history.weight[entry]),
        importance=None if history.importance is None else unless_usual("importance", history.importance[index]),
        home=None if history.home is None else unless_usual("home", history.home[index]),
        ids=_take_ids(history.ids, index),
    )


def in_time(history: "History", index: NDArray[np.intp]) -> NDArray[np.intp]:
    """Put chosen matches in the order of time, where there are times; matches of one time stay as they were chosen."""
    if history.time is None:
        return index
    return index[np.argsort(history.time[index], kind="stable")]


def _take_ids(ids: tuple[str, ...] | None, index: NDArray[np.intp] | slice) -> tuple[str, ...] | None:
    if ids is None:
        return None
    if isinstance(index, slice):
        chosen = ids[index]
    elif len(np.unique(index)) < len(index):
        return None  # a match taken twice: two matches cannot have one id
    else:
        chosen = tuple(ids[i] for i in index)
    return chosen if any(chosen) else None


def unless_usual(name: str, column: Column) -> Column | None:
    """Give a column, or None when each of its values is the one that says nothing (no score, weight 1, no home)."""
    usual = _USUAL[name]
    if len(column) and (column[0] == column[0] if usual != usual else column[0] != usual):
        return column  # the first value says something
    if np.array_equal(column, np.full_like(column, usual), equal_nan=True):
        return None
    return column


def indices(chosen: NDArray[Any], length: int, name: str = "take") -> NDArray[np.intp]:
    """Read indices, which may be negative, or a boolean mask, as indices from 0; errors begin with a name."""
    if chosen.dtype == bool and chosen.shape == (length,):
        return np.flatnonzero(chosen)
    if chosen.shape == (0,):
        return np.zeros(0, np.intp)
    if chosen.ndim != 1 or chosen.dtype.kind not in "iu":
        kind = f"{chosen.dtype} of shape {chosen.shape}"
        raise Error(f"{name} needs indices or a mask of {length} booleans, not {kind}", field="chosen")
    wrong = chosen[(chosen < -length) | (chosen >= length)]
    if len(wrong):
        message = f"{name}: there is no match {wrong[0]} in a history of {length} matches"
        raise Error(message, field="chosen", value=int(wrong[0]))
    return chosen.astype(np.intp) % length


def span(history: "History", start: object, end: object) -> tuple[int, int]:
    """Give the first match at or after `start`, and the first at or after `end`; None leaves a side open."""
    bounds = [0, len(history)]
    for side, value in enumerate((start, end)):
        if value is not None and len(history):
            if history.time is None:
                message = "between needs times, and this history has none: give each match a time, or slice by index"
                raise Error(message, field="time")
            bounds[side] = int(np.searchsorted(history.time, bound(history, value)))
    return bounds[0], max(bounds[0], bounds[1])


def bound(history: "History", value: object) -> float:
    """Read a bound on the history's own clock: one without a zone is local to the history's zone."""
    assert history.time_kind is not None
    plain = history.time_kind == "number" and str(value).strip().isdigit()  # "20260131" is a date elsewhere
    kind, zone, number = parse_time(value, "number" if plain else None)
    if zone is None and history.time_zone is not None and kind != "number":
        local: Any = show_time("timestamp", None, number)
        kind, zone, number = parse_time(local.replace(tzinfo=zone_of(history.time_zone)))
    try:
        agree(Stamp(history.time_kind, history.time_zone), Stamp(kind, zone), utc=True)
    except Error as error:
        raise error.within(f"{value!r} is not on the clock of this history: ", value=value) from None
    return number


def equal(one: "History", other: "History") -> bool:
    """Compare what was played: every column but how it was read, players by their names."""
    same = ("time_kind", "time_zone", "ids")
    columns = ("match_start", "team_start", "place", "time", *_USUAL)
    return (
        all(getattr(one, name) == getattr(other, name) for name in same)
        and all(_equal_columns(getattr(one, name), getattr(other, name)) for name in columns)
        and _equal_players(one, other)
    )


def _equal_columns(one: NDArray[Any] | None, other: NDArray[Any] | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


def _equal_players(one: "History", other: "History") -> bool:
    """Translate the numbers of one history's players to the other's by name, so that no name is compared twice."""
    if one.players is other.players:
        return np.array_equal(one.player, other.player)
    number = {name: row for row, name in enumerate(one.players)}
    translate = np.array([number.get(name, -1) for name in other.players], np.int32)
    return np.array_equal(one.player, translate[other.player] if len(translate) else other.player)
