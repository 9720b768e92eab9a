"""Tuning: the parameters of a model with which it predicts best, found on early matches and judged by later ones."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import Error
from ...history import History
from ...model.model import Model
from ...progress import steps
from ...validate import whole
from ..extras import extra
from ..measures import Tally
from ..measures.registry import Measure
from ..parallel import processes
from .objective import Attempt, loss_of, workers
from .plan import Plan, Until, planned
from .search_space import Wanted, asked_for, that_matter
from .study import Study, opened, short
from .tuning import Stopped, Trial, Tuning

if TYPE_CHECKING:
    from ...model.fit.forecasts import Forecasts

__all__ = ["tune"]


def tune(
    model: Model,
    history: History,
    *,
    parameters: Wanted = None,
    train: Until = 0.6,
    measure: str | Measure | Callable[[Forecasts], Tally] | None = None,
    burn_in: Until = 0.1,
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
    trials, seed, jobs = whole("trials", trials, 1), whole("seed", seed), processes(jobs)
    if not isinstance(model, Model) or not isinstance(history, History):
        hint = "" if isinstance(model, Model) or not callable(model) else f"; call it: {model.__name__}()"
        raise Error(f"tune needs a Model and a History, not {type(model).__name__} and {type(history).__name__}{hint}")
    extra("optuna", "Optuna")  # before the work
    plan = planned(model, history, train, burn_in, loss_of(measure, history))
    given = asked_for(model, parameters)
    name = study or f"prowess {short(*map(str, plan.belongs.values()), repr(given))}"
    with opened(storage, name, seed) as book:
        book.belong(plan.belongs)
        try:
            with workers(plan.objective, jobs) as attempt:
                if not given and not book.space:
                    book.agree(*that_matter(model, plan.loss, attempt))
                book.agree(given or book.space)
                book.tell_present(model.params, plan.loss)
                _search(book, attempt, trials, jobs, progress)
        except KeyboardInterrupt:
            if not book.space or len(book.trials()) < 2:
                raise  # nothing was found yet
            raise Stopped(_result(plan, book, seed), trials) from None
        return _result(plan, book, seed)


def _search(book: Study, attempt: Attempt, trials: int, jobs: int, progress: bool | None) -> None:
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
    tried = tuple(map(_tried, book.trials()))
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


def _tried(trial: Any) -> Trial:
    return Trial(
        trial.number, trial.params, np.inf if trial.value is None else trial.value, trial.user_attrs.get("error", "")
    )
