"""Coverage: how often intervals of what is believed hold the true skills, on leagues whose truth is known."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from ...errors import Error
from ...model.fit.fit import Fit
from ...model.model import Model
from ...validate import SMALLEST, number
from ..measures.tally import Floats
from .calendar import Calendar
from .simulation import Simulation, simulate

if TYPE_CHECKING:
    import polars as pl

__all__ = ["LEVELS", "coverage", "covered", "standard_errors"]

LEVELS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)


def coverage(
    model: Model,
    matches: int = 30_000,
    players: int = 4_000,
    *,
    levels: Sequence[float] = LEVELS,
    teams: int = 2,
    calendar: Calendar | None = None,
    seed: int = 0,
    progress: bool | None = None,
) -> pl.DataFrame:
    """Nominal levels against the share of skills inside, on a league that follows the model, fitted by the same model.

    Everybody plays once a round; see `covered` for the columns. The model's own constants are the true ones.

    >>> import prowess as pw
    >>> coverage(pw.TrueSkill(tau=0), 2000, 200, levels=[0.5, 0.9])["covered"].round(1).to_list()
    [0.5, 0.9]
    """
    _check(model)
    league = simulate(model, matches, players, seed=seed, teams=teams, calendar=calendar, progress=progress)
    return covered(league, model.fit(league.history, progress=progress), levels)


def covered(league: Simulation, fit: Fit, levels: Sequence[float] = LEVELS) -> pl.DataFrame:
    """The share of true skills in the middle part of what is believed of them, for parts of these probabilities.

    Columns: `level`, `covered`, its binomial standard `error`, and `skills`, of how many. All traits count. With
    correct beliefs `covered` is `level`; below it, they are too sure.

    >>> import prowess as pw
    >>> from prowess.lab.simulate import simulate
    >>> league = simulate(pw.GaussianSD(gamma=6), 500, 50)
    >>> covered(league, league.model.fit(league.history), [0.9]).columns
    ['level', 'covered', 'error', 'skills']
    """
    import polars as pl

    wanted = [number("each of the levels", level) for level in np.atleast_1d(np.asarray(levels, object))]
    if not wanted or not all(0.0 < level < 1.0 for level in wanted):
        raise Error(f"levels must be probabilities between 0 and 1, such as 0.9, not {levels!r}")
    far = np.abs(standard_errors(league, fit)).ravel()
    share = np.array([float((far < NormalDist().inv_cdf(0.5 + 0.5 * level)).mean()) for level in wanted])
    error = np.sqrt(share * (1.0 - share) / len(far))
    return pl.DataFrame({"level": wanted, "covered": share, "error": error, "skills": len(far)})


def standard_errors(league: Simulation, fit: Fit) -> Floats:
    """(truth − mean)/sigma of every player and trait: N(0, 1) if beliefs are correct.

    The level of a league is not identified by its matches, so the mean error of each trait is subtracted first.

    >>> import prowess as pw
    >>> from prowess.lab.simulate import simulate
    >>> league = simulate(pw.TrueSkill(), 500, 50)
    >>> standard_errors(league, league.model.fit(league.history)).shape
    (50, 1)
    """
    _check(fit.model)
    pipeline = fit.model.pipeline
    if fit.history is not league.history:
        raise Error("the fit is of another history than the simulated one")
    if league.skill.shape[1] != pipeline.traits:
        raise Error(f"the league has {league.skill.shape[1]} skills of a player, the model {pipeline.traits}")
    rows = [fit.ladder.rows[name] for name in league.history.players]
    beliefs = fit.ladder.settled[rows, : pipeline.layout.belief].reshape(len(rows), pipeline.traits, 2)
    error = league.skill - beliefs[:, :, 0]
    found: Floats = (error - error.mean(axis=0)) / np.sqrt(np.maximum(beliefs[:, :, 1], SMALLEST))
    return found


def _check(model: Model) -> None:
    """A model must have something to be sure of."""
    if isinstance(model, Model) and model.pipeline.kind.certain:
        raise Error(f"a rating of {model.absorb!r} has no uncertainty, so it has no intervals that could hold a skill")
