"""Forecasts: the predictions for every match of a history, made before the match was rated."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history import History
from ...history.ragged import gather
from ..components.interfaces import Outcome
from ..engine.buffers import Record

if TYPE_CHECKING:
    import polars as pl

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Forecasts:
    """The predictions made before each match, as columns over the history's teams and matches.

    `mean` and `variance` describe every team's performance, with a column per trait if there are several. Matches of
    two teams have the probabilities `win` (of the first team) and `draw`; in other matches these are NaN.
    `log_evidence` is the log-probability of the result.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["ann"], ["bob"]]}])
    >>> pw.TrueSkill().fit(history).forecasts.win.round(3)
    array([0.478, 0.754])
    """

    history: History
    outcome: Outcome
    mean: Floats
    variance: Floats
    log_evidence: Floats
    written: tuple[Floats, Floats]  # win and draw as recorded by `sweep`
    scatter: Floats | None = None  # variance that score noise adds per team, with three or more teams

    def __len__(self) -> int:
        return len(self.log_evidence)

    @property
    def win(self) -> Floats:
        """The probability that the first of two teams wins, for every match; NaN in matches of more teams.

        >>> import prowess as pw
        >>> pw.Elo().fit(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])).forecasts.win
        array([0.5])
        """
        return self._chances[0]

    @property
    def draw(self) -> Floats:
        """The probability that two teams draw, for every match; NaN in matches of more teams.

        >>> import prowess as pw
        >>> pw.Elo().fit(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])).forecasts.draw
        array([0.])
        """
        return self._chances[1]

    @cached_property
    def _chances(self) -> tuple[Floats, Floats]:
        # expensive probabilities are computed lazily, from means and variances
        if not self.outcome.later:
            return self.written
        win, draw = np.full(len(self), np.nan), np.full(len(self), np.nan)
        pairs = np.diff(self.history.match_start) == 2
        teams = np.repeat(pairs, np.diff(self.history.match_start))
        mean, variance = (np.ascontiguousarray(column[teams]).ravel() for column in (self.mean, self.variance))
        chances = np.empty(int(pairs.sum())), np.empty(int(pairs.sum()))
        self.outcome.chances(mean, variance, *chances)
        win[pairs], draw[pairs] = chances
        return win, draw

    def take(self, matches: NDArray[np.intp]) -> Forecasts:
        """Return the forecasts of the matches at these indices, which must be in ascending order.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 3)
        >>> pw.TrueSkill().fit(history).forecasts.take(np.array([0, 2])).win.round(3)
        array([0.478, 0.858])
        """
        _, teams = gather(self.history.match_start, matches)
        return Forecasts(
            self.history.take(matches),
            self.outcome,
            self.mean[teams],
            self.variance[teams],
            self.log_evidence[matches],
            (self.written[0][matches], self.written[1][matches]),
            None if self.scatter is None else self.scatter[matches],
        )

    def __repr__(self) -> str:
        return f"Forecasts({len(self)} matches)"

    def to_frame(self) -> pl.DataFrame:
        """Return a Polars frame with a row per team: match, team, place, mean, sigma, win, draw.

        If there are several traits, the columns are named after the traits: offence_mean, offence_sigma, ….

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])
        >>> pw.TrueSkill().fit(history).forecasts.to_frame().columns
        ['match', 'team', 'place', 'mean', 'sigma', 'win', 'draw']
        """
        import polars as pl

        teams = np.diff(self.history.match_start)
        match = np.repeat(np.arange(len(self)), teams)
        team = np.arange(self.history.teams) - self.history.match_start[match]
        win = np.where(team == 0, self.win[match], 1.0 - self.win[match] - self.draw[match])
        traits = self.outcome.traits
        columns: dict[str, Any] = {"match": match, "team": team, "place": self.history.place}
        for k, trait in enumerate(traits):
            name = f"{trait}_" if len(traits) > 1 else ""
            columns[f"{name}mean"] = self.mean.reshape(-1, len(traits))[:, k]
            columns[f"{name}sigma"] = np.sqrt(self.variance.reshape(-1, len(traits))[:, k])
        columns |= {"win": win, "draw": self.draw[match]}
        return pl.DataFrame(columns).with_columns(pl.col("win", "draw").fill_nan(None))


def read_forecasts(outcome: Outcome, history: History, record: Record) -> Forecasts:
    """Build the forecasts from the record of a sweep."""
    traits = outcome.traits
    shape = (-1, len(traits)) if len(traits) > 1 else (-1,)
    mean, variance = record.mean.reshape(shape), record.variance.reshape(shape)
    return Forecasts(history, outcome, mean, variance, record.log_evidence, (record.win, record.draw), record.scatter)


def strength(forecasts: Forecasts) -> Floats:
    """Return the expected performance of every team. The team with the highest number is expected to win.

    In models of offence and defence, both traits are combined into one number. In a match of k teams, a team's defence
    affects the scores of all k − 1 opponents, so the defence counts 1/(k − 1).

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["ann"], ["bob"]]}])
    >>> strength(pw.TrueSkill().fit(history).forecasts).round(2)
    array([25. , 25. , 29.4, 20.6])
    """
    _check(forecasts)
    if forecasts.mean.ndim == 1:
        return forecasts.mean
    return forecasts.mean[:, 0] + _share(forecasts) * forecasts.mean[:, 1]


def performance(forecasts: Forecasts) -> Floats:
    """Return the variance of every team's performance (see `strength`): the uncertainty of skills plus noise.

    In matches of more than two teams, the variance includes the normal noise of scores. For two teams, `win` and `draw`
    already include that noise.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])
    >>> performance(pw.TrueSkill().fit(history).forecasts).round(2)
    array([86.81, 86.81])
    """
    _check(forecasts)
    variance: Floats
    if forecasts.variance.ndim == 1:
        variance = forecasts.outcome.performance(forecasts.variance)
    else:
        variance = forecasts.variance[:, 0] + _share(forecasts) ** 2 * forecasts.variance[:, 1]
    if forecasts.scatter is None or not forecasts.scatter.any():
        return variance
    return variance + np.repeat(forecasts.scatter, np.diff(forecasts.history.match_start))


def _check(forecasts: Forecasts) -> None:
    # a model comparison may keep only win and draw; then kernels that loop over teams would read beyond the columns
    if len(forecasts.mean) != forecasts.history.teams:
        raise Error(
            "these forecasts have only win and draw; a measure that uses performances must not set chances=True"
        )


def _share(forecasts: Forecasts) -> Floats:
    teams = np.diff(forecasts.history.match_start)
    return np.repeat(1.0 / np.maximum(teams - 1, 1), teams)
