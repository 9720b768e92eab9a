"""The average of the players' performances, less where the squad is not complete."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

if cython.compiled:
    from cython.cimports.prowess.model.components.interfaces import TeamFunction
    from cython.cimports.prowess.model.engine.board import Board, positive
else:
    from ...engine.board import Board, positive
    from ..interfaces import TeamFunction

from .... import errors, validate
from ...params import Range

__all__ = ["FullSquad"]

RULES = ("top", "mean")


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
            raise errors.Error(f"size must be a whole number of at least 1, not {self.size!r}")
        validate.scale("size", self.size)
        if validate.scale("discount", self.discount, zero=True) * (self.size - 1) >= 1.0:
            raise errors.Error(
                f"a discount of {self.discount!r} leaves nothing of a single player where {self.size} make a squad; "
                f"it must be below 1/{self.size - 1}"
            )
        if self.larger not in RULES:
            raise errors.Error(f"larger must be one of {', '.join(map(repr, RULES))}, not {self.larger!r}")

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
        j: cython.Py_ssize_t
        k: cython.Py_ssize_t
        e: cython.Py_ssize_t
        size: cython.double = self.size
        discount: cython.double = self.discount
        top: cython.bint = self.larger == "top"
        share: cython.double
        shares: cython.double
        present: cython.double
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
@cython.exceptval(-1.0, check=True)
def _as_the_best(board: Board, j: cython.Py_ssize_t, k: cython.Py_ssize_t, size: cython.double) -> cython.double:
    """The weight of a whole share, the same for all, by which the team is expected to perform like its best."""
    e: cython.Py_ssize_t
    total: cython.double = 0.0
    for e in range(board.start[j], board.start[j + 1]):
        total += board.alpha[e * board.traits + k] * board.mu[e * board.traits + k]
    weight: cython.double = 0.0
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
    e: cython.Py_ssize_t
    i: cython.Py_ssize_t
    last: cython.double = 0.0
    best: cython.double
    shares: cython.double
    total: cython.double = 0.0
    free: cython.double = size
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
