"""Leaderboards as data frames, and standings with the changes over the last period."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime
from math import inf, isnan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error, Option
from ...history.slicing import first_of_last, stamp_of, week_before
from ...history.times import DAY, show_time
from ...validate import invalid, whole
from .effects import matches_at, shifts

if TYPE_CHECKING:
    import polars as pl

    from ...history import History
    from ..model import Model
    from ..scale import Points
    from .ladder import Ladder

Floats = NDArray[np.float64]
YEAR = 365.25 * DAY  # players are active if they played within this time before the last match
ROUNDS = 10.0  # the same for plain-number times, which usually count rounds or seasons
RANKINGS = ("mean", "conservative")
PROVISIONAL_MATCHES = 10  # a rating is provisional for fewer matches than this,
UNKNOWN = 0.25  # while more than this share of a newcomer's variance is left
APART = 2.0**40  # sorts provisional players last: other differences between keys are below 2**38 (see `grain`)


@dataclass(frozen=True)
class Order:
    """The order of a leaderboard: which number is the rating, which also sorts, and whose rating is provisional.

    With the `ranking` "mean", the rating is μ, and players with fewer than `few` matches whose variance is above
    `limit` are provisional: they come after all others. With "conservative", the rating is μ − caution · σ, and nobody
    is provisional.

    >>> import prowess as pw
    >>> order = make_order(pw.TrueSkill(sigma=8), "mean")
    >>> order.limit, order.provisional(np.array([3.0, 5.0, 5.0]), np.array([1.0, 9.0, 10.0]))
    (16.0, array([False,  True, False]))
    """

    model: Model
    ranking: str
    limit: float = inf
    few: int = PROVISIONAL_MATCHES

    @property
    def has_provisional(self) -> bool:
        """Whether players can be provisional.

        >>> import prowess as pw
        >>> make_order(pw.TrueSkill(), "mean").has_provisional, make_order(pw.Elo(), "mean").has_provisional
        (True, False)
        """
        return self.limit < inf

    def rating(self, mu: Floats, shown: Floats) -> Floats:
        """Return the rating that is shown and that sorts.

        >>> import prowess as pw
        >>> make_order(pw.TrueSkill(), "conservative").rating(np.array([30.0]), np.array([18.0]))
        array([18.])
        """
        return mu if self.ranking == "mean" else shown

    def provisional(self, sigma: Floats, matches: NDArray[Any]) -> NDArray[np.bool_]:
        """Return whether ratings are provisional after numbers of matches."""
        if not self.has_provisional:
            return np.zeros(len(sigma), bool)
        marks: NDArray[np.bool_] = (matches < self.few) & (sigma**2 > self.limit)
        return marks

    def keys(self, beliefs: Floats, unit: float, matches: NDArray[Any]) -> Floats:
        """Return a number for each row of means and variances by which the best come first; `unit` is their `grain`.

        >>> import prowess as pw
        >>> beliefs = np.array([[25.0, 64.0], [30.0, 1.0], [20.0, 1.0]])
        >>> np.argsort(make_order(pw.TrueSkill(), "mean").keys(beliefs, 1.0, np.array([9, 9, 9])))
        array([1, 2, 0])
        """
        mu, sigma, shown = overall(self.model, beliefs)
        return APART * self.provisional(sigma, matches) - level(self.rating(mu, shown), unit)

    def marks(self, sigma: Floats, matches: NDArray[Any]) -> dict[str, NDArray[np.bool_]]:
        """Return the column `provisional` of a frame of ratings, if players can be provisional."""
        return {"provisional": self.provisional(sigma, matches)} if self.has_provisional else {}

    def points(self, points: Points | None) -> Points | None:
        """Return a conversion to points that also converts the rating that sorts."""
        if points is None:
            return None
        return replace(points, conservative=self.ranking == "conservative" and not self.model.absorb.certain)


def make_order(
    model: Model,
    ranking: str,
    memory: Sequence[float] | None = None,
    variance: float = 0.0,
    few: int = PROVISIONAL_MATCHES,
) -> Order:
    """Return the order of a league's leaderboard.

    `memory` is what the model has learnt about the league, on which newcomers may depend, and `variance` is what
    values of the context add to the variance of a newcomer. Only players with fewer matches than `few` are
    provisional.

    >>> import prowess as pw
    >>> make_order(pw.TrueSkill(), "conservative").limit
    inf
    """
    if ranking == "conservative" or model.absorb.certain:
        return Order(model, ranking)
    newcomer = model.newcomer_from(model.pipeline.memory() if memory is None else memory)
    return Order(model, ranking, UNKNOWN * ((newcomer.sigma or 0.0) ** 2 + variance), few)


def order_of(
    ladder: Ladder,
    ranking: str | None = None,
    context: Mapping[str, Any] | None = None,
    few: int = PROVISIONAL_MATCHES,
) -> Order:
    """Return the order of a ladder's leaderboard, at values of the context.

    >>> import prowess as pw
    >>> order_of(pw.Ladder(pw.TrueSkill())).ranking, order_of(pw.Ladder(pw.TrueSkill(), scale=(1500, 400))).ranking
    ('conservative', 'mean')
    """
    chosen = choose_ranking(ranking, ladder.scale)
    # A player without a row is a newcomer.
    variance = float(shifts(ladder, context, [-1])[1].sum()) if context else 0.0
    return make_order(ladder.model, chosen, ladder.memory.tolist(), variance, few)


def choose_ranking(ranking: str | None, scale: object = None) -> str:
    """Return a ranking; by default, ratings in points are ranked by the mean, and others conservatively.

    >>> choose_ranking(None, (1500, 400)), choose_ranking(None), choose_ranking("mean")
    ('mean', 'conservative', 'mean')
    """
    if ranking is None:
        return "conservative" if scale is None else "mean"
    if ranking not in RANKINGS:
        raise invalid("ranking", 'be "mean" or "conservative"', ranking)
    return ranking


def rating_column(names: Collection[str]) -> str:
    """Return which column of a leaderboard is the rating: the number that is shown and that sorts.

    >>> rating_column(["player", "mu", "shown", "points"]), rating_column(["player", "mu", "shown"])
    ('points', 'shown')
    """
    found = (name for name in ("points_shown", "points") if name in names)
    return next(found, "mu" if "provisional" in names else "shown")


def leaderboard(
    ladder: Ladder,
    min_matches: int = 0,
    context: Mapping[str, Any] | None = None,
    ranking: str | None = None,
    all: bool = False,
) -> pl.DataFrame:
    """Return a frame of the players with at least `min_matches` matches, best first; equal players share a rank.

    With a `context`, ratings and matches are those at its values, of the players who have played there, or of `all`.
    `ranking` is "mean" or "conservative" (see `choose_ranking`).
    """
    import polars as pl

    model, state, names = ladder.model, ladder.settled, ladder.names
    layout, order = model.pipeline.layout, order_of(ladder, ranking, context)
    if context:
        mean, variance = shifts(ladder, context, list(range(len(names))))
        state = state.copy()
        state[:, layout.means] += mean
        state[:, layout.variances] += variance
        played = matches_at(ladder, context)
        if played is not None:
            state[:, layout.matches] = played
            min_matches = max(whole("min_matches", min_matches), 0 if all else 1)
    if whole("min_matches", min_matches):
        kept = np.flatnonzero(state[:, layout.matches] >= min_matches)
        state, names = state[kept], [names[row] for row in kept.tolist()]
    mu, sigma, shown = overall(model, state)
    columns = {
        "player": pl.Series(names, dtype=pl.String),
        "mu": mu,
        "sigma": pl.Series(sigma, dtype=pl.Float64, nan_to_null=True),
        "shown": shown,
        "matches": state[:, layout.matches].astype(np.int64),
        "last_seen": _last_seen(ladder, state[:, layout.last_seen]),
        "active": ~(state[:, layout.last_seen] < active_since(ladder)),
        **order.marks(sigma, state[:, layout.matches]),
    }
    if len(layout.traits) > 1:
        columns |= dict(zip(layout.traits, state.T[layout.means], strict=True))
    columns |= dict(zip(layout.extras, state.T[layout.first_extra :], strict=False))
    columns |= points_columns(order.points(ladder.points), mu, sigma, shown)
    frame = pl.DataFrame(columns)
    # Ratings that differ only by rounding errors share a rank.
    keys = order.keys(state, grain(largest(model, state)), state[:, layout.matches])
    place = pl.Series("rank", keys).rank("min").cast(pl.Int64)
    return frame.select(place, pl.all()).sort("rank", maintain_order=True)


def active_since(ladder: Ladder) -> float:
    """Return the time since which a player must have played to count as active; −∞ if there are no times.

    Players are active if they played in the last year before the last match. If a tenth of the time between the first
    match and the last is longer than a year, that tenth counts instead. Times that are plain numbers are rounds or
    seasons; ten of them count as a year. The returned time is a number, as in histories.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill())
    >>> for season, name in ((1900, "ann"), (1980, "bob"), (2000, "cat")):
    ...     _ = ladder.record([[name], ["dan"]], time=season)
    >>> active_since(ladder), ladder.leaderboard().filter("active")["player"].sort().to_list()
    (1990.0, ['cat', 'dan'])
    """
    latest = _latest(ladder)
    if latest is None:
        return -inf
    # Ladders saved by earlier versions lack the time of the first match.
    first = float(np.nanmin(ladder.last_seen)) if isnan(ladder.first_time) else ladder.first_time
    usual = ROUNDS if ladder.stamp is None or ladder.stamp.kind == "number" else YEAR
    return latest - max(usual, (latest - first) / 10)


def only_active(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of active players. In the result, `rank` and `change` count only active players.

    >>> import polars as pl
    >>> table = pl.DataFrame({"rank": [1, 2, 3], "player": ["old", "ann", "bob"], "change": [0, 1, -1]})
    >>> only_active(table.with_columns(active=pl.col("player") != "old")).rows()
    [(1, 'ann', 1, True), (2, 'bob', -1, True)]
    """
    import polars as pl

    shown = frame.filter("active")
    rank = pl.col("rank").rank("min").cast(pl.Int64)
    if "change" not in frame.columns:
        return shown.with_columns(rank)
    before = (pl.col("rank") + pl.col("change")).rank("min").cast(pl.Int64)
    return shown.with_columns(rank, change=before - rank)


