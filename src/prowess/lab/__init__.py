"""The lab: compare models on data, tune their parameters, simulate leagues, and chart the results."""

from importlib.util import find_spec
from typing import Any

from ..errors import Error
from ..plugins import find_plugins, load_plugin
from . import measures, slices
from .auto import Choice, auto
from .bootstrap import Resampling
from .charts import save, skill_curves
from .compare import Comparison, compare
from .interval import Interval
from .measures import Calibration, Tally
from .measures.registry import MEASURES, Measure
from .protocols import Prequential, Protocol, RandomSplits, Run, SeasonSplits
from .report import Claim, Report, Section
from .simulate.calendar import Calendar
from .simulate.coverage import coverage, coverage_curves, covered
from .simulate.lineup import Attendance, Even, Lognormal, Roster, Rounds, Zipf
from .simulate.play import Played, Questions, play
from .simulate.simulation import Simulation, quiz_league, simulate
from .simulate.team_strength import Field
from .tune import Stopped, Trial, Tuning, tune

__all__ = [
    "MEASURES",
    "Attendance",
    "Calendar",
    "Calibration",
    "Choice",
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
    "auto",
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

_PLUGINS = "prowess.lab"  # entry point group through which other packages add names


def __getattr__(name: str) -> Any:
    """Return a name that an installed package adds to the lab, such as `paper`."""
    reason = f"module {__name__!r} has no attribute {name!r}"
    if name in ("PAPERS", "Paper", "paper") and find_spec("prowess_papers") is None:
        reason += ": it is in the package prowess_papers, which is missing; pip install prowess-papers"
    elif not name.startswith("_") and name in find_plugins(_PLUGINS):
        try:
            return load_plugin(_PLUGINS, name)
        except Error as error:  # `hasattr` expects an AttributeError
            raise AttributeError(str(error)) from error
    raise AttributeError(reason)


def __dir__() -> list[str]:
    """List all names for tab completion, including those that other packages add."""
    return sorted({*globals(), *find_plugins(_PLUGINS)})
