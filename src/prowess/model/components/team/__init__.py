"""Team functions: how a team's performance is made of its players' performances."""

from ..interfaces import TeamFunction
from .affine import Affine
from .full_squad import FullSquad
from .leader_bonus import LeaderBonus
from .mean import Mean
from .sum import Sum
from .weighted import Weighted

__all__ = ["Affine", "FullSquad", "LeaderBonus", "Mean", "Sum", "TeamFunction", "Weighted"]
