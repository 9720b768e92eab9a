"""Training and test matches: the protocols of Guo et al. (2012), section 5.1, one split at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from prowess.errors import Error
from prowess.history import History
from prowess.lab.protocols import Run, SeasonSplits
from prowess.model.fit.forecasts import Forecasts
from prowess.model.model import Model

from .data import Games, League

PERCENTS = (10, 20, 30, 40, 50, 60, 70, 80)  # shares of training matches, as percentages of a season
SEASON_TEST, GAMES_TEST = 20, 10  # share of test matches at the end, in percent


@dataclass(frozen=True, eq=False)
class Split:
    """A history with matches to learn from, and later matches to predict.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "scores": [2, 1]}] * 5)
    >>> split = Split.of(history, [0, 1], [4])
    >>> split.train, split.test
    (History(2 matches, 2 players, scores), History(1 match, 2 players, scores))
    """

    whole: History
    run: Run

    @classmethod
    def of(cls, history: History, train: NDArray[np.intp] | list[int], test: NDArray[np.intp] | list[int]) -> Split:
        """Return a split that learns from the `train` matches and predicts the later `test` matches.

        >>> import prowess as pw
        >>> Split.of(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 2), [0], [1]).run.learnt
        array([ True, False])
        """
        learnt = np.repeat([True, False], [len(train), len(test)])
        return cls(history, Run(np.concatenate([train, test]).astype(np.intp), learnt, ~learnt))

    def __post_init__(self) -> None:
        """Check that there are training and test matches."""
        if not _any(self.run.learnt) or not _any(self.run.scored):
            raise Error(f"{len(self.whole)} matches are too few to split into training and test matches")

    @property
    def train(self) -> History:
        """The matches to learn from."""
        return self.whole.take(np.arange(len(self.whole))[self.run.matches][self.run.learnt])

    @property
    def test(self) -> History:
        """The matches to predict."""
        return self.whole.take(self.run.rows(self.whole))

    def forecasts(self, model: Model) -> Forecasts:
        """Return a model's forecasts of the test matches after learning from the training matches."""
        assert self.run.scored is not None
        found = model.fit(self.run.of(self.whole), progress=False).forecasts
        return found.take(np.flatnonzero(self.run.scored))


def _any(mask: NDArray[np.bool_] | None) -> bool:
    return mask is not None and bool(mask.any())


def season_split(league: League, percent: int, season: int) -> Split:
    """Return the split of a single season: learn from the first `percent` % of its matches, predict the last 20 %.

    >>> import numpy as np, prowess as pw
    >>> matches = [{"teams": [["ann"], ["bob"]], "scores": [2, 1]}] * 20
    >>> split = season_split(League("friends", pw.History.from_matches(matches), np.repeat([1, 2], 10)), 50, 2)
    >>> len(split.train), len(split.test)
    (5, 2)
    """
    return _of_season(league, percent, season, reset=True)


def carried_split(league: League, percent: int, season: int) -> Split:
    """Return the same split as `season_split`, but also learn from all earlier seasons.

    >>> import numpy as np, prowess as pw
    >>> matches = [{"teams": [["ann"], ["bob"]], "scores": [2, 1]}] * 20
    >>> split = carried_split(League("friends", pw.History.from_matches(matches), np.repeat([1, 2], 10)), 50, 2)
    >>> len(split.train), len(split.test)
    (15, 2)
    """
    return _of_season(league, percent, season, reset=False)


def _of_season(league: League, percent: int, season: int, *, reset: bool) -> Split:
    # A number of matches that ends in ½ is rounded to the even number, which fits the published curves best.
    protocol = SeasonSplits(percent / 100, reset, seasons=league.season.tolist(), test=SEASON_TEST / 100)
    return Split(league.history, protocol.runs(league.history)[league.seasons.index(season)])


def random_split(games: Games, percent: int, seed: tuple[int, int]) -> Split:
    """Return a split that learns from random matches among the first 90 % and predicts the last 10 %.

    `percent` is the share of all matches to sample. `seed` is a pair: the seed of the experiment and the number of the
    sample. Every percentage has its own samples. Test matches with a player who is not in the sample are left out.

    >>> import prowess as pw
    >>> matches = [{"teams": [["ann"], ["bob"]], "scores": [2, 1]}] * 20
    >>> split = random_split(Games("halo2", pw.History.from_matches(matches)), 50, (0, 0))
    >>> len(split.train), len(split.test)
    (10, 2)
    """
    history = games.history
    first = len(history) - round(len(history) * GAMES_TEST / 100)
    # Every percentage has its own random sample, so that one unlucky sample does not affect the whole curve.
    rng = np.random.default_rng([*seed, percent])
    train = np.sort(rng.permutation(first)[: round(len(history) * percent / 100)])
    pairs = history.player.reshape(-1, 2)
    known = np.isin(pairs[first:], pairs[train]).all(axis=1)
    return Split.of(history, train, first + np.flatnonzero(known))
