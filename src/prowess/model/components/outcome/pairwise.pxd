from ...engine.board cimport Board
from .comparison cimport Comparison


cdef class Pairwise(Comparison):
    cdef double tell(self, Board board) except? -1.0


cdef void remember(Board board, double score) noexcept
