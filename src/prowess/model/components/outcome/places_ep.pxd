from ...engine.board cimport Board

cpdef double meet(Board board, double epsilon, double tolerance, Py_ssize_t sweeps) except? -1.0
