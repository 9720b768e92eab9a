"""Comparing models on a history: check which models can use the history, and score all models on the same matches."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import Error
from ...history import History
from ...model.fit.forecasts import Forecasts
from ...model.model import Model
from ...model.presets import PRESETS, preset
from ..bootstrap import Resampling
from ..forecast_chunks import ForecastChunk, forecast_chunks
from ..measures import Tally
from ..measures.registry import Measure, choose_measures
from ..parallel import run_tasks
from ..protocols import Prequential, Protocol, Run
from .comparison import Comparison
from .scoring import Rows, SharedHistory, collect_scores, concat_scores, score_run

ALL_MATCHES = Prequential()
DEFAULT_RESAMPLING = Resampling()
MAX_MODELS = 6  # number of models compared by default
SCORE_MODELS = ("GaussianOD", "PoissonOD")
TWO_TEAM_MODELS = ("TrueSkill", "Elo", "Glicko", "Glicko2", "GaussianElo", "TS2")
MANY_TEAM_MODELS = ("TrueSkill", "Elo", "Glicko", "Glicko2", "TS2", "TS2c")


def compare(
    history: History,
    models: Mapping[str, Model | str | Callable[..., Model]] | Iterable[str | Callable[..., Model]] | None = None,
    *,
    protocol: Protocol = ALL_MATCHES,
    measures: Iterable[str | Measure | Callable[[Forecasts], Tally]] | None = None,
    block: float | str | None = None,
    confidence: float = 0.95,
    draws: int = 1000,
    seed: int = 0,
    jobs: int | None = None,
    progress: bool | None = None,
) -> Comparison:
    """Find out which model predicts a league best, and how certain that answer is.

    `models`: a mapping from names to models, or a list of presets such as `["elo", pw.TrueSkill]`; by default up to six
    presets that can use the history. `protocol`: which matches the models learn from and which are scored
    (`pw.lab.Prequential`, `SeasonSplits`, `RandomSplits`). `measures`: names (`pw.lab.MEASURES`), instances of
    `pw.lab.Measure`, or functions of `fit.forecasts` that return a tally for which lower is better. The default is the
    measures that suit the history. The first measure decides which model is best.

    `block`, `confidence`, `draws` and `seed`: how histories are resampled for intervals, see `pw.lab.Resampling`.
    `jobs`: the number of processes; None uses this process, or the setting of `joblib.parallel_config`, which can also
    be a Dask cluster. The number of processes does not change the result, not even in the last bit.

    >>> import prowess as pw
    >>> wins = [("ann", "bob"), ("bob", "cat"), ("ann", "cat")] * 10
    >>> history = pw.History.from_matches([{"teams": [[winner], [loser]]} for winner, loser in wins])
    >>> comparison = compare(history, {"Elo": pw.Elo(), "TrueSkill": pw.TrueSkill(draw_probability=0)})
    >>> comparison.best
    'TrueSkill'
    >>> comparison.table().columns[:4]
    ['model', 'log_loss', 'log_loss_low', 'log_loss_high']
    """
    named = None if models is None else _models_by_name(models)
    if not isinstance(history, History):
        message = f"compare needs a History, not {type(history).__name__}; History.read and from_frame make one"
        raise Error(message, field="history")
    if not len(history):
        raise Error("this history has no matches", field="history")
    named = suitable_models(history) if named is None else named
    if not isinstance(protocol, Protocol):
        hint = f"; call it: {protocol.__name__}()" if isinstance(protocol, type) else ""
        message = f"protocol must be a Protocol such as Prequential(), not {protocol!r}{hint}"
        raise Error(message, field="protocol", value=protocol)
    resampling = Resampling(block, confidence, draws, seed)
    chosen = choose_measures(measures, history, named)
    runs = protocol.runs(history)
    rows = Rows.of(history, runs)
    if not len(rows):
        raise Error(f"no match to score: {protocol}", field="protocol")
    # Workers get no player names, which rating does not need and which are slow to send.
    shared = SharedHistory.of(history)
    check_usable(named, shared.history, runs)
    tasks = [(name, model, shared, run, chosen) for name, model in named.items() for run in runs]
    results = run_tasks(score_run, tasks, jobs=jobs, label="comparing", progress=progress)
    sizes = [int(size) for size in np.bincount(rows.run, minlength=len(runs))]
    scores = {name: concat_scores(results[i * len(runs) : (i + 1) * len(runs)], sizes) for i, name in enumerate(named)}
    for name, scored in scores.items():
        if scored.unconverged:
            warnings.warn(f"{name}: EP did not converge in {scored.unconverged} matches", stacklevel=2)
    return Comparison(named, chosen, protocol, rows, scores, resampling)


def _models_by_name(models: Any) -> dict[str, Model]:
    if isinstance(models, Mapping):
        pairs = [(name, model if isinstance(model, Model) else _preset(model)[1]) for name, model in models.items()]
    elif isinstance(models, (str, Model)) or not isinstance(models, Iterable):
        message = f'models must be a mapping from names to models, or a list such as ["elo"], not {models!r}'
        raise Error(message, field="models", value=models)
    else:
        pairs = [_preset(model) for model in models]
    named: dict[str, Model] = {}
    for name, model in pairs:
        if not isinstance(name, str) or not name.strip():
            raise Error(f"a model's name must be non-empty text, not {name!r}", field="models", value=name)
        if name in named:
            raise Error(f"two models are named {name}: use a mapping with unique names", field="models", value=name)
        named[name] = model
    if not named:
        raise Error('no models to compare: give at least one, such as {"Elo": pw.Elo()}', field="models")
    return named


def _preset(model: Any) -> tuple[str, Model]:
    """Return the name and model of a preset that is given by name or as a function."""
    make = preset(model) if isinstance(model, str) else model
    names = [name for name, known in PRESETS.items() if known is make]
    if names:  # a preset may be registered under two names
        same = [name for name in names if isinstance(model, str) and name.lower() == model.strip().lower()]
        return (same or names)[0], make()
    if isinstance(model, Model):
        raise Error("a model in a list has no name: use a mapping from names to models", field="models", value=model)
    raise Error(f"{model!r} is neither a model nor a preset", field="models", value=model)


def suitable_models(history: History) -> dict[str, Model]:
    """Return up to six presets that can use a history, including score models if all matches have scores.

    >>> duels = [{"teams": [["ann"], ["bob"]]}] * 3
    >>> list(suitable_models(History.from_matches(duels)))
    ['TrueSkill', 'Elo', 'Glicko', 'Glicko2', 'GaussianElo', 'TS2']
    >>> list(suitable_models(History.from_matches([match | {"scores": [2, 1]} for match in duels])))
    ['TrueSkill', 'Elo', 'Glicko', 'Glicko2', 'GaussianOD', 'PoissonOD']
    """
    names: tuple[str, ...] = MANY_TEAM_MODELS
    if not (np.diff(history.match_start) > 2).any():
        kept = MAX_MODELS - len(SCORE_MODELS)
        scores = SCORE_MODELS if history.score is not None else ()
        # Score models take precedence over the last presets, because scores say more than results.
        names = (*TWO_TEAM_MODELS[:kept], *scores, *TWO_TEAM_MODELS[kept:])
    models: dict[str, Model] = {}
    for name in names:
        model = PRESETS[name]()
        if len(models) < MAX_MODELS and _first_failure(model, history, range(len(history))) is None:
            models[name] = model
    return models


def usable_presets(history: History) -> list[str]:
    """Return the names of all presets that can use a history.

    >>> [name for name in PRESETS if name not in usable_presets(History.from_matches([{"teams": [["ann"], ["bob"]]}]))]
    ['GaussianOD', 'GaussianSD', 'PoissonOD']
    """
    every = range(len(history))
    return [name for name, make in PRESETS.items() if _first_failure(make(), history, every) is None]


def check_usable(models: Mapping[str, Model], history: History, runs: Sequence[Run]) -> None:
    """Try every model on the matches that it is most likely to reject, before any long computation starts."""
    # Only matches that some run learns from must suit the models.
    learnt = np.zeros(len(history), bool)
    for run in runs:
        learnt[run.matches] |= True if run.learnt is None else run.learnt
    for name, model in models.items():
        failure = _first_failure(model, history, np.flatnonzero(learnt))
        if failure is not None:
            match, error = failure
            raise error.within(f"{name} cannot use match {match + 1} of this history: ", match=match) from error


def _first_failure(model: Model, history: History, learnt: Any) -> tuple[int, Error] | None:
    """Return the first match that a model cannot use, and the error."""
    learnt = np.asarray(learnt, np.intp)
    if history.importance is not None:
        learnt = learnt[history.importance[learnt] > 0]
    for match in _edge_cases(history, learnt):
        trial = history.take([match])
        players = np.arange(len(trial.player), dtype=np.int32)  # unique in the match
        try:
            for _ in forecast_chunks(model, replace(trial, player=players)):
                pass
        except Error as error:
            # The cause is clearer, because it does not have the prefix "match 1 of 1".
            return match, error.__cause__ if isinstance(error.__cause__, Error) else error
    return None


def _edge_cases(history: History, learnt: Any) -> list[int]:
    """Return the matches that models are most likely to reject.

    The list has the largest match, a match without scores, the match with the lowest score, and one with a fractional
    score.
    """
    if not len(learnt):
        return []
    matches = [learnt[np.argmax(np.diff(history.match_start)[learnt])]]
    if history.score is not None:
        first = history.match_start[:-1]
        lowest = np.minimum.reduceat(history.score, first)[learnt]  # NaN if a score is missing
        fractional = np.maximum.reduceat((history.score != np.floor(history.score)).astype(int), first)[learnt]
        matches += [learnt[np.argmax(np.isnan(lowest))], learnt[np.argmin(np.nan_to_num(lowest, nan=np.inf))]]
        matches.append(learnt[np.argmax(fractional & ~np.isnan(lowest))])
    return list(dict.fromkeys(int(match) for match in matches))


def compare_forecasts(
    history: History,
    models: Mapping[str, Model],
    forecasts: Mapping[str, Iterable[ForecastChunk]],
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> Comparison:
    """Compare the forecasts of several models, made before each match and listed in the order of the history.

    All chunks of one model are read before those of the next model.

    >>> import prowess as pw
    >>> from prowess.lab.forecast_chunks import forecast_chunks
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9)
    >>> compare_forecasts(history, {"Elo": pw.Elo()}, {"Elo": forecast_chunks(pw.Elo(), history)})
    Elo has a log loss of 0.45 nats (95 % interval 0.33 to 0.57) over 9 matches.
    """
    if not len(history):
        raise Error("this history has no matches", field="history")
    [run] = ALL_MATCHES.runs(history)
    measures = choose_measures(None, history, models)
    scored = {name: collect_scores(name, model, forecasts[name], run, measures) for name, model in models.items()}
    return Comparison(models, measures, ALL_MATCHES, Rows.of(history, [run]), scored, resampling)