def compared(now: pl.DataFrame, before: pl.DataFrame) -> pl.DataFrame:
    """Add the columns `change`, the ranks gained since earlier standings, and `gain`, the change of `shown`.

    Both columns are null for players who are not in the earlier standings.

    >>> import polars as pl
    >>> now = pl.DataFrame({"rank": [1, 2, 3], "player": ["cat", "ann", "bob"], "shown": [3.0, 2.0, 1.0]})
    >>> before = pl.DataFrame({"rank": [1, 2], "player": ["ann", "bob"], "shown": [1.5, 1.0]})
    >>> compared(now, before).select("change", "gain").rows()
    [(None, None), (-1, 0.5), (-1, 0.0)]
    """
    import polars as pl

    # Columns are renamed before the join, because otherwise the join adds suffixes to their names.
    was = before.select("player", pl.col("rank").alias("change"), pl.col("shown").alias("gain"))
    both = now.join(was, on="player", how="left", maintain_order="left")
    return both.with_columns(change=pl.col("change") - pl.col("rank"), gain=pl.col("shown") - pl.col("gain"))


def overall(model: Model, beliefs: Floats) -> tuple[Floats, Floats, Floats]:
    """Return mu, sigma and `shown` for each row of means and variances, with all traits combined.

    Sigma is NaN in models without uncertainty.
    """
    layout = model.pipeline.layout
    mu = beliefs[:, layout.means].sum(axis=1)
    if model.absorb.certain:
        return mu, np.full(len(mu), np.nan), mu
    sigma = np.sqrt(beliefs[:, layout.variances].sum(axis=1))
    return mu, sigma, mu - model.caution * sigma


