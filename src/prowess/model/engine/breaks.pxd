cdef class Breaks:
    cdef readonly object times, carry, tau
    cdef readonly Py_ssize_t count
    cdef readonly double kept, added
    cdef double[::1] start, share, spread
    cdef readonly double[::1] centre

    cdef bint cross(self, double since, double until) noexcept
