"""`auto`: choose a model for a history, using nothing but the history."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import ExitStack
from dataclasses import replace
from importlib.util import find_spec
from time import monotonic
from typing import Any

import numpy as np

from ...errors import Error, Option, Piece, Remark
from ...history import History
from ...model.components.facet import Facet
from ...model.components.statistic import Statistic
from ...model.compose import compose
from ...model.ladder.facet_rows import check_columns
from ...model.model import Model
from ...model.presets import TrueSkill
from ...optional import import_extra
from ...progress import track
from ...text import join_words
from ...validate import scale
from ..interval import Interval
from ..parallel import count_processes
from .base_rates import base_rate_losses
from .choice import Choice
from .choosing import Candidate, Chooser, Spans, expected_gain, paired_gain
from .columns import Columns, revealing_columns, revealing_text
from .designs import Design, FacetKey, facet_key
from .evaluation import Evaluator, OutOfTime
from .facts import Facts
from .parameters import Values

LEAST_MATCHES = 20  # with fewer matches, textbook TrueSkill is used
SLICE = 50_000  # entries (players in matches) that the search uses, the latest ones; more only make it slower
FINAL_SLICE = 60_000  # entries that the final tuning uses, the latest ones
BUDGET = 400  # fits for all decisions; none of the shared data sets needs more
FEW = 200  # with fewer matches, only these parameters are tuned; all others keep their usual values:
FEW_PARAMETERS = ("beta", "draw_probability")
PARALLEL_ENTRIES = 20_000  # with fewer entries, starting processes takes longer than it saves

Figures = tuple[Interval, Interval, Interval]  # loss, gain over textbook TrueSkill, gain over forecasts without skills


def auto(
    history: History,
    *,
    facets: bool | Collection[Facet] = True,
    statistics: bool | Collection[Statistic] = True,
    covariates: Collection[str] = (),
    hindsight: bool = False,
    jobs: int | None = None,
    seconds: float | None = None,
    progress: bool | None = None,
) -> Choice:
    """Choose a model and its parameters for a history, and report the gain on matches not used for the choice.

    One decision after another is made: on the model's family, team function, home advantage, drift, share of draws,
    level of newcomers, and seasons. Each option is tuned on early matches. It is kept only if it is expected to lower
    the loss, given its gain on later matches and its usual gain in other leagues. The result is judged on the last
    fifth of the matches; then the parameters are tuned on all matches. With fewer than 200 matches, most parameters
    keep the values that are usual in other leagues.

    Then every column of the context is tried as a facet (see `pw.facet`): columns of few values as deviations of the
    players, columns of sides also as effects, numbers of sides as covariates. A column is kept only if it gains more on
    later matches than noise explains, given how many columns are tried. Columns that may be known only after the match,
    such as kills or laps, are not tried unless they are named in `covariates`; the remarks list them. If they are
    numbers of players or teams, they are tried as statistics instead (see `pw.statistic`), which forecasts do not use.
    If `facets` is false, no column is tried; if `statistics` is false, none is tried as a statistic. `facets` can also
    be facets that the model must have, such as `[pw.facet.By("surface")]`; their numbers are tuned, and other columns
    are still tried. The same holds for `statistics`. If `hindsight` is true, only models that can be fitted in
    hindsight are tried (see `Model.hindsight`).

    The same history always gives the same choice, unless `seconds`, a time limit, ends the search early. `jobs` is the
    number of processes; None uses all processors for large matches of many teams if joblib is installed. A progress
    bar appears after two seconds (`progress=None`), at once (True) or never (False).

    >>> import prowess as pw
    >>> choice = auto(pw.simulate(pw.TrueSkill(beta=12), 400, 12).history)
    >>> choice.judged
    80
    """
    if not isinstance(history, History):
        raise Error(f"auto needs a History, not {type(history).__name__}")
    deadline = float("inf") if seconds is None else monotonic() + scale("seconds", seconds)
    if jobs is not None:
        jobs = count_processes(jobs)
    allowed = [covariates] if isinstance(covariates, str) else list(covariates)
    _check_covariates(history, allowed)
    base = TrueSkill() if isinstance(facets, bool) else _textbook_with(history, facets)
    if not isinstance(statistics, bool):
        base = base.replace(statistics=tuple(statistics))
        check_columns(base, history)
    if len(history) < LEAST_MATCHES:
        return _textbook(history, base)
    if jobs is None:
        large = history.entries >= PARALLEL_ENTRIES and history.teams > 2 * len(history)
        jobs = count_processes(-1) if large and find_spec("joblib") else 1
    with ExitStack() as stack:
        parallel = stack.enter_context(import_extra("joblib", "joblib", "lab").Parallel(jobs)) if jobs > 1 else None
        spans, allowed_columns = Spans.of(len(history)), None if facets is False else allowed
        tries = statistics is not False
        return Run(history, spans, deadline, parallel, progress, base, allowed_columns, tries, hindsight).choice()


def _check_covariates(history: History, covariates: Collection[str]) -> None:
    known = [*history.context, *history.team_context, *history.entry_context]
    for name in covariates:
        if name not in known:
            have = f"; the matches have {join_words(known)}" if known else ""
            raise Error(f"there is no column {name!r}{have}", field="covariates", value=name)


def _textbook_with(history: History, facets: Collection[Facet]) -> Model:
    """Return textbook TrueSkill with facets; raise an `Error` if a facet does not suit the history."""
    words: dict[str, list[Any]] = {}
    for facet in facets:
        if (
            not isinstance(facet, Facet)
            or facet.sigma is not None
            or facet.tau
            or facet.mu
            or facet.traits
            or facet.per
        ):
            text = f"facets must be True, False or facets without numbers, such as [By('surface')], not {facet!r}"
            raise Error(text, field="facets", value=facet)
        word = "facet" if facet.kind == "by" else facet.kind
        words.setdefault(word, []).extend(facet.arguments)
    model = compose(TrueSkill(), history, **words)
    check_columns(model, history)
    return model


def _textbook_parts(model: Model) -> tuple[str, ...]:
    return ("textbook TrueSkill", *Design(facets=_keys(model)).facet_parts)


def _keys(model: Model) -> tuple[FacetKey, ...]:
    """Return how a design refers to the facets and statistics of a model."""
    return (*map(facet_key, model.facets), *(("statistic", one.column) for one in model.statistics))


def _textbook(history: History, model: Model) -> Choice:
    nothing = Interval(np.nan, np.nan, np.nan)
    remark = Remark("few-matches", (f"Fewer than {LEAST_MATCHES} matches are too few to choose a model.",))
    spans = Spans(0, 0, len(history), len(history))
    remarks = remark, *_revealing(history, model)
    return Choice(model, history, _textbook_parts(model), (), spans, nothing, nothing, nothing, remarks, 0)


def _revealing(history: History, model: Model, allowed: Collection[str] = ()) -> list[Remark]:
    """Return a remark if columns that the user names, for a facet or as covariates, may contain the result."""
    found = revealing_columns(history, [*allowed, *model.forecast_columns])
    return [Remark("revealing-columns", (revealing_text(found),))] if found else []


class Run:
    """One run of `auto`: search on the latest matches, then tune and judge on the whole history."""

    def __init__(
        self,
        history: History,
        spans: Spans,
        deadline: float,
        parallel: Any,
        progress: bool | None,
        base: Model,
        allowed: Sequence[str] | None,
        statistics: bool,
        hindsight: bool = False,
    ) -> None:
        self.history, self.deadline, self.parallel, self.progress = history, deadline, parallel, progress
        self.spans, self.hindsight = spans, hindsight
        self.base, self.facets = base, _keys(base)
        self.columns = Columns()
        # With few matches, no column can gain beyond the noise.
        if allowed is not None and self.spans.tuned:
            known = [*allowed, *base.forecast_columns]
            self.columns = Columns.of(history[: self.spans.decided], known).without(self.facets)
        named = {one.column for one in base.statistics}
        others = [column for column in self.columns.statistics if column.name not in named]
        self.tried = (*self.columns.usable, *(others if statistics else ()))
        start, spans = self._slice(self.spans.decided, SLICE)
        # The facts are measured only once, because the units of the parameters depend on them.
        self.facts = Facts.of(history[start : self.spans.decided], spans.tuned or spans.decided)
        self.facts = replace(self.facts, named=base.statistics)
        self.remarks: list[Remark] = []
        self.remarks += _revealing(history[: self.spans.decided], base, allowed or ())
        self.fits = 0

    def choice(self) -> Choice:
        """Search, judge and tune; return the result.

        >>> import prowess as pw
        >>> history = pw.simulate(pw.TrueSkill(beta=12), 400, 12).history
        >>> Run(history, Spans.of(400), float("inf"), None, False, pw.TrueSkill(), None, False).choice().judged
        80
        """
        chooser = self._chooser(self.spans.decided, SLICE)
        best = self._search(chooser)
        measured = None if best is None else best.gain_over(chooser.textbook())
        # A model that is probably worse than textbook TrueSkill is never chosen.
        # Facets that the user asked for may predict worse, but textbook TrueSkill with them would do so, too.
        if best is not None and measured is not None and (self.facets or expected_gain("parameters", measured) > 0.0):
            judged = self._tuned(best, self.spans.decided)
            figures = self._judge(self._build(best.design, judged))
            # The last matches of a small league are few, so they decide only together with the matches before them.
            total = measured.value * (self.spans.decided - self.spans.tuned) + figures[1].value * self._judged
            if self.facets or figures[1].above_zero is not False or total > 0.0:
                final = self._tuned(replace(best, values=judged), self.spans.matches) if self._judged else judged
                model, parts = self._build(best.design, final), best.design.parts(self.facts)
                self._remark_on(best.design, final)
                return self._choice(chooser, best.design, model, parts, figures)
            self._remark(
                "worse",
                "The tuned model predicted the last matches worse than textbook TrueSkill, by more than chance "
                "explains, so textbook TrueSkill is used.",
            )
        else:
            self._remark("not-better", "No other model is expected to predict better.")
        return self._choice(chooser, None, self.base, _textbook_parts(self.base), self._judge(self.base))

    def _remark(self, code: str, *pieces: Piece) -> None:
        self.remarks.append(Remark(code, pieces))

    def _choice(
        self, chooser: Chooser, design: Design | None, model: Model, parts: tuple[str, ...], figures: Figures
    ) -> Choice:
        steps, remarks = chooser.final_steps(design), tuple(self.remarks)
        return Choice(model, self.history, parts, steps, self.spans, *figures, remarks, self.fits)

    @property
    def _judged(self) -> int:
        return self.spans.matches - self.spans.decided

    def _build(self, design: Design, values: Values) -> Model:
        return design.build(self.facts, values.of(design.parameters(self.facts)))

    def _slice(self, stop: int, entries: int) -> tuple[int, Spans]:
        most = max(FEW, entries * len(self.history) // max(self.history.entries, 1))
        return replace(self.spans, decided=stop).slice(most)

    def _chooser(self, stop: int, entries: int) -> Chooser:
        start, spans = self._slice(stop, entries)
        part, sparse_until = self.history[start:stop], spans.tuned or stop - start
        kinds = [name for column in self.tried for name in self.facts.statistic_of(column.name).per or ()]
        tried = [column.name for column in self.tried]
        names = tuple(dict.fromkeys([*self.base.context_columns, *tried, *kinds]))
        evaluator = Evaluator(part, self.facts, spans.first, sparse_until, self.deadline, names, self.parallel)
        return Chooser(evaluator, spans, BUDGET, self.tried, self.facets, self.hindsight)

    def _search(self, chooser: Chooser) -> Candidate | None:
        best = None
        try:
            for candidate in track(chooser.choose(), "choosing a model", chooser.share_done, self.progress):
                best = candidate
        except OutOfTime:
            self._remark(
                "time-limit",
                "The time limit was reached before all decisions were made, so another run may choose differently.",
            )
        if chooser.skipped:
            skipped = ", ".join(chooser.skipped)
            self._remark("skipped", f"Not decided, because the search needed too many fits: {skipped}.")
        used = {*(column.name for column in self.tried), *self.base.context_columns}
        unused = [column.name for column in self.columns.statistics if column.name not in used]
        late = (*self.columns.doubtful, *unused, *dict.fromkeys(chooser.revealing))
        if late:
            text = f"Columns that may be known only after a match are not used: {join_words(late)}."
            self._remark(
                "late-columns", f"{text} If they are known before a match, use ", Option("covariates", [*late]), "."
            )
        observed = [column.name for column in self.tried if column.kinds == ("statistic",)]
        if observed:
            text = f"Numbers that may be known only after a match are tried as statistics only: {join_words(observed)}."
            self._remark(
                "statistics", f"{text} If they are known before a match, use ", Option("covariates", observed), "."
            )
        self.fits += chooser.evaluator.fits
        return best

    def _tuned(self, best: Candidate, stop: int) -> Values:
        chooser = self._chooser(stop, FINAL_SLICE)
        chooser.evaluator.sparse_until = len(chooser.evaluator.history)
        parameters = chooser.parameters(best.design)
        if len(self.history) < FEW:
            parameters = tuple(one for one in parameters if one.name in FEW_PARAMETERS)
        try:
            found = chooser.tune(best.design, best.values, len(chooser.evaluator.history), parameters)
        except OutOfTime:
            found = None
        self.fits += chooser.evaluator.fits
        return best.values if found is None else found.values

    def _remark_on(self, design: Design, values: Values) -> None:
        if len(self.history) < FEW:
            self._remark(
                "usual-values",
                f"There are fewer than {FEW} matches, so most parameters have values that are usual in other leagues.",
            )
        for one in design.parameters(self.facts):
            value = values.of([one])[one.name]
            if one.at_edge(value):
                self._remark("edge", f"The best value of {one.name}, {value:g}, is at the end of the searched range.")

    def _judge(self, model: Model) -> Figures:
        if not self._judged:
            nothing = Interval(np.nan, np.nan, np.nan)
            return nothing, nothing, nothing
        judge = Evaluator(self.history, self.facts, self.spans.decided, columns=model.context_columns)
        own = judge.model_losses(model, len(self.history))
        scored = judge.scored(model, len(self.history)) - self.spans.decided
        textbook = judge.model_losses(TrueSkill(), len(self.history))[scored]
        base = base_rate_losses(self.history)[self.spans.decided :][scored]
        self.fits += judge.fits
        zeros = np.zeros(len(own))
        return paired_gain(own, zeros), paired_gain(textbook, own), paired_gain(base, own)
