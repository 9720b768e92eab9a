"""Skill ratings for players and teams: TrueSkill and its relatives on one compiled engine.

>>> import prowess as pw
>>> model = pw.TrueSkill()
>>> [[ann], [bob]] = model.rate([[model.rating()], [model.rating()]])
>>> ann.mu > bob.mu
True
"""

from importlib import import_module
from types import ModuleType

from . import model as _model
from .errors import Error
from .history import History
from .model import absorb, drift, outcome, team
from .model.board import Absorb, Board, Drift, Margin, Outcome, Prior, TeamFunction
from .model.fit import Fit, Forecasts
from .model.ladder import Ladder
from .model.model import Model
from .model.prediction import Prediction
from .model.presets import TrueSkill
from .model.prior import Normal
from .model.rating import Rating

__version__ = "0.1.0"


def __getattr__(name: str) -> ModuleType:
    """The lab is imported when it is first asked for: rating alone should not wait for it."""
    if name == "lab":
        return import_module(".lab", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Absorb",
    "Board",
    "Drift",
    "Error",
    "Fit",
    "Forecasts",
    "History",
    "Ladder",
    "Margin",
    "Model",
    "Normal",
    "Outcome",
    "Prediction",
    "Prior",
    "Rating",
    "TeamFunction",
    "TrueSkill",
    "absorb",
    "drift",
    "kernel_mode",
    "outcome",
    "team",
]


def kernel_mode() -> str:
    """Whether the kernels run "compiled" or as "pure" Python: the results are the same, the speed is not.

    >>> kernel_mode() in ("compiled", "pure")
    True
    """
    return "pure" if str(_model.sweep.__file__).endswith(".py") else "compiled"
