"""Join several histories into one, in chronological order; players are identified by name."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Error, Option, Remark
from ..text import count
from .build_history import in_order_of_appearance
from .context.columns import FIELDS, LEVELS, Context, ContextColumn, Level, column_at, concatenate
from .history import History
from .ragged import mix_bits, owners, starts
from .slicing import ABSENT, stamp_of, take, unless_usual
from .times import Stamp, agree, show_time


def join(histories: Sequence[History], once: bool = True, names: Sequence[str] = ()) -> History:
    """Join histories into one, in chronological order; histories without times are joined one after another.

    With `once`, a match that is in several histories (same date or time, teams and result) counts once. `names`
    are the names of the histories in error messages.

    >>> may = History.from_matches([{"teams": [["ann"], ["bob"]], "time": "2026-05-30"}])
    >>> june = History.from_matches([{"teams": [["bob"], ["cat"]], "time": "2026-06-06"}])
    >>> join([june, may])
    History(2 matches, 3 players, 2026-05-30 … 2026-06-06, places)
    """
    parts = list(histories)
    for number, part in enumerate(parts, 1):
        if not isinstance(part, History):
            message = f"every item given to join must be a history, but item {number} is of type {type(part).__name__}"
            raise Error(message, field="histories", value=part)
    nonempty = [part for part in parts if len(part)]
    if len(nonempty) < 2:
        return nonempty[0] if nonempty else parts[0] if parts else History.from_matches([])
    stamp = _common_stamp(parts, names or [f"history {number} of {len(parts)}" for number in range(1, len(parts) + 1)])
    joined = _concatenate(nonempty, stamp)
    remarks: dict[str, Remark] = {}
    for remark in (*(remark for part in parts for remark in part.remarks), *_mixed_context(nonempty)):
        remarks.setdefault(str(remark), remark)
    if once and stamp is not None and stamp.kind != "number":  # a number may be a round, which recurs every season
        source = np.repeat(np.arange(len(nonempty)), [len(part) for part in nonempty])
        repeated = np.flatnonzero(_repeated(joined, source))
        if len(repeated):
            assert joined.time is not None
            first = show_time(*stamp, joined.time[repeated[0]])
            text = f"{count(len(repeated), 'match is', 'matches are')} in more than one file and counted once"
            pieces = (f"{text} (first: {first}); use ", Option("duplicates", "keep"), " to count each of them")
            remarks[""] = Remark("repeated-matches", pieces, count=len(repeated))
            joined = take(joined, np.delete(np.arange(len(joined)), repeated))
    joined = take(joined, np.arange(len(joined)))  # `take` also sorts by time
    ids = [name for name in joined.ids or () if name]
    unique = len(set(ids)) == len(ids)  # ids are not unique if every file numbers its matches from 1
    joined = replace(joined, ids=joined.ids if unique else None, remarks=tuple(remarks.values()))
    return in_order_of_appearance(joined)


def _common_stamp(histories: Sequence[History], names: Sequence[str]) -> Stamp | None:
    kinds = [part.time_kind for part in histories if len(part)]
    if None in kinds and set(kinds) != {None}:
        without = next(name for part, name in zip(histories, names, strict=True) if len(part) and not part.time_kind)
        raise Error(f"{without} has no times, but others have: give times to all of them, or to none", field="time")
    common: Stamp | None = None
    for part, name in zip(histories, names, strict=True):
        if part.time_kind is None:
            continue
        try:
            common = agree(common or stamp_of(part), stamp_of(part))
        except Error as error:
            raise error.within(f"{name}: its times cannot be compared with the times of earlier files: ") from None
    return common


def _concatenate(histories: Sequence[History], stamp: Stamp | None) -> History:
    number: dict[str, int] = {}
    player = []
    for part in histories:
        rows = np.array([number.setdefault(name, len(number)) for name in part.players], np.int32)
        player.append(rows[part.player])
    ids = tuple(name for part in histories for name in (part.ids or ("",) * len(part)))
    columns: dict[str, Any] = {name: _column(histories, name) for name in ABSENT}
    columns |= _contexts(histories)
    return History(
        match_start=starts(np.concatenate([np.diff(part.match_start) for part in histories])),
        team_start=starts(np.concatenate([np.diff(part.team_start) for part in histories])),
        player=np.concatenate(player),
        place=np.concatenate([part.place for part in histories]),
        time=None if stamp is None else np.concatenate([part.time for part in histories if part.time is not None]),
        time_kind=None if stamp is None else stamp.kind,
        time_zone=None if stamp is None else stamp.zone,
        ids=ids if any(ids) else None,
        players=tuple(number),
        **columns,
    )


def _contexts(histories: Sequence[History]) -> dict[str, Context]:
    # A column gets the finest level that it has in any history.
    joined: dict[Level, dict[str, ContextColumn]] = {level: {} for level in LEVELS}
    levels: dict[str, Level] = {}
    for level in LEVELS:
        levels |= {name: level for part in histories for name in getattr(part, FIELDS[level])}
    rows = {
        "match": [len(part) for part in histories],
        "team": [part.teams for part in histories],
        "player": [part.entries for part in histories],
    }
    for name, level in levels.items():
        joined[level][name] = concatenate([column_at(part, name, level) for part in histories], rows[level])
    return {FIELDS[level]: Context.of(columns) for level, columns in joined.items()}


def _mixed_context(histories: Sequence[History]) -> list[Remark]:
    kinds: dict[str, set[str]] = {}
    for part in histories:
        for field in FIELDS.values():
            for name, column in getattr(part, field).items():
                kinds.setdefault(name, set()).add(column.kind)
    text = "{!r} holds numbers in one file and text in another; all its values are read as text"
    return [Remark("mixed-context", (text.format(name),), column=name) for name, kind in kinds.items() if len(kind) > 1]


def _column(histories: Sequence[History], name: str) -> NDArray[Any] | None:
    # A history that does not have the column contributes neutral values.
    absent, length = ABSENT[name]
    if all(getattr(part, name) is None for part in histories):
        return None
    parts = []
    for part in histories:
        column = getattr(part, name)
        size = len(part) if length == "matches" else getattr(part, length)
        parts.append(np.full(size, absent) if column is None else column)
    return unless_usual(name, np.concatenate(parts))


def _repeated(history: History, source: NDArray[np.intp]) -> NDArray[np.bool_]:
    # A repeated match has the same time, teams and result.
    keys = _keys(history)
    order = np.lexsort((source, keys))
    same = keys[order][1:] == keys[order][:-1]
    begin = np.maximum.accumulate(np.where(np.r_[True, ~same], np.arange(len(order)), 0))
    repeated = np.zeros(len(order), bool)
    repeated[order] = source[order] > source[order][begin]
    return repeated


def _keys(history: History) -> NDArray[np.uint64]:
    assert history.time is not None
    place = history.place if history.score is None else np.where(np.isnan(history.score), history.place, history.score)
    team = owners(history.team_start)
    seat = team - history.match_start[:-1][owners(history.match_start)[team]]
    words = [history.player, seat, place[team], np.ones(history.entries) if history.weight is None else history.weight]
    mixed = np.zeros(history.entries, np.uint64)
    for word in words:
        mixed = mix_bits(mixed ^ (np.asarray(word, np.float64) + 0.0).view(np.uint64))  # + 0.0 turns -0.0 into 0.0
    first = history.team_start[history.match_start[:-1]]
    sums: NDArray[np.uint64] = np.add.reduceat(mixed, first)  # a sum is enough, because no player is in a match twice
    return mix_bits(sums ^ history.time.astype(np.float64).view(np.uint64))
