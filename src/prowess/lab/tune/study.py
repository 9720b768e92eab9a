"""An Optuna study: the parameters tried and their losses, in memory or in a shared database."""

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

KEY = "prowess"  # the Optuna attribute that stores the history, model and measure of a study
SUBJECT = {
    "history": "history or another training span",
    "first": "burn-in",
    "model": "model, or one with other parameters",
    "measure": "measure",
}


class TrialResult(NamedTuple):
    """The loss of a set of parameters, or the error with which the model failed."""

    loss: float
    error: str = ""


class Study:
    """An Optuna study that tunes some parameters; `open_study` opens it."""

    def __init__(self, study: Any, name: str) -> None:
        self.optuna = import_extra("optuna", "Optuna", "lab")
        self.name = name
        self.study = study

    def _error(self, problem: str) -> Error:
        message = f"the study {self.name!r} {problem}; choose another name for the new study"
        return Error(message, field="study", value=self.name)

    def check_subject(self, subject: Mapping[str, Any]) -> None:
        """Store the history, model and measure of the study; raise `Error` if others are already stored."""
        stored = self.study.user_attrs.get(KEY)
        if stored is None:
            if self.study.get_trials(deepcopy=False):
                raise self._error("was not made by prowess")
            self.study.set_user_attr(KEY, dict(subject))
            return
        for key, what in SUBJECT.items():
            if _public_path(stored.get(key)) != _public_path(subject[key]):
                raise self._error(f"belongs to another {what}")

    @property
    def space(self) -> dict[str, Range]:
        """The parameters of the study with their ranges; empty before `set_space` is called."""
        stored = self.study.user_attrs.get("parameters", [])
        return {name: Range(low, high, log) for name, low, high, log in stored}

    @property
    def unused(self) -> tuple[str, ...]:
        """The parameters that have no effect on this history."""
        return tuple(self.study.user_attrs.get("unused", ()))

    def set_space(self, space: Mapping[str, Range], unused: Iterable[str] = ()) -> None:
        """Store the ranges to search and the parameters without effect; raise `Error` if other ranges are stored."""
        if not self.space:
            self.study.set_user_attr("unused", list(unused))
            self.study.set_user_attr("parameters", _bounds(space))
        elif _bounds(self.space) != _bounds(space):
            raise self._error(f"tunes other parameters or ranges: {_ranges(self.space)}, not {_ranges(space)}")

    def _distributions(self) -> dict[str, Any]:
        float_ = self.optuna.distributions.FloatDistribution
        return {name: float_(span.low, span.high, log=span.log) for name, span in self.space.items()}

    def add_present(self, values: Mapping[str, float], loss: float) -> None:
        """Add the current parameters as a trial, unless they have been tried before or lie outside the ranges."""
        space = self.space
        inside = all(
            span.low <= values[name] <= span.high or (span.log and not values[name]) for name, span in space.items()
        )
        if inside and not any(trial.user_attrs.get("present") for trial in self.trials()):
            # A logarithmic scale has no 0, so the low end of the range replaces a value of 0.
            near = {name: max(values[name], span.low) for name, span in space.items()}
            trial = self.optuna.trial.create_trial(
                params=near, distributions=self._distributions(), value=loss, user_attrs={"present": True}
            )
            self.study.add_trial(trial)

    def ask(self, count: int) -> list[Any]:
        """Return new trials, each with parameters to try."""
        return [self.study.ask(self._distributions()) for _ in range(count)]

    def tell(self, trial: Any, result: TrialResult | None) -> None:
        """Store the result of a trial; None means that it was interrupted. A failed model gets the worst loss."""
        states = self.optuna.trial.TrialState
        if result is None:
            self.study.tell(trial, state=states.FAIL)
        elif result.error:
            trial.set_user_attr("error", result.error)
            # The trial is stored as pruned, because samplers avoid regions of pruned trials but ignore failed trials.
            self.study.tell(trial, state=states.PRUNED)
        else:
            self.study.tell(trial, result.loss)

    def trials(self) -> list[Any]:
        """Return the finished trials in order, without interrupted trials."""
        states = self.optuna.trial.TrialState
        finished = self.study.get_trials(deepcopy=False, states=(states.COMPLETE, states.PRUNED))
        return sorted(finished, key=lambda trial: int(trial.number))

    def importance(self) -> dict[str, float]:
        """Return how important each parameter is for good trials: PED-ANOVA, Watanabe et al. (2023).

        The importances add up to 1; the result is empty while there are too few trials.
        """
        if sum(trial.value is not None for trial in self.trials()) < 2 * RANDOM:
            return {}
        evaluator = self.optuna.importance.PedAnovaImportanceEvaluator()
        return dict(self.optuna.importance.get_param_importances(self.study, evaluator=evaluator))


def _public_path(name: Any) -> Any:
    # Studies store the public path of a measure, because its module may move.
    return re.sub(r"^(prowess\.lab\.measures)\.\w+\.", r"\1.", name) if isinstance(name, str) else name


def _bounds(space: Mapping[str, Range]) -> list[list[Any]]:
    return [[name, span.low, span.high, span.log] for name, span in space.items()]


