"""TrueSkill's outcome: teams finish in the order of their performances; close performances are a draw.

See Herbrich, Minka, Graepel (2006), sections 2 and 3. For two teams there is a closed form. Three or more teams form a
chain with a factor between neighbours. Expectation propagation (EP) runs on this chain until its messages converge.
Tied teams are chained in the order in which they are listed, as in every implementation of TrueSkill.
"""

from __future__ import annotations

from typing import Any, ClassVar

try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

if cython.compiled:
    from cython.cimports.libc.math import log
    from cython.cimports.prowess.model.components.interfaces import Outcome
    from cython.cimports.prowess.model.components.outcome import ep_chain
    from cython.cimports.prowess.model.engine.board import Board, Margin, compare, positive, sort_by_place
    from cython.cimports.prowess.model.maths.normal import log_z, within
else:
    from math import log

    from ...engine.board import Board, Margin, compare, positive, sort_by_place
    from ...maths.normal import log_z, within
    from ..interfaces import Outcome
    from . import ep_chain

from ...params import Range
from ..margin import DRAW_RANGES, LEARNT, Fixed, LearntDraws, margin_from
from .ep_chain import check_run


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class Order(Outcome):
    """Places by performance: a team that is better by more than the margin finishes ahead; closer teams draw.

    Give the margin (a number or a policy), or the probability that two equal teams draw. `draw_probability="learnt"` is
    short for `margin=LearntDraws()`, which learns that probability from the league's matches.

    EP stops when no message of the chain moves by more than `tolerance` (in standard deviations of the belief). If
    messages still move after `sweeps` passes over the chain, the match is reported as not converged.

    >>> Order(draw_probability=0.1).tolerance
    1e-09
    """

    draw_probability: object = None
    margin: object = None
    tolerance: object = 1e-9
    sweeps: object = 1000

    tunable: ClassVar[dict[str, Range]] = DRAW_RANGES
    # A model replaces the word "learnt" by the policy, so that the policy's parameters have names.
    shorthands: ClassVar[dict[str, Any]] = {
        "draw_probability": {LEARNT: {"draw_probability": None, "margin": LearntDraws()}}
    }

    def __post_init__(self) -> None:
        self._policy()
        check_run(self.tolerance, self.sweeps)

    def _policy(self) -> Margin:
        return margin_from(self.draw_probability, self.margin, learns=True)

    @property
    def remembers(self) -> tuple[str, ...]:
        """The names of the numbers that the margin keeps for the league; () if the margin does not learn.

        >>> Order(draw_probability="learnt").remembers, Order(draw_probability=0.1).remembers
        (('draws', 'chances of a draw'), ())
        """
        return self._policy().remembers

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def prepare(self, board: Board) -> cython.bint:
        """Store the margin policy on the board."""
        board.margin = self._policy()

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def evidence(self, board: Board) -> cython.double:
        """Learn from the result: for two teams by equations (3) to (6), for more teams by the algorithm of Figure 1."""
        changed = board.margin.measure(board, True)
        if board.teams == 2:
            if changed:
                compare(board)
            evidence = _learn_two(board)
            board.margin.learn(board)
            return evidence
        _build_chain(board)
        return _run_chain(board, self.tolerance, self.sweeps)


@cython.cfunc
def _learn_two(board: Board) -> cython.double:
    """Learn from two teams: the difference of their performances is a truncated normal variable.

    If a team won, the forecast has already computed the moments of this difference.
    """
    inverse = board.sharpness * board.sharpness  # one over the variance of the difference
    side = 1.0
    point = 0.0
    cut = board.cut
    if board.place[0] < board.place[1]:
        cut = board.ahead
    elif board.place[0] > board.place[1]:
        cut = board.behind
        side = -1.0
    else:
        within(board.gap, board.edge, cut)
        if board.edge == 0.0:
            # Without a margin a draw has a density instead of a probability: convert it to the units of performances.
            point = -log(board.sharpness)
    board.d1[0] = side * cut.shift * board.sharpness
    board.d1[1] = -board.d1[0]
    board.d2[0] = board.d2[1] = -cut.lost * inverse
    # Written as a sum of positive terms, because 1 + v d₂ would lose its digits.
    board.left[0] = (board.variance[1] + board.variance[0] * cut.left) * inverse
    board.left[1] = (board.variance[0] + board.variance[1] * cut.left) * inverse
    return log_z(cut) - point


