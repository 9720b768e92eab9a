"""More weight for the best player of a team."""

from __future__ import annotations

from typing import ClassVar

try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

if cython.compiled:
    from cython.cimports.prowess.model.components.interfaces import TeamFunction
    from cython.cimports.prowess.model.engine.board import Board
else:
    from ...engine.board import Board
    from ..interfaces import TeamFunction

from .... import errors, validate
from ...params import Range

__all__ = ["LeaderBonus"]


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class LeaderBonus(TeamFunction):
    """The best player of a team, by prior mean, weighs `leader_bonus` more than another team function gives her.

    Nikolenko, Sirotkin (2010), section 3.3. The weights of a team keep their sum. Of several who are best, the first
    listed leads; who has no weight does not lead. With several traits each has its own leader.

    >>> from prowess.model.components.team import FullSquad
    >>> LeaderBonus(FullSquad(), leader_bonus=0.1)
    LeaderBonus(squad=FullSquad(size=6, discount=0.02, larger='top'), leader_bonus=0.1)
    """

    squad: object
    leader_bonus: object = 0.1

    tunable: ClassVar[dict[str, Range]] = {"leader_bonus": Range(0, 0.5)}

    def __post_init__(self) -> None:
        if not isinstance(self.squad, TeamFunction) or type(self.squad) is TeamFunction:
            raise errors.Error(f"squad must be a team function, such as FullSquad(), not {self.squad!r}")
        validate.scale("leader_bonus", self.leader_bonus, zero=True)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def weigh(self, board: Board) -> cython.bint:
        """α of the leader grows, then all are scaled to their old sum."""
        j: cython.Py_ssize_t
        k: cython.Py_ssize_t
        squad: TeamFunction = self.squad
        bonus: cython.double = self.leader_bonus
        squad.weigh(board)
        for j in range(board.teams):
            for k in range(board.traits):
                _lead(board, j, k, bonus)


@cython.cfunc
@cython.exceptval(-1, check=False)
def _lead(board: Board, j: cython.Py_ssize_t, k: cython.Py_ssize_t, bonus: cython.double) -> cython.bint:
    """Give the leader of a team in one trait her bonus."""
    e: cython.Py_ssize_t
    i: cython.Py_ssize_t
    leader: cython.Py_ssize_t = -1
    total: cython.double = 0.0
    for e in range(board.start[j], board.start[j + 1]):
        i = e * board.traits + k
        total += board.alpha[i]
        if board.alpha[i] != 0.0 and (leader < 0 or board.mu[i] > board.mu[leader]):
            leader = i
    if leader < 0:
        return False
    grown: cython.double = total + bonus * board.alpha[leader]
    if not (total > 0.0 and grown > 0.0):
        raise errors.Error(
            f"the weights of team {j + 1} add up to {total:.6g}; a leader bonus keeps their sum, which must be above 0"
        )
    board.alpha[leader] *= 1.0 + bonus
    for e in range(board.start[j], board.start[j + 1]):
        board.alpha[e * board.traits + k] *= total / grown
    return False
