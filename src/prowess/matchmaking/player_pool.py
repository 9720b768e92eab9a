"""Who is there: the players of a ladder, a fit, or a model with ratings given, and what is known of their league."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Error
from ..history import name_of
from ..model.engine.board import Board
from ..model.engine.rate import build_board, read_memory
from ..model.fit.fit import Fit
from ..model.ladder.ladder import Ladder
from ..model.match_input import MatchDetails
from ..model.model import Model
from ..model.rating import Rating

Floats = NDArray[np.float64]
Source = Ladder | Fit | Model
Players = Iterable[str] | Mapping[str, Rating]


@dataclass(frozen=True, eq=False)
class PlayerPool:
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

    def board_of(self, teams: Sequence[Sequence[Rating]], details: MatchDetails | None = None) -> Board:
        """A match on a board, with what is known of the league."""
        board = build_board(self.model.pipeline, teams, details)
        for index, known in enumerate(self.memory):
            board.memory[index] = known
        return board


def make_pool(source: Source, players: Players | None = None) -> PlayerPool:
    """The players who are there: all of a ladder, or those who are named; who is not known is a newcomer.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 4)})
    >>> found = make_pool(ladder, ["ann", "bob"])
    >>> found.ratings[0], found.newcomers
    (Rating(mu=30.0, sigma=4.0), ('bob',))
    """
    ladder = _ladder_of(source)
    if players is None:
        players = ladder.names
    if isinstance(players, str) or not isinstance(players, Iterable):
        raise Error(
            f"players must be a list of names, or ratings by name, not {players!r}", field="players", value=players
        )
    pairs = players.items() if isinstance(players, Mapping) else ((name, None) for name in players)
    newcomer = ladder.newcomer
    found: dict[str, Rating] = {}
    newcomers = []
    for given, rating in pairs:
        name = name_of(given)
        if name in found:
            raise Error(f"{name} is named twice; everybody plays once", field="players", value=name)
        if rating is not None and not isinstance(rating, Rating):
            raise Error(f"{name} must have a Rating, not {rating!r}", field="players", value=name)
        if rating is None and name not in ladder.rows:
            newcomers.append(name)
            rating = newcomer
        found[name] = ladder[name] if rating is None else rating
    memory = read_memory(ladder.model.pipeline, ladder.table)
    return PlayerPool(ladder.model, memory, list(found), list(found.values()), tuple(newcomers))


def _ladder_of(source: Source) -> Ladder:
    """The ladder that a source stands for; a model is one that nobody has joined."""
    if isinstance(source, Ladder):
        return source
    if isinstance(source, Fit):
        return source._after  # `ladder` may have gone on since
    if isinstance(source, Model):
        return Ladder(source)
    raise Error(f"matchmaking needs a Ladder, a Fit or a Model, not {source!r}", field="source", value=source)


Ints = NDArray[np.intp]

ENTRIES = 200_000  # laid on a board at once


class Performances:
    """Mean, variance and noise of the performances of any teams of a group, in matches of teams of these sizes.

    All teams are laid on one board as if they met in one large match, and pooled by the model's own team function. What
    a team performs does not depend on the others; only what scores scatter may, as long as that is not learnt, and it
    is taken from a match of the right sizes. A team's players stand in the order of `members`.

    >>> import prowess as pw
    >>> from prowess.matchmaking.player_pool import make_pool
    >>> ratings = {"ann": pw.Rating(30, 4), "bob": pw.Rating(25, 3), "cat": pw.Rating(20, 2)}
    >>> Performances(make_pool(pw.TrueSkill(beta=1), ratings), (2, 2)).of(np.array([[0, 1], [1, 2]]))
    array([[55., 45.],
           [27., 15.],
           [ 2.,  2.]])
    """

    def __init__(self, group: PlayerPool, sizes: Sequence[int]) -> None:
        """Take the players of a group."""
        self.group, self.among = group, len(sizes)
        self.mu, self.var = group.beliefs()
        self._board: Board | None = None
        board = group.board_of([[group.ratings[0]] * size for size in sizes])
        group.model.pipeline.pool_teams(board)
        self.scatter = group.model.outcome.scatter(board)

    def of(self, members: Ints) -> Floats:
        """Mean, variance and noise of the teams whose players are in the rows of `members`, as three rows."""
        found = np.empty((3, len(members)))
        at_once = max(ENTRIES // members.shape[1] // self.among, 1) * self.among
        for first in range(0, len(members), at_once):
            some = members[first : first + at_once]
            found[:, first : first + len(some)] = self._pooled(some)
        return found

    def _pooled(self, members: Ints) -> Floats:
        """The performances of some teams of one size, through the pipeline of the model."""
        pipeline = self.group.model.pipeline
        teams, size = members.shape
        board = self._laid(members)
        pipeline.pool_teams(board)
        if pipeline.traits == 1:
            return self._scattered(board)
        cells = teams * pipeline.traits  # what a trait counts for may depend on how many teams meet: match by match
        columns = [
            np.resize(np.asarray(column)[:cells], cells + self.among * pipeline.traits)
            for column in _performance_columns(board)
        ]
        match: Any = pipeline.board(self.among, self.among * size)
        self._remember(match)
        found = []
        for first in range(0, cells, self.among * pipeline.traits):
            last = first + self.among * pipeline.traits
            match.mean, match.variance, match.noise = (column[first:last] for column in columns)
            found.append(self._scattered(match))
        return np.concatenate(found, axis=1)[:, :teams]

    def _scattered(self, board: Board) -> Floats:
        """The performances of the teams on a board, with what scores scatter in a match of the right sizes."""
        found = np.array(self.group.model.outcome.performances(board))
        found[1:] += self.scatter - self.group.model.outcome.scatter(board)
        return found

    def _laid(self, members: Ints) -> Board:
        """Teams of one size on a board."""
        pipeline = self.group.model.pipeline
        teams, size = members.shape
        cells = members.size * pipeline.traits
        board = self._board
        if board is None or not board.holds(teams, members.size):
            board = self._board = pipeline.board(teams, members.size)
            self._remember(board)
        board.teams, board.entries = teams, members.size
        np.asarray(board.start)[: teams + 1] = np.arange(0, members.size + 1, size)
        np.asarray(board.alpha)[:cells] = 1.0
        np.asarray(board.mu)[:cells] = self.mu[members].ravel()
        np.asarray(board.var)[:cells] = self.var[members].ravel()
        return board

    def _remember(self, board: Board) -> None:
        """Lay what is known of the league on a board."""
        for index, known in enumerate(self.group.memory):
            board.memory[index] = known


def _performance_columns(board: Board) -> tuple[Any, Any, Any]:
    """The columns of a board from which an outcome makes performances."""
    return board.mean, board.variance, board.noise
