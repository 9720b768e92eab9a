"""Team functions: how a team's performance follows from its players' performances."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

# kernel: lanes
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

from ... import validate
from ...errors import Error
from ..engine.board import Board, positive
from ..params import Range
from . import interfaces
from .interfaces import TeamFunction

__all__ = ["Affine", "FullSquad", "LeaderBonus", "Mean", "Sum", "TeamFunction", "Weighted"]

RULES = ("top", "mean")
# In the compiled module a name that is cimported is not an attribute of the module, so it is assigned here.
globals()["TeamFunction"] = interfaces.TeamFunction


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class Sum(TeamFunction):
    """A team's performance is the sum of its players' performances (TrueSkill, section 2; TSa).

    >>> Sum()
    Sum()
    """

    blocks = True
    looks = False
    positions = False
    plain = True

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def weigh(self, board: Board) -> cython.bint:
        """Keep the weights α unchanged: each is the share of the match that the player played."""

    def sums(self, weight: Any, starts: Any) -> tuple[Any, Any]:
        """Add up the weights.

        >>> import numpy as np
        >>> Sum().sums(np.ones(3), np.array([0, 2]))
        (array([2., 1.]), array([2., 1.]))
        """
        return np.add.reduceat(weight, starts), np.add.reduceat(weight * weight, starts)


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class Mean(TeamFunction):
    """A team performs as well as its average player; a player who played half the match counts half (TSb).

    >>> Mean()
    Mean()
    """

    blocks = True
    looks = False
    positions = False

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def weigh(self, board: Board) -> cython.bint:
        """Divide the share of every player by the sum of the team's shares."""
        absent = 0
        for j in range(board.teams):
            first = board.start[j] * board.traits
            last = board.start[j + 1] * board.traits
            if last - first == board.traits:
                # The share of a single player divided by itself is 1; divisions would take longer.
                for k in range(first, last):
                    for lane in range(board.lanes):
                        absent += 0 if board.alpha[k * board.stride + lane] > 0.0 else 1
                        board.alpha[k * board.stride + lane] = 1.0
                continue
            for lane in range(board.lanes):
                board.work[lane] = 0.0
            for k in range(first, last):
                for lane in range(board.lanes):
                    board.work[lane] += board.alpha[k * board.stride + lane] / board.traits
            for lane in range(board.lanes):
                absent += 0 if board.work[lane] > 0.0 else 1
            if absent > 0:
                positive(0.0)
            for k in range(first, last):
                for lane in range(board.lanes):
                    board.alpha[k * board.stride + lane] /= board.work[lane]
        if absent > 0:
            positive(0.0)

    def sums(self, weight: Any, starts: Any) -> tuple[Any, Any]:
        """Add up the weights, which are relative to those of the team.

        >>> import numpy as np
        >>> Mean().sums(np.ones(3), np.array([0, 2]))
        (array([1., 1.]), array([0.5, 1. ]))
        """
        total, squares = np.add.reduceat(weight, starts), np.add.reduceat(weight * weight, starts)
        return np.ones(len(starts)), squares / (total * total)


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class Weighted(TeamFunction):
    """The player at position i of a team has the weight `weights[i]`, for example as captain or goalkeeper.

    List the players of every team in the order of their roles. A team may have fewer players than there are weights,
    but not more.

    >>> Weighted((1.0, 0.5))
    Weighted(weights=(1.0, 0.5))
    """

    weights: object

    blocks = True
    looks = False

    def __post_init__(self) -> None:
        if not isinstance(self.weights, tuple) or not self.weights:
            raise validate.invalid("weights", "be a tuple of numbers, one for each position", self.weights)
        for position, weight in enumerate(self.weights):
            validate.scale(f"weights[{position}]", weight, zero=True)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def weigh(self, board: Board) -> cython.bint:
        """Multiply the share of every player by the weight of the position."""
        weights = self.weights
        for j in range(board.teams):
            players = board.start[j + 1] - board.start[j]
            if players > len(weights):
                raise Error(f"team {j + 1} has {players} players, but Weighted has {len(weights)} weights; give more")
            for e in range(board.start[j], board.start[j + 1]):
                weight: cython.double = weights[e - board.start[j]]
                for k in range(e * board.traits, (e + 1) * board.traits):
                    for i in range(k * board.stride, k * board.stride + board.lanes):
                        board.alpha[i] *= weight


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class Affine(TeamFunction):
    """A user-defined team function. It maps the prior means of a roster to the players' weights and a constant.

    See Nikolenko, Sirotkin (2011), section 2. A team function that is not affine is replaced by its tangent at the
    prior means: for t = Σp² the tangent has the weights 2μ and the constant −Σμ². The function is called for each team
    and trait, with the means of the players in the order in which the players are listed. A player's share of the match
    multiplies the weight, but not the constant.

    A model with a user-defined function cannot be written to a file. Such a model can be pickled if the function can be
    pickled: functions of a module can, lambdas cannot.

    >>> def squares(means):
    ...     return [2 * mu for mu in means], -sum(mu * mu for mu in means)
    >>> import prowess as pw
    >>> model = pw.TrueSkill().replace(team=Affine(squares))
    >>> model.predict([[pw.Rating(3, 1), pw.Rating(1, 1)], [pw.Rating(2, 1)]]).mean
    array([10.,  4.])
    """

    function: object

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise validate.invalid(
                "function", "be a function that takes prior means and returns weights and an offset", self.function
            )

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def weigh(self, board: Board) -> cython.bint:
        """Multiply every player's share of the match by the weight that the function returns; set the team's offset."""
        for j in range(board.teams):
            for k in range(board.traits):
                means = [board.mu[e * board.traits + k] for e in range(board.start[j], board.start[j + 1])]
                weights, offset = _check_affine(self.function(means), j + 1, len(means))
                board.offset[j * board.traits + k] = offset
                for e in range(board.start[j], board.start[j + 1]):
                    board.alpha[e * board.traits + k] *= weights[e - board.start[j]]


