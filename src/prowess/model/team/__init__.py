"""Team functions: how a team's performance is made of its players' performances."""

from ..board import TeamFunction
from .mean import Mean
from .sum import Sum
from .weighted import Weighted

__all__ = ["Mean", "Sum", "TeamFunction", "Weighted"]
