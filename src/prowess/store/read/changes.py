"""How ranks and ratings change: over a week, with another model, and with each possible result of a match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, isnan
from typing import Any
from weakref import WeakKeyDictionary, ref

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history import slicing
from ...model.ladder.ladder import Ladder
from ...model.ladder.leaderboard import order_of, overall
from .. import clock
from ..leagues import Settings
from .snapshot import Ranking, Snapshot, points_on, rank_all

UNSCALED = Settings(scale=None)
RESULTS = {"first": [1, 2], "draw": [1, 1], "second": [2, 1]}  # places of the two teams, by result

Plain = dict[str, Any]

# Caches the ranking of a week ago for each snapshot in memory, because every page of the standings needs it.
_ACTIVE_BEFORE: WeakKeyDictionary[Snapshot, tuple[ref[Snapshot], Ranking]] = WeakKeyDictionary()


@dataclass(frozen=True)
class RankChanges:
    """Changes of ranks: how many players there are, how many change rank, the best players, and the largest moves."""

    players: int
    moved: int
    best: list[Plain]
    most: list[Plain]


def rank_changes(before: Ladder, after: Ladder, limit: int = 10, settings: Settings = UNSCALED) -> RankChanges:
    """Compare the ranks of the players who are in both ladders, ranked and, with a scale, in points as in a league.

    The result lists the `limit` best players of `after`, and the `limit` players whose ranks change most.

    >>> import prowess as pw
    >>> ladders = [pw.Ladder(pw.Elo(), {"ann": pw.Rating(1500), "bob": pw.Rating(bob)}) for bob in (1400, 1600)]
    >>> changes = rank_changes(*ladders)
    >>> changes.moved, [(row["player"], row["before"]["rank"], row["after"]["rank"]) for row in changes.best]
    (2, [('bob', 2, 1), ('ann', 1, 2)])
    """
    names = [name for name in after.names if name in before.rows]
    ends = [_ranks_and_ratings(ladder, names, settings) for ladder in (before, after)]
    (old, _), (new, _) = ends
    change = old - new
    best = np.lexsort((np.arange(len(names)), new))[:limit]
    most = np.lexsort((new, -np.abs(change)))[:limit]

    def row(k: int) -> Plain:
        both = [
            {"rank": int(rank[k])} | {key: float(column[k]) for key, column in rated.items()} for rank, rated in ends
        ]
        return {"player": names[k]} | dict(zip(("before", "after"), both, strict=True)) | {"change": int(change[k])}

    moved = [row(k) for k in most.tolist() if change[k]]
    return RankChanges(len(names), int(np.count_nonzero(change)), [row(k) for k in best.tolist()], moved)


def _ranks_and_ratings(
    ladder: Ladder, names: list[str], settings: Settings
) -> tuple[NDArray[np.intp], dict[str, NDArray[np.float64]]]:
    settled, points = ladder.settled, points_on(ladder, settings)
    by = order_of(ladder, settings.ranked_by, few=settings.provisional_matches)
    cells = settled[[ladder.rows[name] for name in names]]
    mu, sigma, shown = overall(ladder.model, cells)
    ratings: dict[str, NDArray[np.float64]] = {"mu": mu, "shown": shown}
    if points is not None:
        columns = points.columns(mu, sigma, shown)
        ratings |= {name: columns[name] for name in ("points", "points_shown") if name in columns}
    return rank_all(by, settled, ladder.names).ranks(cells), ratings


def week_before(now: Snapshot) -> float | None:
    """Return the time a week before the league's last match; None for a league without times.

    It is the same time as on the command line (see `prowess.history.slicing.week_before`).

    >>> import prowess as pw
    >>> from prowess.store.leagues import Settings
    >>> ladder = pw.Elo().learn(pw.History.from_matches([{"teams": [["ann"], ["bob"]], "time": 30.5}]))
    >>> about = {"league": "x", "clock": "number", "settings": Settings(), "revision": 1, "generation": 1}
    >>> week_before(Snapshot.of_ladder(ladder, **about))
    23.0
    """
    stamp = clock.STAMPS[now.clock]
    if stamp is None or isnan(now.last):
        return None
    time = slicing.week_before(now.last, stamp)
    return time if isfinite(time) else None


def ranks_gained(
    before: Snapshot, players: Sequence[str], ranks: Sequence[int], among: Snapshot | None = None
) -> list[int | None]:
    """Return how many ranks each player has gained since earlier standings; None for new players.

    If the later standings are given as `among`, only players who are active in the later standings are ranked.

    >>> import prowess as pw
    >>> from prowess.store.leagues import Settings
    >>> ladder = pw.Ladder(pw.Elo(), {"ann": pw.Rating(1500), "bob": pw.Rating(1600)})
    >>> about = {"league": "x", "clock": "utc", "settings": Settings(), "revision": 1, "generation": 1}
    >>> ranks_gained(Snapshot.of_ladder(ladder, **about), ["ann", "bob", "cat"], [1, 2, 3])
    [1, -1, None]
    """
    earlier = before.ranks(players, None if among is None else _ranking_of_active(before, among))
    return [None if old is None else old - new for old, new in zip(earlier, ranks, strict=True)]


def _ranking_of_active(before: Snapshot, now: Snapshot) -> Ranking:
    cached = _ACTIVE_BEFORE.get(now)
    if cached is None or cached[0]() is not before:
        rows = np.array([now.names.rows.get(name, -1) for name in before.players], np.intp)
        cached = ref(before), before.ranking.among(np.append(now.active, False)[rows])
        _ACTIVE_BEFORE[now] = cached
    return cached[1]


def what_if(
    now: Snapshot,
    teams: Sequence[Sequence[str]],
    time: float | None = None,
    home: int | None = None,
    context: Mapping[str, Any] | None = None,
) -> list[Plain] | None:
    """Return how much each rating would change with each result of a match between two teams.

    The match takes place at `time`, on the clock of the league, or else right after the last match of its players.
    `home` is the index of the home team, and `context` has the values that the model's facets need. The result has a
    row for each player with the changes of μ if the `first` team wins, after a `draw`, and if the `second` team wins,
    in points if the league has a scale. The result is None if the model needs scores, not only a result.

    >>> import prowess as pw
    >>> from prowess.store.leagues import Settings
    >>> ladder = pw.Ladder(pw.Elo(), {"ann": pw.Rating(1500)})
    >>> about = {"league": "x", "clock": "none", "settings": Settings(), "revision": 1, "generation": 1}
    >>> what_if(Snapshot.of_ladder(ladder, **about), [["ann"], ["newcomer"]])[0]
    {'player': 'ann', 'first': 16.0, 'draw': 0.0, 'second': -16.0}
    """
    names = [name for team in teams for name in team]
    rows = [row for row in map(now.names.row, names) if row is not None]
    moment = float(np.fmax.reduce(now.last_seen[rows], initial=np.nan)) if time is None else time
    when = None if now.clock == "none" or np.isnan(moment) else now.as_time(moment)
    changes: dict[str, Plain] = {name: {"player": name} for name in names}
    unit = 1.0 if now.points is None else now.points.factor
    for result, ranks in RESULTS.items():
        ladder = now.ladder_of(names)
        before = dict.fromkeys(names, ladder.newcomer.mu) | {name: ladder[name].mu for name in ladder}
        try:
            ladder.record(teams, ranks=ranks, time=when, home=home, context=context)
        except Error:
            return None
        for name in names:
            changes[name][result] = unit * (ladder[name].mu - before[name])
    return list(changes.values())