def _check_affine(returned: Any, team: int, players: int) -> tuple[list[float], float]:
    try:
        weights, offset = returned
        weights = list(weights)
    except (TypeError, ValueError):
        raise Error(
            f"Affine's function must return (weights, offset), but returned {returned!r} for team {team}"
        ) from None
    if len(weights) != players:
        raise Error(f"Affine's function returned {len(weights)} weights for the {players} players of team {team}")
    weights = [validate.number(f"Affine's weight of player {i} of team {team}", w) for i, w in enumerate(weights, 1)]
    return weights, validate.number(f"Affine's offset of team {team}", offset)


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class FullSquad(TeamFunction):
    """A team performs as well as its average player, minus `discount` for each player missing from `size` (TS2b).

    For n ≤ size players, the performance is (1 − discount · (size − n)) times the average: Nikolenko, Sirotkin (2010),
    section 3.3, and (2011), section 4. `larger` is the rule for larger rosters:

    - "top" (the paper's rule): Σp · (sum of the `size` largest μ)/(size · Σμ). All players have the same weight, and
      the team is expected to perform like its `size` best players. If Σμ is not positive, `Error` is raised.
    - "mean": the plain average of all players.

    Players count in proportion to their share of the match, which is at most 1. Someone who played half the match
    counts half in the average and half in n (which is at least 1). The `size` best players are counted from the best
    down, until their shares add up to `size`. For example, if one player of a team of six plays half the match, n is
    5.5 and the discount is 1 %. If two players of a team of seven take turns, the team is a full squad of six.

    >>> FullSquad(size=6, discount=0.02)
    FullSquad(size=6, discount=0.02, larger='top')
    """

    size: object = 6
    discount: object = 0.02
    larger: object = "top"

    blocks = True
    positions = False

    def __post_init__(self) -> None:
        if type(self.size) is not int or self.size < 1:
            raise validate.invalid("size", "be a whole number of at least 1", self.size)
        validate.scale("size", self.size)
        if validate.scale("discount", self.discount, zero=True) * (self.size - 1) >= 1.0:
            raise validate.invalid("discount", f"be below 1/{self.size - 1} for a squad of {self.size}", self.discount)
        if self.larger not in RULES:
            raise validate.invalid("larger", f"be one of {', '.join(map(repr, RULES))}", self.larger)

    @property
    def looks(self) -> bool:
        """Whether weights may depend on beliefs: those of rosters larger than `size` do if the rule is "top".

        >>> FullSquad().looks, FullSquad(larger="mean").looks
        (True, False)
        """
        return self.larger == "top"

    @property
    def tunable(self) -> dict[str, Range]:
        """The range in which `discount` can be tuned; {} if `size` is 1.

        At the upper end of the range, a player without any team-mates performs at a tenth of the skill.

        >>> FullSquad(size=11).tunable
        {'discount': Range(low=0.0, high=0.09, log=False, unit='one', sets='')}
        """
        return {"discount": Range(0, min(0.2, 0.9 / (self.size - 1)))} if self.size > 1 else {}

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def weigh(self, board: Board) -> cython.bint:
        """Multiply every player's share of the match by the factor of the team."""
        size: cython.double = self.size
        discount: cython.double = self.discount
        top: cython.bint = self.larger == "top"
        share: cython.double
        row = board.traits * board.stride
        for j in range(board.teams):
            for i in range(board.traits * board.lanes):
                k = i // board.lanes * board.stride + i % board.lanes  # the cell of the trait and the i
                shares = present = 0.0
                for e in range(board.start[j], board.start[j + 1]):
                    share = board.alpha[e * row + k]
                    shares += share
                    present += min(share, 1.0)
                if present > size and top:
                    share = _top_factor(board, j, k, size)
                else:
                    share = (1.0 - discount * (size - min(max(present, 1.0), size))) / positive(shares)
                for e in range(board.start[j], board.start[j + 1]):
                    board.alpha[e * row + k] *= share

    def sums(self, weight: Any, starts: Any) -> tuple[Any, Any]:
        """Add up the weights; larger rosters count by their beliefs, so they get a sum that is certainly too large.

        >>> import numpy as np
        >>> FullSquad(size=2, discount=0.1).sums(np.ones(3), np.array([0, 2]))
        (array([1. , 0.9]), array([0.5 , 0.81]))
        """
        total, squares = np.add.reduceat(weight, starts), np.add.reduceat(weight * weight, starts)
        present = np.maximum(np.add.reduceat(np.minimum(weight, 1.0), starts), 1.0)
        factor = 1.0 - self.discount * (self.size - np.minimum(present, self.size))
        return factor + (present > self.size), squares * (factor / total) ** 2


