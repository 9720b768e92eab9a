cdef class Events:
    cdef public Py_ssize_t count
    cdef public long long key
    cdef public int first, second
    cdef long long[::1] keys
    cdef int[::1] firsts, seconds

    cdef bint push(self, long long key, int first, int second) except -1
    cdef bint pop(self) noexcept
    cdef long long soonest(self) noexcept
