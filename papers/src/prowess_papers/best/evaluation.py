"""Compares a tuned model with untuned models, on matches that were not used for tuning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from prowess.history import History
from prowess.lab.compare import Comparison, compare
from prowess.lab.compare.fairness import FAIR, FairCandidate
from prowess.lab.protocols import Prequential
from prowess.model.model import Model
from prowess.model.presets import PRESETS

from .datasets import Reading
from .sets import DataSet
from .tuned_models import TunedModel, load_tuned, without_parts

TUNED = "tuned"
SCORES = ("GaussianOD", "GaussianSD", "PoissonOD")
SMALL_PRESETS, SMALL_DRAWS = ("Elo", "TrueSkill", "GaussianOD"), 100
SMALL_MATCHES = {"tournaments": 20, "races": 60}  # number of later matches with `small`; 380 for other data sets


@dataclass(frozen=True)
class RunOptions:
    """The settings shared by all data sets of a run."""

    small: bool
    seed: int
    jobs: int
    progress: bool | None


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A data set, how it was read and split, its tuned model, and the comparison on the later matches.

    `parts` compares the tuned model with copies that each lack one component.
    """

    of: DataSet
    reading: Reading
    first: int
    start: int
    found: TunedModel
    comparison: Comparison
    parts: Comparison | None

    @property
    def history(self) -> History:
        """The matches on which the models are compared."""
        return self.comparison.history


def untuned(history: History, measures: tuple[str, ...]) -> dict[str, Model]:
    """Return all untuned presets that can use the history. Presets that are equivalent on these data appear once.

    If `measures` begins with "score_error", only presets that predict both teams' scores are returned. TSa equals
    TrueSkill. If all teams have the same size, TS2a and TS2b equal TS2; if that size is 1, TSb equals TrueSkill.

    >>> import prowess as pw
    >>> list(untuned(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]), ("log_loss",)))[-1]
    'TS3'
    """
    alone = len(history.player) == history.teams
    # In all these data sets the teams of a match have the same size.
    left_out = {"TSa", "TS2a", "TS2b"} | ({"TSb"} if alone else set())
    if history.score is None or (np.diff(history.match_start) > 2).any():
        left_out |= set(SCORES)
    # Score errors need models that predict the scores of both teams; GaussianSD predicts only their difference.
    only = set(SCORES[::2]) if measures[0] == "score_error" else set(PRESETS)
    return {name: make() for name, make in PRESETS.items() if name in only - left_out}


def with_fair_constants(models: Mapping[str, Model], training: History) -> dict[str, Model]:
    """Return fair versions of models: the share of draws, scale of scores and home advantage are set from `training`.

    A preset should not lose because of a constant that its paper chose for another league. Models that do not change
    are left out.

    >>> import prowess as pw
    >>> drawn = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "ranks": [1, 1]}] * 9)
    >>> list(with_fair_constants({"Elo": pw.Elo(), "TrueSkill": pw.TrueSkill()}, drawn))
    ['TrueSkill (fair)']
    """
    fair = {name: FairCandidate(model).set_up(name, training, False).model for name, model in models.items()}
    return {f"{name}{FAIR}": model for name, model in fair.items() if model != models[name]}


def evaluate(chosen: DataSet, folder: Path, work: RunOptions) -> Evaluation:
    """Compare the tuned model of a data set with all untuned models on the later matches."""
    reading = chosen.read(folder / chosen.file)
    first, start = chosen.cut(reading.history)
    history = reading.history
    if work.small:
        history = history[: start + SMALL_MATCHES.get(chosen.unit, 380)]
    found = load_tuned(chosen.name)
    models = untuned(history, chosen.measures)
    if work.small:
        models = {name: model for name, model in models.items() if name in SMALL_PRESETS}
    models |= with_fair_constants(models, reading.history[:start])
    parts = without_parts(found.model, chosen.roles)
    return Evaluation(
        chosen,
        reading,
        first,
        start,
        found,
        _compare(chosen, history, start, {TUNED: found.model} | models, chosen.measures, work),
        _compare(chosen, history, start, {TUNED: found.model} | parts, chosen.measures[:1], work) if parts else None,
    )


def _compare(
    chosen: DataSet,
    history: History,
    start: int,
    models: Mapping[str, Model],
    measures: tuple[str, ...],
    work: RunOptions,
) -> Comparison:
    return compare(
        history,
        models,
        # Models learn from the matches used for tuning, but are not scored on them.
        protocol=Prequential(burn_in=start),
        measures=measures,
        draws=SMALL_DRAWS if work.small else 1000,
        seed=work.seed,
        jobs=work.jobs,
        progress=work.progress,
    )
