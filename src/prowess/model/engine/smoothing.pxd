from .board cimport Board, Margin
from .breaks cimport Breaks
from .chains cimport Chain


cdef class FixedMargin(Margin):
    pass


cdef class Chains:
    cdef readonly Chain players, home
    cdef public Chain effects
    cdef readonly object visit_start
    cdef readonly list deviations
    cdef readonly Breaks breaks
    cdef readonly bint freezes, limits
    cdef public bint measures, online, backward, updates, visits
    cdef readonly double[::1] alpha, offset, step, next_step
    cdef public double[::1] epsilon
    cdef public int[::1] match_of

    cdef void prefetch_next(self, Board board, Py_ssize_t matches, Py_ssize_t entries) noexcept


cdef class Links:
    cdef readonly object next, previous
    cdef int[::1] next_visit, previous_visit


cdef class Queue:
    cdef int[::1] waiting, match_of
    cdef signed char[::1] is_waiting
    cdef list links
    cdef double square
    cdef Py_ssize_t head, tail
    cdef readonly Py_ssize_t visits

    cpdef void put(self, Py_ssize_t match) noexcept
    cdef Py_ssize_t take(self) noexcept
