"""The lab: which model predicts best, shown on data; better parameters; simulated leagues; the papers, run again."""

from typing import Any

from ..plugins import find_plugins, load_plugin
from . import measures, slices
from .bootstrap import Resampling
from .charts import coverage_curves, save, skill_curves
from .compare import Comparison, compare
from .interval import Interval
from .measures import Calibration, Tally
from .measures.registry import MEASURES, Measure
from .protocols import Prequential, Protocol, RandomSplits, Run, SeasonSplits
from .report import Claim, Report, Section
from .simulate import (
    Attendance,
    Calendar,
    Even,
    Field,
    Lognormal,
    Played,
    Questions,
    Roster,
    Rounds,
    Simulation,
    Zipf,
    play,
    quiz_league,
    simulate,
)
from .simulate.coverage import coverage, covered
from .tune import Stopped, Trial, Tuning, tune

__all__ = [
    "MEASURES",
    "Attendance",
    "Calendar",
    "Calibration",
    "Claim",
    "Comparison",
    "Even",
    "Field",
    "Interval",
    "Lognormal",
    "Measure",
    "Played",
    "Prequential",
    "Protocol",
    "Questions",
    "RandomSplits",
    "Report",
    "Resampling",
    "Roster",
    "Rounds",
    "Run",
    "SeasonSplits",
    "Section",
    "Simulation",
    "Stopped",
    "Tally",
    "Trial",
    "Tuning",
    "Zipf",
    "compare",
    "coverage",
    "coverage_curves",
    "covered",
    "measures",
    "play",
    "quiz_league",
    "save",
    "simulate",
    "skill_curves",
    "slices",
    "tune",
]


def __getattr__(name: str) -> Any:
    """Names that installed packages add to the lab, such as `paper`."""
    if name in find_plugins("prowess.lab"):
        return load_plugin("prowess.lab", name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
