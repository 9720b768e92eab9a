"""TS3's outcome: the performance that each place took is a maximum-likelihood estimate.

Nikolenko, Sirotkin (2010), section 4. A team on place k performed within ε of that place's performance x_k, and places
lie at least 2ε apart. The x that make the prior performances most likely are found first; then every team is
conditioned on |t − x_k| ≤ ε as if x were known.
"""

from __future__ import annotations

from typing import ClassVar

try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

if cython.compiled:
    from cython.cimports.prowess.model.components.outcome.ep_chain import by_place
    from cython.cimports.prowess.model.components.outcome.place_forecast import Rounded, one_margin
    from cython.cimports.prowess.model.engine.board import Board
else:
    from ...engine.board import Board
    from .ep_chain import by_place
    from .place_forecast import Rounded, one_margin

from ...params import Range
from ..margin import margin_from
from .isotonic import most_likely
from .place_forecast import tie_width

__all__ = ["PlacesML"]


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class PlacesML(Rounded):
    """Places by maximum likelihood: within ε of a performance for each place, places at least 2ε apart (TS3).

    The margin ε is given itself (a number or a policy), or follows from the probability that two equal teams draw; it
    is one for the whole match. The log-evidence is the maximised log-likelihood, of which `d1` is the derivative by a
    team's mean; `d2` is not its second derivative but tells the variance of the team given the places' performances.

    TS3 barely learns where ε is small against the priors' deviations: places follow the prior means and, where these
    are out of order, crowd 2ε apart, so that no mean moves far, while every sigma shrinks as if its team's performance
    had been seen. At TrueSkill's defaults and a margin of 0.74, a win moves a newcomer's mean by 0.6, and her sigma
    from 8.3 to 3.7. Margins of the order of the deviations over the number of places work.

    >>> import prowess as pw
    >>> model = pw.TrueSkill(tau=0).replace(outcome=PlacesML(margin=5.0))
    >>> rated = model.rate([[model.rating()], [model.rating()], [model.rating()]], ranks=[1, 2, 2])
    >>> [round(player.mu, 2) for [player] in rated]
    [29.84, 22.58, 22.58]
    """

    draw_probability: object = None
    margin: object = None

    tunable: ClassVar[dict[str, Range]] = {
        "draw_probability": Range(0.001, 0.9, log=True),
        "margin": Range(1.0 / 3000, 3, log=True, unit="sigma"),
    }

    def __post_init__(self) -> None:
        margin_from(self.draw_probability, self.margin, tie_width)

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def evidence(self, board: Board) -> cython.double:
        """Steps 2 to 4 of the algorithm."""
        board.margin.measure(board, True)
        by_place(board)
        return most_likely(board, one_margin(board))
