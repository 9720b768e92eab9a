"""Where ratings come from: a file of matches, which is rated, or a ladder that was saved."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ... import Fit, Ladder, Model, TrueSkill
from ...errors import Error
from ...history.names import nearest, plain_spelling
from ...history.read_options import Choices
from ...text import count
from ..output.console import note
from .common import read

__all__ = ["SAVED", "Newcomers", "Source", "fitted", "opened", "players"]

SAVED = ".prowess"

Source = Annotated[
    Path, typer.Argument(metavar="FILE", help=f"A file of matches, or a ladder that was saved: league{SAVED}.")
]
Newcomers = Annotated[bool, typer.Option("--newcomers", help="Take names that are not known as newcomers.")]


def opened(file: Path, model: Model | None, choices: Choices) -> Ladder:
    """The ladder of a file: the one that was saved there, or that after all of its matches."""
    if file.suffix.lower() != SAVED:
        return fitted(file, model or TrueSkill(), choices).ladder
    ladder = Ladder.load(file)
    if model not in (None, ladder.model):
        raise Error(f"{file}: a ladder keeps the model that it was rated with: leave out --model and --set")
    note(f"{file}: {count(len(ladder), 'player', 'players')}")
    return ladder


def fitted(file: Path, model: Model, choices: Choices) -> Fit:
    """The fit of a file of matches."""
    if file.suffix.lower() == SAVED:
        raise Error(f"{file}: a ladder keeps no matches: give the file of matches that it was made of")
    return model.fit(read(file, choices))


def players(ladder: Ladder, names: list[str], newcomers: bool = False) -> list[str]:
    """The players of a ladder that are meant; names may be written in another case, and without accents."""
    return [_player(ladder, name, newcomers) for name in names]


def _player(ladder: Ladder, name: str, newcomers: bool) -> str:
    if name in ladder:
        return name.strip()
    near = nearest(name, ladder.names)
    same = [one for one in near if plain_spelling(one) == plain_spelling(name)]
    if len(same) == 1:
        note(f"{name!r} is taken to be {same[0]!r}")
        return same[0]
    if newcomers:
        return name.strip()
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"there are {len(ladder):,} others"
    raise Error(f"no player is called {name!r} ({hint}); --newcomers takes unknown names as newcomers")
