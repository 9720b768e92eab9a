"""A fit that knows where everybody stood before its last part."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..history import History
    from .fit import Fit
    from .ladder import Ladder
    from .model import Model

__all__ = ["fit_since"]


def fit_since(model: Model, history: History, first: int, start: Ladder | None = None) -> Fit:
    """The fit of the matches from `first` on, after those before it: together one pass, and the same to the last bit.

    Its `leaderboard(since=…)` at its own beginning needs no second pass.

    >>> import prowess as pw
    >>> games = [{"teams": [["ann"], ["bob"]], "time": 1}, {"teams": [["bob"], ["ann"]], "time": 2}]
    >>> fit = fit_since(pw.Elo(), pw.History.from_matches(games), 1)
    >>> fit, fit.leaderboard(since=2)["gain"].round(2).to_list()
    (Fit(1 match, 2 players, log-evidence -0.789), [17.47, -17.47])
    """
    if first:
        start = model.fit(history[:first], start).ladder
    return model.fit(history[first:], start)
