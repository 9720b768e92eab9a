"""A model fitted to a history: where everybody stands, how they came there, and what was forecast on the way."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...errors import Error
from ...history import History, name_of
from ...history.slicing import bounds
from ...text import count
from ..engine.sweep import Record
from ..ladder.ladder import Ladder
from ..model import Model
from ..prediction import Prediction
from ..rating import Rating
from .forecasts import read_forecasts
from .leaderboard import compared, overall
from .trace import Trace, run_sweep

if TYPE_CHECKING:
    import polars as pl

    from .explain import Account, Explanation


class Fit:
    """A model after one pass over a history.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "time": "2026-01-31"}])
    >>> fit = pw.TrueSkill().fit(history)
    >>> fit
    Fit(1 match, 2 players, log-evidence -0.739)
    >>> fit.leaderboard().columns
    ['rank', 'player', 'mu', 'sigma', 'shown', 'matches', 'last_seen']
    """

    def __init__(
        self,
        model: Model,
        history: History,
        before: Ladder,
        after: Ladder,
        record: Record,
    ) -> None:
        """Hold the results of a sweep; `Model.fit` makes one."""
        self.model = model
        self.history = history
        self.forecasts = read_forecasts(model.outcome, history, record)
        self.unconverged: list[int] = record.unconverged
        self._before, self._after = before, after

    def __repr__(self) -> str:
        """Say how much was rated, and how well the model explains it."""
        matches, players = count(len(self.history), "match", "matches"), count(len(self._after), "player", "players")
        return f"Fit({matches}, {players}, log-evidence {self.log_evidence:.3f})"

    @cached_property
    def ladder(self) -> Ladder:
        """A ladder to go on from here, match by match; the fit itself stays as it is.

        >>> import prowess as pw
        >>> fit = pw.TrueSkill().fit(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
        >>> _ = fit.ladder.record([["bob"], ["ann"]])
        >>> fit["ann"].mu > 25 > fit["bob"].mu
        True
        """
        return self._after.copy()

    @property
    def home(self) -> Rating | None:
        """What is believed of the home advantage after the last match; None where the model has none.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "home": 0}])
        >>> pw.TrueSkill().replace(home_sigma=2).fit(history).home.mu > 0
        True
        """
        return self._after.home

    @property
    def newcomer(self) -> Rating:
        """The rating with which a player would join after the last match; it moves only where the prior is learnt.

        >>> import prowess as pw
        >>> pw.TrueSkill().fit(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])).newcomer.mu
        25.0
        """
        return self._after.newcomer

    @property
    def log_evidence(self) -> float:
        """The logarithm of how probable the model found the history, match by match; matches count by their importance.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])
        >>> round(pw.TrueSkill(draw_probability=0).fit(history).log_evidence, 3)
        -0.693
        """
        column = self.forecasts.log_evidence
        return float(column.sum() if self.history.importance is None else column @ self.history.importance)

    def __getitem__(self, name: str) -> Rating:
        """Give a player's rating after the last match."""
        return self._after[name]

    def leaderboard(self, *, at: Any = None, since: Any = None, min_matches: int = 0) -> pl.DataFrame:
        """The players from best to worst after the last match: rank, player, mu, sigma, shown, matches, last_seen.

        `at` shows the standings as they were at a time: what a fit of the matches up to then shows, that time (or day,
        month, year) included. `since` compares with the standings before that time, in two more columns: `change`, by
        how many ranks a player rose, and `gain`, by how much `shown` did; null for who was not there. Who has fewer
        matches than `min_matches` has no place.

        >>> import prowess as pw
        >>> days = [(["ann", "bob"], "2026-01-24"), (["bob", "ann"], "2026-01-31"), (["bob", "cat"], "2026-01-31")]
        >>> matches = [{"teams": [[one], [other]], "time": day} for (one, other), day in days]
        >>> fit = pw.TrueSkill().fit(pw.History.from_matches(matches))
        >>> fit.leaderboard(at="2026-01-24")["player"].to_list()
        ['ann', 'bob']
        >>> fit.leaderboard(since="2026-01-31").select("player", "change").rows()
        [('bob', 1), ('ann', -1), ('cat', None)]
        """
        _, last = bounds(self.history, None, at)
        now = self._standing(last).leaderboard(min_matches=min_matches)
        if since is None:
            return now
        first, _ = bounds(self.history, since, None)
        return compared(now, self._standing(first).leaderboard(min_matches=min_matches))

    def _standing(self, matches: int) -> Ladder:
        """The ladder as it was after so many matches."""
        if matches == len(self.history):
            return self._after
        return fit(self.model, self.history[:matches], self._before, None)._after if matches else self._before

    def predict(self, teams: Sequence[Sequence[str | Rating]], **details: Any) -> Prediction:
        """What is expected of the next match; details as in `Ladder.predict`.

        >>> import prowess as pw
        >>> fit = pw.TrueSkill().fit(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
        >>> fit.predict([["ann"], ["bob"]]).win.round(3)
        array([0.754, 0.208])
        """
        return self._after.predict(teams, **details)

    def quality(self, teams: Sequence[Sequence[str | Rating]], **details: Any) -> float:
        """How fair the next match would be, 0 to 1; details as in `Model.quality`.

        >>> import prowess as pw
        >>> fit = pw.TrueSkill().fit(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
        >>> round(fit.quality([["ann"], ["bob"]]), 3)
        0.379
        """
        return self._after.quality(teams, **details)

    @cached_property
    def _trace(self) -> Trace:
        """What was believed before and after every match: found by a second pass, which few fits need."""
        record = run_sweep(self._before.copy(), self.history, None, silent=True, beliefs=True)
        return Trace(self.model, self.history, self.forecasts, record.before, record.after)

    def trajectory(self, name: str) -> pl.DataFrame:
        """What was believed of a player after each of her matches: match, time, mu, sigma, shown.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["ann"], ["cat"]]}])
        >>> pw.TrueSkill().fit(history).trajectory("ann")["mu"].round(2).to_list()
        [29.4, 31.96]
        """
        import polars as pl

        self._after[name]  # an unknown name is an error, with a hint
        entry = self._trace.entries(name_of(name))
        _, match = self._trace.locate(entry)
        beliefs = self._trace.after[entry]
        mu, sigma, shown = overall(self.model, beliefs)
        columns: dict[str, Any] = {"match": match} | self._trace.times(match)
        columns |= {"mu": mu, "sigma": pl.Series(sigma, dtype=pl.Float64, nan_to_null=True), "shown": shown}
        layout = self.model.pipeline.layout
        if len(layout.traits) > 1:
            columns |= dict(zip(layout.traits, beliefs.T[layout.means], strict=True))
        return pl.DataFrame(columns).filter(pl.col("mu").is_not_nan())

    def explain(self, name: str) -> Explanation:
        """Why a player's rating is what it is: her matches, what was expected of each, and what it moved.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["ann"], ["cat"]]}])
        >>> pw.Elo().fit(history).explain("ann").matches["moved"].round(2).to_list()
        [16.0, 15.26]
        """
        from .explain import explain

        return explain(self._trace, name, self._before, self[name])

    def account(self, match: int) -> Account:
        """What one match of the history, by its index, did to its players: before, after, and why it moved.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])
        >>> pw.Elo().fit(history).account(0).sentences[0]
        'ann won against bob (50 % chance): +16.0 to 1516.0.'
        """
        if not -len(self.history) <= match < len(self.history):
            raise Error(f"there is no match {match} in a history of {len(self.history)} matches", value=match)
        return self._trace.account(match % len(self.history))


