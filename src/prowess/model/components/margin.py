"""Draw margins: how close two performances must be for a draw.

Every outcome with a margin accepts any of these margins, except that only `Order` accepts `LearntDraws`. `Spread` and
`TwoValued` come from Nikolenko, Sirotkin, "Extensions of the TrueSkill Rating System" (2010), section 3.2. These two
use one margin per match, which depends on the number of places.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, ClassVar

# kernel: lanes
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

from ... import validate
from ...errors import Error
from ..engine.board import Board, Margin
from ..maths.elementary import expm1
from ..maths.normal import central_width
from ..params import Range

if not cython.compiled:
    from math import sqrt

__all__ = ["Fixed", "FromDraws", "LearntDraws", "Spread", "TwoValued", "margin_from"]

LEARNT = "learnt"  # the `draw_probability` that is short for `LearntDraws()`
SHARES = Range(0.001, 0.9, log=True)  # possible shares of draws

DRAW_RANGES = {  # ranges of the parameters of `margin_from`
    "draw_probability": SHARES,
    "margin": Range(1.0 / 3000, 3, log=True, unit="sigma"),
}


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class Fixed(Margin):
    """The same margin for every pair of teams.

    >>> Fixed(0.5)
    Fixed(epsilon=0.5)
    """

    epsilon: object

    tunable: ClassVar[dict[str, Range]] = {"epsilon": Range(1.0 / 3000, 3, log=True, unit="sigma")}
    blocks = True
    reads_entries = False

    def __post_init__(self) -> None:
        validate.scale("epsilon", self.epsilon, zero=True)

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def between(self, board: Board, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> cython.double:
        """Return the constant margin ε."""
        return self.epsilon


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class FromDraws(Margin):
    """Set the margin in proportion to the performance noise, so that all pairs of equal teams draw equally often.

    The margin is ε = width · β√(Σα²), where the sum is over the players of both teams. `margin_from` computes the
    `width` for a given draw probability.

    >>> FromDraws(width=0.125)
    FromDraws(width=0.125)
    """

    width: object

    tunable: ClassVar[dict[str, Range]] = {"width": Range(1.0 / 1000, 3, log=True)}
    blocks = True
    reads_entries = False

    def __post_init__(self) -> None:
        validate.scale("width", self.width, zero=True)

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def between(self, board: Board, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> cython.double:
        """Return `width` times the standard deviation of the noise in the difference of the two performances."""
        return _scaled(board, self.width, i, j)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def fill_edges(self, board: Board) -> cython.bint:
        """Set the margins between the two teams of all matches, without a call for each of them."""
        width: cython.double = self.width
        if board.stride == 1:
            board.edges[0] = _scaled(board, width, 0, 1)
            return False
        for lane in range(board.lanes):
            board.edges[lane] = _scaled(board, width, lane, board.stride + lane)
        return False


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _scaled(board: Board, width: cython.double, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> cython.double:
    return width * sqrt(board.noise[i] + board.noise[j])


# `LearntDraws` begins as if it had already seen 18 + 2 matches of equal teams with the expected share of draws.
FADING = cython.declare(cython.double, 18.0)  # these 18 are forgotten like the league's own matches
LASTING = cython.declare(cython.double, 2.0)  # these 2 are never forgotten, so that draws stay possible
WIDEST = cython.declare(cython.double, 5.0)  # at this width, equal teams draw all but one in two million matches

# Positions in the league's memory.
DRAWS = cython.declare(cython.Py_ssize_t, 0)
CHANCES = cython.declare(cython.Py_ssize_t, 1)
# Positions in `board.memo`: the width at the start, computed once for each board, because that takes a microsecond.
START = cython.declare(cython.Py_ssize_t, 0)
START_WIDTH = cython.declare(cython.Py_ssize_t, 1)


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class LearntDraws(Margin):
    """Learn the margin from the draws in earlier matches of two teams, so that the expected number of draws is right.

    As in `FromDraws`, the margin is ε = width · β√(Σα²). At first, equal teams draw with probability `draw_start`; this
    assumption counts as much as 20 matches. Later, the width is r = D/C times its first value. D is the number of draws
    so far. C = Σ p/r is about the number of draws that the first width would have predicted, because the forecast
    probability p of a draw is nearly proportional to the width.

    The weight of a match falls to exp(−n/draw_memory) after n more matches, so that the width adapts if the share of
    draws changes. `draw_memory=inf` never forgets. The importance of a match multiplies its weight. Two of the 20
    assumed matches are never forgotten; they keep draws possible in a league that has not had a draw for a long time.
    The width is at most 5.

    Matches of more than two teams use the width, but do not change it.

    >>> LearntDraws(draw_start=0.2)
    LearntDraws(draw_start=0.2, draw_memory=500.0)
    """

    draw_start: object = 0.1
    draw_memory: object = 500.0

    tunable: ClassVar[dict[str, Range]] = {"draw_start": SHARES, "draw_memory": Range(30, 30000, log=True)}
    remembers: ClassVar[tuple[str, ...]] = ("draws", "chances of a draw")
    reads_entries = False
    follows_means = False

    def __post_init__(self) -> None:
        if not 1e-6 <= validate.number("draw_start", self.draw_start) <= 0.999:
            raise validate.invalid("draw_start", "lie between 1e-6 and 0.999", self.draw_start)
        if self.draw_memory != float("inf") and validate.number("draw_memory", self.draw_memory) < 1.0:
            raise validate.invalid("draw_memory", "be at least 1, or inf", self.draw_memory)

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def between(self, board: Board, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> cython.double:
        """Return the learnt width times the standard deviation of the noise in the difference of the performances."""
        start: cython.double = self.draw_start
        return _scaled(board, _width_at_start(board, start) * _growth(board, start), i, j)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def learn(self, board: Board) -> cython.bint:
        """Count a match of two teams: D ← λD + drawn and C ← λC + p/r.

        The memory holds the differences of D and C from their values at the start. The values at the start fade, too.
        """
        start: cython.double = self.draw_start
        memory: cython.double = self.draw_memory
        if len(board.memory) <= CHANCES:
            return False
        growth = _growth(board, start)
        importance = board.importances[0]
        lost = -expm1(-importance / memory)  # 1 − λ
        drawn = 1.0 if board.place[0] == board.place[1] else 0.0
        board.memory[DRAWS] -= lost * (board.memory[DRAWS] + FADING * start)
        board.memory[CHANCES] -= lost * (board.memory[CHANCES] + FADING * start)
        board.memory[DRAWS] += importance * drawn
        board.memory[CHANCES] += importance * board.draws[0] / growth
        return False


@cython.cfunc
@cython.exceptval(-1.0, check=True)
def _width_at_start(board: Board, start: cython.double) -> cython.double:
    if board.memo[START] != start:
        board.memo[START_WIDTH] = central_width(start)
        board.memo[START] = start
    return board.memo[START_WIDTH]


@cython.cfunc
@cython.exceptval(-1.0, check=True)
def _growth(board: Board, start: cython.double) -> cython.double:
    """Return r = D/C, the learnt width divided by the width at the start; 1 for boards without this memory.

    r is limited so that the learnt width does not exceed `WIDEST`.
    """
    if len(board.memory) <= CHANCES:
        return 1.0
    # Rounding, or a damaged file, might make a sum negative.
    draws = LASTING * start + max(FADING * start + board.memory[DRAWS], 0.0)
    chances = LASTING * start + max(FADING * start + board.memory[CHANCES], 0.0)
    return min(draws / chances, WIDEST / _width_at_start(board, start))


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class Spread(Margin):
    """Choose the margin so that the places just fill the range of prior performances: ε = (p_best − p_worst)/2m.

    p_best and p_worst are the largest and smallest prior mean of a team's performance. m is the number of distinct
    places; in forecasts, where the places are unknown, m is the number of teams. `printed=True` gives the formula
    printed in the paper, (p_best − p_worst)/m. Places are 2ε apart, so with the printed formula, places cover twice the
    range, and ratings spread wider with every match.

    The range is assumed to be at least `least` times the teams' mean performance noise β√(Σα²). Without this limit,
    newcomers, whose priors are equal, would get ε = 0, and a tie would mean that their performances were exactly equal.
    The default of 1 is small: in units of that noise, the performances of two equal teams differ with a standard
    deviation of 1.4, and the best and the worst of ten equal teams are 3 apart. With the default, one match in seven
    between two equal teams is a draw.

    >>> Spread()
    Spread(least=1.0, printed=False)
    """

    least: object = 1.0
    printed: object = False

    tunable: ClassVar[dict[str, Range]] = {"least": Range(0.01, 30, log=True)}
    blocks = True
    reads_entries = False
    sees_places = True

    def __post_init__(self) -> None:
        validate.scale("least", self.least, zero=True)
        if not isinstance(self.printed, bool):
            raise validate.invalid("printed", "be True or False", self.printed)
        if self.printed:
            warnings.warn(
                "Spread(printed=True) uses the formula printed in the paper, which spreads the places over twice the "
                "range of the teams' prior performances; over a long history, the ratings grow without bound",
                stacklevel=2,
            )

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def measure(self, board: Board, seen: cython.bint) -> cython.bint:
        """Set `board.epsilon` as described in `Spread`; return whether it differs from the margin of the forecast."""
        least: cython.double = self.least
        twice = 1.0 if self.printed else 2.0
        changed = False
        for i in range(board.lanes):
            best = worst = board.mean[i]
            noise = 0.0
            for j in range(board.teams):
                mean = board.mean[j * board.stride + i]
                best = max(best, mean)
                worst = min(worst, mean)
                noise += board.noise[j * board.stride + i]
            parts = twice * (_distinct(board, i) if seen else board.teams)
            epsilon = max(best - worst, least * sqrt(noise / board.teams)) / parts
            changed = changed or epsilon != board.epsilons[i]
            board.epsilons[i] = epsilon
        return changed

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def between(self, board: Board, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> cython.double:
        """Return the margin that `measure` set."""
        return board.epsilons[i % board.stride]


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class TwoValued(Margin):
    """One margin for matches with ties and another margin for matches without ties.

    Some tournaments break ties, so that hardly any ties are left. In such tournaments, the margin for ties would spread
    the teams too far apart. A match has ties if 1 − distinct places/teams exceeds `fraction`. Forecasts assume that
    ties are possible: forecasting a tie that does not happen costs little, but the log loss of a tie that was ruled out
    is infinite.

    >>> TwoValued(tied=30.0, untied=1.0)
    TwoValued(tied=30.0, untied=1.0, fraction=0.1)
    """

    tied: object
    untied: object
    fraction: object = 0.1

    tunable: ClassVar[dict[str, Range]] = {
        "tied": Range(1.0 / 3000, 3, log=True, unit="sigma"),
        "untied": Range(1.0 / 3000, 3, log=True, unit="sigma"),
        "fraction": Range(0, 0.9),
    }
    blocks = True
    reads_entries = False
    follows_means = False

    def __post_init__(self) -> None:
        validate.scale("tied", self.tied, zero=True)
        validate.scale("untied", self.untied, zero=True)
        if not 0.0 <= validate.number("fraction", self.fraction) < 1.0:
            raise validate.invalid("fraction", "be at least 0 and below 1", self.fraction)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def measure(self, board: Board, seen: cython.bint) -> cython.bint:
        """Set `board.epsilon` to `tied` or `untied`; return whether it differs from the margin of the forecast."""
        fraction: cython.double = self.fraction
        tied: cython.double = self.tied
        untied: cython.double = self.untied
        changed = False
        for i in range(board.lanes):
            epsilon = tied
            if seen and 1.0 - cython.cast(cython.double, _distinct(board, i)) / board.teams <= fraction:
                epsilon = untied
            changed = changed or epsilon != board.epsilons[i]
            board.epsilons[i] = epsilon
        return changed

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def between(self, board: Board, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> cython.double:
        """Return the margin that `measure` set."""
        return board.epsilons[i % board.stride]


@cython.cfunc
def _distinct(board: Board, lane: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the number of distinct places of a match."""
    s = board.stride
    count = 0
    for j in range(board.teams):
        # `order` can hold the flags here, because the outcome sorts the teams into `order` only later.
        board.order[j * s + lane] = 0
    for j in range(board.teams):
        flag = (board.place[j * s + lane] - 1) * s + lane
        if board.order[flag] == 0:
            board.order[flag] = 1
            count += 1
    return count


