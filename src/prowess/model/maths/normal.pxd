cdef class Truncated:
    cdef public double shift, mean, left, lost
    cdef double z, base, mass, cut_off, r0, r1, r2

# Nodes and weights of Gauss–Legendre quadrature on [−1, 1] with 16, 8 and 6 nodes; only the positive nodes.
cdef double[::1] NODE, NODE_WEIGHT

cpdef double mills(double x) noexcept
cpdef double log_pdf(double x) noexcept
cpdef double cdf(double x) noexcept
cpdef double probability(Truncated cut) noexcept
cpdef double log_z(Truncated cut) noexcept
cpdef void above(double t, Truncated out) noexcept
cpdef void within(double t, double e, Truncated out) noexcept
cpdef double central_width(double p) except? -1.0
