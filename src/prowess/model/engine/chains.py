"""Chains: the messages between the matches of a player when a whole history is fitted at once (`Model.hindsight`).

The skill of a player at match e, visit e of the chain, gets three messages: F = N(fm, fv) from everything before the
match, with the drift; the site S = (π, τ), that is exp(τ s − ½ π s²), from the match itself; and B = (bπ, bτ) from
everything after the match. The belief without the match is the cavity F·B:

    k = 1/(1 + fv·bπ),    μ = (fm + fv·bτ) k,    σ² = fv·k.

A pass over all matches, forward or backward, carries one of the messages along; the other one is in the column
`messages`, where the pass replaces it by the message that it carries. So a visit needs only two pairs of numbers, and
nothing is ever divided by a variance.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

# kernel: lanes
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

from .board import Board
from .buffers import LINE, from_line

if not cython.compiled:
    from math import fabs, sqrt

    from .._cython import prefetch

LEAST_KEPT = cython.declare(cython.double, 1e-300)  # a share of variance below this would make a site infinite
LEAST_LEFT = cython.declare(cython.double, 1e-12)  # a precision that is left without the copies of a match, or rounding


@cython.final
@cython.cclass
class Chain:
    """The sites and messages of all visits to one kind of rows: skills, the deviations of a facet, or effects.

    Trait k of visit v has the two cells from 2 (v · traits + k) on. The rows of the matches at hand are the entries of
    a board; `visit` says which visit each of them is.

    A pass is `backward` or forward. If `updates` is false, the sites stay as they are, and a pass forward writes
    nothing but the forward messages in `forward`, if this column has cells. If `damps` is true, a new site is the mean
    of the old and the new one. If matches of importance above 1 are visited, `repeats` is true, and `kinds` is how many
    rows of other chains a match has at most.

    >>> chain = Chain(visits=2, traits=1, cells=2)
    >>> chain.sites, chain.moved
    (array([0., 0., 0., 0.]), 0.0)
    """

    def __init__(self, visits: int, traits: int, cells: int) -> None:
        """Make room for the visits; the boards of this chain have at most `cells` cells for entries and traits."""
        self.traits = traits
        size = 2 * visits * traits
        # The visits of two players who meet lie in one line of the cache, because they are read at random.
        self.sites, self.messages = (from_line(np.zeros(size + LINE // 8), size) for _ in range(2))
        self.site, self.message = memoryview(self.sites), memoryview(self.messages)
        self.keep(np.empty(0))
        self.visit = array("q", bytes(8 * cells))
        # Of the entries on a board: the carried messages, those that the pass before has left, and the sites.
        self.first, self.second, self.far, self.far_2 = (array("d", bytes(8 * cells)) for _ in range(4))
        self.precision, self.push = (array("d", bytes(8 * cells)) for _ in range(2))
        self.change, self.held = (array("d", bytes(8 * cells)) for _ in range(2))
        self.later = array("d", bytes(16 * cells))
        self.backward = self.damps = self.repeats = False
        self.updates = True
        self.kinds = 0

    def keep(self, forward: Any) -> None:
        """Let the next passes that do not update sites write the forward messages of all visits to a column."""
        self.forward = forward
        self.seen = memoryview(forward)
        self.keeps = len(forward) > 0

    @property
    def moved(self) -> float:
        """The largest change of a belief since `start_sweep`: of a mean in standard deviations, or of log σ²."""
        return sqrt(max(self.change))

    def start_sweep(self) -> cython.void:
        """Forget how far beliefs have moved."""
        for i in range(len(self.change)):
            self.change[i] = 0.0

    def find_entries(self, board: Board) -> cython.void:
        """Number the visits of the matches on a board like the entries of the history."""
        s = board.stride
        for e in range(board.entries):
            for lane in range(board.lanes):
                self.visit[e * s + lane] = board.first_entry[lane] + e

    def prefetch_next(self, board: Board, matches: cython.Py_ssize_t, entries: cython.Py_ssize_t) -> cython.void:
        """Prefetch the visits of the next block, which `find_rows` has found."""
        for i in range(matches):
            first = 2 * self.traits * board.next_entry[i]
            for at in range(first, first + 2 * self.traits * entries, 8):  # a line of the cache has eight cells
                prefetch(cython.address(self.site[at]))
                prefetch(cython.address(self.message[at]))

    def gather(self, rows: Board, first: cython.Py_ssize_t, last: cython.Py_ssize_t) -> cython.void:
        """Copy the sites of the entries, and the messages that the pass before has left, to columns like the board's.

        The cells of a visit are scattered in memory. Loops that compute with them would not be vectorised.
        """
        s = rows.stride
        for k in range(first * self.traits, last * self.traits):
            e = k // self.traits
            trait = k - e * self.traits
            for lane in range(rows.lanes):
                at = 2 * (self.visit[e * s + lane] * self.traits + trait)
                self.far[k * s + lane] = self.message[at]
                self.far_2[k * s + lane] = self.message[at + 1]
                self.precision[k * s + lane] = self.site[at]
                self.push[k * s + lane] = self.site[at + 1]

    def enter(self, rows: Board, first: cython.Py_ssize_t, last: cython.Py_ssize_t) -> cython.void:
        """Replace the messages that the pass carries to the entries from `first` to `last` by the cavities.

        The carried messages are in `mu` and `var`: mean and variance of F, or bπ and bτ.
        """
        s = rows.stride
        back = self.backward
        self.gather(rows, first, last)
        for k in range(first * self.traits, last * self.traits):
            for lane in range(rows.lanes):
                i = k * s + lane
                near = rows.mu[i]
                near_2 = rows.var[i]
                far = self.far[i]
                far_2 = self.far_2[i]
                self.first[i] = near
                self.second[i] = near_2
                mean = far if back else near
                variance = far_2 if back else near_2
                # A match of importance w is in the chain w times; its cavity leaves out one of them.
                copies = rows.importances[lane] - 1.0
                copies = copies if copies > 0.0 else 0.0
                precision = (near if back else far) + copies * self.precision[i]
                push = (near_2 if back else far_2) + copies * self.push[i]
                shrink = 1.0 / (1.0 + variance * precision)
                rows.mu[i] = (mean + variance * push) * shrink
                rows.var[i] = variance * shrink

    def finish(self, rows: Board, first: cython.Py_ssize_t, last: cython.Py_ssize_t) -> cython.void:
        """Leave the entries from `first` to `last` after a visit, and update their sites if the pass does so."""
        if self.updates:
            self.leave(rows, first, last)
        else:
            self.pass_by(rows, first, last)

    def leave(self, rows: Board, first: cython.Py_ssize_t, last: cython.Py_ssize_t) -> cython.void:
        """Set the sites from `g1`, `g2` and `kept` of the entries, and multiply the carried messages by them.

        With the posterior N(μ + σ² g₁, σ² kept), the site is the posterior divided by the cavity:
        π = −g₂/kept and τ = (g₁ − μ g₂)/kept.
        """
        s = rows.stride
        least = LEAST_KEPT
        least_left = LEAST_LEFT
        self.hold(rows, first, last)
        for k in range(first * self.traits, last * self.traits):
            for lane in range(rows.matches):
                i = k * s + lane
                mu = rows.mu[i]
                var = rows.var[i]
                # Where a likelihood is not log-concave, the mean moves, but the precision does not.
                g2 = rows.g2[i]
                concave = 1.0 if g2 < 0.0 else 0.0
                g2 = g2 if g2 < 0.0 else 0.0
                kept = concave * rows.kept[i] + (1.0 - concave)
                kept = kept if kept > least else least
                old = self.precision[i]
                old_push = self.push[i]
                precision = -g2 / kept
                push = (rows.g1[i] - mu * g2) / kept
                held = self.held[lane]
                self.precision[i] = precision + held * (old - precision)
                self.push[i] = push + held * (old_push - push)
                # How far the belief would move: with D = 1 + σ² π, its variance is σ²/D and its mean (μ + σ² τ)/D. All
                # copies of the match move, and the cavity has all but one of them.
                whole = rows.importances[lane]
                one = whole if whole < 1.0 else 1.0
                others = whole - one
                before = 1.0 + var * (one * old)
                after = 1.0 + var * (whole * precision - others * old)
                after = after if after > least_left else least_left
                shift = (mu + var * (whole * push - others * old_push)) / after
                shift -= (mu + var * (one * old_push)) / before
                wider = fabs(after - before) / (after if after < before else before)
                wider *= wider
                change = shift * shift * after / (var if var > 0.0 else 1.0)
                change = change if change > wider else wider
                most = self.change[i]
                self.change[i] = change if change > most else most
        self.scatter(rows, first, last)
        self.carry(rows, first, last)

    def hold(self, rows: Board, first: cython.Py_ssize_t, last: cython.Py_ssize_t) -> cython.void:
        """Set the share of the old sites that stays in the new ones, for the matches of the entries.

        All copies of a match of importance w answer to the others as they were before. If these are most of what is
        known about the players, and each player makes up for the whole surprise, beliefs would overshoot by more at
        every visit. With q = (w − 1) π σ², what the other copies are of the cavity, the sum Q of q over all rows of the
        match bounds how far beliefs overshoot; a share of 1/(1 + Q) of the way is stable.
        """
        s = rows.stride
        least = 0.5 if self.damps else 0.0
        for lane in range(rows.lanes):
            self.held[lane] = 0.0
        if self.repeats:
            for k in range(first * self.traits, last * self.traits):
                for lane in range(rows.matches):
                    copies = rows.importances[lane] - 1.0
                    copies = copies if copies > 0.0 else 0.0
                    self.held[lane] += copies * self.precision[k * s + lane] * rows.var[k * s + lane]
        kinds = 1.0 + self.kinds
        for lane in range(rows.lanes):
            total = kinds * self.held[lane]
            share = total / (1.0 + total)
            self.held[lane] = share if share > least else least

    def scatter(self, rows: Board, first: cython.Py_ssize_t, last: cython.Py_ssize_t) -> cython.void:
        """Store the new sites, and the messages that the pass has carried to the entries."""
        s = rows.stride
        for k in range(first * self.traits, last * self.traits):
            e = k // self.traits
            trait = k - e * self.traits
            for i in range(rows.matches):
                at = 2 * (self.visit[e * s + i] * self.traits + trait)
                self.site[at] = self.precision[k * s + i]
                self.site[at + 1] = self.push[k * s + i]
                self.message[at] = self.first[k * s + i]
                self.message[at + 1] = self.second[k * s + i]

    def pass_by(self, rows: Board, first: cython.Py_ssize_t, last: cython.Py_ssize_t) -> cython.void:
        """Leave entries whose sites stay as they are: store the messages, if they are wanted, and carry them on."""
        for k in range(first * self.traits, last * self.traits):
            e = k // self.traits
            trait = k - e * self.traits
            for i in range(k * rows.stride, k * rows.stride + rows.matches):
                at = 2 * (self.visit[e * rows.stride + i - k * rows.stride] * self.traits + trait)
                if self.updates or self.backward:
                    self.message[at] = self.first[i]
                    self.message[at + 1] = self.second[i]
                elif self.keeps:
                    self.seen[at] = self.first[i]
                    self.seen[at + 1] = self.second[i]
        self.carry(rows, first, last)

    def carry(self, rows: Board, first: cython.Py_ssize_t, last: cython.Py_ssize_t) -> cython.void:
        """Set `mu` and `var` to the carried messages times the sites, each as often as its match counts."""
        s = rows.stride
        back = self.backward
        for k in range(first * self.traits, last * self.traits):
            for lane in range(rows.lanes):
                i = k * s + lane
                precision = rows.importances[lane] * self.precision[i]
                push = rows.importances[lane] * self.push[i]
                near = self.first[i]
                near_2 = self.second[i]
                shrink = 1.0 / (1.0 + near_2 * precision)
                rows.mu[i] = near + precision if back else (near + near_2 * push) * shrink
                rows.var[i] = near_2 + push if back else near_2 * shrink


def smooth_walk(precision: Any, push: Any, variance: cython.double, step: cython.double) -> Any:
    """Return the messages along a random walk that starts at N(0, variance) and moves by N(0, step) between visits.

    The sites are exp(push x − ½ precision x²). The rows of the result are, for each visit, mean and variance of the
    forward message, and precision and push of the message from later visits.

    >>> smooth_walk(np.array([1.0, 1.0]), np.array([1.0, 0.0]), 1.0, 0.0).tolist()
    [[0.0, 0.5], [1.0, 0.5], [1.0, 0.0], [0.0, 0.0]]
    """
    size: cython.Py_ssize_t = len(precision)
    messages = np.zeros((4, size))
    p: cython.double[::1] = memoryview(np.ascontiguousarray(precision))
    t: cython.double[::1] = memoryview(np.ascontiguousarray(push))
    out: cython.double[:, ::1] = memoryview(messages)
    mean: cython.double = 0.0
    spread: cython.double = variance
    for i in range(size):
        out[0, i] = mean
        out[1, i] = spread
        share = 1.0 / (1.0 + spread * p[i])
        mean = (mean + spread * t[i]) * share
        spread = spread * share + step
    later: cython.double = 0.0
    later_push: cython.double = 0.0
    for n in range(size):
        i = size - 1 - n
        out[2, i] = later
        out[3, i] = later_push
        share = 1.0 / (1.0 + step * (later + p[i]))
        later = (later + p[i]) * share
        later_push = (later_push + t[i]) * share
    return messages
