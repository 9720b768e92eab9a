"""Tests whether forecasts depend on the order in which the teams of a tournament are listed. TrueSkill's do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from prowess.history import History
from prowess.history.ragged import Floats, owners
from prowess.lab.measures import pair_error
from prowess.lab.parallel import run_tasks
from prowess.model.model import Model

from .data import mirrored, shuffled, shuffled_ties

DIGITS = 6  # decimals of rounded performances; adding numbers in another order changes only the eleventh decimal
WAYS: dict[str, Callable[[History, int], History]] = {
    "as filed": lambda history, seed: history,
    "mirrored": lambda history, seed: mirrored(history),
    "ties by lot": shuffled_ties,
    "all by lot": shuffled,
}


class ListingErrors(NamedTuple):
    """A model's pair error in every tournament, and its expected performance of every team, for one listing.

    A listing is the order in which the model is given the teams of each tournament. Whatever the listing, `expected`
    has the same order of teams, so that listings can be compared.
    """

    error: Floats
    expected: Floats


def listings(
    history: History,
    models: Mapping[str, Model],
    *,
    seed: int = 0,
    jobs: int | None = None,
    progress: bool | None = None,
) -> dict[tuple[str, str], ListingErrors]:
    """Run each model on each listing in `WAYS`; return the errors by model and listing.

    Teams are expected to tie if their expected performances agree to a millionth of a point.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"], ["cat"]], "ranks": [1, 2, 2]}] * 2)
    >>> found = listings(history, {"TS2": pw.TS2()})
    >>> found["TS2", "as filed"].error, found["TS2", "mirrored"].error
    (array([0.5, 0. ]), array([0.5, 0. ]))
    """
    names = [(name, way) for name in models for way in WAYS]
    tasks = [(models[name], WAYS[way](history, seed)) for name, way in names]
    found = run_tasks(_listing_errors, tasks, jobs=jobs, label="reordering teams", progress=progress)
    return dict(zip(names, found, strict=True))


def _listing_errors(model: Model, history: History) -> ListingErrors:
    forecasts = model.fit(history, progress=False).forecasts
    rounded = replace(forecasts, mean=np.round(forecasts.mean, DIGITS))
    first = history.player[history.team_start[:-1]]
    # The performances are sorted by player, so that a team has the same index in every listing.
    return ListingErrors(pair_error(rounded).values, forecasts.mean[np.lexsort((first, owners(history.match_start)))])
