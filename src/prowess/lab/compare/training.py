"""Models that are set up separately for every run of a protocol, from the run's training matches.

A scored match must not influence the choice of the model that forecasts it. So a run's training matches are the matches
that it learns from and does not score. If the run also learns from scored matches, only the matches before the first
scored match are training matches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol as Interface

import numpy as np
from numpy.typing import NDArray

from ...history import History
from ...model.model import Model
from ...model.presets import TrueSkill
from ..auto import auto
from ..parallel import run_tasks
from ..protocols import Run

TRAINING_SHARE = 0.4  # burn-in of the default protocol if a model is set up from training matches


@dataclass(frozen=True)
class RunChoice:
    """The model that one run set up from its training matches.

    `run` is the run's label and `matches` the number of its training matches. `parts` describes the model, or what was
    changed in it, in short phrases; `remarks` are sentences about what limits the choice.

    >>> RunChoice("all", 160, TrueSkill(), ("textbook TrueSkill",)).parts
    ('textbook TrueSkill',)
    """

    run: str
    matches: int
    model: Model
    parts: tuple[str, ...]
    remarks: tuple[str, ...] = ()


class Candidate(Interface):
    """A rule that makes a model from training matches."""

    def set_up(self, label: str, training: History, progress: bool | None) -> RunChoice:
        """Return the model for a run with this label and these training matches."""


@dataclass(frozen=True)
class AutoCandidate:
    """The model that `pw.auto` chooses.

    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]]}] * 3)
    >>> AutoCandidate().set_up("all", history, False).remarks
    ('Fewer than 20 matches are too few to choose a model.',)
    """

    def set_up(self, label: str, training: History, progress: bool | None) -> RunChoice:
        """Choose a model by the training matches."""
        choice = auto(training, progress=progress)
        return RunChoice(label, len(training), choice.model, choice.parts, choice.remarks)


AUTO = AutoCandidate()


def training_matches(run: Run, history: History) -> NDArray[np.intp]:
    """Return the indices of the matches from which the models of a run may be set up.

    >>> from prowess.lab import Prequential, SeasonSplits
    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]], "time": f"2026-01-0{k}"} for k in range(1, 6)])
    >>> [training_matches(run, history).tolist() for run in Prequential(2).runs(history)]
    [[0, 1]]
    >>> [training_matches(run, history).tolist() for run in SeasonSplits(0.8).runs(history)]
    [[0, 1, 2, 3]]
    """
    matches = np.arange(len(history))[run.matches]
    every = np.ones(len(matches), bool)
    learnt = every if run.learnt is None else run.learnt
    scored = every if run.scored is None else run.scored
    both = np.flatnonzero(learnt & scored)
    allowed = learnt & ~scored
    if len(both):
        allowed[both[0] :] = False
    return matches[allowed]


def set_up_models(
    candidates: Mapping[str, Candidate],
    history: History,
    runs: Sequence[Run],
    *,
    jobs: int | None = None,
    progress: bool | None = None,
) -> dict[str, tuple[RunChoice, ...]]:
    """Return the model of every candidate for every run, each set up from the run's own training matches.

    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]]}] * 3)
    >>> set_up_models({"auto": AUTO}, history, [Run(slice(0, 3))])["auto"][0].matches
    0
    """
    if not candidates:
        return {}
    # Player names are slow to send to other processes; the context stays, because a column may name the seasons.
    small = replace(history, players=(), ids=None, remarks=())
    parts = [small.take(training_matches(run, small)) for run in runs]
    single = len(runs) * len(candidates) == 1
    # A single choice has a progress bar of its own.
    tasks = [
        (candidate, run.label, part, progress if single else False)
        for candidate in candidates.values()
        for run, part in zip(runs, parts, strict=True)
    ]
    found = run_tasks(_set_up, tasks, jobs=jobs, label="choosing models", progress=False if single else progress)
    size = len(runs)
    return {name: tuple(found[i * size : (i + 1) * size]) for i, name in enumerate(candidates)}


def _set_up(candidate: Candidate, label: str, training: History, progress: bool | None) -> RunChoice:
    return candidate.set_up(label, training, progress)


def textbook_instead(choice: RunChoice, reason: str) -> RunChoice:
    """Return textbook TrueSkill, for a run whose chosen model cannot use all of its matches.

    >>> choice = RunChoice("all", 160, TrueSkill(beta=2), ("TrueSkill",))
    >>> textbook_instead(choice, "match 170 has no scores").remarks
    ('Textbook TrueSkill replaced the chosen model (TrueSkill): match 170 has no scores.',)
    """
    remark = f"Textbook TrueSkill replaced the chosen model ({', '.join(choice.parts)}): {reason}."
    return replace(choice, model=TrueSkill(), parts=("textbook TrueSkill",), remarks=(*choice.remarks, remark))
