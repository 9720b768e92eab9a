"""A study of Optuna: which parameters were tried and what came of them, in memory or in a database that many share."""

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...errors import Error
from ...history import History
from ...model.params import Range
from ...optional import import_extra
from .sampler import RANDOM, make_sampler

if TYPE_CHECKING:
    from ...model.model import Model

KEY = "prowess"  # under which a study holds what it belongs to
BELONGS = {
    "history": "history or another training span",
    "first": "burn-in",
    "model": "model, or one with other parameters",
    "measure": "measure",
}


class TrialResult(NamedTuple):
    """What came of a set of parameters: a loss, or the error with which the model failed."""

    loss: float
    error: str = ""


class Study:
    """A study of some parameters; `opened` makes one."""

    def __init__(self, study: Any, name: str) -> None:
        """Hold a study of Optuna."""
        self.optuna = import_extra("optuna", "Optuna", "lab")
        self.name = name
        self.study = study

    def belong(self, to: Mapping[str, Any]) -> None:
        """Write down what the study belongs to, or find that it belongs to something else."""
        known = self.study.user_attrs.get(KEY)
        if known is None and self.study.get_trials(deepcopy=False):
            raise Error(
                f"the study {self.name!r} was not made by prowess; choose another name", field="study", value=self.name
            )
        for key, what in BELONGS.items():
            if known is not None and _public_path(known.get(key)) != _public_path(to[key]):
                raise Error(
                    f"the study {self.name!r} belongs to another {what}; choose another name for this one",
                    field="study",
                    value=self.name,
                )
        if known is None:
            self.study.set_user_attr(KEY, dict(to))

    @property
    def space(self) -> dict[str, Range]:
        """The parameters that the study is of; none while nobody has said."""
        known = self.study.user_attrs.get("parameters", [])
        return {name: Range(low, high, log) for name, low, high, log in known}

    @property
    def unused(self) -> tuple[str, ...]:
        """The parameters that were found to change nothing."""
        return tuple(self.study.user_attrs.get("unused", ()))

    def agree(self, space: Mapping[str, Range], unused: Iterable[str] = ()) -> None:
        """Write down the parameters, and those that change nothing; or find that the study is of others."""
        if not self.space:
            self.study.set_user_attr("unused", list(unused))
            self.study.set_user_attr("parameters", [[name, *_bounds(span)] for name, span in space.items()])
        elif [(name, _bounds(span)) for name, span in self.space.items()] != [
            (name, _bounds(span)) for name, span in space.items()
        ]:
            raise Error(
                f"the study {self.name!r} tunes other parameters or ranges: {_listed(self.space)}, not "
                f"{_listed(space)}; choose another name for this one",
                field="study",
                value=self.name,
            )

    def _distributions(self) -> dict[str, Any]:
        float_ = self.optuna.distributions.FloatDistribution
        return {name: float_(span.low, span.high, log=span.log) for name, span in self.space.items()}

    def tell_present(self, values: Mapping[str, float], loss: float) -> None:
        """Make the present parameters the first trial, unless they are one already, or lie outside of the ranges."""
        space = self.space
        inside = all(
            span.low <= values[name] <= span.high or (span.log and not values[name]) for name, span in space.items()
        )
        if inside and not any(trial.user_attrs.get("present") for trial in self.trials()):
            near = {name: max(values[name], span.low) for name, span in space.items()}  # 0 on a logarithmic scale
            trial = self.optuna.trial.create_trial(
                params=near, distributions=self._distributions(), value=loss, user_attrs={"present": True}
            )
            self.study.add_trial(trial)

    def ask(self, count: int) -> list[Any]:
        """So many trials, each with parameters to try."""
        return [self.study.ask(self._distributions()) for _ in range(count)]

    def tell(self, trial: Any, tried: TrialResult | None) -> None:
        """What came of a trial; None if it was broken off. A model that failed counts as worse than all others."""
        states = self.optuna.trial.TrialState
        if tried is None:
            self.study.tell(trial, state=states.FAIL)
        elif tried.error:
            trial.set_user_attr("error", tried.error)
            self.study.tell(trial, state=states.PRUNED)
        else:
            self.study.tell(trial, tried.loss)

    def trials(self) -> list[Any]:
        """The trials that came to an end, in order; those that were broken off are not counted."""
        states = self.optuna.trial.TrialState
        found = self.study.get_trials(deepcopy=False, states=(states.COMPLETE, states.PRUNED))
        return sorted(found, key=lambda trial: int(trial.number))

    def importance(self) -> dict[str, float]:
        """How much each parameter decides whether a trial is among the better ones: PED-ANOVA, Watanabe et al. (2023).

        The shares add up to 1. It takes some trials to say anything.
        """
        if sum(trial.value is not None for trial in self.trials()) < 2 * RANDOM:
            return {}
        evaluator = self.optuna.importance.PedAnovaImportanceEvaluator()
        found: dict[str, float] = self.optuna.importance.get_param_importances(self.study, evaluator=evaluator)
        return found


def _public_path(name: Any) -> Any:
    """A measure of ours by the path that users know: a stored study outlives the module that the function is in."""
    return re.sub(r"^(prowess\.lab\.measures)\.\w+\.", r"\1.", name) if isinstance(name, str) else name


