"""Several histories as one: next to each other in time, players known by their names."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Error, Option, Remark
from ..text import count
from .build_history import in_order_of_appearance
from .history import History
from .ragged import Ints, mix_bits, owners
from .slicing import take, unless_usual
from .times import Stamp, agree, show_time

ABSENT: dict[str, tuple[Any, str]] = {  # what stands for a column that a history does not have, and how long it is
    "score": (np.nan, "teams"),
    "weight": (1.0, "entries"),
    "importance": (1.0, "matches"),
    "home": (np.int16(-1), "matches"),
}


def join(histories: Sequence[History], once: bool = True, names: Sequence[str] = ()) -> History:
    """Join histories into one, in the order of time; without times, one after another.

    With `once`, a match that stands in several of them (the same date or time, teams and result) counts once. Errors
    call the histories by their `names`, if these are given.

    >>> may = History.from_matches([{"teams": [["ann"], ["bob"]], "time": "2026-05-30"}])
    >>> june = History.from_matches([{"teams": [["bob"], ["cat"]], "time": "2026-06-06"}])
    >>> join([june, may])
    History(2 matches, 3 players, 2026-05-30 … 2026-06-06, places)
    """
    parts = list(histories)
    for number, part in enumerate(parts, 1):
        if not isinstance(part, History):
            message = f"join needs histories, but number {number} is of the kind {type(part).__name__}"
            raise Error(message, field="histories", value=part)
    nonempty = [part for part in parts if len(part)]
    if len(nonempty) < 2:
        return nonempty[0] if nonempty else parts[0] if parts else History.from_matches([])
    stamp = _common_stamp(parts, names or [f"history {number} of {len(parts)}" for number in range(1, len(parts) + 1)])
    joined = _chained(nonempty, stamp)
    remarks: dict[str, Remark] = {}
    for remark in (remark for part in parts for remark in part.remarks):
        remarks.setdefault(str(remark), remark)
    if once and stamp is not None and stamp.kind != "number":  # a number may be a round, which every season has
        source = np.repeat(np.arange(len(nonempty)), [len(part) for part in nonempty])
        repeated = _repeated(joined, source)
        if repeated.any():
            remarks[""] = _repeated_matches(joined, repeated)
            joined = take(joined, np.flatnonzero(~repeated))
    joined = take(joined, np.arange(len(joined)))  # which sorts by time
    return replace(in_order_of_appearance(joined), ids=_unique(joined.ids), remarks=tuple(remarks.values()))


def _common_stamp(histories: Sequence[History], names: Sequence[str]) -> Stamp | None:
    """Return the kind of times that all of them have; None if none has times."""
    kinds = [part.time_kind for part in histories if len(part)]
    if None in kinds and set(kinds) != {None}:
        without = next(name for part, name in zip(histories, names, strict=True) if len(part) and not part.time_kind)
        raise Error(f"{without} has no times and others have: only all or none can be joined", field="time")
    common: Stamp | None = None
    for part, name in zip(histories, names, strict=True):
        if part.time_kind is None:
            continue
        stamp = Stamp(part.time_kind, part.time_zone)
        try:
            common = agree(common or stamp, stamp)
        except Error as error:
            raise error.within(f"{name}: its times do not go with those before: ") from None
    return common


def _chained(histories: Sequence[History], stamp: Stamp | None) -> History:
    """One history after another, not yet in the order of time."""
    number: dict[str, int] = {}
    player = []
    for part in histories:
        rows = np.array([number.setdefault(name, len(number)) for name in part.players], np.int32)
        player.append(rows[part.player])
    time = None if stamp is None else np.concatenate([part.time for part in histories if part.time is not None])
    columns: dict[str, Any] = {name: _column(histories, name) for name in ABSENT}
    return History(
        match_start=_starts([part.match_start for part in histories]),
        team_start=_starts([part.team_start for part in histories]),
        player=np.concatenate(player),
        place=np.concatenate([part.place for part in histories]),
        time=time,
        time_kind=None if stamp is None else stamp.kind,
        time_zone=None if stamp is None else stamp.zone,
        ids=_ids(histories),
        players=tuple(number),
        **columns,
    )


def _starts(parts: Sequence[Ints]) -> Ints:
    """Where lists begin that stand one after another."""
    ends = np.cumsum([0, *(part[-1] for part in parts)])
    return np.concatenate([part[:-1] + end for part, end in zip(parts, ends, strict=False)] + [ends[-1:]]).astype(
        np.int32
    )


def _column(histories: Sequence[History], name: str) -> NDArray[Any] | None:
    """A column that need not be there, filled up where it is not."""
    absent, length = ABSENT[name]
    if all(getattr(part, name) is None for part in histories):
        return None
    parts = []
    for part in histories:
        column = getattr(part, name)
        size = len(part) if length == "matches" else getattr(part, length)
        parts.append(np.full(size, absent) if column is None else column)
    return unless_usual(name, np.concatenate(parts))


def _ids(histories: Sequence[History]) -> tuple[str, ...] | None:
    if all(part.ids is None for part in histories):
        return None
    return tuple(name for part in histories for name in (part.ids or ("",) * len(part)))


def _unique(ids: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """The ids, as long as each is of one match: where every file counts from 1 they say nothing."""
    names = [name for name in ids or () if name]
    return ids if len(set(names)) == len(names) else None


def _repeated(history: History, source: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which matches stand already in a history before: the same time, teams, players and result."""
    keys = _keys(history)
    order = np.lexsort((source, keys))
    same = keys[order][1:] == keys[order][:-1]
    begin = np.maximum.accumulate(np.where(np.r_[True, ~same], np.arange(len(order)), 0))
    repeated = np.zeros(len(order), bool)
    repeated[order] = source[order] > source[order][begin]
    return repeated


def _keys(history: History) -> NDArray[np.uint64]:
    """A number for each match that two matches share only if they are the same, but for one chance in 2⁶⁴."""
    assert history.time is not None
    place = history.place if history.score is None else np.where(np.isnan(history.score), history.place, history.score)
    team = owners(history.team_start)
    seat = team - history.match_start[:-1][owners(history.match_start)[team]]
    words = [history.player, seat, place[team], np.ones(history.entries) if history.weight is None else history.weight]
    mixed = np.zeros(history.entries, np.uint64)
    for word in words:
        mixed = mix_bits(mixed ^ (np.asarray(word, np.float64) + 0.0).view(np.uint64))  # no zero below zero
    first = history.team_start[history.match_start[:-1]]
    sums: NDArray[np.uint64] = np.add.reduceat(mixed, first)  # each player stands once in a match, with her seat
    return mix_bits(sums ^ history.time.astype(np.float64).view(np.uint64))


def _repeated_matches(history: History, repeated: NDArray[np.bool_]) -> Remark:
    assert history.time is not None
    assert history.time_kind is not None
    first = int(np.flatnonzero(repeated)[0])
    when = show_time(history.time_kind, history.time_zone, history.time[first])
    words = "match stands in more than one file and counts", "matches stand in more than one file and count"
    number = int(repeated.sum())
    text = f"{count(number, *words)} once (the first: {when}); "
    return Remark("repeated-matches", (text, Option("duplicates", "keep"), " counts all"), count=number)
