cdef class Ridge:
    cdef public double mean, variance, win, draw, loss
    cdef double zero, one

cpdef void along(Ridge ridge, double x, double weight) noexcept