def _bounds(span: Range) -> tuple[float, float, bool]:
    return span.low, span.high, span.log


def _listed(space: Mapping[str, Range]) -> str:
    return ", ".join(f"{name} from {span.low:g} to {span.high:g}" for name, span in space.items())


@contextmanager
def open_study(storage: str | os.PathLike[str] | None, name: str, seed: int) -> Iterator[Study]:
    """A study in memory (None), in an SQLite file, or in a database by its URL; Optuna is kept quiet meanwhile.

    >>> with open_study(None, "mine", seed=0) as study:
    ...     study.agree({"beta": Range(1, 5)})
    ...     [trial] = study.ask(1)
    ...     study.tell(trial, TrialResult(0.5))
    ...     [found] = study.trials()
    ...     1 < found.params["beta"] < 5, found.value
    (True, 0.5)
    """
    optuna = import_extra("optuna", "Optuna", "lab")
    loud = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    database = None
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module="optuna")
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            database = None if storage is None else _database(optuna, storage)
            study = optuna.create_study(
                storage=database, study_name=name, sampler=make_sampler(seed), load_if_exists=True
            )
            yield Study(study, name)
    finally:
        optuna.logging.set_verbosity(loud)
        if database is not None:
            database.remove_session()
            database.engine.dispose()


def _database(optuna: Any, storage: str | os.PathLike[str]) -> Any:
    """An SQLite file by its path, or any database that SQLAlchemy knows by its URL; PostgreSQL through psycopg 3."""
    alchemy = import_extra("sqlalchemy", "SQLAlchemy", "lab")
    text = os.fspath(storage)
    try:
        url = alchemy.make_url(text if "://" in text else f"sqlite:///{Path(text).absolute()}")
    except (alchemy.exc.ArgumentError, ValueError):
        raise Error(
            "storage must be a path, or a URL such as sqlite:///study.db or postgresql://host/name", field="storage"
        ) from None
    if url.drivername in ("postgresql", "postgres"):
        if find_spec("psycopg") is None:
            raise Error(
                "a study in PostgreSQL needs psycopg, which is not installed: pip install 'psycopg[binary]'",
                field="storage",
            )
        url = url.set(drivername="postgresql+psycopg")
    waiting = {"connect_args": {"timeout": 60}} if url.get_backend_name() == "sqlite" else {}
    try:
        return optuna.storages.RDBStorage(url.render_as_string(hide_password=False), engine_kwargs=waiting)
    except (alchemy.exc.SQLAlchemyError, RuntimeError, ImportError) as error:
        reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        raise Error(f"{url.render_as_string()}: no study can be kept there: {reason}", field="storage") from None


COLUMNS = ("match_start", "team_start", "place", "score", "time", "weight", "importance", "home")


def fingerprint(*parts: str) -> str:
    """A short name for what was said.

    >>> fingerprint("a", "b") == fingerprint("a", "b") != fingerprint("ab")
    True
    """
    return sha256("\0".join(parts).encode()).hexdigest()[:16]


def history_fingerprint(history: History) -> str:
    """A name for what was played and by whom, whatever the numbers by which a history knows its players.

    >>> matches = [{"teams": [["ann"], ["bob"]]}, {"teams": [["cat"], ["bob"]]}]
    >>> one, other = (history_fingerprint(History.from_matches(some)) for some in (matches, matches[::-1]))
    >>> one == history_fingerprint(History.from_matches(matches)) != other
    True
    """
    known, first, number = np.unique(history.player, return_index=True, return_inverse=True)
    order = np.argsort(first)  # the players as they appear
    rank = np.empty(len(known), np.int64)
    rank[order] = np.arange(len(known))
    found = sha256(json.dumps([history.time_kind, history.time_zone]).encode())
    found.update("\0".join(history.players[player] for player in known[order]).encode("utf-8", "surrogatepass"))
    for name, column in [("player", rank[number]), *((name, getattr(history, name)) for name in COLUMNS)]:
        if column is not None:
            found.update(f"{name} {len(column)}".encode())
            found.update(np.ascontiguousarray(column, "<f8").data)
    return found.hexdigest()[:16]


def model_fingerprint(model: Model) -> str:
    """A name for a model and all its parameters; parts of your own go by what they print.

    >>> import prowess as pw
    >>> model_fingerprint(pw.Elo()) == model_fingerprint(pw.Elo(k=32)) != model_fingerprint(pw.Elo(k=20))
    True
    """
    try:
        plain = json.loads(json.dumps(model.to_dict()), parse_int=float)  # 32 is 32.0
        return fingerprint(json.dumps(plain, sort_keys=True))
    except Error:
        return fingerprint(qualified_name(model))


def qualified_name(thing: Any) -> str:
    """What a thing is called in a file: a function by its module and name, anything else by what it prints.

    >>> qualified_name(qualified_name)
    'prowess.lab.tune.study.qualified_name'
    """
    name = getattr(thing, "__qualname__", "")
    return f"{thing.__module__}.{name}" if name else re.sub(r" at 0x[0-9A-Fa-f]+", "", repr(thing))
