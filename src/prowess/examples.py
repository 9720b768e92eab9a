"""The example leagues: files in the repository, of which an installed package has copies."""

from __future__ import annotations

from pathlib import Path

from .history import History

PACKAGED, CHECKOUT = Path(__file__).parent / "example_files", Path(__file__).parents[2] / "examples"
FOLDER = PACKAGED if PACKAGED.is_dir() else CHECKOUT


def example_league() -> History:
    """Return an invented league of a few hundred matches.

    >>> len(example_league())
    400
    """
    return History.read(FOLDER / "league.csv")
