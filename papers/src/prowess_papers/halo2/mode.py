"""A game mode: its games, and the forecasts of both systems, made before they learn from each game."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prowess.history import History
from prowess.history.ragged import Floats, owners
from prowess.lab.measures import Tally, pair_error, strength
from prowess.model.components.team import Sum
from prowess.model.fit.fit import Fit
from prowess.model.model import Model
from prowess.model.presets import GaussianElo, TrueSkill
from prowess.model.quality import qualities

from ..statistics import draw_rate

SYSTEMS = ("Elo", "TrueSkill")


def systems(rate: float, published: dict[str, Any]) -> dict[str, Model]:
    """Return Elo and TrueSkill with the paper's parameters; `rate` is the share of drawn games.

    Elo is on TrueSkill's scale. In both systems, a team's strength is the sum of its members' strengths.

    >>> systems(0.05, {"elo": {"mu": 25.0}, "trueskill": {"mu": 25.0}})["TrueSkill"].params["draw_probability"]
    0.05
    """
    return {
        "Elo": GaussianElo(**published["elo"]).replace(team=Sum()),
        # In a tiny file every game may be drawn, but a draw probability must be below 1.
        "TrueSkill": TrueSkill(draw_probability=min(rate, 0.999), **published["trueskill"]),
    }


def spread(match_start: NDArray[np.int32], rating: Floats) -> Floats:
    """Return the standard deviation of the teams' ratings in every match; for two teams, half their difference.

    >>> spread(np.array([0, 2, 5], np.int32), np.array([1.0, 3.0, 1.0, 1.0, 4.0]))
    array([1.        , 1.41421356])
    """
    teams, match = np.diff(match_start), owners(match_start)
    middle = np.add.reduceat(rating, match_start[:-1]) / teams
    return np.sqrt(np.add.reduceat((rating - middle[match]) ** 2, match_start[:-1]) / teams)


def qualities_of(fit: Fit) -> Floats:
    """Return the quality of every match by equation (7) of the TrueSkill paper, computed before the match.

    The model must rate a team as the sum of its players.

    >>> qualities_of(TrueSkill().fit(History.from_matches([{"teams": [["a"], ["b"]]}]))).round(3)
    array([0.447])
    """
    history, seen = fit.history, fit.forecasts
    # Every player of a team adds the same noise.
    noise = fit.model.noise**2 * np.diff(history.team_start)
    return qualities(history.match_start, seen.mean, seen.variance, noise)


@dataclass(frozen=True, eq=False)
class Mode:
    """A mode of play with the fits of both systems.

    >>> history = History.from_matches([{"teams": [["a"], ["b"]]}])
    >>> mode = fit_mode("Head to Head", history, {"elo": {}, "trueskill": {}})
    >>> mode.closeness["TrueSkill"].round(3)
    array([0.447])
    """

    name: str
    history: History
    fits: dict[str, Fit]

    @cached_property
    def closeness(self) -> dict[str, Floats]:
        """How close each system expects every game to be; higher is closer.

        TrueSkill uses the match quality, equation (7) of the TrueSkill paper, for any number of teams. Elo uses the
        negated difference of ratings for two teams, and the negated standard deviation of ratings for more teams. If
        skills are certain, equation (7) gives the same order of games as Elo.

        >>> history = History.from_matches([{"teams": [["a"], ["b"]]}])
        >>> fit_mode("Head to Head", history, {"elo": {}, "trueskill": {}}).closeness["Elo"]
        array([-0.])
        """
        apart = spread(self.history.match_start, strength(self.fits["Elo"].forecasts))
        return {"Elo": -apart, "TrueSkill": qualities_of(self.fits["TrueSkill"])}

    def errors(self, system: str, *, ties: float = 1.0) -> Tally:
        """Tally the pairs of teams that a system predicted in the wrong order; every pair has the same weight.

        Drawn pairs do not count. A pair with equal expected performances (a prediction tie) counts as `ties` errors.

        >>> history = History.from_matches([{"teams": [["a"], ["b"]]}])
        >>> fit_mode("Head to Head", history, {"elo": {}, "trueskill": {}}).errors("Elo").mean()
        1.0
        """
        return pair_error(self.fits[system].forecasts, ties=ties, pooled=True)

    def closest(self, system: str, share: float) -> NDArray[np.bool_]:
        """Return a mask of the `share` of games that a system expects to be closest; earlier games win ties.

        >>> history = History.from_matches([{"teams": [["a"], ["b"]]}] * 2)
        >>> fit_mode("Head to Head", history, {"elo": {}, "trueskill": {}}).closest("TrueSkill", 0.5)
        array([ True, False])
        """
        return closest(self.closeness[system], share)


def closest(closeness: Floats, share: float) -> NDArray[np.bool_]:
    """Return a mask of the `share` of games with the highest closeness."""
    order = np.argsort(-closeness, kind="stable")
    chosen = np.zeros(len(closeness), bool)
    # Pick at least one game, so that a tiny file still gives a number.
    chosen[order[: max(1, round(share * len(order)))]] = True
    return chosen


def fit_quietly(model: Model, history: History) -> Fit:
    """Fit a model without the warning that EP did not converge; the report shows the number of such games.

    >>> fit_quietly(TrueSkill(), History.from_matches([{"teams": [["a"], ["b"]]}])).unconverged
    []
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*EP did not converge")
        return model.fit(history, progress=False)


def fit_mode(name: str, history: History, published: dict[str, Any]) -> Mode:
    """Fit both systems to the games of a mode.

    >>> history = History.from_matches([{"teams": [["a"], ["b"]]}])
    >>> list(fit_mode("Head to Head", history, {"elo": {}, "trueskill": {}}).fits)
    ['Elo', 'TrueSkill']
    """
    models = systems(draw_rate(history), published)
    return Mode(name, history, {system: fit_quietly(model, history) for system, model in models.items()})
