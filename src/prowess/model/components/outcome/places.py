"""TS2's outcome: every place has a performance of its own, and teams that share it were near it.

Nikolenko, Sirotkin, "A New Bayesian Rating System for Team Competitions" (2011), section 3. With one variable l for
each distinct place, |t − l| ≤ ε for every team t on it, and l is better by more than 2ε than the l of the next place.
Nothing else is known of l. Many teams may share a place: the result depends neither on the order in which they are
listed nor, as in TrueSkill, on a chain of them.

Expectation propagation runs over teams, their places and the chain of places: algorithms 1 to 3, run to convergence. A
team sends its place one message; a place keeps the sums of what its teams say before and after each of them, so that a
team's own message is never subtracted again, and the cost is linear in the number of teams.
"""

from __future__ import annotations

from typing import ClassVar

try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

if cython.compiled:
    from cython.cimports.libc.math import fabs, log, sqrt
    from cython.cimports.prowess.model.components.outcome import ep_chain
    from cython.cimports.prowess.model.components.outcome.place_forecast import Rounded, one_margin
    from cython.cimports.prowess.model.components.outcome.places_two import meet_pair, plain
    from cython.cimports.prowess.model.engine.board import Board, positive, sort_by_place
    from cython.cimports.prowess.model.maths.normal import log_z, within
else:
    from math import fabs, log, sqrt

    from ...engine.board import Board, positive, sort_by_place
    from ...maths.normal import log_z, within
    from . import ep_chain
    from .place_forecast import Rounded, one_margin
    from .places_two import meet_pair, plain

from ...params import Range
from ..margin import margin_from
from .ep_chain import check_run
from .place_forecast import tie_width

FLAT = cython.declare(cython.double, 1e-200)  # what is known of a place, against its teams' precision, if nothing is

# Rows of the board's scratch after those of the chain: of the k-th place,
FIRST = cython.declare(cython.Py_ssize_t, 14)  # the position of its first team among all teams by place
# and of the team at a position:
MEAN = cython.declare(cython.Py_ssize_t, 15)  # prior mean from the reference of its place
VAR = cython.declare(cython.Py_ssize_t, 16)  # prior variance
SITE_PI = cython.declare(cython.Py_ssize_t, 17)  # message to its place
SITE_TAU = cython.declare(cython.Py_ssize_t, 18)
REST_PI = cython.declare(cython.Py_ssize_t, 19)  # what the chain and the teams after it say of its place
REST_TAU = cython.declare(cython.Py_ssize_t, 20)
MORE = cython.declare(cython.Py_ssize_t, 7)


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
        board.margin.measure(board, True)
        epsilon = one_margin(board)
        if board.teams == 2 and plain(board, epsilon):
            return meet_pair(board, epsilon, self.tolerance, self.sweeps)
        return meet(board, epsilon, self.tolerance, self.sweeps)


@cython.ccall
def meet(board: Board, epsilon: cython.double, tolerance: cython.double, sweeps: cython.Py_ssize_t) -> cython.double:
    """Fill `d1`, `d2` and `left` of the teams that were seen on their places; returns the log-evidence.

    It is log Z − K log 2ε for K places; where ε is 0, log of the density of the differences within places.
    """
    places = _lay_out(board, epsilon)
    still = tolerance * tolerance
    far = still + 1.0
    spent = 0
    while far > still and spent < sweeps:
        far = ep_chain.pass_on(board, places)
        for k in range(places):
            far = max(far, _hear(board, k, places, epsilon))
        spent += 1
    board.converged = far <= still
    evidence = ep_chain.evidence(board, places)
    for k in range(places):
        evidence += _tell(board, k, places, epsilon)
    if epsilon > 0.0:
        evidence -= places * log(2.0 * epsilon)
    return evidence


