"""How much a learnt home advantage would help a model of a comparison that has no home advantage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...model.compose import with_home
from ...model.model import Model
from ..interval import Interval
from ..parallel import SharedHistory
from .scoring import concat_scores, score_run

if TYPE_CHECKING:
    from .comparison import Comparison


class HomeGain(NamedTuple):
    """A model without a home advantage, and by how much a learnt home advantage would improve the first measure.

    >>> HomeGain("TrueSkill", Interval(0.03, 0.02, 0.04)).gain.above_zero
    True
    """

    model: str
    gain: Interval


def find_home_gain(comparison: Comparison) -> HomeGain | None:
    """Return the gain from a learnt home advantage for the best of the models without one, scored on the same runs.

    Return None if no match has a home team, or if there is no model to which a home advantage can be added.
    """
    history = comparison.history
    if history.home is None or not (history.home[comparison.rows.match] >= 0).any():
        return None
    name, model = next(_models_without(comparison), (None, None))
    if name is None or model is None:
        return None
    measure, rows = comparison.measure(), comparison.rows
    shared, runs = SharedHistory.of(history, model.context_columns), comparison.protocol.runs(history)
    sizes = [int(size) for size in np.bincount(rows.run, minlength=len(runs))]
    scored = concat_scores([score_run(name, model, shared, run, (measure,)) for run in runs], sizes)
    view = comparison.view()
    changed = view.draws.measure(rows.sums(scored, measure, view.picked, view.groups))
    difference = changed.less(comparison.resampled(measure)[name])
    return HomeGain(name, difference.times(1.0 if measure.higher else -1.0))


def _models_without(comparison: Comparison) -> Iterator[tuple[str, Model]]:
    """Yield models without a home advantage, best first: the name, and the model with a learnt home advantage."""
    for name in comparison.intervals():
        model = comparison.models[name]
        if (
            name in comparison.chosen
            or name in comparison.refits
            or model.home is not None
            or not model.outcome.gradient
        ):
            continue
        changed = with_home(model, "learnt")
        if changed not in comparison.models.values():
            yield name, changed
