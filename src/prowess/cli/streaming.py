"""Rating a large file in parts: memory is then bounded by the number of players."""

from __future__ import annotations

from pathlib import Path

from .. import Ladder, Model
from ..counts import count
from ..errors import Error
from ..history.choices import Choices
from ..history.stream import Stream
from ..model.change import Standings
from .options import as_flags
from .screen import note

__all__ = ["is_large", "streamed"]

LARGE = 200_000_000  # bytes of a file that is rated in parts unless the user wants it otherwise
ROWS = 500_000  # of a part


def is_large(file: Path) -> bool:
    """Whether a file is rated in parts without being asked to."""
    try:
        return file.stat().st_size >= LARGE
    except OSError:
        return False


def streamed(model: Model, file: Path, choices: Choices, start: Ladder | None, min_matches: int) -> Standings:
    """Rate a file that is in the order of time, part by part; there is no change to show, as nothing is kept."""
    try:
        rated = model.fit_stream(Stream(file, choices, ROWS), start)
    except Error as error:
        raise Error(as_flags(str(error)).replace("read it as a whole", "--no-stream reads it as a whole")) from error
    players = count(len(rated.ladder), "player", "players")
    note(f"{file}: {count(rated.matches, 'match', 'matches')}, {players}, rated in parts (--no-stream: as a whole)")
    for line in rated.recognised.splitlines():
        note(as_flags(line))
    return Standings(rated.ladder.leaderboard(min_matches=min_matches), rated.ladder, None)
