"""What is at stake in a match that may come: what each result would do to the ratings of its players."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import Error
from .snapshot import Snapshot

__all__ = ["stakes"]

ENDINGS = {"first": [1, 2], "draw": [1, 1], "second": [2, 1]}  # who wins of two teams


def stakes(
    now: Snapshot, teams: Sequence[Sequence[str]], time: float | None = None, home: int | None = None
) -> list[dict[str, Any]] | None:
    """By how much each rating would move by each result of a match of two teams, right after the last of its players.

    `time` is another moment, on the clock of the league. None where a result alone says too little to the model, which
    wants scores.

    >>> import prowess as pw
    >>> from prowess.store.leagues import Settings
    >>> ladder = pw.Ladder(pw.Elo(), {"ann": pw.Rating(1500)})
    >>> said = {"league": "x", "clock": "none", "settings": Settings(), "revision": 1, "generation": 1}
    >>> stakes(Snapshot.of_ladder(ladder, **said), [["ann"], ["newcomer"]])[0]
    {'player': 'ann', 'first': 16.0, 'draw': 0.0, 'second': -16.0}
    """
    names = [name for team in teams for name in team]
    known = [row for row in map(now.roll.row, names) if row is not None]
    moment = float(np.fmax.reduce(now.last_seen[known], initial=np.nan)) if time is None else time
    when = None if now.clock == "none" or np.isnan(moment) else now.moment(moment)
    moved: dict[str, dict[str, Any]] = {name: {"player": name} for name in names}
    for ending, ranks in ENDINGS.items():
        ladder = now.part(names)
        before = dict.fromkeys(names, ladder.newcomer.mu) | {name: ladder[name].mu for name in ladder}
        try:
            ladder.record(teams, ranks=ranks, time=when, home=home)
        except Error:
            return None
        for name in names:
            moved[name][ending] = ladder[name].mu - before[name]
    return list(moved.values())
