"""Duelling: players are compared instead of teams (Herbrich, Minka, Graepel 2006, section 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

# kernel: lanes
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

from ....validate import invalid
from ...engine.board import Board
from ..interfaces import Outcome, evidence_by_lane
from .comparison import add_side, compare_all, reserve_sides
from .pairwise import Pairwise

if TYPE_CHECKING:
    from ...prediction import Prediction


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class Duel(Outcome):
    """Compare every player with every opponent by their teams' result; a player's update averages the comparisons.

    In this way, rating systems for two players can also rate teams and free-for-alls. A duel compares players, not
    teams, so its updates do not come from a likelihood of the result. Forecasts, draws and the log-evidence come from
    the inner outcome `pair`, which compares the teams' performances. The team function `Mean` suits this outcome.

    A shift of a team's performance, such as a home advantage, shifts the ratings of all its players. A player whose
    weight α is below the team's average learns proportionally less and counts less as an opponent. The sum of all
    ratings stays constant only if all teams have the same size and all players the same K-factor.

    >>> from prowess.model.components.outcome import Logistic
    >>> Duel(Logistic(400.0))
    Duel(pair=Logistic(scale=400.0))
    """

    pair: object

    duels = True
    draws_apart = True
    memory_from = "forecasts"

    @property
    def blocks(self) -> bool:
        """The attribute `blocks` of the inner outcome `pair`."""
        return self.pair.blocks

    def __post_init__(self) -> None:
        # The update of a player is a Newton step, as in Elo and Glicko; an exact outcome of two teams has none.
        if not isinstance(self.pair, Pairwise) or not self.pair.laplace:
            raise invalid("pair", "be an outcome that compares two sides, such as Logistic()", self.pair)

    @property
    def gradient(self) -> bool:
        """Whether a home advantage can be learnt: the attribute `gradient` of the inner outcome `pair`.

        The advantage is learnt from the average over the home team's players.
        """
        return self.pair.gradient

    @property
    def laplace(self) -> bool:
        """The attribute `laplace` of the inner outcome `pair`."""
        return self.pair.laplace

    @property
    def blind(self) -> tuple[str, ...]:
        """The attribute `blind` of the inner outcome `pair`."""
        return self.pair.blind

    @property
    def remembers(self) -> tuple[str, ...]:
        """The attribute `remembers` of the inner outcome `pair`."""
        return self.pair.remembers

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def prepare(self, board: Board) -> cython.bint:
        """Delegate to the inner outcome."""
        pair: Pairwise = self.pair
        return pair.prepare(board)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def forecast(self, board: Board) -> cython.bint:
        """Delegate to the inner outcome."""
        pair: Pairwise = self.pair
        return pair.forecast(board)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def mix_draws(self, board: Board) -> cython.bint:
        """Delegate to the inner outcome."""
        pair: Pairwise = self.pair
        return pair.mix_draws(board)

    def performances(self, board: Board) -> tuple[list[float], list[float], list[float]]:
        """Delegate to the inner outcome."""
        return self.pair.performances(board)

    def performance(self, variance: Any) -> Any:
        """Delegate to the inner outcome."""
        return self.pair.performance(variance)

    def predict(self, board: Board) -> Prediction:
        """Delegate to the inner outcome."""
        return self.pair.predict(board)

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def evidence(self, board: Board) -> cython.double:
        """Learn from the result: set `g1`, `g2` and `kept` of every player, and the team averages `d1` and `d2`."""
        pair: Pairwise = self.pair
        # A match of two players is the most common case, and needs no table of sides.
        if board.teams == 2 and board.entries == 2 and not _is_partial(board):
            pair.evidence(board)  # with one player per team, comparing teams compares the players
            for e in range(2):
                for lane in range(board.lanes):
                    i = e * board.stride + lane
                    board.g1[i] = board.d1[i]
                    board.g2[i] = board.d2[i]
        elif board.stride > 1:
            evidence_by_lane(self, board)
            return board.evidences[0]
        else:
            _add_players(board)
            compare_all(pair, board, board.entries, board.g1, board.g2)
            _average_teams(board)
            board.evidences[0] = pair.neighbour_evidence(board)
        for e in range(board.entries):
            for lane in range(board.lanes):
                i = e * board.stride + lane
                pull = board.g2[i] if board.g2[i] < 0.0 else 0.0
                board.kept[i] = 1.0 / (1.0 - board.var[i] * pull)
        return board.evidences[0]


@cython.cfunc
@cython.exceptval(check=False)
def _is_partial(board: Board) -> cython.bint:
    """Return whether a player of a match of two players has another weight than 1."""
    count = 0
    for e in range(2):
        for lane in range(board.lanes):
            i = e * board.stride + lane
            count += 0 if board.alpha[i] == 1.0 else 1
    return count > 0


@cython.cfunc
def _add_players(board: Board) -> cython.bint:
    # `kept` holds, for now, the player's weight divided by the team's average weight.
    reserve_sides(board)
    for j in range(board.teams):
        shift = board.offset[j] + board.shift[j]
        variance = board.beta * board.beta + board.added[j]
        average = 0.0
        if board.side is not None and board.homes[0] == j:
            shift += board.side.mu[0]
        for e in range(board.start[j], board.start[j + 1]):
            average += board.alpha[e] / (board.start[j + 1] - board.start[j])
        for e in range(board.start[j], board.start[j + 1]):
            # Shares are relative to the average, so that multiplying all weights of a team by a number changes nothing.
            board.kept[e] = board.alpha[e] / average if average > 0.0 else 0.0
            add_side(board, e, j, board.mu[e] + shift, board.var[e] + variance, board.kept[e])
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _average_teams(board: Board) -> cython.void:
    """Multiply `g1` and `g2` of each player by the relative weight in `kept`; store team averages in `d1` and `d2`."""
    for j in range(board.teams):
        board.d1[j] = board.d2[j] = 0.0
        for e in range(board.start[j], board.start[j + 1]):
            board.g1[e] *= board.kept[e]
            board.g2[e] *= board.kept[e]
            board.d1[j] += board.g1[e] / (board.start[j + 1] - board.start[j])
            board.d2[j] += board.g2[e] / (board.start[j + 1] - board.start[j])
        board.left[j] = 1.0 / (1.0 - board.variance[j] * min(board.d2[j], 0.0))
