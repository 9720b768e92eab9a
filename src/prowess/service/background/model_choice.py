"""Choosing a model for a league: the search in the background, and the choice during an import.

This module does not import the web framework, so that a child process starts sooner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isfinite
from typing import Any

import numpy as np

from ...history import History
from ...lab.auto import Choice, auto
from ...lab.compare.run import compare_forecasts
from ...lab.compare.verdict import FEW
from ...lab.forecast_chunks import ForecastChunk
from ...lab.interval import Interval
from ...lab.protocols import Prequential
from ...model.model import Model
from ...model.presets import TrueSkill
from ...store.choices import FIRST, Chosen
from ...store.facets import with_player_values
from ...store.leagues import STARTING, League, Preset
from ...store.presets import preset_of
from ...store.read.trace import iter_forecasts
from ...store.seasons import Season
from ...text import join_words

SECONDS = 60.0  # for one search in the background; few leagues need more than five seconds
IMPORT_SECONDS = 20.0  # for a search during an import, because somebody is waiting
CHUNK = 20_000  # matches forecast at a time

Plain = dict[str, Any]
Report = Callable[[str, float], None]


def search(league: League, history: History, seasons: Sequence[Season], report: Report) -> Plain:
    """Choose a model for a league, and estimate how much better it predicts than the current model.

    The model may have facets and statistics, so `history` must have the context of the matches.

    The gain is measured on the last third of the matches. It is the gain of a second model, which is chosen in the same
    way on the first two thirds only, so that no match is used both to choose the model and to measure it. The
    previous search also used about the first two thirds, because a new search starts whenever a league has grown by
    half.
    """
    report("Choosing a model", 0.1)
    choice = auto(history, seconds=SECONDS, progress=False)
    judged = len(history) // 3
    report("Choosing a model on earlier matches", 0.5)
    earlier = auto(history[: len(history) - judged], seconds=SECONDS, progress=False)
    report("Measuring", 0.9)
    gain = _gain(history, seasons, judged, league.model, _improved(earlier))
    # NaN means that nothing could be measured; JSON has no NaN.
    known = {name: value if isfinite(value) else None for name, value in gain._asdict().items()}
    return describe(choice) | {"judged": judged, "gain": known, "seasons": len(seasons)}


def _gain(history: History, seasons: Sequence[Season], judged: int, own: Model, other: Model) -> Interval:
    """Return how much lower the loss of `other` is than the loss of `own`, on the last `judged` matches."""
    if own == other or not judged:
        return Interval(0.0, 0.0, 0.0)
    models = {"own": own, "other": other}
    chunks = {name: _chunks(model, history, seasons) for name, model in models.items()}
    two_teams = bool((np.diff(history.match_start) == 2).all())
    comparison = compare_forecasts(
        history,
        models,
        chunks,
        protocol=Prequential(len(history) - judged),
        measures=["log_loss" if two_teams else "pair_log_loss"],
    )
    before, after = (comparison.tally(name) for name in models)
    if judged >= FEW:
        return comparison.resampling.difference(before, after)
    # Resampled intervals of few matches are too narrow. A match in which all teams tie has no pairs to compare, so its
    # difference is NaN.
    differences = before.values - after.values
    known = differences[np.isfinite(differences)]
    return Interval.student(known) if len(known) else Interval(np.nan, np.nan, np.nan)


def _chunks(model: Model, history: History, seasons: Sequence[Season]) -> Iterable[ForecastChunk]:
    for first, forecasts in iter_forecasts(model, history, seasons, CHUNK):
        yield ForecastChunk(first, forecasts, 0)


def choose_for_import(history: History, seconds: float = IMPORT_SECONDS) -> Chosen | None:
    """Choose a model for the matches of a file in at most `seconds`; return None if there are too few matches.

    >>> choose_for_import(History.from_matches([{"teams": [["ann"], ["bob"]]}])) is None
    True
    """
    if len(history) < FIRST:
        return None
    answer = describe(auto(history, seconds=seconds, progress=False)) | {
        "judged": 0,
        "gain": None,
        "seasons": 0,
    }
    return Chosen(preset_from(answer), answer)


def describe(choice: Choice) -> Plain:
    """Return a choice as plain data, without names of players."""
    preset, parts, results = preset_of(_improved(choice)), choice.parts, choice.results
    if choice.model == TrueSkill():
        parts = ("TrueSkill", "a learnt share of draws")
        results = (f"Model: {join_words(parts)}, with which every league starts.",)
    remarks = [remark.render(lambda _: "a model with these covariates") for remark in choice.notes]
    return {
        "preset": {"name": preset.name, "parameters": dict(preset.parameters)},
        "parts": list(parts),
        "lines": [*results, *remarks],
        "steps": choice.steps.fill_nan(None).to_dicts(),
        "matches": len(choice.history),
        "unit": "match" if choice.history.teams == 2 * len(choice.history) else "pair of teams",
    }


def _improved(choice: Choice) -> Model:
    # If no model beats TrueSkill as published, the model with which leagues start is at least as good.
    return STARTING.model if choice.model == TrueSkill() else with_player_values(choice.model, choice.history)


def preset_from(answer: Plain) -> Preset:
    """Return the model that a search has chosen.

    >>> preset_from({"preset": {"name": "Elo", "parameters": {"k": 20}}})
    Preset(name='Elo', parameters={'k': 20})
    """
    return Preset(**answer["preset"])


def reason_of(answer: Plain) -> str:
    """Return the reason that is stored with a change to the chosen model.

    >>> reason_of({"parts": ["TrueSkill", "a learnt home advantage"]})
    'chosen automatically: TrueSkill and a learnt home advantage'
    """
    return f"chosen automatically: {join_words(answer['parts'])}"


def is_better(answer: Plain) -> bool:
    """Return whether the chosen model predicts better than the current model, by more than noise.

    >>> is_better({"gain": {"value": 0.02, "low": -0.01, "high": 0.05}}), is_better({"gain": None})
    (False, False)
    """
    gain = answer["gain"]
    return gain is not None and gain["low"] is not None and gain["low"] > 0.0
