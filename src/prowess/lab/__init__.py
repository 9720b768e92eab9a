"""The lab: which model predicts best, shown on data, and pictures of what a model believes."""

from . import measures
from .charts import coverage_curves, save, skill_curves
from .coverage import coverage, covered
from .report import Claim, Report, Section

__all__ = [
    "Claim",
    "Report",
    "Section",
    "coverage",
    "coverage_curves",
    "covered",
    "measures",
    "save",
    "skill_curves",
]
