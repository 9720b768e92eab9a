"""A model fitted to a whole history at once: skill curves, ratings at any time, and the evidence for the model."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from math import isfinite
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history import History, name_of, show_time
from ...history.concat import join
from ...history.ragged import owners
from ...history.slicing import last_day, last_moment
from ...text import count, join_words
from ...validate import scale as check_scale
from ...validate import whole
from ..engine.breaks import Breaks
from ..fit.fit import starting_ladder
from ..fit.forecasts import Forecasts
from ..ladder.facet_rows import check_columns
from ..ladder.ladder import Ladder
from ..ladder.leaderboard import grain, largest, order_of, overall, points_columns
from ..model import Model
from ..prediction import Prediction
from ..rating import Rating
from ..scale import Points
from .counts import count_deviations
from .curves import Floats
from .merge import merge_if_useful
from .reading import Reading, laws_of
from .revision import MOST_SWEEPS, NEW, Ints, SavedMessages, continue_with, restore, revise, save
from .smoother import Smoother
from .support import check_model

if TYPE_CHECKING:
    import polars as pl

TOLERANCE = 1e-4  # standard deviations


class Hindsight:
    """A model after a fit of a whole history at once: every match, earlier or later, informs every rating.

    `hindsight["ann"]` is the rating at the player's last match. `sweeps` is how often the fit went through the history,
    `moved` the largest change of a belief in the last sweep, and `converged` whether it was below the tolerance.
    `visits` is how many times a match was visited; without drift, many equal matches are visited as one. `unconverged`
    are the indices of matches in which EP did not converge.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["bob"], ["cat"]]}])
    >>> hindsight = pw.TrueSkill().hindsight(history)
    >>> hindsight
    Hindsight(2 matches, 3 players, log-evidence -1.814)
    >>> hindsight["ann"].mu > pw.TrueSkill().fit(history)["ann"].mu
    True
    """

    def __init__(self, smoother: Smoother, converged: bool) -> None:
        """Store the messages of a fit. Use `Model.hindsight` to create a hindsight."""
        self.model: Model = smoother.model
        self.history = smoother.original
        self.sweeps, self.moved, self.converged = smoother.sweeps, smoother.moved, converged
        merged = smoother.merged
        self.unconverged = smoother.unconverged if merged is None else merged.originals(smoother.unconverged)
        self.visits = 2 * smoother.sweeps * len(smoother.history)
        self._smoother = smoother
        self._tolerance = TOLERANCE
        self._reading: Reading | None = None
        self._lock = Lock()

    def __repr__(self) -> str:
        matches, players = count(len(self.history), "match", "matches"), count(len(self._after), "player", "players")
        evidence = "" if self.model.statistics else f", log-evidence {self.log_evidence:.3f}"
        return f"Hindsight({matches}, {players}{evidence})"

    # --- what a last pass over the history gives ------------------------------------------------------------------

    @property
    def _read(self) -> Reading:
        with self._lock:  # a reading passes over the matches, which only one thread may do
            if self._reading is None:
                self._reading = Reading(self._smoother)
            return self._reading

    @property
    def _after(self) -> Ladder:
        return self._read.ladder

    @property
    def left_out(self) -> Forecasts:
        """The forecast of each match from all the others, earlier and later ones.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 2)
        >>> pw.TrueSkill(draw_probability=0).hindsight(history).left_out.win.round(3)
        array([0.716, 0.716])
        """
        return self._read.left_out

    @cached_property
    def log_evidence(self) -> float:
        """The log-probability of all results together, as expectation propagation estimates it.

        Use it to compare models and parameters. It is not the sum of `left_out.log_evidence`, in which each match is
        forecast from all others, nor that of a `Fit`, in which each match is forecast from earlier ones.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])
        >>> round(pw.TrueSkill(draw_probability=0).hindsight(history).log_evidence, 3)
        -0.693
        """
        if self.model.statistics:
            raise Error(
                "the evidence of a model with statistics is unknown, because it would have to forecast the statistics, "
                "too; use left_out to compare such models",
                field="statistics",
            )
        return self._read.log_evidence

    @cached_property
    def gradient(self) -> dict[str, float]:
        """The derivatives of `log_evidence` by the parameters of prior, drift, home advantage and facets.

        They cost no further fits, because at the end of a fit the messages of all matches may be held fixed. The
        parameters of outcome and team function are not listed, nor those of a prior that learns.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 8)
        >>> gradient = pw.TrueSkill(sigma=2).hindsight(history).gradient
        >>> sorted(gradient), gradient["sigma"] > 0
        (['mu', 'sigma', 'tau'], True)
        """
        model, curves = self.model, self._read.curves
        found = {}
        for name, value in model.params.items():
            if name in ("cap", "gap") or not isinstance(value, float) or not isfinite(value):
                continue  # a limited drift and the breaks between seasons stay as they are
            step = 1e-4 * abs(value) or 1e-12
            low, high = (model.replace(**{name: new}) for new in (value - step if value else value, value + step))
            parts = (low.prior, low.drift, low.home, low.facets)
            if parts == (model.prior, model.drift, model.home, model.facets) and value != 0.0:
                continue  # a parameter of another part
            if high.pipeline.learns_home != model.pipeline.learns_home:
                continue  # a given home advantage has no messages
            if model.prior.learns and low.prior != model.prior:
                continue  # the level of newcomers is not fixed
            laws = zip(laws_of(low, self._smoother), laws_of(high, self._smoother), strict=True)
            change = sum(curve.slope(*pair) for curve, pair in zip(curves, laws, strict=True))
            found[name] = change / (high.params[name] - low.params[name])
        return found

    # --- ratings --------------------------------------------------------------------------------------------------

    @property
    def ladder(self) -> Ladder:
        """A ladder that continues online, from the ratings at the players' last matches.

        >>> import prowess as pw
        >>> hindsight = pw.TrueSkill().hindsight(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
        >>> _ = hindsight.ladder.record([["bob"], ["ann"]])
        >>> hindsight["ann"].mu > 25
        True
        """
        return self._after.copy()

    @property
    def home(self) -> Rating | None:
        """The home advantage at the last match; None if the model has no home advantage.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "home": 0}])
        >>> hindsight = pw.TrueSkill().replace(home=pw.Home(home_sigma=2.0)).hindsight(history)
        >>> hindsight.home.mu > 0
        True
        """
        return self._after.home

    @property
    def points(self) -> Points | None:
        """The conversion of skills to points at the last match; None without a scale.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])
        >>> hindsight = pw.TrueSkill().hindsight(history, scale=(1500, 400))
        >>> round(hindsight.points.of(25.0))
        1500
        """
        return self._after.points

    @property
    def effects(self) -> pl.DataFrame:
        """What all players share at the last match, such as the effects of sides (see `Ladder.effects`).

        >>> import prowess as pw
        >>> matches = [{"teams": [["ann"], ["bob"]], "context": {"side": ["white", "black"]}}]
        >>> model = pw.TrueSkill().replace(facets=(pw.facet.Shared("side", sigma=2.0),))
        >>> model.hindsight(pw.History.from_matches(matches)).effects["value"].to_list()
        ['white', 'black']
        """
        return self._after.effects

    @property
    def deviations(self) -> pl.DataFrame:
        """How players differ from their skills at their last matches (see `Ladder.deviations`).

        >>> import prowess as pw
        >>> matches = [{"teams": [["ann"], ["bob"]], "context": {"surface": "clay"}}]
        >>> model = pw.TrueSkill().replace(facets=(pw.facet.By("surface", sigma=2.0),))
        >>> model.hindsight(pw.History.from_matches(matches)).deviations["player"].to_list()
        ['ann', 'bob']
        """
        return self._after.deviations

    def __getitem__(self, name: str) -> Rating:
        """Return a player's rating at the player's last match."""
        return self._after[name]

    def rating(self, name: str, at: Any = None, **context: Any) -> Rating:
        """Return a player's rating at a time, by default at the player's last match, and at values of the context.

        >>> import prowess as pw
        >>> days = [{"teams": [["ann"], ["bob"]], "time": f"202{year}-01-01"} for year in (4, 5, 6)]
        >>> model = pw.TrueSkill().replace(drift=pw.drift.PerTime(0.2))
        >>> hindsight = model.hindsight(pw.History.from_matches(days))
        >>> hindsight.rating("ann", at="2025-06-30").sigma < hindsight.rating("ann", at="2029").sigma
        True
        """
        return self._ladder_at(at).rating(name, **context)

    def leaderboard(
        self, *, at: Any = None, all: bool = False, min_matches: int = 0, ranking: str | None = None, **context: Any
    ) -> pl.DataFrame:
        """Return the players, best first, with the columns and rankings of `Ladder.leaderboard`.

        Without `at`, every player is listed with the rating at the last match. `at` is a time (or day, month, year):
        then ratings are those at that time, of the players who had played their first match by then and were still to
        play their last one; if `all` is true, of every player. The number of matches is that up to the time. With
        values of the context, only players who have played there are listed, unless `all` is true.

        >>> import prowess as pw
        >>> days = [(["ann", "bob"], "2024-01-01"), (["bob", "ann"], "2025-01-01"), (["cat", "bob"], "2026-01-01")]
        >>> matches = [{"teams": [[one], [other]], "time": day} for (one, other), day in days]
        >>> hindsight = pw.TrueSkill().hindsight(pw.History.from_matches(matches))
        >>> hindsight.leaderboard(at="2024")["player"].to_list()
        ['ann', 'bob']
        >>> hindsight.leaderboard(at="2024", all=True)["player"].to_list()
        ['cat', 'ann', 'bob']
        """
        if at is None:
            ladder = self._after
        else:
            since = last_day(self.history, at)
            ladder = self.standing_at(last_moment(self.history, at), since=since, all=all)
        return ladder.leaderboard(min_matches=min_matches, ranking=ranking, all=all, **context)

    def standing_at(self, time: float, *, since: float | None = None, all: bool = False) -> Ladder:
        """Return the ladder at a time, given in the unit of `history.time`, with the players as in `leaderboard`.

        If the time is the end of a day, `since` is its beginning, so that players whose last match was on this day are
        listed, too.

        >>> import prowess as pw
        >>> matches = [{"teams": [["ann"], ["bob"]], "time": round} for round in (1, 2)]
        >>> pw.TrueSkill().hindsight(pw.History.from_matches(matches)).standing_at(1.5).names
        ['ann', 'bob']
        """
        ladder = self._state_at(time)
        ladder.state[: len(ladder), ladder.layout.last_seen] = self._last_seen(time)
        return ladder if all else _players_of(ladder, self._playing(time, time if since is None else since))

    def best(self, *, min_matches: int = 0, ranking: str | None = None) -> pl.DataFrame:
        """Return the players at their best, the best of all time first.

        The best of a player is the match at which the rating was highest, given all matches; `ranking` says which
        number is the rating, as in `Ladder.leaderboard`. Provisional ratings count only if the player has no others.
        The columns are rank, player, mu, sigma, shown, matches (of the whole career), match (the index of the match)
        and, if matches have times, time. The columns of `Ladder.leaderboard` for points and provisional players follow;
        in models with several traits, one column for each trait. Players without a match in this history are left out.

        >>> import prowess as pw
        >>> days = [(["ann", "bob"], 2024), (["ann", "bob"], 2025), (["bob", "ann"], 2026), (["bob", "ann"], 2027)]
        >>> matches = [{"teams": [[one], [other]], "time": f"{year}-01-01"} for (one, other), year in days]
        >>> model = pw.TrueSkill().replace(drift=pw.drift.PerTime(0.3))
        >>> model.hindsight(pw.History.from_matches(matches)).best().select("player", "time").rows()
        [('ann', datetime.date(2024, 1, 1)), ('bob', datetime.date(2026, 1, 1))]
        """
        import polars as pl

        skills, names = self._read.skills, self._after.names
        order, start = skills.by_chain
        beliefs = self.beliefs_at(order)
        mu, sigma, shown = overall(self.model, beliefs)
        ranked = order_of(self._after, ranking)
        career = np.diff(start)
        keys = ranked.keys(beliefs, grain(largest(self.model, beliefs)), np.repeat(career, career))
        rows = np.flatnonzero(career >= max(whole("min_matches", min_matches), 1))
        # Sorted by chain, then best first, then earliest first: the first visit of every chain is its peak.
        best_first = np.lexsort((np.arange(len(order)), keys, skills.row[order]))
        peak = best_first[start[rows]]
        match = skills.match[order[peak]]
        columns: dict[str, Any] = {
            "player": pl.Series([names[row] for row in rows.tolist()], dtype=pl.String),
            "mu": mu[peak],
            "sigma": sigma[peak],
            "shown": shown[peak],
            "matches": career[rows],
            "match": match.astype(np.int64),
        }
        columns |= self._times(match) | ranked.marks(sigma[peak], career[rows])
        columns |= points_columns(ranked.points(self.points), mu[peak], sigma[peak], shown[peak])
        traits = self.model.pipeline.layout.traits
        if len(traits) > 1:
            columns |= dict(zip(traits, beliefs[peak, ::2].T, strict=True))
        rank = pl.Series("rank", keys[peak]).rank("min").cast(pl.Int64)
        return pl.DataFrame(columns).select(rank, pl.all()).sort("rank", maintain_order=True)

    def curve(self, name: str, at: Sequence[Any] | None = None) -> pl.DataFrame:
        """Return a player's ratings, given all matches, as a frame with the columns match, time, mu, sigma, shown.

        There is a row for each match of the player or, if `at` has times, for each of these times, which may be between
        matches, before the first or after the last. With a scale, the columns points, points_low and points_high
        follow; in models with several traits, one column for each trait.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["ann"], ["cat"]]}])
        >>> pw.TrueSkill().hindsight(history).curve("ann")["mu"].round(2).to_list()
        [31.94, 31.94]
        """
        import polars as pl

        self._after[name]  # raises an Error for an unknown name
        skills = self._read.skills
        row = self._after.rows[name_of(name)]
        columns: dict[str, Any]
        if at is None:
            visits = skills.visits(row)
            match = skills.match[visits]
            beliefs = self.beliefs_at(visits)
            columns = {"match": match} | self._times(match)
        else:
            times = np.array([last_moment(self.history, time) for time in at], np.float64)
            beliefs = _interleaved(*skills.at(np.full(len(times), row), times))
            assert self.history.time_kind is not None
            columns = {"time": [show_time(self.history.time_kind, self.history.time_zone, time) for time in times]}
        mu, sigma, shown = overall(self.model, beliefs)
        columns |= {"mu": mu, "sigma": sigma, "shown": shown}
        if self.points is not None:
            columns |= points_columns(self.points, mu, sigma)
        traits = self.model.pipeline.layout.traits
        if len(traits) > 1:
            columns |= dict(zip(traits, beliefs[:, ::2].T, strict=True))
        return pl.DataFrame(columns)

    def beliefs_at(self, entries: NDArray[Any]) -> Floats:
        """Return the beliefs about players at matches, given by their entries: mean and variance of each trait.

        The entries are indices of `history.player`.

        >>> import prowess as pw
        >>> hindsight = pw.TrueSkill().hindsight(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
        >>> hindsight.beliefs_at(np.array([0])).round(2)
        array([[29.4 , 51.43]])
        """
        return _interleaved(*self._read.skills.at_visits(entries))

    def _times(self, match: NDArray[Any]) -> dict[str, list[Any]]:
        history = self.history
        if history.time is None or history.time_kind is None:
            return {}
        return {"time": [show_time(history.time_kind, history.time_zone, time) for time in history.time[match]]}

    def predict(self, teams: Sequence[Sequence[str | Rating]], at: Any = None, **details: Any) -> Prediction:
        """Predict a match, by default the next one, or one at a time of the past; all matches are taken into account.

        The other arguments are those of `Ladder.predict`.

        >>> import prowess as pw
        >>> hindsight = pw.TrueSkill().hindsight(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
        >>> hindsight.predict([["ann"], ["bob"]]).win.round(3)
        array([0.754, 0.208])
        """
        return self._ladder_at(at).predict(teams, **details)

    # --- changes ----------------------------------------------------------------------------------------------------

    def add(self, more: History, *, tolerance: float = 1e-3) -> Hindsight:
        """Return the hindsight of this history together with more matches, at any times.

        Only the new matches are visited, and matches to which a message moves by more than `tolerance` standard
        deviations by that (see `visits`), so the result is within a few tolerances of a new fit.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["bob"], ["cat"]]}])
        >>> more = pw.History.from_matches([{"teams": [["cat"], ["ann"]]}])
        >>> pw.TrueSkill().hindsight(history).add(more)
        Hindsight(3 matches, 3 players, log-evidence -4.043)
        """
        if not isinstance(more, History):
            raise Error(f"add needs a History, not {type(more).__name__}; use History.from_matches", field="more")
        check_columns(self.model, more)
        return self._revise(np.arange(len(self.history)), more, tolerance)

    def remove(self, match: int, *, tolerance: float = 1e-3) -> Hindsight:
        """Return the hindsight of this history without the match at an index (see `add`).

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["bob"], ["cat"]]}])
        >>> pw.TrueSkill().hindsight(history).remove(0)
        Hindsight(1 match, 2 players, log-evidence -0.739)
        """
        return self._revise(np.delete(np.arange(len(self.history)), self._index(match)), None, tolerance)

    def replace(self, match: int, new: Mapping[str, Any], *, tolerance: float = 1e-3) -> Hindsight:
        """Return the hindsight of this history with another match in the place of the one at an index (see `add`).

        `new` is a match as in `History.from_matches`. Without a time, it has the time of the match that it replaces.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["bob"], ["cat"]]}])
        >>> hindsight = pw.TrueSkill().hindsight(history).replace(0, {"teams": [["bob"], ["ann"]]})
        >>> hindsight["bob"].mu > hindsight["ann"].mu
        True
        """
        match = self._index(match)
        history = self.history
        if history.time is not None and history.time_kind is not None and "time" not in new:
            new = {**new, "time": show_time(history.time_kind, history.time_zone, history.time[match])}
        more = History.from_matches([new])
        check_columns(self.model, more)
        return self._revise(np.delete(np.arange(len(history)), match), more, tolerance)

    def refine(self, *, tolerance: float = TOLERANCE) -> Hindsight:
        """Return the hindsight after sweeping all matches again, until no belief moves by more than `tolerance`.

        The fit continues from the messages of this one. Use it after many changes, each of which leaves small
        differences from a new fit.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["bob"], ["ann"]]}])
        >>> pw.TrueSkill().hindsight(history, tolerance=0.1).refine(tolerance=1e-8).moved < 1e-8
        True
        """
        tolerance = check_scale("tolerance", tolerance)
        smoother = restore(save(self._smoother))
        hindsight = Hindsight(smoother, smoother.run(tolerance, MOST_SWEEPS, False))
        hindsight._tolerance = tolerance
        return hindsight

    def with_model(self, model: Model) -> Hindsight:
        """Return the hindsight of a model with other parameters; the fit continues from the messages of this one.

        >>> import prowess as pw
        >>> hindsight = pw.TrueSkill().hindsight(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
        >>> hindsight.with_model(pw.TrueSkill(sigma=2))["ann"].sigma < 2
        True
        """
        check_model(model)
        old = self._smoother
        if len(old.before):
            raise Error("only a hindsight without a start can change its model; use model.hindsight", field="model")
        smoother = continue_with(old, model)
        converged = smoother.run(self._tolerance, MOST_SWEEPS, False)
        hindsight = Hindsight(smoother, converged)
        hindsight._tolerance = self._tolerance
        return hindsight

    def _index(self, match: int) -> int:
        size = len(self.history)
        if not -size <= match < size:
            raise Error(f"match {match} not found in a history of {size} matches", field="match", value=match)
        return match % size

    def _revise(self, kept: Ints, more: History | None, tolerance: float) -> Hindsight:
        """Return the hindsight of some matches of this history, and more."""
        history = self.history
        source = kept.astype(np.int64)
        if len(kept) < len(history):
            history = history.take(kept)
        if more is not None and len(more):
            joined = join([history, more], once=False)
            source = np.concatenate([source, np.full(len(more), NEW)])
            if history.time is not None and more.time is not None:
                source = source[np.argsort(np.concatenate([history.time, more.time]), kind="stable")]
            history = joined
        return self.with_history(history, source, tolerance=tolerance)

    def with_history(self, history: History, source: Ints, *, tolerance: float = 1e-3) -> Hindsight:
        """Return the hindsight of another history, which has some or all matches of this one and others (see `add`).

        `source` has the index of each of its matches in this history, or −1 for a new match.

        >>> import prowess as pw
        >>> votes = [{"teams": [["ann"], ["bob"]]}, {"teams": [["bob"], ["cat"]]}, {"teams": [["cat"], ["ann"]]}]
        >>> history = pw.History.from_matches(votes)
        >>> pw.TrueSkill().hindsight(history[:2]).with_history(history[1:], np.array([1, -1]))
        Hindsight(2 matches, 3 players, log-evidence -1.814)
        """
        old, tolerance = self._smoother, check_scale("tolerance", tolerance)
        smoother, visits = revise(old, history, source, tolerance)
        hindsight = Hindsight(smoother, self.converged)
        hindsight.visits = visits
        return hindsight

    def __reduce__(self) -> Any:
        return _restored, (save(self._smoother), {"converged": self.converged, "visits": self.visits})

    def _ladder_at(self, at: Any) -> Ladder:
        """Return a ladder with the ratings of all players at a time; by default, at their last matches."""
        return self._after if at is None else self._state_at(last_moment(self.history, at))

    def _state_at(self, time: float) -> Ladder:
        """Return a ladder with the ratings of all players at a time, as if it was the time of their last matches."""
        ladder, curves = self._after.copy(), self._read.curves
        layout = ladder.layout
        tables = [ladder.state[: len(ladder)], *(rows.state[: len(rows)] for rows in ladder.facets)]
        for curve, state in zip(curves, tables[: 1 + len(self.model.facets)], strict=False):
            rows = np.arange(len(state))
            mean, variance = curve.at(rows, np.full(len(rows), time))
            state[:, layout.means], state[:, layout.variances] = mean, variance
        pipeline = self.model.pipeline
        if pipeline.learns_home:
            mean, variance = curves[-1].at(np.zeros(1, np.int64), np.array([time]))
            ladder.memory[pipeline.home_memory :][: 2 * pipeline.traits] = np.stack([mean[0], variance[0]], 1).ravel()
        before = self._read.skills.count_before(np.arange(len(ladder)), np.full(len(ladder), time))
        ladder.state[: len(ladder), layout.matches] = before
        ladder.state[: len(ladder), layout.last_seen] = time
        count_deviations(ladder, self.history, time)
        return ladder

    def _last_seen(self, time: float) -> Floats:
        """Return the time of every player's last match up to a time; NaN if there was none."""
        skills, layout = self._read.skills, self._after.layout
        rows = np.arange(len(self._after))
        before = skills.count_before(rows, np.full(len(rows), time))
        order, start = skills.by_chain
        seen = np.append(skills.time[order], np.nan)[start[rows] + before - 1]
        known = self._smoother.start[0][: len(rows), layout.last_seen]
        return np.where(before > 0, seen, known)

    def _playing(self, time: float, since: float) -> list[int]:
        """Return the rows of the players who had their first match by a time, and their last one since another."""
        rows = np.arange(len(self._after))
        begun = self._read.skills.count_before(rows, np.full(len(rows), time)) > 0
        return np.flatnonzero(begun & ~(self._after.last_seen < since)).tolist()


def _interleaved(mean: Floats, variance: Floats) -> Floats:
    """Return means and variances, which have a column for each trait, in the order of a ladder's state."""
    return np.stack([mean, variance], axis=2).reshape(len(mean), 2 * mean.shape[1])


def _restored(saved: SavedMessages, about: dict[str, Any]) -> Hindsight:
    """Return a hindsight that was pickled."""
    hindsight = Hindsight(restore(saved), about["converged"])
    hindsight.visits = about["visits"]
    return hindsight


def _players_of(ladder: Ladder, rows: list[int]) -> Ladder:
    """Return a ladder with some of the players of another one, and without deviations of the others."""
    part = ladder.copy()
    part.names = [ladder.names[row] for row in rows]
    part.state[: len(rows)] = ladder.state[rows]
    new_row = {row: number for number, row in enumerate(rows)}
    for facet in part.facets:
        facet.owners = [new_row.get(owner, -2) if owner >= 0 else owner for owner in facet.owners]
        facet._row_of = {}
    return part


def _warn_about(model: Model, smoother: Smoother) -> None:
    """Warn about results that would be trusted too much."""
    if not model.outcome.likelihood:
        text = "defines no likelihood, so its hindsight settles, but its log-evidence means nothing"
        warnings.warn(f"{type(model.outcome).__name__} {text}", stacklevel=4)
    fixed = _inseparable(smoother)
    if fixed:
        names = join_words([smoother.ladder.names[row] for row in fixed[:3]] + (["others"] if len(fixed) > 3 else []))
        warnings.warn(
            f"{names} shared every match with the same team-mates, so results cannot tell them apart; their sigmas are "
            "far too small",
            stacklevel=4,
        )


def _inseparable(smoother: Smoother) -> list[int]:
    """Return the rows of players who have played several matches, always with the same team-mates."""
    history, rows = smoother.original, smoother.original_rows.astype(np.int64)
    sizes = np.diff(history.team_start)
    if sizes.max(initial=1) < 2 or not len(rows):
        return []
    # A roster is the same if its size and two sums of random numbers of its players are.
    random = np.random.default_rng(0).integers(1, 2**62, (2, len(smoother.ladder.state)))
    team = owners(history.team_start)
    found = np.zeros((3, len(sizes)), np.int64)
    found[0] = sizes
    for k in range(2):
        np.add.at(found[1 + k], team, random[k][rows])
    same = np.ones(len(smoother.ladder.state), bool)
    first = np.full(len(smoother.ladder.state), -1)
    first[rows[::-1]] = team[::-1]
    same[rows[(found[:, team] != found[:, first[rows]]).any(0)]] = False
    played = np.bincount(rows, minlength=len(same))
    return np.flatnonzero(same & (played > 1) & (sizes[first] > 1)).tolist()


def fit_hindsight(
    model: Model,
    history: History,
    start: Ladder | Mapping[str, Rating] | None,
    tolerance: float,
    sweeps: int,
    scale: tuple[float, float] | None,
    progress: bool | None,
) -> Hindsight:
    """Fit a whole history at once. This is the implementation of `Model.hindsight`."""
    if not isinstance(history, History):
        raise Error(f"hindsight needs a History, not {type(history).__name__}; use History.read or History.from_frame")
    check_model(model)
    check_columns(model, history)
    tolerance = check_scale("tolerance", tolerance)
    before = starting_ladder(model, start, scale)
    smoother = Smoother(before, history, merged=merge_if_useful(history, model, Breaks()))
    _warn_about(model, smoother)
    converged = smoother.run(tolerance, max(whole("sweeps", sweeps), 1), progress)
    if not converged:
        warnings.warn(
            f"after {count(smoother.sweeps, 'sweep', 'sweeps')} beliefs still move by {smoother.moved:.2g} standard "
            f"deviations; allow more than {sweeps} sweeps",
            stacklevel=3,
        )
    hindsight = Hindsight(smoother, converged)
    hindsight._tolerance = tolerance
    return hindsight


def fit_league(
    model: Model, history: History, breaks: Breaks, report: Callable[[float], None] | None = None
) -> Hindsight:
    """Fit the history of a league, without any warnings.

    At the times of the `breaks`, the skills of all players who have played move, as at the start of a season. `report`
    is called after every sweep, with the share of the work that is done.
    """
    check_model(model)
    check_columns(model, history)
    smoother = Smoother(Ladder(model), history, breaks, merge_if_useful(history, model, breaks))
    return Hindsight(smoother, smoother.run(TOLERANCE, MOST_SWEEPS, False, report))
