"""Team functions: how a team's performance is made of its players' performances."""

from __future__ import annotations

from typing import Any, ClassVar

try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

if cython.compiled:
    from cython.cimports.prowess.model.components.interfaces import TeamFunction
    from cython.cimports.prowess.model.engine.board import Board, positive
else:
    from ..engine.board import Board, positive
    from .interfaces import TeamFunction

from ... import errors, validate
from ..params import Range
from . import interfaces

__all__ = ["Affine", "FullSquad", "LeaderBonus", "Mean", "Sum", "TeamFunction", "Weighted"]

RULES = ("top", "mean")
globals()["TeamFunction"] = interfaces.TeamFunction  # a cimported name is no attribute of the compiled module


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class Sum(TeamFunction):
    """A team performs as well as its players together (TrueSkill, section 2; TSa).

    >>> Sum()
    Sum()
    """

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def weigh(self, board: Board) -> cython.bint:
        """α is the share of the match that the player played, as it comes."""


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class Mean(TeamFunction):
    """A team performs as well as its average player; who played half of the match counts half (TSb).

    >>> Mean()
    Mean()
    """

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def weigh(self, board: Board) -> cython.bint:
        """α is the player's share of the match over the shares of the team."""
        for j in range(board.teams):
            k = board.start[j] * board.traits
            if board.traits == 1 and board.start[j + 1] - board.start[j] == 1 and board.alpha[k] > 0.0:
                board.alpha[k] = 1.0
                continue
            total = 0.0
            for k in range(board.start[j] * board.traits, board.start[j + 1] * board.traits):
                total += board.alpha[k] / board.traits
            for k in range(board.start[j] * board.traits, board.start[j + 1] * board.traits):
                board.alpha[k] /= positive(total)


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class Weighted(TeamFunction):
    """The player at position i of her team counts `weights[i]` times: a captain, a goalkeeper, a second chair.

    The order in which a team's players are listed carries their roles; who plays a role does so by standing at its
    position. A team may be smaller than there are weights, not larger.

    >>> Weighted((1.0, 0.5))
    Weighted(weights=(1.0, 0.5))
    """

    weights: object

    def __post_init__(self) -> None:
        if not isinstance(self.weights, tuple) or not self.weights:
            raise errors.Error(
                f"weights must be a tuple of numbers, one for each position, not {self.weights!r}",
                field="weights",
                value=self.weights,
            )
        for position, weight in enumerate(self.weights):
            validate.scale(f"weights[{position}]", weight, zero=True)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def weigh(self, board: Board) -> cython.bint:
        """α is the weight of the position times the share of the match that the player played."""
        weights = self.weights
        for j in range(board.teams):
            if board.start[j + 1] - board.start[j] > len(weights):
                raise errors.Error(
                    f"team {j + 1} has {board.start[j + 1] - board.start[j]} players, but Weighted has weights for "
                    f"{len(weights)} positions; give it more"
                )
            for e in range(board.start[j], board.start[j + 1]):
                for k in range(e * board.traits, (e + 1) * board.traits):
                    board.alpha[k] *= weights[e - board.start[j]]


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class Affine(TeamFunction):
    """A function of your own from a roster's prior means to the weights of its players and a constant part.

    Nikolenko, Sirotkin (2011), section 2: a team function that is not affine is approximated around the prior means.
    The tangent of t = Σp² has the weights 2μ and the constant −Σμ². The function is called for each team and trait with
    the means of its players as listed. A player's share of the match multiplies her weight, and not the constant.

    A model with a function of your own cannot be written to a file; it can be pickled if the function can, which holds
    for functions of a module and not for lambdas.

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
            raise errors.Error(
                f"Affine needs a function from prior means to weights and offset, not {self.function!r}",
                field="function",
                value=self.function,
            )

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def weigh(self, board: Board) -> cython.bint:
        """α is the function's weight times the share of the match that the player played; α₀ its constant part."""
        for j in range(board.teams):
            for k in range(board.traits):
                means = [board.mu[e * board.traits + k] for e in range(board.start[j], board.start[j + 1])]
                weights, offset = _checked(self.function(means), j + 1, len(means))
                board.offset[j * board.traits + k] = offset
                for e in range(board.start[j], board.start[j + 1]):
                    board.alpha[e * board.traits + k] *= weights[e - board.start[j]]


