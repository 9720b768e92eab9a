"""The lab: which model predicts best, shown on data; better parameters; simulated leagues; the papers, run again."""

from . import measures, slices
from .bootstrap import Resampling
from .catalogue import MEASURES, Measure
from .charts import coverage_curves, save, skill_curves
from .compare import Comparison, compare
from .coverage import coverage, covered
from .interval import Interval
from .measures import Calibration, Tally
from .papers import PAPERS, Paper, paper
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
from .tune import Stopped, Trial, Tuning, tune

__all__ = [
    "MEASURES",
    "PAPERS",
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
    "Paper",
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
    "paper",
    "play",
    "quiz_league",
    "save",
    "simulate",
    "skill_curves",
    "slices",
    "tune",
]
