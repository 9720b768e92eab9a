"""Charts for notebooks, reports and pages, made with Altair and rendered by vl-convert."""

from .files import save
from .skill import skill_curves
from .theme import COLOURS

__all__ = ["COLOURS", "save", "skill_curves"]
