"""What tuning found, as a report and as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..report import Report, Section

if TYPE_CHECKING:
    from .tuning import Tuning

__all__ = ["plain", "report"]


def report(tuning: Tuning) -> Report:
    """The answer, the parameters, how the search went, and how it was judged."""
    bold = frozenset((row, "after") for row, name in enumerate(tuning.space) if name in tuning.params)
    sections = (
        Section("What was found", text=tuning.summary),
        Section("Parameters", text=_legend(tuning), table=tuning.table(), bold=bold),
        Section("The search", chart=tuning.chart()),
        Section("How this was measured", text=_method(tuning)),
    )
    return Report("Tuning", sections)


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


def plain(tuning: Tuning) -> dict[str, Any]:
    """The answer as plain data."""
    burnt, scored, later = tuning.matches
    value, low, high = tuning.gain
    return {
        "answer": tuning.summary,
        "parameters": tuning.table().to_dicts(),
        "gain": {"value": value, "low": low, "high": high, "within_noise": tuning.gain.within_noise},
        "measure": tuning.measure.name,
        "loss": dict(zip(("before", "after"), tuning.loss, strict=True)),
        "matches": {"learnt": burnt, "searched": scored, "judged": later},
        "trials": len(tuning.tried),
    }
