from libc.math cimport fabs
from .elementary cimport exp, exp_all, expm1, expm1_all, log, log_all

cdef class Truncated:
    cdef public double[::1] t, mean, shift, left, lost
    cdef double[::1] z, cut_off, base, mass
    cdef double r0, r1, r2
    cdef double[::1] bells, grown, spread

# Nodes and weights of Gauss–Legendre quadrature on [−1, 1] with 16, 8 and 6 nodes; only the positive nodes.
cdef double[::1] NODE, NODE_WEIGHT

cpdef double mills(double x) noexcept
cpdef double log_pdf(double x) noexcept
cpdef double cdf(double x) noexcept
cpdef double probability(Truncated cut, Py_ssize_t lane) noexcept
cpdef double log_z(Truncated cut, Py_ssize_t lane) noexcept
cpdef void log_z_all(Truncated cut, double[::1] out, Py_ssize_t lanes) noexcept
cpdef void above(double t, Truncated out) noexcept
cpdef void above_all(Truncated out, Py_ssize_t lanes) noexcept
cpdef void within(double t, double e, Truncated out, Py_ssize_t lane) noexcept
cpdef double central_width(double p) except? -1.0
