"""Who is there: names that are typed, that stand in a file, or that come through a pipe."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from ... import Ladder
from ...errors import Error
from ...model.ladder.idle import active
from .ladder_args import players
from .match_syntax import roster

__all__ = ["Active", "NamesFile", "People", "days", "gathered", "groups"]

UNITS = {"": 1.0, "d": 1.0, "w": 7.0, "m": 30.0, "y": 365.0}

People = Annotated[
    list[str] | None,
    typer.Argument(metavar="NAME...", show_default=False, help="The players; - reads them from standard input."),
]
NamesFile = Annotated[
    Path | None,
    typer.Option("--names", metavar="FILE", show_default=False, help="A file with more names, one on a line."),
]
Active = Annotated[
    str | None,
    typer.Option(metavar="SPAN", show_default=False, help="All who played in the last 30d, 4w, 6m or 1y."),
]


def gathered(
    ladder: Ladder, names: list[str] | None, file: Path | None, span: str | None, newcomers: bool = False
) -> list[str]:
    """The players who are there, each once, in the order in which they were named."""
    told = [
        one for name in names or [] for one in (_lines("standard input", sys.stdin.read) if name == "-" else [name])
    ]
    if file is not None:
        told += _lines(str(file), lambda: file.read_text(encoding="utf-8-sig"))
    found = players(ladder, told, newcomers)
    if span is not None:
        named = set(found)
        found += [name for name in active(ladder, days("--active", span)) if name not in named]
    return found


def _lines(title: str, read: Callable[[], str]) -> list[str]:
    """The lines of a text that hold something."""
    try:
        return [line.strip() for line in read().splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise Error(f"{title}: it cannot be read: {getattr(error, 'strerror', None) or error}") from None


def days(option: str, text: str) -> float:
    """A span of time in days.

    >>> days("--active", "30d"), days("--active", "2w")
    (30.0, 14.0)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([dwmy]?)\w*\s*", text.lower())
    if found is None:
        raise typer.BadParameter(f"{text!r} must be a span such as 30d, 4w, 6m or 1y", param_hint=option)
    return float(found[1]) * UNITS[found[2]]


def groups(ladder: Ladder, texts: list[str] | None, newcomers: bool) -> list[list[str]]:
    """Groups of players, each written as ann,bob."""
    return [players(ladder, roster(text, ladder.__contains__), newcomers) for text in texts or []]
