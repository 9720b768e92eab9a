from libc.math cimport sqrt
from .spread cimport keep_shares, kept_share
from ..maths.normal cimport above
from ..maths.normal cimport Truncated
from .board cimport Board
from .buffers cimport StatisticColumn, Table
from .facets cimport Effects


cdef class Observer:
    cdef readonly Py_ssize_t index, trait
    cdef readonly bint is_quit, is_scaled, is_bounded
    cdef readonly double margin, omega, eta, noise


cdef class StatisticSource:
    cdef readonly Observer observer
    cdef readonly StatisticColumn column
    cdef readonly Table table


cdef class Statistics:
    cdef readonly list observers
    cdef list sources
    cdef Py_ssize_t traits, stride
    cdef bint duels, laplace, is_bounded
    cdef public bint is_loaded
    cdef double[::1] precision, push, share, mu, var, moved, own, weight, gap, team_mean, team_var, weights, gaps
    cdef double[::1] evidences, memory, part, rest, whole, left
    cdef double[::1] other_d1, other_d2, other_left, other_unconverged
    cdef Truncated out

    cdef bint set_sources(self, list columns, list tables) except -1
    cdef void scale(self, Py_ssize_t first, Py_ssize_t last) noexcept
    cdef void count(self, Py_ssize_t first, Py_ssize_t last) noexcept
    cdef bint observe(self, Board board, Py_ssize_t first, Py_ssize_t last, Effects effects) except -1
    cdef void _sum_teams(self, Board board, Py_ssize_t k, Py_ssize_t first, Py_ssize_t last) noexcept
    cdef void _observe_values(
        self, StatisticSource source, Board board, Py_ssize_t first, Py_ssize_t last, Effects effects
    ) noexcept
    cdef void _observe_quits(
        self, StatisticSource source, Board board, Py_ssize_t first, Py_ssize_t last
    ) noexcept
    cdef void _move_team(
        self, Board board, Py_ssize_t j, Py_ssize_t k, Py_ssize_t first, Py_ssize_t last
    ) noexcept
    cdef void move_teams(self, Board board, Py_ssize_t source_lane) noexcept
    cdef void swap_results(self, Board board) noexcept
    cdef void tell(self, Effects effects, Board board, Py_ssize_t lane) noexcept
    cdef void fold(self, Board board) noexcept
    cdef void spread(self, Board board) noexcept
    cdef void _spread(self, Board board, Py_ssize_t j, Py_ssize_t e, Py_ssize_t k) noexcept
    cdef void _keep_heavy(self, Board board, Py_ssize_t j, Py_ssize_t e, Py_ssize_t k) noexcept
    cdef void _combine(self, Board board, Py_ssize_t entry) noexcept
    cdef double _contribution(self, Board board, Py_ssize_t i) noexcept
    cdef void _unfold(self, Board board, Py_ssize_t e, Py_ssize_t k) noexcept
