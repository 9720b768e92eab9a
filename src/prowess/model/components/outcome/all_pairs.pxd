from ...engine.board cimport Board
from .comparison cimport Comparison


cdef bint make_room(Board board) except -1
cdef void seat(Board board, Py_ssize_t side, Py_ssize_t team, double at, double spread, double share) noexcept
cdef bint compare_all(Comparison pair, Board board, Py_ssize_t sides, double[::1] push, double[::1] pull) except -1
