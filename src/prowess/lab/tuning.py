"""What tuning found: a model, how it was found, and whether it is better on matches that nobody looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..model.model import Model
from ..model.tunable import Range
from .measures.tally import Floats, Tally

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

__all__ = ["Gain", "Trial", "Tuning", "gain_between"]

DRAWS, BLOCKS = 2000, 200
EDGE = 0.02  # how near to the end of its range, as a share of it, a parameter stands at the edge


class Trial(NamedTuple):
    """A set of parameters that was tried: its loss on the training span, or the error with which the model failed."""

    number: int
    values: dict[str, float]
    loss: float
    error: str


@dataclass(frozen=True)
class Gain:
    """By how much the loss of a match fell on a span that was not tuned on, and from where to where that may be.

    The interval is a bootstrap over blocks of time, paired by match.

    >>> Gain(0.01, -0.002, 0.021, matches=400).within_noise
    True
    """

    mean: float
    low: float
    high: float
    matches: int
    level: float = 0.95

    @property
    def within_noise(self) -> bool:
        """Whether the interval holds 0: on these matches the two models cannot be told apart.

        >>> Gain(0.01, 0.004, 0.021, matches=400).within_noise
        False
        """
        return self.low <= 0.0 <= self.high

    def __str__(self) -> str:
        """Give the gain and its interval.

        >>> print(Gain(0.01, 0.004, 0.0211, matches=400))
        0.0100 (95 % interval 0.0040 to 0.0211)
        """
        return f"{self.mean:.4f} ({100 * self.level:g} % interval {self.low:.4f} to {self.high:.4f})"


def gain_between(before: Tally, after: Tally, seed: int, level: float = 0.95) -> Gain:
    """The mean of a measure before less that after, of the same matches in the order of time.

    >>> import numpy as np
    >>> gain_between(Tally(np.full(100, 2.0), np.ones(100)), Tally(np.full(100, 1.5), np.ones(100)), seed=0)
    Gain(mean=0.5, low=0.5, high=0.5, matches=100, level=0.95)
    """
    columns = np.stack([before.total, before.weight, after.total, after.weight])[:, before.weight > 0]
    matches = columns.shape[1]
    cuts = np.linspace(0, matches, min(matches, BLOCKS), endpoint=False).astype(np.int64)
    blocks = np.add.reduceat(columns, cuts, axis=1).T
    often = np.random.default_rng(seed).multinomial(len(cuts), np.full(len(cuts), 1.0 / len(cuts)), DRAWS)
    low, high = np.quantile(_fall(often.astype(np.float64) @ blocks), [(1 - level) / 2, (1 + level) / 2])
    return Gain(float(_fall(blocks.sum(0))), float(low), float(high), matches, level)


def _fall(sums: Floats) -> Floats:
    """The fall of a ratio of sums."""
    return sums[..., 0] / sums[..., 1] - sums[..., 2] / sums[..., 3]


@dataclass(frozen=True, eq=False, repr=False)
class Tuning:
    """A model whose parameters were tuned, and how they were found; `tune` makes one.

    `model` is the better model by the training span, `before` the one that was tuned. `loss` holds the losses of the
    two on the training span, `matches` how many were learnt from before any was scored, scored, and left for later.

    >>> import prowess as pw
    >>> league = pw.simulate(pw.Glicko(), 2000, 30).history
    >>> tuning = pw.tune(pw.Elo(k=200), league, trials=15)
    >>> tuning.model.params["k"] < 100, tuning.gain.within_noise
    (True, False)
    """

    model: Model
    before: Model
    gain: Gain
    loss: tuple[float, float]
    matches: tuple[int, int, int]
    measure: str
    space: dict[str, Range]
    tried: tuple[Trial, ...]
    importance: dict[str, float]
    unused: tuple[str, ...]

    @property
    def params(self) -> dict[str, tuple[float, float]]:
        """The parameters that changed, each with its old and its new value.

        >>> import prowess as pw
        >>> tuning = pw.tune(pw.Elo(), pw.simulate(pw.Glicko(), 200, 10).history, trials=3)
        >>> set(tuning.params) <= {"k"}
        True
        """
        old, new = self.before.params, self.model.params
        return {name: (old[name], new[name]) for name in self.space if old[name] != new[name]}

    @property
    def summary(self) -> str:
        """What was found, in plain words.

        >>> import prowess as pw
        >>> tuning = pw.tune(pw.Elo(), pw.simulate(pw.Glicko(), 200, 10).history, trials=3)
        >>> "3 sets of k on 120 matches" in tuning.summary
        True
        """
        burnt, scored, later = self.matches
        what = f"{len(self.tried)} sets of {', '.join(self.space)} on {burnt + scored} matches"
        if not self.params:
            return f"Of {what}, none predicts them better than the present one."
        old, new = self.loss
        found = f"The best of {what} lowers their {self.measure} from {old:.4f} to {new:.4f}"
        gain = self.gain
        if gain.within_noise:
            verdict = f"the gain is {gain}, which is within noise: the old parameters may be as good"
        elif gain.mean > 0:
            verdict = f"the gain is {gain}"
        else:
            verdict = f"the gain is {gain}: the new parameters are worse there, do not use them"
        return f"{found}. On the {later} later matches {verdict}."

    def __repr__(self) -> str:
        """Say what was found."""
        return f"Tuning({self.summary})"

    def table(self) -> pl.DataFrame:
        """A row for every parameter: parameter, before, after, low, high, importance, note.

        The importance is the share of it in what makes a trial good; null before there are enough trials.

        >>> import prowess as pw
        >>> tuning = pw.tune(pw.Elo(), pw.simulate(pw.Glicko(), 200, 10).history, trials=3)
        >>> tuning.table().columns
        ['parameter', 'before', 'after', 'low', 'high', 'importance', 'note']
        """
        import polars as pl

        rows = [
            {
                "parameter": name,
                "before": float(self.before.params[name]),
                "after": float(self.model.params[name]),
                "low": span.low,
                "high": span.high,
                "importance": self.importance.get(name),
                "note": self._note(name, span),
            }
            for name, span in self.space.items()
        ]
        for name in self.unused:
            value = self.before.params[name]
            rows.append({"parameter": name, "before": value, "after": value, "note": "changes nothing in this history"})
        numbers = dict.fromkeys(("before", "after", "low", "high", "importance"), pl.Float64)
        return pl.DataFrame(rows, schema={"parameter": pl.String} | numbers | {"note": pl.String})

    def _note(self, name: str, span: Range) -> str:
        share = span.share(float(self.model.params[name]))
        if name not in self.params:
            return "as before"
        if EDGE < share < 1 - EDGE:
            return ""
        return f"at the {'low' if share <= EDGE else 'high'} end of its range: give it a wider one, if there can be one"

    def trials(self) -> pl.DataFrame:
        """A row for every trial, in order: trial, loss, best (so far), the parameters, error.

        The first are the present parameters, where these lie within the ranges.

        >>> import prowess as pw
        >>> tuning = pw.tune(pw.Elo(), pw.simulate(pw.Glicko(), 200, 10).history, trials=3)
        >>> tuning.trials().columns
        ['trial', 'loss', 'best', 'k', 'error']
        """
        import polars as pl

        losses = np.array([trial.loss for trial in self.tried])
        columns: dict[str, Any] = {
            "trial": [trial.number for trial in self.tried],
            "loss": pl.Series([None if trial.error else trial.loss for trial in self.tried], dtype=pl.Float64),
            "best": np.minimum.accumulate(losses),
        }
        columns |= {name: [trial.values[name] for trial in self.tried] for name in self.space}
        return pl.DataFrame(columns | {"error": [trial.error for trial in self.tried]})

    def chart(self) -> alt.VConcatChart:
        """The loss of every trial and the best so far; below it, the loss against each parameter.

        >>> import prowess as pw
        >>> tuning = pw.tune(pw.Elo(), pw.simulate(pw.Glicko(), 200, 10).history, trials=3)
        >>> tuning.chart().to_dict()["title"]["text"]
        'Tuning'
        """
        from .charts.tuning import tuning_chart

        chart: alt.VConcatChart = tuning_chart(self)
        return chart
