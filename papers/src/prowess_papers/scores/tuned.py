"""Tuned models with a home advantage, drift, and skills that are carried from season to season.

Add better models to `TUNED`. Each model was tuned on the seasons before `since` and is compared on the later seasons,
which were not used for tuning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from prowess.model.components.drift import PerTime
from prowess.model.components.home import Home
from prowess.model.model import Model
from prowess.model.presets import GaussianOD, GaussianSD, PoissonOD, TrueSkill

from .curves import Curves, learning_curves, model_system
from .data import League
from .splits import PERCENTS, Split, carried_split


@dataclass(frozen=True, eq=False)
class TunedModels:
    """Models by name, and the first season that they were not tuned on.

    >>> TUNED["afl"].since
    2004
    """

    models: Mapping[str, Model]
    since: int


def _with(model: Model, tau: float, home: float) -> Model:
    """Return the model with a drift of `tau` per day and a learnt home advantage."""
    # The advantage starts at 0 and is learnt, so that it does not depend on the evaluated seasons.
    return model.replace(drift=PerTime(tau), home=Home(0.0, home))


TUNED: dict[str, TunedModels] = {
    "premier_league": TunedModels(
        {
            "Poisson-OD": _with(PoissonOD(mu=0.0, sigma=0.19, beta=0.03), tau=0.006, home=0.14),
            "Gaussian-OD": _with(GaussianOD(mu=0.0, sigma=0.23, beta=0.09), tau=0.0099, home=0.47),
            "TrueSkill": _with(TrueSkill(sigma=1.44, draw_probability=0.27), tau=0.037, home=0.87),
            "Gaussian-SD": _with(GaussianSD(mu=0.0, sigma=0.35, beta=0.11), tau=0.013, home=1.4),
        },
        since=2002,
    ),
    "afl": TunedModels(
        {
            "Poisson-OD": _with(PoissonOD(mu=0.0, sigma=0.59, beta=0.21), tau=0.0104, home=0.25),
            "Gaussian-OD": _with(GaussianOD(mu=0.0, sigma=2.5, beta=3.0), tau=0.82, home=7.6),
            "TrueSkill": _with(TrueSkill(sigma=1.04, draw_probability=0.01), tau=0.12, home=2.4),
            "Gaussian-SD": _with(GaussianSD(mu=0.0, sigma=4.2, beta=2.1), tau=1.32, home=23.6),
        },
        since=2004,
    ),
}


def tuned_curves(
    league: League,
    models: Mapping[str, Model],
    protocol: Callable[[League, int, int], Split] = carried_split,
    *,
    percents: Sequence[int] = PERCENTS,
    seasons: Sequence[int] | None = None,
    jobs: int | None = None,
    progress: bool | None = None,
) -> Curves:
    """Return the learning curves under a protocol (`carried_split` or `season_split`), by default for all seasons.

    >>> import numpy as np, prowess as pw
    >>> matches = [{"teams": [["ann"], ["bob"]], "scores": [2, 1]}] * 20
    >>> league = League("friends", pw.History.from_matches(matches), np.repeat([1, 2], 10))
    >>> curves = tuned_curves(league, {"TrueSkill": pw.TrueSkill()}, percents=[80])
    >>> curves.mean("TrueSkill", "information_gain").round(3)
    array([0.976])
    """
    return learning_curves(
        {name: model_system(model) for name, model in models.items()},
        lambda percent, season: protocol(league, percent, season),
        percents,
        league.seasons if seasons is None else seasons,
        label=f"{league.name}, given models",
        jobs=jobs,
        progress=progress,
    )