@cython.cfunc
def _build_chain(board: Board) -> cython.bint:
    # The prior mean of a team is the reference value of its element.
    ep_chain.reserve(board, 0)
    sort_by_place(board)
    for k in range(board.teams):
        team = board.order[k]
        below = board.order[min(k + 1, board.teams - 1)]
        ep_chain.set_prior(board, k, 1.0 / positive(board.variance[team]), 0.0)
        ep_chain.set_factor(
            board,
            k,
            board.mean[team] - board.mean[below],
            board.margin.between(board, team, below),
            board.place[team] == board.place[below],
        )
    return False


@cython.cfunc
def _run_chain(board: Board, tolerance: cython.double, sweeps: cython.Py_ssize_t) -> cython.double:
    still = tolerance * tolerance
    far = still + 1.0
    spent = 0
    while far > still and spent < sweeps:
        far = ep_chain.sweep(board, board.teams)
        spent += 1
    board.converged = far <= still
    evidence = ep_chain.evidence(board, board.teams)
    for k in range(board.teams):
        team = board.order[k]
        pi = ep_chain.message_pi(board, k)
        tau = ep_chain.message_tau(board, k)
        board.left[team] = 1.0 / (1.0 + board.variance[team] * pi)
        board.d1[team] = tau * board.left[team]
        board.d2[team] = -pi * board.left[team]
        evidence += ep_chain.log_integral(0.0, board.variance[team], pi, tau)
    return evidence


_ORDER = Order(margin=0.0)  # this margin is not used: `learn_order` sets the margin on its board


@cython.ccall
def learn_order(board: Board, noise: cython.double, margin: cython.double) -> cython.double:
    """Learn from the order of normal scores that are unknown; return the log-evidence of the order.

    A team's score is the performance that decides its place (see `Outcome.performances`) plus normal noise. A score
    that is higher by more than `margin` wins. This is the model of `Order`, with the noise added to the performances.
    """
    scores = Board(board.teams, 1)
    scores.margin = Fixed(margin)
    for j in range(board.teams):
        scores.place[j] = board.place[j]
        scores.variance[j] = noise
        for k in range(board.traits):
            share = _share(board, k)
            scores.mean[j] += share * board.mean[j * board.traits + k]
            scores.variance[j] += share * share * board.variance[j * board.traits + k]
    if board.teams == 2:
        compare(scores)
    log_evidence: cython.double = _ORDER.evidence(scores)
    board.converged = scores.converged
    for j in range(board.teams):
        _share_update(board, scores, j, noise)
    return log_evidence


@cython.cfunc
@cython.exceptval(check=False)
def _share(board: Board, trait: cython.Py_ssize_t) -> cython.double:
    """Return the weight of a trait in the performance that decides the place: 1 for offence, 1/(k − 1) for defence."""
    return 1.0 if trait == 0 else 1.0 / (board.teams - 1)


@cython.cfunc
@cython.exceptval(check=False)
def _share_update(board: Board, scores: Board, j: cython.Py_ssize_t, noise: cython.double) -> cython.void:
    """Set `d1`, `d2` and `left` of a team's traits from the update of its score."""
    for k in range(board.traits):
        t = j * board.traits + k
        share = _share(board, k)
        # Sum over the other traits, because subtracting the trait from the total would lose digits.
        others = noise
        for i in range(board.traits):
            if i != k:
                others += _share(board, i) * _share(board, i) * board.variance[j * board.traits + i]
        own = share * share * board.variance[t]
        board.d1[t] = share * scores.d1[j]
        board.d2[t] = share * share * scores.d2[j]
        board.left[t] = (others + own * scores.left[j]) / (others + own)
