"""TS2's outcome: every place has a performance of its own, and teams that share it were near it.

Nikolenko, Sirotkin, "A New Bayesian Rating System for Team Competitions" (2011), section 3. With one variable l for
each distinct place, |t − l| ≤ ε for every team t on it, and l is better by more than 2ε than the l of the next place.
Nothing else is known of l. Many teams may share a place: the result depends neither on the order in which they are
listed nor, as in TrueSkill, on a chain of them.
"""

from __future__ import annotations

from typing import ClassVar

try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

if cython.compiled:
    from cython.cimports.prowess.model.components.outcome.place_forecast import Rounded, one_margin
    from cython.cimports.prowess.model.components.outcome.places_ep import meet
    from cython.cimports.prowess.model.components.outcome.places_two import meet_pair, plain
    from cython.cimports.prowess.model.engine.board import Board
else:
    from ...engine.board import Board
    from .place_forecast import Rounded, one_margin
    from .places_ep import meet
    from .places_two import meet_pair, plain

from ...params import Range
from ..margin import margin_from
from .ep_chain import check_run
from .place_forecast import tie_width

__all__ = ["Places"]


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class Places(Rounded):
    """Places by performance, each with one of its own: teams on a place are nearer to it than the margin.

    The margin is given itself (a number or a policy), or follows from the probability that two equal teams tie. A match
    has one margin (`one_margin`). EP stops when no message moves by more than `tolerance` (in standard deviations of
    what is known), and reports a match in which one still does after `sweeps` sweeps.

    The graph has no process by which ties arise, because nothing is known of l; forecasts take performances as rounded
    (`foresee`). Z is defined up to a constant for each place; here a place is anywhere with density 1/2ε. So for two
    teams that tie, the log-evidence is near the logarithm of their forecast; over all possible results its exponential
    does not sum to one. Where ε is 0, ties have a density instead.

    >>> Places(margin=0.5).tolerance
    1e-09
    """

    draw_probability: object = None
    margin: object = None
    tolerance: object = 1e-9
    sweeps: object = 1000

    tunable: ClassVar[dict[str, Range]] = {
        "draw_probability": Range(0.001, 0.9, log=True),
        "margin": Range(1.0 / 3000, 3, log=True, unit="sigma"),
    }

    def __post_init__(self) -> None:
        margin_from(self.draw_probability, self.margin, tie_width)
        check_run(self.tolerance, self.sweeps)

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def evidence(self, board: Board) -> cython.double:
        """Algorithms 1 to 3."""
        epsilon: cython.double
        board.margin.measure(board, True)
        epsilon = one_margin(board)
        if board.teams == 2 and plain(board, epsilon):
            return meet_pair(board, epsilon, self.tolerance, self.sweeps)
        return meet(board, epsilon, self.tolerance, self.sweeps)
