"""From a draft to a history: check every match, sort by time, and number the players as they first appear."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..errors import Remark
from ..text import count
from ..validate import SMALLEST
from .columns.match_rules import Fault, faults
from .columns.raw_matches import RawMatches
from .history import History
from .ragged import Ints, places
from .slicing import take, unless_usual


def find_faults(draft: RawMatches) -> Iterator[Fault]:
    """Give all that is wrong with the matches of a draft, once what says nothing is dropped from it."""
    _drop_partial_scores(draft)
    _drop_specks(draft)
    return faults(draft)


def build(draft: RawMatches) -> History:
    """Make a history of a draft without a fault."""
    times = draft.times if len(draft.match_start) > 1 else None
    history = History(
        match_start=draft.match_start,
        team_start=draft.team_start,
        player=draft.player,
        place=_places(draft),
        score=None if draft.score is None else unless_usual("score", draft.score),
        time=None if times is None else times.number,
        time_kind=None if times is None else times.kind,
        time_zone=None if times is None else times.zone,
        weight=None if draft.weight is None else unless_usual("weight", draft.weight),
        importance=None if draft.importance is None else unless_usual("importance", draft.importance),
        home=None if draft.home is None else unless_usual("home", _narrow(draft.home)),
        ids=tuple(draft.ids) if draft.ids is not None and any(draft.ids) else None,
        players=tuple(draft.names),
        remarks=draft.remarks,
    )
    if len(alone := draft.alone()):
        history = _without(history, alone, draft.where(int(alone[0]), None))
    elif draft.as_they_appear and _in_time(history):
        return history
    if not _in_time(history):
        history = take(history, np.arange(len(history)))  # which sorts by time
    return in_order_of_appearance(history)


def _in_time(history: History) -> bool:
    """Tell whether the matches are in the order of time, where there are times."""
    return history.time is None or len(history) == 1 or not (history.time[1:] < history.time[:-1]).any()


def _without(history: History, alone: NDArray[np.intp], first: str) -> History:
    """Leave the matches of one team out, and say so."""
    words = "match of one team is", "matches of one team are"
    text = f"{count(len(alone), *words)} left out, {'the first is ' * (len(alone) > 1)}{first}"
    kept = take(history, np.delete(np.arange(len(history)), alone))
    return replace(kept, remarks=(*history.remarks, Remark("single-team", (text,), count=len(alone))))


def _drop_partial_scores(draft: RawMatches) -> None:
    """Where every team of a match has a rank, scores that only some of them have say nothing."""
    if draft.rank is None or draft.score is None or not np.isnan(draft.score).any():
        return
    ranked = np.bincount(draft.match_of_team, np.isnan(draft.rank), minlength=len(draft.match_start) - 1) == 0
    partly = np.bincount(draft.match_of_team, np.isnan(draft.score), minlength=len(draft.match_start) - 1) > 0
    draft.score = np.where((ranked & partly)[draft.match_of_team], np.nan, draft.score)


def _drop_specks(draft: RawMatches) -> None:
    """Numbers so small that their squares vanish count as 0, as everywhere."""
    if draft.weight is not None:
        draft.weight = np.where(np.abs(draft.weight) < SMALLEST, 0.0, draft.weight)
    if draft.importance is not None:
        draft.importance = np.where(np.abs(draft.importance) < SMALLEST, 0.0, draft.importance)


def _narrow(home: Ints) -> NDArray[np.int16] | Ints:
    """Give indices of teams in two bytes, which are enough but for enormous matches."""
    return home.astype(np.int16) if home.max(initial=-1) <= np.iinfo(np.int16).max else home


def _places(draft: RawMatches) -> Ints:
    """Give the places of the teams: by rank, else by score, else in the order in which a match lists them."""
    key = -draft.score if draft.score is not None else np.full(len(draft.team_start) - 1, np.nan)
    if (missing := np.isnan(key)).any():
        key = np.where(missing, np.arange(len(key), dtype=np.float64), key)
    if draft.rank is not None:
        key = np.where(np.isnan(draft.rank), key, draft.rank)
    return places(draft.match_start, key)


def in_order_of_appearance(history: History) -> History:
    """Number the players in the order in which they first play, and forget those who never do."""
    if _in_order(history.player, len(history.players)):
        return history
    first = np.full(len(history.players), history.entries, np.int64)
    first[history.player[::-1]] = np.arange(history.entries - 1, -1, -1)  # the earliest entry is written last
    order = np.argsort(first)[: np.count_nonzero(first < history.entries)]
    number = np.empty(len(history.players), np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return replace(history, player=number[history.player], players=tuple(history.players[i] for i in order.tolist()))


def _in_order(player: Ints, players: int) -> bool:
    """Tell whether every player has the next number when he first plays."""
    if not len(player):
        return players == 0
    highest = np.maximum.accumulate(player)
    return bool(player[0] == 0 and highest[-1] == players - 1 and (player[1:] <= highest[:-1] + 1).all())
