"""`discover`: what in a history helps to predict its matches, column by column."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from time import monotonic
from typing import TYPE_CHECKING, Any

from ...errors import Error
from ...history import History
from ...model.model import Model
from ...model.presets import TrueSkill
from ...model.statistic_words import StatisticWord
from ...text import count, join_words
from ...validate import scale
from ..charts.discovery import effect_chart, gain_chart
from ..interval import NORMAL, Interval
from ..report import Report, Section, check_report_path
from .choice import Choice
from .choosing import COLUMN, ENOUGH_TO_TUNE, Spans, Step
from .run import LEAST_MATCHES, Run

if TYPE_CHECKING:
    import polars as pl

    from ...model.fit.fit import Fit

# Decisions that are about something in the file besides its columns: what the option means, and the words for it.
ASPECTS = {
    ("home advantage", "learnt"): "home advantage",
    ("family", "score difference"): "margin of victory",
    ("family", "scores of both teams"): "scores",
    ("family", "counts"): "scores as counts",
    ("drift", "with time"): "time between matches",
    ("seasons", "carry-over"): "breaks between seasons",
}
USES = {
    "a deviation of each player": "players differ by it",
    "an effect of each value": "its values have effects",
    "a weight": "it has a weight",
    "a statistic of each player": "it shows who played well",
}
FLAGS = {kind: f"--{kind}" for kind in ("slope", "shared", "covariate", "experience")} | {"by": "--facet"}
MOST_EFFECTS = 12  # values of an effect in a chart
DIGITS = 4


@dataclass(frozen=True)
class Finding:
    """What one column, or one aspect of the matches, gains on later matches, and whether the model uses it.

    The interval is that of all findings together: with a probability of 95 %, all of them contain the true gains.
    """

    what: str
    use: str
    gain: Interval
    kept: bool

    @property
    def sentence(self) -> str:
        """The finding in words."""
        figures = self.gain.words(DIGITS)
        if self.kept:
            verdict = "matters" if self.gain.above_zero else "probably matters"
            return f"{self.what}: {verdict}, {figures} nats a match; {self.use}."
        if self.gain.above_zero:
            return f"{self.what}: {figures} nats a match, but the model does without it."
        return f"{self.what}: {'nothing beyond noise' if self.gain.within_noise else 'only worse'}, {figures}."


@dataclass(frozen=True, eq=False, repr=False)
class Discovery:
    """What matters in a history. `choice` has the model with all that was kept, and every option that was tried.

    >>> import prowess as pw
    >>> found = pw.discover(pw.simulate(pw.TrueSkill(beta=12), 500, 12).history)
    >>> found.model == found.choice.model
    True
    """

    choice: Choice

    @property
    def model(self) -> Model:
        """The model with everything that was found, tuned on all matches.

        >>> import prowess as pw
        >>> found = pw.discover(pw.simulate(pw.TrueSkill(beta=12), 500, 12).history)
        >>> found.model.context_columns
        ()
        """
        return self.choice.model

    @cached_property
    def fit(self) -> Fit:
        """The model, fitted to the whole history.

        >>> import prowess as pw
        >>> found = pw.discover(pw.simulate(pw.TrueSkill(beta=12), 500, 12).history)
        >>> found.fit.leaderboard().height
        12
        """
        return self.choice.fit

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What was tried, the largest gain first; of several uses of a column, the one that gained most.

        >>> import prowess as pw
        >>> found = pw.discover(pw.simulate(pw.TrueSkill(beta=12), 500, 12).history)
        >>> found.findings
        ()
        """
        best: dict[str, Step] = {}
        for step in self.choice.tried:
            what = _subject(step)
            if what and (what not in best or (step.kept, step.gain.value) > (best[what].kept, best[what].gain.value)):
                best[what] = step
        width = NormalDist().inv_cdf(1.0 - 0.025 / max(len(best), 1)) / NORMAL
        found = [
            Finding(what, USES.get(step.option, "the model uses it"), _widened(step.gain, width), step.kept)
            for what, step in best.items()
        ]
        return tuple(sorted(found, key=lambda one: (not one.kept, -one.gain.value)))

    @property
    def table(self) -> pl.DataFrame:
        """The findings as a table: what, use, gain, low, high, kept.

        >>> import prowess as pw
        >>> found = pw.discover(pw.simulate(pw.TrueSkill(beta=12), 500, 12).history)
        >>> found.table.columns
        ['what', 'use', 'gain', 'low', 'high', 'kept']
        """
        import polars as pl

        schema = {"what": pl.String, "use": pl.String} | dict.fromkeys(("gain", "low", "high"), pl.Float64)
        rows = [(one.what, one.use if one.kept else "", *one.gain, one.kept) for one in self.findings]
        return pl.DataFrame(rows, schema=schema | {"kept": pl.Boolean}, orient="row")

    @property
    def sentences(self) -> tuple[str, ...]:
        """The findings in words, and remarks about columns that were not tried.

        >>> import prowess as pw
        >>> found = pw.discover(pw.simulate(pw.TrueSkill(beta=12), 500, 12).history)
        >>> found.sentences[-1]
        'No column of these matches could be tried.'
        """
        return (*(one.sentence for one in self.findings), *self.limits, *self.choice.remarks)

    @property
    def limits(self) -> tuple[str, ...]:
        """Say why no column was tried, if there are too few matches or no suitable columns.

        >>> import prowess as pw
        >>> pw.discover(pw.simulate(pw.TrueSkill(beta=12), 100, 12).history).limits
        ('Columns are tried only if there are at least 400 matches.',)
        """
        if any(step.decision.startswith(COLUMN) for step in self.choice.tried):
            return ()
        if not self.choice.spans.tuned:
            return (f"Columns are tried only if there are at least {ENOUGH_TO_TUNE} matches.",)
        return ("No column of these matches could be tried.",)

    def __str__(self) -> str:
        """Return all sentences, a line each."""
        return "\n".join(self.sentences)

    def __repr__(self) -> str:
        kept = [one.what for one in self.findings if one.kept]
        return f"Discovery({join_words(kept) if kept else 'nothing'})"

    def command(self, *files: str | os.PathLike[str]) -> str:
        """Return the command that rates files with the columns that were found.

        >>> import prowess as pw
        >>> found = pw.discover(pw.simulate(pw.TrueSkill(beta=12), 500, 12).history)
        >>> found.command("matches.csv")
        'prowess rate matches.csv'
        """
        words = ["prowess", "rate", *map(str, files or ("FILE",))]
        for facet in self.model.facets:
            values = (value if isinstance(value, str) else f"{value:g}" for value in facet.arguments)
            words += [FLAGS[facet.kind], ",".join(values)]
        for one in self.model.statistics:
            words += ["--statistic", StatisticWord(one.column, lower=one.lower or None, per=one.per or None).text]
        return shlex.join(words)

    @property
    def code(self) -> str:
        """Python code that builds the model.

        >>> import prowess as pw
        >>> found = pw.discover(pw.simulate(pw.TrueSkill(beta=12), 500, 12).history)
        >>> found.code[:27]
        'import json, prowess as pw;'
        """
        plain = json.dumps(self.model.to_dict())
        return f"import json, prowess as pw; model = pw.Model.from_dict(json.loads({plain!r}))"

    def to_dict(self) -> dict[str, Any]:
        """Return the discovery as plain data for JSON.

        >>> import prowess as pw
        >>> found = pw.discover(pw.simulate(pw.TrueSkill(beta=12), 500, 12).history)
        >>> found.to_dict()["findings"]
        []
        """
        return {
            "findings": self.table.to_dicts(),
            "sentences": list(self.sentences),
            "model": self.model.to_dict(),
            "parts": list(self.choice.parts),
            "command": self.command(),
            "fits": self.choice.fits,
        }

    def report(self, *files: str | os.PathLike[str]) -> Report:
        """Return a report with the findings, the effects as charts, the model, and how to use it.

        >>> import prowess as pw
        >>> found = pw.discover(pw.simulate(pw.TrueSkill(beta=12), 500, 12).history)
        >>> [section.title for section in found.report().sections]
        ['What matters', 'The model', 'How to use it', 'How this was measured']
        """
        spans, table = self.choice.spans, self.table
        kept = frozenset((row, "what") for row, one in enumerate(table["kept"]) if one)
        chart = gain_chart(table) if len(table) else None
        sections = [Section("What matters", "\n\n".join(self.sentences), table.drop("kept"), chart, bold=kept)]
        effects = self.fit.effects
        if len(effects):
            for name in dict.fromkeys(effects["facet"]):
                own = effects.filter(effects["facet"] == name).head(MOST_EFFECTS)
                sections.append(Section(f"Effects of {name}", chart=effect_chart(own, str(name))))
        deviations = self.fit.deviations
        if len(deviations):
            clear = deviations.sort(deviations["mu"].abs() / deviations["sigma"], descending=True)
            text = "The clearest deviations of players from their own skills."
            sections.append(Section("Deviations", text, clear.head(MOST_EFFECTS)))
        use = f"{self.command(*files)}\n\n{self.code}"
        parts = f"{join_words(self.choice.parts)}."
        sections.append(Section("The model", parts, self.choice.parameters))
        sections.append(Section("How to use it", use))
        tuned = f"were tuned on the first {spans.tuned:,} matches" if spans.tuned else "are usual in other leagues"
        method = (
            f"Every match was forecast before the model learnt its result. Parameters {tuned}, and gains were measured "
            f"on the other {spans.decided - spans.tuned:,} matches, in nats "
            "of log loss. The intervals are wide enough that, with a probability of 95 %, all of them contain the true "
            "gains. A column is kept only if it is related to results more clearly than one of all columns tried "
            "would be by chance in one history of a hundred."
        )
        return Report("What matters in these matches", (*sections, Section("How this was measured", method)))

    def to_html(self, path: str | os.PathLike[str], *files: str | os.PathLike[str]) -> None:
        """Write the report as a self-contained .html page that works offline.

        >>> from pathlib import Path; from tempfile import TemporaryDirectory
        >>> import prowess as pw
        >>> found = pw.discover(pw.simulate(pw.TrueSkill(beta=12), 500, 12).history)
        >>> with TemporaryDirectory() as folder:
        ...     found.to_html(Path(folder, "found.html"))
        ...     "<h2>What matters</h2>" in Path(folder, "found.html").read_text(encoding="utf-8")
        True
        """
        check_report_path(path)
        self.report(*files).save(path)


