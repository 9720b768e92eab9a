"""Tuning: search for the parameters that predict early matches best, and evaluate these parameters on later matches."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from ...errors import Error
from ...history import History
from ...model.model import Model
from ...model.params import Range, identified
from ...optional import import_extra
from ...progress import steps, track
from ...validate import number, whole
from ..measures import Tally
from ..measures.registry import Measure
from ..parallel import count_processes
from .evidence import EvidenceSearch
from .objective import CutPoint, Evaluate, Plan, choose_loss, make_plan, workers
from .study import Study, fingerprint, open_study
from .tuning import Stopped, Trial, Tuning

if TYPE_CHECKING:
    from ...model.fit.forecasts import Forecasts

MANY_FITS = 20  # a search by evidence rarely needs more

Requested = Iterable[str] | Mapping[str, Range | tuple[float, float] | None] | None


def requested_space(model: Model, parameters: Requested) -> dict[str, Range] | None:
    """Return the ranges of the parameters that a user names or gives ranges for; None if `parameters` is None.

    >>> import prowess as pw
    >>> requested_space(pw.TrueSkill(), {"beta": (2, 5)})
    {'beta': Range(low=2.0, high=5.0, log=True, unit='one', sets='')}
    """
    if parameters is None:
        return None
    parameters = [parameters] if isinstance(parameters, str) else parameters
    named = dict(parameters) if isinstance(parameters, Mapping) else dict.fromkeys(parameters)
    if not named:
        raise Error("no parameters to tune: name at least one, or leave `parameters` out", field="parameters")
    return {name: _range(model, name, ends) for name, ends in named.items()}


def _range(model: Model, name: str, ends: Range | tuple[float, float] | None) -> Range:
    # The model must accept both ends of the range.
    declared, is_number = model.tunable.get(name), type(model.params.get(name)) in (int, float)
    if declared is None and (ends is None or not is_number):
        reason = "needs a range (low, high)" if is_number else "is not a numeric parameter of this model"
        message = f"{name!r} {reason}; parameters that need no range: {', '.join(model.tunable)}"
        raise Error(message, field="parameters", value=name)
    if not isinstance(ends, Range):
        if ends is None:
            assert declared is not None
            return declared
        try:
            low, high = ends
        except (TypeError, ValueError):
            message = f"the range of {name} must be (low, high) or a Range, not {ends!r}"
            raise Error(message, field="parameters", value=name) from None
        low, high = number(f"the low end of {name}", low), number(f"the high end of {name}", high)
        ends = Range(low, high, log=declared is not None and declared.log and low > 0)
    if ends.unit != "one":
        raise Error(
            f"the range of {name} must have the unit 'one' (plain numbers), not {ends.unit!r}",
            field="parameters",
            value=name,
        )
    for end in (ends.low, ends.high):
        try:
            model.replace(**{name: end})
        except Error as error:
            prefix = f"{name} cannot be tuned from {ends.low:g} to {ends.high:g}: "
            raise error.within(prefix, field="parameters", value=name) from None
    return ends


def relevant_space(model: Model, loss: float, attempt: Evaluate) -> tuple[dict[str, Range], list[str]]:
    """Return the ranges of the parameters to tune by default, and the names of unused parameters.

    Parameters that results cannot identify are in neither. Each other parameter is tried at the far end of its range;
    if the loss does not change, the parameter is unused. For example, a bonus for
    the leader of a team has no effect if all players play alone.
    """
    space, values = identified(model), model.params
    far = [{name: span.low if span.share(values[name]) > 0.5 else span.high} for name, span in space.items()]
    trials = zip(space, attempt(far), strict=True)
    # A smaller change is a rounding error.
    kept = {name: space[name] for name, trial in trials if abs(trial.loss - loss) > 1e-12}
    if not kept:
        message = f"no forecast depends on {', '.join(space) or 'the parameters'}, so there is nothing to tune"
        raise Error(message, field="parameters")
    return kept, [name for name in space if name not in kept]


def tune(
    model: Model,
    history: History,
    *,
    parameters: Requested = None,
    by: str = "forecasts",
    train: CutPoint = 0.6,
    measure: str | Measure | Callable[[Forecasts], Tally] | None = None,
    burn_in: CutPoint = 0.1,
    trials: int = 100,
    seed: int = 0,
    storage: str | os.PathLike[str] | None = None,
    study: str | None = None,
    jobs: int | None = None,
    progress: bool | None = None,
) -> Tuning:
    """Find the parameters with which a model predicts a history best, by a search on a training span.

    The search alternates between Optuna's TPE and a Gaussian process.

    The loss is the mean of `measure` over forecasts made before each match. The default is `log_loss` if all matches
    have two teams, otherwise `pair_log_loss`. `measure` may be another of `pw.lab.MEASURES`, or a function of
    `fit.forecasts` that returns a tally for which lower is better. The model learns from the matches of `burn_in`, but
    these matches are not scored.

    `train` is the end of the training span: a share of the matches (below 1), a number of matches, or a date. `burn_in`
    is given in the same way, within the training span. The search does not use the matches after the training span.
    The result is evaluated on them: `Tuning.gain` is the improvement on these later matches, with an interval.

    `parameters` are names, or ranges by name. The default is all of `Model.tunable`, except parameters that results
    cannot identify (such as TrueSkill's mu and sigma, see `prowess.model.params`) or that have no effect on this
    history.

    With `by="evidence"`, the search looks for the parameters with which the matches of the training span are most
    probable, taken together (`Hindsight.log_evidence`). It needs about ten fits in hindsight instead of a hundred
    forecasts, and finds parameters that forecast about as well. Models that update ratings match by match cannot use
    it. `trials` is then the largest number of fits; studies are not stored.

    `storage` is the SQLite file (a path) or the database (a URL such as postgresql://host/name) that stores the study;
    None keeps the study in memory. `study` is the name of the study; the default is derived from the history, model,
    measure and ranges. The next call continues a stored study until there are `trials` trials. Many processes and
    machines may run the same study at once. Continuing a study of another history, model or measure raises an `Error`.
    With the same seed and the same number of `jobs` (processes, see `pw.compare`), the search finds the same
    parameters. Ctrl-C raises `pw.lab.Stopped`, a `KeyboardInterrupt` with the best result so far.

    >>> import prowess as pw
    >>> league = pw.simulate(pw.TrueSkill(beta=6), 1000, 30).history
    >>> tuning = tune(pw.TrueSkill(beta=20), league, parameters=["beta"], trials=15)
    >>> 4 < tuning.model.params["beta"] < 9
    True
    >>> before, after = tuning.loss
    >>> after < before
    True
    """
    trials, seed, jobs = whole("trials", trials, 1), whole("seed", seed), count_processes(jobs)
    if not isinstance(model, Model) or not isinstance(history, History):
        hint = "" if isinstance(model, Model) or not callable(model) else f"; call it: {model.__name__}()"
        raise Error(f"tune needs a Model and a History, not {type(model).__name__} and {type(history).__name__}{hint}")
    import_extra("optuna", "Optuna", "lab")  # a missing package should be reported before the long computation
    plan = make_plan(model, history, train, burn_in, choose_loss(measure, history))
    space = requested_space(model, parameters)
    if by != "forecasts":
        if by != "evidence" or storage is not None:
            reason = f"not {by!r}" if by != "evidence" else "and studies by evidence are not stored"
            raise Error(f'by must be "forecasts" or "evidence", {reason}', field="by", value=by)
        return _by_evidence(plan, space or identified(model), trials, seed, progress)
    # The default name depends on the data, model, measure and ranges, so a database can contain many studies.
    name = study or f"prowess {fingerprint(*map(str, plan.subject.values()), repr(space))}"
    with open_study(storage, name, seed) as opened:
        opened.check_subject(plan.subject)
        try:
            with workers(plan.objective, jobs) as attempt:
                if not space and not opened.space:
                    opened.set_space(*relevant_space(model, plan.loss, attempt))
                opened.set_space(space or opened.space)
                opened.add_present(model.params, plan.loss)
                _search(opened, attempt, trials, jobs, progress)
        except KeyboardInterrupt:
            if not opened.space or len(opened.trials()) < 2:
                raise  # there is no result yet
            raise Stopped(_result(plan, opened, seed), trials) from None
        return _result(plan, opened, seed)


def _by_evidence(plan: Plan, space: dict[str, Range], trials: int, seed: int, progress: bool | None) -> Tuning:
    """Return the parameters with the largest evidence on the training span."""
    before = plan.objective.model
    search = EvidenceSearch(before, plan.history[: plan.end], space)
    for at in track(search.run(trials), "tuning", lambda: min(len(search.trials) / MANY_FITS, 1.0), progress):
        best = at
    model = before.replace(**search.axes.values(best))
    return Tuning(
        model=model,
        before=before,
        gain=plan.gain(model, seed),
        loss=(plan.loss, plan.objective.loss(model)),
        matches=plan.matches,
        measure=plan.objective.measure,
        space=space,
        tried=tuple(search.trials),
        importance={},
        unused=(),
    )


def _search(study: Study, attempt: Evaluate, trials: int, jobs: int, progress: bool | None) -> None:
    # Other machines may run the same study.
    for _ in steps(range(len(study.trials()), trials, jobs), "tuning", progress):
        waiting = study.ask(min(jobs, trials - len(study.trials())))
        try:
            for result in attempt([trial.params for trial in waiting]):
                study.tell(waiting[0], result)
                waiting.pop(0)
        finally:
            for trial in waiting:  # without a result, these interrupted trials would count as running forever
                study.tell(trial, None)


def _result(plan: Plan, study: Study, seed: int) -> Tuning:
    # If no trial has a lower loss, the current parameters are kept.
    tried = tuple(
        Trial(
            trial.number,
            trial.params,
            np.inf if trial.value is None else trial.value,
            trial.user_attrs.get("error", ""),
        )
        for trial in study.trials()
    )
    best = min(tried, key=lambda trial: trial.loss)
    before = plan.objective.model
    model = before.replace(**best.values) if best.loss < plan.loss else before
    return Tuning(
        model=model,
        before=before,
        gain=plan.gain(model, seed),
        loss=(plan.loss, min(plan.loss, best.loss)),
        matches=plan.matches,
        measure=plan.objective.measure,
        space=study.space,
        tried=tried,
        importance=study.importance(),
        unused=study.unused,
    )
