from ..interfaces cimport Outcome
from ...engine.board cimport Board


cdef class Rounded(Outcome):
    pass


cpdef double one_margin(Board board) except? -1.0
cpdef bint foresee(Board board, double epsilon) except -1
