"""The lab: which model predicts best, shown on data, and pictures of what a model believes."""

from . import measures, slices
from .bootstrap import Resampling
from .catalogue import MEASURES, Measure
from .charts import coverage_curves, save, skill_curves
from .compare import Comparison, compare
from .coverage import coverage, covered
from .interval import Interval
from .protocols import Prequential, Protocol, RandomSplits, Run, Seasons
from .report import Claim, Report, Section

__all__ = [
    "MEASURES",
    "Claim",
    "Comparison",
    "Interval",
    "Measure",
    "Prequential",
    "Protocol",
    "RandomSplits",
    "Report",
    "Resampling",
    "Run",
    "Seasons",
    "Section",
    "compare",
    "coverage",
    "coverage_curves",
    "covered",
    "measures",
    "save",
    "skill_curves",
    "slices",
]
