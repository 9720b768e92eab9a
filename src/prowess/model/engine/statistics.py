"""What the individual statistics of a match say about the performances of its players, before the result is learnt.

A statistic y of an entry is one more noisy observation of a performance p ~ N(m, v), where v includes the noise β²:

    y = c + ω (p − η · mean of the opponents' p) + N(0, γ²/share played).

The offset c is unknown in every match, so only differences between players count. It is integrated out exactly: with
D = ω²v + γ² and ĉ = Σ (y − ωm)/D / Σ 1/D, the derivatives of the log-evidence with respect to m are

    d₁ = ω (y − ωm − ĉ)/D,    d₂ = −(ω²/D)(1 − (1/D)/Σ 1/D).

Every statistic thus sends each performance a message of precision −d₂/(1 + v d₂) and slope d₁/(1 + v d₂) at m. The sums
of these, `precision` and `push`, turn the performance into N(m', v'), from where the outcome continues. What the match
has taught about a performance passes to the player's rows through the noise β, which is counted once.
"""

from __future__ import annotations

from array import array
from typing import Any

# kernel: lanes
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

from ..maths.normal import Truncated, above
from .board import Board
from .facets import Effects
from .spread import keep_shares, kept_share

if not cython.compiled:
    from math import sqrt

NAN = cython.declare(cython.double, float("nan"))
ENOUGH = cython.declare(cython.double, 20.0)  # values of a kind after which their standard deviation is used


@cython.final
@cython.cclass
class Observer:
    """The numbers of a statistic that the kernels need; `index` is its position among facets and statistics."""

    def __init__(self, statistic: Any, index: int, traits: tuple[str, ...]) -> None:
        self.index = index
        self.trait = traits.index(statistic.trait) if statistic.trait else 0
        self.is_quit = statistic.kind == "quit"
        self.is_scaled = statistic.per is not None
        self.is_bounded = statistic.bounded
        self.margin = statistic.margin if self.is_quit else 0.0
        self.omega = 1.0 if self.is_quit else statistic.omega
        self.eta = 1.0 if self.is_quit else statistic.eta
        self.noise = 0.0 if self.is_quit else statistic.gamma**2


@cython.final
@cython.cclass
class StatisticSource:
    """A statistic, its column, and the table with the mean and spread of its earlier values for each kind of match."""

    def __init__(self, observer: Observer, columns: list[Any], tables: list[Any]) -> None:
        self.observer = observer
        self.column = columns[observer.index]
        self.table = tables[observer.index]


