"""The data sets: how each is split into matches for tuning and for evaluation, and which measures are used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from prowess.errors import Error
from prowess.history import History
from prowess.lab import measures
from prowess.lab.measures import Tally
from prowess.model.fit.forecasts import Forecasts

from . import datasets
from .candidates import CANDIDATES, Candidate
from .datasets import Reading

Cut = Callable[[History], tuple[int, int]]  # returns the index of the first match for tuning, and for evaluation


def score_loss(forecasts: Forecasts) -> Tally:
    """Return each match's −ln P(actual scores); scores say more about skills than the winner alone.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "scores": [12, 3]}])
    >>> round(score_loss(pw.GaussianSD(gamma=10.0).fit(history).forecasts).mean(), 2)
    3.87
    """
    return Tally(-forecasts.log_evidence, np.ones(len(forecasts)))


def _times(first: str, until: str) -> Cut:
    return lambda history: (len(history.between(end=first)), len(history.between(end=until)))


def _counts(first: int, until: int) -> Cut:
    return lambda history: (min(first, len(history)), min(until, len(history)))


def _last(first: int, many: int) -> Cut:
    """Return a cut: evaluate on the last `many` matches; tune on all earlier matches except the first `first`."""
    return lambda history: (min(first, max(0, len(history) - many)), max(0, len(history) - many))


@dataclass(frozen=True)
class DataSet:
    """A file, how it is read and split, the tuning loss, and the measures (the first one decides).

    `cut` returns where the tuning span and the evaluation span begin. Matches before the tuning span are learnt from,
    but not scored. `roles` names the players of a team, such as driver and car.

    >>> import prowess as pw
    >>> days = [{"teams": [["ann"], ["bob"]], "time": f"{year}-05-01"} for year in range(1999, 2008)]
    >>> data_set("afl").cut(pw.History.from_matches(days))
    (1, 5)
    """

    name: str
    title: str
    file: str
    read: Callable[[Path], Reading]
    cut: Cut
    loss: Callable[[Forecasts], Tally]
    measures: tuple[str, ...]
    unit: str = "matches"
    window: int = 380
    roles: tuple[str, ...] = ()

    @property
    def candidates(self) -> Mapping[str, Candidate]:
        """The models that were tried; empty if the parameters come from another experiment.

        >>> list(data_set("afl").candidates)[0]
        'differences, drift by day'
        """
        return CANDIDATES.get(self.name, {})


SETS: dict[str, DataSet] = {
    found.name: found
    for found in (
        DataSet(
            "premier_league",
            "Premier League",
            "premier_league_1995_2009.csv",
            datasets.premier_league,
            cut=_times("1996-07-01", "2002-07-01"),
            loss=measures.log_loss,
            measures=("log_loss", "information_gain", "auc", "brier"),
        ),
        DataSet(
            "afl",
            "AFL",
            "afl_1999_2009.csv",
            datasets.australian_football,
            cut=_times("2000-01-01", "2004-01-01"),
            loss=score_loss,
            measures=("information_gain", "auc", "pair_error"),
            window=185,
        ),
        DataSet(
            "premier_league_scores",
            "Premier League, the goals of both clubs",
            "premier_league_1995_2009.csv",
            datasets.premier_league,
            cut=_times("1996-07-01", "2002-07-01"),
            loss=measures.log_loss,
            measures=("score_error",),
        ),
        DataSet(
            "afl_scores",
            "AFL, the scores of both clubs",
            "afl_1999_2009.csv",
            datasets.australian_football,
            cut=_times("2000-01-01", "2004-01-01"),
            loss=score_loss,
            measures=("score_error",),
            window=185,
        ),
        DataSet(
            "international_football",
            "International football",
            "international_football.csv",
            datasets.international_football,
            cut=_times("1960-01-01", "2006-01-01"),
            loss=measures.log_loss,
            measures=("log_loss", "information_gain", "auc", "brier"),
            window=2000,
        ),
        DataSet(
            "f1",
            "Formula 1",
            "f1_race_results.csv",
            datasets.formula_one,
            cut=_times("2000-01-01", "2014-01-01"),
            loss=measures.pair_log_loss,
            measures=("pair_log_loss", "pair_error"),
            unit="races",
            window=60,
            roles=("driver", "car"),
        ),
        DataSet(
            "llm_comparisons",
            "Votes between language models",
            "llm_comparisons.csv",
            datasets.votes,
            cut=_counts(690, 5522),  # the votes on the first eight prompts are for tuning
            loss=measures.log_loss,
            measures=("log_loss", "information_gain", "pair_error"),
            unit="votes",
            window=600,
            roles=("model", "answer", "side"),
        ),
        DataSet(
            "chgk",
            "What? Where? When?",
            "chgk_team_results.csv.gz",
            datasets.tournaments,
            cut=_last(300, 300),
            loss=measures.pair_error,
            measures=("pair_error", "pair_log_loss"),
            unit="tournaments",
            window=50,
        ),
    )
}


def data_set(name: str) -> DataSet:
    """Return a data set by its name.

    >>> data_set("chess")
    Traceback (most recent call last):
    ...
    prowess.Error: no data set named 'chess'; available: premier_league, afl, premier_league_scores, \
afl_scores, international_football, f1, llm_comparisons, chgk
    """
    if name not in SETS:
        raise Error(f"no data set named {name!r}; available: {', '.join(SETS)}")
    return SETS[name]
