"""Tuning: the parameters of a model with which it predicts best, found on early matches and judged by later ones."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import Error
from ...history import History
from ...model.model import Model
from ...model.params import Range, identified
from ...optional import import_extra
from ...progress import steps
from ...validate import number, whole
from ..measures import Tally
from ..measures.registry import Measure
from ..parallel import count_processes
from .objective import CutPoint, Evaluate, Plan, choose_loss, make_plan, workers
from .study import Study, fingerprint, open_study
from .tuning import Stopped, Trial, Tuning

if TYPE_CHECKING:
    from ...model.fit.forecasts import Forecasts
    from .objective import Evaluate

Requested = Iterable[str] | Mapping[str, Range | tuple[float, float] | None] | None


def requested_space(model: Model, wanted: Requested) -> dict[str, Range] | None:
    """The ranges of parameters that a user names, or gives ranges for; None for None.

    >>> import prowess as pw
    >>> requested_space(pw.TrueSkill(), {"beta": (2, 5)})
    {'beta': Range(low=2.0, high=5.0, log=True, unit='one', sets='')}
    """
    if wanted is None:
        return None
    wanted = [wanted] if isinstance(wanted, str) else wanted
    named = dict(wanted) if isinstance(wanted, Mapping) else dict.fromkeys(wanted)
    if not named:
        raise Error("no parameters to tune: name some, or leave `parameters` out", field="parameters")
    return {name: _range(model, name, ends) for name, ends in named.items()}


def _range(model: Model, name: str, ends: Range | tuple[float, float] | None) -> Range:
    """The range of one parameter: as declared, or as given, if the model takes both its ends."""
    known, value = model.tunable, model.params.get(name)
    if name not in known and (ends is None or type(value) not in (int, float)):
        have = "needs a range: (low, high)" if type(value) in (int, float) else "is no number that this model has"
        raise Error(
            f"{name!r} {have}; to be tuned by name there are {', '.join(known)}", field="parameters", value=name
        )
    if ends is None:
        return known[name]
    if not isinstance(ends, Range):
        try:
            low, high = ends
        except (TypeError, ValueError):
            raise Error(
                f"the range of {name} must be (low, high) or a Range, not {ends!r}", field="parameters", value=name
            ) from None
        declared = known.get(name)
        low, high = number(f"the low end of {name}", low), number(f"the high end of {name}", high)
        ends = Range(low, high, log=declared is not None and declared.log and low > 0)
    if ends.unit != "one":
        raise Error(f"the range of {name} must be given in numbers, not by {ends.unit}", field="parameters", value=name)
    for end in (ends.low, ends.high):
        try:
            model.replace(**{name: end})
        except Error as error:
            prefix = f"{name} cannot be tuned from {ends.low:g} to {ends.high:g}: "
            raise error.within(prefix, field="parameters", value=name) from None
    return ends


def relevant_space(model: Model, loss: float, attempt: Evaluate) -> tuple[dict[str, Range], list[str]]:
    """The parameters that results can tell and that change something, and those that change nothing.

    Each is tried at the far end of its range.

    A leader bonus changes nothing where all play alone, nor does a home advantage where nobody is at home.
    """
    space = identified(model)
    values = model.params
    far = [{name: span.low if span.share(values[name]) > 0.5 else span.high} for name, span in space.items()]
    tried = attempt(far)
    kept = {name: span for (name, span), one in zip(space.items(), tried, strict=True) if abs(one.loss - loss) > 1e-12}
    if not kept:
        raise Error(
            f"none of {', '.join(space) or 'its parameters'} changes a forecast: there is nothing to tune",
            field="parameters",
        )
    return kept, [name for name in space if name not in kept]


def tune(
    model: Model,
    history: History,
    *,
    parameters: Requested = None,
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
    """Find the parameters with which a model predicts a history best: Optuna's TPE on a training span.

    The loss is the mean of `measure` over forecasts that were made before each match: by default `log_loss` where all
    matches have two teams, else `pair_log_loss`. It may be another of `pw.lab.MEASURES`, or a function of
    `fit.forecasts` that returns a tally of which less is better. The matches of `burn_in` are learnt from, but not
    scored.

    `train` says where the training span ends: after a share of the matches (below 1) or so many of them, or at a date;
    so does `burn_in` within that span. The matches after it are not looked at. They serve to judge the result:
    `Tuning.gain`, with an interval.

    `parameters` are names, or ranges by name. By default they are all that `Model.tunable` gives, without those that
    results cannot tell (TrueSkill's mu and sigma: see `prowess.model.params`) or that change nothing in this history.

    `storage` keeps the study in an SQLite file (a path) or a database (a URL such as postgresql://host/name): the next
    call goes on with it until there are as many `trials`, and many processes and machines may run the same study at
    once. One that belongs to another history, model or measure is an error. The same seed and number of `jobs`
    (processes, see `pw.compare`) find the same parameters. Ctrl-C raises `pw.lab.Stopped`, a `KeyboardInterrupt` that
    has what was found until then.

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
    import_extra("optuna", "Optuna", "lab")  # before the work
    plan = make_plan(model, history, train, burn_in, choose_loss(measure, history))
    given = requested_space(model, parameters)
    name = study or f"prowess {fingerprint(*map(str, plan.belongs.values()), repr(given))}"
    with open_study(storage, name, seed) as book:
        book.belong(plan.belongs)
        try:
            with workers(plan.objective, jobs) as attempt:
                if not given and not book.space:
                    book.agree(*relevant_space(model, plan.loss, attempt))
                book.agree(given or book.space)
                book.tell_present(model.params, plan.loss)
                _search(book, attempt, trials, jobs, progress)
        except KeyboardInterrupt:
            if not book.space or len(book.trials()) < 2:
                raise  # nothing was found yet
            raise Stopped(_result(plan, book, seed), trials) from None
        return _result(plan, book, seed)


def _search(book: Study, attempt: Evaluate, trials: int, jobs: int, progress: bool | None) -> None:
    """Try until there are as many trials, in rounds of one for each process; others may add to the same study."""
    for _ in steps(range(len(book.trials()), trials, jobs), "tuning", progress):
        asked = book.ask(min(jobs, trials - len(book.trials())))
        told = 0
        try:
            for trial, tried in zip(asked, attempt([trial.params for trial in asked]), strict=True):
                book.tell(trial, tried)
                told += 1
        finally:
            for trial in asked[told:]:
                book.tell(trial, None)


def _result(plan: Plan, book: Study, seed: int) -> Tuning:
    """The best trial, if it is better than what there was, judged by the matches that were left."""
    tried = tuple(map(_trial, book.trials()))
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
        space=book.space,
        tried=tried,
        importance=book.importance(),
        unused=book.unused,
    )


def _trial(trial: Any) -> Trial:
    return Trial(
        trial.number, trial.params, np.inf if trial.value is None else trial.value, trial.user_attrs.get("error", "")
    )
