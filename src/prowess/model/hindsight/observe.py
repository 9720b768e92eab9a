"""Shows the contrasts of matches to the outcome of a model: all matches of a batch at once, on the engine's boards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...history.ragged import gather
from ..components.interfaces import evidence_by_lane, forecast_by_lane
from ..components.outcome import Margin
from ..engine.board import copy_lane
from ..engine.spread import spread
from .design import Batch, blocks, cells, new_board
from .support import OnlinePass, margin_of

if TYPE_CHECKING:
    from ...history import History

Floats = NDArray[np.float64]


class _Given(Margin):
    """A margin for each match that was measured before: the board has it, and nothing changes it."""

    reads_entries = False

    def measure(self, board: Any, seen: bool) -> bool:
        """Return that the margin may differ from that of the forecast."""
        return seen

    def between(self, board: Any, i: int, j: int) -> float:
        """Return the margin of the match."""
        epsilon: float = board.epsilons[i % board.stride]
        return epsilon


@dataclass(frozen=True, eq=False)
class Seen:
    """What the outcome says about a batch of matches, given the beliefs about their contrasts without the matches.

    `g1` and `g2` are the derivatives of the log-evidence with respect to the mean of each contrast, and `kept` is the
    share of the variance of the contrast that remains. `mean` and `variance` are those of each team and trait.
    """

    g1: Floats
    g2: Floats
    kept: Floats
    log_evidence: Floats
    win: Floats
    draw: Floats
    unconverged: NDArray[np.bool_]
    mean: Floats
    variance: Floats


class Observer:
    """The outcome of a model, and the results of the matches in a history."""

    def __init__(self, online: OnlinePass, history: History) -> None:
        self.model = online.model
        self.memory = online.memory
        self.history = history
        self.team_means = online.team_means
        self._boards: dict[int, Any] = {}
        self._margins: dict[int, Floats] = {}  # by the first match of a batch

    def _board(self, teams: int) -> Any:
        """Return a board for matches of this many teams, each of which has a single entry: its contrast."""
        if teams not in self._boards:
            board = new_board(self.model, teams, teams)
            for j in range(teams + 1):
                board.start[j] = j
            cells(board.alpha, board)[:] = 1.0
            self._boards[teams] = board
        return self._boards[teams]

    def observe(self, batch: Batch, mean: Floats, variance: Floats) -> Seen:
        """Return what the matches of a batch tell, given their contrasts N(mean, variance) without these matches."""
        board = self._board(batch.teams)
        margins = self._measure(board, batch)
        parts = []
        for block in blocks(len(batch.matches), board):
            self._write_matches(board, batch, block)
            contrasts = batch.constant[block] + mean[block], variance[block]
            parts.append(self._observe(board, batch, *contrasts, None if margins is None else margins[block]))
        return Seen(*(np.concatenate([part[i] for part in parts]) for i in range(len(parts[0]))))

    def _observe(
        self, board: Any, batch: Batch, mean: Floats, variance: Floats, margins: Floats | None
    ) -> tuple[NDArray[Any], ...]:
        """Return the fields of `Seen` for the matches on the board."""
        outcome, lanes, contrast = self.model.outcome, board.lanes, batch.rows
        means, variances, own = (cells(column, board) for column in (board.mean, board.variance, board.var))
        means[: len(own), :lanes] = own[:, :lanes] = 0.0
        means[contrast, :lanes] = mean.T
        own[contrast, :lanes] = variance.T
        variances[contrast, :lanes] += variance.T
        if self.model.pipeline.has_base:
            outcome.add_base(board)
        if margins is not None:
            cells(board.epsilons, board)[0, :lanes] = margins[:, 0]
        if batch.teams == 2:
            _ = outcome.forecast(board) if outcome.blocks else forecast_by_lane(outcome, board)
        rows = batch.noise.shape[1]
        forecast = [cells(column, board)[0, :lanes].copy() for column in (board.wins, board.draws)]
        performances = [column[:rows, :lanes].T.copy() for column in (means, variances)]
        if margins is not None:
            cells(board.epsilons, board)[0, :lanes] = margins[:, 1]
        cells(board.unconverged, board)[0, :lanes] = 0.0
        if outcome.blocks:
            board.evidences[0] = outcome.evidence(board)
        else:
            evidence_by_lane(outcome, board)
        spread(board)
        learnt = [cells(column, board)[contrast, :lanes].T.copy() for column in (board.g1, board.g2, board.kept)]
        evidence, failed = (cells(column, board)[0, :lanes].copy() for column in (board.evidences, board.unconverged))
        return *learnt, evidence, *forecast, failed > 0.0, *performances

    def _write_matches(self, board: Any, batch: Batch, block: slice) -> None:
        """Copy everything but the contrasts to the board."""
        lanes, rows = board.lanes, batch.noise.shape[1]
        board.teams = board.entries = batch.teams
        _, members = gather(self.history.match_start, batch.matches[block])
        cells(board.place, board)[: batch.teams, :lanes] = self.history.place[members].reshape(lanes, -1).T
        scores = np.full(len(members), np.nan) if self.history.score is None else self.history.score[members]
        cells(board.score, board)[: batch.teams, :lanes] = scores.reshape(lanes, -1).T
        for column in (board.noise, board.variance):
            cells(column, board)[:rows, :lanes] = batch.noise[block].T
        # Written every time, because a match may have changed the memory on the board.
        if len(self.memory):
            cells(board.memory, board)[: len(self.memory)] = self.memory[:, None]

    def _measure(self, board: Any, batch: Batch) -> Floats | None:
        """Return the margins of all matches for forecasts and for results; None if they depend on places alone.

        Margins that depend on the prior performances are those of the online pass: if they followed the performances
        from sweep to sweep, these might never settle.
        """
        first = int(batch.matches[0])
        if first in self._margins or self.team_means is None:
            return self._margins.get(first)
        margin = margin_of(self.model)
        if not margin.follows_means:
            return None
        board.margin = board.single.margin = margin
        found = np.empty((len(batch.matches), 2))
        for block in blocks(len(found), board):
            self._write_matches(board, batch, block)
            _, members = gather(self.history.match_start, batch.matches[block])
            rows = batch.noise.shape[1]
            cells(board.mean, board)[:rows, : board.lanes] = self.team_means[members].reshape(board.lanes, -1).T
            for seen in (False, True):
                found[block, int(seen)] = _epsilons(margin, board, seen)
        board.margin = board.single.margin = _Given()
        self._margins[first] = found
        return found


def _epsilons(margin: Margin, board: Any, seen: bool) -> Floats:
    """Return the margin of each match on a board."""
    if margin.blocks:
        margin.measure(board, seen)
        epsilons: Floats = cells(board.epsilons, board)[0, : board.lanes].copy()
        return epsilons
    found = np.empty(board.lanes)
    for lane in range(board.lanes):
        copy_lane(board, lane, board.single, 0)
        margin.measure(board.single, seen)
        found[lane] = board.single.epsilon
    return found
