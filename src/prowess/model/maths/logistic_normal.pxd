from libc.math cimport fabs, sqrt
from .elementary cimport exp, exp_all, log, log1p
from .normal cimport NODE, NODE_WEIGHT

# Rows of the table of `add_nodes`, and cells of the result of `measure_wide`.
cdef Py_ssize_t GAP, VARIANCE, NEAR, SUM_30, SUM_21, SUM_12, SUM_03, DRAW_20, DRAW_11, DRAW_02
cdef Py_ssize_t LOG_Z, D1, D2, LEFT
cdef double WIDE, LARGEST

cpdef void add_nodes(double[::1] work, Py_ssize_t stride, Py_ssize_t lanes, bint draws) noexcept
cpdef void measure_wide(double gap, double variance, double result, double[::1] out) noexcept
