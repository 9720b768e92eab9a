from .spread cimport add_variances, divide, kept_share
from ..maths.elementary cimport exp_all
from ..components.interfaces cimport Absorb
from .board cimport Board
from .buffers cimport FacetColumn, Table, prefetch
from .chains cimport Chain


cdef class Part:
    cdef readonly Py_ssize_t index, number
    cdef readonly double mean, variance, drift
    cdef readonly bint per_time, learnt
    cdef double[::1] scales, used


cdef class RowSource:
    cdef readonly Part part
    cdef readonly FacetColumn column
    cdef readonly Table table
    cdef int[::1] resident_of


cdef class Deviations:
    cdef readonly list parts, boards
    cdef list sources
    cdef double unit
    cdef public bint is_loaded
    cdef readonly Board skills
    cdef double[::1] rest

    cdef bint set_sources(self, list columns, list tables, double unit) except -1
    cdef bint load(self, Board board) except -1
    cdef void find_next(self, Board board, Py_ssize_t matches, Py_ssize_t lanes, Py_ssize_t entries) noexcept
    cdef void take_next(self) noexcept
    cdef void fold(self, Board board) noexcept
    cdef void unfold(self, Board board) noexcept
    cdef void _sum_others(self, Py_ssize_t f) noexcept
    cdef void store(self, Board board) noexcept


cdef class Effects:
    cdef readonly list parts
    cdef Chain chain  # None, except in passes of `smoothing`
    cdef long long[::1] visit_start, lane_visit
    cdef readonly Absorb absorb
    cdef list sources
    cdef double unit
    cdef public bint is_known
    cdef readonly Board side
    cdef bint is_exact, differences, duels, scores, hears, is_pair, relative, is_large, per_time
    cdef Py_ssize_t rows, cells, uses, mask, scales, scale, most, stride, matches, lane
    cdef int[::1] cell_row, cell_team, part_row, row_cells, counts, first_of, cell_of, team_cells, slots
    cdef int[::1] use_row, use_entry
    cdef long long[::1] row_at, lane_row, lane_use, lane_resident
    cdef double[::1] weight, share, gone, bare, own, fading, lane_weight, lane_share, lane_cells
    cdef double[::1] cell_drift, resident_mu, resident_var, resident_time, resident_played
    cdef double[::1] use_weight, heard_slope, heard_share, heard_pull, entry_shift, entry_added

    cdef bint set_sources(self, list columns, list tables, double unit) except -1
    cdef bint prepare(self, Board source) except -1
    cdef bint _fade(self, Board source) except -1
    cdef bint _list_cells(self, Board source) except -1
    cdef void _list_scales(self, Py_ssize_t number, Board source) noexcept
    cdef void _list_use(self, Py_ssize_t c, Py_ssize_t e, Py_ssize_t lanes) noexcept
    cdef void _list_values(self, FacetColumn column, Board source, Py_ssize_t j, Py_ssize_t e) noexcept
    cdef void _merge_cells(self, Py_ssize_t first, Py_ssize_t first_use, Py_ssize_t lanes) noexcept
    cdef void _merge_few(self, Py_ssize_t first, Py_ssize_t first_use, Py_ssize_t lanes) noexcept
    cdef void _merge_many(self, Py_ssize_t first, Py_ssize_t first_use, Py_ssize_t lane) noexcept
    cdef bint _load_residents(self, RowSource facet, Py_ssize_t first) except -1
    cdef void write_back(self) noexcept
    cdef void add(self, Board board, Board source, Py_ssize_t lane) noexcept
    cdef void _add_pair(self, Board board, double now, Py_ssize_t lane) noexcept
    cdef void _add_facet(self, Py_ssize_t f, RowSource facet, Board source, Py_ssize_t lane) noexcept
    cdef void _add_weight(
        self,
        Py_ssize_t f,
        RowSource facet,
        Py_ssize_t row,
        Py_ssize_t j,
        Board source,
        Py_ssize_t lane,
        Py_ssize_t e,
        double weight,
    ) noexcept
    cdef void _add_use(self, Py_ssize_t u, Py_ssize_t k, double weight) noexcept
    cdef Py_ssize_t _find(self, Py_ssize_t f, Py_ssize_t row) noexcept
    cdef void _load_row(self, RowSource facet, Py_ssize_t known, Py_ssize_t row, double now) noexcept
    cdef void _add_trait(self, Board board, Py_ssize_t k) noexcept
    cdef double _square(self, Py_ssize_t c, Py_ssize_t k, Py_ssize_t traits) noexcept
    cdef bint learn(self, Board board) except -1
    cdef void _learn_pair(self, Board board) noexcept
    cdef void _listen(self) noexcept
    cdef double _correlate(self, Board board) noexcept
    cdef void _add_cross_terms(self, Py_ssize_t k, Py_ssize_t traits, double cross) noexcept
    cdef void _sum_results(self, Board board, Py_ssize_t k) noexcept
    cdef double _rest(self, Board board, Py_ssize_t c, Py_ssize_t k) noexcept
    cdef void store(self, Board board) noexcept
    cdef void _keep_pair(self, double now) noexcept
    cdef void _list_visits(self, Py_ssize_t f, Py_ssize_t first, Board source) noexcept
    cdef Py_ssize_t _visit(
        self, Py_ssize_t f, RowSource facet, Py_ssize_t row, Py_ssize_t place, Board source, Py_ssize_t lane
    ) noexcept
    cdef double _prior_mean(self, Part part) noexcept
    cdef double _prior_variance(self, Part part) noexcept
    cdef void _enter_pair(self, Py_ssize_t row, Py_ssize_t at, double now, double mu, double var) noexcept
    cdef bint _update_rows(self) except -1
    cdef void pass_by(self) noexcept
