"""Which models can use a history, and which of them to compare where nobody says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import Error
from ...history import History
from ...model.model import Model
from ...model.presets import PRESETS
from ..forecast_chunks import forecast_chunks
from ..protocols import Run

MOST = 6
# Those with scores of matches of two teams first, where there are scores; then those for places.
SCORES = ("GaussianOD", "PoissonOD")
PAIRS = ("TrueSkill", "Elo", "Glicko", "Glicko2", "GaussianElo", "TS2")
CROWDS = ("TrueSkill", "Elo", "Glicko", "Glicko2", "TS2", "TS2c")


def suitable_models(history: History) -> dict[str, Model]:
    """Up to six presets that can use a history: of scores where all matches have them, of places for many teams.

    >>> duels = [{"teams": [["ann"], ["bob"]]}] * 3
    >>> list(suitable_models(History.from_matches(duels)))
    ['TrueSkill', 'Elo', 'Glicko', 'Glicko2', 'GaussianElo', 'TS2']
    >>> list(suitable_models(History.from_matches([match | {"scores": [2, 1]} for match in duels])))
    ['TrueSkill', 'Elo', 'Glicko', 'Glicko2', 'GaussianOD', 'PoissonOD']
    """
    crowds = bool((np.diff(history.match_start) > 2).any())
    names: tuple[str, ...] = CROWDS if crowds else PAIRS
    if history.score is not None and not crowds:
        names = (*PAIRS[: MOST - len(SCORES)], *SCORES, *PAIRS[MOST - len(SCORES) :])
    found: dict[str, Model] = {}
    for name in names:
        model = PRESETS[name]()
        if len(found) < MOST and _first_failure(model, history, range(len(history))) is None:
            found[name] = model
    return found


def usable_presets(history: History) -> list[str]:
    """The names of all presets that can use a history.

    >>> [name for name in PRESETS if name not in usable_presets(History.from_matches([{"teams": [["ann"], ["bob"]]}]))]
    ['GaussianOD', 'GaussianSD', 'PoissonOD']
    """
    every = range(len(history))
    return [name for name, make in PRESETS.items() if _first_failure(make(), history, every) is None]


def check_usable(models: Mapping[str, Model], history: History, runs: Sequence[Run]) -> None:
    """Try every model on matches that could be too much for it, before any of them works for minutes."""
    learnt = np.zeros(len(history), bool)
    for run in runs:
        learnt[run.matches] |= True if run.learnt is None else run.learnt
    for name, model in models.items():
        failed = _first_failure(model, history, np.flatnonzero(learnt))
        if failed is not None:
            match, error = failed
            raise error.within(f"{name} cannot use match {match + 1} of this history: ", match=match) from error


def _first_failure(model: Model, history: History, learnt: Any) -> tuple[int, Error] | None:
    """The first match that a model stumbles over, and how."""
    learnt = np.asarray(learnt, np.intp)
    if history.importance is not None:
        learnt = learnt[history.importance[learnt] > 0]
    for match in _edge_cases(history, learnt):
        trial = history.take([match])
        players = np.arange(len(trial.player), dtype=np.int32)  # nobody plays twice in a match
        try:
            for _ in forecast_chunks(model, replace(trial, player=players)):
                pass
        except Error as error:
            return match, error.__cause__ if isinstance(error.__cause__, Error) else error  # without "match 1 of 1"
    return None


def _edge_cases(history: History, learnt: Any) -> list[int]:
    """The matches that a model may stumble over: the largest, without scores, with the lowest, with a broken score."""
    if not len(learnt):
        return []
    found = [learnt[np.argmax(np.diff(history.match_start)[learnt])]]
    if history.score is None:
        return [int(found[0])]
    first = history.match_start[:-1]
    lowest = np.minimum.reduceat(history.score, first)[learnt]  # NaN, where a score is missing
    broken = np.maximum.reduceat((history.score != np.floor(history.score)).astype(int), first)[learnt]
    found += [learnt[np.argmax(np.isnan(lowest))], learnt[np.argmin(np.nan_to_num(lowest, nan=np.inf))]]
    found.append(learnt[np.argmax(broken & ~np.isnan(lowest))])
    return list(dict.fromkeys(int(match) for match in found))
