"""A model fitted to a history: ratings, forecasts, trajectories and explanations."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...errors import Error
from ...history import History, name_of
from ...history.slicing import bounds
from ...text import count
from ..engine.buffers import Record
from ..ladder.facet_rows import check_columns
from ..ladder.ladder import Ladder
from ..ladder.leaderboard import compared, overall, points_columns
from ..model import Model
from ..prediction import Prediction
from ..rating import Rating
from ..scale import Points, read_scale
from .forecasts import read_forecasts
from .sweeps import run_sweep
from .trace import Trace, trace_of

if TYPE_CHECKING:
    import polars as pl

    from .account import Account
    from .explain import Explanation
    from .incentives import Incentives


class Fit:
    """A model after one pass over a history.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "time": "2026-01-31"}])
    >>> fit = pw.TrueSkill().fit(history)
    >>> fit
    Fit(1 match, 2 players, log-evidence -0.739)
    >>> fit.leaderboard().columns
    ['rank', 'player', 'mu', 'sigma', 'shown', 'matches', 'last_seen', 'active']
    """

    def __init__(self, model: Model, history: History, before: Ladder, after: Ladder, record: Record) -> None:
        """Store the results of a sweep. Use `Model.fit` to create a fit."""
        self.model = model
        self.history = history
        self.forecasts = read_forecasts(model.outcome, history, record)
        self.unconverged: list[int] = record.unconverged
        self.refit: float | None = None  # the time between two refits, if there are any
        self._before, self._after = before, after

    def __repr__(self) -> str:
        matches, players = count(len(self.history), "match", "matches"), count(len(self._after), "player", "players")
        return f"Fit({matches}, {players}, log-evidence {self.log_evidence:.3f})"

    @cached_property
    def ladder(self) -> Ladder:
        """A ladder that continues after the last match. Changes to the ladder do not change the fit.

        >>> import prowess as pw
        >>> fit = pw.TrueSkill().fit(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
        >>> _ = fit.ladder.record([["bob"], ["ann"]])
        >>> fit["ann"].mu > 25 > fit["bob"].mu
        True
        """
        # A caller may record into the ladder; the fit itself must not change.
        return self._after.copy()

    @property
    def home(self) -> Rating | None:
        """The home advantage after the last match; None if the model has no home advantage.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "home": 0}])
        >>> pw.TrueSkill().replace(home_sigma=2).fit(history).home.mu > 0
        True
        """
        return self._after.home

    @property
    def newcomer(self) -> Rating:
        """The rating of a new player after the last match. If the prior does not learn, this is the initial rating.

        >>> import prowess as pw
        >>> pw.TrueSkill().fit(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])).newcomer.mu
        25.0
        """
        return self._after.newcomer

    @property
    def points(self) -> Points | None:
        """The conversion of skills to points after the last match; None without a scale.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])
        >>> pw.Elo().fit(history, scale=(1500, 400)).points.of(1516.0)
        1516.0
        """
        return self._after.points

    @property
    def log_evidence(self) -> float:
        """The log-probability of all results, each predicted before its match, weighted by importance.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])
        >>> round(pw.TrueSkill(draw_probability=0).fit(history).log_evidence, 3)
        -0.693
        """
        column = self.forecasts.log_evidence
        # A match of importance w counts like w matches, so its log-evidence counts w times.
        return float(column.sum() if self.history.importance is None else column @ self.history.importance)

    def __getitem__(self, name: str) -> Rating:
        """Return a player's rating after the last match."""
        return self._after[name]

    def rating(self, name: str, **context: Any) -> Rating:
        """Return a player's rating after the last match, at values of the context (see `Ladder.rating`).

        >>> import prowess as pw
        >>> match = {"teams": [["nadal"], ["federer"]], "context": {"surface": "clay"}}
        >>> fit = pw.TrueSkill().replace(facets=(pw.facet.By("surface"),)).fit(pw.History.from_matches([match]))
        >>> fit.rating("nadal", surface="clay").mu > fit["nadal"].mu
        True
        """
        return self._after.rating(name, **context)

    @property
    def effects(self) -> pl.DataFrame:
        """What all players share after the last match, such as the effects of sides (see `Ladder.effects`).

        >>> import prowess as pw
        >>> match = {"teams": [["ann"], ["bob"]], "context": {"side": ["blue", "red"]}}
        >>> fit = pw.TrueSkill().replace(facets=(pw.facet.Shared("side"),)).fit(pw.History.from_matches([match]))
        >>> fit.effects["value"].to_list()
        ['blue', 'red']
        """
        return self._after.effects

    @property
    def deviations(self) -> pl.DataFrame:
        """How players differ from their skills after the last match (see `Ladder.deviations`).

        >>> import prowess as pw
        >>> match = {"teams": [["nadal"], ["federer"]], "context": {"surface": "clay"}}
        >>> fit = pw.TrueSkill().replace(facets=(pw.facet.By("surface"),)).fit(pw.History.from_matches([match]))
        >>> fit.deviations["player"].to_list()
        ['nadal', 'federer']
        """
        return self._after.deviations

    def leaderboard(
        self,
        *,
        at: Any = None,
        since: Any = None,
        min_matches: int = 0,
        ranking: str | None = None,
        all: bool = False,
        **context: Any,
    ) -> pl.DataFrame:
        """Return the players after the last match, best first, with the columns of `Ladder.leaderboard`.

        `at` is a time (or day, month, year): the standings then include all matches up to that time. `since` is an
        earlier time; two more columns compare with the standings before it: `change`, the ranks gained, and `gain`, the
        change of `shown`. Both are null for players who are not in those earlier standings. Players with fewer
        matches than `min_matches` are left out. `ranking`, `all` and values of the context, such as `surface="clay"`,
        are those of `Ladder.leaderboard`.

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
        options = {"min_matches": min_matches, "ranking": ranking, "all": all, **context}
        now = self._ladder_after(last).leaderboard(**options)
        if since is None:
            return now
        first, _ = bounds(self.history, since, None)
        return compared(now, self._ladder_after(first).leaderboard(**options))

    def _check_no_refit(self) -> None:
        if self.refit is not None:
            raise Error(
                "a fit with refits keeps forecasts and the last ratings only; use model.hindsight(history) for ratings "
                "at any time",
                field="refit",
                value=self.refit,
            )

    def _ladder_after(self, matches: int) -> Ladder:
        # Standings at an earlier time are fitted again: keeping the state after every match would cost too much memory.
        if matches == len(self.history):
            return self._after
        if not matches:
            return self._before
        self._check_no_refit()
        after = self._before.copy()
        run_sweep(after, self.history[:matches], False, silent=True)
        return after

    def predict(self, teams: Sequence[Sequence[str | Rating]], **details: Any) -> Prediction:
        """Predict the next match, with the arguments of `Ladder.predict`.

        >>> import prowess as pw
        >>> fit = pw.TrueSkill().fit(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
        >>> fit.predict([["ann"], ["bob"]]).win.round(3)
        array([0.754, 0.208])
        """
        return self._after.predict(teams, **details)

    def quality(self, teams: Sequence[Sequence[str | Rating]], **details: Any) -> float:
        """Return how fair the next match would be, from 0 to 1, with the arguments of `Model.quality`.

        >>> import prowess as pw
        >>> fit = pw.TrueSkill().fit(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
        >>> round(fit.quality([["ann"], ["bob"]]), 3)
        0.379
        """
        return self._after.quality(teams, **details)

    @cached_property
    def _trace(self) -> Trace:
        # The trace is computed on demand in a second pass, because most fits never need ratings before and after each
        # match.
        self._check_no_refit()
        record = run_sweep(self._before.copy(), self.history, None, silent=True, beliefs=True)
        return trace_of(self.model, self.history, self.forecasts, record)

    def trajectory(self, name: str) -> pl.DataFrame:
        """Return a player's rating after each match as a frame with the columns match, time, mu, sigma, shown.

        With a scale, the columns points, points_low and points_high follow, all on the present scale.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["ann"], ["cat"]]}])
        >>> pw.TrueSkill().fit(history).trajectory("ann")["mu"].round(2).to_list()
        [29.4, 31.96]
        """
        import polars as pl

        self._after[name]  # raises an Error for an unknown name
        entry = self._trace.entries(name_of(name))
        _, match = self._trace.locate(entry)
        beliefs = self._trace.after[entry]
        mu, sigma, shown = overall(self.model, beliefs)
        columns: dict[str, Any] = {"match": match} | self._trace.times(match)
        columns |= {"mu": mu, "sigma": pl.Series(sigma, dtype=pl.Float64, nan_to_null=True), "shown": shown}
        if self.points is not None:
            columns |= points_columns(self.points, mu, sigma)
        layout = self.model.pipeline.layout
        if len(layout.traits) > 1:
            columns |= dict(zip(layout.traits, beliefs.T[layout.means], strict=True))
        return pl.DataFrame(columns).filter(pl.col("mu").is_not_nan())

    def explain(self, name: str) -> Explanation:
        """Explain a player's rating: the matches, their expected results, and how each match changed the rating.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["ann"], ["cat"]]}])
        >>> pw.Elo().fit(history).explain("ann").matches["moved"].round(2).to_list()
        [16.0, 15.26]
        """
        from .explain import explain

        return explain(self._trace, name, self._before, self[name], self.points)

    def incentives(self) -> Incentives:
        """Report what players could gain by hunting for a statistic at the cost of the result.

        >>> import prowess as pw
        >>> match = {"teams": [["ann", "bob"], ["cat", "dan"]], "statistics": {"kills": [[9, 2], [5, 4]]}}
        >>> model = pw.TrueSkill().replace(statistics=(pw.statistic.Points("kills", gamma=1.0, per=None),))
        >>> model.fit(pw.History.from_matches([match] * 2)).incentives().frame["gain"][0] > 0
        True
        """
        from .incentives import incentives

        return incentives(self._trace, self.points)

    def account(self, match: int) -> Account:
        """Describe how the match at an index changed the ratings of its players, and why.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])
        >>> pw.Elo().fit(history).account(0).sentences[0]
        'ann won against bob (50 % chance): +16.0, giving 1516.0.'
        """
        if not -len(self.history) <= match < len(self.history):
            raise Error(f"match {match} not found in a history of {len(self.history)} matches", value=match)
        return self._trace.account(match % len(self.history), points=self.points)


def fit(
    model: Model,
    history: History,
    start: Ladder | Mapping[str, Rating] | None,
    progress: bool | None,
    scale: tuple[float, float] | None = None,
) -> Fit:
    """Rate a history. This is the implementation of `Model.fit`."""
    _check(history)
    check_columns(model, history)
    before = starting_ladder(model, start, scale)
    after = before.copy()
    record = run_sweep(after, history, progress)
    _warn(record, history)
    return Fit(model, history, before, after, record)


def learn(
    model: Model,
    history: History,
    start: Ladder | Mapping[str, Rating] | None,
    progress: bool | None,
    scale: tuple[float, float] | None = None,
) -> Ladder:
    """Rate a history and keep only the ladder. This is the implementation of `Model.learn`."""
    _check(history)
    check_columns(model, history)
    after = starting_ladder(model, start, scale)
    record = run_sweep(after, history, progress, silent=True)
    _warn(record, history)
    return after


def _check(history: History) -> None:
    if not isinstance(history, History):
        raise Error(f"fit needs a History, not {type(history).__name__}; use History.read or History.from_frame")


def _warn(record: Record, history: History) -> None:
    if record.unconverged:
        warnings.warn(
            f"in {len(record.unconverged)} of {len(history)} matches EP did not converge; see fit.unconverged",
            stacklevel=4,
        )


def starting_ladder(
    model: Model, start: Ladder | Mapping[str, Rating] | None, scale: tuple[float, float] | None = None
) -> Ladder:
    """Return the ladder with which a fit starts: a copy of `start`, or a new ladder with the ratings in `start`.

    The ladder has the given scale, or else the scale of `start`.
    """
    if isinstance(start, Ladder):
        if start.model is not model and start.model != model:
            raise Error("start is a ladder of another model; use its model, or give its ratings as a mapping")
        ladder = start.copy()  # a copy, because the caller may change the ladder before trajectories are computed
        ladder.scale = start.scale if scale is None else read_scale(scale)
        return ladder
    if start is not None and not isinstance(start, Mapping):
        raise Error(f"start must be a Ladder or ratings by name, not {type(start).__name__}")
    return Ladder(model, start, scale=scale)
