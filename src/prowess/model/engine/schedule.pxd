cdef class Schedule:
    cdef int[::1] order, block_start, window_block, window_start
    cdef readonly Py_ssize_t lanes, large, blocks, windows


cdef class _Work:
    cdef const int[::1] match_start, team_start, player
    cdef int[::1] shape, level, count, sorted
    cdef long long[::1] seen
    cdef bint uniform
    cdef long long stamp

