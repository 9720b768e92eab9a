"""What tuning found: a model, how it was found, and whether it is better on matches that nobody looked at."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...model.model import Model
from ...model.params import Range
from ...text import count
from ..charts.tuning import tuning_chart
from ..interval import Interval
from ..measures.registry import Measure
from ..report import Report, Section, check_report_path

if TYPE_CHECKING:
    import altair as alt
    import polars as pl


EDGE = 0.02  # how near to the end of its range, as a share of it, a parameter stands at the edge


class Trial(NamedTuple):
    """A set of parameters that was tried: its loss on the training span, or the error with which the model failed."""

    number: int
    values: dict[str, float]
    loss: float
    error: str


class Stopped(KeyboardInterrupt):
    """Ctrl-C while `tune` searched: it stops, and nothing is lost, as `tuning` holds what was found until then.

    >>> import prowess as pw
    >>> stopped = Stopped(pw.tune(pw.Elo(), pw.simulate(pw.Glicko(), 200, 10).history, trials=3), 100)
    >>> print(stopped)
    stopped after 3 of 100 trials; `tuning` of this error holds the best so far, and `storage` would keep the trials
    """

    def __init__(self, tuning: Tuning, wanted: int) -> None:
        """Hold what was found."""
        done = f"stopped after {len(tuning.tried)} of {wanted} trials"
        super().__init__(f"{done}; `tuning` of this error holds the best so far, and `storage` would keep the trials")
        self.tuning = tuning


@dataclass(frozen=True, eq=False, repr=False)
class Tuning:
    """A model whose parameters were tuned, and how they were found; `tune` makes one.

    `model` is the better model by the training span, `before` the one that was tuned. `gain` is by how much the loss of
    a match fell on the matches that were left, with a 95 % interval. `loss` holds the losses of the two models on the
    training span, `matches` how many were learnt from before any was scored, scored, and left. Where more of a measure
    is better, the loss is less the measure.

    >>> import prowess as pw
    >>> league = pw.simulate(pw.Glicko(), 2000, 30).history
    >>> tuning = pw.tune(pw.Elo(k=200), league, trials=15)
    >>> tuning.model.params["k"] < 100, tuning.gain.within_noise
    (True, False)
    """

    model: Model
    before: Model
    gain: Interval
    loss: tuple[float, float]
    matches: tuple[int, int, int]
    measure: Measure
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
    def judged(self) -> str:
        """The gain and its interval, in words.

        >>> import prowess as pw
        >>> tuning = pw.tune(pw.Elo(), pw.simulate(pw.Glicko(), 200, 10).history, trials=3)
        >>> "(95 % interval " in tuning.judged
        True
        """
        value, low, high = (f"{number:.{self.gain.digits}f}" for number in self.gain)
        return f"{value} (95 % interval {low} to {high})"

    @property
    def summary(self) -> str:
        """What was found, in plain words.

        >>> import prowess as pw
        >>> tuning = pw.tune(pw.Elo(), pw.simulate(pw.Glicko(), 200, 10).history, trials=3)
        >>> "3 sets of k on 120 matches" in tuning.summary
        True
        """
        burnt, scored, later = self.matches
        sets, matches = count(len(self.tried), "set", "sets"), count(burnt + scored, "match", "matches")
        what = f"{sets} of {', '.join(self.space)} on {matches}"
        if not self.params:
            return f"Of {what}, none predicts them better than the present one."
        old, new = self.loss
        sign = -1 if self.measure.higher else 1
        found = f"The best of {what} takes their {self.measure.title} from {sign * old:.4f} to {sign * new:.4f}"
        verdict = ""
        if self.gain.within_noise:
            verdict = ", which is within noise: the old parameters may be as good"
        elif self.gain.value < 0:
            verdict = ": the new parameters are worse there, do not use them"
        return f"{found}. On the {later} later matches the gain is {self.judged}{verdict}."

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

    def to_dict(self) -> dict[str, Any]:
        """What was found as plain data, for JSON.

        >>> import prowess as pw
        >>> tuning = pw.tune(pw.Elo(), pw.simulate(pw.Glicko(), 200, 10).history, trials=3)
        >>> tuning.to_dict()["matches"]
        {'learnt': 12, 'searched': 108, 'judged': 80}
        """
        burnt, scored, later = self.matches
        value, low, high = self.gain
        return {
            "answer": self.summary,
            "parameters": self.table().to_dicts(),
            "gain": {"value": value, "low": low, "high": high, "within_noise": self.gain.within_noise},
            "measure": self.measure.name,
            "loss": dict(zip(("before", "after"), self.loss, strict=True)),
            "matches": {"learnt": burnt, "searched": scored, "judged": later},
            "trials": len(self.tried),
        }

    def report(self) -> Report:
        """What was found, with the chart.

        >>> import prowess as pw
        >>> tuning = pw.tune(pw.Elo(), pw.simulate(pw.Glicko(), 200, 10).history, trials=3)
        >>> [section.title for section in tuning.report().sections]
        ['What was found', 'Parameters', 'The search', 'How this was measured']
        """
        bold = frozenset((row, "after") for row, name in enumerate(self.space) if name in self.params)
        sections = (
            Section("What was found", text=self.summary),
            Section("Parameters", text=_legend(self), table=self.table(), bold=bold),
            Section("The search", chart=self.chart()),
            Section("How this was measured", text=_method(self)),
        )
        return Report("Tuning", sections)

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write the report as one page that needs no network; its name ends in .html.

        >>> from pathlib import Path; from tempfile import TemporaryDirectory
        >>> import prowess as pw
        >>> tuning = pw.tune(pw.Elo(), pw.simulate(pw.Glicko(), 200, 10).history, trials=3)
        >>> with TemporaryDirectory() as folder:
        ...     tuning.to_html(Path(folder, "elo.html"))
        ...     "<h2>Parameters</h2>" in Path(folder, "elo.html").read_text(encoding="utf-8")
        True
        """
        check_report_path(path)
        self.report().save(path)

    def chart(self) -> alt.VConcatChart:
        """The loss of every trial and the best so far; below it, the loss against each parameter.

        >>> import prowess as pw
        >>> tuning = pw.tune(pw.Elo(), pw.simulate(pw.Glicko(), 200, 10).history, trials=3)
        >>> tuning.chart().to_dict()["title"]["text"]
        'Tuning'
        """
        chart: alt.VConcatChart = tuning_chart(self)
        return chart


def _legend(tuning: Tuning) -> str:
    """How to read the table."""
    text = "What every parameter was and is, and between which values it was looked for."
    if tuning.importance:
        text += " Importance is the share of a parameter in what makes a set good."
    return text


def _method(tuning: Tuning) -> str:
    """What was searched on, and what it was judged by."""
    burnt, scored, later = tuning.matches
    before = f"the first {burnt:,} matches were learnt from only, " if burnt else ""
    return (
        f"Every match was forecast before it was learnt from; {before}the next {scored:,} were searched on by their "
        f"{tuning.measure.title}, and the {later:,} after them, which the search did not look at, judge the result.\n\n"
        "The gain is by how much the loss of a match fell there; its 95 % interval comes from resampled blocks of "
        "neighbouring matches. If it holds 0, the gain may be chance."
    )
