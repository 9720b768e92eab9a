"""Skill ratings for players and teams: TrueSkill and its relatives on one compiled engine.

>>> import prowess as pw
>>> model = pw.TrueSkill()
>>> [[ann], [bob]] = model.rate([[model.rating()], [model.rating()]])
>>> ann.mu > bob.mu
True
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import lab as lab
    from .client.client import Client
    from .errors import Error
    from .history import History
    from .lab.auto import Choice, Discovery, auto, discover
    from .lab.compare import Comparison, compare
    from .lab.simulate.simulation import Simulation, simulate
    from .lab.tune import Tuning, tune
    from .matchmaking.balancing.balance import Balance, balance
    from .matchmaking.next_match.next_match import NextMatch, NextMatches, next_matches
    from .matchmaking.pairing.pair import Pairing, pair
    from .model.components import absorb, drift, facet, outcome, statistic, team
    from .model.components.home import Home
    from .model.components.interfaces import Absorb, Drift, Outcome, Prior, TeamFunction
    from .model.components.prior import Newcomers, Normal, Point
    from .model.compose import compose
    from .model.engine.board import Board, Margin
    from .model.fit.explain import Explanation
    from .model.fit.fit import Fit
    from .model.fit.forecasts import Forecasts
    from .model.fit.streaming import Streamed
    from .model.hindsight.hindsight import Hindsight
    from .model.ladder.ladder import Ladder
    from .model.ladder.leaderboard import Standings, standings
    from .model.model import Model
    from .model.params import Range
    from .model.prediction import Prediction
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

__version__ = "0.1.0"

_PRESETS = (
    "Elo GaussianElo GaussianOD GaussianSD Glicko Glicko2 Harkness PoissonOD TS2 TS2a TS2b TS2c TS3 TSa TSb TrueSkill "
    "TrueSkill2"
)
_MODULES = {
    "errors": ".errors",
    "history": ".history",
    "lab": ".lab",
    "model": ".model",
    **{name: f".model.components.{name}" for name in ("absorb", "drift", "facet", "outcome", "statistic", "team")},
}
_NAMES = {
    name: module
    for module, names in {
        ".client.client": "Client",
        ".errors": "Error",
        ".history": "History",
        ".lab.auto": "Choice Discovery auto discover",
        ".lab.compare": "Comparison compare",
        ".lab.simulate.simulation": "Simulation simulate",
        ".lab.tune": "Tuning tune",
        ".matchmaking.balancing.balance": "Balance balance",
        ".matchmaking.next_match.next_match": "NextMatch NextMatches next_matches",
        ".matchmaking.pairing.pair": "Pairing pair",
        ".model.components.home": "Home",
        ".model.components.interfaces": "Absorb Drift Outcome Prior TeamFunction",
        ".model.components.prior": "Newcomers Normal Point",
        ".model.compose": "compose",
        ".model.engine.board": "Board Margin",
        ".model.fit.explain": "Explanation",
        ".model.fit.fit": "Fit",
        ".model.fit.forecasts": "Forecasts",
        ".model.ladder.leaderboard": "Standings standings",
        ".model.fit.streaming": "Streamed",
        ".model.hindsight.hindsight": "Hindsight",
        ".model.ladder.ladder": "Ladder",
        ".model.model": "Model",
        ".model.params": "Range",
        ".model.prediction": "Prediction",
        ".model.presets": _PRESETS,
        ".model.rating": "Rating",
    }.items()
    for name in names.split()
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that nothing is loaded that a program does not need, not even NumPy."""
    if name in _MODULES:
        return import_module(_MODULES[name], __name__)
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_NAMES[name], __name__), name)
    return value


def __dir__() -> list[str]:
    """List the public names, which are imported on first use, for tab completion."""
    return sorted({*__all__, "lab", "__version__"})


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
    from .model.engine import sweep

    return "pure" if str(sweep.__file__).endswith(".py") else "compiled"