def fit(model: Model, history: History, start: Ladder | Mapping[str, Rating] | None, progress: bool | None) -> Fit:
    """Sweep a history through a model."""
    _check(history)
    before = starting_ladder(model, start)
    after = before.copy()
    record = run_sweep(after, history, progress)
    _warn(record, history)
    return Fit(model, history, before, after, record)


def learn(model: Model, history: History, start: Ladder | Mapping[str, Rating] | None, progress: bool | None) -> Ladder:
    """Sweep a history through a model, and keep nothing but where everybody stands."""
    _check(history)
    after = starting_ladder(model, start)
    record = run_sweep(after, history, progress, silent=True)
    _warn(record, history)
    return after


def _check(history: History) -> None:
    if not isinstance(history, History):
        raise Error(f"fit needs a History, not {type(history).__name__}; History.read and History.from_frame make one")


def _warn(record: Record, history: History) -> None:
    if record.unconverged:
        warnings.warn(
            f"in {len(record.unconverged)} of {len(history)} matches EP did not converge; see fit.unconverged",
            stacklevel=4,
        )


def starting_ladder(model: Model, start: Ladder | Mapping[str, Rating] | None) -> Ladder:
    """The ladder that a fit begins with."""
    if isinstance(start, Ladder):
        if start.model is not model and start.model != model:
            raise Error("start is a ladder of another model; fit with its own, or give its ratings as a mapping")
        return start.copy()  # it may go on before this fit is asked for its trajectories
    if start is not None and not isinstance(start, Mapping):
        raise Error(f"start must be a Ladder or ratings by name, not {type(start).__name__}")
    return Ladder(model, start)