@cython.final
@cython.cclass
class Statistics:
    """The messages of all statistics to the performances on a board.

    `precision` and `push` have a cell for each entry, trait and lane, and so has `share`, the share of the change of a
    mean that comes from the statistics; it may be negative, or above 1. Of each team, `moved` is the change of the
    mean, and `own` the variance of its players' performances after the statistics.
    """

    def __init__(
        self,
        observers: list[Observer],
        teams: int,
        entries: int,
        traits: int,
        stride: int,
        memories: int,
        duels: bool,
        laplace: bool,
    ) -> None:
        self.observers = observers
        self.traits = traits
        self.stride = stride
        self.duels = duels
        self.laplace = laplace
        self.is_bounded = any(observer.is_bounded for observer in observers)
        cells, sides = entries * traits * stride, teams * traits * stride
        self.precision, self.push, self.share, self.mu, self.var = (array("d", bytes(8 * cells)) for _ in range(5))
        self.moved, self.own = (array("d", bytes(8 * sides)) for _ in range(2))
        self.weight, self.gap = (array("d", bytes(8 * entries * stride)) for _ in range(2))
        self.team_mean, self.team_var = (array("d", bytes(8 * (teams + 1) * stride)) for _ in range(2))
        self.weights, self.gaps, self.evidences = (array("d", bytes(8 * stride)) for _ in range(3))
        self.part, self.rest, self.whole, self.left = (array("d", bytes(8 * stride)) for _ in range(4))
        self.other_d1, self.other_d2, self.other_left = (array("d", bytes(8 * sides)) for _ in range(3))
        self.other_unconverged = array("d", bytes(8 * stride))
        self.memory = array("d", bytes(8 * max(memories * stride, 1)))
        self.out = Truncated(1)
        self.sources: list[StatisticSource] = []
        self.is_loaded = False

    def set_sources(self, columns: list, tables: list) -> cython.bint:
        """Tell where the statistics of the matches to come are."""
        self.sources = [StatisticSource(observer, columns, tables) for observer in self.observers]
        self.is_loaded = True
        return False

    def scale(self, first: cython.Py_ssize_t, last: cython.Py_ssize_t) -> cython.void:
        """Scale the statistics of a match, whose entries are those from `first` to `last`.

        The mean and the standard deviation of earlier values of the same kind are used. Before there are enough of
        them, the values are ignored.
        """
        count = 2 * self.traits + 1
        for f in range(len(self.sources)):
            source: StatisticSource = self.sources[f]
            if not source.observer.is_scaled:
                continue
            column = source.column
            table = source.table
            kind = -1
            mean = factor = NAN
            for e in range(first, last):
                base = column.row[e] * table.stride
                if base != kind:
                    kind = base
                    factor = NAN
                    # Comparisons with NaN, which a kind without values has, are false.
                    if base >= 0 and table.cells[base + count] >= ENOUGH and table.cells[base + 1] > 0.0:
                        mean = table.cells[base]
                        factor = sqrt(table.cells[base + count] / table.cells[base + 1])
                column.scaled[e] = (column.value[e] - mean) * factor

    def count(self, first: cython.Py_ssize_t, last: cython.Py_ssize_t) -> cython.void:
        """Add the statistics of a match to the number, mean and sum of squares of the values of their kinds."""
        count = 2 * self.traits + 1
        for f in range(len(self.sources)):
            source: StatisticSource = self.sources[f]
            if not source.observer.is_scaled:
                continue
            column = source.column
            table = source.table
            for e in range(first, last):
                value = column.value[e]
                base = column.row[e] * table.stride
                if base < 0 or value != value:
                    continue
                if table.cells[base] != table.cells[base]:  # the first value of its kind
                    for k in range(2 * self.traits):
                        table.cells[base + k] = 0.0
                    table.cells[base + count] = 0.0
                table.cells[base + count] += 1.0
                gap = value - table.cells[base]
                table.cells[base] += gap / table.cells[base + count]
                table.cells[base + 1] += gap * (value - table.cells[base])

    def observe(
        self, board: Board, first: cython.Py_ssize_t, last: cython.Py_ssize_t, effects: Effects | None
    ) -> cython.bint:
        """Compute the messages to all performances in the lanes from `first` to `last`, and what they mean for teams.

        `effects`, if given, are those of the single match in these lanes. They shift the expected performances.
        """
        s = self.stride
        for k in range(board.entries * self.traits):
            for lane in range(first, last):
                self.precision[k * s + lane] = 0.0
                self.push[k * s + lane] = 0.0
        for f in range(len(self.sources)):
            source: StatisticSource = self.sources[f]
            observer = source.observer
            if observer.eta != 0.0:
                self._sum_teams(board, observer.trait, first, last)
            if observer.is_quit:
                self._observe_quits(source, board, first, last)
            else:
                self._observe_values(source, board, first, last, effects)
        for j in range(board.teams):
            for k in range(self.traits):
                self._move_team(board, j, k, first, last)
        return False

    def _sum_teams(
        self, board: Board, k: cython.Py_ssize_t, first: cython.Py_ssize_t, last: cython.Py_ssize_t
    ) -> cython.void:
        """Sum the means and variances of the performances of every team, and, behind the last team, of all teams."""
        s = self.stride
        beta2 = board.beta * board.beta
        total = board.teams * s
        for lane in range(first, last):
            self.team_mean[total + lane] = 0.0
            self.team_var[total + lane] = 0.0
        for j in range(board.teams):
            for lane in range(first, last):
                self.team_mean[j * s + lane] = 0.0
                self.team_var[j * s + lane] = 0.0
            for e in range(board.start[j], board.start[j + 1]):
                entry = (e * self.traits + k) * s
                for lane in range(first, last):
                    self.team_mean[j * s + lane] += board.mu[entry + lane]
                    self.team_var[j * s + lane] += board.var[entry + lane] + beta2
            for lane in range(first, last):
                self.team_mean[total + lane] += self.team_mean[j * s + lane]
                self.team_var[total + lane] += self.team_var[j * s + lane]

    def _observe_values(
        self,
        source: StatisticSource,
        board: Board,
        first: cython.Py_ssize_t,
        last: cython.Py_ssize_t,
        effects: Effects | None,
    ) -> cython.void:
        """Add the messages of a statistic to the performances."""
        s = self.stride
        observer = source.observer
        column = source.column
        k = observer.trait
        beta2 = board.beta * board.beta
        omega = observer.omega
        for lane in range(first, last):
            self.weights[lane] = 0.0
            self.gaps[lane] = 0.0
        for j in range(board.teams):
            others = board.start[board.teams] - board.start[j + 1] + board.start[j]
            share = observer.eta / others
            for e in range(board.start[j], board.start[j + 1]):
                entry = (e * self.traits + k) * s
                shift = added = 0.0
                if effects is not None:
                    shift = effects.entry_shift[e * self.traits + k]
                    added = effects.entry_added[e * self.traits + k]
                for lane in range(first, last):
                    y = column.scaled[board.first_entry[lane] + e]
                    noise = observer.noise
                    if column.has_noise:
                        noise *= column.noise[board.first_entry[lane] + e]
                    mean = board.mu[entry + lane] + shift
                    whole = board.var[entry + lane] + beta2 + added
                    if observer.eta != 0.0:
                        mean -= share * (self.team_mean[board.teams * s + lane] - self.team_mean[j * s + lane])
                        rival = self.team_var[board.teams * s + lane] - self.team_var[j * s + lane]
                        whole += share * share * (rival if rival > 0.0 else 0.0)
                    whole = omega * omega * whole + noise
                    # The comparison is false for NaN: a missing statistic has no weight.
                    known = 1.0 if y == y and whole > 0.0 else 0.0
                    weight = known / (whole if whole > 0.0 else 1.0)
                    gap = (y if y == y else 0.0) - omega * mean
                    self.weight[e * s + lane] = weight
                    self.gap[e * s + lane] = gap
                    self.weights[lane] += weight
                    self.gaps[lane] += weight * gap
        for e in range(board.entries):
            entry = (e * self.traits + k) * s
            for lane in range(first, last):
                weight = self.weight[e * s + lane]
                total = self.weights[lane] if self.weights[lane] > 0.0 else 1.0
                d1 = omega * weight * (self.gap[e * s + lane] - self.gaps[lane] / total)
                d2 = -omega * omega * weight * (1.0 - weight / total)
                kept = 1.0 + (board.var[entry + lane] + beta2) * d2
                kept = kept if kept > 1e-12 else 1e-12
                self.precision[entry + lane] -= d2 / kept
                self.push[entry + lane] += d1 / kept

    def _observe_quits(
        self, source: StatisticSource, board: Board, first: cython.Py_ssize_t, last: cython.Py_ssize_t
    ) -> cython.void:
        """Add the messages to the performances of players who have quit: p < mean of the opponents' p − margin."""
        s = self.stride
        observer = source.observer
        k = observer.trait
        beta2 = board.beta * board.beta
        for j in range(board.teams):
            others = board.start[board.teams] - board.start[j + 1] + board.start[j]
            for e in range(board.start[j], board.start[j + 1]):
                for i in range(first, last):
                    # The comparison is false for NaN.
                    if not source.column.scaled[board.first_entry[i] + e] > 0.0:
                        continue
                    entry = (e * self.traits + k) * s + i
                    mean = (self.team_mean[board.teams * s + i] - self.team_mean[j * s + i]) / others
                    variance = (self.team_var[board.teams * s + i] - self.team_var[j * s + i]) / (others * others)
                    own = board.var[entry] + beta2
                    variance = own + (variance if variance > 0.0 else 0.0)
                    if variance <= 0.0:
                        continue
                    above((mean - board.mu[entry] - observer.margin) / sqrt(variance), self.out)
                    d1 = -self.out.shift[0] / sqrt(variance)
                    d2 = -self.out.lost[0] / variance
                    kept = 1.0 + own * d2
                    kept = kept if kept > 1e-12 else 1e-12
                    self.precision[entry] -= d2 / kept
                    self.push[entry] += d1 / kept

    def _move_team(
        self,
        board: Board,
        j: cython.Py_ssize_t,
        k: cython.Py_ssize_t,
        first: cython.Py_ssize_t,
        last: cython.Py_ssize_t,
    ) -> cython.void:
        """Compute how the messages change the performance of team j, for trait k."""
        s = self.stride
        team = (j * self.traits + k) * s
        beta2 = board.beta * board.beta
        for lane in range(first, last):
            self.moved[team + lane] = 0.0
            self.own[team + lane] = 0.0
        for e in range(board.start[j], board.start[j + 1]):
            entry = (e * self.traits + k) * s
            for lane in range(first, last):
                alpha = board.alpha[entry + lane]
                variance = board.var[entry + lane] + beta2
                variance /= 1.0 + variance * self.precision[entry + lane]
                self.moved[team + lane] += alpha * variance * self.push[entry + lane]
                self.own[team + lane] += alpha * alpha * variance

    def move_teams(self, board: Board, source_lane: cython.Py_ssize_t) -> cython.void:
        """Change the performances of the teams on a board by what the statistics say.

        The match of a board with one lane is that of the lane `source_lane` here.
        """
        for k in range(board.teams * self.traits):
            for lane in range(board.lanes):
                i = k * self.stride + source_lane + lane
                board.mean[k * board.stride + lane] += self.moved[i]
                board.variance[k * board.stride + lane] = self.own[i] + board.added[k * board.stride + lane]

    def swap_results(self, board: Board) -> cython.void:
        """Exchange the results of the outcome on a board for others, so that it can be run without changing them."""
        board.d1, self.other_d1 = self.other_d1, board.d1
        board.d2, self.other_d2 = self.other_d2, board.d2
        board.left, self.other_left = self.other_left, board.left
        board.unconverged, self.other_unconverged = self.other_unconverged, board.unconverged

    def tell(self, effects: Effects, board: Board, lane: cython.Py_ssize_t) -> cython.void:
        """Tell the effects on single players what the statistics of the match in a lane say about them.

        Only differences between players count, so what all players share of an effect is left out of `heard_pull`.
        """
        beta2 = board.beta * board.beta
        for row in range(effects.rows):
            for k in range(self.traits):
                effects.heard_slope[row * self.traits + k] = effects.heard_pull[row * self.traits + k] = 0.0
                effects.heard_share[row * self.traits + k] = 0.0
        for k in range(self.traits):
            total = 0.0
            for e in range(board.entries):
                i = (e * self.traits + k) * self.stride + lane
                total += self.precision[i] / (1.0 + (board.var[i] + beta2) * self.precision[i])
            for u in range(effects.uses):
                weight = effects.use_weight[u * self.traits + k]
                i = (effects.use_entry[u] * self.traits + k) * self.stride + lane
                row = effects.use_row[u] * self.traits + k
                one = 1.0 + (board.var[i] + beta2) * self.precision[i]
                effects.heard_slope[row] += weight * self.push[i] / one
                effects.heard_share[row] += weight * self.precision[i] / one
                effects.heard_pull[row] += weight * weight * self.precision[i] / one
            for row in range(effects.rows):
                i = row * self.traits + k
                if total > 0.0:
                    effects.heard_pull[i] -= effects.heard_share[i] * effects.heard_share[i] / total
                if effects.heard_pull[i] < 0.0:
                    effects.heard_pull[i] = 0.0

    def fold(self, board: Board) -> cython.void:
        """Let the beliefs about players include the statistics, for outcomes that compare players directly."""
        beta2 = board.beta * board.beta
        for k in range(board.entries * self.traits):
            for lane in range(board.lanes):
                i = k * board.stride + lane
                variance = board.var[i] + beta2
                variance /= 1.0 + variance * self.precision[i]
                self.mu[i] = board.mu[i]
                self.var[i] = board.var[i]
                board.mu[i] += variance * self.push[i]
                board.var[i] = variance - beta2 if variance > beta2 else 0.0

    def spread(self, board: Board) -> cython.void:
        """Derive `g1`, `g2` and `kept` of every player from the statistics and the results of the teams."""
        for j in range(board.teams):
            for k in range(self.traits):
                for e in range(board.start[j], board.start[j + 1]):
                    if self.duels:
                        self._unfold(board, e, k)
                    else:
                        self._spread(board, j, e, k)

    def _spread(self, board: Board, j: cython.Py_ssize_t, e: cython.Py_ssize_t, k: cython.Py_ssize_t) -> cython.void:
        s = board.stride
        beta2 = board.beta * board.beta
        team = (j * self.traits + k) * s
        entry = (e * self.traits + k) * s
        alone = 1.0 if board.start[j + 1] - board.start[j] == 1 else 0.0
        heavy = 0
        for lane in range(board.lanes):
            alpha = board.alpha[entry + lane]
            variance = board.var[entry + lane] + beta2
            own = alpha * alpha * (variance / (1.0 + variance * self.precision[entry + lane]))
            whole = self.own[team + lane] + board.added[team + lane]
            # Without team-mates, the uncertainty of home advantage and effects is all that remains.
            rest = board.added[team + lane] if alone > 0.0 else whole - own
            heavy += 1 if own * (1.0 - alone) > rest else 0
            self.part[lane] = own
            self.rest[lane] = rest
            self.whole[lane] = whole
            self.left[lane] = board.left[team + lane]
            board.g1[entry + lane] = alpha * board.d1[team + lane]
            board.g2[entry + lane] = alpha * alpha * board.d2[team + lane]
        keep_shares(self.part, self.rest, self.whole, self.left, board.lanes)
        for lane in range(board.lanes):
            board.kept[entry + lane] = self.left[lane]
        if heavy > 0:
            self._keep_heavy(board, j, e, k)
        self._combine(board, entry)

    def _keep_heavy(
        self, board: Board, j: cython.Py_ssize_t, e: cython.Py_ssize_t, k: cython.Py_ssize_t
    ) -> cython.void:
        """Set `kept` of performances that have most of the variance of the team, where a subtraction loses digits."""
        s = board.stride
        for i in range(board.lanes):
            team = (j * self.traits + k) * s + i
            own = self._contribution(board, (e * self.traits + k) * s + i)
            if own <= self.own[team] + board.added[team] - own:
                continue
            rest = board.added[team]
            for other in range(board.start[j], board.start[j + 1]):
                if other != e:
                    rest += self._contribution(board, (other * self.traits + k) * s + i)
            board.kept[(e * self.traits + k) * s + i] = kept_share(own, rest, own + rest, board.left[team])

    def _combine(self, board: Board, entry: cython.Py_ssize_t) -> cython.void:
        """Combine statistics and result, and pass what they say about a performance to the skill, through the noise.

        `g1`, `g2` and `kept` of the cells from `entry` on are those of the performance N(m', v') after the statistics,
        and become those of the skill before the match. If the statistics are bounded, no mean moves against the result.
        """
        beta2 = board.beta * board.beta
        bound = 1.0 if self.is_bounded else 0.0
        for lane in range(board.lanes):
            i = entry + lane
            variance = board.var[i] + beta2  # of the performance before the match
            precision = self.precision[i]
            push = self.push[i]
            one = 1.0 + variance * precision
            result = board.g1[i]
            if self.laplace:
                pull = -board.g2[i] if board.g2[i] < 0.0 else 0.0
                slope = push + result + pull * variance / one * push
                pull += precision
                g1 = slope / (1.0 + beta2 * pull)
                board.g2[i] = -pull / (1.0 + beta2 * pull)
                board.kept[i] = 1.0 / (1.0 - board.var[i] * board.g2[i])
            else:
                g1 = (push + result) / one
                board.g2[i] = (board.g2[i] / one - precision) / one
            self.part[lane] = board.var[i]
            self.rest[lane] = beta2
            self.whole[lane] = variance
            self.left[lane] = board.kept[i] / one
            total = push + result
            share = push / (total if total != 0.0 else 1.0)
            share = share if total != 0.0 else 0.0
            is_against = 1.0 if bound * (result * g1) < 0.0 else 0.0
            board.g1[i] = 0.0 if is_against > 0.0 else g1
            self.share[i] = 0.0 if is_against > 0.0 else share
        if not self.laplace:
            keep_shares(self.part, self.rest, self.whole, self.left, board.lanes)
            for lane in range(board.lanes):
                board.kept[entry + lane] = self.left[lane]

    def _contribution(self, board: Board, i: cython.Py_ssize_t) -> cython.double:
        """Return what a performance contributes to the variance of its team, after the statistics."""
        variance = board.var[i] + board.beta * board.beta
        return board.alpha[i] * board.alpha[i] * (variance / (1.0 + variance * self.precision[i]))

    def _unfold(self, board: Board, e: cython.Py_ssize_t, k: cython.Py_ssize_t) -> cython.void:
        """Restore a belief that `fold` has changed, and add the statistics to what the comparisons have taught."""
        entry = (e * self.traits + k) * board.stride
        for i in range(entry, entry + board.lanes):
            board.mu[i] = self.mu[i]
            board.var[i] = self.var[i]
        self._combine(board, entry)
