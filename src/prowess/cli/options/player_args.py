"""Arguments that name players, and the source of their ratings: a file of matches or a saved ladder."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from ... import Fit, Ladder
from ...errors import Error
from ...history.names.index import NameIndex
from ...history.read_options import Choices
from ...model.ladder.record import active
from ...model.scale import Scale
from ...text import count
from ..output.console import note
from .choosing import choose_model, given_or_auto, note_chosen_model
from .match_syntax import parse_team
from .model_args import LADDER_EXTENSION, ModelChoice
from .read_args import for_rating, read

DAYS = {"": 1.0, "d": 1.0, "w": 7.0, "m": 30.0, "y": 365.0}
SOURCE_HELP = f"A file of matches, or a saved ladder: league{LADDER_EXTENSION}."
NAMES_HELP = "A file with more names, one per line."
ACTIVE_HELP = "All players active within this time, such as 30d, 4w, 6m or 1y."

Source = Annotated[Path, typer.Argument(metavar="FILE", help=SOURCE_HELP)]
Newcomers = Annotated[bool, typer.Option("--newcomers", help="Treat unknown names as newcomers.")]
People = Annotated[
    list[str] | None, typer.Argument(metavar="NAME...", help="The players; - reads them from standard input.")
]
NamesFile = Annotated[Path | None, typer.Option("--names", metavar="FILE", help=NAMES_HELP)]
Active = Annotated[str | None, typer.Option(metavar="SPAN", help=ACTIVE_HELP)]


def name_lists(help: str) -> Any:
    """Make an option that takes a list of players, such as ann,bob."""
    return typer.Option(metavar="NAMES", help=f"{help}, such as ann,bob; may be repeated.")


def open_ladder(file: Path, choice: ModelChoice | None, choices: Choices) -> Ladder:
    """Load a saved ladder, or rate all matches of a file."""
    if file.suffix.lower() != LADDER_EXTENSION:
        return fit_file(file, choice, choices).ladder
    return _add_aliases(load_ladder(file, choice), choices)


def load_ladder(file: Path, choice: ModelChoice | None) -> Ladder:
    """Load a saved ladder; `choice` must describe the ladder's own model or be None."""
    ladder = Ladder.load(file)
    if choice is not None and not choice.describes(ladder.model):
        alone = choice.auto and not choice.settings
        kept = "a saved ladder keeps its model" if alone else "the ladder was saved with another model"
        raise Error(f"{file}: {kept}; leave out the options of the rating system to use that model")
    note(f"{file}: {count(len(ladder), 'player', 'players')}")
    return ladder


def fit_file(
    file: Path, choice: ModelChoice | None, choices: Choices, scale: Scale | None = None, *, hindsight: bool = False
) -> Fit:
    """Fit a model to a file of matches, with ratings in points if there is a scale.

    With `hindsight`, an automatic choice takes a model that can be fitted in hindsight, too.
    """
    if file.suffix.lower() == LADDER_EXTENSION:
        raise Error(f"{file}: a saved ladder has no matches; give the file of matches instead")
    given = given_or_auto(choice)
    history = read(file, for_rating(given.add_columns(choices)))
    chosen = choose_model(given, history, hindsight=hindsight)
    note_chosen_model(chosen)
    fit = chosen.model.fit(history, scale=scale)
    _add_aliases(fit.ladder, choices)
    return fit


def _add_aliases(ladder: Ladder, choices: Choices) -> Ladder:
    if choices.aliases:
        known = {alias: name for alias, name in choices.aliases.items() if name in ladder}
        ladder.name_index = NameIndex(ladder.names, known)
    return ladder


def find_players(ladder: Ladder, names: list[str], newcomers: bool | None = None) -> list[str]:
    """Find players by name, ignoring case, accents, punctuation and the order of words.

    With `newcomers`, unknown names are returned unchanged; otherwise an unknown name raises an `Error`. `newcomers` is
    None for verbs without the option --newcomers, which the message then does not suggest.
    """
    return [_find_player(ladder, name, newcomers) for name in names]


def _find_player(ladder: Ladder, name: str, newcomers: bool | None) -> str:
    index = ladder.name_index
    player = index.find(name).name
    if player is not None:
        # With --newcomers, too, a name that differs only in case or accents is read as the known player.
        if player != name.strip():
            note(f"reading {name!r} as {player!r}")
        return player
    if newcomers:
        # With --newcomers, a misspelt name would otherwise silently become a newcomer.
        if alike := index.lookalikes(name):
            note(f"{name!r} counts as a newcomer, but may be {' or '.join(map(repr, alike))}")
        return name.strip()
    similar = index.similar(name)
    hint = f"; did you mean {' or '.join(map(repr, similar))}?" if similar else ""
    option = "" if newcomers is None else " (use --newcomers for new players)"
    raise Error(f"no player named {name!r} among {count(len(ladder), 'player', 'players')}{hint}{option}")


def collect_players(
    ladder: Ladder, names: list[str] | None, file: Path | None, span: str | None, newcomers: bool
) -> list[str]:
    """Return the players named by arguments, standard input or a file, and the players active in a time span."""
    typed: list[str] = []
    for name in names or []:
        typed += _read_lines("standard input", sys.stdin.read) if name == "-" else [name]
    if file is not None:
        # Windows editors begin UTF-8 files with a byte order mark.
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
        raise Error(f"{title}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


def parse_days(flag: str, text: str) -> float:
    """Parse a time span and return its length in days.

    >>> parse_days("--active", "30d"), parse_days("--active", "2w")
    (30.0, 14.0)
    """
    # The last \w* accepts whole words, such as "30 days".
    span = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([dwmy]?)\w*\s*", text.lower())
    if span is None:
        raise typer.BadParameter(f"{text!r} must be a time span such as 30d, 4w, 6m or 1y", param_hint=flag)
    return float(span[1]) * DAYS[span[2]]


def parse_groups(ladder: Ladder, texts: list[str] | None, newcomers: bool) -> list[list[str]]:
    """Parse groups of players, each written as ann,bob."""
    return [find_players(ladder, parse_team(text, ladder.name_index.is_one_name), newcomers) for text in texts or []]
