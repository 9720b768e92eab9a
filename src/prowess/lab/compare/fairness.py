"""Fair comparisons: constants that a paper chose for its own leagues are set from the training matches.

The paper on TrueSkill assumes 10 % draws, and the paper on score models assumes skills around 25 ± 8 points. In a
league with a different share of draws or other scores, such a constant spoils the forecasts of a model that may be the
right one. A fair comparison sets the share of draws and the scale of scores, and lets models learn the home advantage.
Nothing else is changed, so this is not tuning.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from math import sqrt
from typing import Any

import numpy as np

from ...history import History
from ...history.ragged import owners
from ...model.components.outcome import GaussianScore, OffenceDefence, Order, PoissonScore
from ...model.compose import with_home
from ...model.model import Model
from ...model.presets import GaussianOD, GaussianSD, PoissonOD, TrueSkill
from ..auto.designs import Design
from ..auto.facts import Facts
from ..auto.parameters import Values
from .training import RunChoice

FAIR = " (fair)"  # suffix of the name of a model whose constants were set from training matches


@dataclass(frozen=True)
class FairCandidate:
    """A model whose constants are set from the training matches.

    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]], "ranks": [1, 1]}] * 4)
    >>> FairCandidate(TrueSkill()).set_up("all", history, False).parts
    ('draw_probability 0.9',)
    """

    model: Model

    def set_up(self, label: str, training: History, progress: bool | None) -> RunChoice:
        """Set the model's constants from the training matches."""
        if not len(training):
            remark = "There were no training matches, so the paper's constants were used."
            return RunChoice(label, 0, self.model, ("nothing changed",), (remark,))
        facts = Facts.of(training, len(training))
        settings = fair_settings(self.model, training, facts)
        model = self.model.replace(**settings)
        parts = [f"{name} {value:.3g}" for name, value in settings.items()]
        if facts.home and model.home is None and model.outcome.gradient:
            model = with_home(model, "learnt")
            parts.append("a learnt home advantage")
        return RunChoice(label, len(training), model, tuple(parts) or ("nothing changed",))


def fair_settings(model: Model, history: History, facts: Facts) -> dict[str, float]:
    """Return the parameters to change, with their values; parameters that the user has set are left out.

    A parameter counts as set by the user if it differs from its value in the paper.

    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]], "scores": [2, 1]}] * 9)
    >>> facts = Facts.of(history, 9)
    >>> fair_settings(TrueSkill(), history, facts), fair_settings(TrueSkill(draw_probability=0.2), history, facts)
    ({'draw_probability': 0.05}, {})
    >>> fair_settings(PoissonOD(sigma=0.3), history, facts)["base_rate"]
    1.5
    """
    return _fair_settings(model.outcome, model, history, facts)


@singledispatch
def _fair_settings(outcome: object, model: Model, history: History, facts: Facts) -> dict[str, float]:
    return {}


@_fair_settings.register
def _(outcome: Order, model: Model, history: History, facts: Facts) -> dict[str, float]:
    return _unlike_paper(model, TrueSkill(), {"draw_probability": draw_share(history)})


# Not `facts.scored`: scores of only 0 and 1 are scores for those who name a score model.


@_fair_settings.register
def _(outcome: GaussianScore, model: Model, history: History, facts: Facts) -> dict[str, float]:
    return _unlike_paper(model, GaussianSD(), _scale("difference", facts)) if facts.score_spread else {}


@_fair_settings.register
def _(outcome: OffenceDefence, model: Model, history: History, facts: Facts) -> dict[str, float]:
    return _fair_scores(outcome.score, model, facts) if facts.score_spread else {}


@singledispatch
def _fair_scores(score: object, model: Model, facts: Facts) -> dict[str, float]:
    return {}


@_fair_scores.register
def _(score: GaussianScore, model: Model, facts: Facts) -> dict[str, float]:
    return _unlike_paper(model, GaussianOD(), _scale("scores", facts))


@_fair_scores.register
def _(score: PoissonScore, model: Model, facts: Facts) -> dict[str, float]:
    return _unlike_paper(model, PoissonOD(), _count_scale(facts)) if facts.mean_score > 0.0 else {}


def _unlike_paper(model: Model, paper: Model, settings: dict[str, float]) -> dict[str, float]:
    """Leave out the settings of parameters that differ from the paper's model, because the user has set them."""

    def is_papers(name: str) -> bool:
        return bool(model.params.get(name) == paper.params.get(name))

    return {name: value for name, value in settings.items() if is_papers(name)}


def _scale(family: str, facts: Facts) -> dict[str, float]:
    """Return parameters of a score model (μ, σ, β, γ and the rounding) that suit the spread of the scores."""
    design = Design(family)
    usual: dict[str, Any] = design.build(facts, Values({}).of(design.parameters(facts))).params
    scale = {"mu": 0.0, "sigma": usual["sigma"], "beta": 0.0, "gamma": usual["gamma"]}
    return scale | ({"rounding": facts.score_step} if facts.score_step else {})


def _count_scale(facts: Facts) -> dict[str, float]:
    """Return parameters of a Poisson model (μ, σ, β and the base rate) that suit the mean and spread of the scores.

    Log-rates have the scale of scores, divided by the mean score. The relative variance of a Poisson variable is
    1 / mean. The noise that remains without it is the sum of both teams' β².
    """
    scale, mean = _scale("scores", facts), facts.mean_score
    noise = (scale["gamma"] / mean) ** 2 - 1.0 / mean
    return {"mu": 0.0, "sigma": scale["sigma"] / mean, "beta": sqrt(max(noise, 0.0) / 2.0), "base_rate": mean}


def draw_share(history: History) -> float:
    """Return the share of draws: in matches of many teams, the share of neighbouring teams with the same place.

    The estimate is the posterior mean under Jeffreys' prior, so it is never 0 or 1: the next match may be the first
    draw.

    >>> draw_share(History.from_matches([{"teams": [["ann"], ["bob"]], "ranks": [1, 1]}] * 2))
    0.8333333333333334
    """
    match = owners(history.match_start)
    order = np.lexsort((history.place, match))
    neighbours = np.diff(match[order]) == 0
    level = np.diff(history.place[order]) == 0
    return (float((neighbours & level).sum()) + 0.5) / (float(neighbours.sum()) + 1.0)
