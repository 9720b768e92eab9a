"""What a comparison found: tables, differences, curves and a page, all from columns over the scored matches."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import Error
from ...history import History
from ...model.model import Model
from ..bootstrap import Resampled, Resampling, View
from ..interval import Interval
from ..measures import Tally
from ..measures.registry import MEASURES, Measure
from ..protocols import Protocol
from ..report import check_report_path
from . import frames, report, serialize, verdict
from .scoring import ModelScores, Rows

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

    from ...model.fit.fit import Fit
    from ..report import Report


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Models scored on the same matches; `pw.compare` makes one.

    The first of the `measures` is the one to decide by. `where` is always a mask over the matches of the history, such
    as those of `pw.lab.slices`. Nothing is computed before somebody asks for it.

    >>> import prowess as pw
    >>> wins = [("ann", "bob"), ("bob", "cat"), ("ann", "cat")] * 10
    >>> history = pw.History.from_matches([{"teams": [[winner], [loser]]} for winner, loser in wins])
    >>> pw.lab.compare(history, ["elo", "glicko"], seed=1)
    Glicko has the lowest log loss of 2 models over 30 matches: 0.18 nats (95 % interval 0.10 to 0.29).
    """

    models: Mapping[str, Model]
    measures: tuple[Measure, ...]
    protocol: Protocol
    rows: Rows
    scored: Mapping[str, ModelScores]
    resampling: Resampling

    def __repr__(self) -> str:
        """The answer in one sentence, or why there is none: what is shown must never be an error."""
        try:
            return verdict.headline(self)
        except Error as error:
            return f"Comparison of {len(self.models)} models over {len(self):,} matches: {error}"

    def table(self, where: ArrayLike | None = None) -> pl.DataFrame:
        """Every measure of every model with its interval: model, log_loss, log_loss_low, log_loss_high, ….

        A measure that cannot be told of a model is null. `where` chooses matches by a mask over the history.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9)
        >>> found = pw.lab.compare(history, ["elo", "glicko"])
        >>> found.table(where=pw.lab.slices.after(history, 5))["log_loss"].round(3).to_list()
        [0.332, 0.077]
        """
        return frames.table(self, where)

    def differences(self, baseline: str | None = None, where: ArrayLike | None = None) -> pl.DataFrame:
        """How far every model is from a baseline, or from the best one by each measure, with paired intervals.

        `within_noise` says that the interval holds 0: these matches cannot tell the two apart. The best model was
        chosen by these same matches, which flatters it a little: a difference hardly beyond noise is not much.

        >>> import prowess as pw
        >>> found = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo", "glicko"])
        >>> found.differences().row(0, named=True)["within_noise"]
        False
        """
        return frames.differences(self, baseline, where)

    def tally(self, model: str, measure: str | Measure | None = None, where: ArrayLike | None = None) -> Tally:
        """What every scored match adds to a measure of a model; `rows.match` says which match it is.

        >>> import prowess as pw
        >>> found = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo"])
        >>> found.tally("Elo").values[0].round(3)
        np.float64(0.693)
        """
        return self.rows.tally(self.scored[self.known(model)], self.measure(measure), self.rows.pick(where))

    def pairwise(self, measure: str | Measure | None = None, where: ArrayLike | None = None) -> pl.DataFrame:
        """In how many matches the model of a row was better than that of a column: Nikolenko, Sirotkin (2011), Table 1.

        Two models need not add up to the number of matches: in some they are equally good.

        >>> import prowess as pw
        >>> found = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo", "glicko"])
        >>> found.pairwise().rows()
        [('Elo', 0, 0), ('Glicko', 8, 0)]
        """
        return frames.pairwise(self, self.measure(measure), where)

    def over_time(self, window: int = 50, measure: str | Measure | None = None) -> pl.DataFrame:
        """A measure over the last so many matches, as time goes by: model, match, time (where there are times), value.

        Of very long histories some points are shown.

        >>> import prowess as pw
        >>> found = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo"])
        >>> found.over_time(window=8)["value"].round(3).to_list()
        [0.471, 0.42]
        """
        return frames.over_time(self, window, self.measure(measure))

    def by(self, labels: ArrayLike | None = None) -> pl.DataFrame:
        """The measures of every model by labels of the matches, such as seasons: label, model, matches, log_loss, ….

        `labels` holds one for every match of the history; without them it goes by the runs of the protocol.

        >>> import prowess as pw
        >>> found = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 4), ["elo"])
        >>> found.by(["first", "first", "last", "last"])["log_loss"].round(3).to_list()
        [0.649, 0.503]
        """
        return frames.by(self, labels)

    def calibration(self, where: ArrayLike | None = None) -> pl.DataFrame:
        """Expected and happened, in bins of equally many forecasts: model, count, expected, happened, stderr.

        >>> import prowess as pw
        >>> found = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo"])
        >>> found.calibration()["happened"].unique().sort().to_list()
        [0.0, 0.6666666666666666, 1.0]
        """
        return frames.calibration(self, where)

    def chart(self, where: ArrayLike | None = None) -> alt.TopLevelMixin:
        """All measures of all models with their intervals, as a chart.

        >>> import prowess as pw
        >>> found = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo"])
        >>> found.chart().to_dict()["title"]["text"]
        'Measures of 1 model over 9 matches'
        """
        return report.measures_chart(self, where)

    def fit(self, model: str | None = None) -> Fit:
        """A model, by default the best one, fitted to the whole history: its standings, its skill curves, its ladder.

        >>> import prowess as pw
        >>> found = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo", "glicko"])
        >>> found.fit().leaderboard()["player"].to_list()
        ['ann', 'bob']
        """
        return self.models[self.best if model is None else self.known(model)].fit(self.history)

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain data, for JSON: the best model, how sure that is, measures and differences.

        >>> import prowess as pw
        >>> found = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo", "glicko"])
        >>> list(found.to_dict())
        ['best', 'answer', 'sureness', 'matches', 'protocol', 'confidence', 'measures', 'models', 'differences']
        """
        return serialize.to_plain(self)

    def report(self) -> Report:
        """The answer with all behind it: measures, differences, error over time, calibration, standings, skill curves.

        >>> import prowess as pw
        >>> found = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo"])
        >>> found.report().sections[0].title
        'Which model to use'
        """
        return report.report(self)

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write the report as one page that needs no network; its name ends in .html.

        >>> from pathlib import Path; from tempfile import TemporaryDirectory
        >>> import prowess as pw
        >>> found = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo"])
        >>> with TemporaryDirectory() as folder:
        ...     found.to_html(Path(folder, "elo.html"))
        ...     "<h2>Which model to use</h2>" in Path(folder, "elo.html").read_text(encoding="utf-8")
        True
        """
        check_report_path(path)
        self.report().save(path)

    @property
    def history(self) -> History:
        """The history that the models were compared on.

        >>> import prowess as pw
        >>> pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]), ["elo"]).history
        History(1 match, 2 players, places)
        """
        return self.rows.history

    def __len__(self) -> int:
        """Count the scored matches; one that several runs scored counts for each of them."""
        return len(self.rows)

    def known(self, model: str) -> str:
        """The name of a model, if it is one of these.

        >>> import prowess as pw
        >>> pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]), ["elo"]).known("Elo")
        'Elo'
        """
        if model not in self.models:
            raise Error(f"no model is called {model!r}; there are {', '.join(self.models)}", field="model", value=model)
        return model

    @cached_property
    def _all(self) -> View:
        return self.resampling.view(np.arange(len(self)), self.rows.match, self.history)

    def view(self, where: ArrayLike | None = None) -> View:
        """The rows that a mask chooses, grouped and resampled.

        >>> import prowess as pw
        >>> pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 3), ["elo"]).view().picked
        array([0, 1, 2])
        """
        return (
            self._all if where is None else self.resampling.view(self.rows.pick(where), self.rows.match, self.history)
        )

    @cached_property
    def _known(self) -> dict[Measure, dict[str, Resampled]]:
        """What has been found for all rows, by measure and model."""
        return {}

    def resampled(self, measure: str | Measure | None = None, where: ArrayLike | None = None) -> dict[str, Resampled]:
        """A measure of every model that it can be told of, also on every resampled history.

        >>> import prowess as pw
        >>> found = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo"])
        >>> len(found.resampled("brier")["Elo"].values)
        1000
        """
        return self.found(self.measure(measure), self.view(where))

    def found(self, measure: Measure, view: View) -> dict[str, Resampled]:
        """A measure of all models that it can be told of, over a view of the rows.

        >>> import prowess as pw
        >>> made = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 3), ["elo"])
        >>> list(made.found(made.measure("brier"), made.view()))
        ['Elo']
        """
        if view is self._all and measure in self._known:
            return self._known[measure]
        sums = {
            name: self.rows.sums(self.scored[name], measure, view.picked, view.groups)
            for name, model in self.models.items()
            if measure.fits(model)
        }
        found = view.draws.measures({name: one for name, one in sums.items() if not np.isnan(one.value)})
        if view is self._all:
            self._known[measure] = found
        return found

    def measure(self, name: str | Measure | None = None) -> Measure:
        """One of the measures by name; the first without one.

        >>> import prowess as pw
        >>> found = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]), ["elo"])
        >>> found.measure().title
        'log loss'
        """
        if name is None:
            return self.measures[0]
        for measure in self.measures:
            if name in (measure, measure.name):
                return measure
        other, known = MEASURES.get(name) if isinstance(name, str) else name, [one.name for one in self.measures]
        kept = any(measure.chances for measure in self.measures)
        if kept and isinstance(other, Measure) and other.chances and other.name not in known:
            return other  # the columns that it needs are there
        raise Error(
            f"{getattr(name, 'name', name)!r} was not measured; there are {', '.join(known)}",
            field="measure",
            value=name,
        )

    def intervals(self, measure: str | Measure | None = None, where: ArrayLike | None = None) -> dict[str, Interval]:
        """A measure of every model that it can be told of, with its interval, the best model first.

        >>> import prowess as pw
        >>> found = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo", "glicko"])
        >>> list(found.intervals("brier"))
        ['Glicko', 'Elo']
        """
        wanted = self.measure(measure)
        found = {name: one.interval for name, one in self.resampled(wanted, where).items()}
        if not found:
            raise Error(
                f"{wanted.name} can be told of none of these matches: choose others, or another measure",
                field="measure",
                value=wanted.name,
            )
        sign = -1.0 if wanted.higher else 1.0
        return dict(sorted(found.items(), key=lambda item: sign * item[1].value))

    @property
    def best(self) -> str:
        """The model that is best by the first measure.

        >>> import prowess as pw
        >>> pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo", "glicko"]).best
        'Glicko'
        """
        return next(iter(self.intervals()))

    @cached_property
    def sureness(self) -> float:
        """The share of resampled histories on which the best model is the best, too; where n are, it counts 1/n.

        >>> import prowess as pw
        >>> pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo", "glicko"]).sureness
        1.0
        """
        found = self.resampled()
        values = np.stack([one.values for one in found.values()])
        if np.isnan(values).any():
            return float("nan")
        first = values == (np.max if self.measure().higher else np.min)(values, axis=0)
        return float(np.mean(first[list(found).index(self.best)] / first.sum(axis=0)))
