"""Who is there: the players of a ladder, a fit, or a model with ratings given, and what is known of their league."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import Error
from ..history import name_of
from ..model.engine.board import Board
from ..model.engine.rate import lay, recalled
from ..model.fit.fit import Fit
from ..model.ladder.ladder import Ladder
from ..model.match_input import Given
from ..model.model import Model
from ..model.rating import Rating

__all__ = ["Group", "Players", "Source", "group"]

Floats = NDArray[np.float64]
Source = Ladder | Fit | Model
Players = Iterable[str] | Mapping[str, Rating]


@dataclass(frozen=True, eq=False)
class Group:
    """Players by name with their ratings, the model that these belong to, and what it has learnt of the league."""

    model: Model
    memory: list[float]
    names: list[str]
    ratings: list[Rating]
    newcomers: tuple[str, ...]

    def __len__(self) -> int:
        """Count the players."""
        return len(self.names)

    def beliefs(self) -> tuple[Floats, Floats]:
        """The means and the variances of all players, a column for each trait."""
        pipeline = self.model.pipeline
        board = self.board()
        cells = len(self) * pipeline.traits
        mu, var = (np.array(column[:cells]).reshape(len(self), -1) for column in (board.mu, board.var))
        return mu, var

    def board(self) -> Board:
        """All players on one board, as if each of them were a team of a large match."""
        alone = [[rating] for rating in self.ratings]
        return self.board_of(alone if len(alone) > 1 else alone * 2)

    def board_of(self, teams: Sequence[Sequence[Rating]], details: Given | None = None) -> Board:
        """A match on a board, with what is known of the league."""
        board = lay(self.model.pipeline, teams, details)
        for index, known in enumerate(self.memory):
            board.memory[index] = known
        return board


def group(source: Source, players: Players | None = None) -> Group:
    """The players who are there: all of a ladder, or those who are named; who is not known is a newcomer.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 4)})
    >>> found = group(ladder, ["ann", "bob"])
    >>> found.ratings[0], found.newcomers
    (Rating(mu=30.0, sigma=4.0), ('bob',))
    """
    ladder = _ladder(source)
    if players is None:
        players = ladder.names
    if isinstance(players, str) or not isinstance(players, Iterable):
        raise Error(f"players must be a list of names, or ratings by name, not {players!r}")
    pairs = players.items() if isinstance(players, Mapping) else ((name, None) for name in players)
    newcomer = ladder.newcomer
    found: dict[str, Rating] = {}
    newcomers = []
    for given, rating in pairs:
        name = name_of(given)
        if name in found:
            raise Error(f"{name} is named twice; everybody plays once")
        if rating is not None and not isinstance(rating, Rating):
            raise Error(f"{name} must have a Rating, not {rating!r}")
        if rating is None and name not in ladder.rows:
            newcomers.append(name)
            rating = newcomer
        found[name] = ladder[name] if rating is None else rating
    memory = recalled(ladder.model.pipeline, ladder.table)
    return Group(ladder.model, memory, list(found), list(found.values()), tuple(newcomers))


def _ladder(source: Source) -> Ladder:
    """The ladder that a source stands for; a model is one that nobody has joined."""
    if isinstance(source, Ladder):
        return source
    if isinstance(source, Fit):
        return source._after  # `ladder` may have gone on since
    if isinstance(source, Model):
        return Ladder(source)
    raise Error(f"matchmaking needs a Ladder, a Fit or a Model, not {source!r}")