@cython.cfunc
def _lay_out(board: Board, epsilon: cython.double) -> cython.Py_ssize_t:
    """Lay out the teams by place, and the chain of places; returns how many places there are."""
    before = -1
    places = 0
    above = 0.0
    least = 0.0
    if epsilon == 0.0:  # then a performance that is known exactly is known a little less exactly
        for p in range(board.teams):
            least = max(least, board.variance[p])
        least = 1e-30 * positive(least)
    ep_chain.make_room(board, MORE)
    sort_by_place(board)
    for p in range(board.teams):
        team = board.order[p]
        board.scratch[MEAN, p] = board.mean[team]
        board.scratch[VAR, p] = board.variance[team] if board.variance[team] > 0.0 else least
        if board.place[team] != before:
            board.scratch[FIRST, places] = p
            places += 1
        before = board.place[team]
    for k in range(places):
        here = _open(board, k, places, epsilon)
        ep_chain.link(board, k, 0.0, 2.0 * epsilon, False)
        if k > 0:
            ep_chain.link(board, k - 1, above - here, 2.0 * epsilon, False)
        above = here
    return places


@cython.cfunc
@cython.exceptval(check=False)
def _end(board: Board, k: cython.Py_ssize_t, places: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The position after the last team on a place."""
    if k + 1 == places:
        return board.teams
    return cython.cast(cython.Py_ssize_t, board.scratch[FIRST, k + 1])


@cython.cfunc
@cython.exceptval(check=False)
def _open(board: Board, k: cython.Py_ssize_t, places: cython.Py_ssize_t, epsilon: cython.double) -> cython.double:
    """Choose a place's reference, the prior mean of the team that is known best, and send it the first messages."""
    first = cython.cast(cython.Py_ssize_t, board.scratch[FIRST, k])
    end = _end(board, k, places)
    best = first
    pi: cython.double = 0.0
    tau: cython.double = 0.0
    for p in range(first, end):
        if board.scratch[VAR, p] < board.scratch[VAR, best]:
            best = p
    reference = board.scratch[MEAN, best]
    for p in range(first, end):
        board.scratch[MEAN, p] -= reference
        _first(board, p, epsilon)
        pi += board.scratch[SITE_PI, p]
        tau += board.scratch[SITE_TAU, p]
    ep_chain.own(board, k, pi, tau)
    return reference


@cython.cfunc
@cython.exceptval(check=False)
def _first(board: Board, p: cython.Py_ssize_t, epsilon: cython.double) -> cython.void:
    """The message of a team to a place of which nothing else is known: t − l is uniform on [−ε, ε]."""
    board.scratch[SITE_PI, p] = 1.0 / (board.scratch[VAR, p] + epsilon * epsilon / 3.0)
    board.scratch[SITE_TAU, p] = board.scratch[SITE_PI, p] * board.scratch[MEAN, p]


@cython.cfunc
@cython.exceptval(check=False)
def _gather(board: Board, k: cython.Py_ssize_t, first: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.void:
    """For every team on a place, sum up what the chain and the teams after it say; nothing is ever subtracted."""
    pi: cython.double = ep_chain.said_pi(board, k)
    tau: cython.double = ep_chain.said_tau(board, k)
    for p in range(end - 1, first - 1, -1):
        board.scratch[REST_PI, p] = pi
        board.scratch[REST_TAU, p] = tau
        pi += board.scratch[SITE_PI, p]
        tau += board.scratch[SITE_TAU, p]


@cython.cfunc
@cython.exceptval(check=False)
def _hear(board: Board, k: cython.Py_ssize_t, places: cython.Py_ssize_t, epsilon: cython.double) -> cython.double:
    """Renew the messages of a place's teams to it, one after the other; returns how far they moved it, squared.

    What they moved is summed up over the teams: a thousand small steps in one direction are not small.
    """
    first = cython.cast(cython.Py_ssize_t, board.scratch[FIRST, k])
    end = _end(board, k, places)
    size = 0.0
    pi: cython.double = 0.0
    tau: cython.double = 0.0
    more_pi = 0.0
    more_tau = 0.0
    site_pi: cython.double
    site_tau: cython.double
    _gather(board, k, first, end)
    var = 1.0 / (board.scratch[REST_PI, first] + board.scratch[SITE_PI, first])
    mean = var * (board.scratch[REST_TAU, first] + board.scratch[SITE_TAU, first])
    for p in range(first, end):
        site_pi = board.scratch[SITE_PI, p]
        site_tau = board.scratch[SITE_TAU, p]
        _renew(board, p, pi + board.scratch[REST_PI, p], tau + board.scratch[REST_TAU, p], epsilon)
        pi += board.scratch[SITE_PI, p]
        tau += board.scratch[SITE_TAU, p]
        site_pi = board.scratch[SITE_PI, p] - site_pi
        site_tau = board.scratch[SITE_TAU, p] - site_tau
        more_pi += fabs(site_pi)
        more_tau += fabs(site_tau - mean * site_pi)
        size = max(size, fabs(board.scratch[MEAN, p]))
    ep_chain.own(board, k, pi, tau)
    return ep_chain.moved(0.0, var, more_pi, more_tau, size + fabs(mean) + epsilon)


@cython.cfunc
@cython.exceptval(check=False)
def _near(
    board: Board, p: cython.Py_ssize_t, mean: cython.double, var: cython.double, epsilon: cython.double
) -> cython.double:
    """Condition t − l on |t − l| ≤ ε, with l ~ N(mean, var): fills the cut, returns one over the deviation of t − l."""
    sharpness = 1.0 / sqrt(board.scratch[VAR, p] + var)
    within((board.scratch[MEAN, p] - mean) * sharpness, epsilon * sharpness, board.cut)
    return sharpness


@cython.cfunc
@cython.exceptval(check=False)
def _renew(
    board: Board, p: cython.Py_ssize_t, pi: cython.double, tau: cython.double, epsilon: cython.double
) -> cython.void:
    """Renew the message of a team to its place, of which all others say (π, τ).

    A message that would be less than a tenth of what it was is damped: if all teams on a place fell silent at once,
    nothing would hold it any more. One that no longer matters stays as it is.
    """
    site_pi = board.scratch[SITE_PI, p]
    site_tau = board.scratch[SITE_TAU, p]
    var = board.scratch[VAR, p]
    if pi * (var + epsilon * epsilon) < FLAT:
        _first(board, p, epsilon)
        return
    place_var = 1.0 / pi
    place_mean = tau * place_var
    spread = 1.0 / _near(board, p, place_mean, place_var, epsilon)
    step = 1.0 / (var + place_var * board.cut.left)
    pi = board.cut.lost * step
    if board.cut.left < 0.5:  # of two equal forms the one in which large numbers do not cancel
        tau = (board.scratch[MEAN, p] - board.cut.mean * spread - place_mean * board.cut.left) * step
    else:
        tau = (place_mean * board.cut.lost - board.cut.shift * spread) * step
    if pi < 0.1 * site_pi:
        step = 0.9 if site_pi * place_var > 1e-20 else 0.0
        pi = site_pi + step * (pi - site_pi)
        tau = site_tau + step * (tau - site_tau)
    board.scratch[SITE_PI, p] = pi
    board.scratch[SITE_TAU, p] = tau


@cython.cfunc
@cython.exceptval(check=False)
def _tell(board: Board, k: cython.Py_ssize_t, places: cython.Py_ssize_t, epsilon: cython.double) -> cython.double:
    """What a place says of its teams; returns its part of the log-evidence."""
    first = cython.cast(cython.Py_ssize_t, board.scratch[FIRST, k])
    end = _end(board, k, places)
    pi: cython.double = 0.0
    tau: cython.double = 0.0
    evidence = 0.0
    _gather(board, k, first, end)
    for p in range(first, end):
        evidence += _answer(board, p, pi + board.scratch[REST_PI, p], tau + board.scratch[REST_TAU, p], epsilon)
        pi += board.scratch[SITE_PI, p]
        tau += board.scratch[SITE_TAU, p]
    return evidence + ep_chain.log_mass(pi + ep_chain.said_pi(board, k), tau + ep_chain.said_tau(board, k))


@cython.cfunc
@cython.exceptval(check=False)
def _answer(
    board: Board, p: cython.Py_ssize_t, pi: cython.double, tau: cython.double, epsilon: cython.double
) -> cython.double:
    """Fill what a team learns from a place of which all others say (π, τ); returns its part of the log-evidence.

    That is log Z of the factor, less what its message to the place already says of it.
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
    sharpness = _near(board, p, place_mean, place_var, epsilon)
    board.d1[team] = board.cut.shift * sharpness
    board.d2[team] = -board.cut.lost * sharpness * sharpness
    board.left[team] = (place_var + var * board.cut.left) * sharpness * sharpness
    evidence = log_z(board.cut)
    if epsilon == 0.0:
        evidence += log(sharpness)
    return evidence - ep_chain.log_integral(place_mean, place_var, site_pi, site_tau)
