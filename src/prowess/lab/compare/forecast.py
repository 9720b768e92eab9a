"""Compare forecasts that were made elsewhere, such as by a league on its way: nothing is forecast here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...errors import Error
from ...history import History
from ...model.model import Model
from ..bootstrap import Resampling
from ..catalogue import chosen
from ..protocols import Prequential
from ..stream import Part
from .comparison import Comparison
from .rows import Rows
from .scored import gathered

__all__ = ["compare_forecasts"]

USUAL = Resampling()


def compare_forecasts(
    history: History,
    models: Mapping[str, Model],
    forecasts: Mapping[str, Iterable[Part]],
    resampling: Resampling = USUAL,
) -> Comparison:
    """What `compare` finds, of forecasts that were made by `models` before each match of a history, in its order.

    The parts of a model are asked for when it is its turn, one after the other.

    >>> import prowess as pw
    >>> from prowess.lab.stream import forecast_parts
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9)
    >>> compare_forecasts(history, {"Elo": pw.Elo()}, {"Elo": forecast_parts(pw.Elo(), history)})
    Elo has a log loss of 0.45 nats (95 % interval 0.33 to 0.57) over 9 matches.
    """
    if not len(history):
        raise Error("this history has no matches to compare models on")
    protocol = Prequential()
    [run] = protocol.runs(history)
    measures = chosen(None, history, models)
    scored = {name: gathered(name, model, forecasts[name], run, measures) for name, model in models.items()}
    return Comparison(models, measures, protocol, Rows.of(history, [run]), scored, resampling)
