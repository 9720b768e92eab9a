"""Build a history from raw matches: sort them by time, and number the players in order of appearance."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..errors import Remark
from ..text import count
from .columns.raw_matches import RawMatches
from .history import History
from .ragged import Ints, places
from .slicing import take, unless_usual


def build(draft: RawMatches) -> History:
    """Build a history from raw matches, which must already have passed all match rules."""
    times = draft.times if len(draft) else None
    home: NDArray[np.int16] | Ints | None = draft.home
    if home is not None and home.max(initial=-1) <= np.iinfo(np.int16).max:
        home = home.astype(np.int16)  # two bytes are enough except for enormous matches
    history = History(
        match_start=draft.match_start,
        team_start=draft.team_start,
        player=draft.player,
        place=_places(draft),
        score=unless_usual("score", draft.score),
        time=None if times is None else times.number,
        time_kind=None if times is None else times.kind,
        time_zone=None if times is None else times.zone,
        weight=unless_usual("weight", draft.weight),
        importance=unless_usual("importance", draft.importance),
        home=unless_usual("home", home),
        ids=tuple(draft.ids) if draft.ids is not None and any(draft.ids) else None,
        players=tuple(draft.names),
        remarks=draft.remarks,
        context=draft.context,
        team_context=draft.team_context,
        entry_context=draft.entry_context,
        lines=draft.lines,
    )
    if draft.sequence is not None:
        keys = (draft.sequence,) if history.time is None else (draft.sequence, history.time)
        history = take(history, np.lexsort(keys))
    in_time = history.time is None or not (history.time[1:] < history.time[:-1]).any()
    if len(alone := draft.alone()):
        left_out = count(len(alone), "match with a single team", "matches with a single team")
        text = f"{left_out} left out ({'first: ' * (len(alone) > 1)}{draft.where(int(alone[0]), None)})"
        remark = Remark("single-team", (text,), count=len(alone))
        history = take(history, np.delete(np.arange(len(history)), alone))  # this also sorts by time
        history = replace(history, remarks=(*history.remarks, remark))
    elif not in_time:
        history = take(history, np.arange(len(history)))
    elif draft.as_they_appear:
        return history
    return in_order_of_appearance(history)


def _places(draft: RawMatches) -> Ints:
    # Places of matches without ranks follow from the scores; without scores, from the order of the teams.
    key = -draft.score if draft.score is not None else np.full(len(draft.team_start) - 1, np.nan)
    if (missing := np.isnan(key)).any():
        key = np.where(missing, np.arange(len(key), dtype=np.float64), key)
    if draft.rank is not None:
        key = np.where(np.isnan(draft.rank), key, draft.rank)
    return places(draft.match_start, key)


def in_order_of_appearance(history: History) -> History:
    """Number the players in order of their first match, and drop players without a match."""
    player, players = history.player, len(history.players)
    highest = np.maximum.accumulate(player)
    if len(player) and player[0] == 0 and highest[-1] == players - 1 and (player[1:] <= highest[:-1] + 1).all():
        return history
    first = np.full(players, history.entries, np.int64)
    # The assignment runs in reverse, so that the earliest entry of each player remains.
    first[player[::-1]] = np.arange(history.entries - 1, -1, -1)
    order = np.argsort(first)[: np.count_nonzero(first < history.entries)]
    number = np.empty(players, np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return replace(history, player=number[player], players=tuple(history.players[i] for i in order.tolist()))
