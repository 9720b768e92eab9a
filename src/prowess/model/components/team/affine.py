"""Any team function that is affine near the players' prior means."""

from __future__ import annotations

from typing import Any

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

__all__ = ["Affine"]


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
            raise errors.Error(f"Affine needs a function from prior means to weights and offset, not {self.function!r}")

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def weigh(self, board: Board) -> cython.bint:
        """α is the function's weight times the share of the match that the player played; α₀ its constant part."""
        j: cython.Py_ssize_t
        k: cython.Py_ssize_t
        e: cython.Py_ssize_t
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
