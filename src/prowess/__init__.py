"""Skill ratings for players and teams: TrueSkill and its relatives on one compiled engine.

>>> import prowess as pw
>>> model = pw.TrueSkill()
>>> [[ann], [bob]] = model.rate([[model.rating()], [model.rating()]])
>>> ann.mu > bob.mu
True
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import model as _model
from .errors import Error
from .history import History
from .model import absorb, drift, outcome, team
from .model.bases import Absorb, Drift, Outcome, Prior, TeamFunction
from .model.board import Board, Margin
from .model.home import Home
from .model.ladder import Ladder
from .model.model import Model
from .model.presets import (
    TS2,
    TS3,
    Elo,
    GaussianElo,
    GaussianOD,
    GaussianSD,
    Glicko,
    Glicko2,
    Harkness,
    PoissonOD,
    TrueSkill,
    TS2a,
    TS2b,
    TS2c,
    TSa,
    TSb,
)
from .model.prior import Newcomers, Normal, Point
from .model.rating import Rating
from .model.tunable import Range

if TYPE_CHECKING:
    from . import lab as lab
    from .lab.compare import Comparison, compare
    from .lab.simulate import Simulation, simulate
    from .lab.tune import Tuning, tune
    from .matchmaking.balance import Balance, balance
    from .matchmaking.informative import NextMatch, NextMatches, next_matches
    from .matchmaking.pairing import Pairing
    from .matchmaking.pairs import pair
    from .model.change import Standings, standings
    from .model.explanation import Explanation
    from .model.fit import Fit
    from .model.forecasts import Forecasts
    from .model.prediction import Prediction
    from .model.streamed import Streamed
    from .service.client import Client

__version__ = "0.1.0"


_LATER = {
    "Balance": ".matchmaking.balance",
    "Client": ".service.client",
    "Comparison": ".lab.compare",
    "Explanation": ".model.explanation",
    "Fit": ".model.fit",
    "Forecasts": ".model.forecasts",
    "NextMatch": ".matchmaking.informative",
    "NextMatches": ".matchmaking.informative",
    "Pairing": ".matchmaking.pairing",
    "Prediction": ".model.prediction",
    "Simulation": ".lab.simulate",
    "Standings": ".model.change",
    "Streamed": ".model.streamed",
    "Tuning": ".lab.tune",
    "balance": ".matchmaking.balance",
    "compare": ".lab.compare",
    "lab": ".lab",
    "next_matches": ".matchmaking.informative",
    "pair": ".matchmaking.pairs",
    "simulate": ".lab.simulate",
    "standings": ".model.change",
    "tune": ".lab.tune",
}


def __getattr__(name: str) -> Any:
    """What rating a match has no use for is imported when it is first asked for: nobody should wait for it."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(_LATER[name], __name__)
    return module if name == "lab" else getattr(module, name)


__all__ = [
    "TS2",
    "TS3",
    "Absorb",
    "Balance",
    "Board",
    "Client",
    "Comparison",
    "Drift",
    "Elo",
    "Error",
    "Explanation",
    "Fit",
    "Forecasts",
    "GaussianElo",
    "GaussianOD",
    "GaussianSD",
    "Glicko",
    "Glicko2",
    "Harkness",
    "History",
    "Home",
    "Ladder",
    "Margin",
    "Model",
    "Newcomers",
    "NextMatch",
    "NextMatches",
    "Normal",
    "Outcome",
    "Pairing",
    "Point",
    "PoissonOD",
    "Prediction",
    "Prior",
    "Range",
    "Rating",
    "Simulation",
    "Standings",
    "Streamed",
    "TS2a",
    "TS2b",
    "TS2c",
    "TSa",
    "TSb",
    "TeamFunction",
    "TrueSkill",
    "Tuning",
    "absorb",
    "balance",
    "compare",
    "drift",
    "kernel_mode",
    "next_matches",
    "outcome",
    "pair",
    "simulate",
    "standings",
    "team",
    "tune",
]


def kernel_mode() -> str:
    """Whether the kernels run "compiled" or as "pure" Python: the results are the same, the speed is not.

    >>> kernel_mode() in ("compiled", "pure")
    True
    """
    return "pure" if str(_model.sweep.__file__).endswith(".py") else "compiled"
