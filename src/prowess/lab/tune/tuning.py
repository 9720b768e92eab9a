"""The result of tuning: the better model, the trials, and the gain on matches that the search did not use."""

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


EDGE = 0.02  # a parameter this close to an end of its range, as a share of the range, counts as being at the end


class Trial(NamedTuple):
    """A set of parameters with its loss on the training span, or the error with which the model failed."""

    number: int
    values: dict[str, float]
    loss: float
    error: str


class Stopped(KeyboardInterrupt):
    """Raised by Ctrl-C while `tune` searches; its `tuning` is the best result so far.

    >>> import prowess as pw
    >>> stopped = Stopped(pw.tune(pw.Elo(), pw.simulate(pw.Glicko(), 200, 10).history, trials=3), 100)
    >>> print(stopped)
    stopped after 3 of 100 trials; the best result so far is in `tuning` of this error; use `storage` to keep trials
    """

    def __init__(self, tuning: Tuning, trials: int) -> None:
        done = f"stopped after {len(tuning.tried)} of {trials} trials"
        super().__init__(f"{done}; the best result so far is in `tuning` of this error; use `storage` to keep trials")
        self.tuning = tuning


@dataclass(frozen=True, eq=False, repr=False)
class Tuning:
    """The result of `tune`: the tuned model and how the search found it.

    `model` is the best model on the training span, and `before` is the original model. `gain` is the reduction of the
    loss per match on the later matches, with a 95 % interval. `loss` has the losses of both models on the training span
    (before, after). `matches` has the numbers of matches in the burn-in, in the scored training span, and after it.
    For measures where higher is better, the loss is the negated measure.

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
        """The parameters that changed, with their old and new values.

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
        """The result in plain words.

        >>> import prowess as pw
        >>> tuning = pw.tune(pw.Elo(), pw.simulate(pw.Glicko(), 200, 10).history, trials=3)
        >>> "3 sets of k on 120 matches" in tuning.summary
        True
        """
        burnt, scored, later = self.matches
        sets, matches = count(len(self.tried), "set", "sets"), count(burnt + scored, "match", "matches")
        what = f"{sets} of {', '.join(self.space)} on {matches}"
        if not self.params:
            return f"Of {what}, none predicts better than the current parameters."
        # The text shows the measure itself, which for some measures is the negated loss.
        old, new = ((-1 if self.measure.higher else 1) * loss for loss in self.loss)
        best = f"The best of {what} changes the {self.measure.title} from {old:.4f} to {new:.4f}"
        verdict = ""
        if self.gain.within_noise:
            verdict = ", which is within noise: the old parameters may be as good"
        # The search may have fitted the noise of the training span.
        elif self.gain.value < 0:
            verdict = ": the new parameters are worse there, so do not use them"
        return f"{best}. On the {later} later matches the gain is {self.judged}{verdict}."

    def __repr__(self) -> str:
        """Show the summary."""
        return f"Tuning({self.summary})"

    def table(self) -> pl.DataFrame:
        """Return a table with a row per parameter: parameter, before, after, low, high, importance, note.

        `importance` is how much the parameter matters for a good trial; null while there are too few trials.

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
            rows.append({"parameter": name, "before": value, "after": value, "note": "has no effect in this history"})
        # The schema is explicit, because a column may consist only of nulls.
        numbers = dict.fromkeys(("before", "after", "low", "high", "importance"), pl.Float64)
        return pl.DataFrame(rows, schema={"parameter": pl.String} | numbers | {"note": pl.String})

    def _note(self, name: str, span: Range) -> str:
        share = span.share(float(self.model.params[name]))
        if name not in self.params:
            return "unchanged"
        # If the best value is at the end of its range, even better values may lie outside.
        if EDGE < share < 1 - EDGE:
            return ""
        return f"at the {'low' if share <= EDGE else 'high'} end of its range: try a wider range"

    def trials(self) -> pl.DataFrame:
        """Return a table with a row per trial, in order: trial, loss, best (so far), the parameters, error.

        The first trial has the original parameters, if they lie within the ranges.

        >>> import prowess as pw
        >>> tuning = pw.tune(pw.Elo(), pw.simulate(pw.Glicko(), 200, 10).history, trials=3)
        >>> tuning.trials().columns
        ['trial', 'loss', 'best', 'k', 'error']
        """
        import polars as pl

        losses = np.array([trial.loss for trial in self.tried])
        columns: dict[str, Any] = {
            "trial": [trial.number for trial in self.tried],
            # A failed trial has an infinite loss, which JSON cannot represent.
            "loss": pl.Series([None if trial.error else trial.loss for trial in self.tried], dtype=pl.Float64),
            "best": np.minimum.accumulate(losses),
        }
        columns |= {name: [trial.values[name] for trial in self.tried] for name in self.space}
        return pl.DataFrame(columns | {"error": [trial.error for trial in self.tried]})

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data for JSON.

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
        """Return a report with the result and the chart.

        >>> import prowess as pw
        >>> tuning = pw.tune(pw.Elo(), pw.simulate(pw.Glicko(), 200, 10).history, trials=3)
        >>> [section.title for section in tuning.report().sections]
        ['Result', 'Parameters', 'The search', 'How this was measured']
        """
        bold = frozenset((row, "after") for row, name in enumerate(self.space) if name in self.params)
        legend = "Every parameter before and after tuning, and the range that was searched."
        if self.importance:
            legend += " Importance says how much a parameter affects the loss."
        burnt, scored, later = self.matches
        before = f" The first {burnt:,} matches were not scored." if burnt else ""
        method = (
            f"Every match was forecast before the model learnt the result.{before} The search used the "
            f"{self.measure.title} of the {'next' if burnt else 'first'} {scored:,} matches. The result was tested on "
            f"the {later:,} matches after that, which the search did not use.\n\n"
            "The gain is the reduction of the loss per match in the test; its 95 % interval comes from resampled "
            "blocks of neighbouring matches. If the interval contains 0, the gain may be due to chance."
        )
        sections = (
            Section("Result", text=self.summary),
            Section("Parameters", text=legend, table=self.table(), bold=bold),
            Section("The search", chart=self.chart()),
            Section("How this was measured", text=method),
        )
        return Report("Tuning", sections)

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write the report as a self-contained .html page.

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
        """Chart the loss of every trial and the lowest loss so far, and below that the loss against each parameter.

        >>> import prowess as pw
        >>> tuning = pw.tune(pw.Elo(), pw.simulate(pw.Glicko(), 200, 10).history, trials=3)
        >>> tuning.chart().to_dict()["title"]["text"]
        'Tuning'
        """
        chart: alt.VConcatChart = tuning_chart(self)
        return chart
