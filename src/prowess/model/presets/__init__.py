"""The rating systems by name, each with the constants of its paper.

`PRESETS` is the one list of them: the conformance tests, the documentation, the command line and the service go by it.
Installed packages add theirs through the entry point group `prowess.presets`.
"""

from __future__ import annotations

from collections.abc import Callable

from ...errors import Error
from ...plugins import Extensible
from ..model import Model
from .classics import Elo, GaussianElo, Glicko, Glicko2, Harkness
from .places import TS2, TS3, TS2a, TS2b, TS2c
from .scores import GaussianOD, GaussianSD, PoissonOD
from .trueskill import TrueSkill, TSa, TSb

__all__ = [
    "PRESETS",
    "TS2",
    "TS3",
    "Elo",
    "GaussianElo",
    "GaussianOD",
    "GaussianSD",
    "Glicko",
    "Glicko2",
    "Harkness",
    "PoissonOD",
    "TS2a",
    "TS2b",
    "TS2c",
    "TSa",
    "TSb",
    "TrueSkill",
    "preset",
]


def _check_preset(_: str, plugin: object) -> Callable[..., Model]:
    if not callable(plugin) or not isinstance(plugin(), Model):
        raise Error(f"a preset is a function that returns a Model when it is called without arguments, not {plugin!r}")
    return plugin


BUILT_IN: dict[str, Callable[..., Model]] = {
    "Harkness": Harkness,
    "Elo": Elo,
    "GaussianElo": GaussianElo,
    "Glicko": Glicko,
    "Glicko2": Glicko2,
    "TrueSkill": TrueSkill,
    "TSa": TSa,
    "TSb": TSb,
    "TS2": TS2,
    "TS2a": TS2a,
    "TS2b": TS2b,
    "TS2c": TS2c,
    "TS3": TS3,
    "GaussianOD": GaussianOD,
    "GaussianSD": GaussianSD,
    "PoissonOD": PoissonOD,
}
PRESETS: Extensible[Callable[..., Model]] = Extensible(BUILT_IN, "prowess.presets", _check_preset)


def preset(name: str) -> Callable[..., Model]:
    """The preset of a name, in whatever case it is written.

    >>> preset("trueskill") is TrueSkill
    True
    """
    for proper in PRESETS.names:
        if proper.lower() == name.lower():
            return PRESETS[proper]
    raise Error(f"no model is called {name!r}; there are {', '.join(PRESETS)}", field="model", value=name)
