"""Skill ratings for players and teams: TrueSkill and its relatives on one compiled engine.

>>> import prowess as pw
>>> model = pw.TrueSkill()
>>> [[ann], [bob]] = model.rate([[model.rating()], [model.rating()]])
>>> ann.mu > bob.mu
True
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .errors import Error
from .history import History
from .model.components import absorb, drift, facet, outcome, statistic, team
from .model.components.home import Home
from .model.components.interfaces import Absorb, Drift, Outcome, Prior, TeamFunction
from .model.components.prior import Newcomers, Normal, Point
from .model.engine import sweep as _sweep
from .model.engine.board import Board, Margin
from .model.ladder.ladder import Ladder
from .model.model import Model
from .model.params import Range
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
    TrueSkill2,
    TS2a,
    TS2b,
    TS2c,
    TSa,
    TSb,
)
from .model.rating import Rating

if TYPE_CHECKING:
    from . import lab as lab
    from .client.client import Client
    from .lab.auto import Choice, Discovery, auto, discover
    from .lab.compare import Comparison, compare
    from .lab.simulate.simulation import Simulation, simulate
    from .lab.tune import Tuning, tune
    from .matchmaking.balancing.balance import Balance, balance
    from .matchmaking.next_match.next_match import NextMatch, NextMatches, next_matches
    from .matchmaking.pairing.pair import Pairing, pair
    from .model.compose import compose
    from .model.fit.explain import Explanation
    from .model.fit.fit import Fit
    from .model.fit.forecasts import Forecasts
    from .model.fit.leaderboard import Standings, standings
    from .model.fit.streaming import Streamed
    from .model.hindsight.hindsight import Hindsight
    from .model.prediction import Prediction

__version__ = "0.1.0"


_LAZY = {
    name: module
    for module, names in {
        ".client.client": "Client",
        ".lab": "lab",
        ".lab.auto": "Choice Discovery auto discover",
        ".lab.compare": "Comparison compare",
        ".lab.simulate.simulation": "Simulation simulate",
        ".lab.tune": "Tuning tune",
        ".matchmaking.balancing.balance": "Balance balance",
        ".matchmaking.next_match.next_match": "NextMatch NextMatches next_matches",
        ".matchmaking.pairing.pair": "Pairing pair",
        ".model.compose": "compose",
        ".model.fit.explain": "Explanation",
        ".model.fit.fit": "Fit",
        ".model.fit.forecasts": "Forecasts",
        ".model.fit.leaderboard": "Standings standings",
        ".model.fit.streaming": "Streamed",
        ".model.hindsight.hindsight": "Hindsight",
        ".model.prediction": "Prediction",
    }.items()
    for name in names.split()
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that rating a match does not load the lab, the client or matchmaking."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(_LAZY[name], __name__)
    return module if name == "lab" else getattr(module, name)


def __dir__() -> list[str]:
    """List the public names, including those imported on first use, for tab completion."""
    return sorted({*__all__, *_LAZY, "__version__"})


__all__ = [
    "TS2",
    "TS3",
    "Absorb",
    "Balance",
    "Board",
    "Choice",
    "Client",
    "Comparison",
    "Discovery",
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
    "Hindsight",
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
    "TrueSkill2",
    "Tuning",
    "absorb",
    "auto",
    "balance",
    "compare",
    "compose",
    "discover",
    "drift",
    "facet",
    "kernel_mode",
    "next_matches",
    "outcome",
    "pair",
    "simulate",
    "standings",
    "statistic",
    "team",
    "tune",
]


def kernel_mode() -> str:
    """Return how the kernels run: "compiled" or "pure". Both modes give the same results at different speeds.

    >>> kernel_mode() in ("compiled", "pure")
    True
    """
    return "pure" if str(_sweep.__file__).endswith(".py") else "compiled"
