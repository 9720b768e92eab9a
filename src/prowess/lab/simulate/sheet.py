"""A board as NumPy columns: how many matches at once go through a model's own parts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...model.board import Board
from ...model.model import Model
from .options import Floats

__all__ = ["Sheet"]


class Sheet:
    """A board of a model that has room for many teams, and its columns as arrays that share its memory.

    Drift and team function look at one player, or one team, at a time: the board they work on may hold the teams of
    many matches. So a whole league goes through the same compiled code as a single match.

    >>> import prowess as pw
    >>> sheet = Sheet(pw.TrueSkill(), teams=2, entries=2)
    >>> sheet.mu[:] = 30.0
    >>> sheet.board.mu[1]
    30.0
    """

    def __init__(self, model: Model, teams: int, entries: int) -> None:
        """The board is the sheet's own: it is not given back, so that no model keeps a large one."""
        board: Board = model.pipeline.board(teams, entries)
        board.start[0] = 0
        self.board = board
        self.start: NDArray[np.int32] = np.asarray(board.start)
        self.mean: Floats = np.asarray(board.mean)
        self.variance: Floats = np.asarray(board.variance)
        self.noise: Floats = np.asarray(board.noise)
        self.offset: Floats = np.asarray(board.offset)
        self.alpha: Floats = np.asarray(board.alpha)
        self.mu: Floats = np.asarray(board.mu)
        self.var: Floats = np.asarray(board.var)
        self.before: Floats = np.asarray(board.before)
        self.g1: Floats = np.asarray(board.g1)
        self.g2: Floats = np.asarray(board.g2)
        self.kept: Floats = np.asarray(board.kept)
        self.elapsed: Floats = np.asarray(board.elapsed)
        self.played: Floats = np.asarray(board.played)
        self.games: Floats = np.asarray(board.games)
        self.extra: Floats = np.asarray(board.extra)
