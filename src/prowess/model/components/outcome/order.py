"""TrueSkill's outcome: teams finish in the order of their performances; close performances are a draw.

See Herbrich, Minka, Graepel (2006), sections 2 and 3. For two teams there is a closed form. Three or more teams form a
chain with a factor between neighbours. Expectation propagation (EP) runs on this chain until its messages converge.
Tied teams are chained in the order in which they are listed, as in every implementation of TrueSkill.
"""

from __future__ import annotations

from typing import Any, ClassVar

# kernel: lanes
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

from ...engine.board import Board, Margin, compare, measure_gaps, positive, sort_by_place
from ...maths.elementary import log, log_all
from ...maths.normal import Truncated, above_all, log_z, log_z_all, within
from ...params import Range
from ..interfaces import Outcome
from ..margin import DRAW_RANGES, LEARNT, Fixed, LearntDraws, margin_from
from .ep_chain import check_run

if not cython.compiled:
    from . import ep_chain

LEAD = cython.declare(cython.Py_ssize_t, 0)  # row of `board.work`: the place of the second team minus that of the first


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
    scores = "none"
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
    def blocks(self) -> bool:
        """The attribute `blocks` of the margin.

        >>> Order(draw_probability=0.1).blocks
        True
        """
        return self._policy().blocks

    @property
    def reads_entries(self) -> bool:
        """The attribute `reads_entries` of the margin.

        >>> Order(draw_probability=0.1).reads_entries
        False
        """
        return self._policy().reads_entries

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
            _learn_two(board)
            board.margin.learn(board)
        else:
            _build_chains(board)
            _run_chains(board, self.tolerance, self.sweeps)
        return board.evidences[0]

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def derive(self, board: Board) -> cython.bint:
        """Learn from the results without a forecast: of two teams, only the moments given the result are needed."""
        if board.teams != 2 or board.stride == 1:
            return Outcome.derive(self, board)
        board.margin.measure(board, True)
        measure_gaps(board)
        _measure_result(board)
        _set_derivatives(board, board.cut, board.lanes, board.stride)
        return False


@cython.cfunc
@cython.exceptval(check=False)
def _measure_result(board: Board) -> cython.void:
    """Set the moments `board.cut` of the difference, given the result, without those of the other results."""
    one = board.stride
    draws = 0
    for lane in range(board.lanes):
        lead = 1.0 if board.place[lane] <= board.place[one + lane] else -1.0
        board.cut.t[lane] = lead * board.gaps[lane] - board.edges[lane]
        draws += 1 if board.place[one + lane] == board.place[lane] else 0
    above_all(board.cut, board.lanes)
    if draws > 0:
        _measure_draws(board)


@cython.cfunc
@cython.exceptval(check=False)
def _measure_draws(board: Board) -> cython.void:
    """Set the moments `board.cut` of the difference in matches that were drawn."""
    for i in range(board.lanes):
        if board.place[i] == board.place[board.stride + i]:
            within(board.gaps[i], board.edges[i], board.cut, i)


@cython.cfunc
@cython.exceptval(check=False)
def _learn_two(board: Board) -> cython.void:
    """Learn from two teams: the difference of their performances is a truncated normal variable.

    If a team won, the forecast has already computed the moments of this difference.
    """
    if board.stride == 1:
        cut = board.cut
        if board.place[0] != board.place[1]:
            cut = board.ahead if board.place[0] < board.place[1] else board.behind
        else:
            within(board.gaps[0], board.edges[0], cut, 0)
        board.evidences[0] = log_z(cut, 0)
        _set_derivatives(board, cut, 1, 1)
    else:
        _choose_moments(board)
        log_z_all(board.cut, board.evidences, board.lanes)
        _set_derivatives(board, board.cut, board.lanes, board.stride)
    for i in range(board.lanes):
        # Without a margin a draw has a density instead of a probability: convert it to the units of performances.
        if board.edges[i] == 0.0 and board.place[i] == board.place[board.stride + i]:
            board.evidences[i] += log(board.sharpnesses[i])


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _set_derivatives(board: Board, cut: Truncated, lanes: cython.Py_ssize_t, one: cython.Py_ssize_t) -> cython.void:
    """Set `d1`, `d2` and `left` from the moments of the difference; `one` is the row of the second team."""
    for lane in range(lanes):
        sharpness = board.sharpnesses[lane]
        inverse = sharpness * sharpness  # one over the variance of the difference
        left = cut.left[lane]
        lead = 1.0 if board.place[lane] <= board.place[one + lane] else -1.0
        push = lead * cut.shift[lane] * sharpness
        pull = -cut.lost[lane] * inverse
        board.d1[lane] = push
        board.d1[one + lane] = -push
        board.d2[lane] = pull
        board.d2[one + lane] = pull
        # Written as a sum of positive terms, because 1 + v d₂ would lose its digits.
        board.left[lane] = (board.variance[one + lane] + board.variance[lane] * left) * inverse
        board.left[one + lane] = (board.variance[lane] + board.variance[one + lane] * left) * inverse


