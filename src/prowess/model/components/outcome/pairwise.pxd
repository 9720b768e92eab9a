from ...engine.board cimport Board
from .comparison cimport Comparison


cdef class Pairwise(Comparison):
    cdef double neighbour_evidence(self, Board board) except? -1.0


cdef void count_draws(Board board, double score) noexcept
