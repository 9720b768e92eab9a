from libc.math cimport fabs, sqrt
from .buffers cimport prefetch
from .board cimport Board


cdef class Chain:
    cdef readonly object sites, messages, forward
    cdef double[::1] site, message, seen, first, second, far, far_2, precision, push, change, held, later
    cdef long long[::1] visit
    cdef readonly Py_ssize_t traits
    cdef public Py_ssize_t kinds
    cdef public bint backward, updates, damps, repeats, keeps

    cpdef void start_sweep(self) noexcept
    cdef void find_entries(self, Board board) noexcept
    cdef void prefetch_next(self, Board board, Py_ssize_t matches, Py_ssize_t entries) noexcept
    cdef void gather(self, Board rows, Py_ssize_t first, Py_ssize_t last) noexcept
    cdef void enter(self, Board rows, Py_ssize_t first, Py_ssize_t last) noexcept
    cdef void finish(self, Board rows, Py_ssize_t first, Py_ssize_t last) noexcept
    cdef void leave(self, Board rows, Py_ssize_t first, Py_ssize_t last) noexcept
    cdef void hold(self, Board rows, Py_ssize_t first, Py_ssize_t last) noexcept
    cdef void scatter(self, Board rows, Py_ssize_t first, Py_ssize_t last) noexcept
    cdef void pass_by(self, Board rows, Py_ssize_t first, Py_ssize_t last) noexcept
    cdef void carry(self, Board rows, Py_ssize_t first, Py_ssize_t last) noexcept
