"""The lab: pictures of what a model believes, and files of what it found."""

from .charts import save, skill_curves

__all__ = ["save", "skill_curves"]
