from ...engine.board cimport Board

cpdef double learn_two(Board board, double epsilon, double tolerance, Py_ssize_t sweeps) except? -1.0
cpdef bint is_well_scaled(Board board, double epsilon) except -1
