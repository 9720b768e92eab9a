from .gauss cimport Truncated


cdef class Board:
    cdef public Py_ssize_t teams, entries, traits, extras, team_capacity, entry_capacity
    # of the match
    cdef public Py_ssize_t home
    cdef public double importance, win, draw, loss
    cdef public bint converged
    # of a team, or of a team and trait
    cdef public int[::1] start, place, order
    cdef public double[::1] score, offset, noise, mean, variance, d1, d2, left
    # of an entry, or of an entry and trait
    cdef public double[::1] weight, elapsed, alpha, mu, var, g1, g2, kept, extra
    # for the outcome
    cdef public Margin margin
    cdef public Truncated cut
    cdef public double[:, ::1] work

    cpdef bint holds(self, Py_ssize_t teams, Py_ssize_t entries) except? -1


cdef class Prior:
    cpdef void welcome(self, Board board, Py_ssize_t entry) except *


cdef class Drift:
    cpdef void widen(self, Board board) except *


cdef class TeamFunction:
    cpdef void weigh(self, Board board) except *


cdef class Margin:
    cpdef double between(self, Board board, Py_ssize_t i, Py_ssize_t j) except? -1.0


cdef class Outcome:
    cpdef void prepare(self, Board board) except *
    cpdef void forecast(self, Board board) except *
    cpdef double evidence(self, Board board) except? -1.0


cdef class Absorb:
    cpdef void absorb(self, Board board) except *
