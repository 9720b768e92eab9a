"""What players can gain by hunting for a statistic at the cost of the result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history import History
from ...history.context.columns import column_at
from ...history.ragged import owners
from ...text import count
from ..ladder.leaderboard import overall
from ..scale import Points

if TYPE_CHECKING:
    import polars as pl

    from .trace import Trace

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Incentives:
    """What statistics and results are worth, in units of the ratings, on average over the second half of the matches.

    `frame` has a row for each statistic: `gain` is the change of a rating by one unit more of the statistic, `spread`
    the standard deviation of the statistic among the players of a match, and `trade` how many units are worth as much
    as winning instead of losing. `win` is the difference between winning and losing. `lost` is the number of entries
    whose team did worse than half of its opponents, and `raised` how many of them gained nevertheless.

    >>> import prowess as pw
    >>> match = {"teams": [["ann", "bob"], ["cat", "dan"]], "statistics": {"kills": [[9, 2], [5, 4]]}}
    >>> model = pw.TrueSkill().replace(statistics=(pw.statistic.Points("kills", gamma=9.0, per=None),))
    >>> report = model.fit(pw.History.from_matches([match] * 20)).incentives()
    >>> report.frame["statistic"].to_list(), report.raised
    (['kills'], 0)
    """

    frame: pl.DataFrame
    win: float
    lost: int
    raised: int
    bounded: bool

    @property
    def sentences(self) -> tuple[str, ...]:
        """A sentence for each statistic, and a warning if a lost match has raised a rating."""
        found = []
        for row in self.frame.iter_rows(named=True):
            side = "fewer" if row["gain"] < 0 else "more"
            trade = "" if row["trade"] is None else f", and a win {self.win:.2g}, as much as {row['trade']:.0f} {side}"
            found.append(f"{row['statistic']}: one {side} is worth {abs(row['gain']):.2g}{trade}.")
        if self.raised:
            share = f"{self.raised} of {count(self.lost, 'rating', 'ratings')} after a lost match rose"
            found.append(f"{share}, because of the statistics. With bounded statistics, losing never pays.")
        return tuple(found)


def incentives(trace: Trace, points: Points | None = None) -> Incentives:
    """Measure what each statistic and the result are worth. This is the implementation of `Fit.incentives`."""
    import polars as pl

    model, history = trace.model, trace.history
    if not model.statistics or trace.shares is None:
        raise Error(
            "this model has no statistics, so there is nothing to hunt for; see pw.statistic", field="statistics"
        )
    unit = 1.0 if points is None else points.factor
    team = owners(history.team_start)
    match = owners(history.match_start)[team].astype(np.intp)
    entry = np.arange(history.entries)
    later = trace.counted(match) & (match >= len(history) // 2)
    told = unit * trace.statistics(entry)["moved_by_statistics"]
    moved = unit * (overall(model, trace.after)[0] - overall(model, trace.before)[0])
    beaten = beaten_shares(history.place, history.match_start)[team]
    won, lost = later & (beaten > 0.5), later & (beaten < 0.5)
    win = float((moved - told)[won].mean() - (moved - told)[lost].mean()) if won.any() and lost.any() else 0.0
    values = [relative_values(_values(history, one.column), match) for one in model.statistics]
    known = later & np.isfinite(values).all(axis=0)
    table = np.stack([value[known] for value in values], axis=1)
    gains = np.linalg.lstsq(table, told[known], rcond=None)[0] if known.any() else np.zeros(len(values))
    rows: list[dict[str, Any]] = [
        {
            "statistic": one.column,
            "gain": float(gain),
            "spread": float(column.std()) if len(column) else 0.0,
            "trade": abs(win / float(gain)) if gain and win > 0.0 else None,
        }
        for one, gain, column in zip(model.statistics, gains, table.T, strict=True)
    ]
    raised = int((lost & (moved > 0.0)).sum())
    frame = pl.DataFrame(rows, schema={"statistic": pl.String} | dict.fromkeys(("gain", "spread", "trade"), pl.Float64))
    return Incentives(frame, win, int(lost.sum()), raised, all(one.bounded for one in model.statistics))


def beaten_shares(place: NDArray[Any], match_start: NDArray[Any]) -> Floats:
    """Return for every team the share of its opponents that it has beaten; ties count half.

    >>> beaten_shares(np.array([1, 2, 2, 1]), np.array([0, 3, 4])).tolist()
    [1.0, 0.25, 0.25, 1.0]
    """
    match = owners(match_start)
    teams = np.diff(match_start)[match]
    order = np.lexsort((place, match))
    rank = np.empty(len(place))
    rank[order] = np.arange(len(place)) - match_start[:-1][match[order]]
    # Tied teams share the mean of their ranks.
    group = np.cumsum(np.r_[True, (np.diff(match[order]) != 0) | (np.diff(place[order]) != 0)]) - 1
    mean = np.bincount(group, rank[order]) / np.bincount(group)
    rank[order] = mean[group]
    share: Floats = 1.0 - rank / np.maximum(teams - 1, 1)
    return share


def relative_values(values: Floats, match: NDArray[Any]) -> Floats:
    """Return values relative to the mean of their match; NaN where they are missing.

    >>> relative_values(np.array([3.0, 5.0, 7.0]), np.array([0, 0, 1])).tolist()
    [-1.0, 1.0, 0.0]
    """
    known = np.isfinite(values)
    number = np.maximum(np.bincount(match, known), 1.0)
    mean = np.bincount(match, np.where(known, values, 0.0)) / number
    relative: Floats = values - mean[match]
    return relative


def _values(history: History, name: str) -> Floats:
    column = column_at(history, name, "player")
    return np.full(history.entries, np.nan) if column is None else column.to_numpy()
