"""The example league: a file in the repository, or a simulated league if only the package is installed."""

from __future__ import annotations

from pathlib import Path

from .history import History

FOLDER = Path(__file__).parents[2] / "examples"
MATCHES, PLAYERS, WEEK = 600, 30, 7.0


def example_league() -> History:
    """Return an invented league of a few hundred matches.

    >>> len(example_league()) > 100
    True
    """
    path = FOLDER / "league.csv"
    if path.is_file():
        return History.read(path)
    from .lab import Calendar, simulate
    from .model.presets import TrueSkill

    calendar = Calendar("2025-09-01", every=WEEK, matches=PLAYERS // 2)
    return simulate(TrueSkill(), MATCHES, PLAYERS, seed=1, calendar=calendar).history
