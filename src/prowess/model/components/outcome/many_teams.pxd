from ...engine.board cimport Board
from .score_base cimport Score

cpdef double several(Board board, Score score) except? -1.0