def points_columns(
    points: Points | None, mu: Floats, sigma: Floats, shown: Floats | None = None
) -> dict[str, pl.Series]:
    """Return the columns of a frame with points and their 95 % interval, which is null without uncertainty."""
    import polars as pl

    if points is None:
        return {}
    columns = points.columns(mu, sigma, shown)
    return {name: pl.Series(column, dtype=pl.Float64, nan_to_null=True) for name, column in columns.items()}


def largest(model: Model, beliefs: Floats) -> float:
    """Return the largest absolute value of mu and `shown` over all rows of means and variances; 0 without rows.

    >>> import prowess as pw
    >>> largest(pw.TrueSkill(), np.array([[25.0, 100.0], [29.0, 1.0]]))
    29.0
    """
    mu, _, shown = overall(model, beliefs)
    return float(max(np.abs(shown).max(initial=0.0), np.abs(mu).max(initial=0.0)))


def grain(largest: float) -> float:
    """Return the difference below which ratings count as equal, because the last digits of iterative updates vary.

    This threshold is a power of two, so that it rarely changes when the largest rating changes.

    >>> grain(25.0) == grain(26.0) == 2.0**-31
    True
    """
    return float(np.ldexp(1.0, np.frexp(1e-11 * largest)[1]))


def level(shown: Floats, grain: float) -> Floats:
    """Return `shown` in units of `grain`, rounded. Players with the same level share a rank.

    >>> level(np.array([1.0, 1.0 + 1e-15, 2.0]), 0.5)
    array([2., 2., 4.])
    """
    return np.rint(shown / grain)


def _last_seen(ladder: Ladder, numbers: Floats) -> pl.Series:
    import polars as pl

    times = pl.Series("last_seen", numbers).fill_nan(None)
    if ladder.stamp is None or ladder.stamp.kind == "number":
        return times
    moments = times.cast(pl.Int64).cast(pl.Datetime("us"))
    if ladder.stamp.kind == "date":
        return moments.cast(pl.Date)
    return moments if ladder.stamp.zone is None else moments.dt.replace_time_zone("UTC")


Time = date | float


