from ..interfaces cimport Outcome
from ...engine.board cimport Board


cdef class Score(Outcome):
    cpdef bint check(self, Board board) except -1
    cpdef double seen(self, Board board, double score, double mean, double variance) except? -1.0
    cpdef bint foresee(self, Board board, double mean, double variance, double mean_1, double variance_1) except -1
    cpdef bint remember(self, Board board) except -1