def discover(
    history: History,
    *,
    covariates: Collection[str] = (),
    seconds: float | None = None,
    progress: bool | None = None,
) -> Discovery:
    """Find out what in a history helps to predict its matches: columns, home advantage, scores, time.

    Each column is tried as a deviation of the players, an effect, a covariate or a statistic (see `auto`). Unlike
    `auto`, it keeps no matches to judge the model that it finds: parameters are tuned on the first half of the matches,
    and gains are measured on the second. Columns that may be known only after a match are used as statistics or not at
    all, unless they are named in `covariates`.

    >>> import prowess as pw
    >>> found = discover(pw.simulate(pw.TrueSkill(beta=12), 500, 12).history)
    >>> found
    Discovery(nothing)
    """
    if not isinstance(history, History):
        raise Error(f"discover needs a History, not {type(history).__name__}")
    if len(history) < LEAST_MATCHES:
        matches = count(len(history), "match", "matches")
        raise Error(f"{matches} are too few to find out what matters; at least {LEAST_MATCHES} are needed")
    deadline = float("inf") if seconds is None else monotonic() + scale("seconds", seconds)
    allowed = [covariates] if isinstance(covariates, str) else list(covariates)
    spans = Spans.undivided(len(history))
    return Discovery(Run(history, spans, deadline, None, progress, TrueSkill(), allowed, True).choice())


def _subject(step: Step) -> str:
    if step.decision.startswith(COLUMN):
        return step.decision.removeprefix(COLUMN)
    return ASPECTS.get((step.decision, step.option), "")


def _widened(gain: Interval, width: float) -> Interval:
    value, low, high = gain
    return Interval(value, value - width * (value - low), value + width * (high - value))
