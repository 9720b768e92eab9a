"""The lab: which model predicts best, shown on data, and pictures of what a model believes."""

from . import measures
from .charts import save, skill_curves
from .report import Claim, Report, Section

__all__ = ["Claim", "Report", "Section", "measures", "save", "skill_curves"]
