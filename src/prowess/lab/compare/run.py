"""Comparing models on a history: check which models can use the history, and score all models on the same matches."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history import History
from ...history.lines import at_line
from ...model.fit.forecasts import Forecasts
from ...model.ladder.facet_rows import check_columns
from ...model.model import Model
from ...model.presets import PRESETS, preset
from ...validate import scale
from ..auto import Choice, auto
from ..auto.columns import revealing_columns
from ..bootstrap import Resampling
from ..forecast_chunks import ForecastChunk, Refit, forecast_chunks
from ..measures import Tally
from ..measures.registry import MEASURES, Measure, choose_measures
from ..parallel import SharedHistory, run_tasks
from ..protocols import Prequential, Protocol, Run
from .comparison import Comparison
from .fairness import FAIR, FairCandidate
from .scoring import ModelScores, Rows, collect_scores, concat_scores, score_run
from .training import AUTO, TRAINING_SHARE, Candidate, RunChoice, set_up_models, textbook_instead

ModelLike = Model | str | Callable[..., Model | Choice]
ALL_MATCHES = Prequential()
DEFAULT_RESAMPLING = Resampling()
MAX_MODELS = 6  # number of models compared by default
SCORE_MODELS = ("GaussianOD", "PoissonOD")
TWO_TEAM_MODELS = ("TrueSkill", "Elo", "Glicko", "Glicko2", "GaussianElo", "TS2")
MANY_TEAM_MODELS = ("TrueSkill", "Elo", "Glicko", "Glicko2", "TS2", "TS2c")


def compare(
    history: History,
    models: Mapping[str, ModelLike] | Iterable[str | Callable[..., Model | Choice]] | None = None,
    *,
    protocol: Protocol | None = None,
    fair: bool = False,
    measures: Iterable[str | Measure | Callable[[Forecasts], Tally]] | None = None,
    refit: float | None = None,
    window: float | None = None,
    block: float | str | None = None,
    confidence: float = 0.95,
    draws: int = 1000,
    seed: int = 0,
    jobs: int | None = None,
    progress: bool | None = None,
) -> Comparison:
    """Find out which model predicts a league best, and how certain that answer is.

    `models`: a mapping from names to models, or a list of presets such as `["elo", pw.TrueSkill]`. "auto" is the model
    that `pw.auto` chooses from the training matches of each run, never from scored matches. The default is "auto" and
    up to six presets that can use the history.

    `protocol`: which matches the models learn from and which are scored (`pw.lab.Prequential`, `SeasonSplits`,
    `RandomSplits`). By default every match is scored; with "auto" or `fair`, the first 40 % are training matches, on
    which no model is scored. `fair`: use the training matches to set constants that papers chose for their own
    leagues: the share of draws, the scale of score models, and the home advantage, which is learnt.

    `measures`: names (`pw.lab.MEASURES`), instances of `pw.lab.Measure`, or functions of `fit.forecasts` that return a
    tally for which lower is better. The default is the measures that suit the history. The first measure decides which
    model is best.

    `refit`: with `refit=7`, every model that can be fitted in hindsight is also compared with refits every seven days,
    under a name such as "TrueSkill (refitted every 7 days)": its forecasts use what a hindsight of all earlier matches
    says, as in `Model.fit(history, refit=7)`. With `window`, a refit visits only the matches of the last `window` days.

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
    >>> len(compare(history, ["elo", "auto"]))
    18
    """
    named = None if models is None else _models_by_name(models)
    _check_history(history)
    refits = _check_refit(refit, window, history)
    named = {**suitable_models(history), "auto": AUTO} if named is None else named
    named = _make_fair(named) if fair else named
    known = {name: base for name, model in named.items() if (base := _base(model)) is not None}
    candidates = {name: model for name, model in named.items() if not isinstance(model, Model)}
    protocol = _check_protocol(protocol, Prequential(TRAINING_SHARE) if candidates else ALL_MATCHES)
    resampling = Resampling(block, confidence, draws, seed)
    # A wrong measure must fail before models are chosen. A model that is not chosen yet may predict scores, so it is
    # treated like a score model.
    choose_measures(measures, history, dict.fromkeys(named, PRESETS["PoissonOD"]()) | known)
    runs = protocol.runs(history)
    rows = Rows.of(history, runs)
    if not len(rows):
        raise Error(f"no match to score: {protocol}", field="protocol")
    # Workers get no player names, which rating does not need and which are slow to send.
    for model in known.values():
        check_columns(model, history)
    shared = SharedHistory.of(history, _columns(known.values()))
    check_usable(known, shared.history, runs)
    chosen = set_up_models(candidates, history, runs, jobs=jobs, progress=progress)
    chosen |= {name: _usable_choices(own, shared.history, runs) for name, own in chosen.items() if name not in known}
    by_run = {
        name: tuple(one.model for one in chosen[name]) if name in chosen else (known[name],) * len(runs)
        for name in named
    }
    refitted = {} if refits is None else _add_refits(by_run, chosen, refits, history)
    columns = _columns(model for own in by_run.values() for model in own)
    if set(columns) != set(_columns(known.values())):
        shared = SharedHistory.of(history, columns)
    # A measure applies to a model if it applies in all runs.
    measured = choose_measures(
        measures, history, {name: min(own, key=_predicts_scores) for name, own in by_run.items()}
    )
    scores = _score_all(by_run, measured, shared, runs, rows, refitted, jobs=jobs, progress=progress)
    for name, scored in scores.items():
        if scored.unconverged:
            warnings.warn(f"{name}: EP did not converge in {scored.unconverged} matches", stacklevel=2)
    last = {name: own[-1] for name, own in by_run.items()}
    facets = [column for own in by_run.values() for model in own for column in model.forecast_columns]
    revealing = revealing_columns(history, facets) if facets else ()
    return Comparison(last, measured, protocol, rows, scores, resampling, chosen, refitted, revealing)


def _columns(models: Iterable[Model]) -> list[str]:
    """Return the columns of the context that some models need."""
    return list(dict.fromkeys(column for model in models for column in model.context_columns))


def _check_history(history: object) -> None:
    if not isinstance(history, History):
        message = f"compare needs a History, not {type(history).__name__}; History.read and from_frame make one"
        raise Error(message, field="history")
    if not len(history):
        raise Error("this history has no matches", field="history")


def _check_protocol(protocol: object, default: Protocol) -> Protocol:
    protocol = default if protocol is None else protocol
    if not isinstance(protocol, Protocol):
        hint = f"; call it: {protocol.__name__}()" if isinstance(protocol, type) else ""
        message = f"protocol must be a Protocol such as Prequential(), not {protocol!r}{hint}"
        raise Error(message, field="protocol", value=protocol)
    return protocol


def _check_refit(refit: float | None, window: float | None, history: History) -> Refit | None:
    if refit is None:
        if window is not None:
            raise Error("window limits what a refit visits; give refit, too", field="window", value=window)
        return None
    if history.time is None:
        raise Error("refit needs the times of the matches; give each match a time", field="refit", value=refit)
    return Refit(scale("refit", refit), None if window is None else scale("window", window))


def _add_refits(
    by_run: dict[str, tuple[Model, ...]],
    chosen: dict[str, tuple[RunChoice, ...]],
    refit: Refit,
    history: History,
) -> dict[str, Refit]:
    """Add each model that can be refitted a second time, after the model itself; return the refits by name."""
    added, title = {}, refit.title(history)
    for name, own in list(by_run.items()):
        by_run[name] = by_run.pop(name)  # move to the end, so that the order stays
        if all(map(refit.suits, own)):
            refitted = f"{name} ({title})"
            by_run[refitted], added[refitted] = own, refit
            if name in chosen:
                chosen[refitted] = chosen[name]
    if not added:
        raise Error(
            f"none of these models can be refitted, because they update ratings match by match: {', '.join(by_run)}; "
            "add a model such as TrueSkill",
            field="refit",
            value=refit.every,
        )
    return added


def _make_fair(models: Mapping[str, Model | Candidate]) -> dict[str, Model | Candidate]:
    return {
        name + FAIR if isinstance(model, Model) else name: FairCandidate(model) if isinstance(model, Model) else model
        for name, model in models.items()
    }


def _base(model: Model | Candidate) -> Model | None:
    """Return a model before its constants are set, or None if it is chosen only when a run starts."""
    if isinstance(model, FairCandidate):
        return model.model
    return model if isinstance(model, Model) else None


def _predicts_scores(model: Model) -> bool:
    return MEASURES["score_error"].fits(model)


def _usable_choices(choices: Sequence[RunChoice], history: History, runs: Sequence[Run]) -> tuple[RunChoice, ...]:
    """Use textbook TrueSkill in place of each choice that cannot use all matches of its run, and add a remark."""
    usable = []
    for choice, run in zip(choices, runs, strict=True):
        failure = _first_failure(choice.model, history, _learnt_matches(history, [run]))
        if failure is not None:
            match, error = failure
            choice = textbook_instead(choice, f"it cannot use match {match + 1} ({error})")
        usable.append(choice)
    return tuple(usable)


def _score_all(
    by_run: Mapping[str, Sequence[Model]],
    measures: Sequence[Measure],
    shared: SharedHistory,
    runs: Sequence[Run],
    rows: Rows,
    refits: Mapping[str, Refit],
    **how: Any,
) -> dict[str, ModelScores]:
    tasks = []
    for name, own in by_run.items():
        applied = tuple(measure for measure in measures if all(map(measure.fits, own)))
        tasks += [(name, model, shared, run, applied, refits.get(name)) for model, run in zip(own, runs, strict=True)]
    results = run_tasks(score_run, tasks, label="comparing", **how)
    sizes = [int(size) for size in np.bincount(rows.run, minlength=len(runs))]
    many = len(runs)
    return {name: concat_scores(results[i * many : (i + 1) * many], sizes) for i, name in enumerate(by_run)}


def _models_by_name(models: Any) -> dict[str, Model | Candidate]:
    if isinstance(models, Mapping):
        pairs = [(name, model if isinstance(model, Model) else _preset(model)[1]) for name, model in models.items()]
    elif isinstance(models, (str, Model)) or not isinstance(models, Iterable):
        message = f'models must be a mapping from names to models, or a list such as ["elo"], not {models!r}'
        raise Error(message, field="models", value=models)
    else:
        pairs = [_preset(model) for model in models]
    named: dict[str, Model | Candidate] = {}
    for name, model in pairs:
        if not isinstance(name, str) or not name.strip():
            raise Error(f"a model's name must be non-empty text, not {name!r}", field="models", value=name)
        if name in named:
            raise Error(f"two models are named {name}: use a mapping with unique names", field="models", value=name)
        named[name] = model
    if not named:
        raise Error('no models to compare: give at least one, such as {"Elo": pw.Elo()}', field="models")
    return named


def _preset(model: Any) -> tuple[str, Model | Candidate]:
    if model is auto or (isinstance(model, str) and model.strip().lower() == "auto"):
        return "auto", AUTO
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
    """Raise an `Error` if a model rejects one of the matches that models are most likely to reject.

    Call this before a long computation.
    """
    learnt = _learnt_matches(history, runs)
    for name, model in models.items():
        failure = _first_failure(model, history, learnt)
        if failure is not None:
            match, error = failure
            located = error.within(f"{name} cannot use match {match + 1} of this history: ", match=match)
            raise at_line(located, history, match) from error


def _learnt_matches(history: History, runs: Sequence[Run]) -> NDArray[np.intp]:
    # Only matches that some run learns from must suit the models.
    learnt = np.zeros(len(history), bool)
    for run in runs:
        learnt[run.matches] |= True if run.learnt is None else run.learnt
    return np.flatnonzero(learnt)


def _first_failure(model: Model, history: History, learnt: Any) -> tuple[int, Error] | None:
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
    # Models most often reject the largest match, matches without scores, and low or fractional scores.
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
    protocol: Prequential = ALL_MATCHES,
    measures: Iterable[str] | None = None,
) -> Comparison:
    """Compare the forecasts of several models, made before each match and listed in the order of the history.

    All chunks of one model are read before those of the next model. The matches of the protocol's burn-in are not
    scored.

    >>> import prowess as pw
    >>> from prowess.lab.forecast_chunks import forecast_chunks
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9)
    >>> compare_forecasts(history, {"Elo": pw.Elo()}, {"Elo": forecast_chunks(pw.Elo(), history)})
    Elo has a log loss of 0.45 nats (95 % interval 0.33 to 0.57) over 9 matches.
    """
    if not len(history):
        raise Error("this history has no matches", field="history")
    [run] = protocol.runs(history)
    chosen = choose_measures(measures, history, models)
    scored = {name: collect_scores(name, model, forecasts[name], run, chosen) for name, model in models.items()}
    return Comparison(models, chosen, protocol, Rows.of(history, [run]), scored, resampling)
