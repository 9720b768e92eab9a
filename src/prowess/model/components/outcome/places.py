"""TS2's outcome: every place has a hidden performance level, and the teams in that place performed close to it.

See Nikolenko, Sirotkin, "A New Bayesian Rating System for Team Competitions" (2011), section 3. Each distinct place has
a performance level l with a flat prior. The performance t of every team in that place satisfies |t − l| ≤ ε, and
neighbouring places are more than 2ε apart. Many teams may share a place; unlike in TrueSkill, the result does not
depend on the order in which tied teams are listed.

Expectation propagation (EP) runs over teams, their places and the chain of places: algorithms 1 to 3 of the paper,
repeated until the messages converge. Every team sends one message to its place. For each of its teams, a place keeps
the sums of the messages of earlier teams and of later teams. So a team's own message is never subtracted, and the cost
is linear in the number of teams.
"""

from __future__ import annotations

from typing import ClassVar

# kernel
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

from ...engine.board import Board, positive, sort_by_place
from ...maths.elementary import log
from ...maths.normal import log_z, within
from ...params import Range
from ..margin import DRAW_RANGES, margin_from
from .ep_chain import check_run
from .place_forecast import RoundedPlaces, match_margin, tie_width
from .places_two import is_well_scaled, learn_two

if not cython.compiled:
    from math import fabs, sqrt

    from . import ep_chain

# A belief about a place counts as flat below this precision, in units of its teams' precision.
FLAT = cython.declare(cython.double, 1e-200)

# Rows of the board's scratch table, after those of the chain. One column per place:
FIRST = cython.declare(cython.Py_ssize_t, 14)  # position of the place's first team, if all teams are sorted by place
# One column per position in that order:
MEAN = cython.declare(cython.Py_ssize_t, 15)  # the team's prior mean, relative to the reference of its place
VAR = cython.declare(cython.Py_ssize_t, 16)  # the team's prior variance
SITE_PI = cython.declare(cython.Py_ssize_t, 17)  # the team's message to its place
SITE_TAU = cython.declare(cython.Py_ssize_t, 18)
REST_PI = cython.declare(cython.Py_ssize_t, 19)  # sum of the messages to its place from the chain and later teams
REST_TAU = cython.declare(cython.Py_ssize_t, 20)
MORE = cython.declare(cython.Py_ssize_t, 7)


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class Places(RoundedPlaces):
    """Each place has a performance level, from which its teams' performances differ by at most the margin.

    Give the margin (a number or a policy), or the probability that two equal teams tie. A match has one margin
    (`match_margin`). EP stops when no message moves by more than `tolerance` (in standard deviations of the belief). If
    messages still move after `sweeps` passes, the match is reported as not converged.

    Because the prior of a place's performance is flat, the model does not determine how likely ties are. Therefore
    forecasts round performances (`forecast_rounded`). The normalising constant Z is defined only up to a factor for
    each place; here a place has the density 1/2ε everywhere. With this density, the log-evidence of two tied teams is
    near the logarithm of the forecast. But over all possible results, the evidence does not sum to one. If ε is 0, the
    log-evidence of a tie is a log density.

    >>> Places(margin=0.5).tolerance
    1e-09
    """

    draw_probability: object = None
    margin: object = None
    tolerance: object = 1e-9
    sweeps: object = 1000

    tunable: ClassVar[dict[str, Range]] = DRAW_RANGES

    def __post_init__(self) -> None:
        margin_from(self.draw_probability, self.margin, tie_width)
        check_run(self.tolerance, self.sweeps)

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def evidence(self, board: Board) -> cython.double:
        """Learn from the places by algorithms 1 to 3 of the paper, or by a shortcut for two teams."""
        board.margin.measure(board, True)
        epsilon = match_margin(board)
        if board.teams == 2 and is_well_scaled(board, epsilon):
            return learn_two(board, epsilon, self.tolerance, self.sweeps)
        return learn_places(board, epsilon, self.tolerance, self.sweeps)


@cython.ccall
def learn_places(
    board: Board, epsilon: cython.double, tolerance: cython.double, sweeps: cython.Py_ssize_t
) -> cython.double:
    """Fill `d1`, `d2` and `left` of all teams from their places; return the log-evidence.

    The log-evidence is log Z − K log 2ε for K places, where Z is the normalising constant. If ε is 0, the log-evidence
    is the log density of the differences between teams in the same place.
    """
    places = _build_graph(board, epsilon)
    still = tolerance * tolerance
    far = still + 1.0
    spent = 0
    while far > still and spent < sweeps:
        ep_chain.sweep(board, places)
        far = board.work[ep_chain.MOVE]
        for k in range(places):
            far = max(far, _update_place(board, k, places, epsilon))
        spent += 1
    board.unconverged[0] = 0.0 if far <= still else 1.0
    ep_chain.add_evidence(board, places)
    evidence = board.evidences[0]
    for k in range(places):
        evidence += _finish_place(board, k, places, epsilon)
    if epsilon > 0.0:
        # Each place has the density 1/2ε, which makes log-evidences comparable between margins.
        evidence -= places * log(2.0 * epsilon)
    return evidence


