cdef class Ridge:
    cdef public double mean, variance, win, draw, loss
    cdef double bessel_0, bessel_1

cpdef void add_high_rate(Ridge ridge, double x, double weight) noexcept
