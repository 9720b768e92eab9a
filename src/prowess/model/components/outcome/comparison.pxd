from libc.math cimport ceil, fabs
from ...engine.board cimport make_scratch
from ..interfaces cimport Outcome
from ...engine.board cimport Board


cdef class Comparison(Outcome):
    cpdef double chance(self, Board board, double gap, double variance) except? -1.0
    cpdef bint meet(self, Board board, double gap, double own, double other, double result) except -1
    cpdef double likelihood(self, Board board, double gap, double own, double other, double result) except? -1.0
    cpdef double stretch(self, double least, double most) except? -1.0


cpdef double score_between(Board board, Py_ssize_t team, Py_ssize_t other) noexcept
cpdef bint reserve_sides(Board board) except -1
cpdef void add_side(Board board, Py_ssize_t side, Py_ssize_t team, double rating, double variance, double share) noexcept
cpdef bint compare_all(Comparison pair, Board board, Py_ssize_t sides, double[::1] push, double[::1] pull) except -1