@cython.cfunc
def _top_factor(board: Board, j: cython.Py_ssize_t, k: cython.Py_ssize_t, size: cython.double) -> cython.double:
    """Return the factor by which all weights are multiplied, so that the team performs like its `size` best players."""
    row = board.traits * board.stride
    total = 0.0
    for e in range(board.start[j], board.start[j + 1]):
        total += board.alpha[e * row + k] * board.mu[e * row + k]
    weight = 0.0
    if total > 0.0:
        weight = _sum_best(board, j, k, size) / size / total
    if not 0.0 < weight <= validate.LARGEST:
        raise Error(
            f"team {j + 1} has more than {size:g} players, and their means sum to {total:.6g}; larger='top' needs a "
            "positive sum: start players at a mean well above 0, or choose larger='mean'"
        )
    return weight


@cython.cfunc
@cython.exceptval(check=False)
def _sum_best(board: Board, j: cython.Py_ssize_t, k: cython.Py_ssize_t, size: cython.double) -> cython.double:
    # Each pass over the team adds the next largest mean, until the players' shares add up to `size`.
    last = total = 0.0
    free = size
    while free > 0.0:
        best = shares = 0.0
        for e in range(board.start[j], board.start[j + 1]):
            i = e * board.traits * board.stride + k
            if board.alpha[i] > 0.0 and (free == size or board.mu[i] < last):
                if shares == 0.0 or board.mu[i] > best:
                    best = board.mu[i]
                    shares = min(board.alpha[i], 1.0)
                # Equal means are added in one pass, because the next pass skips all means that are not below `last`.
                elif board.mu[i] == best:
                    shares += min(board.alpha[i], 1.0)
        if shares == 0.0:
            break
        total += min(shares, free) * best
        free -= min(shares, free)
        last = best
    return total


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class LeaderBonus(TeamFunction):
    """Multiply the weight of a team's leader, the player with the highest prior mean, by 1 + `leader_bonus`.

    See Nikolenko, Sirotkin (2010), section 3.3. The team function `squad` gives the weights, which are rescaled so that
    their sum stays the same. Among equally good players, the first player listed is the leader. A player of weight 0
    does not lead. Each trait has its own leader.

    >>> from prowess.model.components.team import FullSquad
    >>> LeaderBonus(FullSquad(), leader_bonus=0.1)
    LeaderBonus(squad=FullSquad(size=6, discount=0.02, larger='top'), leader_bonus=0.1)
    """

    squad: object
    leader_bonus: object = 0.1

    tunable: ClassVar[dict[str, Range]] = {"leader_bonus": Range(0, 0.5)}

    @property
    def blocks(self) -> bool:
        """The attribute `blocks` of the team function `squad`.

        >>> LeaderBonus(FullSquad()).blocks
        True
        """
        return self.squad.blocks

    def __post_init__(self) -> None:
        interfaces.check_component("squad", self.squad, TeamFunction, "a team function, such as FullSquad()")
        validate.scale("leader_bonus", self.leader_bonus, zero=True)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def weigh(self, board: Board) -> cython.bint:
        """Increase the leader's weight, then rescale all weights so that their sum stays the same."""
        squad: TeamFunction = self.squad
        bonus: cython.double = self.leader_bonus
        squad.weigh(board)
        for j in range(board.teams):
            for i in range(board.traits * board.lanes):
                _lead(board, j, i // board.lanes * board.stride + i % board.lanes, bonus)


@cython.cfunc
def _lead(board: Board, j: cython.Py_ssize_t, k: cython.Py_ssize_t, bonus: cython.double) -> cython.bint:
    row = board.traits * board.stride
    leader = -1
    total = 0.0
    for e in range(board.start[j], board.start[j + 1]):
        i = e * row + k
        total += board.alpha[i]
        # A player of weight 0 would get no bonus, and the team would have no leader.
        if board.alpha[i] != 0.0 and (leader < 0 or board.mu[i] > board.mu[leader]):
            leader = i
    if leader < 0:
        return False
    grown = total + bonus * board.alpha[leader]
    if not (total > 0.0 and grown > 0.0):
        raise Error(f"a leader bonus needs weights with a positive sum; the weights of team {j + 1} sum to {total:.6g}")
    board.alpha[leader] *= 1.0 + bonus
    for e in range(board.start[j], board.start[j + 1]):
        board.alpha[e * row + k] *= total / grown
    return False
