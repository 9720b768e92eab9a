"""How much the results depend on rules that the paper does not state: how ties count, and what a close game is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prowess.history.ragged import Floats, owners
from prowess.lab.measures import Tally, pair_error, strength
from prowess.lab.report import Section

from .mode import SYSTEMS, Mode, closest
from .prediction import WHICH, measured

TIES = {"wrong": 1.0, "half": 0.5, "right": 0.0}


def readings(modes: Sequence[Mode], published: dict[str, Any]) -> Section:
    """Return a section with the prediction errors under other counting rules."""
    import polars as pl

    rows = []
    for mode in modes:
        for i, system in enumerate(SYSTEMS):
            for which in WHICH:
                row: dict[str, Any] = {"mode": mode.name, "system": system, "games": which}
                row["published"] = published["mode"][mode.name][which][i]
                rows.append(row | _counted(mode, system, which, published["challenge"]["share"]))
    text = (
        "The prediction errors above count a prediction tie as wrong and leave out drawn pairs. In this table, "
        "prediction ties count as wrong, half wrong or right, or are left out. In the last column, drawn pairs count "
        "as right."
    )
    return Section("Prediction error under other counting rules, in percent", text, pl.DataFrame(rows))


def _counted(mode: Mode, system: str, which: str, share: float) -> dict[str, float | None]:
    # A value is None if no pair is left to count.
    other = SYSTEMS[1 - SYSTEMS.index(system)]
    picked = mode.closest(other, share) if which == "challenged" else np.ones(len(mode.history), bool)
    wrong, half, right = (mode.errors(system, ties=ties) for ties in (1.0, 0.5, 0.0))
    found = {
        "tie wrong": wrong,
        "tie half": half,
        "tie right": right,
        # `wrong` minus `right` is the number of prediction ties.
        "tie left out": Tally(right.total, right.weight - (wrong.total - right.total)),
        "drawn right": pair_error(mode.fits[system].forecasts, ties=1.0, drawn=0.0, pooled=True),
    }
    return {name: _percent(tally, picked) for name, tally in found.items()}


def _percent(tally: Tally, where: NDArray[np.bool_]) -> float | None:
    return round(100 * tally.mean(where), 2) if measured(tally, where) else None


def picks(modes: Sequence[Mode], published: dict[str, Any]) -> Section:
    """Return a section on TrueSkill's error on the games that Elo picks, under other definitions of a close game."""
    import polars as pl

    rows = []
    for mode in modes:
        picked = _picked(mode, published["challenge"]["share"])
        for tie, counts in TIES.items():
            row: dict[str, Any] = {
                "mode": mode.name,
                "published": published["mode"][mode.name]["challenged"][1],
                "tie": tie,
            }
            errors = mode.errors("TrueSkill", ties=counts)
            rows.append(row | {name: _percent(errors, where) for name, where in picked.items()})
    text = (
        "TrueSkill's error on the fifth of the games that Elo expects to be closest, under six definitions of close. "
        "The first three use the smallest standard deviation of the teams' ratings (as above; for two teams, the "
        "smallest difference), the smallest mean difference of pairs, and the smallest range. The fourth leaves out "
        "games between equal ratings, such as games between newcomers. The fifth uses mean ratings instead of sums. "
        "The sixth uses the difference s₁ − s₂ of the first two teams in the file, with its sign, as the paper prints "
        "it."
    )
    return Section("TrueSkill challenged, by Elo's definition of a close game, in percent", text, pl.DataFrame(rows))


def _picked(mode: Mode, share: float) -> dict[str, NDArray[np.bool_]]:
    """Return a mask of the games that Elo picks as closest, under each definition of close."""
    start, closeness = mode.history.match_start, mode.closeness["Elo"]
    rating = strength(mode.fits["Elo"].forecasts)
    first = start[:-1]
    return {
        "deviation": closest(closeness, share),
        "mean difference": closest(-_mean_difference(start, rating), share),
        "range": closest(-_range(start, rating), share),
        # Players with equal ratings are mostly newcomers, so a game between them is not known to be close.
        "without equals": closest(np.where(closeness == 0.0, -np.inf, closeness), share) & (closeness != 0.0),
        "of means": closest(-_range(start, rating / np.diff(mode.history.team_start)), share),
        "with sign": closest(rating[first + 1] - rating[first], share),
    }


def _range(match_start: NDArray[np.int32], rating: Floats) -> Floats:
    """Return the highest minus the lowest rating of every match."""
    highest, lowest = (of.reduceat(rating, match_start[:-1]) for of in (np.maximum, np.minimum))
    found: Floats = highest - lowest
    return found


def _mean_difference(match_start: NDArray[np.int32], rating: Floats) -> Floats:
    """Return the mean of |rᵢ − rⱼ| over the pairs of teams of every match."""
    match, teams = owners(match_start), np.diff(match_start)
    # In the sum of all differences, the k-th rating in ascending order (k from 0) counts 2k − n + 1 times.
    ordered = rating[np.lexsort((rating, match))]
    place = np.arange(len(rating)) - match_start[match]
    total = np.add.reduceat((2.0 * place - teams[match] + 1.0) * ordered, match_start[:-1])
    found: Floats = 2.0 * total / (teams * (teams - 1.0))
    return found
