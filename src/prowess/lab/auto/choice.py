"""The result of the automatic choice: the model, what each decision gained, and a description in plain sentences."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...errors import Remark
from ...history import History
from ...model.model import Model
from ...model.presets import TrueSkill
from ...text import count, join_words
from ..interval import Interval
from ..report import Report, Section, check_report_path
from .choosing import Spans, Step

if TYPE_CHECKING:
    import polars as pl

    from ...model.fit.fit import Fit


@dataclass(frozen=True, eq=False, repr=False)
class Choice:
    """The model that `pw.auto` chose for a history, and how it was found.

    `loss` is the chosen model's log loss on the last matches, which no decision used. If matches have more than two
    teams, it is the loss per pair of teams. `gain` says how much lower this loss is than the loss of textbook
    TrueSkill. `skill_gain` says how much lower it is than the loss of forecasts that know only the share of draws and
    the home advantage. The loss and both gains have 95 % intervals. `notes` say what limits the choice, with the
    options that would change this.

    >>> import prowess as pw
    >>> choice = pw.auto(pw.simulate(pw.TrueSkill(beta=12), 400, 12).history)
    >>> choice.judged
    80
    """

    model: Model
    history: History
    parts: tuple[str, ...]
    tried: tuple[Step, ...]
    spans: Spans
    loss: Interval
    gain: Interval
    skill_gain: Interval
    notes: tuple[Remark, ...]
    fits: int

    @cached_property
    def fit(self) -> Fit:
        """The model, fitted to the whole history.

        >>> import prowess as pw
        >>> pw.auto(pw.simulate(pw.TrueSkill(), 300, 10).history).fit.leaderboard().height
        10
        """
        return self.model.fit(self.history)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences about what limits the choice: `notes` as text.

        >>> import prowess as pw
        >>> pw.auto(pw.simulate(pw.TrueSkill(), 19, 5).history).remarks
        ('Fewer than 20 matches are too few to choose a model.',)
        """
        return tuple(map(str, self.notes))

    @property
    def steps(self) -> pl.DataFrame:
        """A table with a row for each option that was tried, in the order of the trials.

        `gain` is measured on the deciding matches, `low` and `high` are the ends of its interval, and `kept` says
        whether the option became part of the model.

        >>> import prowess as pw
        >>> pw.auto(pw.simulate(pw.TrueSkill(), 300, 10).history).steps.columns
        ['decision', 'option', 'gain', 'low', 'high', 'kept']
        """
        import polars as pl

        numbers = dict.fromkeys(("gain", "low", "high"), pl.Float64)
        schema = {"decision": pl.String, "option": pl.String} | numbers | {"kept": pl.Boolean}
        rows = [(step.decision, step.option, *step.gain, step.kept) for step in self.tried]
        return pl.DataFrame(rows, schema=schema, orient="row")

    @property
    def lines(self) -> tuple[str, ...]:
        """Sentences that say which model was chosen, its gain over textbook TrueSkill, and how much skills help.

        >>> import prowess as pw
        >>> pw.auto(pw.simulate(pw.TrueSkill(), 19, 5).history).lines
        ('Model: textbook TrueSkill.', 'Fewer than 20 matches are too few to choose a model.')
        """
        return (*self.results, *self.remarks)

    @property
    def results(self) -> tuple[str, ...]:
        """The lines without the remarks.

        >>> import prowess as pw
        >>> pw.auto(pw.simulate(pw.TrueSkill(), 19, 5).history).results
        ('Model: textbook TrueSkill.',)
        """
        chosen = f"Model: {join_words(self.parts)}."
        if not self.judged:
            return (chosen,)
        unit = "nats per match" if self._two_teams else "nats per pair of teams"
        last = f"On the last {count(self.judged, 'match', 'matches')}"
        textbook = self.loss.value + self.gain.value
        if self.gain.value == 0.0:
            result = f"{last}, its log loss is {self.loss.value:.3f} {unit}."
        else:
            result = (
                f"{last}, which were not used for the choice, its log loss is {self.loss.value:.3f} {unit}; textbook "
                f"TrueSkill has {textbook:.3f} (difference {_signed(self.gain)})."
            )
        return (chosen, result, self._skill_line)

    @property
    def _skill_line(self) -> str:
        known = "a coin toss"
        if self._two_teams:
            known = "the share of draws" if self.history.home is None else "the share of draws and the home advantage"
        if self.skill_gain.above_zero:
            return f"Knowing the players gains {_signed(self.skill_gain)} over {known}."
        shown = _signed(self.skill_gain)
        return f"These matches do not show that knowing the players predicts better than {known} ({shown})."

    @property
    def _two_teams(self) -> bool:
        return self.history.teams == 2 * len(self.history)

    @property
    def judged(self) -> int:
        """The number of matches at the end of the history on which the chosen model was judged.

        >>> import prowess as pw
        >>> pw.auto(pw.simulate(pw.TrueSkill(), 100, 5).history).judged
        20
        """
        return self.spans.matches - self.spans.decided

    def __str__(self) -> str:
        """Return what was chosen and what it gained, in plain sentences."""
        return "\n".join(self.lines)

    def __repr__(self) -> str:
        """Show the model's parts."""
        return f"Choice({join_words(self.parts)})"

    def to_dict(self) -> dict[str, Any]:
        """Return the choice as plain data for JSON.

        >>> import prowess as pw
        >>> pw.auto(pw.simulate(pw.TrueSkill(), 500, 10).history).to_dict()["matches"]
        {'tuned': 200, 'decided': 200, 'judged': 100}
        """
        spans = self.spans
        return {
            "model": self.model.to_dict(),
            "parts": list(self.parts),
            "answer": str(self),
            "loss": self.loss._asdict(),
            "gain": self.gain._asdict(),
            "skill_gain": self.skill_gain._asdict(),
            "steps": self.steps.to_dicts(),
            "matches": {"tuned": spans.tuned, "decided": spans.decided - spans.tuned, "judged": self.judged},
            "remarks": list(self.remarks),
            "fits": self.fits,
        }

    def report(self) -> Report:
        """Return a report with the result, the decisions and the method.

        >>> import prowess as pw
        >>> [section.title for section in pw.auto(pw.simulate(pw.TrueSkill(), 300, 10).history).report().sections]
        ['Result', 'Decisions', 'The model', 'How this was measured']
        """
        spans, table = self.spans, self.steps
        kept = frozenset((row, "option") for row, one in enumerate(table["kept"]) if one)
        legend = (
            "All options that were tried, in order, and by how much each lowered the loss on the deciding matches, "
            "with 95 % intervals. An option was kept (bold) if it is expected to lower the loss. This expectation "
            "combines the measured gain with the usual gain in other leagues; with few matches, the usual gain counts "
            "more."
        )
        result = Section("Result", text="\n\n".join(self.lines))
        model = Section("The model", table=self.parameters)
        if not self.judged:
            return Report("The model chosen automatically", (result, model))
        tuned = f"tuned on the first {spans.tuned:,} matches" if spans.tuned else "that are usual in other leagues"
        after = (
            "."
            if self.model == TrueSkill()
            else ", with parameters tuned on all matches before them. Afterwards, the parameters were tuned once more, "
            "on all matches."
        )
        method = (
            f"Every match was forecast before the model learnt its result. Decisions used parameters {tuned}, and were "
            f"made on matches {spans.tuned + 1:,} to {spans.decided:,}. The figures under Result come from the last "
            f"{self.judged:,} matches{after} The search took {self.fits:,} fits; it uses no random numbers, so the "
            "same file gives the same model."
        )
        decisions = Section("Decisions", text=legend, table=table.drop("kept"), bold=kept)
        sections = (result, decisions, model, Section("How this was measured", text=method))
        return Report("The model chosen automatically", sections)

    @property
    def parameters(self) -> pl.DataFrame:
        """The numbers of the model: a table of parameters and their values.

        >>> import prowess as pw
        >>> pw.auto(pw.simulate(pw.TrueSkill(), 300, 10).history).parameters.columns
        ['parameter', 'value']
        """
        import polars as pl

        values = {name: value for name, value in self.model.params.items() if isinstance(value, (int, float))}
        return pl.DataFrame({"parameter": list(values), "value": [float(value) for value in values.values()]})

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write the report as a self-contained .html page.

        >>> from pathlib import Path; from tempfile import TemporaryDirectory
        >>> import prowess as pw
        >>> with TemporaryDirectory() as folder:
        ...     pw.auto(pw.simulate(pw.TrueSkill(), 300, 10).history).to_html(Path(folder, "choice.html"))
        ...     "<h2>Decisions</h2>" in Path(folder, "choice.html").read_text(encoding="utf-8")
        True
        """
        check_report_path(path)
        self.report().save(path)


def _signed(interval: Interval) -> str:
    digits = max(interval.digits, 3)
    return interval.words(min(digits, 4))
