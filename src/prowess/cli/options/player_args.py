"""Arguments that name players, and where their ratings come from: a file of matches, or a saved ladder."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from ... import Fit, Ladder, Model, TrueSkill
from ...errors import Error
from ...history.names import nearest, plain_spelling
from ...history.read_options import Choices
from ...model.ladder.idle import active
from ...text import count
from ..output.console import note
from .match_syntax import parse_team
from .read_args import read

SAVED = ".prowess"
DAYS = {"": 1.0, "d": 1.0, "w": 7.0, "m": 30.0, "y": 365.0}

Source = Annotated[
    Path, typer.Argument(metavar="FILE", help=f"A file of matches, or a ladder that was saved: league{SAVED}.")
]
Newcomers = Annotated[bool, typer.Option("--newcomers", help="Take names that are not known as newcomers.")]
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


def open_ladder(file: Path, model: Model | None, choices: Choices) -> Ladder:
    """Load the ladder that was saved in a file, or rate all matches of the file."""
    if file.suffix.lower() != SAVED:
        return fit_file(file, model or TrueSkill(), choices).ladder
    ladder = Ladder.load(file)
    if model not in (None, ladder.model):
        raise Error(f"{file}: a ladder keeps the model that it was rated with: leave out --model and --set")
    note(f"{file}: {count(len(ladder), 'player', 'players')}")
    return ladder


def fit_file(file: Path, model: Model, choices: Choices) -> Fit:
    """Fit a model to a file of matches."""
    if file.suffix.lower() == SAVED:
        raise Error(f"{file}: a ladder keeps no matches: give the file of matches that it was made of")
    return model.fit(read(file, choices))


def find_players(ladder: Ladder, names: list[str], newcomers: bool = False) -> list[str]:
    """Find players of a ladder by name, in any case and with or without accents."""
    return [_find_player(ladder, name, newcomers) for name in names]


def _find_player(ladder: Ladder, name: str, newcomers: bool) -> str:
    if name in ladder:
        return name.strip()
    near = nearest(name, ladder.names)
    same = [other for other in near if plain_spelling(other) == plain_spelling(name)]
    if len(same) == 1:
        note(f"{name!r} is taken to be {same[0]!r}")
        return same[0]
    if newcomers:
        return name.strip()
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"there are {len(ladder):,} others"
    raise Error(f"no player is called {name!r} ({hint}); --newcomers takes unknown names as newcomers")


def collect_players(
    ladder: Ladder, names: list[str] | None, file: Path | None, span: str | None, newcomers: bool = False
) -> list[str]:
    """Collect the players that arguments, a file or standard input name, and those active in a span; each once."""
    typed: list[str] = []
    for name in names or []:
        typed += _read_lines("standard input", sys.stdin.read) if name == "-" else [name]
    if file is not None:
        typed += _read_lines(str(file), lambda: file.read_text(encoding="utf-8-sig"))
    players = find_players(ladder, typed, newcomers)
    if span is not None:
        named = set(players)
        players += [name for name in active(ladder, parse_days("--active", span)) if name not in named]
    return players


def _read_lines(title: str, read_text: Callable[[], str]) -> list[str]:
    try:
        return [line.strip() for line in read_text().splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise Error(f"{title}: it cannot be read: {getattr(error, 'strerror', None) or error}") from None


def parse_days(flag: str, text: str) -> float:
    """Parse a span of time, in days.

    >>> parse_days("--active", "30d"), parse_days("--active", "2w")
    (30.0, 14.0)
    """
    span = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([dwmy]?)\w*\s*", text.lower())
    if span is None:
        raise typer.BadParameter(f"{text!r} must be a span such as 30d, 4w, 6m or 1y", param_hint=flag)
    return float(span[1]) * DAYS[span[2]]


def parse_groups(ladder: Ladder, texts: list[str] | None, newcomers: bool) -> list[list[str]]:
    """Parse groups of players, each written as ann,bob."""
    return [find_players(ladder, parse_team(text, ladder.__contains__), newcomers) for text in texts or []]
