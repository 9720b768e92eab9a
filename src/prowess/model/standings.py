"""A leaderboard as a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..checks import whole

if TYPE_CHECKING:
    import polars as pl

    from .ladder import Ladder
    from .model import Model

__all__ = ["compared", "grain", "largest", "leaderboard", "level", "overall"]

Floats = NDArray[np.float64]


def leaderboard(ladder: Ladder, min_matches: int = 0) -> pl.DataFrame:
    """The players by what is shown, best first; equal ones share a rank. Who has fewer matches is left out."""
    import polars as pl

    model, state, names = ladder.model, ladder.settled, ladder.names
    if whole("min_matches", min_matches):
        kept = np.flatnonzero(state[:, 2 * model.pipeline.traits + 1] >= min_matches)
        state, names = state[kept], [names[row] for row in kept.tolist()]
    traits = model.pipeline.traits
    last = 2 * traits
    mu, sigma, shown = overall(model, state)
    columns = {
        "player": pl.Series(names, dtype=pl.String),
        "mu": mu,
        "sigma": pl.Series(sigma, dtype=pl.Float64, nan_to_null=True),
        "shown": shown,
        "matches": state[:, last + 1].astype(np.int64),
        "last_seen": _last_seen(ladder, state[:, last]),
    }
    if traits > 1:
        columns |= {trait: state[:, 2 * k] for k, trait in enumerate(model.outcome.traits)}
    columns |= {extra: state[:, last + 2 + k] for k, extra in enumerate(model.absorb.extras)}
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
    traits = model.pipeline.traits
    mu = beliefs[:, 0 : 2 * traits : 2].sum(axis=1)
    if model.absorb.certain:
        return mu, np.full(len(mu), np.nan), mu
    sigma = np.sqrt(beliefs[:, 1 : 2 * traits : 2].sum(axis=1))
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