@cython.cfunc
def _build_graph(board: Board, epsilon: cython.double) -> cython.Py_ssize_t:
    before = -1
    places = 0
    above = least = 0.0
    # Without a margin, two tied teams of variance 0 would contradict each other: use a tiny variance instead.
    if epsilon == 0.0:
        for p in range(board.teams):
            least = max(least, board.variance[p])
        least = 1e-30 * positive(least)
    ep_chain.reserve(board, MORE)
    sort_by_place(board, 0)
    for p in range(board.teams):
        team = board.order[p]
        board.scratch[MEAN, p] = board.mean[team]
        board.scratch[VAR, p] = board.variance[team] if board.variance[team] > 0.0 else least
        if board.place[team] != before:
            board.scratch[FIRST, places] = p
            places += 1
        before = board.place[team]
    for k in range(places):
        here = _start_place(board, k, places, epsilon)
        ep_chain.set_factor(board, k, 0.0, 2.0 * epsilon, False)
        if k > 0:
            ep_chain.set_factor(board, k - 1, above - here, 2.0 * epsilon, False)
        above = here
    return places


@cython.cfunc
@cython.exceptval(check=False)
def _end(board: Board, k: cython.Py_ssize_t, places: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the position after the last team in a place."""
    return board.teams if k + 1 == places else cython.cast(cython.Py_ssize_t, board.scratch[FIRST, k + 1])


@cython.cfunc
@cython.exceptval(check=False)
def _start_place(
    board: Board, k: cython.Py_ssize_t, places: cython.Py_ssize_t, epsilon: cython.double
) -> cython.double:
    """Choose a place's reference value and set the first messages of its teams; return the reference."""
    first = cython.cast(cython.Py_ssize_t, board.scratch[FIRST, k])
    end = _end(board, k, places)
    best = first
    pi: cython.double = 0.0
    tau: cython.double = 0.0
    for p in range(first, end):
        if board.scratch[VAR, p] < board.scratch[VAR, best]:
            best = p
    # A place lies near its most certain team, so means relative to that team keep their digits.
    reference = board.scratch[MEAN, best]
    for p in range(first, end):
        board.scratch[MEAN, p] -= reference
        _set_first_message(board, p, epsilon)
        pi += board.scratch[SITE_PI, p]
        tau += board.scratch[SITE_TAU, p]
    ep_chain.set_prior(board, k, pi, tau)
    return reference


@cython.cfunc
@cython.exceptval(check=False)
def _set_first_message(board: Board, p: cython.Py_ssize_t, epsilon: cython.double) -> cython.void:
    # The distance t − l between team and place is uniform on [−ε, ε], as if nothing else were known about the place.
    board.scratch[SITE_PI, p] = 1.0 / (board.scratch[VAR, p] + epsilon * epsilon / 3.0)
    board.scratch[SITE_TAU, p] = board.scratch[SITE_PI, p] * board.scratch[MEAN, p]


@cython.cfunc
@cython.exceptval(check=False)
def _sum_messages(board: Board, k: cython.Py_ssize_t, first: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.void:
    """Store, for every team in place k, the sum of the messages from the chain and from later teams in that place."""
    # Subtracting a team's own message from the total would lose digits if that message dominates.
    pi: cython.double = ep_chain.message_pi(board, k)
    tau: cython.double = ep_chain.message_tau(board, k)
    for p in range(end - 1, first - 1, -1):
        board.scratch[REST_PI, p] = pi
        board.scratch[REST_TAU, p] = tau
        pi += board.scratch[SITE_PI, p]
        tau += board.scratch[SITE_TAU, p]


@cython.cfunc
@cython.exceptval(check=False)
def _update_place(
    board: Board, k: cython.Py_ssize_t, places: cython.Py_ssize_t, epsilon: cython.double
) -> cython.double:
    """Update the messages from the teams to place k, one team after the other.

    Return the squared move of the belief about the place. The moves caused by all teams are added up, because a
    thousand small steps in one direction make a large one.
    """
    first = cython.cast(cython.Py_ssize_t, board.scratch[FIRST, k])
    end = _end(board, k, places)
    pi: cython.double = 0.0
    tau: cython.double = 0.0
    size = more_pi = more_tau = 0.0
    _sum_messages(board, k, first, end)
    var = 1.0 / (board.scratch[REST_PI, first] + board.scratch[SITE_PI, first])
    mean = var * (board.scratch[REST_TAU, first] + board.scratch[SITE_TAU, first])
    for p in range(first, end):
        old_pi = board.scratch[SITE_PI, p]
        old_tau = board.scratch[SITE_TAU, p]
        _update_message(board, p, pi + board.scratch[REST_PI, p], tau + board.scratch[REST_TAU, p], epsilon)
        pi += board.scratch[SITE_PI, p]
        tau += board.scratch[SITE_TAU, p]
        move = board.scratch[SITE_PI, p] - old_pi
        more_pi += fabs(move)
        more_tau += fabs(board.scratch[SITE_TAU, p] - old_tau - mean * move)
        size = max(size, fabs(board.scratch[MEAN, p]))
    ep_chain.set_prior(board, k, pi, tau)
    return ep_chain.squared_move(0.0, var, more_pi, more_tau, size + fabs(mean) + epsilon)


@cython.cfunc
@cython.exceptval(check=False)
def _truncate(
    board: Board, p: cython.Py_ssize_t, mean: cython.double, var: cython.double, epsilon: cython.double
) -> cython.double:
    """Condition the distance t − l of a team from its place on |t − l| ≤ ε; store the moments in `board.cut`.

    The place's performance l is N(mean, var). Return one over the standard deviation of t − l.
    """
    sharpness = 1.0 / sqrt(board.scratch[VAR, p] + var)
    within((board.scratch[MEAN, p] - mean) * sharpness, epsilon * sharpness, board.cut, 0)
    return sharpness


@cython.cfunc
@cython.exceptval(check=False)
def _update_message(
    board: Board, p: cython.Py_ssize_t, pi: cython.double, tau: cython.double, epsilon: cython.double
) -> cython.void:
    """Update a team's message to its place; `pi` and `tau` are the sum of all other messages to the place.

    A message that would shrink to less than a tenth is damped. Without damping, the messages of all teams in a place
    could vanish at once, and nothing would determine the performance of the place. A message too weak to matter stays
    unchanged.
    """
    site_pi = board.scratch[SITE_PI, p]
    site_tau = board.scratch[SITE_TAU, p]
    var = board.scratch[VAR, p]
    if pi * (var + epsilon * epsilon) < FLAT:
        _set_first_message(board, p, epsilon)
        return
    place_var = 1.0 / pi
    place_mean = tau * place_var
    spread = 1.0 / _truncate(board, p, place_mean, place_var, epsilon)
    step = 1.0 / (var + place_var * board.cut.left[0])
    pi = board.cut.lost[0] * step
    if board.cut.left[0] < 0.5:  # of two equivalent formulas, the one that keeps its digits
        tau = (board.scratch[MEAN, p] - board.cut.mean[0] * spread - place_mean * board.cut.left[0]) * step
    else:
        tau = (place_mean * board.cut.lost[0] - board.cut.shift[0] * spread) * step
    if pi < 0.1 * site_pi:
        step = 0.9 if site_pi * place_var > 1e-20 else 0.0
        pi = site_pi + step * (pi - site_pi)
        tau = site_tau + step * (tau - site_tau)
    board.scratch[SITE_PI, p] = pi
    board.scratch[SITE_TAU, p] = tau


@cython.cfunc
@cython.exceptval(check=False)
def _finish_place(
    board: Board, k: cython.Py_ssize_t, places: cython.Py_ssize_t, epsilon: cython.double
) -> cython.double:
    first = cython.cast(cython.Py_ssize_t, board.scratch[FIRST, k])
    end = _end(board, k, places)
    pi: cython.double = 0.0
    tau: cython.double = 0.0
    evidence = 0.0
    _sum_messages(board, k, first, end)
    for p in range(first, end):
        evidence += _finish_team(board, p, pi + board.scratch[REST_PI, p], tau + board.scratch[REST_TAU, p], epsilon)
        pi += board.scratch[SITE_PI, p]
        tau += board.scratch[SITE_TAU, p]
    return evidence + ep_chain.log_mass(pi + ep_chain.message_pi(board, k), tau + ep_chain.message_tau(board, k))


@cython.cfunc
@cython.exceptval(check=False)
def _finish_team(
    board: Board, p: cython.Py_ssize_t, pi: cython.double, tau: cython.double, epsilon: cython.double
) -> cython.double:
    """Fill `d1`, `d2` and `left` of a team; `pi` and `tau` are the sum of all other messages to its place.

    Return the team's part of the log-evidence: the log-evidence of its factor, minus that of its message to the place.
    """
    team = board.order[p]
    var = board.scratch[VAR, p]
    site_pi = board.scratch[SITE_PI, p]
    site_tau = board.scratch[SITE_TAU, p]
    if pi * (var + epsilon * epsilon) < FLAT:
        board.d1[team] = board.d2[team] = 0.0
        board.left[team] = 1.0
        evidence = log(2.0 * epsilon) if epsilon > 0.0 else 0.0
        return evidence - ep_chain.log_mass(site_pi, site_tau)
    place_var = 1.0 / pi
    place_mean = tau * place_var
    sharpness = _truncate(board, p, place_mean, place_var, epsilon)
    board.d1[team] = board.cut.shift[0] * sharpness
    board.d2[team] = -board.cut.lost[0] * sharpness * sharpness
    board.left[team] = (place_var + var * board.cut.left[0]) * sharpness * sharpness
    evidence = log_z(board.cut, 0)
    if epsilon == 0.0:
        evidence += log(sharpness)
    return evidence - ep_chain.log_integral(place_mean, place_var, site_pi, site_tau)
