from prowess.model.board cimport Board
from prowess.model.outcome.score cimport Score

cpdef double several(Board board, Score score) except? -1.0
