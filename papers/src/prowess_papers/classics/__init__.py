"""The classics: Harkness, Elo, Glicko and TrueSkill, computed by hand and by prowess.

Stout, A Manifesto of Skill (2025).
"""

from __future__ import annotations

from pathlib import Path

from prowess.lab.report import Report

from ..paper import load_published
from .conserved import conserved
from .examples import elo, glicko, harkness, teams
from .joe import joe
from .newcomer import newcomer, newcomers

__all__ = ["run"]


def run(
    data: Path | None = None,
    *,
    small: bool = False,
    seed: int = 0,
    jobs: int | None = None,
    progress: bool | None = None,
) -> Report:
    """Run the examples, which need no data and take seconds; `data`, `jobs` and `progress` are ignored.

    >>> run(small=True).sections[0].table["ours"].to_list()
    ['1712.5']
    """
    published = load_published("classics")
    sections = (
        harkness(published),
        elo(published),
        conserved(200 if small else 1000, seed),
        glicko(published),
        joe(published),
        teams(published),
        newcomer(published, seed),
        newcomers(published, 40 if small else 400, seed),
    )
    return Report("A Manifesto of Skill: the classics, by hand and by prowess", sections)
