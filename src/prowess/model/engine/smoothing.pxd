from .blocks cimport Window, block_entries, find_rows, first_entry, load_block, load_memories, load_result, load_results, place_matches, store_rows, take_rows
from .buffers cimport Columns, Record, Table
from .facets cimport Deviations, Part, RowSource
from .pipeline cimport Pipeline
from .players cimport load_memory
from .schedule cimport Schedule
from .statistics cimport Statistics
from .sweep cimport record_forecasts, scale_statistics, tally
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
