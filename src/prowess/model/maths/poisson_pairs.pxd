from libc.math cimport ceil, exp, fabs, log, sqrt
from .normal cimport NODE, NODE_WEIGHT, cdf, log_pdf, mills

cdef class Ridge:
    cdef public double mean, variance, win, draw, loss
    cdef double bessel_0, bessel_1

cpdef void add_high_rate(Ridge ridge, double x, double weight) noexcept
