"""How much the table depends on what the paper leaves open: prediction ties, drawn pairs, Elo's "difference"."""

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
    """The same figures with other counting rules."""
    import polars as pl

    rows = []
    for mode in modes:
        for i, system in enumerate(SYSTEMS):
            for which in WHICH:
                row: dict[str, Any] = {"mode": mode.name, "system": system, "games": which}
                row["published"] = published["mode"][mode.name][which][i]
                rows.append(row | _counted(mode, system, which, published["challenge"]["share"]))
    text = (
        "The figures above count a prediction tie as wrong, and leave drawn pairs out. Here they are also counted with"
        " ties as half wrong, as right and left out, and with drawn pairs as right whatever was predicted."
    )
    return Section("The same by other ways to count, in percent", text, pl.DataFrame(rows))


def _counted(mode: Mode, system: str, which: str, share: float) -> dict[str, float | None]:
    """The error by every way to count; None where nothing is left to measure."""
    other = SYSTEMS[1 - SYSTEMS.index(system)]
    picked = mode.closest(other, share) if which == "challenged" else np.ones(len(mode.history), bool)
    wrong, half, right = (mode.errors(system, ties=ties) for ties in (1.0, 0.5, 0.0))
    found = {
        "tie wrong": wrong,
        "tie half": half,
        "tie right": right,
        "tie left out": Tally(right.total, right.weight - (wrong.total - right.total)),
        "drawn right": pair_error(mode.fits[system].forecasts, ties=1.0, drawn=0.0, pooled=True),
    }
    return {name: _percent(tally, picked) for name, tally in found.items()}


def _percent(tally: Tally, where: NDArray[np.bool_]) -> float | None:
    return round(100 * tally.mean(where), 2) if measured(tally, where) else None


def picks(modes: Sequence[Mode], published: dict[str, Any]) -> Section:
    """TrueSkill's challenge under other definitions of a close game for Elo."""
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
        "TrueSkill's error on the fifth of the games that Elo deems closest, when these are the games with the smallest"
        " standard deviation of the teams' ratings (the reading above; for two teams the smallest difference), mean"
        " difference of pairs, or range; the smallest difference without games of which Elo expects nothing, such as"
        " those between newcomers; the smallest difference of mean instead of summed ratings; and the smallest"
        " s₁ − s₂ of the first two teams in the file with its sign, as it is printed."
    )
    return Section("TrueSkill challenged, by what Elo may deem close, in percent", text, pl.DataFrame(rows))


def _picked(mode: Mode, share: float) -> dict[str, NDArray[np.bool_]]:
    """Elo's fifth of the games, by each of the rules."""
    start, closeness = mode.history.match_start, mode.closeness["Elo"]
    rating = strength(mode.fits["Elo"].forecasts)
    first = start[:-1]
    return {
        "deviation": closest(closeness, share),
        "mean difference": closest(-_mean_difference(start, rating), share),
        "range": closest(-_range(start, rating), share),
        "without equals": closest(np.where(closeness == 0.0, -np.inf, closeness), share) & (closeness != 0.0),
        "of means": closest(-_range(start, rating / np.diff(mode.history.team_start)), share),
        "with sign": closest(rating[first + 1] - rating[first], share),
    }


def _range(match_start: NDArray[np.int32], rating: Floats) -> Floats:
    """The highest rating of a match above the lowest."""
    highest, lowest = (of.reduceat(rating, match_start[:-1]) for of in (np.maximum, np.minimum))
    found: Floats = highest - lowest
    return found


def _mean_difference(match_start: NDArray[np.int32], rating: Floats) -> Floats:
    """The mean of |rᵢ − rⱼ| over the pairs of a match: of sorted ratings the k-th counts 2k − n + 1 times."""
    match, teams = owners(match_start), np.diff(match_start)
    ordered = rating[np.lexsort((rating, match))]
    place = np.arange(len(rating)) - match_start[match]
    total = np.add.reduceat((2.0 * place - teams[match] + 1.0) * ordered, match_start[:-1])
    found: Floats = 2.0 * total / (teams * (teams - 1.0))
    return found