@cython.cfunc
@cython.exceptval(check=False)
def _choose_moments(board: Board) -> cython.void:
    """Set the moments `board.cut` of the difference, given the result, for all lanes."""
    one = board.stride
    draws = 0
    for lane in range(board.lanes):
        board.work[LEAD * one + lane] = board.place[one + lane] - board.place[lane]
        draws += 1 if board.place[one + lane] == board.place[lane] else 0
    rare = _choose_sides(board, board.cut, board.ahead, board.behind, board.lanes)
    if draws > 0:
        _measure_draws(board)
    if rare > 0:
        for i in range(board.lanes):
            if board.place[i] != board.place[one + i] and board.cut.z[i] == 0.0:
                side = board.ahead if board.place[i] < board.place[one + i] else board.behind
                board.cut.base[i] = side.base[i]
                board.cut.mass[i] = side.mass[i]


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _choose_sides(
    board: Board, cut: Truncated, ahead: Truncated, behind: Truncated, lanes: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Set `cut` to `ahead` if the first team won, else to `behind`; return the number of far tails.

    Compilers would turn a choice into a branch, and then not vectorise the loop.
    """
    rare = 0
    for lane in range(lanes):
        won = 1.0 if board.work[LEAD * board.stride + lane] > 0.0 else 0.0
        lost = 1.0 - won
        z = won * ahead.z[lane] + lost * behind.z[lane]
        cut.z[lane] = z
        cut.cut_off[lane] = won * ahead.cut_off[lane] + lost * behind.cut_off[lane]
        cut.shift[lane] = won * ahead.shift[lane] + lost * behind.shift[lane]
        cut.lost[lane] = won * ahead.lost[lane] + lost * behind.lost[lane]
        cut.left[lane] = won * ahead.left[lane] + lost * behind.left[lane]
        rare += 1 if z == 0.0 else 0
    return rare


@cython.cfunc
def _build_chains(board: Board) -> cython.bint:
    # The prior mean of a team is the reference value of its element.
    s = board.stride
    ep_chain.reserve(board, 0)
    for i in range(board.lanes):
        sort_by_place(board, i)
        for k in range(board.teams):
            team = board.order[k * s + i] * s + i
            below = board.order[min(k + 1, board.teams - 1) * s + i] * s + i
            ep_chain.set_prior(board, k * s + i, 1.0 / positive(board.variance[team]), 0.0)
            ep_chain.set_factor(
                board,
                k * s + i,
                board.mean[team] - board.mean[below],
                board.margin.between(board, team, below),
                board.place[team] == board.place[below],
            )
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _run_chains(board: Board, tolerance: cython.double, sweeps: cython.Py_ssize_t) -> cython.void:
    """Run EP on the chains of all lanes; a chain that has converged waits for the others."""
    s = board.stride
    still = tolerance * tolerance
    moving = board.lanes
    spent = 0
    while moving > 0 and spent < sweeps:
        ep_chain.sweep(board, board.teams)
        moving = 0
        for i in range(board.lanes):
            moves = board.work[ep_chain.ACTIVE * s + i] > 0.0 and board.work[ep_chain.MOVE * s + i] > still
            board.work[ep_chain.ACTIVE * s + i] = 1.0 if moves else 0.0
            moving += 1 if moves else 0
        spent += 1
    for lane in range(board.lanes):
        board.unconverged[lane] = board.work[ep_chain.ACTIVE * s + lane]
        board.work[ep_chain.ACTIVE * s + lane] = 1.0
    ep_chain.add_evidence(board, board.teams)
    for k in range(board.teams):
        for lane in range(board.lanes):
            team = board.order[k * s + lane] * s + lane
            pi = ep_chain.message_pi(board, k * s + lane)
            tau = ep_chain.message_tau(board, k * s + lane)
            left = 1.0 / (1.0 + board.variance[team] * pi)
            board.left[team] = left
            board.d1[team] = tau * left
            board.d2[team] = -pi * left
            board.pushes[lane] = left
            board.evidences[lane] += 0.5 * board.variance[team] * tau * tau * left
        log_all(board.pushes, 0, board.lanes)
        for lane in range(board.lanes):
            board.evidences[lane] += 0.5 * board.pushes[lane]


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
    board.unconverged[0] = scores.unconverged[0]
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