def margin_from(
    draw_probability: Any, margin: Any, width: Callable[[float], float] | None = None, learns: bool = False
) -> Margin:
    """Return a margin policy, from either a draw probability or a margin (a number or a policy).

    Raise `Error` unless exactly one of the two is given.

    `width` maps a probability to the margin at which equal teams draw with this probability, in standard deviations of
    the teams' difference. By default, the margin is half the width of the central interval of a normal distribution
    with this probability. If `learns` is false, the outcome does not support a margin that is learnt from the matches,
    and such a margin raises `Error`.

    >>> margin_from(None, 2)
    Fixed(epsilon=2.0)
    >>> margin_from("learnt", None, learns=True)
    LearntDraws(draw_start=0.1, draw_memory=500.0)
    """
    if (draw_probability is None) == (margin is None):
        raise Error("give either draw_probability or margin, not both")
    policy = LearntDraws() if isinstance(draw_probability, str) and draw_probability == LEARNT else margin
    if isinstance(policy, Margin):
        if policy.remembers and not learns:
            field, value = ("margin", margin) if draw_probability is None else ("draw_probability", draw_probability)
            message = f"{field}={value!r}: only the outcome Order, as in TrueSkill, can learn how often teams draw"
            raise Error(message, field=field, value=value)
        return policy
    if margin is not None:
        return Fixed(validate.scale("margin", margin, zero=True))
    if isinstance(draw_probability, str) and learns:
        raise validate.invalid("draw_probability", f'be a number or "{LEARNT}"', draw_probability)
    probability = validate.number("draw_probability", draw_probability)
    if not 0.0 <= probability < 1.0:
        raise validate.invalid("draw_probability", "be at least 0 and below 1", draw_probability)
    return FromDraws(width(probability) if width else central_width(probability))
