from ...engine.board cimport Board

cpdef double meet_pair(Board board, double epsilon, double tolerance, Py_ssize_t sweeps) except? -1.0
cpdef bint plain(Board board, double epsilon) except -1
