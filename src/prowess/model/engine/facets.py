"""The rows that facets add to the performances of a match: deviations of single players, and effects that all share.

A deviation belongs to one player, so it is added to the player's skill: `Deviations.fold` replaces the beliefs on the
board by those about the sums, and `unfold` divides what the match has taught among the parts of each sum. Players of
different lanes are different, so all lanes are folded at once.

An effect may belong to several players and teams, so the net weight A of each row in each team counts (see `Effects`).
Every match changes the effects of the next one, so they are computed one match after the other.
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

from ..components.interfaces import Absorb
from ..maths.elementary import exp_all
from .board import Board
from .buffers import FacetColumn, Table
from .spread import add_variances, divide, kept_share

if not cython.compiled:
    from .._cython import prefetch

MISSING = cython.declare(cython.Py_ssize_t, -1)  # the row of an entry whose value is missing; rows below are unknown
FEW = cython.declare(cython.Py_ssize_t, 16)  # in matches of more entries, a hash table finds the rows
NAN = cython.declare(cython.double, float("nan"))
MOST_GONE = cython.declare(cython.double, 0.5)  # see `Effects.learn`


@cython.final
@cython.cclass
class Part:
    """The numbers of a facet that the kernels need; `index` is its position in the model."""

    def __init__(self, facet: Any, index: int, per_time: bool, traits: tuple[str, ...]) -> None:
        self.index = index
        self.mean = facet.mu
        self.variance = facet.sigma**2
        self.drift = facet.tau**2
        self.per_time = per_time
        self.learnt = facet.learnt
        self.scales = array("d", getattr(facet, "scales", ()) or [0.0])
        self.number = len(getattr(facet, "scales", ()))
        self.used = array("d", [1.0 if trait in (facet.traits or traits) else 0.0 for trait in traits])


@cython.final
@cython.cclass
class RowSource:
    """A facet, the column that says which of its rows a match has, and the table of these rows.

    `resident_of` says where `Effects` keeps the rows of a block; −1 for all others. It is empty before the first block.
    """

    def __init__(self, part: Part, columns: list[FacetColumn], tables: list[Table]) -> None:
        self.part = part
        self.column = columns[part.index]
        self.table = tables[part.index]
        self.resident_of = array("i")


@cython.final
@cython.cclass
class Deviations:
    """The deviations of the entries on a board: a board of its own for each facet, whose entries are the rows.

    The weights of the rows are in the columns `alpha` of these boards. The board `skills` keeps the beliefs about the
    skills, with weights of 1, while the board of the match holds the sums.
    """

    def __init__(self, parts: list[Part], entries: int, traits: int, lanes: int) -> None:
        self.parts = parts
        self.boards = [Board(1, entries, traits, lanes=lanes) for _ in parts]
        if lanes > 1:
            for board in self.boards:
                board.single = Board(1, entries, traits)
        self.skills = Board(1, entries, traits, lanes=lanes)
        self.skills.alpha = array("d", [1.0] * len(self.skills.alpha))
        self.rest = array("d", bytes(8 * len(self.skills.alpha)))
        self.sources: list[RowSource] = []
        self.unit = 1.0
        self.is_loaded = False

    def set_sources(self, columns: list, tables: list, unit: cython.double) -> cython.bint:
        """Tell where the rows are for the matches to come."""
        self.sources = [RowSource(part, columns, tables) for part in self.parts]
        self.unit = unit
        return False

    def load(self, board: Board) -> cython.bint:
        """Load the deviations of all entries on the board, and apply their drift."""
        for f in range(len(self.parts)):
            source: RowSource = self.sources[f]
            rows: Board = self.boards[f]
            rows.entries = board.entries
            rows.lanes = board.lanes
            rows.matches = board.matches
            for lane in range(board.lanes):
                rows.importances[lane] = board.importances[lane]
            for e in range(board.entries):
                if board.stride == 1:  # in blocks, `find_next` has found the rows
                    rows.rows[e] = _first_cell(source.column.row[board.first_entry[0] + e], source.table)
                _load_rows(source, rows, board, e, self.unit)
        self.is_loaded = True
        return False

    def find_next(
        self, board: Board, matches: cython.Py_ssize_t, lanes: cython.Py_ssize_t, entries: cython.Py_ssize_t
    ) -> cython.void:
        """Find the rows of the next block and prefetch them; its matches begin at the entries `board.next_entry`.

        The rows of the present block are those that this method has found before.
        """
        s = board.stride
        for f in range(len(self.parts)):
            source: RowSource = self.sources[f]
            rows: Board = self.boards[f]
            for i in range(matches):
                for e in range(entries):
                    base = _first_cell(source.column.row[board.next_entry[i] + e], source.table)
                    rows.next_rows[e * s + i] = base
                    prefetch(cython.address(source.table.cells[base if base >= 0 else 0]))
            for i in range(matches, lanes):
                for e in range(entries):
                    rows.next_rows[e * s + i] = rows.next_rows[e * s + matches - 1]

    def take_next(self) -> cython.void:
        """Make the next block the present one."""
        for f in range(len(self.parts)):
            rows: Board = self.boards[f]
            rows.rows, rows.next_rows = rows.next_rows, rows.rows

    def fold(self, board: Board) -> cython.void:
        """Replace the beliefs about the skills by those about the sums of skills and deviations."""
        skills = self.skills
        skills.entries = board.entries
        skills.lanes = board.lanes
        for k in range(board.entries * board.traits):
            for lane in range(board.lanes):
                i = k * board.stride + lane
                skills.mu[i] = board.mu[i]
                skills.var[i] = board.var[i]
        for f in range(len(self.parts)):
            rows: Board = self.boards[f]
            for k in range(board.entries * board.traits):
                for lane in range(board.lanes):
                    i = k * board.stride + lane
                    board.mu[i] += rows.alpha[i] * rows.mu[i]
                    board.var[i] += rows.alpha[i] * rows.alpha[i] * rows.var[i]

    def unfold(self, board: Board) -> cython.void:
        """Divide `g1`, `g2` and `kept` of the sums among skills and deviations, and restore the skills."""
        skills = self.skills
        for f in range(len(self.parts)):
            self._sum_others(f)
            divide(board, self.boards[f], self.rest)
        self._sum_others(-1)
        divide(board, skills, self.rest)
        for k in range(board.entries * board.traits):
            for lane in range(board.lanes):
                i = k * board.stride + lane
                board.mu[i] = skills.mu[i]
                board.var[i] = skills.var[i]
                board.kept[i] = skills.kept[i]

    def _sum_others(self, f: cython.Py_ssize_t) -> cython.void:
        """Set `rest` to the variances of all rows but those of facet f, or of all but the skills if f is −1."""
        for k in range(self.skills.entries * self.skills.traits):
            for lane in range(self.skills.lanes):
                self.rest[k * self.skills.stride + lane] = 0.0
        if f >= 0:
            add_variances(self.skills, self.rest)
        for g in range(len(self.parts)):
            if g != f:
                add_variances(self.boards[g], self.rest)

    def store(self, board: Board) -> cython.void:
        """Store the deviations after the matches on the board."""
        s = board.stride
        for f in range(len(self.parts)):
            source: RowSource = self.sources[f]
            table = source.table
            rows: Board = self.boards[f]
            for i in range(board.matches):
                for e in range(board.entries):
                    base = rows.rows[e * s + i]
                    if base >= 0:
                        played = rows.played[e * s + i]
                        first = e * board.traits * s + i
                        _store_row(rows, first, board.traits, s, played, board.times[i], table, base)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _first_cell(row: cython.Py_ssize_t, table: Table) -> cython.Py_ssize_t:
    """Return where a row begins in its table; the numbers of missing and unknown rows stay as they are."""
    return row * table.stride if row >= 0 else row


@cython.cfunc
@cython.exceptval(check=False)
def _load_rows(
    source: RowSource,
    rows: Board,
    board: Board,
    e: cython.Py_ssize_t,
    unit: cython.double,
) -> cython.void:
    """Load the rows at position e of all matches, with the drift up to the match."""
    part = source.part
    table = source.table
    s = board.stride
    last_seen = 2 * board.traits
    for lane in range(board.lanes):
        base = rows.rows[e * s + lane]
        first = base if base >= 0 else 0
        played = table.cells[first + last_seen + 1]
        rows.played[e * s + lane] = played if played == played and base >= 0 else 0.0
        # Without times, a row drifts for as long as the player's skill. Comparisons with NaN are false.
        elapsed = (board.times[lane] - table.cells[first + last_seen]) / unit
        elapsed = elapsed if elapsed >= 0.0 and base >= 0 else 0.0
        elapsed = elapsed if board.times[lane] == board.times[lane] else board.elapsed[e * s + lane]
        rows.elapsed[e * s + lane] = elapsed if part.per_time else 1.0
    for k in range(board.traits):
        cell = (e * board.traits + k) * s
        for lane in range(board.lanes):
            base = rows.rows[e * s + lane]
            first = base if base >= 0 else 0
            mu = table.cells[first + 2 * k]
            var = table.cells[first + 2 * k + 1]
            # A mean of NaN marks a row without matches.
            is_known = 1.0 if mu == mu and base >= 0 else 0.0
            var = var if is_known > 0.0 else part.variance
            rows.mu[cell + lane] = mu if is_known > 0.0 else part.mean
            rows.var[cell + lane] = var + part.drift * rows.elapsed[e * s + lane]
            rows.before[cell + lane] = var
            rows.alpha[cell + lane] = part.used[k] if base != MISSING else 0.0
        if source.column.has_weight:
            for lane in range(board.lanes):
                rows.alpha[cell + lane] *= source.column.weight[board.first_entry[lane] + e]


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _store_row(
    rows: Board,
    first: cython.Py_ssize_t,
    traits: cython.Py_ssize_t,
    stride: cython.Py_ssize_t,
    played: cython.double,
    now: cython.double,
    table: Table,
    base: cython.Py_ssize_t,
) -> cython.void:
    """Store a belief, and count the match; its traits are at `first` in `rows` and each `stride` further on."""
    last_seen = base + 2 * traits
    for k in range(traits):
        table.cells[base + 2 * k] = rows.mu[first + k * stride]
        table.cells[base + 2 * k + 1] = rows.var[first + k * stride]
    table.cells[last_seen + 1] = played + 1.0
    # A match without a time does not change the time of the last match.
    if now == now:
        table.cells[last_seen] = now


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _elapsed(then: cython.double, now: cython.double, unit: cython.double) -> cython.double:
    """Return the time for which a row drifts. Comparisons with NaN are false: if a time is unknown, this is 0."""
    elapsed = (now - then) / unit
    return elapsed if elapsed >= 0.0 else 0.0


@cython.final
@cython.cclass
class Effects:
    """The shared rows of one match, and their weights in the performances of the teams.

    A row can occur in several places of a match: for single entries, whose weights α in the team count, or for whole
    teams. A cell is a pair of a team and a row, with the net weight A of the row in the performance of the team:

        mean = α₀ + Σ A μ,    variance = Σ A² σ² + …,    g₁ = A d₁,    g₂ = A² d₂.

    A row in several teams correlates their performances, for which an outcome has no input. If only differences between
    performances count, only differences between weights count. Then, with two teams, the whole difference is put on one
    team, which is exact: every row has one cell (`is_pair`). With more teams, the weights of a row in several teams are
    relative to their mean over all teams, and the correlations between teams are neglected.

    The rows of a match are numbered in the order in which they occur; those of facet f begin at `part_row[f]`. Their
    beliefs are the entries of the board `side`, and their places in the tables are in `row_at`. A row has `row_cells`
    cells: `cell_of` is the last one, and `first_of` that of the first team, or −1. `share` is the mean weight of a row
    over all teams, `gone` the share of its variance that the match has removed, and `counts` says whether the row had
    any influence. Of a team, `bare` is the variance without effects, and `own` the variance that effects add.

    Only the beliefs about effects depend on the match before, so `prepare` finds the rows and the weights of a whole
    block of pairs at once: `lane_row`, `lane_weight` and, for each team, the number of its rows in `lane_cells`. There
    is a cell for each place where a row can occur in a match; it has no row (`MISSING`) and a weight of 0 if the value
    is missing, or if an earlier cell has the same row. `lane_use` and `lane_share` are the cell and the weight of a row
    in the performance of each entry of `use_entry`, for the statistics. The rows of all facets stay in the columns
    `resident_…` until `write_back`; `lane_resident` says where.

    In a pass of `smoothing`, `chain` has the messages of all rows. The visit of a row is the first team or entry of a
    match that has it, and those of facet f begin at `visit_start[f]`.
    """

    def __init__(
        self,
        parts: list[Part],
        teams: int,
        entries: int,
        traits: int,
        differences: bool,
        duels: bool,
        scores: bool,
        hears: bool,
        absorb: Absorb,
    ) -> None:
        """Make room for a match of this size.

        If `differences` is true, only differences between performances count. If `scores` is true, each of two teams
        has a score, which depends on its offence and on the defence of the other team. If `hears` is true, the model
        has statistics, which tell the effects on single players about them.
        """
        self.parts = parts
        self.absorb = absorb
        self.is_exact = absorb.exact  # other rules use `g2` instead of `kept`
        self.differences = differences
        self.duels = duels
        self.scores = scores
        self.hears = hears
        self.scales = sum(part.number for part in parts)
        self.most = most = sum(max(entries, teams) * max(part.number, 1) for part in parts)
        self.side = Board(1, most, traits)
        self.cell_row, self.cell_team, self.row_cells = (array("i", bytes(4 * most)) for _ in range(3))
        self.counts, self.first_of, self.cell_of = (array("i", bytes(4 * most)) for _ in range(3))
        self.team_cells = array("i", bytes(4 * teams))
        self.row_at = array("q", bytes(8 * most))
        self.weight, self.share, self.gone = (array("d", bytes(8 * most * traits)) for _ in range(3))
        self.bare, self.own = (array("d", bytes(8 * teams * traits)) for _ in range(2))
        self.fading = array("d", bytes(8 * entries * max(self.scales, 1)))
        heard = most * traits if hears else 1
        self.use_row, self.use_entry = (array("i", bytes(4 * heard)) for _ in range(2))
        self.use_weight, self.heard_slope, self.heard_share, self.heard_pull = (
            array("d", bytes(8 * heard)) for _ in range(4)
        )
        self.entry_shift, self.entry_added = (array("d", bytes(8 * entries * traits)) for _ in range(2))
        self.per_time = any(part.per_time for part in parts)
        self.cell_drift = array("d", bytes(8 * most))
        self._make_lanes(1)
        self.stride = self.matches = 1
        self.lane = 0
        slots = 8
        while slots < 2 * most:
            slots *= 2
        self.slots = array("i", bytes(4 * slots))
        self.mask = slots - 1
        self.part_row = array("i", bytes(4 * (len(parts) + 1)))
        self.sources: list[RowSource] = []
        self.unit = 1.0
        self.is_known = False
        self.chain = None
        self.visit_start = array("q", bytes(8 * (len(parts) + 1)))

    def set_sources(self, columns: list, tables: list, unit: cython.double) -> cython.bint:
        """Tell where the rows are for the matches to come."""
        self.sources = [RowSource(part, columns, tables) for part in self.parts]
        self.unit = unit
        self.is_known = True
        return False

    def set_chain(self, chain: Any, visit_start: Any) -> None:
        """Use the messages of a chain, for passes of `smoothing`."""
        self.chain = chain
        self.visit_start = visit_start

    def _make_lanes(self, stride: int) -> None:
        """Make room for the rows and weights of pairs in this many lanes."""
        size = 8 * self.most * stride
        self.lane_row, self.lane_use, self.lane_resident, self.lane_visit = (array("q", bytes(size)) for _ in range(4))
        self.lane_weight, self.lane_share, self.resident_mu = (array("d", bytes(size)) for _ in range(3))
        self.resident_var, self.resident_time, self.resident_played = (array("d", bytes(size)) for _ in range(3))
        self.lane_cells = array("d", bytes(16 * stride))

    def prepare(self, source: Board) -> cython.bint:
        """Compute everything that does not depend on the beliefs about effects, for all lanes of a board.

        The weights of the players are known by then, because the team function has run.
        """
        self.is_pair = self.differences and source.teams == 2
        self.relative = self.differences and not self.is_pair
        self.is_large = source.entries > FEW
        if self.scales > 0:
            self._fade(source)
        if self.is_pair:
            if len(self.lane_row) < self.most * source.stride:
                self._make_lanes(source.stride)
            self.stride = source.stride
            self.matches = source.matches
            self._list_cells(source)
        return False

    def _fade(self, source: Board) -> cython.bint:
        """Compute the weights exp(−played/scale) of `Experience` for all entries and lanes of a board."""
        size = source.entries * source.stride
        if len(self.fading) < self.scales * size:
            self.fading = array("d", bytes(8 * self.scales * size))
        first = 0
        for f in range(len(self.parts)):
            part: Part = self.parts[f]
            for n in range(part.number):
                for e in range(source.entries):
                    at = first + e * source.stride
                    for lane in range(source.lanes):
                        self.fading[at + lane] = -source.played[e * source.stride + lane] / part.scales[n]
                    exp_all(self.fading, at, source.lanes)
                first += size
        return False

    def _list_cells(self, source: Board) -> cython.bint:
        """List the rows of all pairs on a board, with their net weights."""
        s = source.stride
        self.rows = self.scale = self.uses = 0
        for f in range(len(self.sources)):
            facet: RowSource = self.sources[f]
            first = self.rows
            first_use = -1 if facet.column.by_team or not self.hears else self.uses
            self.part_row[f] = first
            if facet.part.number > 0:
                self._list_scales(facet.part.number, source)
            elif facet.column.by_team:
                for j in range(2):
                    self._list_values(facet.column, source, j, -1)
            else:
                for j in range(2):
                    for e in range(source.start[j], source.start[j + 1]):
                        self._list_values(facet.column, source, j, e)
            if self.chain is not None:
                self._list_visits(f, first, source)
            if facet.part.number == 0:
                self._merge_cells(first, first_use, source.lanes)
            for c in range(first, self.rows):
                self.cell_drift[c] = facet.part.drift
            self._load_residents(facet, first)
        self.part_row[len(self.sources)] = self.cells = self.rows
        for lane in range(source.lanes):
            self.lane_cells[lane] = self.lane_cells[s + lane] = 0.0
        for c in range(self.rows):
            team = self.cell_team[c] * s
            for lane in range(source.lanes):
                self.lane_cells[team + lane] += 1.0 if self.lane_row[c * s + lane] != MISSING else 0.0
        return False

    def _list_visits(self, f: cython.Py_ssize_t, first: cython.Py_ssize_t, source: Board) -> cython.void:
        """Number the visits of the cells of a facet, which begin at `first`."""
        facet: RowSource = self.sources[f]
        for c in range(first, self.rows):
            for i in range(source.matches):
                self.lane_visit[c * source.stride + i] = self._visit(f, facet, c - first, c - first, source, i)

    def _visit(
        self,
        f: cython.Py_ssize_t,
        facet: RowSource,
        row: cython.Py_ssize_t,
        place: cython.Py_ssize_t,
        source: Board,
        lane: cython.Py_ssize_t,
    ) -> cython.Py_ssize_t:
        """Return the number of a visit: of a row of `Experience`, or of the team or entry at a place of the match."""
        start = self.visit_start[f]
        if facet.part.number > 0:
            return start + source.match[lane] * facet.part.number + row
        return start + place + (source.first_team[lane] if facet.column.by_team else source.first_entry[lane])

    def _list_scales(self, number: cython.Py_ssize_t, source: Board) -> cython.void:
        """List the rows of `Experience`, which all players of all matches have."""
        s = source.stride
        for n in range(number):
            c = self.rows
            self.cell_team[c] = 0
            self.cell_row[c] = c
            for lane in range(source.lanes):
                self.lane_row[c * s + lane] = n
                self.lane_weight[c * s + lane] = 0.0
            for e in range(source.entries):
                sign = 1.0 if e < source.start[1] else -1.0
                at = ((self.scale + n) * source.entries + e) * s
                for lane in range(source.lanes):
                    self.lane_weight[c * s + lane] += sign * (self.fading[at + lane] * source.alpha[e * s + lane])
                if self.hears:
                    self._list_use(c, e, source.lanes)
                    for lane in range(source.lanes):
                        self.lane_share[(self.uses - 1) * s + lane] = self.fading[at + lane]
            self.rows += 1
        self.scale += number

    def _list_use(self, c: cython.Py_ssize_t, e: cython.Py_ssize_t, lanes: cython.Py_ssize_t) -> cython.void:
        """Note that the row of a cell adds to the performance of an entry; the caller sets its weight."""
        self.use_entry[self.uses] = e
        for lane in range(lanes):
            self.lane_use[self.uses * self.stride + lane] = c
        self.uses += 1

    def _list_values(
        self, column: FacetColumn, source: Board, j: cython.Py_ssize_t, e: cython.Py_ssize_t
    ) -> cython.void:
        """List the rows of a facet for the entry e of team j, or for the whole team if e is −1."""
        s = source.stride
        cell = self.rows * s
        self.cell_team[self.rows] = j
        self.cell_row[self.rows] = self.rows
        for lane in range(source.lanes):
            row = column.row[source.first_team[lane] + j if e < 0 else source.first_entry[lane] + e]
            self.lane_row[cell + lane] = row
            self.lane_weight[cell + lane] = 1.0 if row != MISSING else 0.0
        if column.has_weight:
            for lane in range(source.lanes):
                weight = column.weight[source.first_team[lane] + j if e < 0 else source.first_entry[lane] + e]
                self.lane_weight[cell + lane] = weight if self.lane_row[cell + lane] != MISSING else 0.0
        if e >= 0:
            if self.hears:
                self._list_use(self.rows, e, source.lanes)
                for lane in range(source.lanes):
                    self.lane_share[(self.uses - 1) * s + lane] = self.lane_weight[cell + lane]
            for lane in range(source.lanes):
                self.lane_weight[cell + lane] *= source.alpha[e * s + lane]
        self.rows += 1

    def _merge_cells(
        self, first: cython.Py_ssize_t, first_use: cython.Py_ssize_t, lanes: cython.Py_ssize_t
    ) -> cython.void:
        """Move the weights of the cells from `first` on to the first cell with the same row.

        The uses of their rows begin at `first_use`; −1 if there are none.
        """
        if self.rows - first > FEW:
            for i in range(lanes):
                self._merge_many(first, first_use, i)
        else:
            self._merge_few(first, first_use, lanes)
        count = 0.0
        while count == 0.0 and self.rows > first + 1:  # the last cell of a covariate is usually empty in all lanes
            last = (self.rows - 1) * self.stride
            for lane in range(lanes):
                count += 1.0 if self.lane_row[last + lane] != MISSING else 0.0
            self.rows -= 1 if count == 0.0 else 0

    def _merge_few(
        self, first: cython.Py_ssize_t, first_use: cython.Py_ssize_t, lanes: cython.Py_ssize_t
    ) -> cython.void:
        """Compare all cells with each other, in all lanes at once."""
        s = self.stride
        for later in range(first + 1, self.rows):
            for c in range(first, later):
                sign = 1.0 if self.cell_team[c] == self.cell_team[later] else -1.0
                for lane in range(lanes):
                    row = self.lane_row[later * s + lane]
                    weight = self.lane_weight[later * s + lane]
                    moved = weight if row == self.lane_row[c * s + lane] else 0.0
                    self.lane_weight[c * s + lane] += sign * moved
                    self.lane_weight[later * s + lane] = weight - moved
                    if first_use >= 0:
                        use = (first_use + later - first) * s + lane
                        # A missing row is like no other: it may have been moved to an earlier cell.
                        known = self.lane_row[c * s + lane] if row != MISSING else row - 1
                        self.lane_use[use] = c if row == known else self.lane_use[use]
                    self.lane_row[later * s + lane] = MISSING if row == self.lane_row[c * s + lane] else row

    def _merge_many(
        self, first: cython.Py_ssize_t, first_use: cython.Py_ssize_t, lane: cython.Py_ssize_t
    ) -> cython.void:
        """Find equal rows by a hash table, in one lane."""
        s = self.stride
        for i in range(self.mask + 1):
            self.slots[i] = -1
        for later in range(first, self.rows):
            row = self.lane_row[later * s + lane]
            if row == MISSING:
                continue
            slot: cython.Py_ssize_t = (row * 5) & self.mask
            while self.slots[slot] >= 0 and self.lane_row[self.slots[slot] * s + lane] != row:
                slot = (slot + 1) & self.mask
            c = self.slots[slot]
            if c < 0:
                self.slots[slot] = later
                continue
            sign = 1.0 if self.cell_team[c] == self.cell_team[later] else -1.0
            self.lane_weight[c * s + lane] += sign * self.lane_weight[later * s + lane]
            self.lane_weight[later * s + lane] = 0.0
            self.lane_row[later * s + lane] = MISSING
            if first_use >= 0:
                self.lane_use[(first_use + later - first) * s + lane] = c

    def _load_residents(self, facet: RowSource, first: cython.Py_ssize_t) -> cython.bint:
        """Load the rows of a facet, whose cells are those from `first` on. Matches share the rows that they learn."""
        s = self.stride
        table = facet.table
        is_shared: cython.bint = facet.part.learnt and s > 1
        if is_shared and len(facet.resident_of) == 0:
            facet.resident_of = array("i", [-1]) * (len(table.cells) // table.stride + 1)
        for c in range(first, self.rows):
            for at in range(c * s, c * s + self.matches):
                row = self.lane_row[at]
                self.lane_resident[at] = at
                if is_shared and row >= 0:
                    if facet.resident_of[row] >= 0:
                        self.lane_resident[at] = facet.resident_of[row]
                        continue
                    facet.resident_of[row] = at
                base = row * table.stride
                is_new: cython.bint = row < 0 or table.cells[base] != table.cells[base]
                self.resident_mu[at] = self._prior_mean(facet.part) if is_new else table.cells[base]
                self.resident_var[at] = self._prior_variance(facet.part) if is_new else table.cells[base + 1]
                self.resident_time[at] = NAN if is_new else table.cells[base + 2]
                self.resident_played[at] = 0.0 if is_new else table.cells[base + 3]
        return False

    def _prior_mean(self, part: Part) -> cython.double:
        """Return what a pass carries to a row that it meets for the first time; the mean, in a pass forward."""
        return 0.0 if self.chain is not None and self.chain.backward else part.mean

    def _prior_variance(self, part: Part) -> cython.double:
        """Return what a pass carries to a row that it meets for the first time; the variance, in a pass forward."""
        return 0.0 if self.chain is not None and self.chain.backward else part.variance

    def write_back(self) -> cython.void:
        """Store the rows of a block of pairs that had an influence on a match."""
        if not self.is_pair:
            return
        s = self.stride
        for f in range(len(self.sources)):
            facet: RowSource = self.sources[f]
            table = facet.table
            if not facet.part.learnt:
                continue
            for c in range(self.part_row[f], self.part_row[f + 1]):
                for at in range(c * s, c * s + self.matches):
                    row = self.lane_row[at]
                    if row < 0 or self.lane_resident[at] != at:
                        continue
                    if s > 1:
                        facet.resident_of[row] = -1
                    if self.resident_played[at] > 0.0:
                        base = row * table.stride
                        table.cells[base] = self.resident_mu[at]
                        table.cells[base + 1] = self.resident_var[at]
                        table.cells[base + 2] = self.resident_time[at]
                        table.cells[base + 3] = self.resident_played[at]

    def add(self, board: Board, source: Board, lane: cython.Py_ssize_t) -> cython.void:
        """Add the effects of the match in a lane of `source` to the performances of its teams on `board`.

        `prepare` has run for `source`.
        """
        if self.hears:
            for k in range(source.entries * source.traits):
                self.entry_shift[k] = self.entry_added[k] = 0.0
        self.side.importances[0] = source.importances[lane]
        if self.is_pair:
            self._add_pair(board, source.times[lane], lane)
            return
        self.rows = self.cells = self.scale = self.uses = 0
        if self.is_large:
            for i in range(self.mask + 1):
                self.slots[i] = -1
        for j in range(source.teams):
            self.team_cells[j] = 0
        for f in range(len(self.sources)):
            self.part_row[f] = self.rows
            self._add_facet(f, self.sources[f], source, lane)
        self.part_row[len(self.sources)] = self.rows
        for k in range(board.traits):
            self._add_trait(board, k)

    def _add_facet(self, f: cython.Py_ssize_t, facet: RowSource, source: Board, lane: cython.Py_ssize_t) -> cython.void:
        """Add the rows of a facet for the teams or for their players."""
        column = facet.column
        for j in range(source.teams):
            if facet.part.number == 0 and column.by_team:
                at = source.first_team[lane] + j
                if column.row[at] != MISSING:
                    weight = column.weight[at] if column.has_weight else 1.0
                    self._add_weight(f, facet, column.row[at], j, source, lane, -1, weight)
                continue
            for e in range(source.start[j], source.start[j + 1]):
                for n in range(facet.part.number):
                    at = (self.scale + n) * source.entries + e
                    weight = self.fading[at * source.stride + lane]
                    self._add_weight(f, facet, n, j, source, lane, e, weight)
                at = source.first_entry[lane] + e
                if facet.part.number == 0 and column.row[at] != MISSING:
                    weight = column.weight[at] if column.has_weight else 1.0
                    self._add_weight(f, facet, column.row[at], j, source, lane, e, weight)
        self.scale += facet.part.number

    def _add_weight(
        self,
        f: cython.Py_ssize_t,
        facet: RowSource,
        row: cython.Py_ssize_t,
        j: cython.Py_ssize_t,
        source: Board,
        lane: cython.Py_ssize_t,
        e: cython.Py_ssize_t,
        weight: cython.double,
    ) -> cython.void:
        """Add the weight of a row of facet f in team j, for the entry e or for the whole team (−1)."""
        known = self._find(f, row)
        if known == self.rows:
            self.rows += 1
            self.row_at[known] = row
            self._load_row(facet, known, row, source.times[lane])
            if self.chain is not None:
                place = e if e >= 0 else j
                self.chain.visit[known] = self._visit(f, facet, row, place, source, lane)
                self.chain.enter(self.side, known, known + 1)
        if self.hears and e >= 0:
            self.use_row[self.uses] = known
            self.use_entry[self.uses] = e
            for k in range(source.traits):
                self._add_use(self.uses, k, facet.part.used[k] * weight)
            self.uses += 1
        traits = source.traits
        cell = self.cell_of[known]
        if cell < 0 or self.cell_team[cell] != j:  # the row has no cell of this team yet
            cell = self.cells
            self.cells += 1
            self.cell_of[known] = cell
            self.cell_row[cell] = known
            self.cell_team[cell] = j
            self.row_cells[known] += 1
            self.team_cells[j] += 1
            if j == 0:
                self.first_of[known] = cell
            for k in range(traits):
                self.weight[cell * traits + k] = 0.0
        for k in range(traits):
            alpha = source.alpha[(e * traits + k) * source.stride + lane] if e >= 0 else 1.0
            self.weight[cell * traits + k] += facet.part.used[k] * alpha * weight

    def _add_use(self, u: cython.Py_ssize_t, k: cython.Py_ssize_t, weight: cython.double) -> cython.void:
        """Add a row to the trait k of the performance of an entry, as the statistics see it."""
        traits = self.side.traits
        i = self.use_row[u] * traits + k
        entry = self.use_entry[u] * traits + k
        self.use_weight[u * traits + k] = weight
        self.entry_shift[entry] += weight * self.side.mu[i]
        self.entry_added[entry] += weight * weight * self.side.var[i]

    def _find(self, f: cython.Py_ssize_t, row: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return the number of a row in this match; the next number if it has not occurred before."""
        if self.is_large:
            slot: cython.Py_ssize_t = (row * 5 + f) & self.mask
            while self.slots[slot] >= 0:
                known = self.slots[slot]
                if known >= self.part_row[f] and self.row_at[known] == row:
                    return known
                slot = (slot + 1) & self.mask
            self.slots[slot] = self.rows
        else:
            for i in range(self.part_row[f], self.rows):
                if self.row_at[i] == row:
                    return i
        known = self.rows
        self.row_at[known] = row
        self.cell_of[known] = self.first_of[known] = -1
        self.row_cells[known] = self.counts[known] = 0
        return known

    def _add_pair(self, board: Board, now: cython.double, lane: cython.Py_ssize_t) -> cython.void:
        """Add the effects on two teams of which only the difference counts; every row has one cell."""
        s = self.stride
        side = self.side
        self.lane = lane
        for j in range(2):
            self.own[j] = board.shift[j] = 0.0
        for row in range(self.rows):
            at = self.lane_resident[row * s + lane]
            weight = self.lane_weight[row * s + lane]
            elapsed = 1.0
            if self.per_time:
                elapsed = _elapsed(self.resident_time[at], now, self.unit)
            mu = self.resident_mu[at]
            var = self.resident_var[at] + self.cell_drift[row] * elapsed
            if self.chain is not None:
                self._enter_pair(row, at, now, mu, var)
                mu = side.mu[row]
                var = side.var[row]
            t = self.cell_team[row]
            board.shift[t] += weight * mu
            self.own[t] += weight * weight * var
            side.mu[row] = mu
            side.var[row] = var
            self.weight[row] = weight
            self.counts[row] = 1 if weight != 0.0 else 0
        for j in range(2):
            self.bare[j] = board.variance[j]
            board.mean[j] += board.shift[j]
            board.variance[j] += self.own[j]
            board.added[j] += self.own[j]
        if self.hears:
            for u in range(self.uses):
                self.use_row[u] = cython.cast(cython.int, self.lane_use[u * s + lane])
                self._add_use(u, 0, self.lane_share[u * s + lane])

    def _enter_pair(
        self, row: cython.Py_ssize_t, at: cython.Py_ssize_t, now: cython.double, mu: cython.double, var: cython.double
    ) -> cython.void:
        """Replace the message that a pass carries to a row by the cavity."""
        side = self.side
        side.mu[row] = mu
        side.var[row] = var
        if self.chain.backward:
            step = self.cell_drift[row]
            step *= _elapsed(now, self.resident_time[at], self.unit) if self.per_time else 1.0
            shrink = 1.0 / (1.0 + step * self.resident_mu[at])
            side.mu[row] = self.resident_mu[at] * shrink
            side.var[row] = self.resident_var[at] * shrink
        self.chain.visit[row] = self.lane_visit[row * self.stride + self.lane]
        self.chain.enter(side, row, row + 1)

    def _learn_pair(self, board: Board) -> cython.void:
        """Set g₁ = A d₁, g₂ = A² d₂ and `kept` of the rows of two teams of which only the difference counts."""
        side = self.side
        for row in range(self.rows):
            t = self.cell_team[row]
            weight = self.weight[row]
            square = weight * weight
            side.g1[row] = weight * board.d1[t]
            side.g2[row] = square * board.d2[t]
            is_alone: cython.bint = self.lane_cells[t * self.stride + self.lane] == 1.0
            rest = self.bare[t] if is_alone else self._rest(board, row, 0)
            kept = kept_share(square * side.var[row], rest, board.variance[t], board.left[t])
            side.kept[row] = 1.0 if self.duels else kept

    def _load_row(
        self, facet: RowSource, known: cython.Py_ssize_t, row: cython.Py_ssize_t, now: cython.double
    ) -> cython.void:
        """Load a row, with the drift up to the match."""
        part = facet.part
        table = facet.table
        side = self.side
        base = row * table.stride if row >= 0 else 0
        last_seen = base + 2 * side.traits
        is_new: cython.bint = row < 0 or table.cells[base] != table.cells[base]
        is_back: cython.bint = self.chain is not None and self.chain.backward
        elapsed = 1.0
        if part.per_time:
            then = table.cells[last_seen]
            elapsed = 0.0 if is_new else _elapsed(now, then, self.unit) if is_back else _elapsed(then, now, self.unit)
        side.played[known] = 0.0 if is_new else table.cells[last_seen + 1]
        for k in range(side.traits):
            i = known * side.traits + k
            side.mu[i] = self._prior_mean(part) if is_new else table.cells[base + 2 * k]
            side.var[i] = self._prior_variance(part) if is_new else table.cells[base + 2 * k + 1]
            if is_back:
                shrink = 1.0 / (1.0 + part.drift * elapsed * side.mu[i])
                side.mu[i] *= shrink
                side.var[i] *= shrink
            else:
                side.var[i] += part.drift * elapsed

    def _add_trait(self, board: Board, k: cython.Py_ssize_t) -> cython.void:
        """Add the effects on trait k."""
        traits = board.traits
        shift = added = 0.0
        if self.relative:
            for row in range(self.rows):
                self.share[row * traits + k] = 0.0
            for c in range(self.cells):
                if self.row_cells[self.cell_row[c]] > 1:
                    self.share[self.cell_row[c] * traits + k] += self.weight[c * traits + k] / board.teams
            for row in range(self.rows):
                share = self.share[row * traits + k]
                shift -= share * self.side.mu[row * traits + k]
                added += share * share * self.side.var[row * traits + k]
                if share != 0.0 and self.row_cells[row] < board.teams:
                    self.counts[row] = 1
        for j in range(board.teams):
            self.bare[j * traits + k] = board.variance[j * traits + k]
            self.own[j * traits + k] = added
            board.shift[j * traits + k] = shift
        for c in range(self.cells):
            t = self.cell_team[c] * traits + k
            i = self.cell_row[c] * traits + k
            if self.weight[c * traits + k] != (self.share[i] if self.relative else 0.0):
                self.counts[self.cell_row[c]] = 1
            board.shift[t] += self.weight[c * traits + k] * self.side.mu[i]
            self.own[t] += self._square(c, k, traits) * self.side.var[i]
        for j in range(board.teams):
            t = j * traits + k
            added = self.own[t] if self.own[t] > 0.0 else 0.0
            board.mean[t] += board.shift[t]
            board.variance[t] += added
            board.added[t] += added

    def _square(self, c: cython.Py_ssize_t, k: cython.Py_ssize_t, traits: cython.Py_ssize_t) -> cython.double:
        """Return by how much the square of a cell's weight exceeds that of a team without the row."""
        weight = self.weight[c * traits + k]
        if not self.relative:
            return weight * weight
        share = self.share[self.cell_row[c] * traits + k]
        return (weight - share) * (weight - share) - share * share

    def learn(self, board: Board) -> cython.bint:
        """Update all rows from the results of the teams: g₁ = Σ A d₁ and g₂ = Σ A² d₂.

        For a row in several teams, the shares of variance that are gone add up. This overestimates what the match has
        taught, so beyond a half the update is damped: a variance stays above 0, and a mean moves a limited distance.
        """
        side = self.side
        side.entries = self.rows
        if self.is_pair:
            self._learn_pair(board)
            self._listen()
            return self._update_rows()
        cross = self._correlate(board) if self.scores and board.teams == 2 else 0.0
        for k in range(board.traits):
            self._sum_results(board, k)
            if cross != 0.0:
                self._add_cross_terms(k, board.traits, cross)
            for row in range(self.rows):
                i = row * board.traits + k
                if self.row_cells[row] == 1:
                    continue  # `_sum_results` has set the exact share
                gone = self.gone[i]
                side.kept[i] = 1.0 - gone
                if gone > MOST_GONE and cross == 0.0:
                    side.kept[i] = MOST_GONE * MOST_GONE / gone
                    side.g1[i] *= side.kept[i] / MOST_GONE
        self._listen()
        return self._update_rows()

    def _update_rows(self) -> cython.bint:
        """Update the beliefs about all rows, or the sites of a chain."""
        side = self.side
        if self.is_exact and (not self.is_pair or self.hears):
            # Where several teams or statistics have told something, only `kept` says how much in total.
            for i in range(self.rows * side.traits):
                several = not self.is_pair and self.row_cells[i // side.traits] > 1
                if (several or (self.hears and self.heard_pull[i] > 0.0)) and side.var[i] > 0.0:
                    side.g2[i] = (side.kept[i] - 1.0) / side.var[i]
        if self.chain is None:
            return self.absorb.absorb(side)
        self.chain.finish(side, 0, self.rows)
        return False

    def pass_by(self) -> cython.void:
        """Leave the rows of a match of importance 0: their messages are kept, but not carried on."""
        if self.chain is not None:
            self.chain.pass_by(self.side, 0, self.rows)

    def _listen(self) -> cython.void:
        """Add what the statistics have told; several players may have told the same, so the slope is damped."""
        side = self.side
        if not self.hears:
            return
        for row in range(self.rows):
            for k in range(side.traits):
                i = row * side.traits + k
                gone = side.var[i] * self.heard_pull[i]
                side.g1[i] += self.heard_slope[i] / (1.0 + gone)
                side.g2[i] -= self.heard_pull[i]
                side.kept[i] /= 1.0 + gone
                if self.heard_pull[i] > 0.0:
                    self.counts[row] = 1

    def _correlate(self, board: Board) -> cython.double:
        """Correct the results of two scores for their covariance c, which comes from rows that both teams have.

        The outcome has treated the scores as independent, with derivatives D and −h of the log-evidence. For normal
        scores, or normal approximations to others, the derivatives of the joint log-evidence are, with d = 1 − c²h₀h₁,

            D₀ ← (D₀ − c h₀ D₁)/d,    h₀ ← h₀/d,    and the mixed second derivative is c h₀ h₁/d,

        which is returned. Offence is the first trait and defence the second.
        """
        covariance = 0.0
        for c in range(self.cells):
            first = self.first_of[self.cell_row[c]]
            if first >= 0 and first != c:
                for k in range(2):
                    weights = self.weight[first * 2 + k] * self.weight[c * 2 + k]
                    covariance += weights * self.side.var[self.cell_row[c] * 2 + k]
        if covariance == 0.0 or board.score[0] != board.score[0] or board.score[1] != board.score[1]:
            return 0.0
        push0 = board.d1[0]
        push1 = board.d1[2]
        pull0 = -board.d2[0]
        pull1 = -board.d2[2]
        d = 1.0 - covariance * covariance * pull0 * pull1
        for j in range(2):
            # The score of team j depends on its offence, and on the defence of the other team.
            push = (push0 - covariance * pull0 * push1) / d if j == 0 else (push1 - covariance * pull1 * push0) / d
            offence = 2 * j
            defence = 2 * (1 - j) + 1
            board.d1[offence] = push
            board.d1[defence] = -push
            for t in (offence, defence):
                board.d2[t] /= d
                board.left[t] = 1.0 - (1.0 - board.left[t]) / d
        return covariance * pull0 * pull1 / d

    def _add_cross_terms(self, k: cython.Py_ssize_t, traits: cython.Py_ssize_t, cross: cython.double) -> cython.void:
        """Add the mixed second derivative of the two scores to the rows that both teams have."""
        for c in range(self.cells):
            row = self.cell_row[c]
            first = self.first_of[row]
            if first >= 0 and first != c:
                both = 2.0 * self.weight[first * traits + k] * self.weight[c * traits + k] * cross
                self.side.g2[row * traits + k] += both
                self.gone[row * traits + k] -= both * self.side.var[row * traits + k]

    def _sum_results(self, board: Board, k: cython.Py_ssize_t) -> cython.void:
        """Sum g₁, g₂ and the shares of variance that are gone over the teams, for trait k."""
        side = self.side
        traits = board.traits
        d1 = d2 = pull = 0.0
        if self.relative:
            for j in range(board.teams):
                t = j * traits + k
                d1 += board.d1[t]
                d2 += board.d2[t]
                pull += (1.0 - board.left[t]) / board.variance[t] if board.variance[t] > 0.0 else 0.0
        for row in range(self.rows):
            i = row * traits + k
            share = self.share[i] if self.relative else 0.0
            side.g1[i] = -share * d1
            side.g2[i] = share * share * d2
            self.gone[i] = share * share * pull * side.var[i]
            side.kept[i] = 1.0
        for c in range(self.cells):
            i = self.cell_row[c] * traits + k
            t = self.cell_team[c] * traits + k
            square = self._square(c, k, traits)
            side.g1[i] += self.weight[c * traits + k] * board.d1[t]
            side.g2[i] += square * board.d2[t]
            if self.relative and self.row_cells[self.cell_row[c]] > 1:
                if board.variance[t] > 0.0:
                    self.gone[i] += square * side.var[i] * (1.0 - board.left[t]) / board.variance[t]
            elif square > 0.0 and not self.duels:
                rest = self.bare[t] if self.team_cells[self.cell_team[c]] == 1 else self._rest(board, c, k)
                side.kept[i] = kept_share(square * side.var[i], rest, board.variance[t], board.left[t])
                self.gone[i] += 1.0 - side.kept[i]

    def _rest(self, board: Board, c: cython.Py_ssize_t, k: cython.Py_ssize_t) -> cython.double:
        """Return the variance of a team's performance without the row of the cell c, one of several of the team."""
        traits = board.traits
        j = self.cell_team[c]
        t = j * traits + k
        own = self._square(c, k, traits) * self.side.var[self.cell_row[c] * traits + k]
        rest = board.variance[t] - own
        if own <= rest:
            return rest
        # A subtraction would lose digits. At most one row of a team has most of the variance, so this is rare.
        rest = self.bare[t]
        for other in range(self.cells):
            if other != c and self.cell_team[other] == j:
                rest += self._square(other, k, traits) * self.side.var[self.cell_row[other] * traits + k]
        return rest

    def store(self, board: Board) -> cython.void:
        """Store the rows that had an influence on the match; those of a block of pairs stay here (`write_back`)."""
        if self.is_pair:
            self._keep_pair(board.times[0])
            if self.stride == 1:
                self.write_back()
            return
        side = self.side
        traits = board.traits
        for f in range(len(self.sources)):
            facet: RowSource = self.sources[f]
            table = facet.table
            if facet.part.learnt:
                for row in range(self.part_row[f], self.part_row[f + 1]):
                    if self.counts[row] > 0 and self.row_at[row] >= 0:
                        base = self.row_at[row] * table.stride
                        _store_row(side, row * traits, traits, 1, side.played[row], board.times[0], table, base)

    def _keep_pair(self, now: cython.double) -> cython.void:
        """Keep the rows that had an influence on a pair, for the next match of the block."""
        for row in range(self.rows):
            if self.counts[row] > 0:
                at = self.lane_resident[row * self.stride + self.lane]
                self.resident_mu[at] = self.side.mu[row]
                self.resident_var[at] = self.side.var[row]
                self.resident_played[at] += 1.0
                # A match without a time does not change the time of the last match.
                self.resident_time[at] = now if now == now else self.resident_time[at]
