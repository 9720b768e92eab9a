cdef class Truncated:
    cdef public double shift, mean, left, lost
    cdef double r0, r1, r2

cpdef double mills(double x) except? -1.0
cpdef double log_pdf(double x) except? -1.0
cpdef double cdf(double x) except? -1.0
cpdef double above(double t, Truncated out) except? -1.0
cpdef double within(double t, double e, Truncated out) except? -1.0
cpdef double central_width(double p) except? -1.0
