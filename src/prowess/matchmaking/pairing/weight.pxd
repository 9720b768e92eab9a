cdef class Worth:
    cdef const double[::1] mean, variance, noise, wait, least, cost
    cdef const int[::1] start, known
    cdef double unit, near
    cdef long long bonus

cpdef double quality_of(Worth worth, Py_ssize_t one, Py_ssize_t two) noexcept
cdef long long weight_of(Worth worth, Py_ssize_t one, Py_ssize_t two, double cost) noexcept
cdef double cost_of(Worth worth, Py_ssize_t one, Py_ssize_t two) noexcept
