"""The performances of many teams that could be made of some players, all at once: what match quality is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..model.engine.board import Board
from .player_pool import Group

__all__ = ["Performances"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

ENTRIES = 200_000  # laid on a board at once


class Performances:
    """Mean, variance and noise of the performances of any teams of a group, in matches of teams of these sizes.

    All teams are laid on one board as if they met in one large match, and pooled by the model's own team function. What
    a team performs does not depend on the others; only what scores scatter may, as long as that is not learnt, and it
    is taken from a match of the right sizes. A team's players stand in the order of `members`.

    >>> import prowess as pw
    >>> from prowess.matchmaking.player_pool import group
    >>> ratings = {"ann": pw.Rating(30, 4), "bob": pw.Rating(25, 3), "cat": pw.Rating(20, 2)}
    >>> Performances(group(pw.TrueSkill(beta=1), ratings), (2, 2)).of(np.array([[0, 1], [1, 2]]))
    array([[55., 45.],
           [27., 15.],
           [ 2.,  2.]])
    """

    def __init__(self, group: Group, sizes: Sequence[int]) -> None:
        """Take the players of a group."""
        self.group, self.among = group, len(sizes)
        self.mu, self.var = group.beliefs()
        self._board: Board | None = None
        board = group.board_of([[group.ratings[0]] * size for size in sizes])
        group.model.pipeline.pool(board)
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
        pipeline.pool(board)
        if pipeline.traits == 1:
            return self._scattered(board)
        cells = teams * pipeline.traits  # what a trait counts for may depend on how many teams meet: match by match
        columns = [np.resize(np.asarray(column)[:cells], cells + self.among * pipeline.traits) for column in _of(board)]
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


def _of(board: Board) -> tuple[Any, Any, Any]:
    """The columns of a board from which an outcome makes performances."""
    return board.mean, board.variance, board.noise
