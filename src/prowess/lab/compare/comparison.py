"""The result of a comparison: tables, differences, curves and a report, computed from scored matches."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import Error
from ...history import History, show_time
from ...model.model import Model
from ...progress import steps
from ...validate import number
from ..bootstrap import Resampled, Resampling, View
from ..charts.theme import thin
from ..forecast_chunks import Refit
from ..interval import Interval
from ..measures import Calibration, Tally
from ..measures.aggregate import GROUPED, LARGEST_GROUP, Groups
from ..measures.registry import MEASURES, Measure
from ..protocols import Protocol, label_codes
from ..report import check_report_path
from . import report, verdict
from .home_gain import HomeGain, find_home_gain
from .scoring import ModelScores, Rows
from .training import RunChoice

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

    from ...model.fit.fit import Fit
    from ..report import Report


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """The result of `pw.compare`: models scored on the same matches.

    The first of the `measures` decides which model is best. The parameter `where` of the methods is always a mask over
    the history's matches, such as the masks of `pw.lab.slices`. Everything is computed on demand.

    Some models, such as "auto", are set up from training matches in every run of the protocol. `chosen` maps their
    names to one `RunChoice` per run, with the `model` and its `parts` in words; `models` has the model of the last run.
    `refits` has the names of the models that were refitted again and again. `revealing` names columns of facets that
    say more about the results than is known before a match.

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
    chosen: Mapping[str, tuple[RunChoice, ...]] = field(default_factory=dict)
    refits: Mapping[str, Refit] = field(default_factory=dict)
    revealing: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return the answer in one sentence; if models cannot be compared, return the reason instead of raising it."""
        try:
            return verdict.headline(self)
        except Error as error:
            return f"Comparison of {len(self.models)} models over {len(self):,} matches: {error}"

    def table(self, where: ArrayLike | None = None) -> pl.DataFrame:
        """Return all measures with their intervals, one row per model: model, log_loss, log_loss_low, log_loss_high, ….

        A measure that does not apply to a model is null. `where` is a mask that selects matches of the history.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9)
        >>> comparison = pw.lab.compare(history, ["elo", "glicko"])
        >>> comparison.table(where=pw.lab.slices.after(history, 5))["log_loss"].round(3).to_list()
        [0.332, 0.077]
        """
        import polars as pl

        columns: dict[str, Any] = {"model": list(self.models)}
        view = self.view(where)
        for index in steps(range(len(self.measures)), "measuring"):
            measure = self.measures[index]
            intervals = {name: resampled.interval for name, resampled in self._resample(measure, view).items()}
            for part, ending in enumerate(("", "_low", "_high")):
                cells = [intervals[name][part] if name in intervals else None for name in self.models]
                columns[measure.name + ending] = pl.Series(cells, dtype=pl.Float64).fill_nan(None)
        return pl.DataFrame(columns)

    def differences(self, baseline: str | None = None, where: ArrayLike | None = None) -> pl.DataFrame:
        """Return the differences from a baseline, or from the best model by each measure, with paired intervals.

        The columns are measure, model, baseline, difference (model − baseline), low, high and within_noise.
        `within_noise` means that the interval contains 0: these matches cannot show which of the two models is better.
        The best model was chosen on the same matches, which favours that model a little, so do not rely on a
        difference that is only just beyond noise.

        >>> import prowess as pw
        >>> comparison = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo", "glicko"])
        >>> comparison.differences().row(0, named=True)["within_noise"]
        False
        """
        import polars as pl

        if baseline is not None:
            self._check_model(baseline)
        view, rows = self.view(where), []
        for measure in self.measures:
            models = self._resample(measure, view)
            # The best model may differ from measure to measure.
            base = baseline or (measure.best({name: model.value for name, model in models.items()}) if models else "")
            for name in models:
                if name != base and base in models:
                    difference = models[name].less(models[base])
                    rows.append((measure.name, name, base, *difference, difference.within_noise))
        schema: dict[str, Any] = dict.fromkeys(("measure", "model", "baseline"), pl.String)
        schema |= dict.fromkeys(("difference", "low", "high"), pl.Float64) | {"within_noise": pl.Boolean}
        return pl.DataFrame(rows, schema=schema, orient="row").fill_nan(None)

    def tally(self, model: str, measure: str | Measure | None = None, where: ArrayLike | None = None) -> Tally:
        """Return the contribution of every scored match to a measure of a model.

        Without `where`, `Comparison.rows.match` has the indices of these matches in the history.

        >>> import prowess as pw
        >>> comparison = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo"])
        >>> comparison.tally("Elo").values[0].round(3)
        np.float64(0.693)
        """
        return self.rows.tally(self.scored[self._check_model(model)], self.measure(measure), self.rows.pick(where))

    def pairwise(self, measure: str | Measure | None = None, where: ArrayLike | None = None) -> pl.DataFrame:
        """Count the matches that the model of a row predicted better than the model of a column.

        Nikolenko, Sirotkin (2011) compare models in this way. The two counts of a pair of models need not add up to the
        number of matches, because two models may predict a match equally well.

        >>> import prowess as pw
        >>> comparison = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo", "glicko"])
        >>> comparison.pairwise().rows()
        [('Elo', 0, 0), ('Glicko', 8, 0)]
        """
        import polars as pl

        measure = self.measure(measure)
        names = [name for name in self.models if self._applies(measure, name)]
        sign = -1.0 if measure.higher else 1.0
        # The sign makes lower better for every measure.
        columns = [sign * self.tally(name, measure, where).values for name in names]
        counts = [[int(np.count_nonzero(column < other)) for column in columns] for other in columns]
        return pl.DataFrame({"model": names} | dict(zip(names, counts, strict=True)))

    def over_time(self, window: int = 50, measure: str | Measure | None = None) -> pl.DataFrame:
        """Return a measure over a sliding window of matches. The columns are model, match, time (if known) and value.

        A value covers the last `window` scored matches up to `match`. For very long histories, only a selection of the
        points is returned.

        >>> import prowess as pw
        >>> comparison = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo"])
        >>> comparison.over_time(window=8)["value"].round(3).to_list()
        [0.471, 0.42]
        """
        import polars as pl

        if number("window", window) != int(window) or not 1 <= window <= len(self):
            message = f"window must be from 1 to {len(self)}, the number of scored matches, not {window!r}"
            raise Error(message, field="window", value=window)
        measure, history, frames = self.measure(measure), self.history, []
        # Rows are ordered by run, but a window slides over time.
        order = np.argsort(self.rows.match, kind="stable")
        for name in self.models:
            if not self._applies(measure, name):
                continue
            tally = self.tally(name, measure)
            values = Tally(tally.total[order], tally.weight[order]).window(int(window))
            measured = np.flatnonzero(~np.isnan(values))
            # A chart cannot show more points than it has pixels.
            at = measured[thin(len(measured))]
            match = self.rows.match[order[at]]
            columns: dict[str, Any] = {"model": np.full(len(at), name), "match": match}
            if history.time is not None and history.time_kind is not None:
                times = history.time[match]
                columns["time"] = [show_time(history.time_kind, history.time_zone, when) for when in times]
            frames.append(pl.DataFrame(columns | {"value": values[at]}))
        return pl.concat(frames)

    def by(self, labels: ArrayLike | None = None) -> pl.DataFrame:
        """Return the measures of every model, grouped by labels of the matches, such as seasons.

        `labels` holds one label per match of the history; by default, the protocol's runs are the labels.

        >>> import prowess as pw
        >>> comparison = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 4), ["elo"])
        >>> comparison.by(["first", "first", "last", "last"])["log_loss"].round(3).to_list()
        [0.649, 0.503]
        """
        import polars as pl

        group, names = self.rows.run, list(self.rows.labels)
        if labels is not None:
            codes, names = label_codes(self.history, labels)
            group = codes[self.rows.match]
        groups, frames = Groups(group, len(names)), []
        count = np.bincount(group, minlength=len(names))
        for name in self.models:
            columns: dict[str, Any] = {"label": names, "model": np.full(len(names), name), "matches": count}
            for measure in self.measures:
                columns[measure.name] = pl.Series(self._group_values(name, measure, groups), nan_to_null=True)
            frames.append(pl.DataFrame(columns))
        return pl.concat(frames).filter(pl.col("matches") > 0)

    def _group_values(self, name: str, measure: Measure, groups: Groups) -> Any:
        # The value of a group is NaN if the measure cannot be computed.
        values = np.full(groups.number, np.nan)
        if not self._applies(measure, name):
            return values
        rows, scored, every = self.rows, self.scored[name], np.arange(len(self))
        if measure.tally is not None:
            sums = rows.sums(scored, measure, every, groups)
            return sums.combine(sums.parts)
        grouped = GROUPED.get(measure.sums)
        # For larger groups the bin edges come from a sample, which the grouped computation cannot draw.
        if grouped is not None and np.bincount(groups.of).max() <= LARGEST_GROUP:
            return grouped(rows.parts(scored, every), groups)
        # One sort is faster than a mask over all rows for every group.
        order = np.argsort(groups.of, kind="stable")
        ends = np.cumsum(np.bincount(groups.of, minlength=groups.number))[:-1]
        for group, picked in enumerate(np.split(order, ends)):
            if len(picked):
                values[group] = rows.sums(scored, measure, picked, Groups(np.zeros(len(picked), np.intp), 1)).value
        return values

    def calibration(self, where: ArrayLike | None = None) -> pl.DataFrame:
        """Return a frame of expected and observed frequencies: model, count, expected, happened, stderr.

        All bins have about the same number of forecasts.

        >>> import prowess as pw
        >>> comparison = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo"])
        >>> comparison.calibration()["happened"].unique().sort().to_list()
        [0.0, 0.6666666666666666, 1.0]
        """
        import polars as pl

        frames = []
        for name, resampled in self.resampled("calibration_error", where).items():
            bins = Calibration.from_sums(*np.split(resampled.sums.parts.sum(axis=0), 3))
            frames.append(bins.to_frame().select(pl.lit(name).alias("model"), pl.all()))
        if not frames:
            raise Error("calibration needs matches of exactly two teams, and there are none here")
        return pl.concat(frames)

    def chart(self, where: ArrayLike | None = None) -> alt.TopLevelMixin:
        """Chart all measures of all models with their intervals.

        >>> import prowess as pw
        >>> comparison = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo"])
        >>> comparison.chart().to_dict()["title"]["text"]
        'Measures of 1 model over 9 matches'
        """
        return report.measures_chart(self, where)

    def fit(self, model: str | None = None) -> Fit:
        """Fit a model, by default the best one, to the whole history, to get its standings, skill curves and ladder.

        A model in `chosen` is fitted as it was set up in the last run; use `pw.auto(history)` to choose by all matches.

        >>> import prowess as pw
        >>> comparison = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo", "glicko"])
        >>> comparison.fit().leaderboard()["player"].to_list()
        ['ann', 'bob']
        """
        name = self.best if model is None else self._check_model(model)
        refit = self.refits.get(name)
        if refit is None:
            return self.models[name].fit(self.history)
        return self.models[name].fit(self.history, refit=refit.every, window=refit.window)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain data for JSON: the best model, its `sureness`, measures, differences and more.

        >>> import prowess as pw
        >>> comparison = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo", "glicko"])
        >>> list(comparison.to_dict())[:6]
        ['best', 'answer', 'notes', 'sureness', 'matches', 'protocol']
        """
        return report.to_plain(self)

    def report(self) -> Report:
        """Return a report: the answer, measures, differences, error over time, calibration, standings, skill curves.

        >>> import prowess as pw
        >>> comparison = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo"])
        >>> comparison.report().sections[0].title
        'Which model to use'
        """
        return report.make_report(self)

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write the report as a self-contained .html page.

        >>> from pathlib import Path; from tempfile import TemporaryDirectory
        >>> import prowess as pw
        >>> comparison = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo"])
        >>> with TemporaryDirectory() as folder:
        ...     comparison.to_html(Path(folder, "elo.html"))
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
        """Count the scored matches; a match scored by several runs counts once per run."""
        return len(self.rows)

    def _check_model(self, name: str) -> str:
        if name not in self.models:
            message = f"no model named {name!r}; available: {', '.join(self.models)}"
            raise Error(message, field="model", value=name)
        return name

    def _applies(self, measure: Measure, name: str) -> bool:
        models = [choice.model for choice in self.chosen.get(name, ())] or [self.models[name]]
        return all(map(measure.fits, models))

    @cached_property
    def _all(self) -> View:
        return self.resampling.view(np.arange(len(self)), self.rows.match, self.history)

    def view(self, where: ArrayLike | None = None) -> View:
        """Return the rows that a mask selects, grouped and resampled.

        >>> import prowess as pw
        >>> pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 3), ["elo"]).view().picked
        array([0, 1, 2])
        """
        if where is None:
            return self._all
        return self.resampling.view(self.rows.pick(where), self.rows.match, self.history)

    @cached_property
    def _cache(self) -> dict[Measure, dict[str, Resampled]]:
        return {}

    def resampled(self, measure: str | Measure | None = None, where: ArrayLike | None = None) -> dict[str, Resampled]:
        """Return a measure's values on the history and on resampled histories, for every model that it applies to.

        >>> import prowess as pw
        >>> comparison = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo"])
        >>> len(comparison.resampled("brier")["Elo"].values)
        1000
        """
        return self._resample(self.measure(measure), self.view(where))

    def _resample(self, measure: Measure, view: View) -> dict[str, Resampled]:
        # Only measures over all rows are cached, because there are many masks, and comparing them is slow.
        if view is self._all and measure in self._cache:
            return self._cache[measure]
        sums = {
            name: self.rows.sums(self.scored[name], measure, view.picked, view.groups)
            for name in self.models
            if self._applies(measure, name)
        }
        # A measure may not apply to the selected matches.
        measured = {name: parts for name, parts in sums.items() if not np.isnan(parts.value)}
        resampled = view.draws.measures(measured)
        if view is self._all:
            self._cache[measure] = resampled
        return resampled

    def measure(self, name: str | Measure | None = None) -> Measure:
        """Return a measure, given by name or as a `Measure`; without a name, the first measure of the comparison.

        A measure that was not requested is available only if it needs nothing but stored win and draw probabilities;
        otherwise an `Error` is raised.

        >>> import prowess as pw
        >>> comparison = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]), ["elo"])
        >>> comparison.measure().title
        'log loss'
        """
        if name is None:
            return self.measures[0]
        for measure in self.measures:
            if name in (measure, measure.name):
                return measure
        other, names = MEASURES.get(name) if isinstance(name, str) else name, [own.name for own in self.measures]
        kept = any(measure.chances for measure in self.measures)
        if kept and isinstance(other, Measure) and other.chances and other.name not in names:
            return other  # another measure can be computed if the columns that it needs were kept
        message = f"{getattr(name, 'name', name)!r} was not measured; available: {', '.join(names)}"
        raise Error(message, field="measure", value=name)

    def intervals(self, measure: str | Measure | None = None, where: ArrayLike | None = None) -> dict[str, Interval]:
        """Return the value and interval of a measure for every model to which it applies, the best model first.

        >>> import prowess as pw
        >>> comparison = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo", "glicko"])
        >>> list(comparison.intervals("brier"))
        ['Glicko', 'Elo']
        """
        measure = self.measure(measure)
        intervals = {name: resampled.interval for name, resampled in self.resampled(measure, where).items()}
        if not intervals:
            message = f"{measure.name} does not apply to any of these matches: choose other matches or another measure"
            raise Error(message, field="measure", value=measure.name)
        sign = -1.0 if measure.higher else 1.0
        return dict(sorted(intervals.items(), key=lambda item: sign * item[1].value))

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
        """The share of resampled histories on which the best model is also best; a tie of n models counts 1/n.

        >>> import prowess as pw
        >>> pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo", "glicko"]).sureness
        1.0
        """
        models = self.resampled()
        values = np.stack([model.values for model in models.values()])
        # At least one resampled history had too few matches for the measure.
        if np.isnan(values).any():
            return float("nan")
        first = values == (np.max if self.measure().higher else np.min)(values, axis=0)
        return float(np.mean(first[list(models).index(self.best)] / first.sum(axis=0)))

    @cached_property
    def home_gain(self) -> HomeGain | None:
        """How much a learnt home advantage would help the best of the models without a home advantage.

        `home_gain.model` is that model, and `home_gain.gain` is the improvement of the first measure with its interval.
        The value is None if no scored match has a home team, or if there is no model to which a home advantage can be
        added. Computing it takes one more fit for each run of the protocol.

        >>> import prowess as pw
        >>> wins = [{"teams": [["ann"], ["bob"]], "home": 0}, {"teams": [["bob"], ["ann"]], "home": 0}] * 20
        >>> pw.lab.compare(pw.History.from_matches(wins), ["elo"]).home_gain.gain.above_zero
        True
        """
        return find_home_gain(self)
