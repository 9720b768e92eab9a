from libc.math cimport sqrt
from ..maths.normal cimport above_all, probability, within
from ..maths.normal cimport Truncated


cdef class Board:
    cdef public Py_ssize_t teams, entries, traits, extras, memories, matches, lanes, stride
    cdef public Py_ssize_t team_capacity, entry_capacity
    # columns with a cell for each team, or for each team and trait
    cdef public int[::1] start, place, order
    cdef public double[::1] score, offset, noise, added, shift, mean, variance, d1, d2, left
    # columns with a cell for each entry, or for each entry and trait
    cdef public double[::1] elapsed, played, games, settled, alpha, mu, var, g1, g2, kept, slope, before_mu, before, extra
    cdef public long long[::1] rows, next_rows
    # columns with a cell for each match
    cdef public long long[::1] match, first_team, first_entry, next_entry
    cdef public double[::1] importances, homes, times, wins, draws, losses, scatters, evidences, unconverged
    cdef public double[::1] epsilons, sharpnesses, gaps, edges
    cdef public double[::1] x_mean, x_variance, x_score, pushes, pulls, rests
    # numbers of the league and the model
    cdef public double[::1] memory, fixed, centre, centre_var
    cdef public double unit, beta, span
    cdef public bint periods, home_settled, is_fixed, carries
    cdef public Py_ssize_t level
    cdef public Board side, past, single
    # `Deviations`, `Effects`, `Statistics` and `Chain`, or None
    cdef public object deviations, effects, statistics, home_chain
    # working space of the outcome
    cdef public Margin margin
    cdef public Truncated cut, ahead, behind
    cdef public double expected, conceded, push, pull, rest
    cdef public Py_ssize_t lane
    cdef public double[::1] work, memo
    cdef public double[:, ::1] scratch

    cpdef void clear(self) noexcept
    cpdef bint holds(self, Py_ssize_t teams, Py_ssize_t entries) except? -1


cpdef bint make_scratch(Board board, Py_ssize_t rows, Py_ssize_t columns) except -1
cpdef void copy_lane(Board source, Py_ssize_t lane, Board target, Py_ssize_t other) noexcept
cpdef void copy_beliefs(Board source, Py_ssize_t lane, Board target, Py_ssize_t other) noexcept
cpdef void copy_teams(Board source, Py_ssize_t lane, Board target) noexcept
cpdef void copy_forecast(Board source, Board target, Py_ssize_t lane) noexcept
cpdef void copy_results(Board source, Board target, Py_ssize_t lane) noexcept
cpdef bint is_weighted(Board board) noexcept
cpdef void sort_by_place(Board board, Py_ssize_t lane) noexcept
cpdef double positive(double variance) except? -1.0
cpdef bint add_variances(Board board) except -1
cpdef bint compare(Board board) except -1
cpdef bint measure_gaps(Board board) except -1
cpdef void measure_sides(Board board) noexcept
cpdef void set_chances(Board board) noexcept


cdef class Margin:
    cpdef bint measure(self, Board board, bint seen) except -1
    cpdef double between(self, Board board, Py_ssize_t i, Py_ssize_t j) except? -1.0
    cpdef bint fill_edges(self, Board board) except -1
    cpdef bint learn(self, Board board) except -1