@dataclass(frozen=True, eq=False)
class Standings:
    """A leaderboard with the changes over the last period, and the ladder to continue from.

    `since` is the end of the earlier standings, or None if there are none: the day seven days before the last match or,
    for a period that was given or a ladder to continue from, the time of the last match before the changes.

    >>> import prowess as pw
    >>> table = pw.standings(pw.TrueSkill(), pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
    >>> table.frame["player"].to_list(), table.ladder, table.since
    (['ann', 'bob'], Ladder(2 players), None)
    """

    frame: pl.DataFrame
    ladder: Ladder
    since: Time | None


def standings(
    model: Model,
    history: History,
    *,
    start: Ladder | None = None,
    period: str | None = None,
    min_matches: int = 0,
    scale: tuple[float, float] | None = None,
    context: Mapping[str, Any] | None = None,
    ranking: str | None = None,
    all: bool = False,
) -> Standings:
    """Return the leaderboard after a history, with `change` and `gain` over the last period, in one pass.

    `period` is a length ("week", "10d") or "last" (the last day or round); the period ends with the last match. With
    "none", the columns `change` and `gain` are left out. By default, the period is seven days (or units, if times are
    plain numbers), as on the pages of the service; a ladder to continue from may be later. `scale` adds ratings in
    points, as in `Ladder`. With a `context`, such as `{"surface": "clay"}`, ratings are those at its values. `ranking`
    and `all` are those of `Ladder.leaderboard`.

    >>> import prowess as pw
    >>> days = ("2026-01-01", "2026-01-20", "2026-01-31")
    >>> games = [{"teams": [[f"p{index}"], ["ann"]], "time": day} for index, day in enumerate(days)]
    >>> table = standings(pw.TrueSkill(), pw.History.from_matches(games), period="week")
    >>> table.frame.select("player", "change").rows(), table.since
    ([('p0', 0), ('p1', 0), ('p2', None), ('ann', -1)], datetime.date(2026, 1, 20))
    """
    if start is not None:
        _check_order(start, history)
    first, until, since = _before_period(history, period)
    # Rating the history in two parts costs no more than rating it in one.
    before = model.learn(history[:first], start, scale=scale) if first else start
    after = model.learn(history[first:], before, scale=scale)
    frame = leaderboard(after, min_matches, context, ranking, all)
    if period == "none":
        return Standings(frame, after, None)
    if before is None:
        # Compare even with empty standings, so that every history gives the same columns.
        return Standings(compared(frame, frame.clear()), after, None)
    latest = _latest(before)
    if not first and (until is None or latest is None or latest > until):
        since = last_time(before)  # the ladder to continue from is the earliest that is known
    earlier = frame.clear()
    with suppress(Error):  # before the period, no match had the value of the context
        shifts(before, context or {}, [])
        earlier = leaderboard(before, min_matches, context, choose_ranking(ranking, after.scale), all)
    return Standings(compared(frame, earlier), after, since)


def _before_period(history: History, period: str | None) -> tuple[int, float | None, Time | None]:
    """Return the index of the first match in the period, and the time before it, as a number and for display."""
    if period == "none" or not len(history) or (period is None and history.time is None):
        return 0, None, None
    if period is None:
        assert history.time is not None
        stamp = stamp_of(history)
        until = week_before(float(history.time[-1]), stamp)
        if until == -inf:
            return 0, None, None
        shown = show_time(*stamp, until)
        since = shown.date() if isinstance(shown, datetime) else shown
        return int(np.searchsorted(history.time, until, side="right")), until, since
    first = first_of_last(history, period)
    assert history.time is not None  # or `first_of_last` has raised an error
    return first, None, show_time(*stamp_of(history), history.time[first - 1]) if first else None


def last_time(ladder: Ladder) -> Time | None:
    """Return the time of the last match of a ladder; None if unknown.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill())
    >>> _ = ladder.record([["ann"], ["bob"]], time="2026-01-31")
    >>> last_time(ladder)
    datetime.date(2026, 1, 31)
    """
    latest = _latest(ladder)
    return None if latest is None or ladder.stamp is None else show_time(*ladder.stamp, latest)


def _latest(ladder: Ladder) -> float | None:
    times = ladder.last_seen[~np.isnan(ladder.last_seen)]
    return float(times.max()) if len(times) else None


def _check_order(start: Ladder, history: History) -> None:
    latest = _latest(start)
    if latest is None or not len(history) or history.time is None or start.stamp is None or history.time_kind is None:
        return
    # Times of different kinds cannot be compared; `learn` reports them.
    numbers = ("number" in (start.stamp.kind, history.time_kind)) and start.stamp.kind != history.time_kind
    if not numbers and float(history.time[0]) < latest:
        first = show_time(history.time_kind, history.time_zone, history.time[0])
        raise Error(
            f"the first match, at {first}, is before the last match of the ladder, at {last_time(start)}; leave out "
            "matches that are already in the ladder, or rate all matches together",
            hint=Option("since", last_time(start)),
        )
