from libc.math cimport fabs, floor, sqrt
from .elementary cimport exp, exp_all, expm1, log, log_all
from .normal cimport NODE, NODE_WEIGHT, cdf, log_pdf

cpdef double log_factorial(double n) noexcept
cpdef double log_pmf(double n, double log_rate, double rate) noexcept
cpdef double tilt(double mean, double variance, double count) noexcept
cpdef double mixed_pmf(double n, double mean, double variance) noexcept
cpdef double mixed_cdf(double n, double mean, double variance) noexcept
cpdef void tilt_all(double[::1] work, Py_ssize_t stride, Py_ssize_t lanes) noexcept