def _checked(returned: Any, team: int, players: int) -> tuple[list[float], float]:
    """What the function returned, if it is one finite weight for each player and a finite constant."""
    try:
        weights, offset = returned
        found = list(weights)
    except (TypeError, ValueError):
        raise errors.Error(
            f"the function of Affine must return (weights, offset), not {returned!r} as for team {team}"
        ) from None
    if len(found) != players:
        raise errors.Error(
            f"the function of Affine must return a weight for each player: {players} for team {team}, not {len(found)}"
        )
    found = [validate.number(f"Affine's weight of player {i} of team {team}", w) for i, w in enumerate(found, 1)]
    return found, validate.number(f"Affine's offset of team {team}", offset)


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class FullSquad(TeamFunction):
    """A team performs as well as its average player, `discount` less for each of `size` players that it lacks (TS2b).

    Nikolenko, Sirotkin (2010), section 3.3, and (2011), section 4: (1 − discount · (size − n)) · average for n ≤ size.
    Larger rosters, by the rule that is given:

    - "top": Σp · (sum of the `size` largest μ)/(size · Σμ), the paper's. All players weigh the same and the team is
      expected to perform like its `size` best. It is undefined where Σμ is not positive, which is an error.
    - "mean": the plain average of all, whatever their means.

    Players count with their share of the match, at most 1: who played half of it counts half in the average and half
    in n (at least 1), and the `size` best are filled up by shares, the best first. A team of six with one at half time
    has n = 5.5 and a discount of 1 %; seven of whom two took turns are a full squad of six.

    >>> FullSquad(size=6, discount=0.02)
    FullSquad(size=6, discount=0.02, larger='top')
    """

    size: object = 6
    discount: object = 0.02
    larger: object = "top"

    def __post_init__(self) -> None:
        if type(self.size) is not int or self.size < 1:
            raise errors.Error(
                f"size must be a whole number of at least 1, not {self.size!r}", field="size", value=self.size
            )
        validate.scale("size", self.size)
        if validate.scale("discount", self.discount, zero=True) * (self.size - 1) >= 1.0:
            raise errors.Error(
                f"a discount of {self.discount!r} leaves nothing of a single player where {self.size} make a squad; "
                f"it must be below 1/{self.size - 1}"
            )
        if self.larger not in RULES:
            raise errors.Error(
                f"larger must be one of {', '.join(map(repr, RULES))}, not {self.larger!r}",
                field="larger",
                value=self.larger,
            )

    @property
    def tunable(self) -> dict[str, Range]:
        """The discount, up to where little is left of a single player.

        >>> FullSquad(size=11).tunable
        {'discount': Range(low=0.0, high=0.09, log=False, unit='one', sets='')}
        """
        return {"discount": Range(0, min(0.2, 0.9 / (self.size - 1)))} if self.size > 1 else {}

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def weigh(self, board: Board) -> cython.bint:
        """α is the player's share of the match times what the team's rule makes of a share."""
        size: cython.double = self.size
        discount: cython.double = self.discount
        top: cython.bint = self.larger == "top"
        share: cython.double
        for j in range(board.teams):
            for k in range(board.traits):
                shares = present = 0.0
                for e in range(board.start[j], board.start[j + 1]):
                    share = board.alpha[e * board.traits + k]
                    shares += share
                    present += min(share, 1.0)
                if present > size and top:
                    share = _as_the_best(board, j, k, size)
                else:
                    share = (1.0 - discount * (size - min(max(present, 1.0), size))) / positive(shares)
                for e in range(board.start[j], board.start[j + 1]):
                    board.alpha[e * board.traits + k] *= share


@cython.cfunc
def _as_the_best(board: Board, j: cython.Py_ssize_t, k: cython.Py_ssize_t, size: cython.double) -> cython.double:
    """The weight of a whole share, the same for all, by which the team is expected to perform like its best."""
    total = 0.0
    for e in range(board.start[j], board.start[j + 1]):
        total += board.alpha[e * board.traits + k] * board.mu[e * board.traits + k]
    weight = 0.0
    if total > 0.0:
        weight = _best(board, j, k, size) / size / total
    if not 0.0 < weight <= validate.LARGEST:
        raise errors.Error(
            f"team {j + 1} has more than {size:g} players, and their means add up to {total:.6g}; larger='top' needs a "
            "sum above 0: start players at a mean well above 0, or choose larger='mean'"
        )
    return weight


@cython.cfunc
@cython.exceptval(check=False)
def _best(board: Board, j: cython.Py_ssize_t, k: cython.Py_ssize_t, size: cython.double) -> cython.double:
    """The sum of the largest means of a team, as many as fill `size` shares: once over the team for each of them."""
    last = 0.0
    total = 0.0
    free = size
    while free > 0.0:
        best = shares = 0.0
        for e in range(board.start[j], board.start[j + 1]):
            i = e * board.traits + k
            if board.alpha[i] > 0.0 and (free == size or board.mu[i] < last):
                if shares == 0.0 or board.mu[i] > best:
                    best = board.mu[i]
                    shares = min(board.alpha[i], 1.0)
                elif board.mu[i] == best:
                    shares += min(board.alpha[i], 1.0)
        if shares == 0.0:
            break
        total += min(shares, free) * best
        free -= min(shares, free)
        last = best
    return total


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
            raise errors.Error(
                f"squad must be a team function, such as FullSquad(), not {self.squad!r}",
                field="squad",
                value=self.squad,
            )
        validate.scale("leader_bonus", self.leader_bonus, zero=True)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def weigh(self, board: Board) -> cython.bint:
        """α of the leader grows, then all are scaled to their old sum."""
        squad: TeamFunction = self.squad
        bonus: cython.double = self.leader_bonus
        squad.weigh(board)
        for j in range(board.teams):
            for k in range(board.traits):
                _lead(board, j, k, bonus)


@cython.cfunc
def _lead(board: Board, j: cython.Py_ssize_t, k: cython.Py_ssize_t, bonus: cython.double) -> cython.bint:
    """Give the leader of a team in one trait her bonus."""
    leader = -1
    total = 0.0
    for e in range(board.start[j], board.start[j + 1]):
        i = e * board.traits + k
        total += board.alpha[i]
        if board.alpha[i] != 0.0 and (leader < 0 or board.mu[i] > board.mu[leader]):
            leader = i
    if leader < 0:
        return False
    grown = total + bonus * board.alpha[leader]
    if not (total > 0.0 and grown > 0.0):
        raise errors.Error(
            f"the weights of team {j + 1} add up to {total:.6g}; a leader bonus keeps their sum, which must be above 0"
        )
    board.alpha[leader] *= 1.0 + bonus
    for e in range(board.start[j], board.start[j + 1]):
        board.alpha[e * board.traits + k] *= total / grown
    return False
