"""A leaderboard as a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import polars as pl

    from .ladder import Ladder

__all__ = ["leaderboard"]


def leaderboard(ladder: Ladder) -> pl.DataFrame:
    """The players by what is shown, best first; equal ones share a rank."""
    import polars as pl

    state = ladder.state[: len(ladder)]
    last = 2 * ladder.model.pipeline.traits
    sigma = np.sqrt(state[:, 1])
    frame = pl.DataFrame(
        {
            "player": pl.Series(ladder.names, dtype=pl.String),
            "mu": state[:, 0],
            "sigma": sigma,
            "shown": state[:, 0] - ladder.model.caution * sigma,
            "matches": state[:, last + 1].astype(np.int64),
            "last_seen": _last_seen(ladder, state[:, last]),
        }
    )
    place = pl.col("shown").rank("min", descending=True).cast(pl.Int64).alias("rank")
    return frame.select(place, pl.all()).sort("rank", maintain_order=True)


def _last_seen(ladder: Ladder, numbers: np.ndarray[tuple[int], np.dtype[np.float64]]) -> pl.Series:
    """When each player last played: dates, datetimes or numbers; null where that is not known."""
    import polars as pl

    times = pl.Series("last_seen", numbers).fill_nan(None)
    if ladder.stamp is None or ladder.stamp.kind == "number":
        return times
    moments = times.cast(pl.Int64).cast(pl.Datetime("us"))
    if ladder.stamp.kind == "date":
        return moments.cast(pl.Date)
    return moments if ladder.stamp.zone is None else moments.dt.replace_time_zone("UTC")
