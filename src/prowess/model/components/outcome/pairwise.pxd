from libc.math cimport sqrt
from ..interfaces cimport evidence_by_lane
from .comparison cimport add_side, compare_all, reserve_sides, score_between
from ...engine.board cimport sort_by_place
from ...maths.normal cimport central_width
from ...engine.board cimport Board
from .comparison cimport Comparison

cdef Py_ssize_t EXPECTED, CONCEDED


cdef class Pairwise(Comparison):
    cpdef bint expect(self, Board board) except -1
    cpdef bint compare_two(self, Board board) except -1
    cdef double neighbour_evidence(self, Board board) except? -1.0


cpdef void count_draws(Board board) noexcept
