"""The four systems, corrected: the paper's priors, with noise γ and margin ε estimated from training matches only."""

from __future__ import annotations

from math import sqrt

import numpy as np

from prowess.history import History
from prowess.history.ragged import Floats
from prowess.model.presets import GaussianOD, GaussianSD, PoissonOD, TrueSkill

from .curves import System, model_system


def systems() -> dict[str, System]:
    """Return the four systems; each builds its model from the training matches of a split.

    >>> list(systems())
    ['Poisson-OD', 'Gaussian-OD', 'TrueSkill', 'Gaussian-SD']
    """
    return {
        "Poisson-OD": model_system(PoissonOD()),
        "Gaussian-OD": model_system(lambda train: GaussianOD(gamma=sqrt(variance(scores(train))))),
        "TrueSkill": model_system(lambda train: TrueSkill(tau=0.0, draw_probability=draw_share(train))),
        "Gaussian-SD": model_system(lambda train: GaussianSD(gamma=sqrt(variance(differences(train))))),
    }


def scores(history: History) -> Floats:
    """Return the scores of all teams.

    >>> import prowess as pw
    >>> scores(pw.History.from_matches([{"teams": [["ann"], ["bob"]], "scores": [3, 1]}]))
    array([3., 1.])
    """
    assert history.score is not None
    return history.score


def differences(history: History) -> Floats:
    """Return the first team's score minus the second's, for every match.

    >>> import prowess as pw
    >>> differences(pw.History.from_matches([{"teams": [["ann"], ["bob"]], "scores": [3, 1]}]))
    array([2.])
    """
    pairs = scores(history).reshape(-1, 2)
    return pairs[:, 0] - pairs[:, 1]


def variance(numbers: Floats) -> float:
    """Return the variance, or a tiny positive number if it is 0.

    >>> import numpy as np
    >>> variance(np.array([1.0, 3.0])), variance(np.ones(1))
    (2.0, 1e-09)
    """
    # The first training matches may all have the same score.
    return max(float(numbers.var(ddof=1)) if len(numbers) > 1 else 0.0, 1e-9)


def draw_share(history: History) -> float:
    """Return the share of drawn matches, kept below 1 so that other results stay possible.

    >>> import prowess as pw
    >>> draw_share(pw.History.from_matches([{"teams": [["ann"], ["bob"]], "ranks": [1, 1]}]))
    0.5
    """
    place = history.place.reshape(-1, 2)
    # A draw probability of 1 would make every win impossible.
    return min(float(np.mean(place[:, 0] == place[:, 1])), len(place) / (len(place) + 1.0))
