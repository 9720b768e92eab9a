"""What `compare` and `tune` have in common: which matches, how they are cut, and where the results go."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ... import History
from ...history.read_options import Choices
from .common import read_all
from .time_args import within

__all__ = ["BurnIn", "Html", "Jobs", "Seed", "amount", "matches", "words"]

BurnIn = Annotated[
    str, typer.Option(metavar="AMOUNT", help="Do not score the first matches: a number, a share below 1, or a date.")
]
Html = Annotated[
    Path | None,
    typer.Option(metavar="FILE", show_default=False, help="Write a page with charts, which needs no network."),
]
Jobs = Annotated[int, typer.Option(min=1, metavar="N", help="The number of processes.")]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="What is drawn by lot depends on it alone.")]


def matches(files: Sequence[Path], choices: Choices, since: str | None, until: str | None) -> History:
    """The matches of some files, as one history, those of a span of time."""
    return within({"": read_all(files, choices)}, since, until)[""]


def words(said: list[str] | None) -> list[str] | None:
    """Names with commas between them; None where there are none.

    >>> words(["elo,glicko", "ts2"]), words(None)
    (['elo', 'glicko', 'ts2'], None)
    """
    return [word.strip() for part in said for word in part.split(",") if word.strip()] if said else None


def amount(text: str) -> float | str:
    """A number, or what must be a date.

    >>> amount("0.25"), amount("2026-01-31")
    (0.25, '2026-01-31')
    """
    try:
        return float(text)
    except ValueError:
        return text