def _ranges(space: Mapping[str, Range]) -> str:
    return ", ".join(f"{name} from {span.low:g} to {span.high:g}" for name, span in space.items())


@contextmanager
def open_study(storage: str | os.PathLike[str] | None, name: str, seed: int) -> Iterator[Study]:
    """Open a study in memory (None), in an SQLite file, or in a database by its URL.

    Optuna logs only errors while the study is open.

    >>> with open_study(None, "mine", seed=0) as study:
    ...     study.set_space({"beta": Range(1, 5)})
    ...     [trial] = study.ask(1)
    ...     study.tell(trial, TrialResult(0.5))
    ...     [finished] = study.trials()
    ...     1 < finished.params["beta"] < 5, finished.value
    (True, 0.5)
    """
    optuna = import_extra("optuna", "Optuna", "lab")
    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    database = None
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module="optuna")
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            database = None if storage is None else _database(optuna, storage)
            options = {"storage": database, "study_name": name, "load_if_exists": True}
            yield Study(optuna.create_study(sampler=make_sampler(seed), **options), name)
    finally:
        optuna.logging.set_verbosity(verbosity)
        if database is not None:
            database.remove_session()
            database.engine.dispose()


def _database(optuna: Any, storage: str | os.PathLike[str]) -> Any:
    # PostgreSQL uses psycopg 3.
    alchemy = import_extra("sqlalchemy", "SQLAlchemy", "lab")
    text = os.fspath(storage)
    try:
        url = alchemy.make_url(text if "://" in text else f"sqlite:///{Path(text).absolute()}")
    except (alchemy.exc.ArgumentError, ValueError):
        message = "storage must be a path, or a URL such as sqlite:///study.db or postgresql://host/name"
        raise Error(message, field="storage") from None
    if url.drivername in ("postgresql", "postgres"):
        if find_spec("psycopg") is None:
            raise Error("PostgreSQL needs psycopg: pip install 'psycopg[binary]'", field="storage")
        url = url.set(drivername="postgresql+psycopg")
    # Another process may hold the SQLite lock for a while.
    options = {"connect_args": {"timeout": 60}} if url.get_backend_name() == "sqlite" else {}
    try:
        return optuna.storages.RDBStorage(url.render_as_string(hide_password=False), engine_kwargs=options)
    except (alchemy.exc.SQLAlchemyError, RuntimeError, ImportError) as error:
        reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        raise Error(f"{url.render_as_string()}: cannot store a study there: {reason}", field="storage") from None


COLUMNS = ("match_start", "team_start", "place", "score", "time", "weight", "importance", "home")


def fingerprint(*parts: str) -> str:
    """Return a short hash of the given texts.

    >>> fingerprint("a", "b") == fingerprint("a", "b") != fingerprint("ab")
    True
    """
    return sha256("\0".join(parts).encode()).hexdigest()[:16]


def history_fingerprint(history: History) -> str:
    """Return a hash of all matches and names. The hash does not depend on internal player numbers.

    >>> matches = [{"teams": [["ann"], ["bob"]]}, {"teams": [["cat"], ["bob"]]}]
    >>> one, other = (history_fingerprint(History.from_matches(some)) for some in (matches, matches[::-1]))
    >>> one == history_fingerprint(History.from_matches(matches)) != other
    True
    """
    unique, first, number = np.unique(history.player, return_index=True, return_inverse=True)
    order = np.argsort(first)  # players are renumbered in order of appearance
    rank = np.empty(len(unique), np.int64)
    rank[order] = np.arange(len(unique))
    digest = sha256(json.dumps([history.time_kind, history.time_zone]).encode())
    digest.update("\0".join(history.players[player] for player in unique[order]).encode("utf-8", "surrogatepass"))
    for name, column in [("player", rank[number]), *((name, getattr(history, name)) for name in COLUMNS)]:
        if column is not None:
            digest.update(f"{name} {len(column)}".encode())
            digest.update(np.ascontiguousarray(column, "<f8").data)
    return digest.hexdigest()[:16]


def model_fingerprint(model: Model) -> str:
    """Return a hash of a model and all its parameters; custom components are hashed by their `repr`.

    >>> import prowess as pw
    >>> model_fingerprint(pw.Elo()) == model_fingerprint(pw.Elo(k=32)) != model_fingerprint(pw.Elo(k=20))
    True
    """
    try:
        plain = json.loads(json.dumps(model.to_dict()), parse_int=float)  # so that 32 and 32.0 give the same hash
        return fingerprint(json.dumps(plain, sort_keys=True))
    except Error:
        return fingerprint(qualified_name(model))


def qualified_name(value: Any) -> str:
    """Return a name under which to store an object: module and name of a function, or the `repr` of other objects.

    >>> qualified_name(qualified_name)
    'prowess.lab.tune.study.qualified_name'
    """
    name = getattr(value, "__qualname__", "")
    return f"{value.__module__}.{name}" if name else re.sub(r" at 0x[0-9A-Fa-f]+", "", repr(value))
