"""Compare models on a history: one pass for each of them, scored on the same matches."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ...errors import Error
from ...history import History
from ...model.fit.forecasts import Forecasts
from ...model.model import Model
from ...model.presets import PRESETS, preset
from ..bootstrap import Resampling
from ..forecast_chunks import ForecastChunk
from ..measures import Tally
from ..measures.registry import Measure, choose_measures
from ..parallel import run_tasks
from ..protocols import Prequential, Protocol
from .comparison import Comparison
from .compatibility import check_usable, suitable_models
from .scoring import Rows, SharedHistory, collect_scores, concat_scores, score_run

EVERYTHING = Prequential()
Some = Model | str | Callable[..., Model]  # a model, the name of a preset, or a preset


def compare(
    history: History,
    models: Mapping[str, Some] | Iterable[str | Callable[..., Model]] | None = None,
    *,
    protocol: Protocol = EVERYTHING,
    measures: Iterable[str | Measure | Callable[[Forecasts], Tally]] | None = None,
    block: float | str | None = None,
    confidence: float = 0.95,
    draws: int = 1000,
    seed: int = 0,
    jobs: int | None = None,
    progress: bool | None = None,
) -> Comparison:
    """Say which model predicts a league best, and how sure that is.

    `models`: by name, or a list of presets such as `["elo", pw.TrueSkill]`; without them, up to six that can use the
    history. `protocol`: what is learnt from and what is
    scored (`pw.lab.Prequential`, `SeasonSplits`, `RandomSplits`). `measures`: names (`pw.lab.MEASURES`), a
    `pw.lab.Measure`, or functions of `fit.forecasts` that return a tally of which less is better; the one to decide by
    first. If not given, those that suit the history. `block`, `confidence`,
    `draws` and `seed`: how histories are resampled for intervals, see `pw.lab.Resampling`. `jobs`: 2 works in two
    processes; None in this one, or as `joblib.parallel_config` says, which also leads to a Dask cluster. The result is
    the same, to the last bit.

    >>> import prowess as pw
    >>> wins = [("ann", "bob"), ("bob", "cat"), ("ann", "cat")] * 10
    >>> history = pw.History.from_matches([{"teams": [[winner], [loser]]} for winner, loser in wins])
    >>> found = compare(history, {"Elo": pw.Elo(), "TrueSkill": pw.TrueSkill(draw_probability=0)})
    >>> found.best
    'TrueSkill'
    >>> found.table().columns[:4]
    ['model', 'log_loss', 'log_loss_low', 'log_loss_high']
    """
    named = None if models is None else _models_by_name(models)
    if not isinstance(history, History):
        raise Error(
            f"compare needs a History, not {type(history).__name__}; History.read and from_frame make one",
            field="history",
        )
    if not len(history):
        raise Error("this history has no matches to compare models on", field="history")
    named = suitable_models(history) if named is None else named
    if not isinstance(protocol, Protocol):
        hint = f"; call it: {protocol.__name__}()" if isinstance(protocol, type) else ""
        raise Error(
            f"protocol must be one such as Prequential(), not {protocol!r}{hint}", field="protocol", value=protocol
        )
    resampling = Resampling(block, confidence, draws, seed)
    wanted = choose_measures(measures, history, named)
    runs = protocol.runs(history)
    rows = Rows.of(history, runs)
    if not len(rows):
        raise Error(f"there is no match to score: {protocol}", field="protocol")
    shared = SharedHistory.of(history)
    check_usable(named, shared.history, runs)
    tasks = [(name, model, shared, run, wanted) for name, model in named.items() for run in runs]
    results = run_tasks(score_run, tasks, jobs=jobs, label="comparing", progress=progress)
    sizes = [int(size) for size in np.bincount(rows.run, minlength=len(runs))]
    found = {name: concat_scores(results[i * len(runs) : (i + 1) * len(runs)], sizes) for i, name in enumerate(named)}
    for name, scored in found.items():
        if scored.unconverged:
            warnings.warn(f"{name}: EP did not converge in {scored.unconverged} matches", stacklevel=2)
    return Comparison(named, wanted, protocol, rows, found, resampling)


def _models_by_name(models: Any) -> dict[str, Model]:
    """The models by name."""
    if isinstance(models, Mapping):
        pairs = [(name, _model(some)) for name, some in models.items()]
    elif isinstance(models, (str, Model)) or not isinstance(models, Iterable):
        raise Error(
            f'models must be a mapping from names to models, or a list such as ["elo"], not {models!r}',
            field="models",
            value=models,
        )
    else:
        pairs = [_preset(some) for some in models]
    named: dict[str, Model] = {}
    for name, model in pairs:
        if not isinstance(name, str) or not name.strip():
            raise Error(f"a model needs a name, not {name!r}", field="models", value=name)
        if name in named:
            raise Error(
                f"two models are called {name}: give a mapping with a name for each", field="models", value=name
            )
        named[name] = model
    if not named:
        raise Error(
            'there is no model to compare: give some, such as {"Elo": pw.Elo(), "TrueSkill": pw.TrueSkill()}',
            field="models",
        )
    return named


def _model(some: Any) -> Model:
    """A model, as it is or by its preset."""
    return some if isinstance(some, Model) else _preset(some)[1]


def _preset(some: Any) -> tuple[str, Model]:
    """A preset's name and its model."""
    make = preset(some) if isinstance(some, str) else some
    names = [name for name, known in PRESETS.items() if known is make]
    if names:  # one preset may have two names
        said = [name for name in names if isinstance(some, str) and name.lower() == some.strip().lower()]
        return (said or names)[0], make()
    if isinstance(some, Model):
        raise Error("a model in a list has no name: give a mapping from names to models", field="models", value=some)
    raise Error(f"{some!r} is neither a model nor a preset", field="models", value=some)


USUAL = Resampling()


def compare_forecasts(
    history: History,
    models: Mapping[str, Model],
    forecasts: Mapping[str, Iterable[ForecastChunk]],
    resampling: Resampling = USUAL,
) -> Comparison:
    """What `compare` finds, of forecasts that were made by `models` before each match of a history, in its order.

    The parts of a model are asked for when it is its turn, one after the other.

    >>> import prowess as pw
    >>> from prowess.lab.forecast_chunks import forecast_chunks
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9)
    >>> compare_forecasts(history, {"Elo": pw.Elo()}, {"Elo": forecast_chunks(pw.Elo(), history)})
    Elo has a log loss of 0.45 nats (95 % interval 0.33 to 0.57) over 9 matches.
    """
    if not len(history):
        raise Error("this history has no matches to compare models on", field="history")
    protocol = Prequential()
    [run] = protocol.runs(history)
    measures = choose_measures(None, history, models)
    scored = {name: collect_scores(name, model, forecasts[name], run, measures) for name, model in models.items()}
    return Comparison(models, measures, protocol, Rows.of(history, [run]), scored, resampling)
