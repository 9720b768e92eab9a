from ...engine.board cimport Board
from .comparison cimport Comparison

cdef Py_ssize_t EXPECTED, CONCEDED


cdef class Pairwise(Comparison):
    cpdef bint expect(self, Board board) except -1
    cpdef bint compare_two(self, Board board) except -1
    cdef double neighbour_evidence(self, Board board) except? -1.0


cdef void count_draws(Board board) noexcept
