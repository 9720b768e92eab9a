"""The home advantage of a simulated league: the truth that a model may learn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...history.times import Times
from ...model.model import Model
from .options import Floats, share
from .path import clock

__all__ = ["advantages", "hosts"]


def hosts(rng: np.random.Generator, model: Model, matches: int, home: float | None) -> NDArray[np.bool_]:
    """Which matches have a home team, which is then the first; all or none, by the model, unless a share is given.

    >>> import prowess as pw
    >>> hosts(np.random.default_rng(1), pw.TrueSkill().replace(home_mu=2), 3, None)
    array([ True,  True,  True])
    """
    part = float(model.home is not None) if home is None else share("home", home)
    return rng.random(matches) < part


def advantages(rng: np.random.Generator, model: Model, hosted: NDArray[np.bool_], times: Times | None) -> Floats:
    """The true home advantage at every match, matches × traits: drawn once, and moved by its own drift.

    It moves before every match with a home team; with rating periods, before every such period.

    >>> import prowess as pw
    >>> model = pw.TrueSkill().replace(home_mu=2)
    >>> advantages(np.random.default_rng(1), model, np.array([True, False]), None)
    array([[2.],
           [2.]])
    """
    shape = len(hosted), model.pipeline.traits
    if model.home is None:
        return np.zeros(shape)
    moves = hosted.copy()
    if times is not None and model.period is not None:
        period = clock(model, times)
        fresh = np.flatnonzero(hosted)
        moves[fresh[1:]] = period[fresh][1:] != period[fresh][:-1]
    leaps = model.home.home_tau * rng.standard_normal(shape) * moves[:, None]
    start = rng.normal(model.home.home_mu, model.home.home_sigma, shape[1])
    return np.asarray(start + np.cumsum(leaps, axis=0))
