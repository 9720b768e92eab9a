"""What is learnt from and what is predicted: the protocols of the score paper, section 5.1.

A split is one history: first the matches to learn from, then those to predict, which have importance 0, so that one fit
forecasts them and learns nothing from them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ....errors import Error
from ....history import History
from ....model.forecasts import Forecasts
from ....model.model import Model
from .data import Games, League

__all__ = ["PERCENTS", "Split", "anew", "carried", "resampled"]

PERCENTS = (10, 20, 30, 40, 50, 60, 70, 80)  # of the matches of a season, from which is learnt
SEASON_TEST, GAMES_TEST = 20, 10  # per cent of the matches at the end, which are predicted


@dataclass(frozen=True, eq=False)
class Split:
    """Matches to learn from, and after them matches to predict.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "scores": [2, 1]}] * 5)
    >>> split = Split.of(history, [0, 1], [4])
    >>> split.train, len(split.forecasts(pw.TrueSkill()))
    (History(2 matches, 2 players, scores), 1)
    """

    history: History
    learnt: int

    @classmethod
    def of(cls, history: History, train: NDArray[np.intp] | list[int], test: NDArray[np.intp] | list[int]) -> Split:
        """Learn from these matches, predict those, which come later.

        >>> import prowess as pw
        >>> Split.of(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 2), [0], [1]).history.importance
        array([1., 0.])
        """
        if not len(train) or not len(test):
            raise Error(f"{len(history)} matches are too few to learn from some and to predict others")
        importance = np.repeat([1.0, 0.0], [len(train), len(test)])
        return cls(replace(history.take(np.concatenate([train, test])), importance=importance), len(train))

    @property
    def train(self) -> History:
        """The matches to learn from."""
        return self.history[: self.learnt]

    def forecasts(self, model: Model) -> Forecasts:
        """What a model predicts of the test matches after it has learnt from the others."""
        whole = model.fit(self.history, progress=False).forecasts
        team = self.history.match_start[self.learnt]
        tests = slice(self.learnt, None)
        win, draw = whole.written
        return Forecasts(
            self.history[tests],
            whole.outcome,
            whole.mean[team:],
            whole.variance[team:],
            whole.log_evidence[tests],
            (win[tests], draw[tests]),
            None if whole.scatter is None else whole.scatter[tests],
        )


def share(matches: int, percent: int) -> int:
    """So many per cent of the matches, halves to even: by this the published AFL curves are met best.

    >>> [share(185, percent) for percent in (10, 30, 50, 70)]
    [18, 56, 92, 130]
    """
    return round(matches * percent / 100)


def anew(league: League, percent: int, season: int) -> Split:
    """A season by itself: learn from the first matches, predict the last 20 %.

    >>> import numpy as np, prowess as pw
    >>> matches = [{"teams": [["ann"], ["bob"]], "scores": [2, 1]}] * 20
    >>> split = anew(League("friends", pw.History.from_matches(matches), np.repeat([1, 2], 10)), 50, 2)
    >>> len(split.history), split.learnt
    (7, 5)
    """
    matches = league.matches(season)
    return Split.of(league.history, *_ends(matches, percent))


def carried(league: League, percent: int, season: int) -> Split:
    """The same test, but all earlier seasons are learnt from as well.

    >>> import numpy as np, prowess as pw
    >>> matches = [{"teams": [["ann"], ["bob"]], "scores": [2, 1]}] * 20
    >>> split = carried(League("friends", pw.History.from_matches(matches), np.repeat([1, 2], 10)), 50, 2)
    >>> len(split.history), split.learnt
    (17, 15)
    """
    train, test = _ends(league.matches(season), percent)
    return Split.of(league.history, np.concatenate([np.flatnonzero(league.season < season), train]), test)


def resampled(games: Games, percent: int, seed: tuple[int, int]) -> Split:
    """Learn from so many per cent of all matches, drawn from the first 90 %, and predict the last 10 %.

    `seed` is that of the experiment and the number of the draw. Test matches of players who are not in the matches that
    were drawn are left out.

    >>> import prowess as pw
    >>> matches = [{"teams": [["ann"], ["bob"]], "scores": [2, 1]}] * 20
    >>> split = resampled(Games("halo2", pw.History.from_matches(matches)), 50, (0, 0))
    >>> len(split.history), split.learnt
    (12, 10)
    """
    history = games.history
    first = len(history) - share(len(history), GAMES_TEST)
    rng = np.random.default_rng([*seed, percent])
    train = np.sort(rng.permutation(first)[: share(len(history), percent)])
    pairs = history.player.reshape(-1, 2)
    known = np.isin(pairs[first:], pairs[train]).all(axis=1)
    return Split.of(history, train, first + np.flatnonzero(known))


def _ends(matches: NDArray[np.intp], percent: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The first and the last matches of a season."""
    return matches[: share(len(matches), percent)], matches[len(matches) - share(len(matches), SEASON_TEST) :]
