"""A history on its way through a model: what was believed of every entry before and after its match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...history import History
from ...history.ragged import holders
from ..ladder.ladder import Ladder
from ..model import Model
from .fit import swept
from .forecasts import Forecasts, written
from .leaderboard import overall
from .match_summary import expectations, people, results

if TYPE_CHECKING:
    from .explain import Account

__all__ = ["Passage", "passage"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
ROWS = 200_000  # teams that are looked at together


@dataclass(frozen=True, eq=False, repr=False)
class Passage:
    """A history with the beliefs before and after every match, and what was forecast of it.

    `before` and `after` have a row for each entry: mean and variance of every trait. What was believed before a match
    is with the drift until then; within an open rating period, as if it ended here. All columns are in the order of the
    history, so that questions of it are arithmetic of columns.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["cat"], ["ann"]]}])
    >>> passed = passage(pw.Ladder(pw.TrueSkill()), history)
    >>> passed.moves(passed.entries("ann"))["moved"].round(2)
    array([ 4.4 , -4.44])
    """

    model: Model
    history: History
    forecasts: Forecasts
    before: Floats
    after: Floats

    def entries(self, name: str) -> Ints:
        """The entries of a player in all matches, in the order of time.

        >>> import prowess as pw
        >>> passage(pw.Ladder(pw.Elo()), pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])).entries("bob")
        array([1])
        """
        players = self.history.players
        return np.flatnonzero(self.history.player == (players.index(name) if name in players else -1))

    def places(self, entry: Ints) -> tuple[Ints, Ints]:
        """The teams and the matches of some entries.

        >>> import prowess as pw
        >>> passed = passage(pw.Ladder(pw.Elo()), pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
        >>> passed.places(np.array([1]))
        (array([1]), array([0]))
        """
        team = holders(self.history.team_start, entry)
        return team, holders(self.history.match_start, team)

    def counted(self, match: Ints) -> NDArray[np.bool_]:
        """Which of some matches count: those of importance 0 do not.

        >>> import prowess as pw
        >>> passed = passage(pw.Ladder(pw.Elo()), pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
        >>> passed.counted(np.array([0]))
        array([ True])
        """
        importance = self.history.importance
        return np.ones(len(match), bool) if importance is None else importance[match] > 0.0

    def moves(self, entry: Ints) -> dict[str, Floats]:
        """What matches did to the ratings of some entries: before and after, and what moved; NaN where there is no σ.

        >>> import prowess as pw
        >>> passed = passage(pw.Ladder(pw.Elo()), pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
        >>> passed.moves(np.array([0]))["mu_after"]
        array([1516.])
        """
        found: dict[str, Floats] = {}
        for when, beliefs in (("before", self.before), ("after", self.after)):
            columns = overall(self.model, beliefs[entry])
            found |= {f"{what}_{when}": column for what, column in zip(("mu", "sigma", "shown"), columns, strict=True)}
        found["moved"] = found["mu_after"] - found["mu_before"]
        return found | {"shown_moved": found["shown_after"] - found["shown_before"]}

    def told(self, entry: Ints) -> dict[str, Any]:
        """All there is to tell of some entries, by columns: who, how it ended, what was expected, and what moved.

        The columns are those of `Explanation.matches`; the entries are in the order of time.

        >>> import prowess as pw
        >>> passed = passage(pw.Ladder(pw.Elo()), pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
        >>> passed.told(np.array([1]))["expected"]
        array([0.5])
        """
        team, match = self.places(entry)
        found = people(self.history, entry, team, match) | results(self.history, team, match)
        return found | self._expected(team, match) | self.moves(entry)

    def _expected(self, team: Ints, match: Ints) -> dict[str, Any]:
        """What was expected of some teams; in very large matches of few at a time, for each needs all the others."""
        start = self.history.match_start
        rows = np.cumsum(start[match + 1] - start[match], dtype=np.int64)
        parts = np.split(np.arange(len(match)), np.flatnonzero(np.diff(rows // ROWS)) + 1)
        found = [expectations(self.forecasts.take(match[part]), (team - start[match])[part]) for part in parts]
        return {key: np.concatenate([one[key] for one in found]) for key in found[0]}

    def account(self, match: int, most: int | None = None) -> Account:
        """What one match, by its index, did to its players; of a very large one, to so many of the best teams.

        >>> import prowess as pw
        >>> passed = passage(pw.Ladder(pw.Elo()), pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
        >>> len(passed.account(0).rows)
        2
        """
        from .explain import account

        return account(self, match, most)


def passage(ladder: Ladder, history: History) -> Passage:
    """Take a ladder through a history, and write down what was believed on the way; the ladder stands at its end then.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill())
    >>> len(passage(ladder, pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])).after), len(ladder)
    (2, 2)
    """
    _, record = swept(ladder, history, False, beliefs=True)
    forecasts = written(ladder.model.outcome, history, record)
    return Passage(ladder.model, history, forecasts, record.before, record.after)
