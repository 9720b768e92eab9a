"""A leaderboard as a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...validate import whole

if TYPE_CHECKING:
    import polars as pl

    from ..ladder.ladder import Ladder
    from ..model import Model
from dataclasses import dataclass
from datetime import date

from ...errors import Error, Option
from ...history.slicing import first_of_last, usual_period
from ...history.times import show_time

if TYPE_CHECKING:
    import polars as pl

    from ...history import History
    from ..ladder.ladder import Ladder
    from ..model import Model

Floats = NDArray[np.float64]


def leaderboard(ladder: Ladder, min_matches: int = 0) -> pl.DataFrame:
    """The players by what is shown, best first; equal ones share a rank. Who has fewer matches is left out."""
    import polars as pl

    model, state, names = ladder.model, ladder.settled, ladder.names
    layout = model.pipeline.layout
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
    }
    if len(layout.traits) > 1:
        columns |= dict(zip(layout.traits, state.T[layout.means], strict=True))
    columns |= dict(zip(layout.extras, state.T[layout.first_extra :], strict=False))
    frame = pl.DataFrame(columns)
    place = pl.Series("rank", level(shown, grain(largest(model, state)))).rank("min", descending=True).cast(pl.Int64)
    return frame.select(place, pl.all()).sort("rank", maintain_order=True)


def compared(now: pl.DataFrame, before: pl.DataFrame) -> pl.DataFrame:
    """Standings beside earlier ones: `change` is the ranks by which a player rose, `gain` that of what is shown.

    Both are null for who did not stand there before.

    >>> import polars as pl
    >>> now = pl.DataFrame({"rank": [1, 2, 3], "player": ["cat", "ann", "bob"], "shown": [3.0, 2.0, 1.0]})
    >>> before = pl.DataFrame({"rank": [1, 2], "player": ["ann", "bob"], "shown": [1.5, 1.0]})
    >>> compared(now, before).select("change", "gain").rows()
    [(None, None), (-1, 0.5), (-1, 0.0)]
    """
    import polars as pl

    was = before.select("player", pl.col("rank").alias("change"), pl.col("shown").alias("gain"))
    both = now.join(was, on="player", how="left", maintain_order="left")
    return both.with_columns(change=pl.col("change") - pl.col("rank"), gain=pl.col("shown") - pl.col("gain"))


def overall(model: Model, beliefs: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean, deviation (NaN where there is none) and shown rating over all traits, of rows of means and variances."""
    layout = model.pipeline.layout
    mu = beliefs[:, layout.means].sum(axis=1)
    if model.absorb.certain:
        return mu, np.full(len(mu), np.nan), mu
    sigma = np.sqrt(beliefs[:, layout.variances].sum(axis=1))
    return mu, sigma, mu - model.caution * sigma


def largest(model: Model, beliefs: Floats) -> float:
    """The largest rating, shown or mean, of rows of means and variances, whatever its sign; 0 if there is none.

    >>> import prowess as pw
    >>> largest(pw.TrueSkill(), np.array([[25.0, 100.0], [29.0, 1.0]]))
    29.0
    """
    mu, _, shown = overall(model, beliefs)
    return float(max(np.abs(shown).max(initial=0.0), np.abs(mu).max(initial=0.0)))


def grain(largest: float) -> float:
    """By how much ratings may differ and still be equal: iterations leave equal players apart by their last digits.

    It is a power of two, and so stays the same while the largest rating moves a little.

    >>> grain(25.0) == grain(26.0) == 2.0**-31
    True
    """
    return float(np.ldexp(1.0, np.frexp(1e-11 * largest)[1]))


def level(shown: Floats, grain: float) -> Floats:
    """What is shown, without its last digits: equal players share a level, and so a rank.

    >>> level(np.array([1.0, 1.0 + 1e-15, 2.0]), 0.5)
    array([2., 2., 4.])
    """
    return np.rint(shown / grain)


def _last_seen(ladder: Ladder, numbers: Floats) -> pl.Series:
    """When each player last played: dates, datetimes or numbers; null where that is not known."""
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
    """Where everybody stands: a frame with the changes of the last period, and the ladder to go on from.

    `since` is the time of the last match before the period; None where there is nothing to compare with.

    >>> import prowess as pw
    >>> found = pw.standings(pw.TrueSkill(), pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
    >>> found.frame["player"].to_list(), found.ladder, found.since
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
) -> Standings:
    """The standings after a history, with `change` and `gain` since the last period began, in one pass.

    The period is counted back from the last match ("week", "10d", "last" for its day or round alone, "none"); None
    chooses one that suits the history, or, after a `start`, all of the history.

    >>> import prowess as pw
    >>> days = ("2026-01-01", "2026-01-20", "2026-01-31")
    >>> games = [{"teams": [[f"p{index}"], ["ann"]], "time": day} for index, day in enumerate(days)]
    >>> found = standings(pw.TrueSkill(), pw.History.from_matches(games), period="week")
    >>> found.frame.select("player", "change").rows(), found.since
    ([('p0', 0), ('p1', 0), ('p2', None), ('ann', -1)], datetime.date(2026, 1, 20))
    """
    if start is not None:
        _check_order(start, history)
    first = _first(history, start, period)
    before = model.learn(history[:first], start) if first else start
    after = model.learn(history[first:], before)
    frame = after.leaderboard(min_matches=min_matches)
    if period == "none":
        return Standings(frame, after, None)
    if before is None:
        return Standings(compared(frame, frame.clear()), after, None)
    return Standings(
        compared(frame, before.leaderboard(min_matches=min_matches)), after, _since(history, first, before)
    )


def _first(history: History, start: Ladder | None, period: str | None) -> int:
    """The first match of the last period; 0 where there is nothing before it."""
    if period == "none":
        return 0
    chosen = period or (usual_period(history) if start is None else None)
    return 0 if chosen is None else first_of_last(history, chosen)


def _since(history: History, first: int, before: Ladder) -> Time | None:
    if not first:
        return last_time(before)
    assert history.time is not None
    assert history.time_kind is not None
    return show_time(history.time_kind, history.time_zone, history.time[first - 1])


def last_time(ladder: Ladder) -> Time | None:
    """When the last match of a ladder was, as far as is known.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill())
    >>> _ = ladder.record([["ann"], ["bob"]], time="2026-01-31")
    >>> last_time(ladder)
    datetime.date(2026, 1, 31)
    """
    found = _latest(ladder)
    return None if found is None or ladder.stamp is None else show_time(*ladder.stamp, found)


def _latest(ladder: Ladder) -> float | None:
    times = ladder.last_seen[~np.isnan(ladder.last_seen)]
    return float(times.max()) if len(times) else None


def _check_order(start: Ladder, history: History) -> None:
    """A ladder goes on with matches that come after its last; what kind of times they have, the fit checks."""
    latest = _latest(start)
    if latest is None or not len(history) or history.time is None or start.stamp is None or history.time_kind is None:
        return
    numbers = ("number" in (start.stamp.kind, history.time_kind)) and start.stamp.kind != history.time_kind
    if not numbers and float(history.time[0]) < latest:
        first = show_time(history.time_kind, history.time_zone, history.time[0])
        raise Error(
            f"the first match, at {first}, comes before the last of the ladder, at {last_time(start)}: a ladder goes "
            "on in the order of time; leave out what it has seen, or rate all matches together",
            hint=Option("since", last_time(start)),
        )
