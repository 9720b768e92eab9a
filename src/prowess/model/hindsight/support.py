"""Which models can be fitted in hindsight, and which of their parts depend on the order of the matches."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ..components.outcome import GaussianScore, Margin, PoissonScore

if TYPE_CHECKING:
    from ...history import History
    from ..components.interfaces import Outcome
    from ..engine.breaks import Breaks
    from ..model import Model

Floats = NDArray[np.float64]

LONG = 1e6  # a time since the last match, after which every drift that is not 0 has changed a belief


def check_model(model: Model) -> None:
    """Raise an `Error` unless the model has a likelihood of whole histories: it names the part that has none.

    >>> import prowess as pw
    >>> check_model(pw.TrueSkill())
    >>> check_model(pw.Elo())
    Traceback (most recent call last):
    ...
    prowess.Error: the absorb rule Step(k=32.0) updates ratings match by match and cannot use a whole history; \
TrueSkill() or TS2() can
    """
    reason = "updates ratings match by match and cannot use a whole history; "
    instead = "TrueSkill() or TS2() can"
    outcome = model.outcome
    if outcome.scores == "each" or "scale" not in outcome.blind:
        instead = "GaussianOD() or PoissonOD() can"
    if not model.absorb.exact:
        message = f"the absorb rule {model.absorb!r} {reason}{instead}"
        raise Error(message, field="absorb", value=model.absorb)
    if model.prior.learns and model.prior.inner is None:
        message = f"the prior {model.prior!r} learns "
        raise Error(f"{message}match by match and cannot use a whole history; Newcomers() can", field="prior")
    if model.period is not None:
        message = f"a model with rating periods {reason}set period=None, or use a model without periods: {instead}"
        raise Error(message, field="period", value=model.period)
    if outcome.duels or outcome.laplace or not outcome.gradient:
        message = f"the outcome {outcome!r} {reason}{instead}"
        raise Error(message, field="outcome", value=outcome)


def can_look_back(model: Model) -> bool:
    """Return whether a model can be fitted in hindsight.

    >>> import prowess as pw
    >>> can_look_back(pw.TrueSkill()), can_look_back(pw.Elo())
    (True, False)
    """
    try:
        check_model(model)
    except Error:
        return False
    return True


def moves_skills(model: Model) -> bool:
    """Return whether the drift of a model changes beliefs between two matches.

    >>> import prowess as pw
    >>> moves_skills(pw.TrueSkill()), moves_skills(pw.TrueSkill(tau=0))
    (True, False)
    """
    board = model.pipeline.board(1, 1)
    board.elapsed[0], board.played[0] = LONG, 1.0
    traits = range(model.pipeline.traits)
    for k in traits:
        board.mu[k], board.var[k] = board.centre[k] + 1.0, 0.0  # below the limit of every limited drift
    model.drift.widen(board)
    moved = any(board.mu[k] != board.centre[k] + 1.0 or board.var[k] != 0.0 for k in traits)
    board.elapsed[0] = 0.0
    model.pipeline.release(board)
    return moved


def depends_on_order(model: Model, breaks: Breaks) -> bool:
    """Return whether a fit in hindsight depends on the order of the matches, or on the number of matches before them.

    Skills, the home advantage, facets and the level of newcomers must not drift, nor may there be breaks that move
    skills. Scales of statistics, and weights and margins that follow beliefs come from a pass in the order of the
    matches. An outcome that reads single players may depend on the order in which they are listed.

    >>> import prowess as pw
    >>> from prowess.model.engine.breaks import Breaks
    >>> [depends_on_order(model, Breaks()) for model in (pw.TrueSkill(), pw.TrueSkill(tau=0), pw.TS2b(tau=0))]
    [True, False, True]
    """
    prior: Any = model.prior
    return bool(
        moves_skills(model)
        or model.drift.capped
        or (breaks.carry != 1.0).any()
        or breaks.tau.any()
        or (model.home is not None and model.home.home_tau > 0.0)
        or any(facet.tau > 0.0 or facet.counts_matches for facet in model.facets)
        or (prior.learns and prior.level_tau > 0.0)
        or model.statistics
        or model.team.looks
        or model.outcome.reads_entries
        or margin_of(model).follows_means
    )


def reads_scores(outcome: Outcome) -> bool:
    """Return whether an outcome may depend on scores, and not only on places.

    >>> import prowess as pw
    >>> reads_scores(pw.TrueSkill().outcome), reads_scores(pw.GaussianSD().outcome)
    (False, True)
    """
    return outcome.scores != "none"


def margin_of(model: Model) -> Margin:
    """Return the draw margin of a model; the base class `Margin` if the outcome has none.

    >>> import prowess as pw
    >>> margin_of(pw.TrueSkill(margin=2.0))
    Fixed(epsilon=2.0)
    """
    board = model.pipeline.board(2, 2)
    margin: Margin = board.margin
    model.pipeline.release(board)
    return margin


@dataclass(frozen=True, eq=False)
class OnlinePass:
    """What stays as it was in the pass over the history in time order, although it depends on that order.

    `memory` is the league's memory after the last match: an estimated γ, or how often teams draw. `entry_means` (a
    column for each trait) are the prior means of the players, and `team_means` those of the performances. They are None
    unless weights or margins depend on them. `model` is the model itself, except that its base level of scores is given
    by what was learnt.
    """

    model: Model
    memory: Floats
    entry_means: Floats | None = None
    team_means: Floats | None = None


def run_online(model: Model, history: History, progress: bool | None = False) -> OnlinePass:
    """Rate the history in time order, if the weights, margins or memory of the model depend on that.

    Weights that followed the means from sweep to sweep might never settle, so those of this pass are kept.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "scores": [3, 1]}])
    >>> run_online(pw.GaussianSD(), history).memory
    array([1., 4.])
    """
    from ..fit.sweeps import run_sweep
    from ..ladder.ladder import Ladder

    level = model.pipeline.level
    follows = model.team.looks or margin_of(model).follows_means
    if not level and not follows:
        return OnlinePass(model, np.empty(0))
    ladder = Ladder(model)
    record = run_sweep(ladder, history, progress, silent=not follows, beliefs=follows)
    memory = np.array(ladder.memory[:level], np.float64)
    model = _with_base(model, memory)
    memory = memory[: model.pipeline.level]
    if not follows:
        return OnlinePass(model, memory)
    traits = model.pipeline.traits
    return OnlinePass(
        model, memory, np.array(record.before[:, model.pipeline.layout.means]), record.mean.reshape(-1, traits)
    )


def _with_base(model: Model, memory: Floats) -> Model:
    """Return the model with the base level of scores that was learnt as a given one.

    A learnt level would include the scores of each match a second time, because it learns before the skills do.
    """
    score: Any = getattr(model.outcome, "score", None)
    base = {GaussianScore: "base_score", PoissonScore: "base_rate"}.get(type(score))
    if base is None or not isinstance(getattr(score, base), str):
        return model
    board = model.pipeline.board(2, 2)
    for k, value in enumerate(memory):
        board.memory[k] = value
    level = score.base_level(board)
    model.pipeline.release(board)
    return model.replace(**{base: exp(level) if base == "base_rate" else level})
